"""One process of the program: what it gets, how it ends, and what it wrote."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from ._program import ProgramError

CRASHES = frozenset(
    getattr(signal, name)
    for name in ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP")
)
"""Signals with which a process ends by its own fault."""


@dataclass(frozen=True)
class Ended:
    """A process that ended."""

    trouble: str | None
    """``killed``, ``timeout`` or ``crashed``; ``None`` where it ended well."""
    output: IO[bytes]
    """What it wrote, from its beginning."""
    said: str
    """The end of what it wrote to standard error."""


@contextlib.contextmanager
def process(
    command: Sequence[str], standard_input: Iterable[bytes], timeout: float | None
) -> Iterator[Ended]:
    """Run a process to its end.

    It writes to files: neither side can wait for the other, and the output of a directory with a
    million logs takes no memory.

    Args:
        command: The program and its arguments.
        standard_input: What it gets, in pieces.
        timeout: After so many seconds it is killed with all that it started; ``None`` for never.

    Raises:
        ProgramError: It cannot be started.

    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            child = subprocess.Popen(  # noqa: S603, the caller says which program
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ProgramError(f"cannot start {command[0]}: {error}") from error
        try:
            trouble = _watched(child, standard_input, timeout)
        finally:
            _end(child)
        output.seek(0)
        yield Ended(trouble, output, _tail(errors))


def _watched(
    child: subprocess.Popen[bytes], standard_input: Iterable[bytes], timeout: float | None
) -> str | None:
    """Wait for a process while a thread writes to it; the word for how it ended."""
    assert child.stdin is not None  # noqa: S101, it is a pipe
    writer = threading.Thread(target=_write, args=(child.stdin, standard_input), daemon=True)
    writer.start()
    try:
        status = child.wait(timeout)
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        _end(child)
        # Without the process a write fails at once, unless one that it left behind has the pipe.
        writer.join(1)
        if writer.is_alive():
            _kill_group(child)
            writer.join(1)
    if status == 0:
        return None
    return "killed" if status < 0 and -status not in CRASHES else "crashed"


def _write(pipe: IO[bytes], pieces: Iterable[bytes]) -> None:
    # A process that ends early does not read all; how it ended tells why.
    with contextlib.suppress(OSError), pipe:
        for piece in pieces:
            pipe.write(piece)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it started, if it still runs."""
    if child.returncode is None:
        _kill_group(child)
        child.wait()


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _tail(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - 2000))
    return errors.read().decode("utf-8", "replace").strip()
