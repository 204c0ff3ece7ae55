"""NumPy's functions of single elements that are no ufuncs, and the rarer ufuncs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _arrays, _complex, _native
from .._meanings import mathematics
from .meant import (
    Meaning,
    NotMeantError,
    floats,
    met_floats,
    of_floats,
    real_numbers,
    reals,
    rows,
    tensor,
    unset,
)
from .ufuncs import truncated

#: Coefficients of Chebyshev's series of the modified Bessel function of order 0, below 8 and above.
#: Source: Clenshaw, "Chebyshev series for mathematical functions", 1962, as in the Cephes library.
_NEAR = [
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
]  # fmt: skip
_FAR = [
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
]  # fmt: skip


def _series(x: Any, numbers: list[float]) -> Any:
    b0, b1, b2 = _native.zeros_like(x) + numbers[0], _native.zeros_like(x), _native.zeros_like(x)
    for number in numbers[1:]:
        b0, b1, b2 = x * b0 - b1 + number, b0, b1
    return 0.5 * (b0 - b2)


def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 0."""
    x = _native.abs(reals(x))
    near = x <= 8.0
    below, above = _native.where(near, x, 0.0), _native.where(near, 8.0, x)
    small = _native.exp(below) * _series(below / 2.0 - 2.0, _NEAR)
    large = _native.exp(above) * _series(32.0 / above - 2.0, _FAR) / _native.sqrt(above)
    return _native.where(near, small, large)


def sinc(x: Any) -> Any:
    """The sine of pi times a number over the same."""
    x = tensor(x)
    x = x if x.dtype.is_complex else reals(x)
    one = _native.ones_like(x)
    y = _native.where(x == 0.0, one, x) * math.pi
    return _native.where(x == 0.0, one, _native.sin(y) / y)


def fix(x: Any, out: Any = None) -> Any:
    """The nearest whole number toward zero."""
    unset(out=out)
    (x,) = real_numbers(x)
    return truncated(x) if x.dtype.is_floating else x


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Numbers in place of NaN and infinities."""
    if not copy:
        raise NotMeantError
    x = tensor(x)
    if x.dtype.is_complex:
        parts = (nan_to_num(part, True, nan, posinf, neginf) for part in (_native.real(x), _native.imag(x)))
        return _native.complex(*parts)
    (x,) = real_numbers(x)
    if not x.dtype.is_floating:
        return _arrays.identity(x)
    ends = np.finfo(x.dtype.as_numpy_dtype)
    high = float(ends.max) if posinf is None else posinf
    low = float(ends.min) if neginf is None else neginf
    found = _native.where(x == math.inf, _native.cast(high, x.dtype), x)
    found = _native.where(x == -math.inf, _native.cast(low, x.dtype), found)
    return _native.where(x != x, _native.cast(nan, x.dtype), found)


def infinite(sign: int) -> Meaning:
    """True of one infinity."""

    def meaning(x: Any, out: Any = None) -> Any:
        unset(out=out)
        (x,) = real_numbers(x)
        return floats(x) == sign * math.inf if x.dtype != _native.bool else _native.zeros_like(x)

    return meaning


def real(val: Any) -> Any:
    """The real part, which of real numbers is all."""
    val = tensor(val)
    return _native.real(val) if val.dtype.is_complex else real_numbers(val)[0]


def imag(val: Any) -> Any:
    """The imaginary part, which of real numbers is zero."""
    val = tensor(val)
    return _native.imag(val) if val.dtype.is_complex else _native.zeros_like(real_numbers(val)[0])


def angle(z: Any, deg: bool = False) -> Any:
    """The angle in the plane of complex numbers, of real ones none or half a turn."""
    if _complex.is_complex(z):
        return _native.angle(z) * (180.0 / math.pi) if deg else _native.angle(z)
    z = _native.cast(tensor(z), _native.float64) if tensor(z).dtype == _native.bool else floats(z)
    half = 180.0 if deg else math.pi
    return _native.where(mathematics.sign_of(z), half, _native.where(z != z, z, 0.0))


def truths(value: bool) -> Meaning:
    """A truth for each element of real numbers: whether its imaginary part is zero, or not."""

    def meaning(x: Any) -> Any:
        x = tensor(x)
        if x.dtype.is_complex:
            return _native.imag(x) == 0.0 if value else _native.imag(x) != 0.0
        (x,) = real_numbers(x)
        return _native.fill(_arrays.lengths(x), value)

    return meaning


def of_dtype(value: bool) -> Meaning:
    """A truth about all arrays of real numbers, which is none of complex ones."""

    def meaning(x: Any) -> bool:
        x = tensor(x)
        if x.dtype.is_complex:
            return not value
        real_numbers(x)
        return value

    return meaning


def real_if_close(a: Any, tol: Any = 100) -> Any:
    """The real numbers that an array is of."""
    a = tensor(a)
    if a.dtype.is_complex:
        # The elements decide the dtype.
        raise NotMeantError
    del tol
    (a,) = real_numbers(a)
    return a


def modf(x: Any) -> Any:
    """The parts behind and before the point."""
    x = floats(x)
    whole = truncated(x)
    rest = _native.where(_native.abs(x) == math.inf, 0.0, x - whole)
    return mathematics.with_sign(_native.abs(rest), x), whole


def divmod_(x1: Any, x2: Any) -> Any:
    """The quotient and the rest of a division."""
    return _native.floordiv(x1, x2), _native.floormod(x1, x2)


def heaviside(x1: Any, x2: Any) -> Any:
    """0 of what is negative, 1 of what is positive, and another number of zero."""
    x1, x2 = met_floats(x1, x2)
    found = _native.where(
        x1 == 0.0, x2, _native.where(x1 < 0.0, _native.zeros_like(x1), _native.ones_like(x1))
    )
    return _native.where(x1 != x1, x1, found)


def sum_of_exponentials(exp_of: Meaning, log_of: Meaning, same: float) -> Meaning:
    """The logarithm of the sum of two numbers whose logarithms these are."""

    def meaning(x: Any, y: Any) -> Any:
        above, below = _native.maximum(x, y), _native.minimum(x, y)
        apart = _native.where(above == below, 0.0, below - above)
        found = above + log_of(exp_of(apart))
        return _native.where(x == y, x + same, found)

    return of_floats(meaning)


def _log2_of_more(part: Any) -> Any:
    return _native.log1p(part) / math.log(2.0)


ELEMENTS = rows(
    np,
    {
        "i0": i0,
        "sinc": sinc,
        "fix": fix,
        "nan_to_num": nan_to_num,
        "isposinf": infinite(1),
        "isneginf": infinite(-1),
        "real": real,
        "imag": imag,
        "angle": angle,
        "isreal": truths(True),
        "iscomplex": truths(False),
        "isrealobj": of_dtype(True),
        "iscomplexobj": of_dtype(False),
        "real_if_close": real_if_close,
    },
)

MORE_UFUNCS = rows(
    np,
    {
        "modf": modf,
        "divmod": divmod_,
        "heaviside": heaviside,
        "logaddexp": sum_of_exponentials(_native.exp, _native.log1p, math.log(2.0)),
        "logaddexp2": sum_of_exponentials(lambda x: _native.exp(x * math.log(2.0)), _log2_of_more, 1.0),
    },
)
