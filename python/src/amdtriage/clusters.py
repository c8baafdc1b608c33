"""Which failures are the same, and on how many hosts."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from ._tables import dictionaries

COLUMNS = (
    "row",
    "host",
    "machine_id",
    "kernel",
    "pci_id",
    "gfx_target",
    "device_name",
    "firmware",
    "diagnosis",
    "title",
    "fingerprint",
    "time_utc",
    "patterns",
)
"""The columns that are looked at."""


@dataclass(frozen=True)
class Cluster:
    """Incidents with the same fingerprint. Names are sorted; what no row tells is left out."""

    fingerprint: str
    diagnosis: str | None
    """The signature of what broke first."""
    title: str | None
    """What it is called."""
    count: int
    """How many incidents there are."""
    hosts: tuple[str, ...]
    """The hosts, by name, or by machine id where a log has only that."""
    kernels: tuple[str, ...]
    """The releases of their kernels."""
    firmware: tuple[str, ...]
    """The firmware of their GPUs, one text for each combination, as in the rows."""
    devices: tuple[str, ...]
    """Their GPUs: the product, or else the instruction set, or else the PCI id."""
    first: str | None
    """When the first of them began, in UTC; ``None`` where no log tells it."""
    last: str | None
    """When the last of them began."""


def clusters(rows: Any) -> list[Cluster]:
    """Put incidents with the same fingerprint together.

    Args:
        rows: Rows as dictionaries, a DataFrame of pandas or polars, or a table of pyarrow. Rows of
            logs, and incidents without a fingerprint, do not count.

    Returns:
        The clusters, those with the most hosts first, then those with the most incidents, then by
        fingerprint. The order of the rows does not matter.

    Warns:
        UserWarning: The rows were made with different patterns. The same failure may have another
            diagnosis in them.

    """
    found: dict[str, _Gathered] = defaultdict(_Gathered)
    patterns = set()
    for row in map(_texts, dictionaries(rows, COLUMNS)):
        fingerprint = row["fingerprint"]
        if row["row"] == "incident" and fingerprint is not None:
            found[fingerprint].add(row)
            patterns.add(row["patterns"])
    if len(patterns) > 1:
        message = f"rows of {len(patterns)} different patterns are counted together"
        warnings.warn(message, stacklevel=2)
    made = [gathered.cluster(fingerprint) for fingerprint, gathered in found.items()]
    return sorted(made, key=lambda it: (-len(it.hosts), -it.count, it.fingerprint))


Texts = Mapping[str, Optional[str]]


@dataclass
class _Gathered:
    """What the rows of a cluster have told so far."""

    count: int = 0
    kinds: Counter[tuple[str | None, str | None]] = field(default_factory=Counter)
    seen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    first: str | None = None
    last: str | None = None

    def add(self, row: Texts) -> None:
        self.count += 1
        self.kinds[row["diagnosis"], row["title"]] += 1
        for name, value in (
            ("host", row["host"] or row["machine_id"]),
            ("kernel", row["kernel"]),
            ("firmware", row["firmware"]),
            ("device", row["device_name"] or row["gfx_target"] or row["pci_id"]),
        ):
            if value is not None:
                self.seen[name].add(value)
        time = row["time_utc"]
        if time is not None:
            self.first = min(self.first or time, time, key=_moment)
            self.last = max(self.last or time, time, key=_moment)

    def cluster(self, fingerprint: str) -> Cluster:
        def names(name: str) -> tuple[str, ...]:
            return tuple(sorted(self.seen[name]))

        # Rows of several patterns may differ here: the most frequent, and of these the first word.
        most = min(self.kinds, key=lambda kind: (-self.kinds[kind], kind[0] or "", kind[1] or ""))
        return Cluster(
            fingerprint,
            *most,
            count=self.count,
            hosts=names("host"),
            kernels=names("kernel"),
            firmware=names("firmware"),
            devices=names("device"),
            first=self.first,
            last=self.last,
        )


def _texts(row: Mapping[str, Any]) -> Texts:
    """Return the texts of a row. Null is a number in pandas, or an object of its own."""
    values = ((name, row[name]) for name in COLUMNS)
    return {name: value if isinstance(value, str) else None for name, value in values}


def _moment(time: str) -> str:
    # A whole second has no fraction, and its "Z" sorts behind the dot of one.
    return time.rstrip("Z")
