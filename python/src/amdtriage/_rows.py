"""The rows of logs: a process for each batch, and one for each log of a batch that ended badly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from ._frames import DamagedError, checked, frames, of_batch, of_one, one
from ._inputs import Inputs, Log, batches, logs
from ._process import process
from ._program import ProgramError, ProgramPath, find_program
from .schema import NAMES, Row

PROBE_TIMEOUT = 60.0
"""A program that works answers a log of no bytes in so many seconds, on a busy machine, too."""


def rows(
    inputs: Inputs, *, program: ProgramPath | None = None, timeout: float | None = None
) -> Iterator[Row]:
    """Return the rows of logs: for each log one row, and one for each failure in it.

    Logs are read while rows are taken, up to 16 MiB or 500 logs at a time with one process of the
    program. The rows are those that the program prints for each log alone, in the order of the
    inputs. An archive or a directory has rows for each log in it.

    A process that is killed, takes too long or crashes costs no other log: all logs of its batch
    are tried one by one. The log that did it has a row with ``status`` ``failed``, and ``error`` is
    ``killed``, ``timeout`` or ``crashed``. Of a directory the entries are tried.

    Args:
        inputs: Paths (``str`` or ``Path``), pairs of a key and the bytes of a log, or a mapping of
            keys to bytes. The key is the name in the rows; bytes may be compressed or an archive.
        program: The program; see :func:`find_program`.
        timeout: How many seconds one process may take, for a batch or for one log; ``None`` for
            any time.

    Returns:
        Rows as dictionaries, each with all columns of :class:`amdtriage.schema.Row`. Every input
        has at least one row with ``row`` ``log``.

    Raises:
        ProgramError: The program is missing, or works with no log at all.
        TypeError: An input is neither a path nor a pair.

    """
    return chain.from_iterable(rows_of_each(inputs, program=program, timeout=timeout))


def rows_of_each(
    inputs: Inputs, *, program: ProgramPath | None = None, timeout: float | None = None
) -> Iterator[Iterable[Row]]:
    """As :func:`rows`, but apart for each input. Take those of one before the next."""
    return _Reader(str(find_program(program)), timeout).each(logs(inputs))


class _Reader:
    """Reads logs with one program."""

    def __init__(self, program: str, timeout: float | None) -> None:
        self._command = [program, "rows", "-q", "--no-types", "--"]
        self._timeout = timeout
        self._template: Row | None = None

    def each(self, found: Iterable[Log]) -> Iterator[Iterable[Row]]:
        """Yield the rows of each log, in order."""
        for batch in batches(found):
            framed = [log for log in batch if log.content is not None]
            # One that is tried alone anyway is not tried twice.
            known = iter(self._batch(framed) if len(framed) > 1 else [[]] * len(framed))
            for log in batch:
                read = [] if log.content is None else next(known)
                yield read or self._alone(log)

    def _batch(self, batch: list[Log]) -> list[list[Row]]:
        """Return the rows of each log of a batch; none for those that have to be tried alone."""
        with process([*self._command, "-"], frames(batch), self._timeout) as ended:
            if ended.trouble is None:
                try:
                    return of_batch(batch, ended.output)
                except DamagedError:
                    pass
        # What works with no log would be tried in vain with each of them.
        self._working()
        return [[] for _ in batch]

    def _alone(self, log: Log) -> Iterator[Row]:
        """Yield the rows of a log that has a process of its own."""
        if log.content is None and log.path is None:
            yield self._made(log, "unreadable", "not-found")
            return
        argument, pieces = one(log)
        with process([*self._command, argument], pieces, self._timeout) as ended:
            trouble = ended.trouble
            count = 0
            if trouble is None:
                try:
                    count = checked(ended.output)
                    yield from of_one(log, ended.output)
                except DamagedError:
                    trouble = "crashed"
        if trouble is None and count == 0:
            # An archive in which nothing is a log: what the program says of such a directory.
            yield self._made(log, "empty", "no-logs")
        elif trouble is not None:
            yield from self._failed(log, trouble)

    def _failed(self, log: Log, trouble: str) -> Iterator[Row]:
        entries = log.entries()
        if entries:
            yield from chain.from_iterable(self.each(logs(entries)))
        else:
            yield self._made(log, "failed", trouble)

    def _made(self, log: Log, status: str, error: str) -> Row:
        """Make the row that the program could not write."""
        made = dict.fromkeys(NAMES)
        made.update(self._working())
        made.update(key=log.key, status=status, error=error)
        return made  # type: ignore[return-value]

    def _working(self) -> Row:
        """Return the row of a log of no bytes: the versions of the program and its patterns."""
        if self._template is None:
            probe = Log("", b"")
            with process([*self._command, "-"], frames([probe]), PROBE_TIMEOUT) as ended:
                try:
                    found = list(of_one(probe, ended.output)) if ended.trouble is None else []
                except DamagedError:
                    found = []
                if not found:
                    ending = ended.said or ended.trouble or "it printed no rows"
                    raise ProgramError(f"{self._command[0]} rows does not work: {ending}")
                self._template = found[0]
        return self._template
