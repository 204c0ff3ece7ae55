"""Elements stacked to rows, and rows taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor, TensorSpec
from ._machine import INFINITE, UNKNOWN, Derived, Indexed, Machine, add, empty_rows, pick, stacked


def _known(size: Any, drop_remainder: bool) -> int | None:
    """The number of rows of each batch, if that is known before the graph runs."""
    return size if drop_remainder and isinstance(size, int) else None


def batches(length: Any, size: Any, drop_remainder: bool) -> Any:
    if length is UNKNOWN or length is INFINITE:
        return length
    return length // size if drop_remainder else (length + size - 1) // size


@dataclass(frozen=True, eq=False)
class BatchAt(Indexed):
    """So many elements of what is indexed at a time."""

    source: Indexed
    size: Any
    drop_remainder: bool

    def spec(self) -> Any:
        return stacked(self.source.spec(), _known(self.size, self.drop_remainder))

    def length(self) -> Any:
        return batches(self.source.length(), self.size, self.drop_remainder)

    def at(self, index: Tensor) -> Any:
        first = index * self.size
        if self.drop_remainder and isinstance(self.size, int):
            return _of_length(self.source.rows(first, first + self.size), self.size)
        return self.source.rows(first, _native.minimum(first + self.size, self.source.length()))


@dataclass(frozen=True, eq=False)
class Batch(Derived):
    """So many elements at a time."""

    size: Any
    drop_remainder: bool

    def spec(self) -> Any:
        return stacked(self.source.spec(), _known(self.size, self.drop_remainder))

    def length(self) -> Any:
        return batches(self.source.length(), self.size, self.drop_remainder)

    def step(self, state: Any) -> Any:
        rows, count, more = (
            empty_rows(self.source.spec(), self.size),
            _native.constant(0, _native.int64),
            _native.constant(True),
        )
        while more and count < self.size:
            more, element, state = self.source.step(state)
            if more:
                rows = add(rows, count, element)
                count += 1
        if self.drop_remainder:
            return count == self.size, rows, state
        return count > 0, pick(rows, slice(None, count)), state


@dataclass(frozen=True, eq=False)
class Unbatch(Derived):
    """The rows of each element, one after the other."""

    def spec(self) -> Any:
        return nest.map_structure(lambda leaf: TensorSpec(leaf.shape[1:], leaf.dtype), self.source.spec())

    def start(self, epoch: Tensor) -> Any:
        rows = self.source.nothing()
        return _count(rows), rows, self.source.start(epoch)

    def step(self, state: Any) -> Any:
        place, rows, inner = state
        going = _native.constant(True)
        while going and place >= _count(rows):
            going, rows, inner = self.source.step(inner)
            # Placeholders of no rows may have some: whoever asks again behind the end gets none of them.
            place = _native.constant(0, _native.int64) if going else _count(rows)
        element = self.nothing()
        if going:
            element = pick(rows, place)
            place += 1
        return going, element, (place, rows, inner)


def _count(rows: Any) -> Tensor:
    return _native.cast(_native.shape(nest.flatten(rows)[0])[0], _native.int64)


def _of_length(rows: Any, count: int) -> Any:
    """Rows of which the graph is told how many they are."""
    return nest.map_structure(lambda row: _native.reshape(row, [count, *_native.shape(row)[1:]]), rows)


@dataclass(frozen=True, eq=False)
class Padded(Derived):
    """So many elements at a time, each filled up to the lengths asked for, or to those of the longest one.

    `shapes` and `values` have an item for each leaf of an element: its lengths, `None` for the longest, and
    what fills it.
    """

    size: Any
    shapes: Any
    values: Any
    drop_remainder: bool

    def spec(self) -> Any:
        count = _known(self.size, self.drop_remainder)
        leaves = nest.flatten(self.source.spec())
        specs = [
            TensorSpec([count, *shape], leaf.dtype) for leaf, shape in zip(leaves, self.shapes, strict=True)
        ]
        return nest.pack_sequence_as(self.source.spec(), specs)

    def length(self) -> Any:
        return batches(self.source.length(), self.size, self.drop_remainder)

    def step(self, state: Any) -> Any:
        rows = [_room(self.size, shape, value) for shape, value in zip(self.shapes, self.values, strict=True)]
        count, more = _native.constant(0, _native.int64), _native.constant(True)
        while more and count < self.size:
            more, element, state = self.source.step(state)
            if more:
                leaves = nest.flatten(element)
                parts = zip(rows, leaves, self.shapes, self.values, strict=True)
                rows = [_padded(row, count, leaf, shape, value) for row, leaf, shape, value in parts]
                count += 1
        batch = nest.pack_sequence_as(self.source.spec(), rows)
        if self.drop_remainder:
            return count == self.size, batch, state
        return count > 0, pick(batch, slice(None, count)), state


def _room(size: Any, shape: Any, value: Tensor) -> Tensor:
    return _native.fill([size, *[0 if length is None else length for length in shape]], value)


def _padded(rows: Tensor, place: Tensor, leaf: Tensor, shape: Any, value: Tensor) -> Tensor:
    """Rows with a leaf written into one of them, made longer if it does not fit."""
    have, needed = _native.shape(rows)[1:], _native.shape(leaf)
    for axis, length in enumerate(shape):
        if length is not None and needed[axis] > length:
            raise ValueError("padded_batch() got an element that is longer than what it is to be padded to")
    wanted = [
        _native.maximum(have[axis], needed[axis]) if length is None else length
        for axis, length in enumerate(shape)
    ]
    if None in shape:
        rows = _within(rows, [_native.shape(rows)[0], *wanted], value)
    row = _within(leaf, wanted, value)
    return _native.tensor_scatter_nd_update(rows, _native.reshape(place, [1, 1]), _native.expand_dims(row, 0))


def _within(tensor: Tensor, lengths: Any, value: Tensor) -> Tensor:
    """A tensor of these lengths that begins with another one and goes on with a value."""
    if not lengths:
        return tensor
    whole = _native.fill(lengths, value)
    own = _native.shape(tensor)
    whole[tuple([slice(None, own[axis]) for axis in range(len(lengths))])] = tensor
    return whole


def batched(source: Machine, size: Any, drop_remainder: bool) -> Machine:
    """So many elements at a time."""
    size = _size(size)
    if isinstance(source, Indexed):
        return BatchAt(source, size, drop_remainder)
    return Batch(source, size, drop_remainder)


def padded(
    source: Machine, size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: bool
) -> Machine:
    """So many elements at a time, filled up."""
    leaves = nest.flatten(source.spec())
    shapes = _flat_shapes(padded_shapes, leaves)
    values = _flat_values(padding_values, leaves)
    return Padded(source, _size(size), shapes, values, drop_remainder)


def _size(size: Any) -> Any:
    """The number of elements of a batch, a number of Python's or `int64`."""
    if size < 1:
        raise ValueError("a batch needs a batch_size of at least 1")
    return _native.cast(size, _native.int64) if isinstance(size, Tensor) else int(size)


def _flat_shapes(shapes: Any, leaves: list[TensorSpec]) -> tuple[Any, ...]:
    """The lengths that each leaf is filled up to; those of its own spec, where none are given."""
    if shapes is None:
        return tuple(tuple(leaf.shape) for leaf in leaves)
    found = _shapes_in(shapes)
    if len(found) != len(leaves):
        raise ValueError(f"padded_shapes has {len(found)} shapes, and an element {len(leaves)} tensors")
    for shape, leaf in zip(found, leaves, strict=True):
        if len(shape) != len(leaf.shape):
            raise ValueError(f"padded_shapes has {list(shape)} for a tensor of rank {len(leaf.shape)}")
    return tuple(tuple(None if length in (None, -1) else int(length) for length in shape) for shape in found)


def _shapes_in(shapes: Any) -> list[Any]:
    """The shapes in a structure of them; a list or tuple of lengths is one, as a `gw.TensorShape` is."""
    if isinstance(shapes, dict):
        return [shape for key in sorted(shapes) for shape in _shapes_in(shapes[key])]
    is_shape = not isinstance(shapes, (list, tuple)) or all(n is None or isinstance(n, int) for n in shapes)
    if is_shape and not (isinstance(shapes, tuple) and shapes == ()):
        return [list(shapes)]
    return [[]] if not shapes else [shape for part in shapes for shape in _shapes_in(part)]


def _flat_values(values: Any, leaves: list[TensorSpec]) -> tuple[Any, ...]:
    """The filling of each leaf, as a tensor of its dtype; zeros and empty strings, where nothing is given."""
    if values is None:
        return tuple(_native.zeros([], leaf.dtype) for leaf in leaves)
    found = nest.flatten(values)
    found = found * len(leaves) if len(found) == 1 else found
    if len(found) != len(leaves):
        raise ValueError(f"padding_values has {len(found)} values, and an element {len(leaves)} tensors")
    return tuple(_native.cast(value, leaf.dtype) for value, leaf in zip(found, leaves, strict=True))
