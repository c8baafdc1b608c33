"""Where the program is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import amdtriage
from amdtriage import ProgramError, find_program, rows


def runnable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_it_is_looked_for_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    monkeypatch.setattr("amdtriage._program.__file__", str(package / "_program.py"))
    on_path = runnable(tmp_path / "bin" / "amdtriage")
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.delenv("AMDTRIAGE", raising=False)
    assert find_program() == on_path
    named = runnable(tmp_path / "named")
    monkeypatch.setenv("AMDTRIAGE", str(named))
    assert find_program() == named
    shipped = runnable(package / "bin" / "amdtriage")
    assert find_program() == shipped
    asked = runnable(tmp_path / "asked")
    assert find_program(asked) == asked
    assert find_program("amdtriage") == on_path


def test_one_that_is_missing_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("AMDTRIAGE", raising=False)
    monkeypatch.setattr("amdtriage._program.__file__", str(tmp_path / "_program.py"))
    with pytest.raises(ProgramError, match="is not installed"):
        rows([])
    monkeypatch.setenv("AMDTRIAGE", "/nowhere/amdtriage")
    with pytest.raises(ProgramError, match="environment variable AMDTRIAGE"):
        rows([])
    plain = tmp_path / "plain"
    plain.touch()
    with pytest.raises(ProgramError, match="not executable"):
        rows([], program=plain)


def test_one_that_cannot_be_started(tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.write_bytes(b"\x7fELFnot a program")
    odd.chmod(0o755)
    with pytest.raises(ProgramError, match="cannot start"):
        list(rows([("a", b"x")], program=odd))


def test_the_version_is_that_of_the_project() -> None:
    project = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    assert f'version         = "{amdtriage.__version__}"' in project
