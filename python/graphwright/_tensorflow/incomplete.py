"""Incomplete gamma and beta functions: series and continued fractions, summed until nothing changes.

Each is a loop of the graph over all elements, so that derivatives are those of the loop.
"""

from __future__ import annotations

import math
from typing import Any

from .. import _native
from .._function import function
from .._native import Tensor
from .special import _lgamma, _wide

__all__ = ["betainc", "igamma", "igammac"]

#: Steps at most: a series of so large a parameter is not one of double precision.
_MOST = 20_000
_SMALL, _NEAR = 1e-300, 1e-16


def _operands(name: str, *given: Any) -> tuple[list[Tensor], Any]:
    """Operands in double precision and of one shape, and the dtype of the result."""
    tensors = [_native.convert_to_tensor(one) for one in given]
    dtypes = {one.dtype for one in tensors}
    if len(dtypes) != 1:
        raise TypeError(f"`{name}` takes tensors of one dtype, not {sorted(one.name for one in dtypes)}")
    wide = [_wide(one, name)[0] for one in tensors]
    zero = wide[0] * 0.0
    for one in wide[1:]:
        zero = zero + one * 0.0
    whole = _native.where(zero != zero, _native.zeros_like(zero), zero)
    return [one + whole for one in wide], tensors[0].dtype


@function
def _series(a: Tensor, x: Tensor) -> Tensor:
    """`x^n / (a (a + 1) … (a + n))`, summed."""
    at = a
    term = 1.0 / a
    total = term
    turns = 0
    while turns < _MOST and _native.reduce_any(_native.abs(term) > _NEAR * _native.abs(total)):
        at = at + 1.0
        term = term * x / at
        total = total + term
        turns = turns + 1
    return total


@function
def _fraction(a: Tensor, x: Tensor) -> Tensor:
    """The continued fraction of the upper function, by Lentz's method."""
    b = x + 1.0 - a
    c = 1.0 / _SMALL + 0.0 * x
    d = 1.0 / b
    total = d
    factor = 2.0 + 0.0 * x
    turns = 0
    while turns < _MOST and _native.reduce_any(_native.abs(factor - 1.0) > _NEAR * 10.0):
        turns = turns + 1
        number = _native.cast(turns, _native.float64)
        above = -number * (number - a)
        b = b + 2.0
        d = _away_from_zero(above * d + b)
        c = _away_from_zero(b + above / c)
        d = 1.0 / d
        factor = d * c
        total = total * factor
    return total


def _away_from_zero(x: Tensor) -> Tensor:
    return _native.where(_native.abs(x) < _SMALL, _SMALL, x)


def _lower_and_upper(a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Both regularized functions, each computed where it is not a small difference."""
    is_known = _native.logical_and(a > 0.0, _native.logical_and(x > 0.0, x < math.inf))
    a_known, x_known = _native.where(is_known, a, 1.0), _native.where(is_known, x, 1.0)
    is_low = x_known < a_known + 1.0
    scale = _native.exp(a_known * _native.log(x_known) - x_known - _lgamma(a_known))
    below = _series(a_known, _native.where(is_low, x_known, 0.5 * a_known))
    above = _fraction(a_known, _native.where(is_low, a_known + 2.0, x_known))
    lower = _native.where(is_low, scale * below, 1.0 - scale * above)
    upper = _native.where(is_low, 1.0 - scale * below, scale * above)
    none = _native.logical_or(a < 0.0, x < 0.0)
    none = _native.logical_or(none, _native.logical_or(a != a, x != x))
    nothing = _native.logical_and(a == 0.0, x == 0.0)
    edge = _native.where(
        _native.logical_or(none, nothing), math.nan, _native.where(_ends_low(a, x), 0.0, 1.0)
    )
    return _native.where(is_known, lower, edge), _native.where(is_known, upper, 1.0 - edge)


def _ends_low(a: Tensor, x: Tensor) -> Tensor:
    """True where the lower function is 0 at the ends: of `x` 0, and not of `a` 0."""
    return _native.logical_and(x == 0.0, a > 0.0)


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the lower regularized incomplete gamma function `P(a, x)`.

    Args:
      a: tensor of any shape, `float32` or `float64`; NaN where it is negative.
      x: tensor of the same dtype that broadcasts against `a`; NaN where it is negative.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape and of that dtype.

    Raises:
      TypeError: the operands are no floats of one dtype.

    Example:
      >>> one = gw.constant(1.0, gw.float64)
      >>> round(float(gw.math.igamma(one, one)), 5)
      0.63212
    """
    del name
    (a, x), dtype = _operands("igamma", a, x)
    return _native.cast(_lower_and_upper(a, x)[0], dtype)


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the upper regularized incomplete gamma function `Q(a, x)`.

    Args:
      a: tensor of any shape, `float32` or `float64`; NaN where it is negative.
      x: tensor of the same dtype that broadcasts against `a`; NaN where it is negative.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape and of that dtype.

    Raises:
      TypeError: the operands are no floats of one dtype.

    Example:
      >>> one = gw.constant(1.0, gw.float64)
      >>> round(float(gw.math.igammac(one, one)), 5)
      0.36788
    """
    del name
    (a, x), dtype = _operands("igammac", a, x)
    return _native.cast(_lower_and_upper(a, x)[1], dtype)


@function
def _beta_fraction(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c = 1.0 + 0.0 * x
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    total = d
    factor = 2.0 + 0.0 * x
    turns = 0
    while turns < _MOST and _native.reduce_any(_native.abs(factor - 1.0) > _NEAR * 10.0):
        turns = turns + 1
        number = _native.cast(turns, _native.float64)
        even = number * (b - number) * x / ((a + 2.0 * number - 1.0) * (a + 2.0 * number))
        d = 1.0 / _away_from_zero(1.0 + even * d)
        c = _away_from_zero(1.0 + even / c)
        total = total * d * c
        odd = -(a + number) * (a + b + number) * x / ((a + 2.0 * number) * (a + 2.0 * number + 1.0))
        d = 1.0 / _away_from_zero(1.0 + odd * d)
        c = _away_from_zero(1.0 + odd / c)
        factor = d * c
        total = total * factor
    return total


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes the regularized incomplete beta function `I_x(a, b)`.

    Args:
      a: tensor of any shape, `float32` or `float64`, of numbers above 0; NaN where it is not.
      b: tensor of the same dtype that broadcasts against `a`.
      x: tensor of the same dtype, of numbers from 0 to 1; NaN where it is not.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape and of that dtype.

    Raises:
      TypeError: the operands are no floats of one dtype.

    Example:
      >>> two = gw.constant(2.0, gw.float64)
      >>> round(float(gw.math.betainc(two, two, gw.constant(0.5, gw.float64))), 5)
      0.5
    """
    del name
    (a, b, x), dtype = _operands("betainc", a, b, x)
    positive = _native.logical_and(a > 0.0, b > 0.0)
    is_known = _native.logical_and(positive, _native.logical_and(x > 0.0, x < 1.0))
    p, q, y = (_native.where(is_known, one, other) for one, other in ((a, 1.0), (b, 1.0), (x, 0.5)))
    turned = y > (p + 1.0) / (p + q + 2.0)
    scale = _lgamma(p + q) - _lgamma(p) - _lgamma(q) + p * _native.log(y) + q * _native.log1p(-y)
    first, second = _native.where(turned, q, p), _native.where(turned, p, q)
    part = _native.exp(scale) * _beta_fraction(first, second, _native.where(turned, 1.0 - y, y)) / first
    found = _native.where(turned, 1.0 - part, part)
    edge = _native.where(_native.logical_and(positive, x == 0.0), 0.0, math.nan)
    edge = _native.where(_native.logical_and(positive, x == 1.0), 1.0, edge)
    return _native.cast(_native.where(is_known, found, edge), dtype)
