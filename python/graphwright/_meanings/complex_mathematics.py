"""The functions of Python's `cmath` for a tensor without axes: they compute and fail as `cmath` does."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

from .. import _native
from .mathematics import domain, in_range, reals
from .scalars import scalar, tensor_of

_and, _or, _not = _native.logical_and, _native.logical_or, _native.logical_not


def number(x: Any, name: str) -> Any:
    """`x` as `cmath` takes it: a complex number of Python's without axes, whatever dtype it has."""
    return _native.as_number(_native.cast(tensor_of(scalar(x, f"cmath.{name}")), _native.complex128))


def parts(z: Any) -> tuple[Any, Any]:
    """The real and the imaginary part."""
    return _native.real(z), _native.imag(z)


def is_endless(part: Any) -> Any:
    """True of an infinity."""
    return _native.abs(part) == math.inf


def is_finite(z: Any) -> Any:
    """True where both parts are neither infinite nor NaN."""
    re, im = parts(z)
    return _and(_native.is_finite(re), _native.is_finite(im))


def is_nan(z: Any) -> Any:
    """True where a part is NaN."""
    re, im = parts(z)
    return _or(re != re, im != im)


def is_infinite(z: Any) -> Any:
    """True where a part is infinite."""
    re, im = parts(z)
    return _or(is_endless(re), is_endless(im))


def _of_package(name: str) -> Callable[[Any], Any]:
    """A function of the package, whose module needs this one: it is imported when it is first called."""

    def formula(z: Any) -> Any:
        from .. import _complex

        return getattr(_complex if hasattr(_complex, name) else _native, name)(z)

    return formula


def of_one(name: str, takes: Callable[[Any, Any], Any] | None = None) -> Callable[..., Any]:
    """A function of one number, whose parts must fulfil `takes`; a finite number has a finite result."""
    formula = _of_package(name)

    def meaning(z: Any, /) -> Any:
        z = number(z, name)
        if takes is not None:
            domain(takes(*parts(z)))
        found = formula(z)
        _native.check(_or(is_finite(found), _not(is_finite(z))), "OverflowError", "math range error")
        return found

    return meaning


def _turns(re: Any, im: Any) -> Any:
    """False where an infinite angle turns a number that is known."""
    return _not(_and(is_endless(im), re == re))


def _turns_unless_zero(re: Any, im: Any) -> Any:
    return _not(_and(is_endless(im), _and(re == re, re != -math.inf)))


def _turns_unless_endless(re: Any, im: Any) -> Any:
    return _not(_and(is_endless(im), _native.is_finite(re)))


def _turned(takes: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda re, im: takes(im, re)


def _is_some(re: Any, im: Any) -> Any:
    return _or(re != 0.0, im != 0.0)


def log(z: Any, base: Any = None, /) -> Any:
    """`cmath.log(z, base)`"""
    logarithm = of_one("log", _is_some)
    if base is None:
        return logarithm(z)
    above, below = logarithm(z), logarithm(base)
    domain(_is_some(*parts(below)))
    return above / below


def phase(z: Any, /) -> Any:
    """`cmath.phase(z)`"""
    re, im = parts(number(z, "phase"))
    return _native.atan2(im, re)


def polar(z: Any, /) -> tuple[Any, Any]:
    """`cmath.polar(z)`"""
    z = number(z, "polar")
    size = _native.abs(z)
    return in_range(size, *parts(z)), phase(z)


def rect(r: Any, phi: Any, /) -> Any:
    """`cmath.rect(r, phi)`"""
    r, phi = reals("cmath.rect", r, phi)
    known = _and(_and(r == r, r != 0.0), is_endless(phi))
    domain(_not(known))
    re, im = r * _native.cos(phi), r * _native.sin(phi)
    is_plain = phi == 0.0
    return _native.complex(_native.where(is_plain, r, re), _native.where(is_plain, r * phi, im))


def isclose(a: Any, b: Any, /, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """`cmath.isclose(a, b)`"""
    a, b = number(a, "isclose"), number(b, "isclose")
    apart = _native.abs(a - b)
    size = _native.maximum(_native.abs(a), _native.abs(b))
    close = apart <= _native.maximum(rel_tol * size, abs_tol)
    known = _not(_or(is_infinite(a), is_infinite(b)))
    return _or(a == b, _and(close, known))


def _tested(name: str, test: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda z, /: test(number(z, name))


_MEANINGS: dict[str, Callable[..., Any]] = {
    **{name: of_one(name) for name in ["sqrt", "acos", "acosh", "asin", "asinh"]},
    "atan": of_one("atan", lambda re, im: _not(_and(re == 0.0, _native.abs(im) == 1.0))),
    "atanh": of_one("atanh", lambda re, im: _not(_and(im == 0.0, _native.abs(re) == 1.0))),
    "exp": of_one("exp", _turns_unless_zero),
    "sinh": of_one("sinh", _turns),
    "cosh": of_one("cosh", _turns),
    "tanh": of_one("tanh", _turns_unless_endless),
    "sin": of_one("sin", _turned(_turns)),
    "cos": of_one("cos", _turned(_turns)),
    "tan": of_one("tan", _turned(_turns_unless_endless)),
    "log10": of_one("log10", _is_some),
    "log": log,
    "phase": phase,
    "polar": polar,
    "rect": rect,
    "isclose": isclose,
    "isfinite": _tested("isfinite", is_finite),
    "isinf": _tested("isinf", is_infinite),
    "isnan": _tested("isnan", is_nan),
}

#: The functions of `cmath` and their meanings.
FUNCTIONS: list[tuple[Any, Callable[..., Any]]] = [
    (getattr(cmath, name), meaning) for name, meaning in _MEANINGS.items()
]
