"""Logs as the program reads them from standard input, and rows as it writes them.

A frame is a line with a JSON object: the key, and the bytes of the log in base64. In a batch the
number of the log and a slash stand before its key: two logs may have the same key, and an archive
has rows whose keys only begin with its own.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import IO

from ._inputs import Log
from ._program import ProgramError
from .schema import NAMES, Row

_PIECE = 3 << 20
"""Bytes that become base64 at a time: a multiple of three, so that nothing stands between them."""


class DamagedError(Exception):
    """The output is not what a process writes that ends well."""


def frames(batch: Iterable[Log]) -> Iterator[bytes]:
    """Yield the frames of a batch, in pieces."""
    for number, log in enumerate(batch):
        content = memoryview(log.content or b"").cast("B")
        yield b'{"key":%b,"data_b64":"' % json.dumps(f"{number}/{log.key}").encode()
        for start in range(0, content.nbytes, _PIECE):
            yield b64encode(content[start : start + _PIECE])
        yield b'"}\n'


def one(log: Log) -> tuple[str, Iterable[bytes]]:
    """Return the argument and the standard input of a process that reads one log."""
    if log.content is not None or log.path is None:
        return "-", frames([log])
    # The program reads standard input if it is asked for a dash.
    return ("./-" if log.path == "-" else log.path), ()


def of_batch(batch: list[Log], output: IO[bytes]) -> list[list[Row]]:
    """Return the rows of each log of a batch.

    Raises:
        DamagedError: A row is cut, or of no log of the batch.

    """
    found: list[list[Row]] = [[] for _ in batch]
    for row in _lines(output):
        number, slash, key = row["key"].partition("/")
        if not slash or not number.isdecimal() or int(number) >= len(batch):
            raise DamagedError
        log = batch[int(number)]
        if not key.startswith(log.key):
            raise DamagedError
        row["key"] = key
        found[int(number)].append(row)
    return found


def checked(output: IO[bytes]) -> int:
    """Count the rows of an output, and go back to its beginning.

    Raises:
        DamagedError: A row is cut.

    """
    count = sum(1 for _ in _lines(output))
    output.seek(0)
    return count


def of_one(log: Log, output: IO[bytes]) -> Iterator[Row]:
    """Yield the rows of a log that had a process of its own."""
    sent = f"0/{log.key}" if log.content is not None else _displayed(log)
    for row in _lines(output):
        # A key of the program's own making stands for a log that it could not take.
        inner = row["key"][len(sent) :] if row["key"].startswith(sent) else ""
        row["key"] = log.key + inner
        yield row


def _displayed(log: Log) -> str:
    return os.fsencode(one(log)[0]).decode("utf-8", "replace")


def _lines(output: IO[bytes]) -> Iterator[Row]:
    for line in output:
        if not line.endswith(b"\n"):
            raise DamagedError
        try:
            told = json.loads(line)
        except ValueError:
            raise DamagedError from None
        if not isinstance(told, dict) or not isinstance(told.get("key"), str):
            raise DamagedError
        try:
            # Columns of a later version are left out: all rows have those of the schema.
            row: Row = {name: told[name] for name in NAMES}  # type: ignore[assignment]
        except KeyError as error:
            raise ProgramError(f"the program is of another version: no column {error}") from None
        yield row
