"""Operands of a program: values that are not there yet, structs of them, and functions.

A struct is a tuple of operands. What all clients have alike is a value of the server.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .language import Block, CompiledComputation, Lambda, structure
from .layout import Layout

#: Gives the value that a node has in the graph which is traced.
Read = Callable[["Node"], Any]
Operand = Any


class Place(enum.Enum):
    """Where a value is computed."""

    SERVER = "once"
    CLIENTS = "for each client"


@dataclass(eq=False)
class Node:
    """A value of a program: given with the call, computed by a graph, or folded of clients' values."""

    place: Place
    layout: Layout
    inputs: tuple[Node, ...] = ()
    apply: Callable[[Read], Any] | None = None
    fold: Fold | None = None
    step: int = 0
    draws: bool = False
    level: int = field(default=0, compare=False)

    @property
    def is_given(self) -> bool:
        """True if the value comes with the call."""
        return self.apply is None and self.fold is None


@dataclass(eq=False)
class Fold:
    """A fold of clients' values into one of the server's; each function is called while a graph is traced.

    `contribution` is what leaves a client, of the layout `contributed`; `accumulate` adds it to a state.
    """

    uri: str
    contributed: Layout
    contribution: Callable[[Read], Any]
    state: Layout
    zero: Callable[[Read], Any]
    accumulate: Callable[[Read, Any, Any], Any]
    merge: Callable[[Read, Any, Any], Any]
    report: Callable[[Read, Any], Any]


@dataclass(eq=False)
class Closure:
    """A lambda of the language, with what its names stand for."""

    block: Any
    environment: Mapping[str, Operand]


@dataclass(eq=False)
class Graph:
    """A graph of a function of the user's."""

    leaf: Any


@dataclass(eq=False)
class Primitive:
    """An intrinsic."""

    uri: str
    signature: Any


def nodes_of(operand: Operand) -> Iterator[Node]:
    """Yields the nodes that an operand depends on, those of the names of its functions among them."""
    if isinstance(operand, Node):
        yield operand
    elif isinstance(operand, tuple):
        for part in operand:
            yield from nodes_of(part)
    elif isinstance(operand, Closure):
        for name in references(operand.block):
            if name in operand.environment:
                yield from nodes_of(operand.environment[name])


def references(block: Any) -> list[str]:
    """Returns the names that a block refers to and does not bind itself, each once, in order."""
    found: dict[str, None] = {}
    _collect(block, frozenset(), found)
    return list(found)


def _collect(block: Any, bound: frozenset[str], found: dict[str, None]) -> None:
    if isinstance(block, Lambda):
        _collect(block.result, bound | {str(block.parameter_name)}, found)
        return
    if isinstance(block, Block):
        for name, part in block.locals:
            _collect(part, bound, found)
            bound = bound | {name}
        _collect(block.result, bound, found)
        return
    if type(block).__name__ == "Reference" and block.name not in bound:
        found[block.name] = None
    for child in children(block):
        _collect(child, bound, found)


def children(block: Any) -> list[Any]:
    """Returns the blocks directly inside a block."""
    kind = type(block).__name__
    if kind == "Struct":
        return [part for _, part in structure.iter_elements(block)]
    if kind == "Call":
        return [block.function] if block.argument is None else [block.function, block.argument]
    if kind == "Selection":
        return [block.source]
    if kind == "Lambda":
        return [block.result]
    if kind == "Block":
        return [*[part for _, part in block.locals], block.result]
    return []


def blocks_of(block: Any) -> Iterator[Any]:
    """Yields a block and all inside it."""
    yield block
    for child in children(block):
        yield from blocks_of(child)


def draws(operand: Operand) -> bool:
    """Returns True if a function draws random numbers."""
    if isinstance(operand, Graph):
        return bool(operand.leaf.draws)
    if isinstance(operand, tuple):
        return any(map(draws, operand))
    if not isinstance(operand, Closure):
        return False
    return block_draws(operand.block) or any(
        draws(operand.environment[name]) for name in references(operand.block) if name in operand.environment
    )


def block_draws(block: Any) -> bool:
    """Returns True if a graph inside a block draws random numbers."""
    return any(one.leaf.draws for one in blocks_of(block) if isinstance(one, CompiledComputation))
