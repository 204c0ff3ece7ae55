"""Elementwise functions of the standard: a table of their meanings."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _arrays, _native
from .._meanings import mathematics
from .._native import Tensor
from .._numpy.ufuncs import UFUNCS
from ._operands import floating, is_number, of_one_dtype, operand

Unary = Callable[[Any], Tensor]
Binary = Callable[[Any, Any], Tensor]


def _unary(name: str, meaning: Callable[[Any], Any]) -> Unary:
    """A function of the elements of one tensor."""

    def function(x: Any, /) -> Tensor:
        found: Tensor = meaning(operand(x))
        return found

    return _named(name, function)


def _binary(name: str, meaning: Callable[[Any, Any], Any]) -> Binary:
    """A function of the elements of two tensors; one of both may be a number of Python's."""

    def function(x1: Any, x2: Any, /) -> Tensor:
        found: Tensor = meaning(x1, x2)
        return found

    return _named(name, function)


def _named(name: str, function: Any) -> Any:
    function.__name__ = function.__qualname__ = name
    return function


def _of_floats(name: str, meaning: Callable[[Any], Any]) -> Unary:
    """A function of one float."""
    return _unary(name, lambda x: meaning(floating(x)))


def _of_two_floats(name: str, meaning: Callable[[Any, Any], Any]) -> Binary:
    """A function of two floats, which are of one dtype."""
    return _binary(name, lambda x1, x2: meaning(*map(floating, of_one_dtype(x1, x2))))


def _rounding(name: str, meaning: Callable[[Any], Any]) -> Unary:
    """A function that rounds floats; integers and bools are whole."""
    return _unary(name, lambda x: meaning(x) if x.dtype.is_floating else _arrays.identity(x))


def _test(name: str, meaning: Callable[[Any], Any], otherwise: bool) -> Unary:
    """A test of floats, which integers and bools all pass or all fail."""

    def tested(x: Any) -> Any:
        if x.dtype.is_floating:
            return meaning(x)
        return (_native.ones_like if otherwise else _native.zeros_like)(x, _native.bool)

    return _unary(name, tested)


def _logaddexp(x1: Any, x2: Any) -> Any:
    """The logarithm of a sum, which no exponential overflows."""
    most, apart = _native.maximum(x1, x2), _native.negative(_native.abs(x1 - x2))
    # Two equal infinities have no difference.
    apart = _native.where(_native.equal(x1, x2), _native.zeros_like(apart), apart)
    return most + _native.log1p(_native.exp(apart))


def _nextafter(x1: Any, x2: Any) -> Any:
    """The next float: no operation of graphs reads its bits, so NumPy computes it of values, beside a graph too."""
    if not (_native.is_staged(x1) or _native.is_staged(x2)):
        return _native.constant(np.nextafter(x1.numpy(), x2.numpy()))
    found = _native.numpy_function(np.nextafter, [x1, x2], x1.dtype)
    return _native.reshape(found, _arrays.lengths(x1 + x2))


def _clip(x: Any, bound: Any, limited: Binary) -> Any:
    """The elements within a bound, in their own dtype."""
    if bound is None:
        return x
    if not is_number(bound):
        bound = operand(bound)
        return _native.cast(limited(x, bound), x.dtype)
    return limited(x, bound)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Tensor:
    """Limits elements to a range."""
    x = operand(x)
    found = _clip(_clip(x, min, _native.maximum), max, _native.minimum)
    return _arrays.identity(found) if found is x else _native.cast(found, x.dtype)


def _reciprocal(x: Any) -> Any:
    return _native.divide(_native.ones_like(x), x)


def _sign_bit(x: Any) -> Any:
    return mathematics.sign_of(x) if x.dtype.is_floating else x < 0


def _copysign(x1: Any, x2: Any) -> Any:
    return mathematics.with_sign(_native.abs(x1), x2)


abs = _unary("abs", _native.abs)
acos = _of_floats("acos", UFUNCS[np.arccos])
acosh = _of_floats("acosh", UFUNCS[np.arccosh])
add = _binary("add", _native.add)
asin = _of_floats("asin", UFUNCS[np.arcsin])
asinh = _of_floats("asinh", _native.asinh)
atan = _of_floats("atan", _native.atan)
atan2 = _of_two_floats("atan2", _native.atan2)
atanh = _of_floats("atanh", UFUNCS[np.arctanh])
bitwise_and = _binary("bitwise_and", _native.bitwise_and)
bitwise_invert = _unary("bitwise_invert", _native.invert)
bitwise_left_shift = _binary("bitwise_left_shift", _native.left_shift)
bitwise_or = _binary("bitwise_or", _native.bitwise_or)
bitwise_right_shift = _binary("bitwise_right_shift", _native.right_shift)
bitwise_xor = _binary("bitwise_xor", _native.bitwise_xor)
ceil = _rounding("ceil", _native.ceil)
conj = _unary("conj", _arrays.identity)
copysign = _of_two_floats("copysign", _copysign)
cos = _of_floats("cos", _native.cos)
cosh = _of_floats("cosh", UFUNCS[np.cosh])
divide = _binary("divide", _native.divide)
equal = _binary("equal", _native.equal)
exp = _of_floats("exp", _native.exp)
expm1 = _of_floats("expm1", _native.expm1)
floor = _rounding("floor", _native.floor)
floor_divide = _binary("floor_divide", _native.floordiv)
greater = _binary("greater", _native.greater)
greater_equal = _binary("greater_equal", _native.greater_equal)
hypot = _of_two_floats("hypot", UFUNCS[np.hypot])
imag = _unary("imag", _native.zeros_like)
isfinite = _test("isfinite", _native.is_finite, True)
isinf = _test("isinf", lambda x: _native.equal(_native.abs(x), math.inf), False)
isnan = _test("isnan", _native.is_nan, False)
less = _binary("less", _native.less)
less_equal = _binary("less_equal", _native.less_equal)
log = _of_floats("log", _native.log)
log10 = _of_floats("log10", UFUNCS[np.log10])
log1p = _of_floats("log1p", _native.log1p)
log2 = _of_floats("log2", _native.log2)
logaddexp = _of_two_floats("logaddexp", _logaddexp)
logical_and = _binary("logical_and", _native.logical_and)
logical_not = _unary("logical_not", _native.logical_not)
logical_or = _binary("logical_or", _native.logical_or)
logical_xor = _binary("logical_xor", _native.logical_xor)
maximum = _binary("maximum", _native.maximum)
minimum = _binary("minimum", _native.minimum)
multiply = _binary("multiply", _native.multiply)
negative = _unary("negative", _native.negative)
nextafter = _of_two_floats("nextafter", _nextafter)
not_equal = _binary("not_equal", _native.not_equal)
positive = _unary("positive", _arrays.identity)
pow = _binary("pow", _native.pow)
real = _unary("real", _arrays.identity)
reciprocal = _of_floats("reciprocal", _reciprocal)
remainder = _binary("remainder", _native.floormod)
round = _rounding("round", _native.round)
sign = _unary("sign", _native.sign)
signbit = _unary("signbit", _sign_bit)
sin = _of_floats("sin", _native.sin)
sinh = _of_floats("sinh", UFUNCS[np.sinh])
sqrt = _of_floats("sqrt", _native.sqrt)
square = _unary("square", _native.square)
subtract = _binary("subtract", _native.subtract)
tan = _of_floats("tan", _native.tan)
tanh = _of_floats("tanh", _native.tanh)
trunc = _rounding("trunc", UFUNCS[np.trunc])

__all__ = sorted(
    name
    for name, value in builtins.dict(globals()).items()
    if name[0] != "_" and getattr(value, "__module__", None) == __name__ and name not in ("Unary", "Binary")
)
