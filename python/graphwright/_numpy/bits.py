"""NumPy's functions of the digits of numbers: bits, exponents, next numbers, divisors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _arrays, _native
from .._function import function
from .._meanings import mathematics
from .meant import (
    NotMeantError,
    first_or_flat,
    floats,
    known_lengths,
    length,
    met_floats,
    of_one_dtype,
    rows,
    tensor,
)

#: Bits of the mantissa, and the least exponent of two of a normal number.
_DIGITS = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126), "float64": (53, -1022)}


def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> Any:
    """Truths as bits, eight in each byte."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    a = tensor(a)
    if a.dtype.is_floating or a.dtype.is_complex:
        raise TypeError("Expected an input array of integer or boolean data type")
    a, at = first_or_flat(a, axis)
    bits = _arrays.moved(
        _native.cast(a if a.dtype == _native.bool else a != 0, _native.int64), at, a.ndim - 1
    )
    count = length(bits, -1)
    bits = _arrays.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, -count % 8)])
    bits = _native.reshape(bits, [*_arrays.lengths(bits)[:-1], (count + 7) // 8, 8])
    found = _native.reduce_sum(bits * tensor(_weights(bitorder)), -1)
    return _arrays.moved(_native.cast(found, _native.uint8), found.ndim - 1, at)


def _weights(bitorder: str) -> Any:
    powers = 2 ** np.arange(8)
    return powers[::-1].copy() if bitorder == "big" else powers


def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Any:
    """The bits of bytes."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    a = tensor(a)
    if a.dtype != _native.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    a, at = first_or_flat(a, axis)
    wide = _native.expand_dims(_native.cast(_arrays.moved(a, at, a.ndim - 1), _native.int64), -1)
    bits = _native.floormod(_native.floordiv(wide, tensor(_weights(bitorder))), 2)
    bits = _native.reshape(bits, [*_arrays.lengths(bits)[:-2], length(bits, -2) * 8])
    if count is not None:
        whole = known_lengths(bits)[-1]
        stop = whole + count if count < 0 else count
        if stop < 0:
            raise ValueError("-count larger than number of elements")
        bits = bits[..., :stop]
        if stop > whole:
            bits = _arrays.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, stop - whole)])
    return _arrays.moved(_native.cast(bits, _native.uint8), bits.ndim - 1, at)


def bitwise_count(x: Any) -> Any:
    """The number of ones among the bits of the size of an integer."""
    x = tensor(x)
    if x.dtype == _native.bool:
        return _native.cast(x, _native.uint8)
    if not x.dtype.is_integer:
        raise NotMeantError
    wide = _native.cast(x, _native.uint64)
    if not x.dtype.is_unsigned:
        # The size of the least integer is no integer of its dtype.
        wide = _native.where(x < 0, _native.invert(wide) + _one(1), wide)

    def taken(part: Any, by: int, mask: int) -> Any:
        return _native.bitwise_and(_native.right_shift(part, _one(by)), _one(mask))

    pairs = _native.subtract(wide, taken(wide, 1, 0x5555555555555555))
    fours = _native.bitwise_and(pairs, _one(0x3333333333333333)) + taken(pairs, 2, 0x3333333333333333)
    bytes_ = _native.bitwise_and(fours + _native.right_shift(fours, _one(4)), _one(0x0F0F0F0F0F0F0F0F))
    for by in (8, 16, 32):
        bytes_ = bytes_ + _native.right_shift(bytes_, _one(by))
    return _native.cast(_native.bitwise_and(bytes_, _one(0x7F)), _native.uint8)


def _one(value: int) -> Any:
    return _native.constant(value, _native.uint64)


@function
def _divisor(a: Any, b: Any) -> Any:
    """The greatest common divisor, by Euclid."""
    while _native.reduce_any(b != 0):
        whole = _native.where(b == 0, _native.ones_like(b), b)
        rest = _native.where(b == 0, _native.zeros_like(b), _native.floormod(a, whole))
        a = _native.where(b == 0, a, b)
        b = rest
    return a


def integers(x1: Any, x2: Any) -> list[Any]:
    """Two operands as integers of one shape, without their signs, and last the dtype of both."""
    a, b = of_one_dtype(x1, x2)
    if not a.dtype.is_integer:
        raise NotMeantError
    dtype = a.dtype
    if not dtype.is_unsigned:
        # The size of the least integer is one of the dtype without signs.
        whole = getattr(_native, f"u{dtype.name}")
        a, b = _native.cast(_native.abs(a), whole), _native.cast(_native.abs(b), whole)
    return [a + _native.zeros_like(b), b + _native.zeros_like(a), dtype]


def gcd(x1: Any, x2: Any) -> Any:
    """The greatest common divisor."""
    a, b, dtype = integers(x1, x2)
    return _native.cast(_divisor(a, b), dtype)


def lcm(x1: Any, x2: Any) -> Any:
    """The least common multiple."""
    a, b, dtype = integers(x1, x2)
    shared = _divisor(a, b)
    shared = _native.where(shared == 0, _native.ones_like(shared), shared)
    return _native.cast(_native.multiply(_native.floordiv(a, shared), b), dtype)


def power_of_two(exponent: Any, dtype: Any) -> Any:
    """Two to a whole number, which the dtype holds."""
    return _native.pow(
        _native.cast(2.0, dtype) + _native.zeros_like(exponent, dtype), _native.cast(exponent, dtype)
    )


def ldexp(x1: Any, x2: Any) -> Any:
    """A number times two to a whole number."""
    x = floats(x1)
    exponent = tensor(x2)
    if not exponent.dtype.is_integer:
        raise NotMeantError
    dtype = x.dtype
    x = _native.cast(x, _native.float32) if dtype.size == 2 else x
    digits, least = _DIGITS[x.dtype.name]
    # The power itself may be beyond the dtype where the product is not: it is taken in three steps, of which
    # those before the last keep all digits.
    limit = 3 * (1 - least)
    exponent = _native.minimum(_native.maximum(_native.cast(exponent, _native.int64), -limit), limit)
    for _ in range(3):
        step = _native.where(exponent < least, least + digits, _native.minimum(exponent, 1 - least))
        x = x * power_of_two(step, x.dtype)
        exponent = exponent - step
    return _native.cast(x, dtype)


def frexp(x: Any) -> Any:
    """Numbers from a half to one, and the exponents of two by which they are multiplied."""
    x = floats(x)
    size = _native.abs(x)
    is_nothing = mathematics.is_nothing(size)
    is_plain = _native.logical_and(_native.logical_not(is_nothing), _native.is_finite(x))
    size = _native.where(is_plain, size, 1.0)
    exponent = _native.cast(_native.floor(_native.log2(size)), _native.int64) + 1
    part = ldexp(size, -exponent)
    # The logarithm of a number beside a power of two may be rounded to that of the power.
    over, under = part >= 1.0, part < 0.5
    part = _native.where(over, part * 0.5, _native.where(under, part * 2.0, part))
    exponent = exponent + _native.cast(over, _native.int64) - _native.cast(under, _native.int64)
    part = _native.where(is_plain, part * _native.sign(x), _native.where(is_nothing, x * 0.0, x))
    return part, _native.cast(_native.where(is_plain, exponent, 0), _native.int32)


def step_of(size: Any) -> Any:
    """The distance from a number that is not negative to the next greater one."""
    digits, least = _DIGITS[size.dtype.name]
    _, exponent = frexp(size)
    exponent = _native.cast(exponent, _native.int64) - digits
    exponent = _native.where(mathematics.is_nothing(size), least + 1 - digits, exponent)
    return ldexp(_native.ones_like(size), _native.maximum(exponent, least + 1 - digits))


def spacing(x: Any) -> Any:
    """The distance to the next number away from zero."""
    x = floats(x)
    size = _native.abs(x)
    step = step_of(size)
    found = _native.where(x < 0.0, -step, step)
    if x.dtype == _native.float16:
        # NumPy's of half precision is the step up, of a negative number too.
        half = _native.maximum(step * 0.5, 2.0**-24)
        found = _native.where((x < 0.0) & (frexp(size)[0] == 0.5), half, step)
        found = _native.where(x == 65504.0, float("inf"), found)
    return _native.where(_native.is_finite(x), found, float("nan"))


def nextafter(x1: Any, x2: Any) -> Any:
    """The next number toward another."""
    x, y = met_floats(x1, x2)
    if x.dtype not in (_native.float32, _native.float64):
        raise NotMeantError
    size = _native.abs(x)
    step = step_of(size)
    toward_zero = (y < x) == (x > 0.0)
    is_power = frexp(size)[0] == 0.5
    greatest = _native.cast(float(np.finfo(x.dtype.as_numpy_dtype).max), x.dtype)
    least = _native.cast(float(np.finfo(x.dtype.as_numpy_dtype).smallest_normal), x.dtype)
    step = _native.where(toward_zero & is_power & (size > least), step * 0.5, step)
    moved = _native.where(toward_zero, size - step, size + step)
    moved = _native.where(size == float("inf"), greatest, moved)
    moved = _native.where((size == greatest) & ~toward_zero, float("inf"), moved)
    found = _native.where(x < 0.0, -moved, moved)
    found = _native.where(mathematics.is_nothing(size), _native.where(y > 0.0, step, -step), found)
    found = _native.where(x == y, y, found)
    return _native.where((x != x) | (y != y), x + y, found)


BITS = {
    **rows(np, {"packbits": packbits, "unpackbits": unpackbits}),
}

UFUNCS_OF_BITS = rows(
    np,
    {
        "bitwise_count": bitwise_count,
        "gcd": gcd,
        "lcm": lcm,
        "ldexp": ldexp,
        "frexp": frexp,
        "spacing": spacing,
        "nextafter": nextafter,
    },
)
