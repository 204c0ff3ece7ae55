"""What can be set while the program runs."""

from __future__ import annotations

from .. import _native
from . import threading

__all__ = ["full_tracebacks", "functions_run_eagerly", "run_functions_eagerly", "threading"]


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
