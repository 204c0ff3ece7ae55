"""What Graphwright raises besides Python's own exceptions."""

from ._native import (
    ConversionError,
    ImplicitCopyError,
    InternalError,
    InvalidArgumentError,
    LeakedTensorError,
    OperatorNotAllowedInGraphError,
    UnrolledLoopWarning,
    UnwatchedObjectsWarning,
)

__all__ = [
    "ConversionError",
    "DataLossError",
    "ImplicitCopyError",
    "InternalError",
    "InvalidArgumentError",
    "LeakedTensorError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "RetracingWarning",
    "UnrolledLoopWarning",
    "UnwatchedObjectsWarning",
]

OutOfRangeError = IndexError


class DataLossError(OSError):
    """A file holds other bytes than were written to it, or fewer.

    Example:
      >>> issubclass(gw.errors.DataLossError, Exception)
      True
    """


class RetracingWarning(RuntimeWarning):
    """A function makes graph after graph: the message names the argument that differs, and the remedy.

    Example:
      >>> issubclass(gw.errors.RetracingWarning, UserWarning)
      False
    """
