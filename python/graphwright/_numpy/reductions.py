"""NumPy's functions that take elements together: sums, extremes, spreads, running sums, norms."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from .. import _arrays, _native
from .. import _running as _running_results
from .meant import Meaning, NotMeantError, axes_of, axis_of, flat, known_lengths, reals, tensor, unset


def of_truths(reduce: Meaning) -> Meaning:
    """A function of truths, of numbers too: all but zero are true."""

    def meaning(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
        unset(out=out)
        a = tensor(a)
        return reduce(a if a.dtype == _native.bool else a != 0, axis, keepdims=keepdims)

    return meaning


def of_integers(reduce: Meaning) -> Meaning:
    """A sum or product: NumPy's of bools and integers has 64 bits."""

    def meaning(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **rest: Any
    ) -> Any:
        unset(out=out, **rest)
        a = tensor(a)
        if dtype is None:
            dtype = a.dtype
            if a.dtype == _native.bool or a.dtype.is_integer:
                dtype = _native.uint64 if a.dtype.is_unsigned else _native.int64
        return reduce(_native.cast(a, dtype), axis, keepdims=keepdims)

    return meaning


def running(accumulate: Meaning) -> Meaning:
    """A running sum or product, over all elements where no axis is given; of 64 bits as a sum is."""

    def along(a: Any, axis: Any, keepdims: Any) -> Any:
        del keepdims
        return accumulate(flat(a), 0) if axis is None else accumulate(a, axis_of(axis, a.ndim))

    return of_integers(along)


def of_some(name: str, reduce: Meaning, of_bools: Meaning) -> Meaning:
    """An extreme, which there is none of no elements."""

    def meaning(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **rest: Any) -> Any:
        unset(out=out, **rest)
        a = tensor(a)
        found = (of_bools if a.dtype == _native.bool else reduce)(a, axis, keepdims=keepdims)
        is_some(a, axis, f"zero-size array to reduction operation {name} which has no identity")
        return found

    return meaning


def is_some(a: Any, axis: Any, message: str) -> None:
    """Fails where elements are taken together along an axis that has none."""
    if not (None in a.shape or 0 in a.shape):
        return
    lengths = _arrays.lengths(a)
    ok: Any = True
    for at in axes_of(axis, a.ndim):
        ok = _native.logical_and(ok, lengths[at] != 0)
    if _native.is_tracing():
        _native.check(ok, "ValueError", message)
    elif not ok:
        raise ValueError(message)


def place_of(extreme: Meaning, name: str) -> Meaning:
    """The first place of an extreme: NaN counts as one, and without an axis places count through."""

    def meaning(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        unset(out=out)
        a = tensor(a)
        lengths = [1] * a.ndim
        is_some(a, axis, f"attempt to get {name} of an empty sequence")
        if axis is None:
            found = first(flat(a), 0)
            return _native.reshape(found, lengths) if keepdims else found
        at = axis_of(axis, a.ndim)
        found = first(a, at)
        return _native.expand_dims(found, at) if keepdims else found

    def first(a: Any, at: int) -> Any:
        if a.dtype == _native.bool:
            a = _native.cast(a, _native.int32)
        found = extreme(a, at)
        if a.dtype.is_floating:
            unknown = _native.is_nan(a)
            place = _native.argmax(_native.cast(unknown, _native.int32), at)
            found = _native.where(_native.reduce_any(unknown, at), place, found)
        return _native.cast(found, _native.int64)

    return meaning


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The mean; of integers and bools a float64."""
    unset(dtype=dtype, out=out)
    a = tensor(a)
    a = _native.cast(a, _native.float64) if not a.dtype.is_floating else a
    return _native.reduce_mean(a, axis, keepdims=keepdims)


def variance(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    """The mean of the squares of the distances from the mean, of which `ddof` do not count."""
    unset(dtype=dtype, out=out)
    a = reals(a)
    axes, lengths = axes_of(axis, a.ndim), _arrays.lengths(a)
    apart = a - _native.reduce_mean(a, axes, keepdims=True)
    squares = _native.reduce_sum(apart * apart, axes, keepdims=keepdims)
    count: Any = 1
    for at in axes:
        count = count * lengths[at]
    left = count - ddof
    left = builtins.max(left, 0) if isinstance(left, int | float) else _native.maximum(left, 0)
    return squares / _native.cast(left, a.dtype)


def deviation(*args: Any, **kwargs: Any) -> Any:
    """The square root of the variance."""
    return _native.sqrt(variance(*args, **kwargs))


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean; with weights no meaning here."""
    unset(weights=weights)
    a = tensor(a)
    if returned or 0 in known_lengths(a):
        raise NotMeantError
    return mean(a, axis)


def range_of(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The greatest element less the least."""
    a = tensor(a)
    if a.dtype == _native.bool:
        raise NotMeantError
    return greatest(a, axis, out, keepdims) - least(a, axis, out, keepdims)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The number of elements that are not zero."""
    a = tensor(a)
    truths = a if a.dtype == _native.bool else a != 0
    return _native.reduce_sum(_native.cast(truths, _native.int64), axis, keepdims=keepdims)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False
) -> Any:
    """The middle element, or the mean of two; NaN where one is."""
    unset(out=out)
    if overwrite_input or keepdims or isinstance(axis, list | tuple):
        raise NotMeantError
    a = reals(a)
    a, at = (flat(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    count = known_lengths(a)[at]
    if count == 0:
        raise NotMeantError
    ordered = _native.sort(a, at)
    low, high = (_native.gather(ordered, place, axis=at) for place in ((count - 1) // 2, count // 2))
    found = low if count % 2 else (low + high) / 2
    unknown = _native.reduce_any(_native.is_nan(a), at)
    return _native.where(unknown, math.nan, found)


def over_known(reduce: Meaning, instead: float) -> Meaning:
    """A sum or product that takes `instead` in place of what is not a number."""

    def meaning(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
        a = tensor(a)
        known = _native.where(_native.is_nan(a), instead, a) if a.dtype.is_floating else a
        return reduce(known, axis, dtype, out, keepdims)

    return meaning


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The length of vectors by `ord`, or of all elements together."""
    x = reals(x)
    axes = axes_of(axis, x.ndim)
    if ord is not None and len(axes) > 2:
        raise ValueError("Improper number of dimensions to norm.")
    if ord is not None and len(axes) == 2:
        if ord not in ("fro", "f"):
            raise NotMeantError
        ord = None
    if ord in (None, 2):
        if len(axes) > 2 and axis is not None:
            raise ValueError("Improper number of dimensions to norm.")
        return _native.sqrt(_native.reduce_sum(x * x, axes, keepdims=keepdims))
    if len(axes) != 1 or isinstance(ord, str):
        raise NotMeantError
    size = _native.abs(x)
    if 0 in known_lengths(x):
        raise NotMeantError
    if ord == math.inf:
        return greatest(size, axes, keepdims=keepdims)
    if ord == -math.inf:
        return least(size, axes, keepdims=keepdims)
    if ord == 1:
        return _native.reduce_sum(size, axes, keepdims=keepdims)
    if ord == 0:
        return _native.reduce_sum(_native.cast(x != 0, x.dtype), axes, keepdims=keepdims)
    raise NotMeantError


greatest = of_some("maximum", _native.reduce_max, _native.reduce_any)
least = of_some("minimum", _native.reduce_min, _native.reduce_all)
total = of_integers(_native.reduce_sum)
product = of_integers(_native.reduce_prod)

REDUCTIONS: dict[Any, Meaning] = {
    np.sum: total,
    np.prod: product,
    np.cumsum: running(_running_results.cumsum),
    np.cumprod: running(_running_results.cumprod),
    np.mean: mean,
    np.max: greatest,
    np.min: least,
    np.all: of_truths(_native.reduce_all),
    np.any: of_truths(_native.reduce_any),
    np.argmax: place_of(_native.argmax, "argmax"),
    np.argmin: place_of(_native.argmin, "argmin"),
    np.var: variance,
    np.std: deviation,
    np.average: average,
    np.ptp: range_of,
    np.count_nonzero: count_nonzero,
    np.median: median,
    np.nansum: over_known(total, 0.0),
    np.nanprod: over_known(product, 1.0),
    np.linalg.norm: norm,
}
