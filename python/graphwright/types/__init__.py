"""The types that functions count their arguments by."""

from . import experimental

__all__ = ["experimental"]
