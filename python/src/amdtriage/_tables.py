"""The rows of tables, of whatever tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


def dictionaries(rows: Any, columns: Sequence[str]) -> Iterable[Mapping[str, Any]]:
    """Return rows as dictionaries, with some columns at least.

    Args:
        rows: Dictionaries, a DataFrame of polars or pandas, or a table of pyarrow. None of these
            libraries is loaded to find out.
        columns: The columns that are wanted.

    """
    names = list(columns)
    if hasattr(rows, "iter_rows"):  # polars
        found: Iterable[Mapping[str, Any]] = rows.select(names).iter_rows(named=True)
        return found
    if hasattr(rows, "to_batches"):  # pyarrow
        return _of_arrow(rows.select(names))
    if hasattr(rows, "itertuples"):  # pandas
        tuples = rows[names].itertuples(index=False, name=None)
        return (dict(zip(names, values)) for values in tuples)
    given: Iterable[Mapping[str, Any]] = rows
    return given


def _of_arrow(table: Any) -> Iterator[Mapping[str, Any]]:
    for batch in table.to_batches():
        yield from batch.to_pylist()
