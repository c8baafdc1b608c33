"""What is to be read: paths and bytes become logs, and logs become batches."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

BATCH_BYTES = 16 * 1024 * 1024
"""So many bytes one process gets at most, unless a single log is longer."""
BATCH_LOGS = 500
"""So many logs one process gets at most."""

Content = Union[bytes, bytearray, memoryview]
PathLike = Union[str, "os.PathLike[str]"]
Item = Union[PathLike, tuple[str, Content]]
Inputs = Union[PathLike, Iterable[Item], Mapping[str, Content]]
"""Paths of logs, pairs of a key and the bytes of a log, a mapping of these, or a single path."""


@dataclass(frozen=True)
class Log:
    """Something to read, with what is known of it before."""

    key: str
    """Its name in the rows."""
    content: Content | None = None
    """Its bytes; ``None`` where the program itself opens ``path``."""
    path: str | None = None
    """Where it is; ``None`` for bytes of the caller's, and for a path that no file can have."""

    @property
    def size(self) -> int:
        """How many bytes of it a batch holds."""
        return 0 if self.content is None else memoryview(self.content).nbytes

    def entries(self) -> list[Path]:
        """List what is in a directory, by name, without links: these may lead back."""
        try:
            found = sorted(Path(self.path or "").iterdir()) if self.path else []
        except OSError:
            return []
        return [entry for entry in found if not entry.is_symlink()]


def logs(inputs: Inputs) -> Iterator[Log]:
    """Make logs of inputs, one at a time, in their order.

    Raises:
        TypeError: An input is neither a path nor a pair of a key and bytes.

    """
    items: Iterable[Any]
    if isinstance(inputs, (str, os.PathLike)):
        items = [inputs]
    elif isinstance(inputs, Mapping):
        items = inputs.items()
    else:
        items = inputs
    return map(_log, items)


def _log(item: Any) -> Log:
    if isinstance(item, (str, os.PathLike)):
        return _of_path(os.fspath(item))
    if isinstance(item, tuple) and len(item) == 2:
        key, content = item
        if isinstance(key, str) and isinstance(content, (bytes, bytearray, memoryview)):
            return Log(_text(key), content)
    raise TypeError(f"expected a path or a pair (key, bytes), not {type(item).__name__}")


def _of_path(path: str) -> Log:
    key = os.fsencode(path).decode("utf-8", "replace")
    if not path:
        return Log(key)
    try:
        return Log(key, _small_file(path), path)
    except ValueError:
        return Log(key)
    except OSError as error:
        # The program says best what is wrong with a path, but cannot be given any length of it.
        return Log(key) if error.errno == errno.ENAMETOOLONG else Log(key, None, path)


def _small_file(path: str) -> bytes | None:
    """Read a file that fits into a batch; ``None`` for all that the program should open itself."""
    found = os.stat(path)  # noqa: PTH116, a path is kept as it was given
    # Files that the kernel makes have no size, and some take what they give away from others.
    if not stat.S_ISREG(found.st_mode) or not 0 < found.st_size <= BATCH_BYTES:
        return None
    with open(path, "rb") as file:  # noqa: PTH123
        content = file.read(BATCH_BYTES + 1)
    # It may have grown.
    return content if len(content) <= BATCH_BYTES else None


def _text(key: str) -> str:
    """Return a key as UTF-8 can have it: half a surrogate pair is replaced, as the program does."""
    return key.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def batches(found: Iterable[Log]) -> Iterator[list[Log]]:
    """Put logs together for one process each, in their order."""
    batch: list[Log] = []
    size = 0
    for log in found:
        if batch and (size + log.size > BATCH_BYTES or len(batch) == BATCH_LOGS):
            yield batch
            batch, size = [], 0
        batch.append(log)
        size += log.size
    if batch:
        yield batch
