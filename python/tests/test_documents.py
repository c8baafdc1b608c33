"""The commands of docs/fleet.md run, and print what the page shows."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from logs import Sample

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/fleet.md").read_text()
FIXTURES = {
    "dmesg.txt": "formats/dmesg.log",
    "desktop.log": "quiet/desktop-navi31.log",
    "node17.log": "formats/dmesg.log",
}
DUCKDB = "import duckdb, sys; print(duckdb.sql(sys.argv[2]).fetchall())"
YOURS = "import pyarrow.ipc, sys; pyarrow.ipc.open_stream(sys.stdin.buffer).read_all()"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def place(program: str, some: list[Sample], tmp_path: Path) -> Path:
    """Return a directory with the logs and programs that the page names."""
    for name, fixture in FIXTURES.items():
        shutil.copy(ROOT / "fixtures" / fixture, tmp_path / name)
    for name in ("logs", "collected", "bin"):
        (tmp_path / name).mkdir()
    for sample in some[:100]:
        (tmp_path / "logs" / sample.name).write_bytes(sample.content)
        (tmp_path / "collected" / f"{sample.name}.gz").write_bytes(gzip.compress(sample.content))
    (tmp_path / "bin/amdtriage").symlink_to(program)
    for name, script in (("duckdb", DUCKDB), ("your-program", YOURS)):
        path = tmp_path / "bin" / name
        path.write_text(f"#!{sys.executable}\n{script}\n")
        path.chmod(0o755)
    return tmp_path


def printed(place: Path, *command: str) -> str:
    """Return what a command prints; empty for a format that the program was built without."""
    path = f"{place / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    source = str(ROOT / "python/src")
    named = {"PATH": path, "PYTHONPATH": source, "AMDTRIAGE": str(place / "bin/amdtriage")}
    environment = {**os.environ, **named}
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    if "was built without the feature `columns`" in ran.stderr:
        return ""
    assert (ran.returncode, ran.stderr) == (0, ""), command
    return ran.stdout


def test_the_commands_of_the_page_run(place: Path) -> None:
    commands = [block.replace("/var/log/collected", "collected") for block in blocks("sh")]
    assert len(commands) > 3
    outputs = [printed(place, "bash", "-euc", command) for command in commands]
    shown = [json.loads(line.replace(",…}", "}")) for line in blocks("json")[0].splitlines()]
    rows = [json.loads(line) for line in outputs[0].splitlines()]
    assert [{name: row[name] for name in line} for row, line in zip(rows, shown)] == shown
    assert len(rows) == len(shown)
    assert "ring-timeout-reset" in outputs[1]
    frames = [json.loads(line)["key"] for line in outputs[-1].splitlines()]
    assert frames == ["", "s3://logs/node17.log", "s3://logs/node17.log"]
    # In the directory that the commands above have written to.
    for script in blocks("python"):
        printed(place, sys.executable, "-c", script)
