"""NumPy's functions that repeat elements, and whole arrays."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import _arrays, _native
from .meant import fails, first_or_flat, known_lengths, length, tensor


def check_counts(repeats: Any) -> None:
    """NumPy's `TypeError` for an array of counts that is none of integers."""
    of = np.dtype(repeats.dtype.as_numpy_dtype if isinstance(repeats, _native.Tensor) else repeats.dtype)
    if not np.can_cast(of, np.int64, "safe"):
        raise TypeError(f"Cannot cast array data from {of!r} to dtype('int64') according to the rule 'safe'")


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element so many times in a row, or each its own number of times."""
    if isinstance(repeats, np.ndarray | np.generic | _native.Tensor):
        check_counts(repeats)
    if isinstance(repeats, np.ndarray):
        repeats = repeats.tolist()
    a, at = first_or_flat(a, axis)
    if isinstance(repeats, list | tuple) and any(isinstance(one, _native.Tensor) for one in repeats):
        repeats = _native.stack([_native.cast(one, _native.int64) for one in repeats], 0)
    if isinstance(repeats, _native.Tensor):
        return _repeat_by(a, _native.cast(repeats, _native.int64), at)
    is_list = isinstance(repeats, list | tuple)
    repeats = [int(one) for one in repeats] if is_list else int(repeats)
    if is_list and len(repeats) == 1:
        repeats, is_list = repeats[0], False
    if is_list and a.shape[at] is None:
        return _repeat_by(a, _native.constant(repeats, _native.int64), at)
    if is_list and len(repeats) != known_lengths(a)[at]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({a.shape[at]},) ({len(repeats)},)"
        )
    if builtins.min(repeats if is_list else [repeats], default=0) < 0:
        raise ValueError("repeats may not contain negative values.")
    return _arrays.repeat(a, repeats, at)


def _repeat_by(a: Any, repeats: Any, axis: int) -> Any:
    """Each element as often as a number that the graph knows when it runs."""
    fails(_native.reduce_all(repeats >= 0), "ValueError", "repeats may not contain negative values.")
    if repeats.ndim == 0 or repeats.shape[0] == 1:
        return _arrays.repeat(a, _native.reshape(repeats, []), axis)
    count = length(a, axis)
    if isinstance(count, int) and repeats.shape[0] not in (None, count):
        raise ValueError(
            f"operands could not be broadcast together with shape ({count},) ({repeats.shape[0]},)"
        )
    if not isinstance(count, int) or repeats.shape[0] is None:
        fails(length(repeats, 0) == count, "ValueError", "operands could not be broadcast together")
    from .intervals import places_in

    ends, whole = np.cumsum(repeats), _native.reduce_sum(repeats)
    places = places_in(ends, _native.cast(_native.range(whole), _native.int64), "right")
    return _native.gather(a, places, axis=axis)


def tile(A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's name
    """The array put beside itself along its last axes, or along new ones in front."""
    a = tensor(A)
    times = list(reps) if isinstance(reps, list | tuple) else [reps]
    for _ in builtins.range(len(times) - a.ndim):
        a = _native.expand_dims(a, 0)
    return _arrays.tile(a, [1] * (a.ndim - len(times)) + times)
