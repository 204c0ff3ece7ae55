"""Loops over clients on workers of Ray's: each has a block of clients, and gets a computation once.

A worker that is lost is replaced, and does its block again; partial results are merged here, in client order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import encoding
from .blocks import Block, Store, in_blocks, run_block, stacked
from .contexts import SyncExecutionContext
from .executors import (
    FederatingExecutor,
    Layer,
    LeafExecutor,
    ReferenceResolvingExecutor,
    SequenceExecutor,
)
from .factories import ExecutorFactory
from .plan import Plan
from .stage_graphs import LoopGraphs


class RemoteLoop:
    """A loop of a computation, as workers have it: they plan the computation at the first call."""

    def __init__(self, encoded: encoding.Encoded, index: int) -> None:
        self.encoded, self.index = encoded, index
        self._graphs: LoopGraphs | None = None

    def __reduce__(self) -> Any:
        return RemoteLoop, (self.encoded, self.index)

    def __call__(self, key: Any, first: Any, count: Any, given: Any) -> Any:
        """Returns the arrays that the loop over a block gives."""
        if self._graphs is None:
            self._graphs = Plan(encoding.decode(self.encoded)).loops[self.index]
        block = Block(int(first), int(count))
        return run_block(self._graphs, np.asarray(key), block, [_array(tensor) for tensor in given])


class RemoteExecutor:
    """Deals clients out to the workers of a `gw.distribute.RayStrategy` in contiguous blocks.

    Args:
      strategy: the strategy whose workers run the loops.
      child: which intrinsics the workers have.

    Example: `RemoteExecutor(gw.distribute.RayStrategy(2), SequenceExecutor(LeafExecutor()))`.
    """

    def __init__(self, strategy: Any, child: Layer) -> None:
        self._strategy, self.intrinsics = strategy, child.intrinsics
        self._loops: dict[int, tuple[LoopGraphs, RemoteLoop]] = {}

    def loop(self, graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        """Runs a loop on all workers, or on as many as there are groups of clients."""
        in_blocks(self._run, self._strategy.num_replicas_in_sync)(graphs, key, count, store)

    def _run(self, graphs: LoopGraphs, key: Any, blocks: list[Block], store: Store) -> Iterator[Any]:
        import ray

        from ...distribute._replicas import PerReplica

        shared = [_array(tensor) for node in graphs.work.inputs for tensor in store[node]]
        parts = [[*shared, *stacked(graphs, block, store)] for block in blocks]
        sent = {
            rank: ray.put([block.first, block.count, *part])
            for rank, (block, part) in enumerate(zip(blocks, parts, strict=True))
        }
        first, count, *given = (PerReplica(sent, place) for place in range(2 + len(parts[0])))
        found = self._strategy.run(self._remote(graphs), args=(key, first, count, given))
        columns = [part.values for part in found]
        return (list(row) for row in zip(*[map(_array, column) for column in columns], strict=True))

    def _remote(self, graphs: LoopGraphs) -> RemoteLoop:
        found = self._loops.get(id(graphs))
        if found is None:
            found = graphs, RemoteLoop(encoding.encode(graphs.block_of), graphs.index)
            self._loops[id(graphs)] = found
        return found[1]


def _array(tensor: Any) -> Any:
    from ...distribute._pickling import array_of

    return tensor if not hasattr(tensor, "numpy") else array_of(tensor)


def ray_executor_factory(strategy: Any) -> ExecutorFactory:
    """Returns the factory of a stack whose clients are on the workers of a `gw.distribute.RayStrategy`.

    Example: `ray_executor_factory(gw.distribute.RayStrategy(num_workers=2))`.
    """

    def make() -> ReferenceResolvingExecutor:
        leaf = SequenceExecutor(LeafExecutor())
        return ReferenceResolvingExecutor(FederatingExecutor(leaf, RemoteExecutor(strategy, leaf)))

    return ExecutorFactory(make)


class RayExecutionContext(SyncExecutionContext):
    """A context that executes on workers of Ray's.

    Args:
      strategy: the strategy whose workers run the clients.
      default_num_clients: how many clients there are where no argument says it.

    Example: `RayExecutionContext(gw.distribute.RayStrategy(2))`.
    """

    def __init__(self, strategy: Any, default_num_clients: int = 0) -> None:
        super().__init__(ray_executor_factory(strategy), default_num_clients)
        self.strategy = strategy

    def shutdown(self) -> None:
        """Ends the workers, and Ray if this has started it."""
        self.strategy.shutdown()


def create_ray_execution_context(
    num_workers: int = 2,
    init_options: Any = None,
    *,
    address: str | None = None,
    default_num_clients: int = 0,
) -> RayExecutionContext:
    """Returns a context that deals clients out to so many processes of Ray's.

    Args:
      num_workers: how many processes there are.
      init_options: arguments of `ray.init`, where no Ray is there.
      address: that of a cluster of Ray's; without it one is started on this machine, if none is there.
      default_num_clients: how many clients there are where no argument says it.

    Returns:
      Context, which has a method `shutdown`.

    Raises:
      ModuleNotFoundError: the package `ray` is not installed: `pip install 'graphwright[ray]'`.

    Example:
      >>> import graphwright.federated as tff
      >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
      ... def total(x):
      ...     return tff.federated_sum(x)
      >>> with tff.framework.get_context_stack().install(tff.create_ray_execution_context(2)):
      ...     int(total([1, 2, 3]))
      6
    """
    from ...distribute import RayStrategy

    return RayExecutionContext(RayStrategy(num_workers, address, init_options), default_num_clients)
