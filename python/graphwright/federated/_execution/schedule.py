"""The order of a program's work: steps of the server and loops over clients, one after the other.

Level n of the server comes before level n of the clients, whose folds are the server's at level n + 1. All
clients' work of a level is one loop, and so are the folds of what it computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .inside import NotFusedError
from .layout import has_graph_dtypes, is_fixed, leaves
from .operands import Node, Operand, Place
from .program import Program


@dataclass(eq=False)
class ServerWork:
    """Nodes of the server that one graph computes; what it needs, and what others need of it."""

    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]


@dataclass(eq=False)
class ClientsWork:
    """Nodes of the clients and folds that one loop computes.

    It needs values of the server and of the clients; others need some of its nodes, and all of its folds.
    """

    nodes: tuple[Node, ...]
    folds: tuple[Node, ...]
    inputs: tuple[Node, ...]
    stacked: tuple[Node, ...]
    outputs: tuple[Node, ...]


Work = ServerWork | ClientsWork


def scheduled(program: Program) -> list[Work]:
    """Returns the work of a program in order.

    Raises:
      NotFusedError: graphs cannot hold it: it has other element types, or clients' values of several lengths
        have to be kept.
    """
    result = set(_nodes(program.result))
    _check_dtypes(program)
    works: list[Work] = []
    top = max((node.level for node in program.nodes), default=0)
    for level in range(top + 1):
        here = [node for node in program.nodes if node.level == level and not node.is_given]
        server = [node for node in here if node.place is Place.SERVER and node.fold is None]
        if server:
            works.append(_server(program, server, result))
        clients = [node for node in here if node.place is Place.CLIENTS]
        folds = [node for node in here if node.fold is not None]
        if clients or folds:
            works.append(_clients(program, clients, folds, result))
    return works


def _server(program: Program, nodes: list[Node], result: set[Node]) -> ServerWork:
    return ServerWork(tuple(nodes), _needed(nodes, nodes), _wanted(program, nodes, nodes, result))


def _clients(program: Program, nodes: list[Node], folds: list[Node], result: set[Node]) -> ClientsWork:
    inside = [*nodes, *folds]
    inputs = _needed(inside, nodes)
    outputs = _wanted(program, nodes, inside, result)
    for node in [*outputs, *folds]:
        layout = node.layout if node.fold is None else node.fold.state
        if not is_fixed(layout):
            raise NotFusedError(f"{layout} has several lengths")
    return ClientsWork(
        tuple(nodes),
        tuple(folds),
        tuple(node for node in inputs if node.place is Place.SERVER),
        tuple(node for node in inputs if node.place is Place.CLIENTS),
        outputs,
    )


def _needed(nodes: list[Node], own: list[Node]) -> tuple[Node, ...]:
    """Returns the nodes that others depend on, without those that are computed here."""
    found = dict.fromkeys(one for node in nodes for one in node.inputs)
    return tuple(node for node in found if node not in own)


def _wanted(program: Program, nodes: list[Node], here: list[Node], result: set[Node]) -> tuple[Node, ...]:
    """Returns the nodes that the result or other work depends on."""
    others = {one for node in program.nodes if node not in here for one in node.inputs}
    return tuple(node for node in nodes if node in result or node in others)


def _nodes(operand: Operand) -> Iterator[Node]:
    if isinstance(operand, Node):
        yield operand
    else:
        for part in operand:
            yield from _nodes(part)


def _check_dtypes(program: Program) -> None:
    for node in program.nodes:
        layouts: list[Any] = [node.layout] if node.fold is None else [node.layout, node.fold.state]
        for layout in layouts:
            if not has_graph_dtypes(layout):
                names = ", ".join(leaf.dtype.name for leaf in leaves(layout))
                raise NotFusedError(f"graphs have no tensors of {names}")
