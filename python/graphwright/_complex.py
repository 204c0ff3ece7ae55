"""Functions of complex numbers that are compositions: Kahan's formulas, with the branch cuts of C99."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import _native
from ._meanings import mathematics
from ._native import Tensor


def is_complex(x: Any) -> bool:
    """True of a tensor of complex numbers."""
    return isinstance(x, Tensor) and x.dtype.is_complex


def turned(z: Any) -> Any:
    """`i z`, without a product in which infinities become NaN."""
    return _native.complex(-_native.imag(z), _native.real(z))


def turned_back(z: Any) -> Any:
    """`-i z`"""
    return _native.complex(_native.imag(z), -_native.real(z))


def _less(z: Any) -> Any:
    """`1 - z`, where the sign of an imaginary part of zero is turned round."""
    return _native.complex(1.0 - _native.real(z), -_native.imag(z))


def _more(z: Any, number: float) -> Any:
    """`z + number`, where the imaginary part stays what it is."""
    return _native.complex(_native.real(z) + number, _native.imag(z))


def asin(z: Any) -> Any:
    """The inverse sine."""
    return turned_back(_native.asinh(turned(z)))


def _ends(z: Any, angle_of: Callable[[Any, Any], Any]) -> tuple[Any, Any, Any]:
    """Where a number is infinite, or zero beside NaN, and its angle and size there, as C99 has them."""
    re, im = _native.real(z), _native.imag(z)
    endless = _native.logical_or(_native.abs(re) == math.inf, _native.abs(im) == math.inf)
    beside = _native.logical_and(re == 0.0, im != im)
    angle = _native.where(beside, math.pi / 2.0, angle_of(_direction(re), _direction(im)))
    size = _native.where(beside, math.nan, math.inf * _native.ones_like(re))
    return _native.logical_or(endless, beside), angle, size


def _direction(part: Any) -> Any:
    """The direction of a part of a number that is infinite: of one that is finite none."""
    size = _native.where(_native.abs(part) == math.inf, _native.ones_like(part), _native.zeros_like(part))
    return _native.where(part != part, part, mathematics.with_sign(size, part))


def acos(z: Any) -> Any:
    """The inverse cosine."""
    below, above = _native.sqrt(_less(z)), _native.sqrt(_more(z, 1.0))
    angle = 2.0 * _native.atan2(_native.real(below), _native.real(above))
    size = _native.asinh(_native.imag(_native.conj(above) * below))
    is_end, turn, far = _ends(z, lambda re, im: _native.atan2(_native.abs(im), re))
    far = mathematics.with_sign(far, -_native.imag(z))
    return _native.complex(_native.where(is_end, turn, angle), _native.where(is_end, far, size))


def sinh(z: Any) -> Any:
    """The hyperbolic sine."""
    return turned_back(_native.sin(turned(z)))


def cosh(z: Any) -> Any:
    """The hyperbolic cosine."""
    return _native.cos(turned(z))


def acosh(z: Any) -> Any:
    """The inverse hyperbolic cosine."""
    below, above = _native.sqrt(_more(z, -1.0)), _native.sqrt(_more(z, 1.0))
    size = _native.asinh(_native.real(_native.conj(below) * above))
    angle = 2.0 * _native.atan2(_native.imag(below), _native.real(above))
    is_end, turn, far = _ends(z, lambda re, im: _native.atan2(im, re))
    return _native.complex(_native.where(is_end, far, size), _native.where(is_end, turn, angle))


def atanh(z: Any) -> Any:
    """The inverse hyperbolic tangent."""
    return turned_back(_native.atan(turned(z)))


def log10(z: Any) -> Any:
    """The logarithm to base 10."""
    log = _native.log(z)
    return _native.complex(_native.real(log) / math.log(10.0), _native.imag(log) / math.log(10.0))


def _none(part: Any) -> Any:
    return _native.cast(math.nan, part.dtype)


def sign(z: Any) -> Any:
    """The number of size 1 in the same direction; zero of zero."""
    size = _native.abs(z)
    parts = _native.real(z), _native.imag(z)
    unit = _native.where(size == 0.0, _native.ones_like(size), size)
    plain = tuple(_native.where(size == 0.0, 0.0, part / unit) for part in parts)
    # One infinite part is all of the direction; two have none.
    along = tuple(_native.abs(part) == math.inf for part in parts)
    ends = tuple(
        _native.where(other, _native.where(own, _none(part), _native.zeros_like(part)), _native.sign(part))
        for part, own, other in zip(parts, along, along[::-1], strict=True)
    )
    endless = _native.logical_or(along[0], along[1])
    re, im = (_native.where(endless, end, part) for end, part in zip(ends, plain, strict=True))
    return _native.complex(re, im)
