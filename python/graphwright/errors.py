"""What Graphwright raises besides Python's own exceptions."""

from ._native import ConversionError, InternalError, OperatorNotAllowedInGraphError, UnrolledLoopWarning

__all__ = ["ConversionError", "InternalError", "OperatorNotAllowedInGraphError", "UnrolledLoopWarning"]
