"""NumPy's functions that take elements together: sums, extremes, spreads, running sums, norms."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _arrays, _native
from .. import _running as _running_results
from . import orders
from .meant import (
    Meaning,
    NotMeantError,
    axes_of,
    axes_of_single,
    axis_of,
    dtype_of,
    fails,
    fitting,
    flat,
    reals,
    tensor,
    unset,
)


def picked(a: Any, where: Any, instead: Any) -> Any:
    """The elements where a mask is true, and one that changes no result in place of the others."""
    if where is None or where is True or where is np._NoValue:
        return a
    return _native.where(tensor(where), a, _native.cast(instead, a.dtype))


def given(option: Any) -> bool:
    """True of an option that the caller gave."""
    return option is not None and option is not np._NoValue


def of_truths(reduce: Meaning, nothing: bool) -> Meaning:
    """A function of truths, of numbers too: all but zero are true."""

    def meaning(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = None
    ) -> Any:
        unset(out=out)
        a = tensor(a)
        truths = a if a.dtype == _native.bool else a != 0
        return reduce(picked(truths, where, nothing), axes_of_single(a, axis), keepdims=keepdims)

    return meaning


def of_integers(reduce: Meaning, join: Meaning, nothing: int) -> Meaning:
    """A sum or product: NumPy's of bools and integers has 64 bits."""

    def meaning(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = None,
    ) -> Any:
        unset(out=out)
        a = tensor(a)
        if dtype is None:
            dtype = a.dtype
            if a.dtype == _native.bool or a.dtype.is_integer:
                dtype = _native.uint64 if a.dtype.is_unsigned else _native.int64
        if dtype_of(dtype) == _native.bool:
            raise NotMeantError
        axis = axes_of_single(a, axis)
        found = reduce(picked(_native.cast(a, dtype_of(dtype)), where, nothing), axis, keepdims=keepdims)
        return join(found, fitting(initial, found.dtype)) if given(initial) else found

    return meaning


def running(accumulate: Meaning) -> Meaning:
    """A running sum or product, over all elements where no axis is given; of 64 bits as a sum is."""

    def along(a: Any, axis: Any, keepdims: Any) -> Any:
        del keepdims
        return (
            accumulate(flat(a), 0)
            if axis is None or (axis == () and a.ndim == 0)
            else accumulate(a, axis_of(axis, a.ndim))
        )

    return of_integers(along, _native.add, 0)


def of_some(name: str, reduce: Meaning, of_bools: Meaning, join: Meaning) -> Meaning:
    """An extreme, which there is none of no elements unless it is given one to begin with."""

    def meaning(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = None,
    ) -> Any:
        unset(out=out)
        a = tensor(a)
        if given(where) and where is not True and not given(initial):
            raise ValueError(
                f"reduction operation '{name}' does not have an identity, "
                "so to use a where mask one has to specify 'initial'"
            )
        is_bool, axis = a.dtype == _native.bool, axes_of_single(a, axis)
        initial = fitting(initial, a.dtype) if given(initial) else initial
        is_greatest = of_bools is _native.reduce_any
        of_these = of_bools if is_bool else orders.extreme(is_greatest) if a.dtype.is_complex else reduce
        found = of_these(picked(a, where, initial), axis, keepdims=keepdims)
        if given(initial):
            of_two = _native.logical_or if is_greatest else _native.logical_and
            return of_two(found, initial) if is_bool else join(found, initial)
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
    fails(ok, "ValueError", message)


def place_of(extreme: Meaning, name: str) -> Meaning:
    """The first place of an extreme: NaN counts as one, and without an axis places count through."""

    def meaning(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        unset(out=out)
        a = tensor(a)
        lengths = [1] * a.ndim
        axis = None if axis != () and axes_of_single(a, axis) == () else axis
        is_some(a, axis, f"attempt to get {name} of an empty sequence")
        if axis is None:
            found = first(flat(a), 0)
            return _native.reshape(found, lengths) if keepdims else found
        at = axis_of(axis, a.ndim)
        found = first(a, at)
        return _native.expand_dims(found, at) if keepdims else found

    def first(a: Any, at: int) -> Any:
        if a.dtype.is_complex:
            return orders.place_of(a, at, extreme is _native.argmax)
        if a.dtype == _native.bool:
            a = _native.cast(a, _native.int32)
        found = extreme(a, at)
        if a.dtype.is_floating:
            unknown = _native.is_nan(a)
            place = _native.argmax(_native.cast(unknown, _native.int32), at)
            found = _native.where(_native.reduce_any(unknown, at), place, found)
        return _native.cast(found, _native.int64)

    return meaning


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = None
) -> Any:
    """The mean; of integers and bools a float64."""
    unset(out=out)
    a = tensor(a)
    if dtype is not None:
        a = _native.cast(a, dtype_of(dtype))
        if not fractional(a):
            raise NotMeantError
    a = a if fractional(a) else _native.cast(a, _native.float64)
    if not given(where) or where is True:
        return _native.reduce_mean(a, axis, keepdims=keepdims)
    return _native.reduce_sum(picked(a, where, 0), axis, keepdims=keepdims) / counted(
        a, where, axis, keepdims
    )


def counted(a: Any, where: Any, axis: Any, keepdims: Any) -> Any:
    """The number of elements where a mask is true, as a float of the array's dtype."""
    there = picked(_native.ones_like(a, a.dtype), where, 0)
    return _native.reduce_sum(there, axis, keepdims=keepdims)


def variance(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = None,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """The mean of the squares of the distances from the mean, of which `ddof` do not count."""
    unset(out=out)
    a = tensor(a) if dtype is None else _native.cast(tensor(a), dtype_of(dtype))
    if dtype is not None and not fractional(a):
        raise NotMeantError
    a = a if a.dtype.is_complex else reals(a)
    ddof = correction if given(correction) else ddof
    axes, lengths = axes_of(axis, a.ndim), _arrays.lengths(a)
    count: Any = 1
    for at in axes:
        count = count * lengths[at]
    if given(where) and where is not True:
        count = counted(a, where, axes, True)
        middle = _native.reduce_sum(picked(a, where, 0), axes, keepdims=True) / count
        count = count if keepdims else _native.reshape(count, _native.shape(_native.reduce_sum(a, axes)))
    else:
        middle = _native.reduce_mean(a, axes, keepdims=True)
    apart = picked(a - (tensor(mean) if given(mean) else middle), where, 0)
    size = _native.abs(apart) if a.dtype.is_complex else apart
    squares = _native.reduce_sum(size * size, axes, keepdims=keepdims)
    left = count - ddof
    left = builtins.max(left, 0) if isinstance(left, int | float) else _native.maximum(left, 0)
    return squares / _native.cast(left, squares.dtype)


def deviation(*args: Any, **kwargs: Any) -> Any:
    """The square root of the variance."""
    return _native.sqrt(variance(*args, **kwargs))


def range_of(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The greatest element less the least."""
    a = tensor(a)
    if a.dtype == _native.bool:
        raise NotMeantError
    # Differences of arrays wrap, those of single numbers may be an `OverflowError`.
    high, low = (_native.expand_dims(of(a, axis, out, keepdims), 0) for of in (greatest, least))
    return _native.squeeze(high - low, 0)


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The number of elements that are not zero."""
    a = tensor(a)
    truths = a if a.dtype == _native.bool else a != 0
    axis = axes_of_single(a, axis)
    return _native.reduce_sum(_native.cast(truths, _native.int64), axis, keepdims=keepdims)


def fractional(a: Any) -> bool:
    """True of floats and complex numbers, which may be NaN."""
    return bool(a.dtype.is_floating or a.dtype.is_complex)


def over_known(reduce: Meaning, instead: float) -> Meaning:
    """A sum or product that takes `instead` in place of what is not a number."""

    def meaning(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **rest: Any
    ) -> Any:
        a = tensor(a)
        known = _native.where(_native.is_nan(a), instead, a) if fractional(a) else a
        return reduce(known, axis, dtype, out, keepdims, **rest)

    return meaning


def _multiplied(a: Any, axis: Any, keepdims: Any = False) -> Any:
    """The product, of complex numbers in a loop where the lengths of axes are not known."""
    if a.dtype.is_complex and any(a.shape[at] is None for at in axes_of(axis, a.ndim)):
        from .turns import product_of_complex

        return product_of_complex(a, axis, keepdims)
    return _native.reduce_prod(a, axis, keepdims=keepdims)


greatest = of_some(
    "maximum",
    _native.reduce_max,
    _native.reduce_any,
    orders.of_two(_native.maximum, orders.picked(True, True)),
)
least = of_some(
    "minimum",
    _native.reduce_min,
    _native.reduce_all,
    orders.of_two(_native.minimum, orders.picked(False, True)),
)
total = of_integers(_native.reduce_sum, _native.add, 0)
product = of_integers(_multiplied, _native.multiply, 1)
running_sum = running(_running_results.cumsum)
running_product = running(_running_results.cumprod)

REDUCTIONS: dict[Any, Meaning] = {
    np.sum: total,
    np.prod: product,
    np.cumsum: running_sum,
    np.cumprod: running_product,
    np.mean: mean,
    np.max: greatest,
    np.min: least,
    np.amax: greatest,
    np.amin: least,
    np.all: of_truths(_native.reduce_all, True),
    np.any: of_truths(_native.reduce_any, False),
    np.argmax: place_of(_native.argmax, "argmax"),
    np.argmin: place_of(_native.argmin, "argmin"),
    np.var: variance,
    np.std: deviation,
    np.ptp: range_of,
    np.count_nonzero: count_nonzero,
    np.nansum: over_known(total, 0.0),
    np.nanprod: over_known(product, 1.0),
}
