"""A process that ends badly costs the log that did it, and no other."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from logs import Sample

from amdtriage import ProgramError, Row, rows
from amdtriage.schema import NAMES

# Processes of the saboteur start a Python and a program each.
ENOUGH = 4.0


def others_and(some: list[Sample], *keys: str) -> list[tuple[str, bytes]]:
    pairs = [(sample.name, sample.content) for sample in some[:6]]
    return [*pairs[:3], *((key, b"[    1.0] a\n") for key in keys), *pairs[3:]]


def of_others(found: list[Row]) -> list[Row]:
    return [row for row in found if "!" not in row["key"]]


@pytest.mark.parametrize(
    ("key", "error"),
    [
        ("killed!", "killed"),
        ("faults!", "crashed"),
        ("status!", "crashed"),
        ("cut!", "crashed"),
        ("garbled!", "crashed"),
        ("hangs!", "timeout"),
    ],
)
def test_only_the_log_that_did_it_fails(
    saboteur: str, program: str, some: list[Sample], key: str, error: str
) -> None:
    inputs = others_and(some, key)
    found = list(rows(inputs, program=saboteur, timeout=ENOUGH))
    (failed,) = [row for row in found if row["key"] == key]
    known = dict.fromkeys(NAMES) | {"row": "log", "key": key, "status": "failed", "error": error}
    versions = {name: found[0][name] for name in ("version", "patterns")}
    assert failed == known | versions
    assert of_others(found) == of_others(list(rows(inputs, program=program)))
    order = list(dict.fromkeys(row["key"].partition(":")[0] for row in found))
    assert order == [name for name, _ in inputs]


def test_several_logs_fail_each_in_its_way(saboteur: str, some: list[Sample]) -> None:
    inputs = others_and(some, "killed!", "status!", "killed!")
    found = rows(inputs, program=saboteur, timeout=ENOUGH)
    assert [row["error"] for row in found if row["status"] == "failed"] == [
        "killed",
        "crashed",
        "killed",
    ]


def test_a_batch_without_trouble_takes_one_process(
    saboteur: str, some: list[Sample], tmp_path: Path
) -> None:
    content = next(sample.content for sample in some if sample.content)
    list(rows([(str(at), content) for at in range(501)], program=saboteur))
    assert (tmp_path / "calls").read_text() == "call\n" * 2


def test_a_file_that_the_program_opens_itself_fails_alone(
    saboteur: str, program: str, folder: Path, tmp_path: Path, some: list[Sample]
) -> None:
    empty = tmp_path / "killed!.log"
    empty.touch()
    found = list(rows([folder / some[0].name, empty], program=saboteur))
    assert found[:-1] == list(rows([folder / some[0].name], program=program))
    assert (found[-1]["key"], found[-1]["error"]) == (str(empty), "killed")


def test_of_a_directory_the_entries_are_tried(
    saboteur: str, program: str, tmp_path: Path, some: list[Sample]
) -> None:
    logs = tmp_path / "logs"
    (logs / "inner").mkdir(parents=True)
    for name in ("a.log", "inner/killed!.log", "inner/z.log"):
        (logs / name).write_bytes(some[0].content)
    # The first process gets no key that says so, but the name of a directory that does.
    bad = logs.rename(tmp_path / "status!")
    found = list(rows([bad], program=saboteur))
    assert {row["status"] for row in found if row["row"] == "log"} == {"failed"}
    good = bad.rename(tmp_path / "logs")
    (good / "inner").rename(good / "inner cut!")
    found = list(rows([good / "inner cut!", good / "a.log"], program=saboteur))
    assert [row["error"] for row in found if row["row"] == "log"] == ["killed", "crashed", None]


@pytest.mark.parametrize("key", ["strange!", "silent!"])
def test_rows_of_no_log_are_not_taken(saboteur: str, key: str) -> None:
    found = list(rows([(key, b"x\n"), ("other", b"x\n")], program=saboteur))
    assert [row["key"] for row in found] == [key, "other"]
    assert [row["status"] for row in found][1] == "no-kernel-log"


def test_an_archive_without_logs_has_a_row(program: str) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
    inputs = [("a.tar", packed.getvalue()), ("b", b"x\n"), ("a.tar", packed.getvalue())]
    found = list(rows(inputs, program=program))
    assert [(row["key"], row["status"], row["error"]) for row in found] == [
        ("a.tar", "empty", "no-logs"),
        ("b", "no-kernel-log", None),
        ("a.tar", "empty", "no-logs"),
    ]


def test_a_program_that_works_with_no_log_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'no such command' >&2\nexit 2\n")
    broken.chmod(0o755)
    for inputs in ([("a", b"x"), ("b", b"x")], [("a", b"x")]):
        with pytest.raises(ProgramError, match="no such command"):
            list(rows(inputs, program=broken))
    broken.write_text('#!/bin/sh\necho \'{"row":"log","key":"0/a"}\'\n')
    with pytest.raises(ProgramError, match="another version"):
        list(rows([("a", b"x")], program=broken))
