"""Datasets of clients as arrays, where they are made of tensors and compute nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...data import Dataset
from ...data._batches import BatchAt
from ...data._sources import Slices
from .layout import Layout, SequenceLayout, StructLayout, TensorLayout, leaves

Arrays = list[Any]
Pack = Callable[[Layout, Any, str], Arrays]


def rows_of(layout: SequenceLayout, dataset: Dataset, where: str, pack: Pack) -> Arrays | None:
    """Returns the length of a sequence and its rows, of slices of tensors and batches of these.

    Args:
      layout: the layout of the sequence.
      dataset: the dataset.
      where: whose it is, for messages.
      pack: gives the arrays of a value of a layout.

    Returns None for datasets that compute something.
    """
    machine = dataset._machine
    if isinstance(machine, Slices) and all(leaf.is_fixed for leaf in leaves(layout.element)):
        rows = pack(with_rows(layout.element, 0), machine.tensors, where)
        return [np.array(len(rows[0]), np.int64), *rows] if rows else None
    if isinstance(machine, BatchAt) and isinstance(machine.source, Slices) and isinstance(machine.size, int):
        return _batches(layout, machine, where, pack)
    return None


def slices_of(layout: SequenceLayout, values: Sequence[Any]) -> list[Any] | None:
    """Returns the tensors that datasets have the rows of; None if one is made otherwise."""
    found = list(leaves(layout.element))
    if not found or not all(leaf.is_fixed for leaf in found):
        return None
    machines = [value._machine for value in values]
    return [machine.tensors for machine in machines] if set(map(type, machines)) == {Slices} else None


def _batches(layout: SequenceLayout, machine: Any, where: str, pack: Pack) -> Arrays | None:
    found = list(leaves(layout.element))
    size = machine.size
    lengths = {leaf.shape[0] if leaf.shape else -1 for leaf in found}
    if not found or lengths != ({size} if machine.drop_remainder else {None}):
        return None
    if any(None in leaf.shape[1:] for leaf in found):
        return None
    rows = pack(with_rows(layout.element, 1), machine.source.tensors, where)
    count = len(rows[0]) // size if machine.drop_remainder else -(-len(rows[0]) // size)
    made: Arrays = [np.array(count, np.int64)]
    for array in rows:
        made += _dropping(array, count, size) if machine.drop_remainder else _ragged(array, count, size)
    return made


def _dropping(array: Any, count: int, size: int) -> Arrays:
    return [array[: count * size].reshape(count, size, *array.shape[1:])]


def _ragged(array: Any, count: int, size: int) -> Arrays:
    shapes = np.empty((count, array.ndim), np.int64)
    shapes[:, 0], shapes[:, 1:] = size, array.shape[1:]
    if count:
        shapes[-1, 0] = len(array) - (count - 1) * size
    return [array.reshape(-1), shapes]


@functools.lru_cache(maxsize=1024)
def with_rows(layout: Layout, dropped: int) -> Layout:
    """Returns the layout of any number of rows of an element, without so many of its axes."""
    if isinstance(layout, StructLayout):
        items = tuple([with_rows(item, dropped) for item in layout.items])
        return StructLayout(layout.names, items, layout.container)
    assert isinstance(layout, TensorLayout)
    return TensorLayout(layout.dtype, (None, *layout.shape[dropped:]))
