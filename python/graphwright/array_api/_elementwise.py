"""Elementwise functions of the standard: a table of their meanings."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .. import _arrays, _native
from .._meanings import mathematics
from .._native import Tensor
from .._numpy.reductions import fractional
from .._numpy.ufuncs import UFUNCS
from ._operands import floating, is_number, of_one_dtype, operand

_Unary = Callable[[Any], Tensor]
_Binary = Callable[[Any, Any], Tensor]
_Function = TypeVar("_Function", bound=Callable[..., Tensor])


def _unary(name: str, sentence: str, meaning: Callable[[Any], Any]) -> _Unary:
    """A function of the elements of one tensor."""

    def function(x: Any, /) -> Tensor:
        found: Tensor = meaning(operand(x))
        return found

    return _named(name, sentence, function)


def _binary(name: str, sentence: str, meaning: Callable[[Any, Any], Any]) -> _Binary:
    """A function of the elements of two tensors; one of both may be a number of Python's."""

    def function(x1: Any, x2: Any, /) -> Tensor:
        found: Tensor = meaning(x1, x2)
        return found

    return _named(name, sentence, function)


def _named(name: str, sentence: str, function: _Function) -> _Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = sentence
    return function


def _of_floats(name: str, sentence: str, meaning: Callable[[Any], Any]) -> _Unary:
    """A function of one float, in its dtype."""

    def of_float(x: Any) -> Any:
        x = floating(x)
        return _native.cast(meaning(x), x.dtype)

    return _unary(name, sentence, of_float)


def _of_two_floats(name: str, sentence: str, meaning: Callable[[Any, Any], Any]) -> _Binary:
    """A function of two floats, which are of one dtype, in that dtype."""

    def of_floats(x1: Any, x2: Any) -> Any:
        x1, x2 = map(floating, of_one_dtype(x1, x2))
        return _native.cast(meaning(x1, x2), x1.dtype)

    return _binary(name, sentence, of_floats)


def _rounding(name: str, sentence: str, meaning: Callable[[Any], Any]) -> _Unary:
    """A function that rounds floats; integers and bools are whole."""
    return _unary(name, sentence, lambda x: meaning(x) if fractional(x) else _arrays.identity(x))


def _test(name: str, sentence: str, meaning: Callable[[Any], Any], otherwise: bool) -> _Unary:
    """A test of floats, which integers and bools all pass or all fail."""

    def tested(x: Any) -> Any:
        if fractional(x):
            return meaning(x)
        return (_native.ones_like if otherwise else _native.zeros_like)(x, _native.bool)

    return _unary(name, sentence, tested)


def _logaddexp(x1: Any, x2: Any) -> Any:
    """The logarithm of a sum, which no exponential overflows."""
    most, apart = _native.maximum(x1, x2), _native.negative(_native.abs(x1 - x2))
    # Two equal infinities have no difference.
    apart = _native.where(_native.equal(x1, x2), _native.zeros_like(apart), apart)
    return most + _native.log1p(_native.exp(apart))


def _nextafter(x1: Any, x2: Any) -> Any:
    """The next float, which NumPy computes, beside a graph too: no operation reads the bits of floats."""
    if not (_native.is_staged(x1) or _native.is_staged(x2)):
        return _native.constant(np.nextafter(x1.numpy(), x2.numpy()))
    found = _native.numpy_function(np.nextafter, [x1, x2], x1.dtype)
    return _native.reshape(found, _arrays.lengths(x1 + x2))


def _clip(x: Any, bound: Any, limited: _Binary) -> Any:
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


def _floor_divide(x1: Any, x2: Any) -> Any:
    """Quotients rounded down; those of infinities are the standard's, not Python's."""
    found = _native.floordiv(x1, x2)
    if not found.dtype.is_floating:
        return found
    x1, x2 = of_one_dtype(x1, x2)
    is_infinite = _native.logical_or(_is_infinite(x1), _is_infinite(x2))
    return _native.where(is_infinite, _native.floor(_native.divide(x1, x2)), found)


def _is_infinite(x: Any) -> Any:
    return _native.equal(_native.abs(x), math.inf)


def _reciprocal(x: Any) -> Any:
    return _native.divide(_native.ones_like(x), x)


def _real(x: Any) -> Any:
    return _native.real(x) if x.dtype.is_complex else _arrays.identity(x)


def _sign_bit(x: Any) -> Any:
    return mathematics.sign_of(x) if x.dtype.is_floating else x < 0


def _copysign(x1: Any, x2: Any) -> Any:
    return mathematics.with_sign(_native.abs(x1), x2)


abs = _unary("abs", "Computes absolute values.", _native.abs)
acos = _of_floats("acos", "Computes inverse cosines.", UFUNCS[np.arccos])
acosh = _of_floats("acosh", "Computes inverse hyperbolic cosines.", UFUNCS[np.arccosh])
add = _binary("add", "Adds elements.", _native.add)
asin = _of_floats("asin", "Computes inverse sines.", UFUNCS[np.arcsin])
asinh = _of_floats("asinh", "Computes inverse hyperbolic sines.", _native.asinh)
atan = _of_floats("atan", "Computes inverse tangents.", _native.atan)
atan2 = _of_two_floats("atan2", "Computes the angles of points, whose heights come first.", _native.atan2)
atanh = _of_floats("atanh", "Computes inverse hyperbolic tangents.", UFUNCS[np.arctanh])
bitwise_and = _binary("bitwise_and", "Keeps the bits that are set in both elements.", _native.bitwise_and)
bitwise_invert = _unary("bitwise_invert", "Inverts bits.", _native.invert)
bitwise_left_shift = _binary("bitwise_left_shift", "Shifts bits to the left.", _native.left_shift)
bitwise_or = _binary("bitwise_or", "Joins the bits that are set in either element.", _native.bitwise_or)
bitwise_right_shift = _binary("bitwise_right_shift", "Shifts bits to the right.", _native.right_shift)
bitwise_xor = _binary("bitwise_xor", "Keeps the bits that are set in one element only.", _native.bitwise_xor)
ceil = _rounding("ceil", "Rounds up.", _native.ceil)
conj = _unary("conj", "Computes conjugates: real numbers are theirs.", UFUNCS[np.conjugate])
copysign = _of_two_floats("copysign", "Gives elements the signs of others.", _copysign)
cos = _of_floats("cos", "Computes cosines.", _native.cos)
cosh = _of_floats("cosh", "Computes hyperbolic cosines.", UFUNCS[np.cosh])
divide = _binary("divide", "Divides elements; integers give floats.", _native.divide)
equal = _binary("equal", "Compares elements for equality.", _native.equal)
exp = _of_floats("exp", "Computes exponentials.", _native.exp)
expm1 = _of_floats("expm1", "Computes `exp(x) - 1`, exact near zero.", _native.expm1)
floor = _rounding("floor", "Rounds down.", _native.floor)
floor_divide = _binary("floor_divide", "Divides elements and rounds down.", _floor_divide)
greater = _binary("greater", "Tells where elements are greater than others.", _native.greater)
greater_equal = _binary(
    "greater_equal", "Tells where elements are not less than others.", _native.greater_equal
)
hypot = _of_two_floats("hypot", "Computes the longest sides of right triangles.", UFUNCS[np.hypot])
imag = _unary("imag", "Computes imaginary parts: those of real numbers are zero.", _native.imag)
isfinite = _test("isfinite", "Tells where elements are finite.", _native.is_finite, True)
isinf = _test("isinf", "Tells where elements are infinite.", _is_infinite, False)
isnan = _test("isnan", "Tells where elements are NaN.", _native.is_nan, False)
less = _binary("less", "Tells where elements are less than others.", _native.less)
less_equal = _binary("less_equal", "Tells where elements are not greater than others.", _native.less_equal)
log = _of_floats("log", "Computes natural logarithms.", _native.log)
log10 = _of_floats("log10", "Computes logarithms to base 10.", UFUNCS[np.log10])
log1p = _of_floats("log1p", "Computes `log(1 + x)`, exact near zero.", _native.log1p)
log2 = _of_floats("log2", "Computes logarithms to base 2.", _native.log2)
logaddexp = _of_two_floats("logaddexp", "Computes `log(exp(x1) + exp(x2))` without overflow.", _logaddexp)
logical_and = _binary("logical_and", "Tells where both elements are true.", _native.logical_and)
logical_not = _unary("logical_not", "Tells where elements are false.", _native.logical_not)
logical_or = _binary("logical_or", "Tells where an element of both is true.", _native.logical_or)
logical_xor = _binary("logical_xor", "Tells where one element of both is true.", _native.logical_xor)
maximum = _binary("maximum", "Computes the greater of two elements.", _native.maximum)
minimum = _binary("minimum", "Computes the less of two elements.", _native.minimum)
multiply = _binary("multiply", "Multiplies elements.", _native.multiply)
negative = _unary("negative", "Computes negatives.", _native.negative)
nextafter = _of_two_floats("nextafter", "Computes the floats next to others in a direction.", _nextafter)
not_equal = _binary("not_equal", "Compares elements for inequality.", _native.not_equal)
positive = _unary("positive", "Returns elements as they are, in a tensor of its own.", _arrays.identity)
pow = _binary("pow", "Raises elements to powers.", _native.pow)
real = _unary("real", "Computes real parts: real numbers are theirs.", _real)
reciprocal = _of_floats("reciprocal", "Computes reciprocals.", _reciprocal)
remainder = _binary("remainder", "Computes remainders, which have the sign of the divisor.", _native.floormod)
round = _rounding("round", "Rounds to the nearest integers, of two the even one.", _native.round)
sign = _unary("sign", "Computes signs: -1, 0 or 1; of complex numbers those of size 1.", UFUNCS[np.sign])
signbit = _unary("signbit", "Tells where the sign bit is set; that of NaN counts as not set.", _sign_bit)
sin = _of_floats("sin", "Computes sines.", _native.sin)
sinh = _of_floats("sinh", "Computes hyperbolic sines.", UFUNCS[np.sinh])
sqrt = _of_floats("sqrt", "Computes square roots.", _native.sqrt)
square = _unary("square", "Computes squares.", _native.square)
subtract = _binary("subtract", "Subtracts elements.", _native.subtract)
tan = _of_floats("tan", "Computes tangents.", _native.tan)
tanh = _of_floats("tanh", "Computes hyperbolic tangents.", _native.tanh)
trunc = _rounding("trunc", "Rounds towards zero.", UFUNCS[np.trunc])

__all__ = sorted(
    name
    for name, value in builtins.dict(globals()).items()
    if name[0] != "_" and getattr(value, "__module__", None) == __name__
)
