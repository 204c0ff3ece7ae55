"""Programs: computations whose references, blocks, lambdas and calls are resolved, as nodes in order.

This is the reference-resolving layer. It evaluates a building block on operands: what it meets at the top
becomes a node, and functions that intrinsics apply stay functions. Steps are numbered as by the reference
executor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from . import inside, numeric
from .inside import settled
from .language import (
    Block,
    Call,
    CompiledComputation,
    Intrinsic,
    Lambda,
    Literal,
    Reference,
    Selection,
    Struct,
    StructType,
    TensorType,
    structure,
)
from .layout import layout_of
from .operands import (
    Closure,
    Fold,
    Graph,
    Node,
    Operand,
    Place,
    Primitive,
    Read,
    block_draws,
    draws,
    nodes_of,
)
from .reference import position
from .values import at_clients

Environment = Mapping[str, Operand]


class Program:
    """The nodes of a computation, in the order of evaluation, and the operand that is its result."""

    def __init__(self, block: Any) -> None:
        self.signature = block.type_signature
        self.draws = block_draws(block)
        self.nodes: list[Node] = []
        self.given: dict[str, Node] = {}
        self._steps = 0
        func = self._evaluate(block, {})
        self.argument = None if self.signature.parameter is None else self._given(self.signature.parameter)
        self.result = self._collected(self.signature.result, self._call(func, self.argument))

    def count(self) -> Node:
        """Returns the node that is the number of clients."""
        return self._number("count", Place.SERVER)

    def secret(self) -> Node:
        """Returns the node that is another random number in each call, which nothing but masks is made of."""
        return self._number("secret", Place.SERVER)

    def index(self) -> Node:
        """Returns the node that is the index of each client."""
        return self._number("index", Place.CLIENTS)

    def _number(self, name: str, place: Place) -> Node:
        if name not in self.given:
            self.given[name] = self.node(place, TensorType(np.int64), (), None)
        return self.given[name]

    def step(self) -> int:
        """Returns the number of a call at the top of the computation."""
        self._steps += 1
        return self._steps

    def node(
        self,
        place: Place,
        type_spec: Any,
        operand: Operand,
        apply: Callable[[Read], Any] | None,
        fold: Fold | None = None,
        step: int = 0,
    ) -> Node:
        """Adds a node that depends on an operand."""
        inputs = tuple(dict.fromkeys(nodes_of(operand)))
        drawn = draws(operand) if self.draws else False
        made = Node(place, layout_of(type_spec), inputs, apply, fold, step, drawn)
        made.level = max([_level_behind(one) for one in inputs], default=0)
        self.nodes.append(made)
        return made

    def applied(self, place: Place, type_spec: Any, func: Operand, argument: Operand) -> Node:
        """Adds a node for what a function gives of an argument."""
        step = self.step()
        return self.node(
            place,
            type_spec,
            (func, argument),
            lambda read: inside.apply(func, settled(argument, read), read),
            step=step,
        )

    def _given(self, type_spec: Any) -> Operand:
        if isinstance(type_spec, StructType) and _is_placed(type_spec):
            return tuple([self._given(part) for _, part in type_spec.items()])
        place = Place.CLIENTS if at_clients(type_spec) else Place.SERVER
        return self.node(place, type_spec, (), None)

    def _collected(self, type_spec: Any, operand: Operand) -> Operand:
        """Returns a result whose values at clients are all computed for each client."""
        if at_clients(type_spec):
            if all(node.place is Place.CLIENTS for node in _parts(operand)):
                return operand
            return self.node(Place.CLIENTS, type_spec, operand, lambda read: settled(operand, read))
        if isinstance(type_spec, StructType) and isinstance(operand, tuple):
            pairs = zip(type_spec.items(), operand, strict=True)
            return tuple([self._collected(part, one) for (_, part), one in pairs])
        list(_parts(operand))
        return operand

    def _evaluate(self, block: Any, environment: Environment) -> Operand:
        for kind, rule in _RULES.items():
            if isinstance(block, kind):
                return rule(self, block, environment)
        raise NotImplementedError(f"{type(block).__name__} is not executed: {block}")

    def _selection(self, block: Any, environment: Environment) -> Operand:
        source, index = self._evaluate(block.source, environment), position(block)
        if isinstance(source, tuple):
            return source[index]
        return self.node(Place.SERVER, block.type_signature, source, lambda read: read(source)[index])

    def _struct(self, block: Any, environment: Environment) -> Operand:
        return tuple([self._evaluate(part, environment) for _, part in structure.iter_elements(block)])

    def _called(self, block: Any, environment: Environment) -> Operand:
        func = self._evaluate(block.function, environment)
        argument = None if block.argument is None else self._evaluate(block.argument, environment)
        return self._call(func, argument)

    def _call(self, func: Operand, argument: Operand) -> Operand:
        if isinstance(func, Closure):
            environment = dict(func.environment)
            if func.block.parameter_name is not None:
                environment[func.block.parameter_name] = argument
            return self._evaluate(func.block.result, environment)
        if isinstance(func, Graph):
            return self.applied(Place.SERVER, func.leaf.type_signature.result, func, argument)
        from .program_intrinsics import INTRINSICS

        if not isinstance(func, Primitive) or func.uri not in INTRINSICS:
            raise NotImplementedError(f"the intrinsic {getattr(func, 'uri', func)} is not executed")
        return INTRINSICS[func.uri](self, func.signature, argument)

    def _block(self, block: Any, environment: Environment) -> Operand:
        for name, part in block.locals:
            environment = {**environment, name: self._evaluate(part, environment)}
        return self._evaluate(block.result, environment)

    def _intrinsic(self, block: Any, environment: Environment) -> Operand:
        if block.uri != "generic_zero":
            return Primitive(block.uri, block.type_signature)
        layout = layout_of(block.type_signature)
        zero = lambda read: inside.filled(layout, numeric.zero)  # noqa: E731
        return self.node(Place.SERVER, block.type_signature, (), zero)

    def _literal(self, block: Any, environment: Environment) -> Operand:
        return self.node(Place.SERVER, block.type_signature, (), lambda read: inside.literal(block))


def _level_behind(source: Node) -> int:
    """Returns the least level of what depends on a node: behind a fold, clients' work begins anew."""
    return source.level + (1 if source.fold is not None else 0)


def _parts(operand: Operand) -> Iterator[Node]:
    """Yields the nodes of a value; a function is none."""
    if isinstance(operand, Node):
        yield operand
    elif isinstance(operand, tuple):
        for part in operand:
            yield from _parts(part)
    else:
        raise TypeError("a computation that is executed returns values, and no functions")


def _is_placed(type_spec: Any) -> bool:
    """Returns True if a struct holds placed values, and is no value itself."""
    if isinstance(type_spec, StructType):
        return any(_is_placed(part) for _, part in type_spec.items())
    return hasattr(type_spec, "placement")


_RULES: dict[Any, Callable[[Program, Any, Environment], Operand]] = {
    Reference: lambda program, block, environment: environment[block.name],
    Selection: Program._selection,
    Struct: Program._struct,
    Call: Program._called,
    Lambda: lambda program, block, environment: Closure(block, environment),
    Block: Program._block,
    Intrinsic: Program._intrinsic,
    CompiledComputation: lambda program, block, environment: Graph(block.leaf),
    Literal: Program._literal,
}
