"""The graphs of a program's work: one for each step of the server, and the loop over clients with its parts.

Each takes the key of random numbers, then the tensors of its inputs one node after the other. Each is traced
once, for any number of clients.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ... import _native
from ..._function import function
from ...autograph import do_not_convert
from . import lanes, randomness
from .layout import Layout, specs, stacked_specs
from .numeric import CLIENTS_PER_GROUP
from .operands import Fold, Node
from .schedule import ClientsWork, ServerWork
from .staged import loops

Tensors = Sequence[Any]
Values = dict[Node, Any]

_NUMBER = _native.TensorSpec([], _native.int64)


def _concrete(body: Callable[..., Any], given: list[Any]) -> Any:
    """Returns the graph of a function of tensors."""
    return function(do_not_convert(body), autograph=False, denormals="keep").get_concrete_function(*given)


def _flat_specs(nodes: Sequence[Node]) -> list[Any]:
    return [spec for node in nodes for spec in specs(node.layout)]


def _built(nodes: Sequence[Node], tensors: Iterator[Any]) -> Values:
    return {node: lanes.build(node.layout, tensors) for node in nodes}


def server_graph(work: ServerWork) -> Any:
    """Returns the graph of a step of the server: `(key, inputs…) -> outputs…`."""

    def body(key: Any, *tensors: Any) -> Any:
        values = _built(work.inputs, iter(tensors))
        for node in work.nodes:
            values[node] = _computed(node, values, key, randomness.SERVER_INDEX)
        return [tensor for node in work.outputs for tensor in lanes.flat(node.layout, values[node])]

    return _concrete(body, [_NUMBER, *_flat_specs(work.inputs)])


def _computed(node: Node, values: Values, key: Any, index: Any) -> Any:
    assert node.apply is not None
    if node.draws:
        randomness.begin(key, node.step, index)
    return node.apply(values.__getitem__)


class LoopGraphs:
    """Graphs of the clients' work: the loop, whole or for a block of clients, and what puts blocks together.

    Args:
      work: the clients' work.
      block: the building block of the computation that it is part of.
      index: the place of the loop among those of the computation.
    """

    def __init__(self, work: ClientsWork, block: Any, index: int) -> None:
        self.work, self.block_of, self.index = work, block, index
        self.slots = [(node, len(specs(node.layout))) for node in (*work.outputs, *work.folds)]
        self._states = [_fold_of(node).state for node in work.folds]
        self._state_specs = [spec for state in self._states for spec in specs(state)]

    @functools.cached_property
    def whole(self) -> Any:
        """The loop over all clients: `(key, count, first, room, inputs…) -> outputs…, results of folds…`."""
        return _concrete(self._body(self._whole, self._merging), self._loop_specs())

    @functools.cached_property
    def block(self) -> Any:
        """The loop over a block: `(key, count, first, room, inputs…) -> outputs…, partial results…`."""
        return _concrete(self._body(_partial, self._merging), self._loop_specs())

    def trace_block(self) -> None:
        """Traces the loop over a block here, so that threads which share it do not."""
        _ = self.block

    @functools.cached_property
    def probe(self) -> Any:
        """The loop over a block of clients without merges: if it raises, a client's work does."""
        return _concrete(
            self._body(_partial, lambda key, values: lambda left, right: right), self._loop_specs()
        )

    @functools.cached_property
    def seen(self) -> Any:
        """Gives what leaves clients for the folds: `(key, count, first, room, inputs…) -> contributions…`."""

        def body(key: Any, count: Any, first: Any, room: Any, *tensors: Any) -> Any:
            places = iter(tensors)
            values = _built(self.work.inputs, places)
            rows = _stacked(self.work.stacked, places)
            flat = [spec for _, layout in self.contributions for spec in specs(layout)]
            each = self._contributing(key, values, rows)
            return list(_converted(loops.mapped)(each, _rooms(flat, count), count))

        return _concrete(body, self._loop_specs())

    @property
    def contributions(self) -> list[tuple[str, Layout]]:
        """The intrinsic and the layout of what leaves clients, for each fold."""
        return [(_fold_of(node).uri, _fold_of(node).contributed) for node in self.work.folds]

    def _contributing(self, key: Any, values: Values, rows: dict[Node, list[Any]]) -> Callable[[Any], Any]:
        def each(client: Any) -> Any:
            own, made = self._own(key, client, client, values, rows), []
            for node in self.work.folds:
                if node.draws:
                    randomness.begin(key, node.step, client)
                fold = _fold_of(node)
                made += lanes.flat(fold.contributed, fold.contribution(own.__getitem__))
            return tuple(made)

        return each

    @functools.cached_property
    def merge(self) -> Any:
        """The merge of two partial results: `(key, inputs…, left…, right…) -> state…`."""

        def body(key: Any, *tensors: Any) -> Any:
            places = iter(tensors)
            values = _built(self.work.inputs, places)
            left, right = (tuple([next(places) for _ in self._state_specs]) for _ in range(2))
            return self._merging(key, values)(left, right)

        return _concrete(body, [*self._server_specs(), *self._state_specs, *self._state_specs])

    @functools.cached_property
    def report(self) -> Any:
        """Gives the results of the folds from partial ones: `(key, inputs…, state…) -> results of folds…`."""

        def body(key: Any, *tensors: Any) -> Any:
            places = iter(tensors)
            values = _built(self.work.inputs, places)
            return self._reported(key, values, tuple(places))

        return _concrete(body, [*self._server_specs(), *self._state_specs])

    @functools.cached_property
    def zero(self) -> Any:
        """Gives the state of folds without clients, before they are reported: `(key, inputs…) -> state…`."""

        def body(key: Any, *tensors: Any) -> Any:
            return self._zero(_built(self.work.inputs, iter(tensors)))

        return _concrete(body, self._server_specs())

    def _server_specs(self) -> list[Any]:
        return [_NUMBER, *_flat_specs(self.work.inputs)]

    def _loop_specs(self) -> list[Any]:
        stacked = [spec for node in self.work.stacked for spec in stacked_specs(node.layout)]
        return [_NUMBER, _NUMBER, _NUMBER, _NUMBER, *_flat_specs(self.work.inputs), *stacked]

    def _body(self, end: Callable[..., Any], merging: Callable[..., Any]) -> Callable[..., Any]:
        def body(key: Any, count: Any, first: Any, room: Any, *tensors: Any) -> Any:
            places = iter(tensors)
            values = _built(self.work.inputs, places)
            rows = _stacked(self.work.stacked, places)
            outputs = _rooms(_flat_specs(self.work.outputs), count)
            each = self._each(key, first, values, rows)
            if not self.work.folds:
                return list(_converted(loops.mapped)(each, outputs, count))
            zero, waiting = self._zero(values), _rooms(self._state_specs, room)
            folded = _converted(loops.folded)
            outputs, waiting, depth = folded(each, merging(key, values), zero, outputs, waiting, count, first)
            return [*outputs, *end(key, values, zero, waiting, depth)]

        return body

    def _whole(self, key: Any, values: Values, zero: Any, waiting: Any, depth: Any) -> Any:
        state = _converted(loops.completed)(self._merging(key, values), zero, waiting, depth)
        return self._reported(key, values, state)

    def _each(self, key: Any, first: Any, values: Values, rows: dict[Node, list[Any]]) -> Callable[..., Any]:
        """Returns the work of a client: `(index) -> outputs`, or `(index, state) -> (state, outputs)`."""

        def each(client: Any, state: Any = None) -> Any:
            index = client + first * CLIENTS_PER_GROUP
            own = self._own(key, client, index, values, rows)
            outputs = tuple(
                [tensor for node in self.work.outputs for tensor in lanes.flat(node.layout, own[node])]
            )
            return outputs if state is None else (self._accumulated(key, own, index, state), outputs)

        return each

    def _own(self, key: Any, client: Any, index: Any, values: Values, rows: dict[Node, list[Any]]) -> Values:
        """Returns what a client has, and what it computes of that."""
        own = dict(values)
        for node, tensors in rows.items():
            own[node] = lanes.lane(node.layout, iter(tensors), client)
        for node in self.work.nodes:
            own[node] = _computed(node, own, key, index)
        return own

    def _accumulated(self, key: Any, own: Values, index: Any, state: Any) -> Any:
        def added(node: Node, fold: Fold, part: Any) -> Any:
            if node.draws:
                randomness.begin(key, node.step, index)
            return fold.accumulate(own.__getitem__, part, fold.contribution(own.__getitem__))

        return self._of_folds(added, state)

    def _merging(self, key: Any, values: Values) -> Callable[[Any, Any], Any]:
        read = values.__getitem__

        def merge(left: Any, right: Any) -> Any:
            def merged(node: Node, fold: Fold, one: Any, other: Any) -> Any:
                if node.draws:
                    randomness.begin(key, node.step, randomness.MERGE_INDEX)
                return fold.merge(read, one, other)

            return self._of_folds(merged, left, right)

        return merge

    def _of_folds(self, func: Callable[..., Any], *states: Any) -> Any:
        """Returns the tensors of what a function gives for each fold of its part of the states."""
        places, made = [iter(state) for state in states], []
        for node, layout in zip(self.work.folds, self._states, strict=True):
            parts = [lanes.build(layout, place) for place in places]
            made += lanes.flat(layout, func(node, _fold_of(node), *parts))
        return tuple(made)

    def _zero(self, values: Values) -> Any:
        return self._of_folds(lambda node, fold: fold.zero(values.__getitem__))

    def _reported(self, key: Any, values: Values, state: Any) -> list[Any]:
        place, made = iter(state), []
        for node, layout in zip(self.work.folds, self._states, strict=True):
            if node.draws:
                randomness.begin(key, node.step, randomness.SERVER_INDEX)
            value = _fold_of(node).report(values.__getitem__, lanes.build(layout, place))
            made += lanes.flat(node.layout, value)
        return made


def _partial(key: Any, values: Values, zero: Any, waiting: Any, depth: Any) -> Any:
    return waiting


def _fold_of(node: Node) -> Fold:
    assert node.fold is not None
    return node.fold


def _converted(func: Any) -> Any:
    return _native.operators.conv(func)


def _stacked(nodes: Sequence[Node], tensors: Iterator[Any]) -> dict[Node, list[Any]]:
    return {node: [next(tensors) for _ in stacked_specs(node.layout)] for node in nodes}


def _rooms(flat: Sequence[Any], count: Any) -> Any:
    return tuple([_native.zeros([count, *spec.shape], spec.dtype) for spec in flat])
