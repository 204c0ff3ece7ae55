"""Observers of aggregations: they are shown what leaves each client, before it is added up."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import marshal
from .operands import Node
from .stage_graphs import LoopGraphs

Store = dict[Node, Any]


@dataclass(frozen=True)
class Contribution:
    """A value that leaves a client for an aggregation, with the intrinsic and the client's index."""

    uri: str
    client: int
    value: Any


#: The observers of a thread, or of a task of `asyncio`.
_OBSERVERS: contextvars.ContextVar[tuple[Callable[[Contribution], Any], ...]] = contextvars.ContextVar(
    "observers", default=()
)


@contextlib.contextmanager
def observe_aggregation(callback: Callable[[Contribution], Any]) -> Iterator[None]:
    """Has a function called with each `Contribution` of a client, as the aggregator sees it.

    Secure sums show masked values. The clients' work is done once more for it. The reference executor shows
    nothing.

    Args:
      callback: the function; what it raises is raised by the call of the computation.

    Example: `with observe_aggregation(print): total([1, 2, 3])`.
    """
    token = _OBSERVERS.set((*_OBSERVERS.get(), callback))
    try:
        yield
    finally:
        _OBSERVERS.reset(token)


def show(graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
    """Shows the observers what the clients contribute to the folds of a loop."""
    observers = _OBSERVERS.get()
    if not observers or not graphs.work.folds:
        return
    work = graphs.work
    given = [tensor for node in (*work.inputs, *work.stacked) for tensor in store[node]]
    number = np.array(count, np.int64)
    arrays = iter([tensor.numpy() for tensor in graphs.seen(key, number, np.array(0), np.array(1), *given)])
    for uri, layout in graphs.contributions:
        for client, value in enumerate(marshal.unstacker(layout)(arrays, count)):
            for callback in observers:
                callback(Contribution(uri, client, value))
