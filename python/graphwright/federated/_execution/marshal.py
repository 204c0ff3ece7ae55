"""Values to the arrays of their layout and back: one value, or those of many clients stacked.

Each function takes a layout and gives a function, which is made once per layout and kept: what is decided by
the type alone is decided there, and a call only moves values.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...data import Dataset
from . import datasets, tensors
from .containers import columns_of, items_of, maker
from .layout import STRING, Layout, SequenceLayout, StructLayout, TensorLayout, leaves

Arrays = list[Any]
Where = Callable[[int], str]


@functools.lru_cache(maxsize=4096)
def packer(layout: Layout) -> Callable[[Any, str, Arrays], None]:
    """Returns the function that puts the arrays of one value behind those of a list."""
    if isinstance(layout, StructLayout):
        parts = [packer(item) for item in layout.items]

        def pack_struct(value: Any, where: str, out: Arrays) -> None:
            for part, item in zip(parts, items_of(layout.names, value, where), strict=True):
                part(item, where, out)

        return pack_struct
    if isinstance(layout, SequenceLayout):
        return lambda value, where, out: out.extend(_sequence(layout, value, where))
    return lambda value, where, out: out.append(tensors.tensor(layout, value, where))


@functools.lru_cache(maxsize=4096)
def stacker(layout: Layout) -> Callable[[Sequence[Any], Where, Arrays], None]:
    """Returns the function that puts the stacked arrays of many values behind those of a list."""
    if isinstance(layout, StructLayout):
        parts = [stacker(item) for item in layout.items]

        def stack_struct(values: Sequence[Any], where: Where, out: Arrays) -> None:
            for part, column in zip(parts, columns_of(layout.names, values, where), strict=True):
                part(column, where, out)

        return stack_struct
    if isinstance(layout, SequenceLayout):
        return lambda values, where, out: out.extend(_sequences(layout, values, where))
    if layout.is_fixed:
        return lambda values, where, out: out.append(tensors.tensors(layout, values, where))
    return lambda values, where, out: out.extend(_ragged(layout, values, where))


@functools.lru_cache(maxsize=4096)
def reader(layout: Layout) -> Callable[[Iterator[Any]], Any]:
    """Returns the function that takes the arrays of one value from an iterator, and gives the value."""
    if isinstance(layout, StructLayout):
        parts, make = [reader(item) for item in layout.items], maker(layout.names, layout.container)
        return lambda arrays: make([part(arrays) for part in parts])
    if isinstance(layout, SequenceLayout):
        return _sequence_reader(layout)
    if layout.dtype == STRING:
        return lambda arrays: tensors.text(next(arrays))
    if not layout.shape:
        return lambda arrays: next(arrays)[()]
    return next


@functools.lru_cache(maxsize=4096)
def unstacker(layout: Layout) -> Callable[[Iterator[Any], int], list[Any]]:
    """Returns the function that takes stacked arrays of a fixed layout, and gives clients' values."""
    if isinstance(layout, StructLayout):
        parts, make = [unstacker(item) for item in layout.items], maker(layout.names, layout.container)

        def unstack_struct(arrays: Iterator[Any], count: int) -> list[Any]:
            columns = [part(arrays, count) for part in parts]
            return [make(row) for row in zip(*columns, strict=True)] if columns else [make([])] * count

        return unstack_struct
    if isinstance(layout, TensorLayout) and layout.dtype == STRING:
        return lambda arrays, count: [tensors.text(value) for value in next(arrays)]
    return lambda arrays, count: list(next(arrays))


def _ragged(layout: TensorLayout, values: Sequence[Any], where: Where) -> Arrays:
    found = tensors.of_any_length(layout, values, where)
    dtype = object if layout.dtype == STRING else layout.dtype
    flat = np.concatenate([array.reshape(-1) for array in found]) if found else np.empty(0, dtype)
    shapes = np.array([array.shape for array in found], np.int64).reshape(len(found), len(layout.shape))
    return [flat, shapes, offsets([array.size for array in found])]


def offsets(sizes: Sequence[int]) -> Any:
    """Returns where each of several runs begins, and behind them where the last ends."""
    made = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=made[1:])
    return made


def _sequence(layout: SequenceLayout, value: Any, where: str) -> Arrays:
    """Returns the length of a sequence and its rows."""
    rows = datasets.rows_of(layout, value, where, _packed) if isinstance(value, Dataset) else None
    if rows is not None:
        return rows
    if isinstance(value, Dataset):
        value = list(value.as_numpy_iterator())
    if not isinstance(value, (list, tuple, range, np.ndarray)):
        raise TypeError(f"{where}: expected a list or a dataset, got a value of type {type(value).__name__}")
    stacked: Arrays = []
    elements: Any = value
    stacker(layout.element)(elements, lambda at: f"{where}, element {at}", stacked)
    return [np.array(len(value), np.int64), *_without_offsets(layout, stacked)]


def _without_offsets(layout: SequenceLayout, stacked: Arrays) -> Arrays:
    arrays, kept = iter(stacked), []
    for leaf in leaves(layout.element):
        kept.append(next(arrays))
        if not leaf.is_fixed:
            kept.append(next(arrays))
            next(arrays)
    return kept


def _packed(layout: Layout, value: Any, where: str) -> Arrays:
    arrays: Arrays = []
    packer(layout)(value, where, arrays)
    return arrays


def _sequences(layout: SequenceLayout, values: Sequence[Any], where: Where) -> Arrays:
    """Returns where each client's rows begin, and the rows of all clients one behind the other."""
    kinds = set(map(type, values))
    if kinds == {list}:
        return _lists(layout, values, where)
    if kinds == {Dataset}:
        slices = datasets.slices_of(layout, values)
        if slices is not None:
            return _slices(layout, slices, where)
    found = [_sequence(layout, value, where(at)) for at, value in enumerate(values)]
    made = [offsets([int(one[0]) for one in found])]
    place = 1
    for leaf in leaves(layout.element):
        parts = [one[place] for one in found]
        made.append(_joined(parts, leaf))
        place += 1
        if not leaf.is_fixed:
            rank = len(leaf.shape)
            shapes = [one[place] for one in found]
            made.append(np.concatenate(shapes) if shapes else np.zeros((0, rank), np.int64))
            made.append(offsets([len(part) for part in parts]))
            place += 1
    return made


def _slices(layout: SequenceLayout, values: list[Any], where: Where) -> Arrays:
    """Returns the same of the tensors that datasets have the rows of."""
    stacked: Arrays = []
    stacker(datasets.with_rows(layout.element, 0))(values, where, stacked)
    arrays, rows = iter(stacked), []
    for leaf in leaves(layout.element):
        flat, shapes, _ = next(arrays), next(arrays), next(arrays)
        rows.append(
            flat.reshape(-1, *leaf.shape)
            if flat.size
            else np.empty((shapes[:, 0].sum(), *leaf.shape), flat.dtype)
        )
    return [offsets(shapes[:, 0]), *rows]


def _joined(parts: Arrays, leaf: TensorLayout) -> Any:
    if parts:
        return np.concatenate(parts)
    dtype = object if leaf.dtype == STRING else leaf.dtype
    return np.empty((0, *leaf.shape) if leaf.is_fixed else (0,), dtype)


def _lists(layout: SequenceLayout, values: Sequence[Any], where: Where) -> Arrays:
    """Returns the same of lists, whose elements are looked at all at once."""
    begins = offsets([len(value) for value in values])

    def named(at: int) -> str:
        client = int(np.searchsorted(begins, at, "right")) - 1
        return f"{where(client)}, element {at - int(begins[client])}"

    stacked: Arrays = []
    stacker(layout.element)(list(itertools.chain.from_iterable(values)), named, stacked)
    arrays, made = iter(stacked), [begins]
    for leaf in leaves(layout.element):
        made.append(next(arrays))
        if not leaf.is_fixed:
            made += [next(arrays), next(arrays)[begins]]
    return made


def _sequence_reader(layout: SequenceLayout) -> Callable[[Iterator[Any]], Any]:
    rows_of, unstack = list(leaves(layout.element)), unstacker(layout.element)

    def read(arrays: Iterator[Any]) -> list[Any]:
        count = int(next(arrays))
        rows = [next(arrays) if leaf.is_fixed else _split(next(arrays), next(arrays)) for leaf in rows_of]
        return unstack(iter(rows), count)

    return read


def _split(flat: Any, shapes: Any) -> list[Any]:
    begins = offsets(np.prod(shapes, axis=1, dtype=np.int64))
    return [
        flat[begins[at] : begins[at + 1]].reshape(tuple(shape)) for at, shape in enumerate(shapes.tolist())
    ]
