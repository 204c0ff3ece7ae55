"""Derivatives: the tape of TensorFlow, and functions of functions as JAX has them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from . import _native, autograph
from ._function import function

R = TypeVar("R")


class GradientTape(_native.GradientTape):
    """Takes down what is done in its `with`, so that derivatives can be asked for.

    In a graph that is being built the graph is the record; outside each call is taken down. A tape is entered and asked
    in one place: both in a function of the graph, or both outside.

    Args:
      persistent: whether it can be asked more than once.
      watch_accessed_variables: whether trainable variables are watched as soon as they are read.
    """

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Takes nothing down in a `with` of its own."""
        self._pause()
        try:
            yield
        finally:
            self._resume()

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: str = "none",
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of the target by the sources.

        Each has the shape of the target followed by that of its source. The tape must be persistent, unless the target
        has just one element.
        """
        del parallel_iterations, experimental_use_pfor
        shape = tuple(target.shape)
        rows = [
            self.gradient(target, sources, one, unconnected_gradients) for one in _one_at_a_time(target, shape)
        ]
        return _joined(rows, lambda parts: _native.reshape(_native.stack(parts), (*shape, *parts[0].shape)))

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: str = "none",
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each row of the target by the same row of the source: shape `[batch, …target, …source]`.

        Each row of the target depends on its own row of the source alone. The tape must be persistent.
        """
        del parallel_iterations, experimental_use_pfor
        batch, *shape = target.shape
        rows = []
        for one in _one_at_a_time(target[0], tuple(shape)):
            seed = _native.broadcast_to(one, (batch, *shape))
            rows.append(self.gradient(target, source, seed, unconnected_gradients))
        if rows[0] is None:
            return None
        own = tuple(source.shape)[1:]
        return _native.reshape(_native.stack(rows, axis=1), (batch, *shape, *own))


def _one_at_a_time(like: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """Tensors like this one with a 1 in one place, for each place in turn."""
    count = 1
    for length in shape:
        count *= length
    for at in builtins.range(count):
        row = _native.one_hot(at, count, dtype=like.dtype)
        yield _native.reshape(row, shape)


def _joined(rows: Sequence[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Structures of one kind as one structure of what their leaves are joined to; `None` stays."""
    first = rows[0]
    if first is None:
        return None
    if isinstance(first, dict):
        return {key: _joined([row[key] for row in rows], join) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(_joined(list(parts), join) for parts in zip(*rows, strict=True)))
    if isinstance(first, (list, tuple)):
        return type(first)(_joined(list(parts), join) for parts in zip(*rows, strict=True))
    return join(list(rows))
