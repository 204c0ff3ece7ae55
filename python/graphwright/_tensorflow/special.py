"""Special functions: gamma, error and zeta functions, computed in double precision and rounded once.

Each is straight-line code over elements, so that graphs compute it in lanes and fuse it.
"""

from __future__ import annotations

import math
from typing import Any

from .. import _native
from .._gradients import custom_gradient
from .._native import Tensor

__all__ = ["digamma", "erfc", "erfcinv", "erfinv", "lbeta", "lgamma", "ndtri", "polygamma", "zeta"]


#: Chebyshev coefficients of `exp(z * z) * erfc(z) / t` over `2 t - 1`, `t = 2 / (2 + z)`.
_ERFC = (
    0.577033738616469695, 0.355436921270498487, 0.0650951588287865246, 0.00367114239583663917,
    -0.0011128447433526325, -0.000160758299153780798, 0.0000327803157417313706, 5.44244164550501603e-6,
    -1.51546655531714816e-6, -1.42976081811698649e-7, 8.23460882741949343e-8, -1.29628468523065625e-9,
    -4.1547216310151983e-9, 6.34705827836281118e-10, 1.43208227122562237e-10, -6.16039010520458554e-11,
    2.06121385547216963e-12, 3.57149314884770445e-12, -8.58642284325179648e-13, -6.14560021379063055e-14,
    7.41872574859661706e-14, -1.28950427550323256e-14, -2.35872638571063236e-15, 1.57293493816859113e-15,
    -2.27829662395464612e-16, -6.3123304507564393e-17,
)  # fmt: skip

#: Lanczos's sum for the gamma function, of 9 terms, by Godfrey.
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
)  # fmt: skip

#: `B(2k)`, Bernoulli's numbers.
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
)  # fmt: skip

#: Wichura's rational functions (AS 241) for quantiles of the normal distribution: middle, tails, far tails.
_MIDDLE = (
    (2509.0809287301227, 33430.575583588128, 67265.770927008703, 45921.953931549871,
     13731.693765509461, 1971.5909503065514, 133.14166789178438, 3.3871328727963667),
    (5226.495278852854, 28729.085735721943, 39307.895800092711, 21213.794301586596,
     5394.1960214247511, 687.1870074920579, 42.313330701600911, 1.0),
)  # fmt: skip
_TAILS = (
    (7.7454501427834141e-4, 0.022723844989269184, 0.24178072517745061, 1.2704582524523684,
     3.6478483247632045, 5.769497221460691, 4.6303378461565453, 1.4234371107496836),
    (1.0507500716444169e-9, 5.475938084995345e-4, 0.015198666563616457, 0.14810397642748008,
     0.68976733498510005, 1.6763848301838038, 2.0531916266377588, 1.0),
)  # fmt: skip
_FAR = (
    (2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
     0.29656057182850489, 1.7848265399172913, 5.4637849111641144, 6.657904643501104),
    (2.0442631033899398e-15, 1.4215117583164459e-7, 1.8463183175100547e-5, 7.868691311456133e-4,
     0.014875361290850615, 0.1369298809227358, 0.5998322065558879, 1.0),
)  # fmt: skip


def _wide(x: Any, name: str) -> tuple[Tensor, Any]:
    """The operand in double precision, and its dtype."""
    given = _native.convert_to_tensor(x)
    if not given.dtype.is_floating:
        raise TypeError(f"`{name}` takes floats, not {given.dtype.name}: use `gw.cast(x, gw.float32)`")
    return _native.cast(given, _native.float64), given.dtype


def _polynomial(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    total = coefficients[0] + _native.zeros_like(x)
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def _chebyshev(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    """Clenshaw's sum."""
    after = later = _native.zeros_like(x)
    for coefficient in coefficients[:0:-1]:
        after, later = 2.0 * x * after - later + coefficient, after
    return x * after - later + coefficients[0]


def _exp_of_minus_square(x: Tensor) -> Tensor:
    """`exp(-x * x)`, exact where the square is large: its rounding error is taken into account."""
    high = _native.cast(_native.cast(x, _native.float32), _native.float64)
    return _native.exp(-high * high) * _native.exp((high - x) * (high + x))


def _derived(compute: Any, slope: Any) -> Any:
    """A function of one tensor whose derivative is a function of the operand and the value."""

    @custom_gradient
    def derived(x: Tensor) -> Any:
        value = compute(x)
        return value, lambda upstream: upstream * slope(x, value)

    return derived


def erfc(x: Any, name: str | None = None) -> Tensor:
    """Computes `1 - erf(x)` without cancellation.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.erfc(gw.constant([0.0, 5.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.0000000e+00, 1.5374598e-12], dtype=float32)>
    """
    del name
    wide, dtype = _wide(x, "erfc")
    return _native.cast(_erfc(wide), dtype)


def _erfc_of(x: Tensor) -> Tensor:
    size = _native.minimum(_native.abs(x), 40.0)
    t = 2.0 / (2.0 + size)
    tail = t * _chebyshev(_ERFC, 2.0 * t - 1.0) * _exp_of_minus_square(size)
    return _native.where(_native.abs(x) < 0.5, 1.0 - _native.erf(x), _native.where(x < 0.0, 2.0 - tail, tail))


_erfc = _derived(_erfc_of, lambda x, _: -2.0 / math.sqrt(math.pi) * _native.exp(-x * x))


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """Computes quantiles of the normal distribution.

    Args:
      x: probabilities, a tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.ndtri(gw.constant([0.5, 0.975]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.9599644], dtype=float32)>

    Source: Wichura, "Algorithm AS 241", Applied Statistics 37, 1988.
    """
    del name
    wide, dtype = _wide(x, "ndtri")
    return _native.cast(_ndtri(wide), dtype)


def _quantile(q: Tensor, r: Tensor) -> Tensor:
    """The quantile of `0.5 + q`; `r` is the lesser of the probabilities on both sides."""
    middle = q * _ratio(_MIDDLE, 0.180625 - q * q)
    far = _native.sqrt(-_native.log(r))
    tail = _native.where(far <= 5.0, _ratio(_TAILS, far - 1.6), _ratio(_FAR, far - 5.0))
    tail = _native.where(_native.equal(r, 0.0), math.inf, tail)
    return _native.where(_native.abs(q) <= 0.425, middle, _native.where(q < 0.0, -tail, tail))


def _ratio(parts: tuple[tuple[float, ...], tuple[float, ...]], x: Tensor) -> Tensor:
    above, below = parts
    return _polynomial(above, x) / _polynomial(below, x)


def _ndtri_of(p: Tensor) -> Tensor:
    return _quantile(p - 0.5, _native.minimum(p, 1.0 - p))


def _erfinv_of(x: Tensor) -> Tensor:
    return _quantile(0.5 * x, 0.5 * (1.0 - _native.abs(x))) * math.sqrt(0.5)


_ndtri = _derived(_ndtri_of, lambda _, y: math.sqrt(2.0 * math.pi) * _native.exp(0.5 * _native.square(y)))
_erfinv = _derived(_erfinv_of, lambda _, y: 0.5 * math.sqrt(math.pi) * _native.exp(_native.square(y)))


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Computes inverses of the error function; NaN outside of -1 to 1.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.erfinv(gw.constant([0.0, 0.5]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.        , 0.47693628], dtype=float32)>

    Source: Wichura, "Algorithm AS 241", Applied Statistics 37, 1988.
    """
    del name
    wide, dtype = _wide(x, "erfinv")
    return _native.cast(_erfinv(wide), dtype)


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """Computes inverses of `erfc`; NaN outside of 0 to 2.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.erfcinv(gw.constant([1.0, 0.5]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.        , 0.47693628], dtype=float32)>
    """
    del name
    wide, dtype = _wide(x, "erfcinv")
    return _native.cast(0.0 - _ndtri(0.5 * wide) * math.sqrt(0.5), dtype)


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Computes logarithms of the absolute value of the gamma function.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.lgamma(gw.constant([1.0, 5.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 3.1780539], dtype=float32)>

    Source: Lanczos's approximation with Godfrey's coefficients.
    """
    del name
    wide, dtype = _wide(x, "lgamma")
    return _native.cast(_lgamma(wide), dtype)


def _fraction_of_half_turn(x: Tensor) -> Tensor:
    """The angle `pi * x` less whole half turns, which sine and tangent know up to the sign."""
    return math.pi * (x - _native.round(x))


def _lgamma_of(x: Tensor) -> Tensor:
    low = x < 0.5
    y = _native.where(low, -x, x - 1.0)
    total = _LANCZOS[0] + _native.zeros_like(y)
    for number, coefficient in enumerate(_LANCZOS[1:], 1):
        total = total + coefficient / (y + float(number))
    t = y + 7.5
    found = (y + 0.5) * _native.log(t) - t + _native.log(total) + 0.5 * math.log(2.0 * math.pi)
    found = _native.where(y < 1e300, found, math.inf)
    found = _native.where(_native.logical_or(_native.equal(x, 1.0), _native.equal(x, 2.0)), 0.0, found)
    sine = _native.abs(_native.sin(_fraction_of_half_turn(x)))
    found = _native.where(low, math.log(math.pi) - _native.log(sine) - found, found)
    return _native.where(_native.equal(_native.abs(x), math.inf), math.inf, found)


_lgamma = _derived(_lgamma_of, lambda x, _: digamma(x))


def digamma(x: Any, name: str | None = None) -> Tensor:
    """Computes the derivative of `lgamma`; NaN at negative whole numbers.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.math.digamma(gw.constant([1.0, 2.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([-0.5772157 ,  0.42278433], dtype=float32)>
    """
    del name
    wide, dtype = _wide(x, "digamma")
    return _native.cast(_digamma(wide), dtype)


#: So far is the argument moved up before the asymptotic series is summed.
_STEPS = 10


def _digamma_of(x: Tensor) -> Tensor:
    low = x < 0.5
    y = _native.where(low, 1.0 - x, x)
    down = _native.zeros_like(y)
    for step in range(_STEPS):
        down = down + 1.0 / (y + float(step))
    z = y + float(_STEPS)
    inverse = 1.0 / (z * z)
    series = _native.zeros_like(z)
    for number, bernoulli in reversed(list(enumerate(_BERNOULLI[:8], 1))):
        series = (series + bernoulli / (2 * number)) * inverse
    found = _native.log(z) - 0.5 / z - series - down
    reflected = found - math.pi / _native.tan(_fraction_of_half_turn(x))
    is_pole = _native.logical_and(x < 0.0, _native.equal(x, _native.round(x)))
    reflected = _native.where(is_pole, math.nan, _native.where(_native.equal(x, 0.0), -math.inf, reflected))
    return _native.where(low, reflected, found)


def _trigamma_of(x: Tensor) -> Tensor:
    """The derivative of `digamma`, by reflection below one half."""
    low = x < 0.5
    sine = _native.sin(_fraction_of_half_turn(x))
    found = _zeta(_native.cast(2.0, _native.float64), _native.where(low, 1.0 - x, x))
    return _native.where(low, _native.square(math.pi / _native.where(low, sine, 1.0)) - found, found)


_digamma = _derived(_digamma_of, lambda x, _: _trigamma_of(x))


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Computes Hurwitz's zeta function, the sum of `(q + k) ** -x` over `k` from 0 on.

    Args:
      x: exponents above 1, a tensor of any shape, `float32` or `float64`; NaN below.
      q: positive tensor that broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.zeta(gw.constant([2.0, 4.0]), 1.0)
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.644934 , 1.0823232], dtype=float32)>

    Source: Euler's and Maclaurin's sum.
    """
    del name
    exponent, dtype = _wide(x, "zeta")
    base = _native.cast(_native.convert_to_tensor(q), _native.float64)
    found = _native.where(exponent > 1.0, _zeta(exponent, base), math.nan)
    found = _native.where(_native.equal(exponent, 1.0), math.inf, found)
    return _native.cast(_native.where(base > 0.0, found, math.nan), dtype)


def _zeta(s: Tensor, q: Tensor) -> Tensor:
    total = _native.zeros_like(s + q)
    for step in range(_STEPS):
        total = total + _native.pow(q + float(step), -s)
    z = q + float(_STEPS)
    power = _native.pow(z, -s)
    total = total + power * z / (s - 1.0) + 0.5 * power
    rising, factorial = s * power / z, 2.0
    for number, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + bernoulli / factorial * rising
        along = float(2 * number)
        rising = rising * (s + along - 1.0) * (s + along) / (z * z)
        factorial *= (along + 1.0) * (along + 2.0)
    return total


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes derivatives of `digamma` of the orders `a`.

    Args:
      a: whole numbers from 0 on, a tensor of any shape, `float32` or `float64`.
      x: positive tensor that broadcasts against `a`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the broadcast shape.

    Example:
      >>> gw.math.polygamma(gw.constant([1.0]), gw.constant([1.0]))
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([1.644934], dtype=float32)>
    """
    del name
    order, dtype = _wide(a, "polygamma")
    place = _native.cast(_native.convert_to_tensor(x), _native.float64)
    is_zero = _native.equal(order, 0.0)
    order = _native.where(is_zero, 1.0, order)
    sign = 2.0 * _native.floormod(order, 2.0) - 1.0
    found = sign * _native.exp(_lgamma(order + 1.0)) * _zeta(order + 1.0, place)
    found = _native.where(
        _native.logical_or(order < 0.0, _native.not_equal(order, _native.round(order))), math.nan, found
    )
    return _native.cast(_native.where(is_zero, _digamma(place), found), dtype)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """Computes logarithms of the beta function of the numbers along the last axis.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.math.lbeta(gw.constant([2.0, 3.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=-2.4849066734313965>
    """
    del name
    wide, dtype = _wide(x, "lbeta")
    found = _native.reduce_sum(_lgamma(wide), -1) - _lgamma(_native.reduce_sum(wide, -1))
    return _native.cast(found, dtype)
