"""What Graphwright raises besides Python's own exceptions."""

from ._native import ConversionError, InternalError, OperatorNotAllowedInGraphError, UnrolledLoopWarning

__all__ = [
    "ConversionError",
    "InternalError",
    "OperatorNotAllowedInGraphError",
    "RetracingWarning",
    "UnrolledLoopWarning",
]


class RetracingWarning(RuntimeWarning):
    """A function makes graph after graph: the message names the argument that differs, and the remedy."""
