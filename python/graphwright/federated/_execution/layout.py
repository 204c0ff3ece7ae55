"""Layouts say which arrays hold a value of an unplaced type, for one value and for many clients stacked.

One value: a tensor is one array; a struct has the arrays of its elements; a sequence has its length and the
rows of each tensor of its elements, as one array, or as flat numbers and the shape of each row where lengths
differ. Stacked: clients come along the first axis, and by offsets where lengths differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _native
from .language import FederatedType, SequenceType, StructType, TensorType

#: The element types of graphs, by NumPy's.
GRAPH_DTYPES: dict[Any, Any] = {
    np.dtype(np.bool_): _native.bool,
    np.dtype(np.int8): _native.int8,
    np.dtype(np.int16): _native.int16,
    np.dtype(np.int32): _native.int32,
    np.dtype(np.int64): _native.int64,
    np.dtype(np.uint8): _native.uint8,
    np.dtype(np.uint16): _native.uint16,
    np.dtype(np.uint32): _native.uint32,
    np.dtype(np.uint64): _native.uint64,
    np.dtype(np.float16): _native.float16,
    np.dtype(np.float32): _native.float32,
    np.dtype(np.float64): _native.float64,
    np.dtype(np.str_): _native.string,
}

#: The dtype of texts.
STRING = np.dtype(np.str_)


@dataclass(eq=False)
class TensorLayout:
    """One array of a dtype and a shape, in which `None` is any length."""

    dtype: Any
    shape: tuple[int | None, ...]

    @property
    def is_fixed(self) -> bool:
        """True if all lengths are known."""
        return None not in self.shape


@dataclass(eq=False)
class StructLayout:
    """Elements side by side, with names or without, and the container that a result comes back in."""

    names: tuple[str | None, ...]
    items: tuple[Layout, ...]
    container: Any


@dataclass(eq=False)
class SequenceLayout:
    """Elements one after the other."""

    element: Layout


Layout = TensorLayout | StructLayout | SequenceLayout

_KNOWN: dict[Any, Layout] = {}
#: Layouts that are kept.
_MOST_KNOWN = 4096


def layout_of(type_spec: Any) -> Layout:
    """Returns the layout of an unplaced type, or of the member of a federated one.

    Raises:
      TypeError: the type has no values, or a tensor of unknown rank.

    Example: `layout_of(to_type((np.int32, [2]))).shape` is `(2,)`; a type has one layout.
    """
    found = _KNOWN.get(type_spec)
    if found is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        found = _KNOWN[type_spec] = _made(type_spec)
    return found


def _made(type_spec: Any) -> Layout:
    if isinstance(type_spec, TensorType):
        if type_spec.shape is None:
            raise TypeError(f"{type_spec!r}: a tensor of unknown rank is not executed; give it a shape")
        return TensorLayout(_dtype(type_spec.dtype), tuple(type_spec.shape))
    if isinstance(type_spec, StructType):
        pairs = list(type_spec.items())
        names = tuple(name for name, _ in pairs)
        container = getattr(type_spec, "python_container", None)
        return StructLayout(names, tuple(layout_of(item) for _, item in pairs), container)
    if isinstance(type_spec, SequenceType):
        return SequenceLayout(layout_of(type_spec.element))
    if isinstance(type_spec, FederatedType):
        return layout_of(type_spec.member)
    raise TypeError(f"a value of type {type_spec} cannot be given to a computation, nor come out of one")


def _dtype(dtype: Any) -> Any:
    found = np.dtype(dtype)
    return STRING if found.kind in "USO" else found


def leaves(layout: Layout) -> Iterator[TensorLayout]:
    """Yields the tensors of a layout in order, those of sequences among them."""
    if isinstance(layout, TensorLayout):
        yield layout
    elif isinstance(layout, SequenceLayout):
        yield from leaves(layout.element)
    else:
        for item in layout.items:
            yield from leaves(item)


def has_graph_dtypes(layout: Layout) -> bool:
    """Returns True if graphs have all element types of a layout."""
    return all(leaf.dtype in GRAPH_DTYPES for leaf in leaves(layout))


def is_fixed(layout: Layout) -> bool:
    """Returns True if all values of a layout have arrays of the same shapes, so that loops carry them."""
    if isinstance(layout, StructLayout):
        return all(is_fixed(item) for item in layout.items)
    return isinstance(layout, TensorLayout) and layout.is_fixed


def specs(layout: Layout) -> list[Any]:
    """Returns the `gw.TensorSpec`s of the arrays of one value."""
    if isinstance(layout, StructLayout):
        return [spec for item in layout.items for spec in specs(item)]
    if isinstance(layout, SequenceLayout):
        return [_number(), *_rows(layout)]
    return [_native.TensorSpec(list(layout.shape), GRAPH_DTYPES[layout.dtype])]


def stacked_specs(layout: Layout) -> list[Any]:
    """Returns the `gw.TensorSpec`s of the arrays of many clients' values."""
    if isinstance(layout, StructLayout):
        return [spec for item in layout.items for spec in stacked_specs(item)]
    if isinstance(layout, SequenceLayout):
        made = [_offsets()]
        for leaf in leaves(layout.element):
            made += _ragged(leaf) if not leaf.is_fixed else [_many(leaf)]
        return made
    return [_many(layout)] if layout.is_fixed else _ragged(layout)


def _rows(layout: SequenceLayout) -> list[Any]:
    made = []
    for leaf in leaves(layout.element):
        made += [_many(leaf)] if leaf.is_fixed else _ragged(leaf)[:2]
    return made


def _ragged(leaf: TensorLayout) -> list[Any]:
    """Returns the specs of flat numbers, of the shape of each row, and of where each client begins."""
    flat = _native.TensorSpec([None], GRAPH_DTYPES[leaf.dtype])
    return [flat, _native.TensorSpec([None, len(leaf.shape)], _native.int64), _offsets()]


def _many(leaf: TensorLayout) -> Any:
    return _native.TensorSpec([None, *leaf.shape], GRAPH_DTYPES[leaf.dtype])


def _number() -> Any:
    return _native.TensorSpec([], _native.int64)


def _offsets() -> Any:
    return _native.TensorSpec([None], _native.int64)


def described_dtypes() -> str:
    """Returns the element types of graphs in words."""
    names: list[str] = [dtype.name for dtype in GRAPH_DTYPES.values()]
    return ", ".join(names[:-1]) + " and " + names[-1]
