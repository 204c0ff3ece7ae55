"""Plans: a program's graphs and what moves between them, made once; a call marshals and runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import marshal, observing
from .containers import maker
from .inside import NotFusedError
from .language import StructType
from .layout import is_fixed, layout_of, specs
from .operands import Node, Operand, Place
from .program import Program
from .schedule import ClientsWork, ServerWork, scheduled
from .stage_graphs import LoopGraphs, server_graph
from .values import at_clients, client_values, elements

#: The tensors of each node that is there.
Store = dict[Node, Any]
Loop = Callable[[LoopGraphs, Any, int, Store], None]


class Plan:
    """A way to run a computation: the graphs in order, how arguments go in, and how the result comes out.

    Raises:
      NotFusedError: graphs over clients cannot hold the computation.
    """

    def __init__(self, block: Any) -> None:
        self.program = Program(block)
        self.draws = self.program.draws
        self._steps = _steps(block, scheduled(self.program))
        signature = self.program.signature
        self._ingest = _ingester(signature.parameter, self.program.argument)
        self._read = _result_reader(signature.result, self.program.result)

    def run(self, argument: Any, count: int, key: int, loop: Loop) -> Any:
        """Returns the result for an argument; `loop` says how the loops over clients are run."""
        store: Store = {}
        if self._ingest is not None:
            self._ingest(argument, store, "the argument")
        given = self.program.given
        if "count" in given:
            store[given["count"]] = [np.array(count, np.int64)]
        if "secret" in given:
            store[given["secret"]] = [np.frombuffer(os.urandom(8), np.int64)[0]]
        if "index" in given:
            store[given["index"]] = [np.arange(count)]
        start = np.array(key, np.int64)
        for step in self._steps:
            step(start, count, store, loop)
        return self._read(store, count)

    @property
    def loops(self) -> list[LoopGraphs]:
        """The loops over clients, in order."""
        return [step.graphs for step in self._steps if isinstance(step, _LoopStep)]


class _ServerStep:
    """A step of the server: one graph."""

    def __init__(self, work: ServerWork) -> None:
        self._graph = server_graph(work)
        self._inputs, self._outputs = work.inputs, _slots(work.outputs)

    def __call__(self, key: Any, count: int, store: Store, loop: Loop) -> None:
        given = [tensor for node in self._inputs for tensor in store[node]]
        place = 0
        found = self._graph(key, *given)
        for node, size in self._outputs:
            store[node] = found[place : place + size]
            place += size


class _LoopStep:
    """A loop over clients."""

    def __init__(self, work: ClientsWork, block: Any, index: int) -> None:
        self.graphs = LoopGraphs(work, block, index)

    def __call__(self, key: Any, count: int, store: Store, loop: Loop) -> None:
        observing.show(self.graphs, key, count, store)
        loop(self.graphs, key, count, store)


def _steps(block: Any, works: list[ServerWork | ClientsWork]) -> list[_ServerStep | _LoopStep]:
    steps: list[_ServerStep | _LoopStep] = []
    loops = 0
    for work in works:
        if isinstance(work, ServerWork):
            steps.append(_ServerStep(work))
        else:
            steps.append(_LoopStep(work, block, loops))
            loops += 1
    return steps


def _slots(nodes: Any) -> list[tuple[Node, int]]:
    return [(node, len(specs(node.layout))) for node in nodes]


def _ingester(type_spec: Any, operand: Operand) -> Any:
    """Returns the function that puts the arrays of an argument into a store."""
    if type_spec is None:
        return None
    if isinstance(operand, tuple):
        parts = [_ingester(part, one) for (_, part), one in zip(type_spec.items(), operand, strict=True)]

        def ingest_struct(value: Any, store: Store, where: str) -> None:
            for part, item in zip(parts, elements(type_spec, value), strict=True):
                part(item, store, where)

        return ingest_struct
    if operand.place is Place.CLIENTS:
        stack = marshal.stacker(operand.layout)

        def ingest_clients(value: Any, store: Store, where: str) -> None:
            arrays: list[Any] = []
            store[operand] = arrays
            stack(client_values(type_spec, value), lambda at: f"client {at}", arrays)

        return ingest_clients
    pack = marshal.packer(operand.layout)

    def ingest(value: Any, store: Store, where: str) -> None:
        arrays: list[Any] = []
        store[operand] = arrays
        pack(value, where, arrays)

    return ingest


def _result_reader(type_spec: Any, operand: Operand) -> Callable[[Store, int], Any]:
    """Returns the function that makes the result of what is in a store."""
    if at_clients(type_spec):
        layout, nodes = layout_of(type_spec), _leaves(operand)
        if not is_fixed(layout):
            raise NotFusedError("clients' results have several lengths")
        unstack = marshal.unstacker(layout)
        return lambda store, count: unstack(_arrays(nodes, store), count)
    if isinstance(operand, tuple) and isinstance(type_spec, StructType):
        pairs = list(type_spec.items())
        parts = [_result_reader(part, one) for (_, part), one in zip(pairs, operand, strict=True)]
        container = getattr(type_spec, "python_container", None)
        names = tuple(name for name, _ in pairs)
        make = maker(names, container)
        return lambda store, count: make([part(store, count) for part in parts])
    nodes, read = _leaves(operand), marshal.reader(layout_of(type_spec))
    return lambda store, count: read(_arrays(nodes, store))


def _leaves(operand: Operand) -> list[Node]:
    return [operand] if isinstance(operand, Node) else [node for part in operand for node in _leaves(part)]


def _arrays(nodes: list[Node], store: Store) -> Any:
    return iter([_array(tensor) for node in nodes for tensor in store[node]])


def _array(tensor: Any) -> Any:
    return tensor if isinstance(tensor, np.ndarray) else tensor.numpy()
