"""NumPy's functions of series and polynomials: differences, slopes, convolutions, products side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _arrays, _native
from .._function import function
from .matrices import lstsq
from .meant import (
    NotMeantError,
    along,
    axes_of,
    axis_of,
    concrete,
    fails,
    fractions_of,
    known_lengths,
    length,
    of_one_dtype,
    reals,
    rows,
    tensor,
)
from .searches import flatnonzero
from .turns import divided


def diff(a: Any, n: int = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """The difference of each element from the one before, `n` times."""
    a = tensor(a)
    n = int(concrete(n))
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    if n == 0:
        return _arrays.identity(a)
    at = axis_of(axis, a.ndim)
    ends = [one for one in (prepend, append) if one is not None and one is not np._NoValue]
    if ends:
        parts = [one if one is None or one is np._NoValue else _end(one, a, at) for one in (prepend, append)]
        parts = [one for one in (parts[0], a, parts[1]) if one is not None and one is not np._NoValue]
        a = _native.concat(of_one_dtype(*parts, exact=True), at)
    for _ in range(n):
        after, before = along(a, at, slice(1, None)), along(a, at, slice(None, -1))
        a = after != before if a.dtype == _native.bool else after - before
    return a


def _end(value: Any, a: Any, axis: int) -> Any:
    """Padding in front of an array or behind it: one number for a whole slice."""
    value = tensor(value)
    if value.ndim:
        return value
    around = _arrays.lengths(a)
    around[axis] = 1
    return _native.broadcast_to(value, around)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along axes, from the elements beside each."""
    if tensor(f).dtype == _native.bool:
        # NumPy has no difference of truths.
        raise NotMeantError
    f = fractions_of(f)
    axes = axes_of(axis, f.ndim)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if not varargs:
        steps: list[Any] = [1.0] * len(axes)
    elif len(varargs) == 1 and tensor(varargs[0]).ndim == 0:
        steps = [varargs[0]] * len(axes)
    elif len(varargs) == len(axes):
        steps = [
            one if tensor(one).ndim == 0 else _steps(tensor(one), f, at)
            for one, at in zip(varargs, axes, strict=True)
        ]
    else:
        raise TypeError("invalid number of arguments")
    slopes = (_slope(f, at, step, edge_order) for at, step in zip(axes, steps, strict=True))
    found = [_native.cast(slope, f.dtype) for slope in slopes]
    return found[0] if len(found) == 1 else tuple(found)


def _steps(places: Any, f: Any, axis: int) -> Any:
    """Distances between places along an axis."""
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if None not in (places.shape[0], f.shape[axis]) and places.shape[0] != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    places = reals(places)
    shape = [1] * f.ndim
    shape[axis] = -1
    return _native.reshape(places[1:] - places[:-1], shape)


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    fails(
        length(f, axis) >= edge_order + 1,
        "ValueError",
        "Shape of array too small to calculate a numerical gradient, "
        "at least (edge_order + 1) elements are required.",
    )

    def part(low: Any, high: Any) -> Any:
        return along(f, axis, slice(low, high))

    is_even = not isinstance(step, _native.Tensor) or step.ndim == 0
    if is_even:
        middle = (part(2, None) - part(None, -2)) / (2.0 * step)
        before = after = step
    else:
        before, after = along(step, axis, slice(None, -1)), along(step, axis, slice(1, None))
        middle = (
            -after / (before * (before + after)) * part(None, -2)
            + (after - before) / (before * after) * part(1, -1)
            + before / (after * (before + after)) * part(2, None)
        )
    if edge_order == 1:
        first = step if is_even else along(step, axis, slice(None, 1))
        last = step if is_even else along(step, axis, slice(-1, None))
        start = (part(1, 2) - part(0, 1)) / first
        end = (part(-1, None) - part(-2, -1)) / last
        return _native.concat([start, middle, end], axis)
    h1, h2 = (step, step) if is_even else (along(step, axis, slice(0, 1)), along(step, axis, slice(1, 2)))
    start = (
        -(2.0 * h1 + h2) / (h1 * (h1 + h2)) * part(0, 1)
        + (h1 + h2) / (h1 * h2) * part(1, 2)
        - h1 / (h2 * (h1 + h2)) * part(2, 3)
    )
    h1, h2 = (
        (step, step) if is_even else (along(step, axis, slice(-2, -1)), along(step, axis, slice(-1, None)))
    )
    end = (
        h2 / (h1 * (h1 + h2)) * part(-3, -2)
        - (h2 + h1) / (h1 * h2) * part(-2, -1)
        + (2.0 * h2 + h1) / (h2 * (h1 + h2)) * part(-1, None)
    )
    return _native.concat([start, middle, end], axis)


@function
def _sums_of_products(a: Any, v: Any) -> Any:
    """The sums of products of one row with the other backwards, for one element of the shorter at a time.

    Each is multiplied with the elements that meet it alone, so that infinities meet no zeros of a padding.
    """
    if length(a, 0) < length(v, 0):
        long, short = v, a
    else:
        long, short = a, v
    count = length(long, 0)
    found = _native.zeros([count + length(short, 0) - 1], a.dtype)
    for at in _native.range(length(short, 0)):
        found[at : at + count] += long * short[at : at + 1]
    return found


def full_convolution(a: Any, v: Any) -> Any:
    """The sums of products of one row with the other backwards, at each place where they meet."""
    a, v = of_one_dtype(a, v, exact=True)
    if a.dtype == _native.bool:
        return full_convolution(_native.cast(a, _native.int64), _native.cast(v, _native.int64)) != 0
    for row, name in ((a, "a"), (v, "v")):
        fails(length(row, 0) != 0, "ValueError", f"{name} cannot be empty")
    if a.dtype.size == 2 and a.dtype.is_floating:
        wide = _sums_of_products(_native.cast(a, _native.float32), _native.cast(v, _native.float32))
        return _native.cast(wide, a.dtype)
    return _sums_of_products(a, v)


def _row(a: Any) -> Any:
    a = tensor(a)
    if a.ndim > 1:
        raise ValueError("object too deep for desired array")
    return _native.reshape(a, [-1])


_MODES = {0: "valid", 1: "same", 2: "full", "v": "valid", "s": "same", "f": "full"}


def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """The convolution of two rows."""
    return _middle(_row(a), _row(v), mode, False)


def _middle(a: Any, v: Any, mode: Any, is_correlation: bool) -> Any:
    """The convolution of two rows, or the part of it that a mode names."""
    mode = _MODES.get(mode, mode)
    full = full_convolution(a, v)
    if mode == "full":
        return full
    n, m = length(a, 0), length(v, 0)
    are_known = isinstance(n, int) and isinstance(m, int)
    short: Any = min(n, m) if are_known else _native.minimum(n, m)
    long: Any = max(n, m) if are_known else _native.maximum(n, m)
    if mode == "valid":
        return full[short - 1 : long]
    if mode != "same":
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    start = (short - 1) // 2
    if is_correlation:
        # NumPy moves the shorter row along the longer one, and turns the sums round if that is the second.
        back = short - 1 - start
        start = (back if n < m else start) if are_known else _native.where(n < m, back, start)
    return full[start : start + long]


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """The sums of products of two rows, one moved along the other."""
    a, v = _row(a), _native.conj(_row(v))
    return _middle(a, v[::-1], mode, True)


def kron(a: Any, b: Any) -> Any:
    """Each element of one array times the whole other one, side by side."""
    a, b = of_one_dtype(tensor(a), tensor(b), exact=True)
    ndim = max(a.ndim, b.ndim)
    a = _native.reshape(a, [1] * (ndim - a.ndim) + _arrays.lengths(a))
    b = _native.reshape(b, [1] * (ndim - b.ndim) + _arrays.lengths(b))
    apart = [(one, 1) for one in _arrays.lengths(a)]
    beside = [(1, one) for one in _arrays.lengths(b)]
    left = _native.reshape(a, [part for pair in apart for part in pair])
    right = _native.reshape(b, [part for pair in beside for part in pair])
    whole = [one * other for one, other in zip(_arrays.lengths(a), _arrays.lengths(b), strict=True)]
    return _native.reshape(left * right, whole)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:  # noqa: N803 - NumPy's name
    """Powers of the elements, a column for each exponent."""
    x = tensor(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    x = _native.cast(x, _native.as_dtype(np.promote_types(x.dtype.as_numpy_dtype, int)))
    count = known_lengths(x)[0] if N is None else int(N)
    if count == 0:
        return _native.zeros([length(x, 0), 0], x.dtype)
    powers = [_native.ones_like(x)]
    for _ in range(count - 1):
        powers.append(powers[-1] * x)
    return _native.stack(powers if increasing else powers[::-1], 1)


def coefficients(p: Any) -> Any:
    """The coefficients of a polynomial, a row."""
    if isinstance(p, np.poly1d):
        p = p.coeffs
    p = tensor(p)
    return _native.reshape(p, [1]) if p.ndim == 0 else p


def polyval(p: Any, x: Any) -> Any:
    """The value of a polynomial."""
    if isinstance(x, np.poly1d):
        raise NotMeantError
    p, x = coefficients(p), tensor(x)
    if known_lengths(p)[0] == 0:
        return _native.zeros_like(x)
    p, x = of_one_dtype(p, x, exact=True)
    found = _native.zeros_like(x)
    for at in range(known_lengths(p)[0]):
        found = found * x + p[at]
    return found


def polyadd(a1: Any, a2: Any, sign: int = 1) -> Any:
    """The sum of two polynomials."""
    a1, a2 = of_one_dtype(coefficients(a1), coefficients(a2), exact=True)
    more = known_lengths(a1)[0] - known_lengths(a2)[0]
    a1 = _arrays.pad(a1, [(max(-more, 0), 0)])
    a2 = _arrays.pad(a2, [(max(more, 0), 0)])
    return a1 + a2 if sign > 0 else a1 - a2


def without_zeros(p: Any, leading: Any) -> Any:
    """The coefficients without so many zeros in front, of which one stays where there is nothing else."""
    return p[_native.minimum(leading, _native.cast(length(p, 0), _native.int64) - 1) :]


def leading_zeros(p: Any) -> Any:
    """The number of leading coefficients that are zero."""
    count = _native.cast(length(p, 0), _native.int64)
    return _native.concat([flatnonzero(p), _native.reshape(count, [1])], 0)[0]


def polymul(a1: Any, a2: Any) -> Any:
    """The product of two polynomials."""
    a1, a2 = (
        _native.zeros([1], one.dtype) if one.shape[0] == 0 else one for one in map(coefficients, (a1, a2))
    )
    full = full_convolution(a1, a2)
    last = [_native.cast(length(one, 0), _native.int64) - 1 for one in (a1, a2)]
    zeros = [_native.minimum(leading_zeros(one), most) for one, most in zip((a1, a2), last, strict=True)]
    return without_zeros(full, zeros[0] + zeros[1])


#: Steps of a division at most that are written one by one into a graph.
_MOST_STEPS = 64


def polydiv(u: Any, v: Any) -> Any:
    """The quotient and the rest of two polynomials."""
    u, v = reals(coefficients(u)), reals(coefficients(v))
    # NumPy divides by the first coefficient in the dtype of the divisor.
    scale = 1.0 / v[0]
    u, v, scale = of_one_dtype(u, v, scale, exact=True)
    n, m = length(u, 0), length(v, 0)
    if not isinstance(n, int) or not isinstance(m, int) or n - m > _MOST_STEPS:
        found, rest = divided(u, v, scale)
        near = _native.abs(rest) <= 1e-8
        return found, without_zeros(rest, leading_zeros(_native.cast(~near, _native.int64)))
    rest, quotient = u, []
    for at in range(n - m + 1):
        digit = scale * rest[at]
        quotient.append(digit)
        shift = _arrays.pad(digit * v, [(at, n - m - at)])
        rest = rest - shift
    found = _native.stack(quotient, 0) if quotient else _native.zeros([max(n - m + 1, 1)], u.dtype)
    # NumPy leaves out what is zero but for rounding in front of the rest.
    near = _native.abs(rest) <= 1e-8
    return found, without_zeros(rest, leading_zeros(_native.cast(~near, _native.int64)))


def polyder(p: Any, m: int = 1) -> Any:
    """The derivative of a polynomial."""
    p = coefficients(p)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(m):
        count = known_lengths(p)[0]
        p, powers = of_one_dtype(p[:-1], np.arange(count - 1, 0, -1), exact=True)
        p = p * powers
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The antiderivative of a polynomial."""
    p = coefficients(p)
    wide = _native.complex128 if p.dtype.is_complex else _native.float64
    p = fractions_of(p) if m == 0 else _native.cast(p, wide)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = [0.0] * m if k is None else _constants(k, m)
    for constant in constants:
        count = known_lengths(p)[0]
        p = p / _native.cast(tensor(np.arange(count, 0, -1)), p.dtype)
        p = _native.concat([p, _native.reshape(_native.cast(constant, p.dtype), [1])], 0)
    return p


def _constants(k: Any, m: int) -> Sequence[Any]:
    k = tensor(k)
    if k.ndim == 0 or k.shape[0] == 1:
        return [_native.reshape(k, [])] * m
    if k.shape[0] < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    return [k[at] for at in range(m)]


def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """The polynomial of a degree that is nearest to points."""
    if not isinstance(deg, int | np.integer) or cov:
        raise NotMeantError
    x, y = of_one_dtype(reals(x), reals(y))
    x, y = _native.cast(x, _native.float64), _native.cast(y, _native.float64)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.shape[0] == 0:
        raise TypeError("expected non-empty vector for x")
    if x.shape[0] is not None and x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    table, right = vander(x, deg + 1), y
    if w is not None:
        weights = _native.expand_dims(_native.cast(tensor(w), _native.float64), 1)
        table = table * weights
        right = right * (weights if right.ndim == 2 else weights[:, 0])
    scale = _native.sqrt(_native.reduce_sum(table * table, 0))
    cut = known_lengths(x)[0] * np.finfo(np.float64).eps if rcond is None else rcond
    found, left, rank, values = lstsq(table / scale, right, float(cut))
    found = found / (_native.expand_dims(scale, 1) if found.ndim == 2 else scale)
    return (found, left, rank, values, cut) if full else found


def poly(seq_of_zeros: Any) -> Any:
    """The polynomial that has these zeros."""
    zeros = tensor(seq_of_zeros)
    if zeros.ndim != 1:
        raise NotMeantError
    if zeros.dtype.is_complex:
        # Zeros in pairs have real coefficients, which the elements decide.
        raise NotMeantError
    is_narrow = not zeros.dtype.is_floating or zeros.dtype == _native.float16
    zeros = _native.cast(zeros, _native.float64) if is_narrow else zeros
    found = _native.ones([1], zeros.dtype)
    for at in range(known_lengths(zeros)[0]):
        nothing = _native.zeros([1], zeros.dtype)
        found = _native.concat([found, nothing], 0) - zeros[at] * _native.concat([nothing, found], 0)
    return found


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """The results of a function for each row along an axis."""
    arr = tensor(arr)
    at = axis_of(axis, arr.ndim)
    turned = _arrays.moved(arr, at, arr.ndim - 1)
    around = known_lengths(turned)[:-1]
    count = math.prod(around)
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    if count > _MOST_ROWS:
        raise NotMeantError
    rows_ = _native.reshape(turned, [count, length(turned, -1)])
    of_row = _native.operators.conv(func1d)
    found = [tensor(of_row(rows_[row], *args, **kwargs)) for row in range(count)]
    inner = found[0].ndim
    made = _native.reshape(_native.stack(found, 0), [*around, *_arrays.lengths(found[0])])
    order = list(range(at)) + list(range(len(around), len(around) + inner)) + list(range(at, len(around)))
    return _native.transpose(made, order) if made.ndim else made


#: So many rows at most are taken one by one: each stands in the graph.
_MOST_ROWS = 256


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """The result of a function along one axis after the other."""
    a = tensor(a)
    for one in axes if isinstance(axes, list | tuple) else (axes,):
        at = axis_of(one, a.ndim)
        found = tensor(_native.operators.conv(func)(a, at))
        if found.ndim == a.ndim - 1:
            found = _native.expand_dims(found, at)
        if found.ndim != a.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        a = found
    return a


def _difference(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials."""
    return polyadd(a1, a2, -1)


def sum_of(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials."""
    return polyadd(a1, a2)


def roots(p: Any) -> Any:
    """The zeros of polynomials with complex coefficients, as NumPy's companion matrix gives them."""
    p = tensor(p)
    if not p.dtype.is_complex:
        raise NotMeantError
    kind = p.dtype.as_numpy_dtype
    found = _native.TensorSpec([None], p.dtype)
    return _native.numpy_function(lambda p: np.roots(p).astype(kind), [p], found)


POLYNOMIALS = rows(
    np,
    {
        "diff": diff,
        "gradient": gradient,
        "convolve": convolve,
        "correlate": correlate,
        "kron": kron,
        "vander": vander,
        "polyval": polyval,
        "polyadd": sum_of,
        "polysub": _difference,
        "polymul": polymul,
        "polydiv": polydiv,
        "polyder": polyder,
        "polyint": polyint,
        "polyfit": polyfit,
        "poly": poly,
        "roots": roots,
        "apply_along_axis": apply_along_axis,
        "apply_over_axes": apply_over_axes,
    },
)
