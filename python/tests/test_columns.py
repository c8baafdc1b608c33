"""Parquet and Arrow have the rows of NDJSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest

from amdtriage import Row
from amdtriage.schema import arrow_schema


@pytest.fixture(scope="session")
def found(program: str, folder: Path) -> list[Row]:
    """Return what NDJSON has of some logs, and of one that is not there."""
    return [json.loads(line) for line in written(program, "ndjson", folder).splitlines()]


def written(program: str, form: str, folder: Path) -> bytes:
    """Return what the program writes in a format."""
    command = [program, "rows", "-q", "--no-types", "--format", form, str(folder), "/nowhere"]
    ran = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    if b"was built without the feature `columns`" in ran.stderr:
        pytest.skip("the program was built without the feature columns")
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout


def test_all_read_the_same_rows_from_parquet(
    program: str, folder: Path, found: list[Row], tmp_path: Path
) -> None:
    file = tmp_path / "rows.parquet"
    file.write_bytes(written(program, "parquet", folder))
    table = pyarrow.parquet.read_table(file)
    assert table.schema.remove_metadata() == arrow_schema()
    assert table.to_pylist() == found
    assert polars.read_parquet(file).to_dicts() == found
    relation = duckdb.read_parquet(str(file))
    assert [dict(zip(relation.columns, row)) for row in relation.fetchall()] == found


def test_all_read_the_same_rows_from_arrow(
    program: str, folder: Path, found: list[Row], tmp_path: Path
) -> None:
    stream = written(program, "arrow", folder)
    table = pyarrow.ipc.open_stream(stream).read_all()
    assert table.schema == arrow_schema()
    assert table.to_pylist() == found
    assert polars.read_ipc_stream(stream).to_dicts() == found
    relation = duckdb.from_arrow(table)
    assert [dict(zip(relation.columns, row)) for row in relation.fetchall()] == found


def test_times_can_be_cast(program: str, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    file.write_bytes(written(program, "parquet", folder))
    counts = "SELECT count(time_utc), count(time_utc::TIMESTAMPTZ) FROM read_parquet(?)"
    (counted,) = duckdb.execute(counts, [str(file)]).fetchall()
    assert counted[0] == counted[1] > 0
