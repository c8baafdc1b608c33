"""Rows for tools that hand over logs as batches of Arrow or pandas: Ray Data, Daft, and others.

Ray Data takes :func:`triage_batch` as it is. Here the workers open the files, because Ray's own
reader unpacks them by their names and ends the job at one that is cut::

    logs = ray.data.from_items([{"path": path} for path in paths])
    options = {"content": None}
    rows = logs.map_batches(triage_batch, batch_format="pyarrow", fn_kwargs=options)

A function of Daft returns as many values as it gets. :func:`triage_lists` returns a list of rows
for each log::

    kind = DataType.from_arrow_type(pyarrow.list_(pyarrow.struct(arrow_schema())))

    @daft.func.batch(return_dtype=kind)
    def triaged(keys: daft.Series, contents: daft.Series) -> list[list[Row]]:
        return triage_lists(keys.to_pylist(), contents.to_pylist())

    lists = df.select(triaged(col("path"), col("content")).alias("rows"))
    rows = lists.explode("rows").select(col("rows").unnest())

All functions start processes of the program, which must be installed on each worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ._inputs import Inputs
from ._program import ProgramPath
from ._rows import rows, rows_of_each
from .schema import Row, arrow_schema

if TYPE_CHECKING:
    import pyarrow

ROWS_AT_ONCE = 1000
"""So many rows make a record batch."""


def triage_batch(
    table: Any,
    *,
    key: str = "path",
    content: str | None = "content",
    program: ProgramPath | None = None,
    timeout: float | None = None,
) -> pyarrow.Table:
    """Return the rows of the logs in a table.

    Args:
        table: A table or record batch of pyarrow, a DataFrame of pandas, or a mapping of column
            names to arrays.
        key: The column with the names of the logs.
        content: The column with their bytes, or their text. Null is a log of no bytes. ``None``
            for no such column: the names are paths of files here.
        program: The program; see :func:`amdtriage.find_program`.
        timeout: How many seconds one process may take; see :func:`amdtriage.rows`.

    Returns:
        A table with :func:`amdtriage.schema.arrow_schema`.

    Raises:
        ProgramError: The program is missing, or works with no log at all.
        KeyError: The table has no such column.
        TypeError: The column of contents has neither bytes nor text.

    """
    import pyarrow

    keys = _values(table, key)
    logs: Inputs
    logs = pairs(keys, _values(table, content)) if content else map(_text, map(_python, keys))
    found = record_batches(rows(logs, program=program, timeout=timeout))
    return pyarrow.Table.from_batches(found, arrow_schema())


def triage_lists(
    keys: Iterable[Any],
    contents: Iterable[Any],
    *,
    program: ProgramPath | None = None,
    timeout: float | None = None,
) -> list[list[Row]]:
    """As :func:`triage_batch`, from two columns, and with a list of rows for each log."""
    found = rows_of_each(pairs(keys, contents), program=program, timeout=timeout)
    return [list(of_one) for of_one in found]


def pairs(keys: Iterable[Any], contents: Iterable[Any]) -> Iterator[tuple[str, bytes]]:
    """Yield keys with bytes, out of two columns of Python or Arrow values."""
    for key, content in zip(keys, contents):
        yield _text(_python(key)), _bytes(_python(content))


def record_batches(found: Iterable[Row]) -> Iterator[pyarrow.RecordBatch]:
    """Yield rows as record batches of pyarrow."""
    import pyarrow

    schema, left = arrow_schema(), iter(found)
    while taken := list(islice(left, ROWS_AT_ONCE)):
        yield pyarrow.RecordBatch.from_pylist(taken, schema=schema)


def _values(table: Any, name: str) -> Any:
    # A record batch says otherwise only that it expected exactly one such field.
    names = getattr(getattr(table, "schema", None), "names", None)
    if names is not None and name not in names:
        raise KeyError(name)
    return table[name]


def _python(value: Any) -> Any:
    """Return the Python value of one of Arrow's."""
    return value.as_py() if hasattr(value, "as_py") else value


def _is_null(value: Any) -> bool:
    # What pandas has for null is a number, or an object of its own.
    return type(value).__name__ == "NAType" or value is None or value != value


def _text(key: Any) -> str:
    return "" if not isinstance(key, str) and _is_null(key) else str(key)


def _bytes(content: Any) -> bytes:
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    if isinstance(content, str):
        return content.encode("utf-8", "replace")
    if _is_null(content):
        return b""
    raise TypeError(f"expected the bytes or the text of a log, not {type(content).__name__}")
