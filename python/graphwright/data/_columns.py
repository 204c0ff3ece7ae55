"""Columns of tables as tensors: which types there are, and how batches of rows become blocks of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native
from .._native import DType, TensorSpec
from ._formats import Format, library, place_of, rows, schema_of


@dataclass(frozen=True)
class Column:
    """Elements of a column: in each row a tensor of `shape`, whose first length is `None` if rows differ.

    A column of structures is a dict of these. `default` stands for what has no value; `None` if nothing does.
    """

    dtype: DType
    shape: tuple[int | None, ...]
    default: Any
    #: True if numbers of another type are turned into these.
    is_cast: bool = False

    @property
    def is_ragged(self) -> bool:
        """True if the rows have several lengths."""
        return bool(self.shape) and self.shape[0] is None


def found(form: Format, filename: str, names: list[str] | None, defaults: dict[str, Any]) -> Any:
    """The columns of a file by name; all of them, or those that are named."""
    schema = schema_of(form, filename)
    columns = {}
    for name in schema.names if names is None else names:
        field = schema.field(place_of(schema, filename, name))
        columns[name] = _column(_where(filename, name), field.type, defaults.get(name))
    return columns


def declared(specs: dict[str, Any], defaults: dict[str, Any]) -> Any:
    """The columns that specs or dtypes by name say."""
    return {name: _declared(name, spec, defaults.get(name)) for name, spec in specs.items()}


def batches(form: Format, filenames: list[str], columns: Any, size: int, partial: bool, first: int) -> Any:
    """So many rows at a time, from the first on, of files one after the other, as structures of tensors.

    The last ones may be fewer, if `partial` says so.
    """
    for parts in _parts(form, filenames, columns, size, first):
        count = sum(len(part) for part in parts)
        if count == size or partial:
            yield _block(columns, parts, count)


def blocks(form: Format, filenames: list[str], columns: Any, size: int, first: int) -> Any:
    """The number of rows in a block, and the rows, with anything behind them up to the size.

    A column whose rows have several lengths is a tuple: its values, where each row begins, and where it ends.
    """
    for parts in _parts(form, filenames, columns, size, first):
        yield np.int64(sum(len(part) for part in parts)), _block(columns, parts, size)


@dataclass(frozen=True)
class _Rows:
    """Some rows of the columns of a file, each column as `_Values` or a dict of them."""

    columns: dict[str, Any]
    first: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.first


@dataclass(frozen=True)
class _Values:
    """Values of rows, one behind the other: strings as Arrow has them, else of NumPy.

    Each row has `width` of them, or as many times that as lie between its place and the next of `places`.
    """

    flat: Any
    width: int
    places: Any

    @property
    def is_plain(self) -> bool:
        """True if they are numbers, of which each row has as many."""
        return self.places is None and isinstance(self.flat, np.ndarray)

    def of(self, first: int, stop: int) -> Any:
        """The values of some rows."""
        if self.places is not None:
            first, stop = int(self.places[first]), int(self.places[stop])
        return self.flat[first * self.width : stop * self.width]


def _parts(form: Format, filenames: list[str], columns: Any, size: int, first: int) -> Iterator[list[_Rows]]:
    """So many rows at a time, in one or several parts; the last ones may be fewer."""
    waiting: list[_Rows] = []
    missing = size
    for filename, batch in rows(form, filenames, list(columns), size, first):
        for found in _read(columns, filename, batch, size):
            place = 0
            while place < len(found):
                stop = min(place + missing, len(found))
                waiting.append(_Rows(found.columns, place, stop))
                missing -= stop - place
                place = stop
                if missing == 0:
                    yield waiting
                    waiting, missing = [], size
    if waiting:
        yield waiting


def _read(columns: Any, filename: str, batch: Any, size: int) -> Iterator[_Rows]:
    """A batch of rows, converted at once; if that fails, so many at a time, up to what fails."""
    try:
        yield _converted_rows(columns, filename, batch)
        return
    except ValueError:
        if len(batch) <= size:
            raise
    for place in range(0, len(batch), size):
        yield _converted_rows(columns, filename, batch.slice(place, size))


def _converted_rows(columns: Any, filename: str, batch: Any) -> _Rows:
    values = {
        name: _converted(_where(filename, name), column, batch.column(name))
        for name, column in columns.items()
    }
    return _Rows(values, 0, len(batch))


def _where(filename: str, name: str) -> str:
    return f"{filename}: the column {name!r}"


def _column(where: str, kind: Any, default: Any) -> Any:
    """Elements of a column of a type."""
    types = library().types
    if types.is_struct(kind):
        parts = [kind.field(at) for at in range(kind.num_fields)]
        inner = default or {}
        return {
            part.name: _column(f"{where}[{part.name!r}]", part.type, inner.get(part.name)) for part in parts
        }
    shape, leaf = _shape(kind)
    dtype = _dtype(leaf.value_type if types.is_dictionary(leaf) else leaf)
    if dtype is None or None in shape[1:]:
        raise ValueError(f"{where} has the type {kind}, which no tensor holds; name the others in `columns`")
    return Column(dtype, shape, _default(where, dtype, default))


def _declared(name: str, spec: Any, default: Any) -> Any:
    """Elements of a column of a spec or dtype."""
    if isinstance(spec, dict):
        inner = default or {}
        return {key: _declared(f"{name}.{key}", part, inner.get(key)) for key, part in spec.items()}
    if not isinstance(spec, TensorSpec):
        spec = TensorSpec([], _native.as_dtype(spec))
    shape = tuple(spec.shape)
    if None in shape[1:]:
        raise ValueError(f"columns: of the lengths of {name!r} only the first may differ: {list(shape)}")
    return Column(spec.dtype, shape, _default(f"columns: {name!r}", spec.dtype, default), is_cast=True)


def _shape(kind: Any) -> tuple[tuple[int | None, ...], Any]:
    """The lengths of lists in lists, and the type of what they hold."""
    types, shape = library().types, []
    if isinstance(kind, library().arrow.FixedShapeTensorType):
        permutation = kind.permutation
        in_order = permutation is None or list(permutation) == sorted(permutation)
        return (tuple(kind.shape), kind.value_type) if in_order else ((None, None), kind)
    while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        shape.append(kind.list_size if types.is_fixed_size_list(kind) else None)
        kind = kind.value_type
    return tuple(shape), kind


def _dtype(kind: Any) -> DType | None:
    """The dtype of values of a type; of times the numbers that the file has. `None` if there is none."""
    types = library().types
    texts = (types.is_string, types.is_large_string, types.is_string_view, types.is_fixed_size_binary)
    if any(
        is_text(kind) for is_text in (*texts, types.is_binary, types.is_large_binary, types.is_binary_view)
    ):
        return _native.string
    if types.is_boolean(kind):
        return _native.bool
    if types.is_floating(kind):
        return _native.float64 if types.is_float64(kind) else _native.float32
    if types.is_integer(kind) or (types.is_temporal(kind) and not types.is_interval(kind)):
        small = kind.bit_width < 32 or types.is_int32(kind) or types.is_date32(kind) or types.is_time32(kind)
        return _native.int32 if small else _native.int64
    return None


def _arrow_type(dtype: DType) -> Any:
    arrow = library().arrow
    return arrow.large_binary() if dtype == _native.string else arrow.from_numpy_dtype(dtype.as_numpy_dtype)


def _default(where: str, dtype: DType, value: Any) -> Any:
    """The value in place of a missing one, as Arrow's scalar."""
    if value is None:
        return None
    try:
        plain = value.encode() if isinstance(value, str) else np.asarray(value).item()
        scalar = library().arrow.scalar(plain, _arrow_type(dtype))
        if dtype.is_floating or scalar.as_py() == plain:
            return scalar
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{where} is {dtype.name}, and its default value {value!r} is not")


def _block(columns: Any, parts: list[_Rows], size: int) -> Any:
    """Rows of several parts as a structure of tensors, with anything behind them up to a size."""
    block = {}
    for name, column in columns.items():
        values = [(part.columns[name], part.first, part.stop) for part in parts]
        block[name] = _together(column, values, size)
    return block


def _converted(where: str, column: Any, array: Any) -> Any:
    """An array as its values, one behind the other."""
    if isinstance(column, dict):
        return _taken_apart(where, column, array)
    width = math.prod(column.shape[1:] if column.is_ragged else column.shape)
    if isinstance(array, library().arrow.ExtensionArray):
        shape, _ = _shape(array.type)
        array = array.storage
        if shape and shape == column.shape:
            return _Values(_leaves(where, column, _opened(where, column, array)[1]), width, None)
    places = None
    for axis, wanted in enumerate(column.shape):
        own, array = _opened(where, column, array)
        if axis == 0 and column.is_ragged:
            places = np.concatenate([[0], np.cumsum(own)])
        if wanted is not None and (own != wanted).any():
            length = own[own != wanted][0]
            raise ValueError(
                f"{where} has a list of {length}, where the shape {list(column.shape)} is wanted"
            )
    return _Values(_leaves(where, column, array), width, places)


def _taken_apart(where: str, columns: Any, array: Any) -> Any:
    """The parts of structures, each converted."""
    fields = []
    if library().types.is_struct(array.type):
        fields = [array.type.field(at).name for at in range(array.type.num_fields)]
    if set(fields) != set(columns):
        raise ValueError(
            f"{where} has the type {array.type}, where a structure of {sorted(columns)} is wanted"
        )
    _judge_gaps(where, array)
    return {
        key: _converted(f"{where}[{key!r}]", column, array.field(fields.index(key)))
        for key, column in columns.items()
    }


def _opened(where: str, column: Column, array: Any) -> tuple[Any, Any]:
    """The number of values of each list of an array, and the values."""
    arrow = library().arrow
    if not isinstance(array, (arrow.ListArray, arrow.LargeListArray, arrow.FixedSizeListArray)):
        shape = list(column.shape)
        raise ValueError(f"{where} has values of the type {array.type}, where the shape {shape} is wanted")
    _judge_gaps(where, array)
    lengths = library().compute.list_value_length(array).to_numpy(zero_copy_only=False)
    return lengths.astype(np.int64), array.flatten()


def _leaves(where: str, column: Column, array: Any) -> Any:
    """Values as those of a dtype, without gaps; numbers as NumPy has them."""
    array = array.dictionary_decode() if library().types.is_dictionary(array.type) else array
    dtype = _dtype(array.type)
    if dtype != column.dtype:
        is_text = [each == _native.string for each in (dtype, column.dtype)]
        if not column.is_cast or is_text[0] != is_text[1] or library().types.is_nested(array.type):
            wanted = column.dtype.name
            help = (
                ""
                if column.is_cast
                else f"; say the dtype of this column in `columns` to have {wanted} of both"
            )
            raise ValueError(f"{where} has the type {array.type}, where {wanted} is wanted{help}")
    try:
        array = array.cast(_arrow_type(column.dtype))
    except library().arrow.ArrowException as error:
        raise ValueError(f"{where}: {error}") from None
    if array.null_count and column.default is not None:
        array = array.fill_null(column.default)
    _judge_gaps(where, array)
    return array if column.dtype == _native.string else array.to_numpy(zero_copy_only=False)


def _judge_gaps(where: str, array: Any) -> None:
    if array.null_count:
        count = f"{array.null_count} of {len(array)}"
        help = "say in `default_values` what stands for them, if they are numbers or strings"
        raise ValueError(f"{where} has missing values, {count} in a block; {help}")


def _together(column: Any, parts: list[Any], size: int) -> Any:
    """Some rows of several `_Values`, as one tensor or structure, with anything behind them up to a size."""
    if isinstance(column, dict):
        return {
            key: _together(part, [(values[key], first, stop) for values, first, stop in parts], size)
            for key, part in column.items()
        }
    values, first, stop = parts[0]
    if stop - first == size and values.is_plain:
        return values.of(first, stop).reshape([size, *column.shape])
    flat = _joined(column.dtype, [values.of(first, stop) for values, first, stop in parts])
    count = sum(stop - first for _, first, stop in parts)
    if not column.is_ragged:
        return _tensor(column.dtype, flat, count, size, list(column.shape))
    lengths = np.concatenate([np.diff(values.places[first : stop + 1]) for values, first, stop in parts])
    stops = np.cumsum(lengths)
    count = int(lengths.sum())
    places = [_filled(each, size) for each in (stops - lengths, stops)]
    return _tensor(column.dtype, flat, count, count, list(column.shape[1:])), *places


def _joined(dtype: DType, parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    return library().arrow.concat_arrays(parts) if dtype == _native.string else np.concatenate(parts)


def _tensor(dtype: DType, values: Any, count: int, size: int, shape: list[Any]) -> Any:
    """Values, one behind the other, as so many rows of a shape, with anything behind them up to a size."""
    if dtype != _native.string:
        return _filled(values.reshape([count, *shape]), size)
    _, ends, content = values.buffers()
    ends = np.frombuffer(ends, np.int64)[values.offset : values.offset + len(values) + 1]
    content = np.frombuffer(content, np.uint8) if content and content.size else np.zeros(0, np.uint8)
    missing = (size - count) * math.prod(shape)
    return _native.reshape(_native.texts(np.pad(ends, (0, missing), "edge"), content), [size, *shape])


def _filled(rows: Any, size: int) -> Any:
    if len(rows) == size:
        return rows
    filled = np.zeros([size, *rows.shape[1:]], rows.dtype)
    filled[: len(rows)] = rows
    return filled
