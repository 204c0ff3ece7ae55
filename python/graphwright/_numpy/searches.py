"""NumPy's searches: positions of elements, elements that a condition picks, each element once.

Their number is known when the graph runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from .meant import NotMeantError, axis_of, flat, tensor, unset
from .products import where

Meaning = Callable[..., Any]


def columns(positions: Any) -> tuple[Any, ...]:
    """The numbers along each axis, an array each."""
    return tuple(positions[:, axis] for axis in range(positions.shape[1]))


def nonzero(a: Any) -> Any:
    """The positions of elements that are not zero, an array for each axis."""
    a = tensor(a)
    if not a.ndim or a.dtype == _native.string:
        raise NotMeantError
    return columns(_native.where(a))


def flatnonzero(a: Any) -> Any:
    """The same among all elements along one axis."""
    return nonzero(flat(tensor(a)))[0]


def argwhere(a: Any) -> Any:
    """The same, a row for each."""
    a = tensor(a)
    if not a.ndim or a.dtype == _native.string:
        raise NotMeantError
    return _native.where(a)


def chosen(condition: Any, x: Any = None, y: Any = None) -> Any:
    """`np.where`: a choice for each element, or positions."""
    if x is None and y is None:
        return nonzero(condition)
    return where(condition, x, y)


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """The slices along an axis for which a condition holds; one that is too short holds of no more."""
    unset(out=out)
    a = tensor(a)
    a, axis = (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return _native.gather(a, flatnonzero(condition), axis=axis)


def extract(condition: Any, arr: Any) -> Any:
    """The elements for which a condition holds."""
    return compress(flat(tensor(condition)), arr)


def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    **options: Any,
) -> Any:
    """Each element once, in order; what else is asked is about the first of equal ones."""
    if (
        axis is not None
        or options.pop("equal_nan", True) is not True
        or options.pop("sorted", True) is not True
        or options
    ):
        raise NotMeantError
    given = tensor(ar)
    if given.dtype in (_native.bool, _native.string):
        raise NotMeantError
    row = flat(given)
    order: Any = _native.argsort(row, stable=True) if return_index or return_inverse else None
    ascending = _native.sort(row) if order is None else _native.gather(row, order)
    begins = begin_of_each(ascending)
    starts = flatnonzero(begins)
    results = [_native.gather(ascending, starts)]
    if return_index:
        results.append(_native.cast(_native.gather(order, starts), _native.int64))
    if return_inverse:
        results.append(inverse(begins, order, given))
    if return_counts:
        ends = _native.concat([starts[1:], _native.cast(_native.shape(row)[:1], _native.int64)], 0)
        results.append((ends - starts)[: _native.shape(starts)[0]])
    return results[0] if len(results) == 1 else tuple(results)


def begin_of_each(ascending: Any) -> Any:
    """True where an element differs from the one before it; NaN is the same as NaN."""
    before, after = ascending[:-1], ascending[1:]
    differ = before != after
    if ascending.dtype.is_floating:
        differ = differ & ~((before != before) & (after != after))
    first = _native.ones_like(_native.cast(ascending[:1], _native.bool))
    return _native.concat([first, differ], 0)


def inverse(begins: Any, order: Any, given: Any) -> Any:
    """The position of each element among the unique ones, in the shape of the array."""
    numbers = np.cumsum(begins) - 1
    places = _native.tensor_scatter_nd_update(
        _native.zeros_like(numbers), _native.expand_dims(_native.cast(order, _native.int64), 1), numbers
    )
    return _native.reshape(places, _native.shape(given))


SEARCHES: dict[Any, Meaning] = {
    np.nonzero: nonzero,
    np.flatnonzero: flatnonzero,
    np.argwhere: argwhere,
    np.where: chosen,
    np.compress: compress,
    np.extract: extract,
}
