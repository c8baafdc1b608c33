"""Rows for Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ._program import ProgramPath
from ._rows import rows
from .batches import pairs, record_batches
from .schema import spark_schema

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame


def triage(
    df: DataFrame,
    *,
    key: str = "path",
    content: str = "content",
    program: ProgramPath | None = None,
    timeout: float | None = 600.0,
) -> DataFrame:
    """Return the rows of the logs in a DataFrame, such as one that the binaryFile format reads.

    ::

        logs = spark.read.format("binaryFile").load("s3a://logs/2026/")
        triage(logs).where("row = 'incident'").groupBy("fingerprint").count()

    Each task starts a process for every 16 MiB or 500 logs. This package and the program have to be
    installed on the executors. Of many small files Spark makes many tasks with a few dozen files
    each; ``logs.coalesce(n)`` with the number of cores is faster then. Spark passes 10,000 logs at
    once to Python by default; with logs of more than 100 kB on average set
    ``spark.sql.execution.arrow.maxRecordsPerBatch`` to 500, so that they fit into memory. Files of
    no bytes have no row, and files of 2 GiB end the query: Spark's binaryFile passes over the ones,
    and refuses the others.

    Args:
        df: The logs, a row each.
        key: The column with the names of the logs.
        content: The column with their bytes, or their text. Null is a log of no bytes.
        program: The path of the program on the executors; see :func:`amdtriage.find_program`.
        timeout: How many seconds one process may take; see :func:`amdtriage.rows`.

    Returns:
        A DataFrame with :func:`amdtriage.schema.spark_schema`. Nothing is read before Spark asks
        for it. A task fails if the program is missing or works with no log at all, but never
        because of one log.

    """

    def of_partition(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        logs = (pair for batch in batches for pair in pairs(batch.column(0), batch.column(1)))
        return record_batches(rows(logs, program=program, timeout=timeout))

    return df.select(key, content).mapInArrow(of_partition, spark_schema())
