"""No process blocks another, and none is left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from amdtriage import rows

# Processes of the saboteur start a Python and a program each.
ENOUGH = 4.0


@pytest.mark.parametrize(
    ("key", "error"), [("deaf!", "timeout"), ("leaves!", "crashed"), ("orphan!", "crashed")]
)
def test_a_process_that_reads_nothing_does_not_block(saboteur: str, key: str, error: str) -> None:
    began = time.monotonic()
    inputs = [(key, b"\n"), ("long", b"x\n" * 3_000_000), ("short", b"x\n")]
    found = list(rows(inputs, program=saboteur, timeout=ENOUGH))
    assert [row["error"] for row in found] == [error, None, None]
    assert time.monotonic() - began < 8 * ENOUGH


def test_what_a_process_started_ends_with_it(saboteur: str, tmp_path: Path) -> None:
    assert next(rows([("hangs!", b"\n")], program=saboteur, timeout=2))["error"] == "timeout"
    child = int((tmp_path / "child").read_text())
    with pytest.raises(ProcessLookupError):
        # It may need a moment to be gone.
        for _ in range(100):
            os.kill(child, 0)
            if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
                raise ProcessLookupError
            time.sleep(0.02)


def test_much_on_standard_error_does_not_block(saboteur: str, program: str) -> None:
    inputs = [("shouts!", b"\n"), ("other", b"x\n")]
    assert list(rows(inputs, program=saboteur, timeout=60)) == list(rows(inputs, program=program))
