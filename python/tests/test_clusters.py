"""Failures that are the same are counted together."""

from __future__ import annotations

import random
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from logs import Sample

from amdtriage import Row, rows
from amdtriage.batches import record_batches
from amdtriage.clusters import COLUMNS, Cluster, clusters
from amdtriage.schema import NAMES, arrow_schema


def incident(fingerprint: str | None, **columns: Any) -> dict[str, Any]:
    known = {"row": "incident", "fingerprint": fingerprint, "diagnosis": "d", "title": "t"}
    return dict.fromkeys(NAMES) | {"patterns": "p"} | known | columns


def test_hosts_count_before_incidents() -> None:
    found = clusters(
        [
            incident("many", host="a"),
            incident("many", host="a"),
            incident("many", host="a"),
            incident("wide", host="a", kernel="6.8", firmware="smu=1", device_name="X"),
            incident("wide", host="b", kernel="6.8", firmware="smu=2", gfx_target="gfx1100"),
            incident("rare", host="c", pci_id="1002:744c"),
            incident("bare"),
            incident(None, host="d"),
            {**incident("wide", host="e"), "row": "log"},
        ]
    )
    assert [(it.fingerprint, it.count, it.hosts) for it in found] == [
        ("wide", 2, ("a", "b")),
        ("many", 3, ("a",)),
        ("rare", 1, ("c",)),
        ("bare", 1, ()),
    ]
    wide = Cluster(
        fingerprint="wide",
        diagnosis="d",
        title="t",
        count=2,
        hosts=("a", "b"),
        kernels=("6.8",),
        firmware=("smu=1", "smu=2"),
        devices=("X", "gfx1100"),
        first=None,
        last=None,
    )
    assert found[0] == wide
    assert found[2].devices == ("1002:744c",)
    assert clusters([]) == []


def test_a_host_without_a_name_has_an_id() -> None:
    named = incident("f", host="a", machine_id="1")
    (found,) = clusters([named, incident("f", machine_id="2"), incident("f", host="a")])
    assert found.hosts == ("2", "a")


def test_times_are_in_order_with_and_without_fractions() -> None:
    times = ["2026-03-04T10:00:00.5Z", "2026-03-04T10:00:00Z", None, "2026-03-04T09:59:59.900000Z"]
    (found,) = clusters([incident("f", time_utc=time) for time in times])
    assert (found.first, found.last) == (times[3], times[0])
    (found,) = clusters([incident("f", time_utc=time) for time in times[:2]])
    assert (found.first, found.last) == (times[1], times[0])


def test_rows_of_different_patterns_are_warned_of() -> None:
    several = [incident("f"), incident("f", patterns="q", diagnosis="e"), incident("f")]
    with pytest.warns(UserWarning, match="2 different patterns"):
        (found,) = clusters(several)
    assert (found.diagnosis, found.count) == ("d", 3)


def test_tables_of_all_kinds_and_any_order_give_the_same(program: str, some: list[Sample]) -> None:
    found: list[Row] = list(rows(((it.name, it.content) for it in some), program=program))
    expected = clusters(found)
    assert sum(cluster.count for cluster in expected) == sum(
        row["row"] == "incident" for row in found
    )
    assert {it.diagnosis for it in expected} == {it.diagnosis for it in some if it.diagnosis}
    shuffled = random.Random(5).sample(found, len(found))
    assert clusters(shuffled) == expected
    table = pyarrow.Table.from_batches(record_batches(found), arrow_schema())
    assert clusters(table) == expected
    assert clusters(table.to_pandas()) == expected
    assert clusters(pandas.DataFrame(found)) == expected
    assert clusters(polars.from_arrow(table)) == expected
    assert clusters(table.select(COLUMNS).to_reader().read_all()) == expected
