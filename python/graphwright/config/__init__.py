"""What can be set while the program runs."""

from __future__ import annotations

from typing import Literal

from .. import _native
from . import threading

__all__ = [
    "full_tracebacks",
    "functions_run_eagerly",
    "integer_overflow",
    "run_functions_eagerly",
    "set_integer_overflow",
    "threading",
]


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes calls of functions run as plain Python, line by line, until it is called with `False`.

    A debugger then stops where it would without the decorator, and `print` shows values. Graphs that were
    made before are kept; what a function calls while it is traced goes into the graph as ever.
    """
    _native.run_functions_eagerly(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether calls of functions run as plain Python."""
    return _native.functions_run_eagerly()


def full_tracebacks(on: bool = True) -> None:
    """Makes tracebacks show the entries of this package too, and each statement around the line that failed.

    Without it, they show the user's lines alone, as Python would.
    """
    _native.full_tracebacks(on)


def set_integer_overflow(on_overflow: Literal["raise", "wrap"]) -> None:
    """Says what becomes of an integer scalar whose exact value leaves its dtype.

    With `"raise"`, the default, it is an `OverflowError` at the user's line: `x + 2_000_000_000` of an
    `int32` scalar that is as large, and arithmetic of Python numbers that became part of a graph, which are
    `int64` there. With `"wrap"` the high bits are dropped, as in TensorFlow. Arrays wrap in any case, as
    NumPy's do. Graphs that were made with the other setting are not used;
    `@gw.function(integer_overflow=...)` says it for one function.
    """
    _native.set_integer_overflow(on_overflow)


def integer_overflow() -> str:
    """What becomes of an integer scalar that leaves its dtype: `"raise"` or `"wrap"`."""
    return _native.integer_overflow()
