"""How many threads work at once."""

from __future__ import annotations

from operator import index

from .. import _native

__all__ = ["get_intra_op_parallelism_threads", "set_intra_op_parallelism_threads"]


def get_intra_op_parallelism_threads() -> int:
    """How many threads large loops are given; 0 for as many as there are processors."""
    return _native.threads()


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Gives large loops and products of matrices so many threads, the calling one among them.

    0 is as many as there are processors that the process may use. Results have the same bits whatever it is.
    It may be set at any time, and holds for calls that begin then; the environment's `GRAPHWRIGHT_THREADS`
    says what it is first.
    """
    count = index(num_threads)
    if count < 0:
        raise ValueError(f"num_threads is {count}: it is 0 or more")
    _native.set_threads(min(count, 1 << 16))
