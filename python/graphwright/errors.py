"""What Graphwright raises besides Python's own exceptions."""

from ._native import ConversionError, InternalError, OperatorNotAllowedInGraphError

__all__ = ["ConversionError", "InternalError", "OperatorNotAllowedInGraphError", "RetracingWarning"]


class RetracingWarning(RuntimeWarning):
    """A function makes graph after graph: the message names the argument that differs, and the remedy."""
