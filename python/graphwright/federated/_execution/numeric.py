"""Generic operators on NumPy values, and the order in which values of clients are merged.

A value is a tensor or a tuple of values. Integers wrap; floats follow IEEE 754, division by zero too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from .layout import STRING, Layout, SequenceLayout, StructLayout

V = TypeVar("V")

#: Clients come in groups of so many: each group is summed one client after the other, then groups are merged.
CLIENTS_PER_GROUP = 8


def merged(parts: Sequence[V], merge: Callable[[V, V], V]) -> V:
    """Returns the parts merged as a tree whose left half is the largest power of two less than all.

    The tree depends on the number of parts alone, so executors that hold some of its branches elsewhere get
    the same bits.
    """
    if len(parts) == 1:
        return parts[0]
    half = 1 << ((len(parts) - 1).bit_length() - 1)
    return merge(merged(parts[:half], merge), merged(parts[half:], merge))


def pairwise(operator: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Returns the results of an operator on the tensors of two values of one structure."""
    if isinstance(left, tuple):
        return tuple([pairwise(operator, one, other) for one, other in zip(left, right, strict=True)])
    with np.errstate(all="ignore"):
        return operator(left, right)


def plus(left: Any, right: Any) -> Any:
    """Returns the sums of two values."""
    return pairwise(np.add, left, right)


def times(left: Any, right: Any) -> Any:
    """Returns the products of two values."""
    return pairwise(np.multiply, left, right)


def maximum(left: Any, right: Any) -> Any:
    """Returns the greater of two tensors, NaN if one is, and of equal ones the left one: zeros have signs."""
    return np.where((left >= right) | np.not_equal(left, left), left, right)[()]


def minimum(left: Any, right: Any) -> Any:
    """Returns the lesser of two tensors, NaN if one is, and of equal ones the left one: zeros have signs."""
    return np.where((left <= right) | np.not_equal(left, left), left, right)[()]


def divided(left: Any, right: Any, layout: Layout) -> Any:
    """Returns the quotients of two values, of the dtypes of a layout."""
    if isinstance(layout, StructLayout):
        parts = zip(left, right, layout.items, strict=True)
        return tuple([divided(one, other, item) for one, other, item in parts])
    assert not isinstance(layout, SequenceLayout)
    with np.errstate(all="ignore"):
        return np.divide(left, right, dtype=None).astype(layout.dtype)


def scaled(value: Any, factor: Any) -> Any:
    """Returns a value times one number, which takes the dtype of each tensor."""
    if isinstance(value, tuple):
        return tuple([scaled(part, factor) for part in value])
    with np.errstate(all="ignore"):
        return np.multiply(value, np.asarray(factor).astype(value.dtype))


def shared_out(value: Any, parts: Any) -> Any:
    """Returns a value divided by one number, which takes the dtype of each tensor."""
    if isinstance(value, tuple):
        return tuple([shared_out(part, parts) for part in value])
    with np.errstate(all="ignore"):
        return np.divide(value, np.asarray(parts).astype(value.dtype))


def filled(layout: Layout, number: Callable[[Any], Any]) -> Any:
    """Returns a value whose tensors are full of the number that a function gives for a dtype."""
    if isinstance(layout, StructLayout):
        return tuple([filled(item, number) for item in layout.items])
    assert not isinstance(layout, SequenceLayout)
    return np.full([length or 0 for length in layout.shape], number(layout.dtype), layout.dtype)[()]


def zero(dtype: Any) -> Any:
    """Returns the zero of a dtype."""
    return "" if dtype == STRING else dtype.type(0)


def greatest(dtype: Any) -> Any:
    """Returns the greatest value of a dtype: infinity for floats."""
    if dtype.kind == "b":
        return True
    return dtype.type(np.inf) if dtype.kind == "f" else np.iinfo(dtype).max


def least(dtype: Any) -> Any:
    """Returns the least value of a dtype: minus infinity for floats."""
    if dtype.kind == "b":
        return False
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min
