"""The columns are those of the program, for all tools."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow
import pytest
from logs import Sample

from amdtriage import rows
from amdtriage.batches import record_batches
from amdtriage.schema import COLUMNS, NAMES, arrow_schema, spark_schema

TYPES = {"string": str, "integer": int, "boolean": bool}


def told(program: str) -> dict[str, Any]:
    ran = subprocess.run([program, "schema", "rows"], capture_output=True, check=True)
    schema: dict[str, Any] = json.loads(ran.stdout)
    return schema


def kinds(schema: dict[str, Any], column: dict[str, Any]) -> set[str]:
    """Return the names of the types that a column of a JSON Schema may have."""
    if "$ref" in column:
        return kinds(schema, schema["$defs"][column["$ref"].rpartition("/")[2]])
    found: set[str] = set()
    for choice in column.get("anyOf", column.get("oneOf", [])):
        found |= kinds(schema, choice)
    own = column.get("type", [])
    return found | ({own} if isinstance(own, str) else set(own))


def test_the_columns_are_those_of_the_program(program: str) -> None:
    schema = told(program)
    row = schema["$defs"]["Row"]
    assert list(NAMES) == list(row["properties"]) == row["required"]
    for column in COLUMNS:
        types = kinds(schema, row["properties"][column.name])
        assert column.nullable == ("null" in types), column.name
        (only,) = types - {"null"}
        assert column.kind is TYPES[only], column.name


def test_arrow_has_the_same_types() -> None:
    kinds = {"string": str, "int64": int, "bool": bool}
    of_arrow = [(field.name, kinds[str(field.type)], field.nullable) for field in arrow_schema()]
    assert of_arrow == [tuple(column) for column in COLUMNS]


@pytest.mark.spark
def test_spark_has_the_same_types() -> None:
    kinds = {"string": str, "bigint": int, "boolean": bool}
    of_spark = [
        (field.name, kinds[field.dataType.simpleString()], field.nullable)
        for field in spark_schema()
    ]
    assert of_spark == [tuple(column) for column in COLUMNS]


def counted(relation: duckdb.DuckDBPyRelation) -> list[Any]:
    """Count hosts and incidents of each fingerprint."""
    columns = "fingerprint, count(DISTINCT host), count(*)"
    return relation.filter("row = 'incident'").aggregate(columns).order("fingerprint").fetchall()


def test_duckdb_and_polars_read_the_same_rows(
    program: str, some: list[Sample], tmp_path: Path
) -> None:
    found = list(rows(((sample.name, sample.content) for sample in some), program=program))
    file = tmp_path / "rows.ndjson"
    file.write_text("".join(json.dumps(row) + "\n" for row in found))
    table = pyarrow.Table.from_batches(record_batches(found), arrow_schema())
    assert table.to_pylist() == found
    assert polars.from_arrow(table).to_dicts() == found  # type: ignore[union-attr]
    parquet = tmp_path / "rows.parquet"
    polars.from_arrow(table).write_parquet(parquet)  # type: ignore[union-attr]
    relations = (
        duckdb.read_json(str(file)),
        duckdb.from_arrow(table),
        duckdb.read_parquet(str(parquet)),
    )
    first, *others = map(counted, relations)
    assert len(first) > 5
    assert all(other == first for other in others)
    incidents = polars.scan_ndjson(file, infer_schema_length=None).filter(row="incident")
    in_polars = incidents.group_by("fingerprint").len().sort("fingerprint").collect()
    assert in_polars.rows() == [(fingerprint, count) for fingerprint, _, count in first]


def test_defaults_read_a_fleet_that_is_healthy_at_first(program: str, tmp_path: Path) -> None:
    """More rows without a failure come first than DuckDB and Polars look at."""
    healthy = b"[    1.000000] Linux version 6.8.0 (a@b) (gcc) #1 SMP\n"
    failing = (
        b"[   10.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, "
        b"signaled seq=1, emitted seq=3\n"
        b"[   10.000100] amdgpu 0000:03:00.0: amdgpu: Process information: process game pid 42 "
        b"thread game:cs0 pid 43\n"
        b"[   10.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n"
        b"[   12.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n"
    )
    for name, text in (("healthy", healthy), ("failing", failing)):
        (tmp_path / name).write_bytes(text)
    command = [program, "rows", str(tmp_path / "healthy"), str(tmp_path / "failing")]
    types, log, *rest = subprocess.run(command, check=True, capture_output=True).stdout.splitlines()
    file = tmp_path / "rows.ndjson"
    file.write_bytes(b"\n".join([types, *[log] * 30_000, *rest, b""]))
    wanted = [("ring-timeout-reset", "0000:03:00.0", 42)]
    query = f"SELECT diagnosis, device, pid FROM '{file}' WHERE row = 'incident'"
    assert duckdb.execute(query).fetchall() == wanted
    query = f"SELECT count(*) FROM '{file}' WHERE row = 'log'"
    assert duckdb.execute(query).fetchall() == [(30_001,)]
    incidents = polars.scan_ndjson(file).filter(row="incident")
    assert incidents.select("diagnosis", "device", "pid").collect().rows() == wanted
