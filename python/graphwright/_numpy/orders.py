"""NumPy's order of complex numbers: by both parts one after the other, NaN behind all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from .meant import Meaning, axes_of, axis_of, flat, of_one_dtype, tensor

_and, _or = _native.logical_and, _native.logical_or


def parts(z: Any) -> tuple[Any, Any]:
    """The real and the imaginary part."""
    return _native.real(z), _native.imag(z)


def is_nan(z: Any) -> Any:
    """True where a part is NaN."""
    re, im = parts(z)
    return _or(re != re, im != im)


def _is_first(x: Any, y: Any, of_parts: Callable[[Any, Any], Any]) -> Any:
    """True where numbers stand in an order, as `of_parts` says of their last parts that differ."""
    (a, b), (c, d) = parts(x), parts(y)
    strict = a > c if of_parts in (np.greater, np.greater_equal) else a < c
    known = _and(b == b, d == d)
    return _or(_and(strict, known), _and(a == c, of_parts(b, d)))


def compared(function: Any, x: Any, y: Any) -> Any:
    """`np.less` and its kin of complex numbers."""
    x, y = of_one_dtype(x, y)
    return _is_first(x, y, function)


def of_order(function: Any, meaning: Meaning) -> Meaning:
    """A comparison, which NumPy has of complex numbers too."""

    def of_these(x: Any, y: Any) -> Any:
        is_complex = any(tensor(one).dtype.is_complex for one in (x, y))
        return compared(function, x, y) if is_complex else meaning(x, y)

    return of_these


def picked(greatest: bool, keeps_nan: bool) -> Meaning:
    """The greater or less of two complex numbers; NaN where one is, or the other one."""

    def meaning(x: Any, y: Any) -> Any:
        x, y = of_one_dtype(x, y)
        first = compared(np.greater_equal if greatest else np.less_equal, x, y)
        return _native.where(_or(first, is_nan(x if keeps_nan else y)), x, y)

    return meaning


def of_two(meaning: Meaning, of_complex: Meaning) -> Meaning:
    """A function of two numbers, and the one of complex ones."""

    def of_these(x: Any, y: Any) -> Any:
        is_complex = any(tensor(one).dtype.is_complex for one in (x, y))
        return (of_complex if is_complex else meaning)(x, y)

    return of_these


def places_in_order(z: Any, axis: int) -> Any:
    """The places of complex numbers in order along an axis, equal ones in theirs."""
    from .places import take_along_axis

    re, im = parts(z)
    unknown = 2 * _native.cast(re != re, _native.int32) + _native.cast(im != im, _native.int32)
    order = _native.cast(_native.argsort(im, axis, stable=True), _native.int64)
    for key in (re, unknown):
        along = _native.argsort(take_along_axis(key, order, axis), axis, stable=True)
        order = take_along_axis(order, _native.cast(along, _native.int64), axis)
    return order


def sort(z: Any, axis: Any) -> Any:
    """Complex numbers in order along an axis, all of them for `None`."""
    from .places import take_along_axis

    z, at = (flat(z), 0) if axis is None else (z, axis_of(axis, z.ndim))
    return take_along_axis(z, places_in_order(z, at), at)


def place_of(z: Any, axis: int, greatest: bool) -> Any:
    """The first place of an extreme along an axis; NaN counts as one."""
    reduce = _native.reduce_max if greatest else _native.reduce_min
    re, im = parts(z)
    unknown = is_nan(z)
    leads = re == reduce(re, axis, keepdims=True)
    beyond = float("-inf") if greatest else float("inf")
    im = _native.where(leads, im, beyond)
    leads = _and(leads, im == reduce(im, axis, keepdims=True))
    wanted = _native.where(_native.reduce_any(unknown, axis, keepdims=True), unknown, leads)
    return _native.cast(_native.argmax(_native.cast(wanted, _native.int32), axis), _native.int64)


def extreme(greatest: bool) -> Meaning:
    """The greatest or least of complex numbers along axes."""

    def meaning(z: Any, axis: Any = None, keepdims: Any = False) -> Any:
        from .places import take_along_axis
        from .statistics import back, together

        rows, axes = together(z, axes_of(axis, z.ndim))
        at = _native.expand_dims(place_of(rows, rows.ndim - 1, greatest), -1)
        found = _native.squeeze(take_along_axis(rows, at, -1), -1)
        return back(found, axes, z.ndim, keepdims)

    return meaning
