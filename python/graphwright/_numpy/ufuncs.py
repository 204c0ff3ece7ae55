"""NumPy's functions of single elements: the operation of the same meaning for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _arrays, _complex, _native
from .._meanings import mathematics
from . import orders
from .meant import Meaning, NotMeantError, is_plain, of_floats, of_fractions, of_one_dtype, tensor


def log_of(logarithm: Meaning) -> Meaning:
    """A logarithm, which NumPy has of zero and of negative numbers too."""

    def meaning(x: Any) -> Any:
        above = _native.where(x > 0.0, x, 1.0)
        edge = _native.where(x == 0.0, _native.cast(-math.inf, x.dtype), math.nan)
        found = _native.where(x > 0.0, logarithm(above), edge)
        return _native.where(x == math.inf, math.inf, found)

    return of_floats(meaning)


def within(meaning: Meaning, takes: Meaning) -> Meaning:
    """A function that is not a number where it has no value."""
    return of_floats(lambda x: _native.where(takes(x), meaning(_native.where(takes(x), x, 0.0)), math.nan))


def acosh(x: Any) -> Any:
    """The inverse hyperbolic cosine."""
    above = _native.where(x >= 1.0, x, 1.0)
    return _native.where(x >= 1.0, mathematics.acosh(above), math.nan)


def atanh(x: Any) -> Any:
    """The inverse hyperbolic tangent."""
    size = _native.abs(x)
    return mathematics.with_sign(_native.log1p(2.0 * size / (1.0 - size)) * 0.5, x)


def hypot(x: Any, y: Any) -> Any:
    """The longest side of a right triangle."""
    x, y = _native.abs(x), _native.abs(y)
    above, below = _native.maximum(x, y), _native.minimum(x, y)
    is_unit = _native.logical_or(mathematics.is_nothing(above), above == math.inf)
    part = _native.where(is_unit, 0.0, below / _native.where(is_unit, 1.0, above))
    found = above * _native.sqrt(1.0 + part * part)
    return _native.where(_native.logical_or(x == math.inf, y == math.inf), math.inf, found)


def truncated(x: Any) -> Any:
    """Towards zero."""
    return mathematics.with_sign(_native.floor(_native.abs(x)), x)


def of_whole(meaning: Meaning) -> Meaning:
    """A function that rounds floats; integers and bools stay what they are."""

    def of_these(x: Any) -> Any:
        if _complex.is_complex(x):
            raise NotMeantError
        return meaning(x) if tensor(x).dtype.is_floating else _arrays.identity(x)

    return of_these


def of_small(meaning: Meaning) -> Meaning:
    """A function of numbers, which takes bools for integers of 8 bits."""

    def of_these(*operands: Any) -> Any:
        # A number of Python's takes the precision of floats beside it.
        operands = tuple(one if is_plain(one) or type(one) is complex else tensor(one) for one in operands)
        if all(isinstance(one, _native.Tensor) and one.dtype == _native.bool for one in operands):
            operands = tuple(_native.cast(one, _native.int8) for one in operands)
        return meaning(*operands)

    return of_these


def of_numbers(meaning: Meaning) -> Meaning:
    """A function of numbers: NumPy has an own rule for bools."""

    def of_these(x: Any) -> Any:
        if tensor(x).dtype == _native.bool:
            raise NotMeantError
        return meaning(x)

    return of_these


def of_two(meaning: Meaning, of_bools: Meaning) -> Meaning:
    """A function of two numbers, and the one of two bools."""

    def of_these(x: Any, y: Any) -> Any:
        are_bools = all(isinstance(one, _native.Tensor) and one.dtype == _native.bool for one in (x, y))
        return of_bools(x, y) if are_bools else meaning(x, y)

    return of_these


def reciprocal(x: Any) -> Any:
    """One divided by a number; of integers cut toward zero, where NumPy's of zero is any number."""
    x = tensor(x)
    if x.dtype.is_complex:
        return x**-1
    if x.dtype.is_floating:
        return 1.0 / x
    if x.dtype == _native.bool:
        return _native.cast(x, _native.int8)
    if not x.dtype.is_integer:
        raise NotMeantError
    with np.errstate(divide="ignore", invalid="ignore"):
        of_zero = np.reciprocal(np.zeros((), x.dtype.as_numpy_dtype))
    is_unit = x == 1 if x.dtype.is_unsigned else (x == 1) | (x == -1)
    found = _native.where(is_unit, x, _native.zeros_like(x))
    return _native.where(x == 0, _native.constant(of_zero), found)


def fmod(x: Any, y: Any) -> Any:
    """The rest of a division, with the sign of `x`."""
    x, y = of_one_dtype(x, y)
    if x.dtype == _native.bool:
        raise NotMeantError
    if x.dtype.is_integer:
        if x.dtype.is_unsigned:
            return _native.floormod(x, y)
        # The size of the least integer is no integer of its dtype, so the rest is that of `//` moved by `y`.
        rest = _native.floormod(x, y)
        is_across = _native.logical_and(rest != 0, (x < 0) != (y < 0))
        return _native.where(is_across, rest - y, rest)
    size, unit = _native.abs(x), _native.abs(y)
    # The rest of a division by an infinity is what was divided.
    found = _native.where(
        _native.logical_and(unit == math.inf, size < math.inf), size, _native.floormod(size, unit)
    )
    return mathematics.with_sign(found, x)


def number_of_two(pick: Meaning) -> Meaning:
    """The greater or less of two elements, the other one where one is not a number."""

    def meaning(x: Any, y: Any) -> Any:
        x, y = of_one_dtype(x, y)
        if x.dtype == _native.bool:
            return _native.logical_or(x, y) if pick is _native.maximum else _native.logical_and(x, y)
        found = pick(x, y)
        if not found.dtype.is_floating:
            return found
        return _native.where(x != x, y, _native.where(y != y, x, found))

    return meaning


def classified(test: Meaning) -> Meaning:
    """A test of floats, which NumPy has of integers and bools too."""

    def meaning(x: Any) -> Any:
        x = tensor(x)
        if x.dtype.is_complex and test is mathematics.sign_of:
            raise NotMeantError
        is_fraction = x.dtype.is_floating or x.dtype.is_complex
        return test(x if is_fraction else _native.cast(x, _native.float64))

    return meaning


def sign(x: Any) -> Any:
    """-1, 0 or 1; of a complex number the one of size 1 in the same direction."""
    return _complex.sign(x) if _complex.is_complex(x) else _native.sign(x)


def conjugate(x: Any) -> Any:
    """The number with the imaginary part turned round; a bool as an integer of 8 bits."""
    x = tensor(x)
    if x.dtype == _native.bool:
        return _native.cast(x, _native.int8)
    return _native.conj(x) if x.dtype.is_complex else _arrays.identity(x)


def power(x: Any, y: Any) -> Any:
    """A power. That of 0.5 is NumPy's root but in half precision: -0.0 of -0.0, and no number of -inf."""
    if type(y) is float and y == 0.5:
        x = tensor(x)
        if x.dtype in (_native.float32, _native.float64):
            return _native.sqrt(x)
    return _native.pow(x, y)


def float_power(x: Any, y: Any) -> Any:
    """A power of double precision."""
    x, y = tensor(x), tensor(y)
    is_complex = x.dtype.is_complex or y.dtype.is_complex
    wide = _native.complex128 if is_complex else _native.float64
    return _native.pow(_native.cast(x, wide), _native.cast(y, wide))


def named(name: str) -> Any:
    """NumPy's function of a name; inverse functions begin with `arc` there. `None` where NumPy has none."""
    return getattr(np, name, None) or getattr(np, f"arc{name[1:]}", None)


#: Functions of real or complex numbers, each an operation.
REALS: dict[Any, Meaning] = {
    ufunc: of_fractions(getattr(_native, name)) for name in _native.REALS if (ufunc := named(name))
}

UFUNCS: dict[Any, Meaning] = {
    **REALS,
    np.negative: _native.negative,
    np.absolute: lambda x: _arrays.identity(x) if tensor(x).dtype == _native.bool else _native.abs(x),
    np.sign: sign,
    np.square: of_small(_native.square),
    np.arctan2: of_floats(_native.atan2),
    np.floor: of_whole(_native.floor),
    np.ceil: of_whole(_native.ceil),
    np.rint: of_fractions(_native.round),
    np.isnan: classified(_native.is_nan),
    np.isfinite: classified(_native.is_finite),
    np.invert: _native.invert,
    np.logical_not: _native.logical_not,
    np.add: _native.add,
    np.subtract: _native.subtract,
    np.multiply: _native.multiply,
    np.true_divide: _native.divide,
    np.floor_divide: _native.floordiv,
    np.remainder: _native.floormod,
    np.power: of_small(power),
    np.maximum: orders.of_two(of_two(_native.maximum, _native.logical_or), orders.picked(True, True)),
    np.minimum: orders.of_two(of_two(_native.minimum, _native.logical_and), orders.picked(False, True)),
    np.bitwise_and: _native.bitwise_and,
    np.bitwise_or: _native.bitwise_or,
    np.bitwise_xor: _native.bitwise_xor,
    np.logical_and: _native.logical_and,
    np.logical_or: _native.logical_or,
    np.logical_xor: _native.logical_xor,
    np.left_shift: _native.left_shift,
    np.right_shift: _native.right_shift,
    np.equal: _native.equal,
    np.not_equal: _native.not_equal,
    np.less: orders.of_order(np.less, _native.less),
    np.less_equal: orders.of_order(np.less_equal, _native.less_equal),
    np.greater: orders.of_order(np.greater, _native.greater),
    np.greater_equal: orders.of_order(np.greater_equal, _native.greater_equal),
    np.matmul: _native.matmul,
    np.positive: of_numbers(_arrays.identity),
    np.fabs: of_floats(_native.abs),
    np.reciprocal: reciprocal,
    np.trunc: of_whole(truncated),
    np.isinf: classified(lambda x: _native.abs(x) == math.inf),
    np.signbit: classified(mathematics.sign_of),
    np.exp2: of_fractions(
        lambda x: _native.pow(2.0 + 0.0 * _native.sign(x), x), lambda z: _native.exp(z * math.log(2.0))
    ),
    np.log10: of_fractions(log_of(mathematics.log10), _complex.log10),
    np.cbrt: of_floats(mathematics.cbrt),
    np.sinh: of_fractions(_native.sinh, _complex.sinh),
    np.cosh: of_fractions(mathematics.cosh, _complex.cosh),
    np.arcsin: of_fractions(_native.asin, _complex.asin),
    np.arccos: of_fractions(_native.acos, _complex.acos),
    np.arccosh: of_fractions(acosh, _complex.acosh),
    np.arctanh: of_fractions(within(atanh, lambda x: _native.abs(x) <= 1.0), _complex.atanh),
    np.degrees: of_floats(lambda x: x * (180.0 / math.pi)),
    np.rad2deg: of_floats(lambda x: x * (180.0 / math.pi)),
    np.radians: of_floats(lambda x: x * (math.pi / 180.0)),
    np.deg2rad: of_floats(lambda x: x * (math.pi / 180.0)),
    np.hypot: of_floats(hypot),
    np.copysign: of_floats(lambda x, y: mathematics.with_sign(_native.abs(x), y)),
    np.fmod: fmod,
    np.fmax: orders.of_two(
        of_two(number_of_two(_native.maximum), _native.logical_or), orders.picked(True, False)
    ),
    np.fmin: orders.of_two(
        of_two(number_of_two(_native.minimum), _native.logical_and), orders.picked(False, False)
    ),
    np.float_power: float_power,
    np.conjugate: conjugate,
}
