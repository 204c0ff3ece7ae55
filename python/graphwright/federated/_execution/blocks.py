"""Loops over clients, run in one block or in several whose partial results are merged.

A block holds whole groups of clients. Its partial results are branches of the tree that `numeric.merged`
describes, so however clients are dealt out to blocks, the same values are merged in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import notes
from .numeric import CLIENTS_PER_GROUP
from .operands import Node
from .stage_graphs import LoopGraphs

Store = dict[Node, Any]
Arrays = list[Any]


@dataclass(eq=False)
class Block:
    """Clients that come one behind the other: the number of the first group, and how many clients."""

    first: int
    count: int

    @property
    def groups(self) -> int:
        """The number of groups."""
        return -(-self.count // CLIENTS_PER_GROUP)

    @property
    def clients(self) -> slice:
        """The indices of the clients."""
        return slice(self.first * CLIENTS_PER_GROUP, self.first * CLIENTS_PER_GROUP + self.count)


def dealt(count: int, parts: int) -> list[Block]:
    """Returns at most so many blocks of clients, of about as many groups each.

    Example: `dealt(20, 2)` is `[Block(0, 16), Block(2, 4)]`.
    """
    groups = -(-count // CLIENTS_PER_GROUP)
    parts = max(1, min(parts, groups))
    edges = [round(part * groups / parts) for part in range(parts + 1)]
    blocks = []
    for first, stop in itertools.pairwise(edges):
        clients = min(stop * CLIENTS_PER_GROUP, count) - first * CLIENTS_PER_GROUP
        blocks.append(Block(first, clients))
    return blocks


def branches(block: Block) -> list[tuple[int, int]]:
    """Returns the first group and the number of groups of each partial result of a block, in order."""
    found: list[tuple[int, int]] = []
    for group in range(block.first, block.first + block.groups):
        push(found, (group, 1), lambda left, right: (left[0], left[1] + right[1]))
    return found


def push(waiting: list[Any], branch: Any, merge: Callable[[Any, Any], Any]) -> None:
    """Puts a branch, (first group, width, …), behind those that wait, and merges twins."""
    while waiting and waiting[-1][1] == branch[1] and waiting[-1][0] % (2 * branch[1]) == 0:
        branch = merge(waiting.pop(), branch)
    waiting.append(branch)


def numbers(key: Any, block: Block) -> list[Any]:
    """Returns the arguments of a loop that say which clients it is for."""
    # A block that begins anywhere has branches that grow, then some that shrink.
    room = 2 * block.groups.bit_length() + 1
    return [key, *[np.array(number, np.int64) for number in (block.count, block.first, room)]]


def in_one_loop(graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
    """Runs all clients in one loop of one graph, and puts what it gives into the store."""
    work, block = graphs.work, Block(0, count)
    given = [tensor for node in (*work.inputs, *work.stacked) for tensor in store[node]]
    try:
        found = graphs.whole(*numbers(key, block), *given)
    except Exception as error:
        note(error, graphs, key, block, given)
        raise
    _put(graphs.slots, store, found)


def _put(slots: Sequence[tuple[Node, int]], store: Store, found: Sequence[Any]) -> None:
    place = 0
    for node, size in slots:
        store[node] = found[place : place + size]
        place += size


def note(error: Exception, graphs: LoopGraphs, key: Any, block: Block, given: Arrays) -> None:
    """Notes on an exception of a loop the client whose work raises it: the last of the fewest that do.

    Loops over fewer clients are run for it, with what they print and what they call of Python's.
    """
    if _raises(graphs, key, Block(block.first, 0), given) or not _raises(graphs, key, block, given):
        return
    least, most = 0, block.count
    while most - least > 1:
        middle = (least + most) // 2
        if _raises(graphs, key, Block(block.first, middle), given):
            most = middle
        else:
            least = middle
    notes.add(error, block.first * CLIENTS_PER_GROUP + most - 1)


def _raises(graphs: LoopGraphs, key: Any, block: Block, given: Arrays) -> bool:
    try:
        graphs.probe(*numbers(key, block), *given)
    except Exception:
        return True
    return False


def in_blocks(
    run: Callable[[LoopGraphs, Any, list[Block], Store], Iterator[Arrays]], parts: int
) -> Callable[[LoopGraphs, Any, int, Store], None]:
    """Returns a way to run loops over clients: `run` gives the tensors of each block in order."""

    def loop(graphs: LoopGraphs, key: Any, count: int, store: Store) -> None:
        blocks = dealt(count, parts)
        found = list(run(graphs, key, blocks, store))
        outputs = len(graphs.slots) - len(graphs.work.folds)
        places = sum(size for _, size in graphs.slots[:outputs])
        rows = [np.concatenate(column) for column in zip(*[one[:places] for one in found], strict=True)]
        state = _merged(graphs, key, store, zip(blocks, [one[places:] for one in found], strict=True))
        _put(graphs.slots, store, [*rows, *state])

    return loop


def _merged(graphs: LoopGraphs, key: Any, store: Store, parts: Any) -> Arrays:
    """Returns what the partial results of blocks, in order, come to."""
    if not graphs.work.folds:
        return []
    given = [tensor for node in graphs.work.inputs for tensor in store[node]]

    def merge(left: Any, right: Any) -> Any:
        return left[0], left[1] + right[1], graphs.merge(key, *given, *left[2], *right[2])

    waiting: list[Any] = []
    for block, states in parts:
        for place, (first, width) in enumerate(branches(block)):
            push(waiting, (first, width, [rows[place] for rows in states]), merge)
    if not waiting:
        return list(graphs.report(key, *given, *graphs.zero(key, *given)))
    state = waiting.pop()
    while waiting:
        state = merge(waiting.pop(), state)
    return list(graphs.report(key, *given, *state[2]))


def of_block(graphs: LoopGraphs, key: Any, block: Block, store: Store) -> Arrays:
    """Returns what the loop over a block gives, as arrays: rows, and partial results."""
    given = [tensor for node in graphs.work.inputs for tensor in store[node]]
    return run_block(graphs, key, block, [*given, *stacked(graphs, block, store)])


def run_block(graphs: LoopGraphs, key: Any, block: Block, given: Arrays) -> Arrays:
    """Returns the same, of the arrays of the server with those of the block's clients behind them."""
    try:
        found = graphs.block(*numbers(key, block), *given)
    except Exception as error:
        note(error, graphs, key, block, given)
        raise
    return [tensor.numpy() for tensor in found]


def stacked(graphs: LoopGraphs, block: Block, store: Store) -> Arrays:
    """Returns the arrays of the clients of a block."""
    from .slices import cut

    return [array for node in graphs.work.stacked for array in cut(node.layout, store[node], block.clients)]
