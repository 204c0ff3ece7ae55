"""Functions of rows whose lengths the graph decides: a loop takes one element after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _arrays, _native
from .._function import function
from .meant import axes_of, length

Meaning = Callable[..., Any]


@function
def _folded(of_two: Meaning, rows: Any) -> Any:
    found = rows[0:1]
    for at in _native.range(1, length(rows, 0)):
        found = of_two(found, rows[at : at + 1])
    return found[0]


def folded(of_two: Meaning, array: Any, axis: int) -> Any:
    """The elements along an axis that has some, taken together by a function of two."""
    return _folded(of_two, _arrays.moved(array, axis, 0))


@function
def _accumulated(of_two: Meaning, rows: Any) -> Any:
    found = _arrays.identity(rows)
    for at in _native.range(1, length(rows, 0)):
        found[at : at + 1] = of_two(found[at - 1 : at], rows[at : at + 1])
    return found


def accumulated(of_two: Meaning, array: Any, axis: int) -> Any:
    """The elements along an axis, taken together up to each by a function of two."""
    return _arrays.moved(_accumulated(of_two, _arrays.moved(array, axis, 0)), 0, axis)


@function
def _multiplied(rows: Any) -> Any:
    found = _native.ones(_arrays.lengths(rows)[1:], rows.dtype)
    for at in _native.range(length(rows, 0)):
        found = found * rows[at]
    return found


def product_of_complex(a: Any, axis: Any, keepdims: Any) -> Any:
    """The product of complex numbers along axes, of which the graph knows the lengths when it runs."""
    for at in sorted(axes_of(axis, a.ndim), reverse=True):
        a = _multiplied(_arrays.moved(a, at, 0))
        a = _native.expand_dims(a, at) if keepdims else a
    return a


@function
def divided(u: Any, v: Any, scale: Any) -> tuple[Any, Any]:
    """The quotient of two polynomials and the rest with its zeros; `scale` is one over the first divisor."""
    count, digits = length(v, 0), length(u, 0) - length(v, 0) + 1
    rest = _arrays.identity(u)
    quotient = _native.zeros([_native.maximum(digits, 1)], u.dtype)
    for at in _native.range(_native.maximum(digits, 0)):
        digit = rest[at : at + 1] * scale
        quotient[at : at + 1] = digit
        rest[at : at + count] -= digit * v
    return quotient, rest
