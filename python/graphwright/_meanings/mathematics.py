"""The functions of Python's `math` for a tensor without axes: they compute and fail as `math` does."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from .. import _native
from . import written
from .scalars import int as to_int
from .scalars import is_float, scalar, tensor_of

conv = _native.operators.conv
where = _native.where


def real(x: Any, name: str) -> Any:
    """`x` as `math` takes it: a float of Python's without axes, whatever its dtype is."""
    return _native.as_number(_native.cast(tensor_of(scalar(x, name)), _native.float64))


def reals(name: str, *inputs: Any) -> list[Any]:
    """The same of each of the inputs."""
    return [real(x, name) for x in inputs]


def integer(x: Any, name: str) -> Any:
    """`x` as an integer without axes."""
    x = tensor_of(scalar(x, name))
    if is_float(x):
        raise TypeError(f"`math.{name}` takes integers, and this is a tensor of floats")
    return _native.cast(x, _native.int64)


def domain(ok: Any) -> None:
    """Fails as `math` does for an argument that has no result."""
    _native.check(ok, "ValueError", "math domain error")


def in_range(result: Any, *inputs: Any) -> Any:
    """`result`, which is infinite only where an input is."""
    finite = _native.is_finite(result)
    for x in inputs:
        finite = _native.logical_or(finite, _native.logical_not(_native.is_finite(x)))
    _native.check(finite, "OverflowError", "math range error")
    return result


def of_real(name: str, formula: Callable[[Any], Any], takes: Callable[[Any], Any] | None = None) -> Any:
    """A function of one float, which must be NaN or fulfil `takes`."""

    def meaning(x: Any, /) -> Any:
        x = real(x, name)
        if takes is not None:
            domain(_native.logical_or(takes(x), x != x))
        return formula(x)

    return meaning


def may_overflow(name: str, formula: Callable[[Any], Any]) -> Any:
    """A function of one float whose result may be too large."""

    def meaning(x: Any, /) -> Any:
        x = real(x, name)
        return in_range(formula(x), x)

    return meaning


def finite(x: Any) -> Any:
    """True if `x` is no infinity (NaN is let through by all)."""
    return _native.is_finite(x)


def nearest_exact(result: Any, power: Callable[[Any], Any], x: Any) -> Any:
    """`result`, or the integer beside it for which `power` gives `x`."""
    whole = _native.round(result)
    # The difference has no derivative, and the sum is exact.
    return result + where(power(whole) == x, _native.stop_gradient(whole - result), 0.0)


def log10(x: Any) -> Any:
    """The logarithm to base 10, exact for powers of 10."""
    return nearest_exact(_native.log(x) / math.log(10.0), lambda n: _native.pow(10.0 + 0.0 * n, n), x)


def log(x: Any, base: Any = None, /) -> Any:
    """`math.log(x, base)`"""
    logarithm = of_real("log", _native.log, lambda v: v > 0.0)
    if base is None:
        return logarithm(x)
    above, below = (logarithm(v) for v in reals("log", x, base))
    _native.check(below != 0.0, "ZeroDivisionError", "float division by zero")
    return above / below


def sign_of(x: Any) -> Any:
    """True if the sign bit is set (that of NaN counts as not set)."""
    return _native.logical_or(x < 0.0, _native.logical_and(x == 0.0, 1.0 / x < 0.0))


def with_sign(size: Any, x: Any) -> Any:
    """`size`, which is not negative, with the sign of `x`."""
    return where(sign_of(x), -size, size)


def cosh(x: Any) -> Any:
    """The hyperbolic cosine, up to the greatest float."""
    size = _native.abs(x)
    half = _native.exp(size / 2.0)
    whole = _native.exp(size)
    return where(size < 20.0, (whole + 1.0 / whole) / 2.0, half / 2.0 * half)


def acosh(x: Any) -> Any:
    """The inverse hyperbolic cosine."""
    above = x - 1.0
    near = _native.log1p(above + _native.sqrt(2.0 * above + above * above))
    return where(x < 1e8, near, _native.log(x) + math.log(2.0))


#: The least `float32` that has all its digits: loops over arrays take lesser ones for zero.
_LEAST = 2.0**-126


def is_nothing(size: Any) -> Any:
    """True of zero, and of what loops over `float32` take for it."""
    is_single = getattr(size, "dtype", None) == _native.float32
    return size < _LEAST if is_single else size == 0.0


def cbrt(x: Any) -> Any:
    """The cube root, exact for cubes of integers."""
    size = _native.abs(x)
    root = _native.exp(_native.log(size) / 3.0)
    root = root - (root * root * root - size) / (3.0 * root * root)
    root = nearest_exact(root, lambda n: n * n * n, size)
    root = where(finite(size), root, size)
    return with_sign(where(is_nothing(size), size * 0.0, root), x)


def pow(x: Any, y: Any, /) -> Any:
    """`math.pow(x, y)`"""
    x, y = reals("pow", x, y)
    result = _native.pow(x, y)
    known = _native.logical_and(x == x, y == y)
    domain(_native.logical_or(result == result, _native.logical_not(known)))
    domain(_native.logical_not(_native.logical_and(x == 0.0, _native.logical_and(y < 0.0, finite(y)))))
    return in_range(result, x, y)


def fmod(x: Any, y: Any, /) -> Any:
    """`math.fmod(x, y)`: the rest has the sign of `x`."""
    x, y = reals("fmod", x, y)
    wrong = _native.logical_or(_native.abs(x) == math.inf, y == 0.0)
    unknown = _native.logical_or(x != x, y != y)
    domain(_native.logical_or(_native.logical_not(wrong), unknown))
    return with_sign(rest(_native.abs(x), _native.abs(y)), x)


def rest(x: Any, y: Any) -> Any:
    """The rest of a division of floats that are not negative."""
    return where(y == math.inf, x, _native.floormod(x, y))


def remainder(x: Any, y: Any, /) -> Any:
    """`math.remainder(x, y)`: the rest of the nearest multiple, of two the even one."""
    x, y = reals("remainder", x, y)
    wrong = _native.logical_or(_native.abs(x) == math.inf, y == 0.0)
    unknown = _native.logical_or(x != x, y != y)
    domain(_native.logical_or(_native.logical_not(wrong), unknown))
    size, unit = _native.abs(x), _native.abs(y)
    over = rest(size, unit)
    lacking = unit - over
    tie = over - 2.0 * rest(0.5 * (size - over), unit)
    found = where(over < lacking, over, where(over > lacking, -lacking, tie))
    return where(unit == math.inf, x, where(sign_of(x), -found, found))


def modf(x: Any, /) -> tuple[Any, Any]:
    """`math.modf(x)`"""
    x = real(x, "modf")
    size = _native.abs(x)
    whole = _native.floor(size)
    part = where(size == math.inf, _native.zeros_like(x), size - whole)
    return with_sign(part, x), with_sign(whole, x)


def towards(name: str, round_: Callable[[Any], Any]) -> Any:
    """A function that gives an integer."""

    def meaning(x: Any, /) -> Any:
        x = scalar(x, name)
        return to_int(round_(x)) if is_float(x) else to_int(x)

    return meaning


def trunc(x: Any, /) -> Any:
    """`math.trunc(x)`, which of NumPy's numbers takes those alone that are Python's floats."""
    if isinstance(x, _native.Tensor) and x.dtype != _native.float64 and _native.is_of_numpy(x):
        raise TypeError(f"type numpy.{x.dtype.name} doesn't define __trunc__ method")
    return towards("trunc", lambda x: x)(x)


def hypot(*coordinates: Any) -> Any:
    """`math.hypot(*coordinates)`"""
    sizes = [_native.abs(x) for x in reals("hypot", *coordinates)]
    if not sizes:
        return 0.0
    greatest = sizes[0]
    for size in sizes[1:]:
        greatest = _native.maximum(greatest, size)
    unit = where(_native.logical_and(greatest > 0.0, finite(greatest)), greatest, _native.ones_like(greatest))
    squares = builtins.sum((size / unit) * (size / unit) for size in sizes)
    found = _native.sqrt(squares) * unit
    for size in sizes:
        found = where(size == math.inf, size, found)
    return in_range(found, *sizes)


def dist(p: Any, q: Any, /) -> Any:
    """`math.dist(p, q)`"""
    first, second = list(p), list(q)
    if len(first) != len(second):
        raise ValueError("both points must have the same number of dimensions")
    sides = (reals("dist", *pair) for pair in builtins.zip(first, second, strict=True))
    return hypot(*(a - b for a, b in sides))


def copysign(x: Any, y: Any, /) -> Any:
    """`math.copysign(x, y)`"""
    x, y = reals("copysign", x, y)
    return with_sign(_native.abs(x), y)


def isclose(a: Any, b: Any, /, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """`math.isclose(a, b)`"""
    a, b = reals("isclose", a, b)
    sizes = _native.maximum(_native.abs(a), _native.abs(b))
    close = _native.abs(a - b) <= _native.maximum(rel_tol * sizes, abs_tol)
    close = _native.logical_and(close, _native.logical_and(finite(a), finite(b)))
    return _native.logical_or(a == b, close)


def gcd(*integers: Any) -> Any:
    """`math.gcd(*integers)`"""
    found = _native.constant(0, _native.int64)
    for x in integers:
        found = conv(written.divisor)(found, integer(x, "gcd"))
    return found


def lcm(*integers: Any) -> Any:
    """`math.lcm(*integers)`"""
    found = _native.constant(1, _native.int64)
    for x in integers:
        x = integer(x, "lcm")
        common = gcd(found, x)
        found = where(common == 0, common, found // where(common == 0, 1, common) * x)
    return _native.abs(found)


def isqrt(n: Any, /) -> Any:
    """`math.isqrt(n)`"""
    n = integer(n, "isqrt")
    _native.check(n >= 0, "ValueError", "isqrt() argument must be nonnegative")
    root = _native.cast(_native.sqrt(_native.cast(n, _native.float64)), _native.int64)
    root = _native.minimum(root, 3037000499)
    root = where(root * root > n, root - 1, root)
    # The product has no room where the first part does not hold.
    larger = _native.wrapping_multiply(root + 1, root + 1) <= n
    return where(_native.logical_and(root < 3037000499, larger), root + 1, root)


def factorial(n: Any, /) -> Any:
    """`math.factorial(n)`"""
    n = integer(n, "factorial")
    _native.check(n >= 0, "ValueError", "factorial() not defined for negative values")
    _native.check_limit(n <= 20, "OverflowError", "GW306: a factorial beyond 64 bits")
    return conv(written.factorial)(n)


def angle(name: str, factor: builtins.float) -> Any:
    """A function that multiplies."""
    return lambda x, /: real(x, name) * factor


def classified(name: str, test: Callable[[Any], Any]) -> Any:
    """A function that gives a bool."""
    return lambda x, /: test(real(x, name))


def atan2(y: Any, x: Any, /) -> Any:
    """`math.atan2(y, x)`"""
    return _native.atan2(*reals("atan2", y, x))


def within_one(x: Any) -> Any:
    """True if `x` is a cosine."""
    return _native.abs(x) <= 1.0


MEANINGS: dict[str, Callable[..., Any]] = {
    "acos": of_real("acos", _native.acos, within_one),
    "acosh": of_real("acosh", acosh, lambda x: x >= 1.0),
    "asin": of_real("asin", _native.asin, within_one),
    "asinh": of_real("asinh", _native.asinh),
    "atan": of_real("atan", _native.atan),
    "atan2": atan2,
    "atanh": of_real(
        "atanh",
        lambda x: with_sign(_native.log1p(2.0 * _native.abs(x) / (1.0 - _native.abs(x))) * 0.5, x),
        lambda x: _native.abs(x) < 1.0,
    ),
    "cbrt": of_real("cbrt", cbrt),
    "ceil": towards("ceil", _native.ceil),
    "copysign": copysign,
    "cos": of_real("cos", _native.cos, finite),
    "cosh": may_overflow("cosh", cosh),
    "degrees": angle("degrees", 180.0 / math.pi),
    "dist": dist,
    "erf": of_real("erf", _native.erf),
    "exp": may_overflow("exp", _native.exp),
    "exp2": may_overflow("exp2", lambda x: _native.pow(2.0 + 0.0 * _native.sign(x), x)),
    "expm1": may_overflow("expm1", _native.expm1),
    "fabs": of_real("fabs", _native.abs),
    "factorial": factorial,
    "floor": towards("floor", _native.floor),
    "fmod": fmod,
    "gcd": gcd,
    "hypot": hypot,
    "isclose": isclose,
    "isfinite": classified("isfinite", _native.is_finite),
    "isinf": classified("isinf", lambda x: _native.abs(x) == math.inf),
    "isnan": classified("isnan", _native.is_nan),
    "isqrt": isqrt,
    "lcm": lcm,
    "log": log,
    "log10": of_real("log10", log10, lambda x: x > 0.0),
    "log1p": of_real("log1p", _native.log1p, lambda x: x > -1.0),
    "log2": of_real("log2", _native.log2, lambda x: x > 0.0),
    "modf": modf,
    "pow": pow,
    "radians": angle("radians", math.pi / 180.0),
    "remainder": remainder,
    "sin": of_real("sin", _native.sin, finite),
    "sinh": may_overflow("sinh", _native.sinh),
    "sqrt": of_real("sqrt", _native.sqrt, lambda x: x >= 0.0),
    "tan": of_real("tan", _native.tan, finite),
    "tanh": of_real("tanh", _native.tanh),
    "trunc": trunc,
}

# Those that have no meaning, with what to write instead.
REFUSED: dict[str, str] = {
    "comb": "multiply and divide in a loop",
    "erfc": "write `1.0 - math.erf(x)`, which is less exact for a large `x`",
    "fma": "write `x * y + z`, which rounds twice",
    "frexp": "compute it outside the function",
    "fsum": "write `sum(x)` or `gw.reduce_sum(x)`",
    "gamma": "compute it outside the function",
    "ldexp": "write `x * 2.0**i`",
    "lgamma": "compute it outside the function",
    "nextafter": "compute it outside the function",
    "perm": "multiply in a loop",
    "sumprod": "write `gw.reduce_sum(p * q)`",
    "ulp": "compute it outside the function",
}

#: Functions of Python's that give an integer, by the name of the special method that each asks for.
ROUNDED: dict[str, Callable[..., Any]] = {
    "ceil": MEANINGS["ceil"],
    "floor": MEANINGS["floor"],
    "round": lambda x: to_int(_native.round(x)) if is_float(x) else to_int(x),
}
