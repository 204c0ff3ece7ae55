"""NumPy's products of arrays, and comparisons of whole arrays."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _native, linalg
from .._einsum import einsum
from . import reductions
from .meant import (
    Meaning,
    NotMeantError,
    flat,
    fractions_of,
    is_exact,
    known_lengths,
    of_one_dtype,
    tensor,
    unset,
)


def of_numbers(meaning: Meaning) -> Meaning:
    """A sum of products of operands of one dtype; of bools it says whether any product is true."""

    def of_these(*operands: Any, **options: Any) -> Any:
        found = of_one_dtype(*operands)
        if found[0].dtype != _native.bool:
            return meaning(*found, **options)
        return meaning(*(_native.cast(one, _native.int64) for one in found), **options) != 0

    return of_these


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """The product over the last axis of `a` and the last but one of `b`."""
    unset(out=out)
    return _dot(a, b)


@of_numbers
def _dot(a: Any, b: Any) -> Any:
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim <= 2 and b.ndim <= 2 and max(a.ndim, b.ndim) == 2:
        return _native.matmul(a, b) if min(a.ndim, b.ndim) == 2 else row_and_matrix(a, b)
    return linalg.tensordot(a, b, [[a.ndim - 1], [max(b.ndim - 2, 0)]])


def row_and_matrix(a: Any, b: Any) -> Any:
    """A row times a matrix, or a matrix times a row."""
    if a.ndim == 1:
        return _native.squeeze(_native.matmul(_native.expand_dims(a, 0), b), 0)
    return _native.squeeze(_native.matmul(a, _native.expand_dims(b, 1)), 1)


def vdot(a: Any, b: Any) -> Any:
    """The sum of the products of all elements."""
    a, b = of_one_dtype(tensor(a), tensor(b), exact=is_exact(a, b))
    return dot(_native.conj(flat(a)), flat(b))


@of_numbers
def inner(a: Any, b: Any) -> Any:
    """The product over the last axes."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return linalg.tensordot(a, b, [[a.ndim - 1], [b.ndim - 1]])


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Each element times each."""
    unset(out=out)
    a, b = of_one_dtype(tensor(a), tensor(b), exact=is_exact(a, b))
    return _native.expand_dims(flat(a), 1) * _native.expand_dims(flat(b), 0)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The product over these axes of both."""
    return of_numbers(linalg.tensordot)(a, b, axes=axes)


def einsum_of(subscripts: Any, *operands: Any, optimize: Any = False, **options: Any) -> Any:
    """The sum of products that letters describe."""
    del optimize
    if options or not isinstance(subscripts, str):
        raise NotMeantError
    return of_numbers(lambda *arrays: einsum(subscripts, *arrays))(*operands)


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """The elements that differ by no more than `atol` and `rtol` of those of `b`."""
    a, b = of_one_dtype(fractions_of(a), fractions_of(b))
    near = _native.abs(a - b) <= atol + rtol * _native.abs(b)
    near = _native.logical_and(near, _native.is_finite(b))
    found = _native.logical_or(near, a == b)
    if not equal_nan:
        return found
    return _native.logical_or(found, _native.logical_and(_native.is_nan(a), _native.is_nan(b)))


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """All elements differ by so little."""
    return _native.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Both have one shape and equal elements."""
    a, b = tensor(a1), tensor(a2)
    if a.ndim != b.ndim:
        return False
    if None in (*a.shape, *b.shape):
        return _equal_of_lengths(a, b, equal_nan)
    return tuple(a.shape) == tuple(b.shape) and _native.reduce_all(_same(a, b, equal_nan))


def _same(a: Any, b: Any, equal_nan: bool) -> Any:
    return (a == b) | ((a != a) & (b != b)) if equal_nan else a == b


def _equal_of_lengths(a: Any, b: Any, equal_nan: bool) -> Any:
    """The same where a length is known when the graph runs: other lengths are looked at as far as both go."""
    same_lengths = _native.reduce_all(_native.shape(a) == _native.shape(b))
    common = _native.minimum(_native.shape(a), _native.shape(b))
    places = tuple(slice(0, common[at]) for at in range(a.ndim))
    return same_lengths & _native.reduce_all(_same(a[places], b[places], equal_nan))


def array_equiv(a1: Any, a2: Any) -> Any:
    """One can be repeated to the shape of the other, and then both have equal elements."""
    a, b = tensor(a1), tensor(a2)
    try:
        np.broadcast_shapes(tuple(known_lengths(a)), tuple(known_lengths(b)))
    except ValueError:
        return False
    return _native.reduce_all(a == b)


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    """The elements, no less than one bound and no more than the other."""
    low, high = options.pop("min", None), options.pop("max", None)
    unset(out=out, **options)
    low = a_min if low is None else low
    high = a_max if high is None else high
    low, high = (np.asarray(one) if isinstance(one, list | tuple) else one for one in (low, high))
    found, exact = tensor(a), is_exact(a, low, high)
    if found.dtype == _native.bool or found.dtype.is_complex:
        bounds = [one for one in (low, high) if one is not None]
        if found.dtype.is_complex:
            pick = (np.maximum, np.minimum)
            found = found if low is None else pick[0](found, low)
            return found if high is None else pick[1](found, high)
        if not bounds:
            raise NotMeantError
        found = of_one_dtype(found, *bounds, exact=True)[0]
    found = found if low is None else bounded(_native.maximum, found, low, exact)
    return found if high is None else bounded(_native.minimum, found, high, exact)


def bounded(pick: Meaning, found: Any, bound: Any, exact: bool) -> Any:
    """The elements by one bound, in NumPy's dtype where `exact`.

    A number of Python's that the dtype does not hold is its nearest one.
    """
    if isinstance(bound, float) and found.dtype.is_integer:
        found = _native.cast(found, _native.float64)
    if isinstance(bound, _native.Tensor | np.ndarray):
        found, bound = of_one_dtype(found, bound, exact=exact)
    if found.dtype == _native.bool:
        return (
            _native.logical_or(found, bound) if pick is _native.maximum else _native.logical_and(found, bound)
        )
    if isinstance(bound, int) and found.dtype.is_integer:
        bound = builtins.max(found.dtype.min, builtins.min(bound, found.dtype.max))
        if found.dtype == _native.uint64:
            bound = _native.constant(bound, _native.uint64)
    return pick(found, bound)


def rounded(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """The nearest numbers with so many decimals, of two the even one."""
    unset(out=out)
    a = tensor(a)
    if not isinstance(decimals, int):
        raise NotMeantError
    if a.dtype == _native.bool:
        # NumPy rounds truths to whole numbers alone, of half precision.
        if decimals:
            raise NotMeantError
        a = _native.cast(a, _native.float16)
    if not reductions.fractional(a):
        if decimals >= 0:
            return a + 0
        power = 10**-decimals
        # A number beyond the dtype wraps.
        near = _native.round(_native.cast(a, _native.float64) / power) * power
        return _native.cast(near if a.dtype == _native.uint64 else _native.cast(near, _native.int64), a.dtype)
    if decimals == 0:
        return _native.round(a)
    power = 10.0 ** abs(decimals)
    return _native.round(a * power) / power if decimals > 0 else _native.round(a / power) * power


def where(condition: Any, *options: Any) -> Any:
    """Elements of one array or of another."""
    if len(options) != 2:
        raise NotMeantError
    condition = tensor(condition)
    options = tuple(of_one_dtype(*options, exact=True))
    return _native.where(condition if condition.dtype == _native.bool else condition != 0, *options)


PRODUCTS: dict[Any, Meaning] = {
    np.dot: dot,
    np.vdot: vdot,
    np.inner: inner,
    np.outer: outer,
    np.tensordot: tensordot,
    np.einsum: einsum_of,
    np.isclose: isclose,
    np.allclose: allclose,
    np.array_equal: array_equal,
    np.array_equiv: array_equiv,
    np.clip: clip,
    np.round: rounded,
    np.around: rounded,
}
