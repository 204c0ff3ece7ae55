"""Exceptions of Graphwright besides Python's own."""

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
      >>> import pathlib, tempfile
      >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers"
      >>> _ = path.with_suffix(".npz").write_bytes(b"no archive")
      >>> try:
      ...     list(gw.data.Dataset.range(3).cache(str(path)))
      ... except gw.errors.DataLossError as error:
      ...     print("the cache file is damaged")
      the cache file is damaged
    """


class RetracingWarning(RuntimeWarning):
    """A function makes graph after graph: the message names the argument that differs, and the remedy.

    Example:
      >>> import warnings
      >>> @gw.function
      ... def double(x):
      ...     return x * 2
      >>> with warnings.catch_warnings(record=True) as found:
      ...     warnings.simplefilter("always", gw.errors.RetracingWarning)
      ...     _ = [double(x) for x in range(50)]
      >>> {warning.category.__name__ for warning in found}
      {'RetracingWarning'}
    """
