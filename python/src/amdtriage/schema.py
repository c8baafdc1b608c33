"""The columns of a row and their types. ``amdtriage schema rows`` says what each of them means."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional, TypedDict, Union, get_type_hints

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql.types import StructType


class Row(TypedDict):
    """A row: a log that was asked for (``row`` is ``log``), or a failure in it (``incident``).

    What does not apply to the kind of a row, and what a log does not tell, is ``None``. ``status``
    is a word of the program's, or ``failed``: the process that read the log ended badly, and
    ``error`` says how (``killed``, ``timeout``, ``crashed``).
    """

    row: str
    key: str
    # Rows of logs, with some that both kinds have.
    status: Optional[str]
    error: Optional[str]
    verdict: Optional[str]
    host: Optional[str]
    machine_id: Optional[str]
    boot_id: Optional[str]
    kernel: Optional[str]
    format: Optional[str]
    compression: Optional[str]
    bytes: Optional[int]
    lines: Optional[int]
    records: Optional[int]
    boots: Optional[int]
    incidents: Optional[int]
    # Rows of incidents.
    incident: Optional[int]
    severity: Optional[str]
    device: Optional[str]
    pci_id: Optional[str]
    gfx_target: Optional[str]
    device_name: Optional[str]
    firmware: Optional[str]
    diagnosis: Optional[str]
    title: Optional[str]
    role: Optional[str]
    certainty: Optional[str]
    cause: Optional[str]
    fallback: Optional[bool]
    outcome: Optional[str]
    fingerprint: Optional[str]
    process: Optional[str]
    pid: Optional[int]
    time_utc: Optional[str]
    monotonic_us: Optional[int]
    first_line: Optional[int]
    last_line: Optional[int]
    first_text: Optional[str]
    # All rows.
    version: str
    patterns: str


class Column(NamedTuple):
    """A column of a row."""

    name: str
    kind: Union[type[str], type[int], type[bool]]
    """``str``, ``int`` (64 bits, with a sign) or ``bool``."""
    nullable: bool
    """Whether it may be ``None``."""


def _columns() -> tuple[Column, ...]:
    kinds = {Optional[str]: str, Optional[int]: int, Optional[bool]: bool}
    hints = get_type_hints(Row).items()
    return tuple(Column(name, kinds.get(hint, hint), hint in kinds) for name, hint in hints)


COLUMNS: tuple[Column, ...] = _columns()
"""All columns, in the order in which the program writes them."""

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)
"""Their names."""


def arrow_schema() -> pyarrow.Schema:
    """Return the columns as a schema of pyarrow. Times are text, as in the rows."""
    import pyarrow

    kinds: dict[type, pyarrow.DataType] = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        bool: pyarrow.bool_(),
    }
    return pyarrow.schema(
        [pyarrow.field(name, kinds[kind], nullable=nullable) for name, kind, nullable in COLUMNS]
    )


def spark_schema() -> StructType:
    """Return the columns as a type of Spark. Times are text, as in the rows."""
    from pyspark.sql.types import BooleanType, LongType, StringType, StructField, StructType

    kinds = {str: StringType(), int: LongType(), bool: BooleanType()}
    return StructType(
        [StructField(name, kinds[kind], nullable) for name, kind, nullable in COLUMNS]
    )
