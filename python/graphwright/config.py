"""What can be set while the program runs."""

from __future__ import annotations

from . import _native

__all__ = ["full_tracebacks"]


def full_tracebacks(on: bool = True) -> None:
    """Makes tracebacks show the entries of this package too, and each statement around the line that failed.

    Without it, they show the user's lines alone, as Python would.
    """
    _native.full_tracebacks(on)
