"""NumPy's functions of sorted rows and of intervals: places in a row, counts, histograms, interpolation."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from .. import _native, _places
from .meant import (
    NotMeantError,
    concrete,
    fails,
    flat,
    is_exact,
    length,
    of_one_dtype,
    reals,
    rows,
    tensor,
)


def places_in(row: Any, values: Any, side: str = "left") -> Any:
    """The places at which values keep a sorted row in order; NaN comes last."""
    return _places.places_in(row, values, _from_left if side == "left" else _from_right)


def _from_left(found: Any, value: Any) -> Any:
    """True if a value belongs behind an element of the row, and before its equals."""
    behind = found < value
    return behind | ((value != value) & (found == found)) if value.dtype.is_floating else behind


def _from_right(found: Any, value: Any) -> Any:
    """True if a value belongs behind an element of the row, and behind its equals."""
    behind = found <= value
    return behind | (value != value) if value.dtype.is_floating else behind


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """The places at which values keep a sorted row in order."""
    a = tensor(a)
    side = {"l": "left", "r": "right"}.get(side, side)
    if side not in ("left", "right"):
        raise ValueError(f"search side must be one of 'left' or 'right' (got {side!r})")
    if a.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array"
            if a.ndim == 0
            else "object too deep for desired array"
        )
    if sorter is not None:
        a = _native.gather(a, tensor(sorter), axis=0)
    row, values = of_one_dtype(_ordered(a), _ordered(v), exact=True)
    return places_in(row, values, side)


def _ordered(x: Any) -> Any:
    x = tensor(x)
    if x.dtype == _native.string:
        raise NotMeantError
    return _native.cast(x, _native.uint8) if x.dtype == _native.bool else x


def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """The number of the interval in which each element lies."""
    x, bins = of_one_dtype(_ordered(x), _ordered(bins), exact=True)
    if bins.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array"
            if bins.ndim == 0
            else "object too deep for desired array"
        )
    # As NumPy has it, the first pair of unequal edges decides, and NaN is neither below nor above another.
    before, after = bins[:-1], bins[1:]
    apart = _native.concat([before != after, _native.ones([1], _native.bool)], 0)
    upwards = _native.concat([before < after, _native.ones([1], _native.bool)], 0)
    rises = _native.gather(upwards, _native.argmax(_native.cast(apart, _native.int32), 0), axis=0)
    falls_anywhere, rises_anywhere = _native.reduce_any(before > after), _native.reduce_any(before < after)
    is_monotonic = ~_native.where(rises, falls_anywhere, rises_anywhere)
    fails(is_monotonic, "ValueError", "bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    upwards = places_in(bins, x, side)
    downwards = length(bins, 0) - places_in(bins[::-1], x, side)
    return _native.where(rises, upwards, downwards)


def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """The count of each number from 0 on, or the sum of its weights."""
    x = tensor(x)
    if x.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array"
            if x.ndim == 0
            else "object too deep for desired array"
        )
    if x.dtype.is_floating or x.dtype.is_complex or x.dtype == _native.string:
        raise TypeError(
            f"Cannot cast array data from {np.dtype(x.dtype.as_numpy_dtype)!r} to dtype('int64') "
            "according to the rule 'safe'"
        )
    x = _native.cast(x, _native.int64)
    least, greatest = _places.ends_of(x)
    fails(least >= 0, "ValueError", "'list' argument must have no negative elements")
    if isinstance(minlength, int) and minlength < 0:
        raise ValueError("'minlength' must not be negative")
    return sums_of(x, weights, _native.maximum(greatest + 1, _native.cast(minlength, _native.int64)))


def sums_of(numbers: Any, weights: Any, count: Any, dtype: Any = _native.float64) -> Any:
    """For each number below `count` how often it is there, or the sum of its weights, computed in a dtype."""
    if weights is None:
        return _places.counted(numbers, _native.zeros([count], _native.int64))
    places = _native.expand_dims(numbers, 1)
    weights = _native.cast(tensor(weights), dtype)
    if weights.shape != numbers.shape and None not in (*weights.shape, *numbers.shape):
        raise ValueError("The weights and list don't have the same length.")
    return _native.tensor_scatter_nd_add(_native.zeros([count], dtype), places, weights)


def ends_of(a: Any, range: Any) -> tuple[Any, Any]:
    """The least and the greatest edge of a histogram."""
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif a.shape[0] == 0:
        low, high = 0, 1
    else:
        low, high = _native.reduce_min(a), _native.reduce_max(a)
        message = "autodetected range of the histogram is not finite"
        fails(_native.is_finite(low) & _native.is_finite(high), "ValueError", message)
    low, high = _native.cast(low, a.dtype), _native.cast(high, a.dtype)
    same = low == high
    return _native.where(same, low - 0.5, low), _native.where(same, high + 0.5, high)


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of intervals of one width, or those that are given."""
    del weights
    a = flat(reals(a))
    if isinstance(bins, str):
        raise NotMeantError
    if tensor(bins).ndim == 1:
        edges = tensor(bins)
        fails(
            _native.reduce_all(edges[:-1] <= edges[1:]),
            "ValueError",
            "`bins` must increase monotonically, when an array",
        )
        return edges
    bins = concrete(bins)
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = ends_of(a, range)
    from .creation import linspace

    return _native.cast(linspace(low, high, int(bins) + 1), a.dtype)


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """The number of elements in each interval, and the edges of these."""
    values = flat(reals(a))
    edges = histogram_bin_edges(a, bins, range)
    numbers, kept = numbers_in(values, edges)
    count = length(edges, 0) - 1
    if weights is None:
        found = sums_of(numbers, None, count + 1)[:count]
    else:
        found = _sums_of_weights(numbers, flat(tensor(weights)), count, tensor(bins).ndim == 1)
    del kept
    if density:
        widths = _native.cast(edges[1:] - edges[:-1], _native.float64)
        found = _native.cast(found, _native.float64)
        return found / widths / _native.reduce_sum(found), edges
    return found, edges


def _sums_of_weights(numbers: Any, weights: Any, count: Any, has_edges: bool) -> Any:
    """The sums of weights in their dtype, in which NumPy adds them where the edges of intervals are given."""
    dtype = weights.dtype
    if dtype == _native.bool and has_edges:
        raise TypeError(
            "Cannot cast ufunc 'add' output from dtype('int64') to dtype('bool') "
            "with casting rule 'same_kind'"
        )
    if has_edges or dtype.is_complex:
        return sums_of(numbers, weights, count + 1, dtype)[:count]
    found = sums_of(numbers, weights, count + 1)[:count]
    if dtype.is_integer and dtype != _native.uint64:
        # A sum beyond a narrow dtype wraps.
        found = _native.cast(found, _native.int64)
    return _native.cast(found, dtype)


def numbers_in(values: Any, edges: Any) -> tuple[Any, Any]:
    """The interval of each value, the number behind the last for one in none, and where it is in one."""
    values, rising = of_one_dtype(values, edges, exact=True)
    numbers = places_in(rising, values, "right") - 1
    count = length(edges, 0) - 1
    # The last interval has both of its ends.
    numbers = _native.where(values == rising[-1], numbers * 0 + (count - 1), numbers)
    kept = (values >= rising[0]) & (values <= rising[-1])
    return _native.where(kept, numbers, numbers * 0 + count), kept


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """The number of points in each box of a grid, and the edges along each axis."""
    points = columns_of(sample)
    given = [bins] * len(points) if isinstance(bins, int) else list(bins)
    ranges = [None] * len(points) if range is None else list(range)
    if len(given) != len(points):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    edges = [histogram_bin_edges(*one) for one in builtins.zip(points, given, ranges, strict=True)]
    counts = [length(one, 0) - 1 for one in edges]
    place: Any = None
    kept: Any = None
    for values, own, count in builtins.zip(points, edges, counts, strict=True):
        number, inside = numbers_in(values, own)
        place = number if place is None else place * count + number
        kept = inside if kept is None else kept & inside
    whole = math.prod(counts)
    place = _native.where(kept, place, place * 0 + whole)
    weights = tensor(weights) if weights is not None else _native.ones_like(place, _native.float64)
    found = _native.reshape(sums_of(place, weights, whole + 1)[:whole], counts)
    if density:
        for axis, own in enumerate(edges):
            shape = [1] * len(edges)
            shape[axis] = -1
            found = found / _native.reshape(own[1:] - own[:-1], shape)
        found = found / _native.reduce_sum(sums_of(place, weights, whole + 1)[:whole])
    return found, edges


def columns_of(sample: Any) -> list[Any]:
    """The coordinates of points along each axis."""
    if isinstance(sample, list | tuple):
        return [flat(reals(one)) for one in sample]
    points = reals(sample)
    if points.ndim == 1:
        return [points]
    if points.shape[1] is None:
        raise NotMeantError
    return [points[:, axis] for axis in builtins.range(points.shape[1])]


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """The number of points in each box of a grid, and the edges along both axes."""
    if not isinstance(bins, int) and not (isinstance(bins, list | tuple) and len(bins) == 2):
        bins = [bins, bins]
    found, edges = histogramdd([x, y], bins, range, density, weights)
    return found, edges[0], edges[1]


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Values between those at given places, on straight lines."""
    x, xp, fp = (_native.cast(tensor(one), _native.float64) for one in (x, xp, fp))
    if 0 in xp.shape:
        raise ValueError("array of sample points is empty")
    if period is not None:
        x, xp, fp = _within_period(x, xp, fp, abs(float(period)))
        left = right = None
    count = length(xp, 0)
    place = places_in(xp, x, "right") - 1
    at = _native.minimum(_native.maximum(place, 0), count - 1)
    after = _native.minimum(at + 1, count - 1)
    x0, x1, f0, f1 = (
        _native.gather(of, to, axis=0) for of, to in ((xp, at), (xp, after), (fp, at), (fp, after))
    )
    is_last = at == count - 1
    slope = (f1 - f0) / _native.where(is_last, 1.0, x1 - x0)
    found = slope * (x - x0) + f0
    found = _native.where(found != found, slope * (x - x1) + f1, found)
    found = _native.where((found != found) & (f0 == f1), f0, found)
    found = _native.where((x0 == x) | is_last, f0, found)
    found = _native.where(x < xp[0], fp[0] if left is None else _native.cast(left, _native.float64), found)
    found = _native.where(
        x > xp[-1], fp[-1] if right is None else _native.cast(right, _native.float64), found
    )
    return _native.where(x != x, x, found)


def _within_period(x: Any, xp: Any, fp: Any, period: float) -> tuple[Any, Any, Any]:
    """The same with all places in one period, and one place more at each end."""
    if period == 0.0:
        raise ValueError("period must be a non-zero value")
    x, xp = _native.floormod(x, period), _native.floormod(xp, period)
    order = _native.argsort(xp, stable=True)
    xp, fp = _native.gather(xp, order, axis=0), _native.gather(fp, order, axis=0)
    xp = _native.concat([xp[-1:] - period, xp, xp[:1] + period], 0)
    return x, xp, _native.concat([fp[-1:], fp, fp[:1]], 0)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The area below a line through points."""
    from .meant import along, axis_of
    from .polynomials import diff

    y = tensor(y)
    at = axis_of(axis, y.ndim)
    if x is not None:
        x = tensor(x)
        if x.ndim == 1:
            dx = diff(x)
            shape = [1] * y.ndim
            shape[at] = -1
            dx = _native.reshape(dx, shape)
        else:
            own = axis_of(axis, x.ndim)
            dx = diff(x, axis=own)
    both = np.add(along(y, at, slice(1, None)), along(y, at, slice(None, -1)))
    if x is not None:
        dx, both = of_one_dtype(dx, both, exact=is_exact(y, x))
    # NumPy's differences and sums of integers stay in their dtype, and wrap there.
    return np.sum(np.true_divide(np.multiply(dx, both), 2.0), axis=at)


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * math.pi) -> Any:
    """Angles without jumps of more than half a period."""
    from .meant import along, axis_of

    given = reals(p) if tensor(p).dtype == _native.bool else tensor(p)
    p = given if isinstance(period, int) and given.dtype.is_integer else reals(given)
    at = axis_of(axis, p.ndim)
    jumps = _native.cast(along(given, at, slice(1, None)) - along(given, at, slice(None, -1)), p.dtype)
    is_whole = p.dtype.is_integer
    half = period // 2 if is_whole else period / 2
    inside = _native.floormod(jumps + half, period) - half
    if not is_whole or period % 2 == 0:
        inside = _native.where((inside == -half) & (jumps > 0), half, inside)
    least = period / 2 if discont is None else max(discont, period / 2)
    more = _native.where(_native.abs(jumps) < least, 0, inside - jumps)
    turned = along(p, at, slice(1, None)) + _native.cast(np.cumsum(more, axis=at), p.dtype)
    return _native.concat([along(p, at, slice(None, 1)), turned], at)


INTERVALS = rows(
    np,
    {
        "searchsorted": searchsorted,
        "digitize": digitize,
        "bincount": bincount,
        "histogram": histogram,
        "histogram_bin_edges": histogram_bin_edges,
        "histogram2d": histogram2d,
        "histogramdd": histogramdd,
        "interp": interp,
        "trapezoid": trapezoid,
        "trapz": trapezoid,
        "unwrap": unwrap,
    },
)
