"""Parts of stacked arrays: those of clients that come one behind the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .layout import Layout, SequenceLayout, StructLayout, TensorLayout, leaves


def cut(layout: Layout, arrays: Sequence[Any], clients: slice) -> list[Any]:
    """Returns the stacked arrays of some clients, of those of all."""
    return _cut(layout, iter([_numpy(array) for array in arrays]), clients)


def _numpy(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.numpy()


def _cut(layout: Layout, arrays: Iterator[Any], clients: slice) -> list[Any]:
    if isinstance(layout, StructLayout):
        return [array for item in layout.items for array in _cut(item, arrays, clients)]
    if isinstance(layout, TensorLayout):
        return [next(arrays)[clients]] if layout.is_fixed else _ragged(arrays, clients, clients)
    begins = next(arrays)[clients.start : clients.stop + 1]
    rows = slice(int(begins[0]), int(begins[-1]))
    found = [begins - begins[0]]
    assert isinstance(layout, SequenceLayout)
    for leaf in leaves(layout.element):
        found += [next(arrays)[rows]] if leaf.is_fixed else _ragged(arrays, clients, rows)
    return found


def _ragged(arrays: Iterator[Any], clients: slice, rows: slice) -> list[Any]:
    flat, shapes, begins = next(arrays), next(arrays), next(arrays)
    begins = begins[clients.start : clients.stop + 1]
    return [flat[begins[0] : begins[-1]], shapes[rows], begins - begins[0]]
