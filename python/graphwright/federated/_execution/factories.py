"""Factories of executors, which contexts are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .executors import (
    ComposingExecutor,
    Executor,
    FederatingExecutor,
    LeafExecutor,
    ReferenceExecutor,
    ReferenceResolvingExecutor,
    SequenceExecutor,
)


class ExecutorFactory:
    """Makes an executor; one serves computations for any number of clients.

    Example: `ExecutorFactory(ReferenceExecutor).create_executor()`.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._made: Executor | None = None

    def create_executor(self, cardinalities: Mapping[Any, int] | None = None) -> Executor:
        """Returns the executor, which is made at the first call."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def clean_up_executors(self) -> None:
        """Drops the executor with its plans."""
        self._made = None


def reference_executor_factory() -> ExecutorFactory:
    """Returns the factory of the reference executor, which is slow and obvious: the judge of the others.

    Example: `SyncExecutionContext(reference_executor_factory())`.
    """
    return ExecutorFactory(ReferenceExecutor)


def local_executor_factory(
    clients_per_loop: int | None = None, without: Iterable[str] = (), max_workers: int | None = None
) -> ExecutorFactory:
    """Returns the factory of a stack that runs all clients of a step in one loop of one graph.

    Args:
      clients_per_loop: the most clients of one loop; None for all.
      without: URIs of intrinsics that the stack is to lack; a computation with one is refused.
      max_workers: how many threads work off blocks of clients, which helps where clients wait in calls of
        Python; None for one loop.

    Raises:
      ValueError: a number is below 1.

    Example: `local_executor_factory(without=["federated_select"])`.
    """
    without = tuple(without)
    if max_workers is not None:
        return composing_executor_factory(max_workers, clients_per_loop, without, max_workers)
    leaf = LeafExecutor(clients_per_loop)
    return ExecutorFactory(lambda: _stack(SequenceExecutor(leaf), without))


def composing_executor_factory(
    fan_out: int,
    clients_per_loop: int | None = None,
    without: Iterable[str] = (),
    max_workers: int | None = None,
) -> ExecutorFactory:
    """Returns the factory of a stack that deals clients out in blocks, and merges what they come to.

    Args:
      fan_out: how many blocks there are at most.
      clients_per_loop: the most clients of one loop of a block; None for all.
      without: URIs of intrinsics that the stack is to lack.
      max_workers: how many blocks run at once, each on a thread; None for one after the other.

    Raises:
      ValueError: a number is below 1.

    Example: `SyncExecutionContext(composing_executor_factory(fan_out=4))`.
    """
    without = tuple(without)
    leaf = LeafExecutor(clients_per_loop)
    clients = ComposingExecutor(fan_out, SequenceExecutor(leaf), max_workers)
    return ExecutorFactory(lambda: _stack(clients, without))


def _stack(clients: Any, without: tuple[str, ...]) -> Executor:
    server = SequenceExecutor(LeafExecutor())
    return ReferenceResolvingExecutor(FederatingExecutor(server, clients, without))
