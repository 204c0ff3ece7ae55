"""Values inside graphs: built of the tensors of their layout, taken apart, and picked out for one client.

In a graph a struct is a tuple of its elements and a sequence is `Rows`; names and containers are the type's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ... import _native, math
from ...data import Dataset
from .containers import maker
from .layout import GRAPH_DTYPES, Layout, SequenceLayout, StructLayout, TensorLayout, leaves


@dataclass(eq=False)
class Rows:
    """A sequence: how many elements it has, and the rows of each tensor of them.

    Rows of one shape are one array; those of several are a pair, the flat numbers and the shape of each row.
    """

    element: Layout
    length: Any
    columns: tuple[Any, ...]

    def at(self, index: Any) -> Any:
        """Returns an element."""
        return build(self.element, iter(self._row(column, index) for column in self.columns))

    def _row(self, column: Any, index: Any) -> Any:
        if not isinstance(column, Ragged):
            return column[index]
        return column.row(index)


@dataclass(eq=False)
class Ragged:
    """Rows of several shapes: flat numbers, the shape of each row, and where each begins."""

    leaf: TensorLayout
    flat: Any
    shapes: Any
    begins: Any

    def row(self, index: Any) -> Any:
        """Returns a row."""
        return shaped(self.leaf, self.flat, self.shapes[index], self.begins[index])


def ragged(leaf: TensorLayout, flat: Any, shapes: Any) -> Ragged:
    """Returns rows of several shapes, of flat numbers and the shapes."""
    sizes = _native.reduce_prod(shapes, 1)
    return Ragged(leaf, flat, shapes, math.cumsum(sizes, 0) - sizes)


def shaped(leaf: TensorLayout, flat: Any, shape: Any, begin: Any) -> Any:
    """Returns the tensor of a shape that begins at a place of flat numbers."""
    size = _native.reduce_prod(shape)
    lengths = [shape[axis] if length is None else length for axis, length in enumerate(leaf.shape)]
    return _native.reshape(flat[begin : begin + size], lengths)


def build(layout: Layout, tensors: Iterator[Any]) -> Any:
    """Returns the value of a graph whose tensors come next."""
    if isinstance(layout, StructLayout):
        return tuple([build(item, tensors) for item in layout.items])
    if isinstance(layout, TensorLayout):
        return next(tensors)
    length = next(tensors)
    columns = []
    for leaf in leaves(layout.element):
        column = next(tensors)
        columns.append(column if leaf.is_fixed else ragged(leaf, column, next(tensors)))
    return Rows(layout.element, length, tuple(columns))


def flat(layout: Layout, value: Any) -> list[Any]:
    """Returns the tensors of a value of a graph."""
    if isinstance(layout, StructLayout):
        return [tensor for item, part in zip(layout.items, value, strict=True) for tensor in flat(item, part)]
    if isinstance(layout, TensorLayout):
        return [_native.cast(value, GRAPH_DTYPES[layout.dtype]) if _is_plain(value) else value]
    found = [value.length]
    for column in value.columns:
        found += [column.flat, column.shapes] if isinstance(column, Ragged) else [column]
    return found


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def lane(layout: Layout, stacked: Iterator[Any], client: Any) -> Any:
    """Returns the value of one client, of stacked tensors that come next."""
    if isinstance(layout, StructLayout):
        return tuple([lane(item, stacked, client) for item in layout.items])
    if isinstance(layout, TensorLayout):
        column = next(stacked)
        if layout.is_fixed:
            return column[client]
        return shaped(layout, column, next(stacked)[client], next(stacked)[client])
    begins = next(stacked)
    first, stop = begins[client], begins[client + 1]
    columns = [_lane_rows(leaf, stacked, client, first, stop) for leaf in leaves(layout.element)]
    return Rows(layout.element, stop - first, tuple(columns))


def _lane_rows(leaf: TensorLayout, stacked: Iterator[Any], client: Any, first: Any, stop: Any) -> Any:
    column = next(stacked)
    if leaf.is_fixed:
        return column[first:stop]
    shapes, begins = next(stacked), next(stacked)
    return ragged(leaf, column[begins[client] : begins[client + 1]], shapes[first:stop])


def as_argument(layout: Layout, value: Any) -> Any:
    """Returns a value of a graph as a user's function gets it, in containers and datasets."""
    if isinstance(layout, StructLayout):
        return maker(layout.names, layout.container)(
            [as_argument(item, part) for item, part in zip(layout.items, value, strict=True)]
        )
    return as_dataset(value) if isinstance(layout, SequenceLayout) else value


def as_dataset(rows: Rows) -> Dataset:
    """Returns a sequence as a dataset."""
    if not rows.columns or any(isinstance(column, Ragged) for column in rows.columns):
        return Dataset.range(rows.length).map(_element_of(rows))
    slices: Any = as_element(rows.element, build(rows.element, iter(rows.columns)))
    return Dataset.from_tensor_slices(slices)


def _element_of(rows: Rows) -> Callable[[Any], Any]:
    return lambda index: as_element(rows.element, rows.at(index))


def as_element(layout: Layout, value: Any) -> Any:
    """Returns an element in containers that datasets know: dicts and tuples for those they do not."""
    if not isinstance(layout, StructLayout):
        return value
    items = [as_element(item, part) for item, part in zip(layout.items, value, strict=True)]
    if layout.container is list or (layout.container is None and None in layout.names):
        return tuple(items)
    if layout.container is None:
        return dict(zip(layout.names, items, strict=True))
    return maker(layout.names, layout.container)(items)
