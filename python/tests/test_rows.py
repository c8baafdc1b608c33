"""Rows of many logs are those of each log alone."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from logs import Sample

from amdtriage import Row, rows
from amdtriage.schema import NAMES


def printed(program: str, *arguments: str) -> list[Row]:
    """Return what the program prints."""
    command = [program, "rows", "-q", "--no-types", *arguments]
    ran = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def texts(found: list[Row]) -> list[str]:
    return sorted(json.dumps(row) for row in found)


def pairs(some: list[Sample]) -> list[tuple[str, bytes]]:
    return [(sample.name, sample.content) for sample in some]


def test_the_rows_of_a_batch_are_those_of_each_log_alone(program: str, some: list[Sample]) -> None:
    together = list(rows(pairs(some), program=program))
    alone = [row for pair in pairs(some)[:150] for row in rows([pair], program=program)]
    assert together[: len(alone)] == alone
    assert all(tuple(row) == NAMES for row in together)


def test_paths_and_bytes_and_the_program_itself_agree(
    program: str, some: list[Sample], folder: Path
) -> None:
    paths = [folder / sample.name for sample in some]
    of_paths = list(rows(paths, program=program))
    assert of_paths == printed(program, *map(str, paths))
    assert of_paths == list(rows(map(str, paths), program=program))
    of_bytes = [(str(path), path.read_bytes()) for path in paths]
    assert list(rows(of_bytes, program=program)) == of_paths


def test_every_log_has_the_status_and_the_failure_that_it_was_made_with(
    program: str, some: list[Sample]
) -> None:
    found = list(rows(pairs(some), program=program))
    for sample in some:
        # Of an archive the first member is the log.
        own = [row for row in found if row["key"].partition(":")[0] == sample.name]
        assert (own[0]["row"], own[0]["status"]) == ("log", sample.status), sample.name
        assert own[0]["incidents"] in (None, sum(row["row"] == "incident" for row in own))
        diagnoses = [row["diagnosis"] for row in own if row["row"] == "incident"]
        assert diagnoses[:1] == ([sample.diagnosis] if sample.diagnosis else []), sample.name


def test_the_order_of_the_logs_changes_only_the_order_of_the_rows(
    program: str, some: list[Sample]
) -> None:
    shuffled = random.Random(3).sample(some, len(some))
    found = list(rows(pairs(shuffled), program=program))
    assert texts(found) == texts(list(rows(pairs(some), program=program)))
    keys = list(dict.fromkeys(row["key"].partition(":")[0] for row in found))
    assert keys == [sample.name for sample in shuffled]


@pytest.mark.parametrize(
    "key", ["", "a:b/c", "-", "0/x", "s3://logs/ä ö.gz", 'a\0b\n\t\\"', "😀", "k" * 70_000]
)
def test_a_key_may_be_any_text(program: str, some: list[Sample], key: str) -> None:
    content = next(sample.content for sample in some if sample.name.endswith(".log"))
    found = list(rows([(key, content), ("other", b""), (key, content)], program=program))
    assert found[0]["key"] == key
    half = len(found) // 2
    assert found[:half] == found[half + 1 :]


def test_half_a_surrogate_pair_is_replaced(program: str) -> None:
    found = rows([("a\ud800b", b""), "gone\udcff"], program=program)
    assert [row["key"] for row in found] == ["a\ufffdb", "gone\ufffd"]


def test_what_is_no_file_has_a_row_with_the_reason(program: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / "gone", tmp_path / "folder"]
    inputs: list[Path | str] = [*paths, "", "-", "a\0b", "x" * 200_000]
    found = list(rows(inputs, program=program))
    assert found[:2] == printed(program, *map(str, paths))
    assert [row["key"] for row in found] == [os.fspath(one) for one in inputs]
    told = [(row["row"], row["status"], row["error"]) for row in found]
    gone = ("log", "unreadable", "not-found")
    assert told[:1] + told[2:] == [gone] * 5
    assert len({row["patterns"] for row in found}) == 1


def test_a_directory_has_the_rows_of_its_logs(program: str, folder: Path) -> None:
    assert list(rows(folder, program=program)) == printed(program, str(folder))


def test_a_log_that_is_too_long_for_a_batch(program: str, tmp_path: Path) -> None:
    line = b"[%5d.000000] usb 1-3: USB disconnect, device number 7\n"
    lines = b"".join(line % at for at in range(330_000))
    long, short = tmp_path / "long.log", tmp_path / "short.log"
    long.write_bytes(lines)
    short.write_bytes(lines[:100])
    of_paths = list(rows([short, long, short], program=program))
    assert [row["lines"] for row in of_paths] == [2, 330_000, 2]
    of_bytes = [(str(path), path.read_bytes()) for path in (short, long, short)]
    assert list(rows(of_bytes, program=program)) == of_paths


def test_nothing_is_read_before_rows_are_taken(program: str) -> None:
    taken = []

    def endless() -> object:
        while True:
            taken.append(1)
            yield "log", b""

    found = rows(endless(), program=program)  # type: ignore[arg-type]
    assert not taken
    assert next(found)["status"] == "empty"
    assert len(taken) <= 501


def test_mappings_and_single_paths(program: str, folder: Path, some: list[Sample]) -> None:
    assert list(rows({}, program=program)) == list(rows([], program=program)) == []
    mapped = rows(dict(pairs(some[:5])), program=program)
    assert list(mapped) == list(rows(pairs(some[:5]), program=program))
    path = folder / some[0].name
    assert list(rows(str(path), program=program)) == list(rows([path], program=program))
    array = list(rows([("a", bytearray(some[0].content))], program=program))
    assert list(rows([("a", memoryview(some[0].content))], program=program)) == array


@pytest.mark.parametrize("wrong", [b"bytes", 7, ("key", "text"), (b"key", b""), ("a", b"", "c")])
def test_anything_else_is_an_error(program: str, wrong: object) -> None:
    with pytest.raises(TypeError, match="expected a path"):
        list(rows([wrong], program=program))  # type: ignore[list-item]
