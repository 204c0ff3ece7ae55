"""Executors as a stack: each layer does its part of a computation and leaves the rest to those below.

`ReferenceResolvingExecutor` resolves references, blocks and lambdas to a program, which it plans once.
`FederatingExecutor` gives the server's work to one child and the clients' to another. `ComposingExecutor`
deals clients out in blocks and merges what they come to. `SequenceExecutor` has the loops over sequences,
`LeafExecutor` runs graphs. `ReferenceExecutor` stands alone, slow and obvious: the judge of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from ... import _native
from . import randomness, reference
from .blocks import Block, Store, in_blocks, in_one_loop, of_block
from .inside import NotFusedError
from .language import CompiledComputation, Intrinsic
from .operands import block_draws, blocks_of
from .plan import Plan
from .program_intrinsics import INTRINSICS
from .stage_graphs import LoopGraphs

#: The intrinsics of federated values.
FEDERATED = frozenset(uri for uri in INTRINSICS if uri.startswith("federated_"))
#: The intrinsics of sequences.
SEQUENCE = frozenset(uri for uri in INTRINSICS if uri.startswith("sequence_"))
#: The intrinsics that any value has.
GENERIC = frozenset({"generic_divide", "generic_multiply", "generic_plus", "generic_zero"})

#: Plans that an executor keeps; the oldest go first.
MOST_PLANS = 256


class Executor(Protocol):
    """Runs computations.

    Example: `local_executor_factory().create_executor().execute(total, [1, 2, 3], 3)`.
    """

    def execute(self, computation: Any, argument: Any, count: int) -> Any:
        """Returns the result of a computation for an argument and so many clients."""


class Layer(Protocol):
    """A layer below the one that plans: which intrinsics it has, and how it runs a loop over clients."""

    @property
    def intrinsics(self) -> frozenset[str]:
        """The URIs of intrinsics that the layer and those below have."""

    def loop(self, graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        """Runs a loop over clients."""


class LeafExecutor:
    """Runs graphs; a loop over clients is one graph.

    Args:
      clients_per_loop: the most clients of one loop, which bounds the memory that it takes; None for all.

    Example: `LeafExecutor(clients_per_loop=1000)`.
    """

    intrinsics = GENERIC

    def __init__(self, clients_per_loop: int | None = None) -> None:
        if clients_per_loop is not None and clients_per_loop < 1:
            raise ValueError(f"clients_per_loop is at least 1, not {clients_per_loop}")
        self._clients_per_loop = clients_per_loop

    def loop(self, graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        """Runs all clients in one loop, or in several one after the other."""
        if self._clients_per_loop is None or count <= self._clients_per_loop:
            in_one_loop(graphs, key, count, store)
        else:
            in_blocks(_one_by_one, -(-count // self._clients_per_loop))(graphs, key, count, store)


def _one_by_one(graphs: LoopGraphs, key: Any, blocks: list[Block], store: Store) -> Iterator[Any]:
    for block in blocks:
        yield of_block(graphs, key, block, store)


class SequenceExecutor:
    """Has the intrinsics of sequences, which become loops of the graphs below.

    Example: `SequenceExecutor(LeafExecutor())`.
    """

    def __init__(self, child: Layer) -> None:
        self._child = child

    @property
    def intrinsics(self) -> frozenset[str]:
        """The URIs of intrinsics that this layer and those below have."""
        return SEQUENCE | self._child.intrinsics

    def loop(self, graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        """Has the child run a loop."""
        self._child.loop(graphs, key, count, store)


class ComposingExecutor:
    """Deals clients out in contiguous blocks to so many children, and merges their partial results in order.

    Args:
      fan_out: how many blocks there are at most; each has whole groups of clients.
      child: what runs a block.
      max_workers: how many blocks run at once, each on a thread; None for one after the other.

    Example: `ComposingExecutor(4, SequenceExecutor(LeafExecutor()))`.
    """

    def __init__(self, fan_out: int, child: Layer, max_workers: int | None = None) -> None:
        if fan_out < 1:
            raise ValueError(f"fan_out is at least 1, not {fan_out}")
        self._fan_out, self._child = fan_out, child
        self._threads = None if max_workers is None else threads(max_workers)
        self.intrinsics = child.intrinsics

    def loop(self, graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        """Runs a loop in blocks."""
        in_blocks(self._run, self._fan_out)(graphs, key, count, store)

    def _run(self, graphs: LoopGraphs, key: Any, blocks: list[Block], store: Store) -> Iterator[Any]:
        if self._threads is None:
            return _one_by_one(graphs, key, blocks, store)
        graphs.trace_block()
        found: Iterator[Any] = self._threads.map(lambda block: of_block(graphs, key, block, store), blocks)
        return found


class FederatingExecutor:
    """Gives the server's work to one child and the clients' to another.

    Args:
      server: runs the steps of the server.
      clients: runs the loops over clients.
      without: URIs of intrinsics that the stack is to lack.

    Example: `FederatingExecutor(leaf, leaf, without=["federated_select"])`.
    """

    def __init__(self, server: Layer, clients: Layer, without: Iterable[str] = ()) -> None:
        self._server, self._clients = server, clients
        self._without = frozenset(without)

    @property
    def intrinsics(self) -> frozenset[str]:
        """The URIs of intrinsics that this layer and those below have."""
        return (FEDERATED | (self._server.intrinsics & self._clients.intrinsics)) - self._without

    def loop(self, graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        """Has the clients' child run a loop."""
        self._clients.loop(graphs, key, count, store)


class ReferenceResolvingExecutor:
    """Resolves a computation to a program of graphs, once, and runs it by the layers below.

    Computations that graphs over clients cannot hold run in the reference executor: those of other element
    types, and those with results of several lengths.

    Example: `ReferenceResolvingExecutor(FederatingExecutor(leaf, leaf)).execute(total, [1, 2], 2)`.
    """

    def __init__(self, child: Layer) -> None:
        self._child = child
        self._plans: dict[int, tuple[Any, Callable[[Any, int], Any]]] = {}

    def execute(self, computation: Any, argument: Any, count: int) -> Any:
        """Returns the result of a computation.

        Raises:
          NotImplementedError: the stack lacks an intrinsic; nothing has run then.
          TypeError: the argument is not of the parameter's type.
        """
        found = self._plans.get(id(computation))
        if found is None:
            found = computation, self._planned(computation)
            self._plans[id(computation)] = found
            while len(self._plans) > MOST_PLANS:
                # Another thread may have dropped it.
                self._plans.pop(next(iter(self._plans)), None)
        return found[1](argument, count)

    def _planned(self, computation: Any) -> Callable[[Any, int], Any]:
        block = computation.to_building_block()
        check_intrinsics(block, self._child.intrinsics)
        if isinstance(block, CompiledComputation) and not block.leaf.draws:
            leaf = block.leaf
            return lambda argument, count: leaf(argument)
        try:
            plan = Plan(block)
        except NotFusedError:
            return lambda argument, count: _judged(block, argument, count)
        loop = self._child.loop
        if not plan.draws:

            def run(argument: Any, count: int) -> Any:
                try:
                    return plan.run(argument, count, 0, loop)
                except Exception as error:
                    failed = error
                if not _is_said(failed):
                    # The reference executor raises it with its values and lines.
                    _judged(block, argument, count)
                raise failed

            return run
        return lambda argument, count: _drawn(plan, argument, count, loop)


def _is_said(error: Exception) -> bool:
    """True if an exception of a loop over clients has its arguments and lines, as one of one client has."""
    return not isinstance(error, KeyError) and not any(isinstance(one, _native.Tensor) for one in error.args)


def _drawn(plan: Plan, argument: Any, count: int, loop: Any) -> Any:
    with randomness.drawing(True) as key:
        return plan.run(argument, count, key, loop)


class ReferenceExecutor:
    """Runs computations by the book, one client after the other.

    Example: `ReferenceExecutor().execute(total, [1, 2, 3], 3)`.
    """

    def execute(self, computation: Any, argument: Any, count: int) -> Any:
        """Returns the result of a computation."""
        return _judged(computation.to_building_block(), argument, count)


def _judged(block: Any, argument: Any, count: int) -> Any:
    drawn = block_draws(block)
    with randomness.drawing(drawn) as key:
        return reference.execute(block, argument, count, key if drawn else None)


def threads(count: int | None) -> Any:
    """Returns a pool of threads; its module is imported here, since few programs need it."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(count, thread_name_prefix="federated")


def check_intrinsics(block: Any, present: frozenset[str]) -> None:
    """Raises `NotImplementedError` for an intrinsic of a computation that is not among those present."""
    for one in blocks_of(block):
        if isinstance(one, Intrinsic) and one.uri not in present:
            raise NotImplementedError(f"the executor stack does not have the intrinsic `{one.uri}`")
