"""Spark has the rows that Python has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from logs import Sample

from amdtriage import rows
from amdtriage.schema import spark_schema
from amdtriage.spark import triage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def texts(found: object) -> list[str]:
    return sorted(map(json.dumps, found))  # type: ignore[call-overload]


def collected(df: DataFrame) -> list[dict[str, object]]:
    return [row.asDict() for row in df.collect()]


def test_binary_files_have_the_rows_of_the_same_bytes(
    spark: SparkSession, program: str, folder: Path, some: list[Sample]
) -> None:
    logs = spark.read.format("binaryFile").load(str(folder)).repartition(3)
    found = triage(logs, program=program)
    assert found.schema == spark_schema()
    # Spark passes over files of no bytes.
    kept = [sample for sample in some if sample.content]
    assert len(kept) < len(some)
    pairs = [(f"file:{folder / sample.name}", sample.content) for sample in kept]
    expected = list(rows(pairs, program=program))
    assert texts(collected(found)) == texts(expected)
    counted = found.where("row = 'log'").groupBy("status").count().collect()
    assert {row["status"] for row in counted} == {"whole", "partial", "no-kernel-log"}


def test_a_killed_process_fails_one_log(
    spark: SparkSession, saboteur: str, program: str, some: list[Sample]
) -> None:
    pairs = [(sample.name, sample.content) for sample in some[:12]]
    pairs.insert(5, ("killed!", some[0].content))
    logs = spark.createDataFrame(pairs, "name string, bytes binary").coalesce(1)
    # Workers have the environment of the time when the first of them started.
    wrapper = Path(saboteur).with_name("with-environment")
    calls = wrapper.with_name("calls")
    wrapper.write_text(
        f'#!/bin/sh\nSABOTEUR_PROGRAM={program} SABOTEUR_CALLS={calls} exec {saboteur} "$@"\n'
    )
    wrapper.chmod(0o755)
    found = collected(triage(logs, key="name", content="bytes", program=wrapper))
    failed = [row for row in found if row["status"] == "failed"]
    assert [(row["key"], row["error"]) for row in failed] == [("killed!", "killed")]
    others = [row for row in found if row["key"] != "killed!"]
    expected = [row for row in rows(pairs, program=program) if row["key"] != "killed!"]
    assert texts(others) == texts(expected)


def test_null_and_text(spark: SparkSession, program: str) -> None:
    pairs = [("a", None), ("b", "[    1.000000] Linux version 6.8.0\n")]
    logs = spark.createDataFrame(pairs, "path string, content string")
    found = collected(triage(logs, program=program))
    assert {row["key"]: row["status"] for row in found} == {"a": "empty", "b": "whole"}


def test_a_missing_program_is_said(spark: SparkSession) -> None:
    logs = spark.createDataFrame([("a", b"")], "path string, content binary")
    with pytest.raises(Exception, match="cannot run '/nowhere/amdtriage'"):
        triage(logs, program="/nowhere/amdtriage").collect()
