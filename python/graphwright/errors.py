"""What Graphwright raises besides Python's own exceptions."""

from ._native import (
    ConversionError,
    InternalError,
    InvalidArgumentError,
    LeakedTensorError,
    OperatorNotAllowedInGraphError,
    UnrolledLoopWarning,
)

__all__ = [
    "ConversionError",
    "InternalError",
    "InvalidArgumentError",
    "LeakedTensorError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "RetracingWarning",
    "UnrolledLoopWarning",
]

OutOfRangeError = IndexError


class RetracingWarning(RuntimeWarning):
    """A function makes graph after graph: the message names the argument that differs, and the remedy."""
