"""Number of threads that work at once."""

from __future__ import annotations

from operator import index

from .. import _native
from .._public import publish as _publish

__all__ = ["get_intra_op_parallelism_threads", "set_intra_op_parallelism_threads"]


def get_intra_op_parallelism_threads() -> int:
    """Returns the number of threads for large loops.

    Returns:
      int; 0 stands for as many as there are processors.

    Example:
      >>> gw.config.threading.get_intra_op_parallelism_threads()
      0
    """
    return _native.threads()


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Gives large loops and products of matrices so many threads, the calling one among them.

    0 is as many as there are processors that the process may use. Results have the same bits whatever it is.
    It may be set at any time, and holds for calls that begin then; the environment's `GRAPHWRIGHT_THREADS`
    says what it is first.

    Args:
      num_threads: number of threads; 0 stands for as many as there are processors.

    Returns:
      Nothing.

    Example:
      >>> gw.config.threading.set_intra_op_parallelism_threads(1)
      >>> gw.config.threading.get_intra_op_parallelism_threads()
      1
      >>> gw.config.threading.set_intra_op_parallelism_threads(0)
    """
    count = index(num_threads)
    if count < 0:
        raise ValueError(f"num_threads is {count}: it is 0 or more")
    _native.set_threads(min(count, 1 << 16))


_publish(__name__)
