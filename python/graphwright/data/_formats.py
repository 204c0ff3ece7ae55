"""Files in the formats of Apache Arrow: their schemas, and batches of their rows, read by `pyarrow`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ..errors import DataLossError


@functools.cache
def library() -> SimpleNamespace:
    """The modules of `pyarrow`; `ImportError` with what to install if it is not there."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        message = "Parquet and Arrow files are read by pyarrow: python -m pip install 'graphwright[arrow]'"
        raise ImportError(message, name="pyarrow") from error
    return SimpleNamespace(
        arrow=pyarrow, compute=pyarrow.compute, ipc=pyarrow.ipc, parquet=pyarrow.parquet, types=pyarrow.types
    )


@dataclass(frozen=True)
class Format:
    """A format of files: its name, the schema of a file, and what it holds.

    `batches(filename, names, size, first)` gives batches of at least so many rows, and in place of rows
    before `first` that need not be read how many these are.
    """

    name: str
    schema: Callable[[str], Any]
    batches: Callable[[str, list[str], int, int], Iterator[Any]]


def rows(
    form: Format, filenames: list[str], names: list[str], size: int, first: int
) -> Iterator[tuple[str, Any]]:
    """Batches of the rows of files, one after the other, from a row on, each with the name of its file."""
    for filename in filenames:
        schema = schema_of(form, filename)
        for name in names:
            place_of(schema, filename, name)
        with _Reading(form, filename):
            for batch in form.batches(filename, names, size, first):
                count = batch if isinstance(batch, int) else len(batch)
                skipped = min(first, count)
                first -= skipped
                if skipped < count:
                    yield filename, batch.slice(skipped)


def schema_of(form: Format, filename: str) -> Any:
    """The names and types of the columns of a file."""
    # Python finds paths that are no file at all, and says so in its own words.
    with open(filename, "rb"):
        pass
    with _Reading(form, filename):
        return form.schema(filename)


def place_of(schema: Any, filename: str, name: str) -> int:
    """Which column of a file has a name; `ValueError` if none, or several."""
    at: int = schema.get_field_index(name)
    if at < 0:
        found = "there more than once" if name in schema.names else f"not there, but {schema.names}"
        raise ValueError(f"{filename}: the column {name!r} is {found}")
    return at


class _Reading:
    """Within, what a damaged file raises is a `DataLossError`; what the system raises stays as it is."""

    def __init__(self, form: Format, filename: str) -> None:
        self._form, self._filename = form, filename

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Exception) and _is_damage(error):
            reason = " ".join(str(error).split())
            message = f"{self._filename} is no {self._form.name} file, or is damaged: {reason}"
            raise DataLossError(message) from None


def _is_damage(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno is None and not isinstance(error, DataLossError)
    return isinstance(error, library().arrow.ArrowException) and not isinstance(error, MemoryError)


def _parquet_schema(filename: str) -> Any:
    with library().parquet.ParquetFile(filename) as file:
        return file.schema_arrow


def _parquet_batches(filename: str, names: list[str], size: int, first: int) -> Iterator[Any]:
    with library().parquet.ParquetFile(filename, page_checksum_verification=True) as file:
        groups = list(range(file.num_row_groups))
        while groups and (count := file.metadata.row_group(groups[0]).num_rows) <= first:
            first -= count
            del groups[0]
            yield count
        size = max(size, min(_MOST_ROWS, _MOST_BYTES // _bytes_of_row(file.metadata)))
        yield from file.iter_batches(size, row_groups=groups, columns=names, use_threads=False)


#: To read few rows takes about as long as to read some more: so many, if they are not more bytes.
_MOST_ROWS, _MOST_BYTES = 1 << 14, 1 << 21


def _bytes_of_row(metadata: Any) -> int:
    """About how many bytes a row has, with all its columns."""
    sizes = (metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return max(1, int(sum(sizes)) // max(1, int(metadata.num_rows)))


@contextlib.contextmanager
def _arrow_reader(filename: str, names: list[str] | None) -> Iterator[Any]:
    """A reader of a file or a stream; not of mapped memory, which ends the process if the file is cut off."""
    arrow, ipc = library().arrow, library().ipc
    with arrow.OSFile(filename) as file:
        opened = ipc.open_file if file.read(6) == b"ARROW1" else ipc.open_stream
        file.seek(0)
        options = ipc.IpcReadOptions(use_threads=False)
        if names is not None:
            schema = opened(file).schema
            file.seek(0)
            options.included_fields = [place_of(schema, filename, name) for name in names]
        with opened(file, options=options) as reader:
            yield reader


def _arrow_schema(filename: str) -> Any:
    with _arrow_reader(filename, None) as reader:
        return reader.schema


def _arrow_batches(filename: str, names: list[str], size: int, first: int) -> Iterator[Any]:
    with _arrow_reader(filename, names) as reader:
        if hasattr(reader, "get_batch"):
            batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            batches = iter(reader)
        for batch in batches:
            # Lengths and offsets in the file may point anywhere.
            batch.validate(full=True)
            yield batch


#: Parquet files.
PARQUET = Format("Parquet", _parquet_schema, _parquet_batches)
#: Arrow files (Feather version 2) and streams.
ARROW = Format("Arrow", _arrow_schema, _arrow_batches)
