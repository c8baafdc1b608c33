"""What happened to the AMD GPU, as rows, for many Linux kernel logs.

The program ``amdtriage`` does the work, in processes of its own: a log that ends a process costs
one row and not the job that it is part of. This package starts it, gives it logs, and reads rows.

- :func:`rows`: the rows of logs, from paths or bytes.
- :func:`amdtriage.spark.triage`: the same for a Spark DataFrame.
- :mod:`amdtriage.batches`: the same for Ray Data, Daft, and everything else with Arrow tables.
- :func:`amdtriage.clusters.clusters`: which failures are the same, and on how many hosts.
- :mod:`amdtriage.schema`: the columns of a row.
"""

from ._inputs import Inputs
from ._program import ProgramError, find_program
from ._rows import rows
from .schema import Row

__all__ = ["Inputs", "ProgramError", "Row", "find_program", "rows"]
__version__ = "0.2.0"
