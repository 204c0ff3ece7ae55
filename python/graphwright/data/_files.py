"""Datasets of what files hold: lines of text, rows of tables, records."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal

import numpy as np

from .. import _native
from .._native import DType, Tensor, TensorSpec
from ..io import records
from ._batches import Unbatch
from ._dataset import Dataset
from ._hosted import Hosted, Runs

#: So many lines or rows are read at a time.
_BLOCK = 1024


class TextLineDataset(Dataset):
    r"""The lines of text files, without their ends, as strings.

    Args:
      filenames: a name, or several, of which one is read after the other.
      compression_type: `"GZIP"`, `"ZLIB"`, or nothing.
      buffer_size: accepted.
      num_parallel_reads: accepted; files are read one after the other.
      name: accepted.

    Example:
      >>> import pathlib, tempfile
      >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
      >>> _ = file.write_text("first\nsecond\n")
      >>> [line.item() for line in gw.data.TextLineDataset(str(file))]
      [b'first', b'second']
    """

    def __new__(  # type: ignore[misc]
        cls,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> Dataset:
        opened = _opener(compression_type)

        def blocks(names: Any) -> Iterator[Any]:
            for filename in texts_of(names):
                with opened(filename) as file:
                    while lines := list(itertools.islice(file, _BLOCK)):
                        yield _array([line.rstrip(b"\r\n") for line in lines], _native.string)

        return _made(Runs(blocks, TensorSpec([None], _native.string), reads=True, blocks=True), filenames)


class CsvDataset(Dataset):
    r"""The rows of tables in text files: a tuple with a number or string for each column.

    Args:
      filenames: a name, or several, of which one is read after the other.
      record_defaults: for each column its dtype, if a field has to be there, or the value for an empty one.
      compression_type: `"GZIP"`, `"ZLIB"`, or nothing.
      buffer_size: accepted.
      header: whether the first line of each file is left out.
      field_delim: text between the fields.
      use_quote_delim: whether fields may stand in double quotes.
      na_value: a text that counts as an empty field, too.
      select_cols: the numbers of the columns that are read, in rising order; all, if not given.
      exclude_cols: those that are not.

    Example:
      >>> import pathlib, tempfile
      >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
      >>> _ = file.write_text("1,2.5\n3,4.5\n")
      >>> [(x.item(), y.item()) for x, y in gw.data.CsvDataset(str(file), [gw.int32, gw.float32])]
      [(1, 2.5), (3, 4.5)]
    """

    def __new__(  # type: ignore[misc]
        cls,
        filenames: Any,
        record_defaults: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> Dataset:
        opened = _opener(compression_type)
        columns = [_column(default) for default in record_defaults]
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE

        def rows(names: Any) -> Iterator[list[Any]]:
            for filename in texts_of(names):
                with (
                    opened(filename) as file,
                    io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="") as text,
                ):
                    found = csv.reader(text, delimiter=field_delim, quoting=quoting, strict=True)
                    for number, (place, row) in enumerate(_placed(filename, found)):
                        if row and not (header and number == 0):
                            yield _values(place, row, columns, na_value, select_cols, exclude_cols)

        def blocks(names: Any) -> Iterator[Any]:
            for block in _in_blocks(rows(names)):
                yield tuple(
                    _array(column, dtype)
                    for column, (dtype, _) in zip(zip(*block, strict=True), columns, strict=True)
                )

        spec = tuple(TensorSpec([None], dtype) for dtype, _ in columns)
        return _made(Runs(blocks, spec, reads=True, blocks=True), filenames)


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as strings of bytes; `gw.errors.DataLossError` where one is damaged.

    Args:
      filenames: a name, or several, of which one is read after the other.
      compression_type: `"GZIP"`, `"ZLIB"`, or nothing.
      buffer_size: accepted.
      num_parallel_reads: accepted; files are read one after the other.
      name: accepted.

    Example:
      >>> import pathlib, tempfile
      >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "a.tfrecord")
      >>> with gw.io.TFRecordWriter(path) as writer:
      ...     writer.write(b"first")
      >>> [record.item() for record in gw.data.TFRecordDataset(path)]
      [b'first']
    """

    def __new__(  # type: ignore[misc]
        cls,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> Dataset:
        opened = _opener(compression_type)

        def blocks(names: Any) -> Iterator[Any]:
            found = itertools.chain.from_iterable(records(name, opened) for name in texts_of(names))
            for block in _in_blocks(found):
                yield _array(block, _native.string)

        return _made(Runs(blocks, TensorSpec([None], _native.string), reads=True, blocks=True), filenames)


def _in_blocks(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Items, some at a time; what is raised for one of them is raised behind those before it."""
    found, failure = iter(items), None
    while failure is None:
        block = []
        try:
            for item in itertools.islice(found, _BLOCK):
                block.append(item)
        except Exception as error:
            failure = error
        if block:
            yield block
        elif failure is None:
            return
    raise failure


def _made(runs: Runs, filenames: Any) -> Dataset:
    return Dataset(Unbatch(Hosted(runs, (names_of(filenames),))))


def names_of(filenames: Any) -> Tensor:
    """Names of files, or one, in a list, a dataset or a tensor, as a tensor."""
    if isinstance(filenames, Dataset):
        filenames = list(filenames.as_numpy_iterator())
    elif isinstance(filenames, os.PathLike):
        filenames = str(filenames)
    elif not isinstance(filenames, (Tensor, str, bytes)):
        filenames = [name if isinstance(name, bytes) else str(name) for name in filenames]
    if isinstance(filenames, list) and not filenames:
        return _native.zeros([0], _native.string)
    return _native.convert_to_tensor(filenames, _native.string)


def texts_of(names: Any) -> list[str]:
    """Names, which arrive as an array or a single text, as Python's."""
    return [name.decode() if isinstance(name, bytes) else str(name) for name in np.ravel(names).tolist()]


def _opener(compression_type: str | None) -> Any:
    kind = (compression_type or "").upper()
    if kind == "GZIP":
        return lambda name: gzip.open(name, "rb")
    if kind == "ZLIB":
        return _inflated
    if kind:
        raise ValueError(f'compression_type is "GZIP", "ZLIB" or nothing, not {compression_type!r}')
    return lambda name: open(name, "rb")


def _inflated(name: str) -> IO[bytes]:
    with open(name, "rb") as file:
        return io.BytesIO(zlib.decompress(file.read()))


def _column(default: Any) -> tuple[DType, Any]:
    """The dtype of a column, and what stands for an empty field; `None` if nothing does."""
    if isinstance(default, DType) or default in (int, float, str):
        return _native.as_dtype(default), None
    tensor = _native.convert_to_tensor(default)
    if tensor.shape and tensor.shape != (1,):
        raise ValueError(f"a default of a column is a dtype or one value, not {default!r}")
    return tensor.dtype, tensor.numpy().ravel()[0]


#: The message of the reader of tables for a field that is longer than it takes.
_TOO_LONG = "field larger than field limit"


def _placed(filename: str, found: Any) -> Iterator[tuple[str, list[str]]]:
    """The rows of a table with where they end; `ValueError` where one cannot be read."""
    while True:
        try:
            row = next(found, None)
        except csv.Error as error:
            hint = "; `csv.field_size_limit` says how long one may be" if _TOO_LONG in str(error) else ""
            raise ValueError(f"{filename}, line {found.line_num}: {error}{hint}") from None
        if row is None:
            return
        yield f"{filename}, line {found.line_num}", row


def _selected(place: str, row: list[str], select: Any, exclude: Any) -> list[str]:
    if select is not None:
        if max(select, default=0) >= len(row):
            raise ValueError(f"{place}: a row of {len(row)} fields has no field {max(select)}")
        return [row[at] for at in select]
    left_out = set(exclude or ())
    return [field for at, field in enumerate(row) if at not in left_out]


def _values(
    place: str, row: list[str], columns: list[tuple[DType, Any]], na_value: str, select: Any, exclude: Any
) -> list[Any]:
    """Values of the columns in a row."""
    fields = _selected(place, row, select, exclude)
    return [_value(place, fields, at, *column, na_value) for at, column in enumerate(columns)]


def _array(column: Any, dtype: DType) -> Any:
    if dtype == _native.string:
        return np.array([*column, None], dtype=object)[:-1]
    return np.array(column, dtype.as_numpy_dtype)


def _value(place: str, row: list[str], at: int, dtype: DType, default: Any, na_value: str) -> Any:
    if at >= len(row):
        raise ValueError(f"{place}: a row of {len(row)} fields has no field {at}")
    field = row[at]
    if field in ("", na_value):
        if default is None:
            raise ValueError(f"{place}: field {at} is empty, and has no default")
        return default
    if dtype == _native.string:
        return _encoded(place, at, field)
    number = _FLOAT if dtype.is_floating else _INTEGER
    if not number.fullmatch(field):
        raise ValueError(f"{place}: field {at} is {_shown(field)}, which is no {dtype.name}")
    value = float(field) if dtype.is_floating else int(field)
    most = 2 ** (8 * dtype.size - 1) - 1
    if dtype.is_integer and not -most - 1 <= value <= most:
        raise ValueError(f"{place}: field {at} is {_shown(field)}, which does not fit {dtype.name}")
    return value


#: Numbers as tables have them: Python's own in addition may have underscores, and digits of other scripts.
_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
_FLOAT = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)\s*", re.IGNORECASE
)


def _encoded(place: str, at: int, field: str) -> bytes:
    try:
        return field.encode()
    except UnicodeEncodeError:
        message = f"{place}: field {at} is {_shown(field)}, which holds bytes that are not UTF-8"
        raise ValueError(message) from None


def _shown(field: str) -> str:
    """A field as a message shows it, not longer than a line."""
    raw = field.encode(errors="surrogateescape")
    shown = repr(field) if field.isprintable() and raw.isascii() else repr(raw)[1:]
    return shown if len(shown) <= 60 else f"{shown[:50]}…"
