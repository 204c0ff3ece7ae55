"""Python's functions of single numbers for a tensor without axes: `int`, `round`, `pow`, `range` and more."""

from __future__ import annotations

import builtins
import functools
import math
import warnings
from typing import Any

import numpy as np

from .. import _native
from . import texts, written
from .refused import refuse

conv = _native.operators.conv


def scalar(x: Any, name: str) -> Any:
    """`x` as one number: a Python number as it is, a tensor of one element without its axes."""
    if not isinstance(x, _native.Tensor):
        return x
    shape = tuple(x.shape)
    if shape and takes_no_axes() and _native.is_of_numpy(x):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if builtins.any(length != 1 for length in shape):
        refuse(
            f"`{name}` takes one number, but this tensor has shape {shape}",
            f"write `gw.{name}` or another function of tensors, or take one element",
        )
    return _native.reshape(x, []) if shape else x


@functools.cache
def takes_no_axes() -> builtins.bool:
    """True of versions of NumPy whose arrays of one element with axes are no numbers of Python's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            builtins.float(np.zeros(1))
        except TypeError:
            return True
    return False


def as_number(x: Any) -> Any:
    """`x`, of which a tensor is a number of Python's."""
    return _native.as_number(x) if isinstance(x, _native.Tensor) else x


def is_float(x: Any) -> builtins.bool:
    """True if a number is a float."""
    return x.dtype.is_floating if isinstance(x, _native.Tensor) else isinstance(x, builtins.float)


def is_text(x: Any) -> builtins.bool:
    """True if a value is a text of the graph."""
    return isinstance(x, _native.Tensor) and x.dtype == _native.string


def int(x: Any = 0, /, *base: Any) -> Any:
    """`int(x)`: without what is behind the point."""
    x = scalar(x, "int")
    if is_text(x):
        return texts.integer(x, *base)
    if base:
        raise TypeError("int() can't convert non-string with explicit base")
    refuse_complex(x, "int")
    if not is_float(x):
        return _native.as_number(x if x.dtype != _native.bool else _native.cast(x, _native.int64))
    _native.check(x == x, "ValueError", "cannot convert float NaN to integer")
    _native.check(_native.is_finite(x), "OverflowError", "cannot convert float infinity to integer")
    fits = _native.abs(x) < 2.0**63
    _native.check_limit(fits, "OverflowError", "GW306: this float is too large for a 64-bit integer")
    return _native.as_number(_native.cast(x, _native.int64))


def float(x: Any = 0.0, /) -> Any:
    """`float(x)`"""
    x = scalar(x, "float")
    if is_text(x):
        return texts.float(x)
    refuse_complex(x, "float")
    return _native.as_number(_native.cast(x, _native.float64))


def item(x: Any) -> Any:
    """`x.item()`: the only element of a tensor of the graph."""
    if None not in x.shape and math.prod(x.shape) != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    x = _native.reshape(x, [])
    if x.dtype == _native.bool:
        return as_number(x)
    if is_complex(x):
        return _native.as_number(_native.cast(x, _native.complex128))
    return float(x) if is_float(x) else int(x)


def is_complex(x: Any) -> builtins.bool:
    """True of complex numbers."""
    return x.dtype.is_complex if isinstance(x, _native.Tensor) else isinstance(x, builtins.complex)


def refuse_complex(x: Any, name: str) -> None:
    """Raises `TypeError` as Python's conversions of complex numbers do."""
    if is_complex(x):
        raise TypeError(f"{name}() argument must be a string or a real number, not 'complex'")


def complex(real: Any = 0, imag: Any = 0, /) -> Any:
    """`complex(real, imag)`"""
    parts = [scalar(part, "complex") for part in (real, imag)]
    if builtins.any(is_text(part) for part in parts):
        refuse("`complex` of a text of the graph", "convert its parts by `float`")
    if is_complex(parts[0]) and isinstance(imag, builtins.int) and imag == 0:
        return _native.as_number(_native.cast(tensor_of(parts[0]), _native.complex128))
    re, im = (_native.cast(tensor_of(part), _native.complex128) for part in parts)
    found = _native.complex(_native.real(re) - _native.imag(im), _native.imag(re) + _native.real(im))
    return _native.as_number(found)


def bool(x: Any = False, /) -> Any:
    """`bool(x)`"""
    return as_number(_native.truth(scalar(x, "bool")))


def refuse_bool(x: Any) -> None:
    """Fails as `round` does for a bool of NumPy's."""
    if not isinstance(x, _native.Tensor) or x.dtype != _native.bool:
        return
    if _native.is_of_numpy(x):
        raise TypeError("type numpy.bool doesn't define __round__ method")
    _native.check_integer(x, "round")


def round(number: Any, ndigits: Any = None) -> Any:
    """`round(number, ndigits)`: ties to even, of the number's exact value."""
    x = scalar(number, "round")
    if is_complex(x):
        raise TypeError("type complex doesn't define __round__ method")
    if _native.is_staged(ndigits):
        refuse("how many digits `round` keeps must be known while tracing", "give a Python number")
    refuse_bool(x)
    if ndigits is None:
        return int(_native.round(x)) if is_float(x) else int(x)
    digits = ndigits.__index__()
    if not is_float(x):
        x = int(x)
        return x if digits >= 0 else conv(written.round_integer)(x, 10**-digits)
    if builtins.abs(digits) > 22:
        refuse("`round` of a tensor keeps up to 22 digits", "round to fewer digits")
    wide = _native.cast(x, _native.float64)
    return _native.as_number(_native.cast(rounded(wide, digits), x.dtype))


def rounded(x: Any, digits: builtins.int) -> Any:
    """A `float64` rounded to so many digits behind the point, which may be negative."""
    scale = 10.0 ** builtins.abs(digits)
    scaled = x * scale if digits >= 0 else x / scale
    back = (scaled, scale, x) if digits < 0 else (x, scale, scaled)
    error = product_error(*back) if digits >= 0 else -product_error(*back)
    whole = _native.round(scaled)
    tie = _native.abs(scaled - _native.floor(scaled) - 0.5) == 0.0
    tie_broken = _native.where(error > 0.0, _native.ceil(scaled), _native.floor(scaled))
    whole = _native.where(_native.logical_and(tie, error != 0.0), tie_broken, whole)
    result = whole / scale if digits >= 0 else whole * scale
    exact = _native.logical_and(_native.is_finite(scaled), _native.abs(scaled) < 2.0**53)
    return _native.where(exact, signed_as(result, x), x)


def product_error(x: Any, y: Any, product: Any) -> Any:
    """`x * y - product` for a product that was rounded, without another rounding."""
    x_high, x_low = split(x)
    y_high, y_low = split(y)
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def split(x: Any) -> tuple[Any, Any]:
    """A `float64` as the sum of two that have half as many digits."""
    shifted = x * 134217729.0
    high = shifted - (shifted - x)
    return high, x - high


def signed_as(result: Any, x: Any) -> Any:
    """`-0.0` where what is rounded to zero is negative."""
    return _native.where(_native.logical_and(result == 0.0, x < 0.0), -0.0 * _native.abs(x), result)


def pow(base: Any, exp: Any, mod: Any = None) -> Any:
    """`pow(base, exp, mod)`"""
    if mod is None:
        return base**exp
    numbers = [scalar(x, "pow") for x in (base, exp, mod)]
    if builtins.any(is_float(x) for x in numbers):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    if not _native.is_tracing():
        base, exp, mod = (x.__index__() for x in numbers)
        return _native.constant(builtins.pow(base, exp, mod), _native.int64)
    base, exp, mod = (_native.cast(tensor_of(x), _native.int64) for x in numbers)
    _native.check(mod != 0, "ValueError", "pow() 3rd argument cannot be 0")
    _native.check_limit(mod != -(2**63), "OverflowError", "GW306: the modulus of `pow` is -2 ** 63")
    result, common = conv(written.power_modulo)(base, exp, mod)
    _native.check(common == 1, "ValueError", "base is not invertible for the given modulus")
    return _native.as_number(result)


def tensor_of(x: Any) -> Any:
    """A number as a tensor of 64 bits."""
    if isinstance(x, _native.Tensor):
        return x
    return _native.constant(x, _native.float64 if isinstance(x, builtins.float) else _native.int64)


def len(x: Any, /) -> Any:
    """`len(x)`"""
    return _native.length(x) if isinstance(x, _native.Tensor) else builtins.len(x)


def bound(x: Any, name: str) -> Any:
    """An integer from or up to which Python counts, as a number of Python's, which has no ends."""
    x = scalar(x, name)
    _native.check_integer(x, name)
    if is_float(x):
        raise TypeError("a tensor of floats cannot be interpreted as an integer")
    return int(x) if isinstance(x, _native.Tensor) else x


def range(*bounds: Any) -> Any:
    """`range(start, stop, step)`, without making its numbers where a loop runs over it."""
    bounds = tuple(bound(x, "range") for x in bounds)
    if builtins.len(bounds) == 1:
        bounds = (0, *bounds)
    if builtins.len(bounds) == 3 and isinstance(bounds[2], _native.Tensor):
        _native.check(bounds[2] != 0, "ValueError", "range() arg 3 must not be zero")
    # Whatever its bounds are, Python's range counts in Python's own numbers.
    return _native.as_range(_native.range_of_numbers(*(*bounds, 1)[:3]))
