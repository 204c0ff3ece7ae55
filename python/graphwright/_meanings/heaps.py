"""The functions of `heapq` for lists with values of the graph in them; others are Python's affair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native

conv = _native.operators.conv


def of_heap(plain: Any, written: Any) -> Callable[..., Any]:
    """The meaning of a function whose first argument is a heap."""

    def meaning(heap: Any, *items: Any) -> Any:
        if isinstance(heap, _native.Tensor):
            raise TypeError(f"{plain.__name__}() takes a list, and this is a tensor")
        is_empty = not (_native.is_staged(heap) or heap or items)
        # Elements of an empty heap may come from another branch.
        if is_empty or has_value((heap, *items)):
            return conv(written)(heap, *items)
        return plain(heap, *items)

    return meaning


def has_value(item: Any) -> bool:
    """True if a value of the graph is in an item."""
    if _native.is_staged(item):
        return True
    return isinstance(item, (list, tuple)) and any(has_value(part) for part in item)
