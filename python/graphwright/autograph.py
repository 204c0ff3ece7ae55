"""Conversion by itself: a function with its control flow converted, and the lowered Python to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from . import _native
from ._backend import Backend, Possible, Refusal, Registration, State, register_backend, unregister_backend

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "Backend",
    "Possible",
    "Refusal",
    "Registration",
    "State",
    "do_not_convert",
    "experimental",
    "register_backend",
    "to_code",
    "to_graph",
    "unregister_backend",
]


def to_graph(entity: Callable[P, R]) -> Callable[P, R]:
    """Converts a function: tensors in a `gw.function` then stage its control flow, others leave it Python's.

    Raises `gw.errors.ConversionError` where the source cannot be found or read.
    """
    converted: Callable[P, R] = _native.to_graph(entity)
    return converted


def to_code(entity: Callable[..., Any]) -> str:
    """Gives the lowered Python of a function, to read.

    Raises `gw.errors.ConversionError` where the source cannot be found or read.
    """
    return _native.to_code(entity)


def do_not_convert(func: F) -> F:
    """Marks a function so that converted code calls it as it stands."""
    func.__graphwright_do_not_convert__ = True  # type: ignore[attr-defined]
    return func


class experimental:  # noqa: N801
    """TensorFlow's namespace of the same name."""

    do_not_convert = staticmethod(do_not_convert)
