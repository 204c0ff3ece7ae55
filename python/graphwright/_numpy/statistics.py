"""NumPy's statistics: quantiles, weighted means, covariances, and those that pass over NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _arrays, _native
from .._dtype_info import result_type
from . import reductions
from .meant import (
    Meaning,
    NotMeantError,
    axes_of,
    axes_of_single,
    axis_of,
    dtype_of,
    fails,
    flat,
    fractions_of,
    length,
    of_one_dtype,
    reals,
    rows,
    tensor,
    unset,
)
from .places import take_along_axis

#: The weights of the ends in NumPy's continuous methods of quantiles.
_ENDS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
    "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}


def together(a: Any, axis: Any) -> tuple[Any, list[int]]:
    """The array with these axes as the last one, and the axes."""
    axes = axes_of(axis, a.ndim)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    others = [at for at in range(a.ndim) if at not in axes]
    turned = _native.transpose(a, others + axes) if a.ndim else a
    around = _arrays.lengths(turned)[: len(others)]
    count = math.prod(_arrays.lengths(turned)[len(others) :])
    return _native.reshape(turned, [*around, count]), axes


def back(found: Any, axes: list[int], ndim: int, keepdims: Any, front: int = 0) -> Any:
    """The result with the axes that went away as ones of length 1."""
    if not keepdims or keepdims is np._NoValue:
        return found
    for at in sorted(axes):
        found = _native.expand_dims(found, at + front)
    return found


def quantile_of(a: Any, q: Any, axis: Any, method: str, keepdims: Any, known_only: bool) -> Any:
    """Quantiles along axes; NaN is passed over, or makes the result one."""
    given = tensor(a)
    a = _as_precise_as(q, reals(given))
    rows_, axes = together(a, axis)
    if rows_.shape[-1] == 0 and not known_only:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    fractions = _native.cast(tensor(q), a.dtype)
    row = flat(fractions)
    ok = _native.reduce_all((row >= 0.0) & (row <= 1.0))
    fails(ok, "ValueError", "Quantiles must be in the range [0, 1]")
    if rows_.shape[-1] == 0:
        rows_ = _native.concat(
            [rows_, _native.fill([*_arrays.lengths(rows_)[:-1], 1], _native.cast(math.nan, a.dtype))], -1
        )
    ordered = _native.sort(rows_, -1)
    unknown = _native.is_nan(ordered)
    count = _native.reduce_sum(_native.cast(~unknown, a.dtype), -1, keepdims=True)
    if not known_only:
        count = _native.cast(_native.ones_like(count), a.dtype) * _native.cast(length(rows_, -1), a.dtype)
    found = _between(ordered, row, count, method)
    if not known_only:
        bad = _native.reduce_any(unknown, -1, keepdims=True)
        found = _native.where(bad, math.nan, found)
    if method in ("lower", "higher", "nearest"):
        # These are elements themselves.
        found = _native.cast(found, given.dtype)
    found = _arrays.moved(found, found.ndim - 1, 0)
    found = _native.reshape(found, [*_arrays.lengths(fractions), *_arrays.lengths(found)[1:]])
    return back(found, axes, a.ndim, keepdims, fractions.ndim)


def _as_precise_as(q: Any, a: Any) -> Any:
    """The elements with the precision of an array of fractions; a number has none of its own."""
    if isinstance(q, int | float):
        return a
    if isinstance(q, list | tuple) and all(isinstance(one, int | float) for one in q):
        return _native.cast(a, _native.float64)
    fractions = tensor(q)
    if fractions.ndim == 0 or not fractions.dtype.is_floating:
        return a
    return _native.cast(a, result_type(a.dtype, fractions.dtype))


def _between(ordered: Any, row: Any, count: Any, method: str) -> Any:
    """The elements at fractions of the way through rows in order, of which `count` are known."""
    last = _native.maximum(count - 1, 0.0)
    way = row * last
    if method in _ENDS:
        first, end = _ENDS[method]
        at = count * row + (first + row * (1.0 - first - end)) - 1.0 if method != "linear" else way
    elif method in ("lower", "higher", "midpoint", "nearest"):
        at = {
            "lower": _native.floor(way),
            "higher": _native.ceil(way),
            "midpoint": 0.5 * (_native.floor(way) + _native.ceil(way)),
            "nearest": _native.round(way),
        }[method]
    else:
        raise NotMeantError
    at = _native.minimum(_native.maximum(at, 0.0), last)
    below = _native.floor(at)
    part = at - below
    low, high = (
        take_along_axis(ordered, _native.cast(one, _native.int64), -1)
        for one in (below, _native.minimum(below + 1.0, last))
    )
    if method in ("lower", "higher", "nearest"):
        return low
    # As NumPy has it, there is no way between infinities, of whatever length.
    apart = high - low
    return _native.where(part >= 0.5, high - apart * (1.0 - part), low + apart * part)


def quantile(scale: float, known_only: bool) -> Meaning:
    """`np.quantile`, `np.percentile` and those that pass over NaN."""

    def meaning(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
        interpolation: Any = None,
    ) -> Any:
        del overwrite_input
        unset(out=out, weights=weights, interpolation=interpolation)
        if tensor(a).dtype == _native.bool:
            raise NotMeantError
        if scale == 1.0:
            fractions = q
        elif isinstance(q, int | float):
            fractions = q / scale
        else:
            fractions = _native.cast(tensor(q), _native.float64) / scale
        return quantile_of(a, fractions, axis, method, keepdims, known_only)

    return meaning


def median(known_only: bool) -> Meaning:
    """The middle element, or the mean of two."""

    def meaning(
        a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False
    ) -> Any:
        del overwrite_input
        unset(out=out)
        a = fractions_of(a)
        rows_, axes = together(a, axis)
        if rows_.shape[-1] == 0:
            around = _arrays.lengths(rows_)[:-1]
            none: Any = complex(math.nan, math.nan) if a.dtype.is_complex else math.nan
            return back(_native.fill(around, _native.cast(none, a.dtype)), axes, a.ndim, keepdims)
        ordered = np.sort(rows_)
        unknown = _native.is_nan(ordered)
        known = _native.reduce_sum(_native.cast(~unknown, _native.int64), -1, keepdims=True)
        count = known if known_only else known * 0 + _native.cast(length(rows_, -1), _native.int64)
        low, high = (
            take_along_axis(ordered, _native.maximum(at, 0), -1)
            for at in (_native.floordiv(count - 1, 2), _native.floordiv(count, 2))
        )
        high = _native.where(count == 0, low, high) if known_only else high
        found = _native.where(low == high, low, (low + high) / 2)
        if not known_only:
            none = _native.cast(math.nan, a.dtype)
            found = _native.where(_native.reduce_any(unknown, -1, keepdims=True), none, found)
        return back(_native.squeeze(found, -1), axes, a.ndim, keepdims)

    return meaning


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    """The mean, each element as often as its weight says."""
    a = fractions_of(a)
    if weights is None:
        found = reductions.mean(a, axis, keepdims=keepdims)
        if 0 in found.shape or None in found.shape:
            fails(_native.size(found) != 0, "ZeroDivisionError", "division by zero")
        count = math.prod(_arrays.lengths(a)[at] for at in axes_of(axis, a.ndim)) if a.ndim else 1
        scale = _native.cast(count, found.dtype) + _native.zeros_like(found)
        return (found, scale) if returned else found
    a, weights = of_one_dtype(a, fractions_of(weights), exact=True)
    if a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = axes_of(axis, a.ndim)
        if weights.ndim != len(axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        if weights.ndim == 1:
            if None not in (weights.shape[0], a.shape[axes[0]]) and weights.shape[0] != a.shape[axes[0]]:
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
            shape = [1] * a.ndim
            shape[axes[0]] = -1
            weights = _native.reshape(weights, shape)
        else:
            raise NotMeantError
    weights = weights + _native.zeros_like(a)
    axes = axes_of(axis, a.ndim)
    scale = _native.reduce_sum(weights, axes, keepdims=keepdims)
    message = "Weights sum to zero, can't be normalized"
    fails(_native.reduce_all(scale != 0.0), "ZeroDivisionError", message)
    found = _native.reduce_sum(a * weights, axes, keepdims=keepdims) / scale
    return (found, scale) if returned else found


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """The covariances of variables, a row each."""
    parts = [_variables(m, rowvar)]
    if y is not None:
        parts.append(_variables(y, rowvar, is_second=True))
    x = _native.concat(of_one_dtype(*parts, exact=True), 0)
    if dtype is not None:
        x = _native.cast(x, dtype_of(dtype))
    weights = _both_weights(fweights, aweights, x)
    count = length(x, 1)
    take_off = (0 if bias else 1) if ddof is None else ddof
    if weights is None:
        middle = _native.reduce_mean(x, 1, keepdims=True)
        rest = _native.cast(count, x.dtype) - take_off
    else:
        whole = _native.reduce_sum(weights)
        middle = _native.reduce_sum(x * weights, 1, keepdims=True) / whole
        rest = whole - take_off
        if aweights is not None and take_off:
            rest = whole - take_off * _native.reduce_sum(weights * tensor(aweights)) / whole
    apart = x - middle
    weighted = apart if weights is None else apart * weights
    rest = _native.maximum(_native.real(rest), 0.0) if isinstance(rest, _native.Tensor) else max(rest, 0.0)
    found = _native.matmul(apart, _native.conj(weighted), transpose_b=True) / _native.cast(rest, x.dtype)
    if found.shape == (1, 1):
        return _native.squeeze(found)
    return found


def _variables(m: Any, rowvar: bool, is_second: bool = False) -> Any:
    """Variables as rows of double precision."""
    m = tensor(m)
    m = _native.cast(m, _native.complex128 if m.dtype.is_complex else _native.float64)
    if m.ndim > 2:
        raise ValueError(f"{'y' if is_second else 'm'} has more than 2 dimensions")
    is_row = m.ndim < 2
    m = _native.reshape(m, [1, -1]) if is_row else m
    return _native.transpose(m) if not rowvar and not is_row else m


def _both_weights(fweights: Any, aweights: Any, x: Any) -> Any:
    found = None
    for one in (fweights, aweights):
        if one is not None:
            one = _native.cast(tensor(one), x.dtype)
            found = one if found is None else found * one
    return found


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None, **rest: Any) -> Any:
    """The correlations of variables, a row each, from -1 to 1."""
    unset(**rest)
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    from ..linalg import diag_part

    spread = _native.sqrt(_native.real(diag_part(c)))
    apart = [_native.cast(_native.expand_dims(spread, at), c.dtype) for at in (1, 0)]
    found = c / apart[0] / apart[1]
    if not found.dtype.is_complex:
        return _within_one(found)
    return _native.complex(_within_one(_native.real(found)), _within_one(_native.imag(found)))


def _within_one(found: Any) -> Any:
    return _native.where(found > 1.0, 1.0, _native.where(found < -1.0, -1.0, found))


def known(a: Any, instead: float) -> tuple[Any, Any]:
    """The elements with `instead` for what is not a number, and where that is not."""
    a = tensor(a)
    if not reductions.fractional(a):
        return a, _native.ones_like(a, _native.bool)
    there = _native.logical_not(_native.is_nan(a))
    return _native.where(there, a, instead), there


def _in_dtype(a: Any, dtype: Any) -> Any:
    """Fractions of the dtype that is asked for; NumPy's `TypeError` for integers of what may be NaN."""
    a = tensor(a)
    if dtype is None:
        return fractions_of(a)
    wanted = dtype_of(dtype)
    if not (wanted.is_floating or wanted.is_complex):
        if reductions.fractional(a):
            raise TypeError("If a is inexact, then dtype must be inexact")
        raise NotMeantError
    return _native.cast(a, wanted)


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = None
) -> Any:
    """The mean of what is a number."""
    unset(out=out)
    a = _in_dtype(a, dtype)
    numbers, there = known(a, 0.0)
    if where is not None:
        there = there & tensor(where)
        numbers = _native.where(there, numbers, 0.0)
    axes = axes_of(axis, a.ndim)
    count = _native.reduce_sum(_native.cast(there, a.dtype), axes, keepdims=keepdims)
    return _native.reduce_sum(numbers, axes, keepdims=keepdims) / count


def nanvar(
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
    """The mean square of the distances from the mean, of what is a number."""
    unset(out=out, where=where)
    a = _in_dtype(a, dtype)
    ddof = ddof if correction is None else correction
    middle = nanmean(a, axis, keepdims=True) if mean is None else tensor(mean)
    _, there = known(a, 0.0)
    apart = _native.where(there, a - middle, _native.cast(0, a.dtype))
    apart = _native.abs(apart) if a.dtype.is_complex else apart
    axes = axes_of(axis, a.ndim)
    count = _native.reduce_sum(_native.cast(there, apart.dtype), axes, keepdims=keepdims)
    found = _native.reduce_sum(apart * apart, axes, keepdims=keepdims)
    return _native.where(count > ddof, found / _native.where(count > ddof, count - ddof, 1.0), math.nan)


def nanstd(*args: Any, **kwargs: Any) -> Any:
    """The square root of the same."""
    return _native.sqrt(nanvar(*args, **kwargs))


def nan_extreme(reduce: Meaning, least: float) -> Meaning:
    """The greatest or least of what is a number; NaN where nothing is."""

    def meaning(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **rest: Any) -> Any:
        numbers, there = known(a, least)
        found = reduce(numbers, axis, out, keepdims, **rest)
        if rest or not numbers.dtype.is_floating:
            return found
        some = _native.reduce_any(
            there, axes_of(axes_of_single(numbers, axis), numbers.ndim), keepdims=keepdims
        )
        return _native.where(some, found, math.nan)

    return meaning


def nan_place(name: str, least: float) -> Meaning:
    """The first place of an extreme of what is a number."""

    def meaning(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        unset(out=out)
        numbers, there = known(a, least)
        at = None if axis is None else axis_of(axis, numbers.ndim)
        some = _native.reduce_any(there, None if at is None else [at])
        fails(_native.reduce_all(some), "ValueError", "All-NaN slice encountered")
        return getattr(np, name)(numbers, axis=at, keepdims=keepdims)

    return meaning


def nan_running(name: str, instead: float) -> Meaning:
    """A running sum or product that passes over what is not a number."""

    def meaning(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return getattr(reductions, name)(known(a, instead)[0], axis, dtype, out)

    return meaning


def cumulative(name: str, start: int) -> Meaning:
    """`np.cumulative_sum` and its kin, which may begin with what nothing gives."""

    def meaning(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        x = tensor(x)
        x = flat(x) if x.ndim == 0 else x
        if axis is None:
            if x.ndim > 1:
                raise ValueError(
                    "For arrays which have more than one dimension ``axis`` argument is required."
                )
            axis = 0
        found = getattr(reductions, name)(x, axis, dtype, out)
        if not include_initial:
            return found
        at = axis_of(axis, x.ndim)
        around = _arrays.lengths(found)
        around[at] = 1
        return _native.concat([_native.fill(around, _native.cast(start, found.dtype)), found], at)

    return meaning


STATISTICS = rows(
    np,
    {
        "quantile": quantile(1.0, False),
        "percentile": quantile(100.0, False),
        "nanquantile": quantile(1.0, True),
        "nanpercentile": quantile(100.0, True),
        "median": median(False),
        "nanmedian": median(True),
        "average": average,
        "cov": cov,
        "corrcoef": corrcoef,
        "nanmean": nanmean,
        "nanvar": nanvar,
        "nanstd": nanstd,
        "nanmax": nan_extreme(reductions.greatest, -math.inf),
        "nanmin": nan_extreme(reductions.least, math.inf),
        "nanargmax": nan_place("argmax", -math.inf),
        "nanargmin": nan_place("argmin", math.inf),
        "nancumsum": nan_running("running_sum", 0.0),
        "nancumprod": nan_running("running_product", 1.0),
        "cumulative_sum": cumulative("running_sum", 0),
        "cumulative_prod": cumulative("running_product", 1),
    },
)
