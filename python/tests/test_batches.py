"""Batches of other tools, and the size of our own."""

from __future__ import annotations

from pathlib import Path

import pandas
import pyarrow
import pytest
from logs import Sample

from amdtriage import rows
from amdtriage._inputs import BATCH_BYTES, Log, batches
from amdtriage.batches import triage_batch, triage_lists
from amdtriage.schema import arrow_schema


def test_tables_of_all_kinds_give_the_same(program: str, some: list[Sample]) -> None:
    columns = {
        "path": [sample.name for sample in some],
        "content": [sample.content for sample in some],
    }
    table = pyarrow.table(columns)
    found = triage_batch(table, program=program)
    assert found.schema == arrow_schema()
    expected = list(rows(zip(*columns.values()), program=program))
    assert found.to_pylist() == expected
    for other in (table.to_pandas(), table.to_batches()[0], columns, pandas.DataFrame(columns)):
        assert triage_batch(other, program=program) == found
    renamed = table.rename_columns(["name", "bytes"])
    assert triage_batch(renamed, key="name", content="bytes", program=program) == found
    lists = triage_lists(table["path"], table["content"], program=program)
    assert len(lists) == len(some)
    assert [row for of_one in lists for row in of_one] == expected


def test_without_contents_the_names_are_paths(
    program: str, folder: Path, some: list[Sample]
) -> None:
    paths = [str(folder / sample.name) for sample in some[:20]]
    found = triage_batch({"path": [*paths, None]}, content=None, program=program).to_pylist()
    assert found[:-1] == list(rows(paths, program=program))
    assert (found[-1]["key"], found[-1]["error"]) == ("", "not-found")


def test_null_is_no_byte_and_text_is_utf_8(program: str) -> None:
    text = "[    1.000000] Linux version 6.8.0 Grüße\n"
    table = pyarrow.table({"path": ["a", None, "c"], "content": [None, "", text]})
    found = triage_batch(table, program=program).to_pylist()
    assert [(row["key"], row["status"]) for row in found] == [
        ("a", "empty"),
        ("", "empty"),
        ("c", "whole"),
    ]
    assert found[2]["bytes"] == len(text.encode())
    assert triage_batch(table.to_pandas(), program=program).to_pylist() == found
    assert triage_batch(table.slice(0, 0), program=program).num_rows == 0


def test_a_column_that_is_missing_is_named(program: str) -> None:
    table = pyarrow.table({"path": ["a"], "content": [b""]})
    for one in (table, table.to_batches()[0], table.to_pandas()):
        with pytest.raises(KeyError, match="absent"):
            triage_batch(one, content="absent", program=program)


def test_a_batch_has_so_many_logs_and_bytes() -> None:
    small, large = Log("a", b"x"), Log("b", bytes(BATCH_BYTES))
    unread = Log("c", None, "c")
    assert [len(batch) for batch in batches([small] * 1001)] == [500, 500, 1]
    assert [len(batch) for batch in batches([small, large, small, unread])] == [1, 1, 2]
    half = Log("d", bytes(BATCH_BYTES // 2))
    assert [len(batch) for batch in batches([half] * 5)] == [2, 2, 1]
    assert list(batches([])) == []


def test_a_column_of_something_else_is_an_error(program: str) -> None:
    table = pyarrow.table({"path": [1], "content": [2]})
    with pytest.raises(TypeError, match="not int"):
        triage_batch(table, program=program)
