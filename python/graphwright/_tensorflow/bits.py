"""The bits of elements read as those of another dtype."""

from __future__ import annotations

from typing import Any

from .. import _arrays, _native
from .._native import Tensor

__all__ = ["bitcast"]

#: The mantissa's bits and the exponent's bias of floats.
_LAYOUT = {"float16": (10, 15), "bfloat16": (7, 127), "float32": (23, 127), "float64": (52, 1023)}


def _word(size: int) -> Any:
    return {1: _native.uint8, 2: _native.uint16, 4: _native.uint32, 8: _native.uint64}[size]


def _number(value: int) -> Any:
    return _native.constant(value, _native.uint64)


def _power(exponent: Any) -> Any:
    """Two to whole numbers of int64, in double precision; of exponents beyond it in two steps."""
    half = _native.floordiv(exponent, 2)
    return 2.0 ** _native.cast(half, _native.float64) * 2.0 ** _native.cast(exponent - half, _native.float64)


def _bits_of_floats(x: Tensor) -> Tensor:
    """The bits of floats as words of 64 bits."""
    digits, bias = _LAYOUT[x.dtype.name]
    wide = _native.cast(x, _native.float64)
    size = _native.abs(wide)
    sign = _native.logical_or(wide < 0.0, _native.logical_and(wide == 0.0, 1.0 / wide < 0.0))
    plain = _native.logical_and(size > 0.0, _native.is_finite(size))
    known = _native.where(plain, size, 1.0)
    exponent = _native.cast(_native.floor(_native.log2(known)), _native.int64)
    least = 1 - bias
    scaled = known * _power(-_native.maximum(exponent, least))
    # The logarithm of a number beside a power of two may be rounded to that of the power.
    exponent = (
        exponent
        + _native.cast(scaled >= 2.0, _native.int64)
        - _native.cast(_native.logical_and(scaled < 1.0, exponent > least), _native.int64)
    )
    is_small = exponent < least
    exponent = _native.maximum(exponent, least)
    scaled = known * _power(-exponent)
    is_small = _native.logical_or(is_small, scaled < 1.0)
    field = _native.where(is_small, 0, exponent + bias)
    rest = _native.where(is_small, scaled, scaled - 1.0) * 2.0**digits
    bits = _native.cast(field, _native.uint64) * _number(1 << digits) + _native.cast(rest, _native.uint64)
    endless = _number((2 * bias + 1) << digits)
    unknown = _number(((2 * bias + 1) << digits) | (1 << (digits - 1)))
    bits = _native.where(size == 0.0, _number(0), bits)
    bits = _native.where(_native.is_finite(size), bits, _native.where(size != size, unknown, endless))
    top = _number(1 << (x.dtype.size * 8 - 1))
    return _native.where(sign, _native.bitwise_or(bits, top), bits)


def _floats_of_bits(bits: Tensor, dtype: Any) -> Tensor:
    """The floats whose bits words of 64 bits are."""
    digits, bias = _LAYOUT[dtype.name]
    mask = 2 * bias + 1
    field = _native.bitwise_and(_native.right_shift(bits, _number(digits)), _number(mask))
    rest = _native.bitwise_and(bits, _number((1 << digits) - 1))
    is_small = field == _number(0)
    exponent = _native.where(is_small, 1 - bias, _native.cast(field, _native.int64) - bias)
    part = _native.cast(rest, _native.float64) / 2.0**digits
    size = _native.where(is_small, part, part + 1.0) * _power(_native.minimum(exponent, bias))
    special = _native.where(rest == _number(0), float("inf"), float("nan"))
    size = _native.where(field == _number(mask), special, size)
    sign = _native.right_shift(bits, _number(dtype.size * 8 - 1)) != _number(0)
    return _native.cast(_native.where(sign, -size, size), dtype)


def _words(x: Tensor) -> Tensor:
    """The bits of elements as words of 64 bits, of which the lowest are used."""
    if x.dtype.is_floating:
        return _bits_of_floats(x)
    word = _native.cast(x, _word(x.dtype.size)) if x.dtype != _native.bool else x
    return _native.cast(word, _native.uint64)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Reads the bits of elements as those of another dtype.

    Narrower elements stand along a new last axis, the lowest bits first; wider ones take the last axis away.

    Args:
      input: tensor of integers or floats of any shape.
      type: dtype of integers or floats.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that dtype.

    Raises:
      TypeError: a dtype is neither of integers nor of floats.
      ValueError: the last axis is not as long as a wider element needs.

    Example:
      >>> gw.bitcast(gw.constant([1.0]), gw.uint32).numpy().tolist()
      [1065353216]
    """
    del name
    x, wanted = _native.convert_to_tensor(input), _native.as_dtype(type)
    for dtype in (x.dtype, wanted):
        if not (dtype.is_integer or dtype.is_floating):
            raise TypeError(f"`bitcast` takes integers and floats, not {dtype.name}")
    if x.dtype == wanted:
        return _arrays.identity(x)
    words = _words(x)
    if wanted.size < x.dtype.size:
        words = _parted(words, x.dtype.size // wanted.size, wanted.size * 8)
    elif wanted.size > x.dtype.size:
        words = _joined(words, wanted.size // x.dtype.size, x.dtype.size * 8)
    if wanted.is_floating:
        return _floats_of_bits(words, wanted)
    return _native.cast(_native.cast(words, _word(wanted.size)), wanted)


def _parted(words: Tensor, count: int, bits: int) -> Tensor:
    shifts = _native.cast(_native.range(count) * bits, _native.uint64)
    parts = _native.right_shift(_native.expand_dims(words, -1), shifts)
    return _native.bitwise_and(parts, _number((1 << bits) - 1))


def _joined(words: Tensor, count: int, bits: int) -> Tensor:
    if not words.ndim or words.shape[-1] != count:
        raise ValueError(f"`bitcast` to a wider dtype takes a last axis of {count} elements")
    shifts = _native.cast(_native.range(count) * bits, _native.uint64)
    return _native.reduce_sum(_native.left_shift(words, shifts), -1)
