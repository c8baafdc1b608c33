"""Where the program is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Union

VARIABLE = "AMDTRIAGE"
"""The environment variable with the path of the program."""

ProgramPath = Union[str, "os.PathLike[str]"]


class ProgramError(RuntimeError):
    """The program is missing, cannot be started, or does not work with any log.

    What is wrong with one log is never an error, but a row.
    """


def find_program(program: ProgramPath | None = None) -> Path:
    """Find the program.

    The first of these counts: ``program``, the program that was installed with this package, the
    environment variable ``AMDTRIAGE``, and ``amdtriage`` in the directories of ``PATH``.

    Args:
        program: The path of the program, or a name to look for in ``PATH``.

    Returns:
        The path of a file that may be run.

    Raises:
        ProgramError: There is no such program. A program that was asked for by ``program`` or by
            the variable is not replaced by another one.

    """
    if program is not None:
        return _runnable(os.fspath(program), "as asked for")
    shipped = Path(__file__).parent / "bin" / "amdtriage"
    if os.access(shipped, os.X_OK):
        return shipped
    named = os.environ.get(VARIABLE)
    if named:
        return _runnable(named, f"as the environment variable {VARIABLE} says")
    found = shutil.which("amdtriage")
    if found is None:
        raise ProgramError(
            "the program amdtriage is not installed: it is not part of this package, "
            f"the environment variable {VARIABLE} is not set, and PATH does not have it"
        )
    return Path(found)


def _runnable(program: str, why: str) -> Path:
    # Of a name without a directory `which` looks through PATH, as a shell does.
    found = shutil.which(program)
    if found is None:
        raise ProgramError(f"cannot run {program!r}, {why}: no such file, or not executable")
    return Path(found)
