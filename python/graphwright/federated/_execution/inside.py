"""Functions of the language inside graphs: blocks are evaluated on the tensors of the graph being traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ... import _native, math
from . import lanes, numeric
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
    structure,
)
from .layout import GRAPH_DTYPES, Layout, SequenceLayout, StructLayout, is_fixed, layout_of, specs
from .operands import Closure, Graph, Node, Primitive, Read
from .reference import plain_value, position
from .staged import rows

Environment = Mapping[str, Any]


class NotFusedError(Exception):
    """A computation is none that graphs over clients can hold; the reference executor runs it."""


def settled(operand: Any, read: Read) -> Any:
    """Returns an operand with the values of its nodes."""
    if isinstance(operand, Node):
        return read(operand)
    if isinstance(operand, tuple):
        return tuple([settled(part, read) for part in operand])
    return operand


def apply(func: Any, argument: Any, read: Read) -> Any:
    """Returns what a function gives of a value of the graph; of nothing, if it has no parameter."""
    if isinstance(func, Graph):
        return func.leaf.staged(argument)
    if isinstance(func, Closure):
        environment = dict(func.environment)
        if func.block.parameter_name is not None:
            environment[func.block.parameter_name] = argument
        return evaluate(func.block.result, environment, read)
    if isinstance(func, Primitive) and func.uri in _INTRINSICS:
        return _INTRINSICS[func.uri](func.signature, argument, read)
    raise NotImplementedError(f"{getattr(func, 'uri', func)} is not executed inside a graph")


def evaluate(block: Any, environment: Environment, read: Read) -> Any:
    """Returns the value of a block in the graph."""
    for kind, rule in _RULES.items():
        if isinstance(block, kind):
            return rule(block, environment, read)
    raise NotImplementedError(f"{type(block).__name__} is not executed inside a graph: {block}")


def _selection(block: Any, environment: Environment, read: Read) -> Any:
    return evaluate(block.source, environment, read)[position(block)]


def _struct(block: Any, environment: Environment, read: Read) -> Any:
    return tuple([evaluate(part, environment, read) for _, part in structure.iter_elements(block)])


def _call(block: Any, environment: Environment, read: Read) -> Any:
    func = evaluate(block.function, environment, read)
    argument = None if block.argument is None else evaluate(block.argument, environment, read)
    return apply(func, argument, read)


def _block(block: Any, environment: Environment, read: Read) -> Any:
    for name, part in block.locals:
        environment = {**environment, name: evaluate(part, environment, read)}
    return evaluate(block.result, environment, read)


def _intrinsic(block: Any, environment: Environment, read: Read) -> Any:
    if block.uri == "generic_zero":
        return filled(layout_of(block.type_signature), numeric.zero)
    return Primitive(block.uri, block.type_signature)


def _literal(block: Any, environment: Environment, read: Read) -> Any:
    return literal(block)


def literal(block: Any) -> Any:
    """Returns the constant of a literal."""
    layout = layout_of(block.type_signature)
    return _native.constant(plain_value(layout, block.value), GRAPH_DTYPES[layout.dtype])  # type: ignore[union-attr]


_RULES: dict[Any, Callable[[Any, Environment, Read], Any]] = {
    Reference: lambda block, environment, read: settled(environment[block.name], read),
    Selection: _selection,
    Struct: _struct,
    Call: _call,
    Lambda: lambda block, environment, read: Closure(block, environment),
    Block: _block,
    Intrinsic: _intrinsic,
    CompiledComputation: lambda block, environment, read: Graph(block.leaf),
    Literal: _literal,
}


def filled(layout: Layout, number: Callable[[Any], Any]) -> Any:
    """Returns a value whose tensors are full of the number that a function gives for a dtype."""
    if isinstance(layout, StructLayout):
        return tuple([filled(item, number) for item in layout.items])
    assert not isinstance(layout, SequenceLayout)
    value = _native.constant(number(layout.dtype), GRAPH_DTYPES[layout.dtype])
    return _native.broadcast_to(value, [length or 0 for length in layout.shape]) if layout.shape else value


def pairwise(operator: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Returns the results of an operator on the tensors of two values of one structure."""
    if isinstance(left, tuple):
        return tuple([pairwise(operator, one, other) for one, other in zip(left, right, strict=True)])
    return operator(left, right)


def plus(left: Any, right: Any) -> Any:
    """Returns the sums of two values; integers wrap."""
    return pairwise(_plus, left, right)


def _plus(left: Any, right: Any) -> Any:
    return left + right if left.dtype.is_floating else _native.wrapping_add(left, right)


def times(left: Any, right: Any) -> Any:
    """Returns the products of two values; integers wrap."""
    return pairwise(_times, left, right)


def _times(left: Any, right: Any) -> Any:
    return left * right if left.dtype.is_floating else _native.wrapping_multiply(left, right)


def scaled(value: Any, factor: Any) -> Any:
    """Returns a value times one number, which takes the dtype of each tensor."""
    if isinstance(value, tuple):
        return tuple([scaled(part, factor) for part in value])
    return _times(value, _native.cast(factor, value.dtype))


def shared_out(value: Any, parts: Any) -> Any:
    """Returns a value divided by one number, which takes the dtype of each tensor."""
    if isinstance(value, tuple):
        return tuple([shared_out(part, parts) for part in value])
    return math.divide(value, _native.cast(parts, value.dtype))


def _divided(signature: Any, argument: Any, read: Read) -> Any:
    return _quotients(layout_of(signature.result), *argument)


def _quotients(layout: Layout, left: Any, right: Any) -> Any:
    if isinstance(layout, StructLayout):
        parts = zip(layout.items, left, right, strict=True)
        return tuple([_quotients(item, one, other) for item, one, other in parts])
    assert not isinstance(layout, SequenceLayout)
    return _native.cast(math.divide(left, right), GRAPH_DTYPES[layout.dtype])


def sequence_map(signature: Any, argument: Any, read: Read) -> Any:
    """Returns the rows of what a function gives of each element."""
    func, value = argument
    layout = layout_of(signature.result)
    assert isinstance(layout, SequenceLayout)

    def each(element: Any) -> Any:
        return tuple(lanes.flat(layout.element, apply(func, element, read)))

    columns = _native.operators.conv(rows.mapped)(each, value.length, row_specs(layout.element), value.at)
    return lanes.Rows(layout.element, value.length, tuple(columns))


def row_specs(layout: Layout) -> list[Any]:
    """Returns the specs of one element, each of whose tensors is a row."""
    if not is_fixed(layout):
        raise NotFusedError("a sequence is made of elements of several lengths")
    return specs(layout)


def sequence_reduce(signature: Any, argument: Any, read: Read) -> Any:
    """Returns the last state of a function of a state and an element."""
    value, zero, func = argument
    return _reduced(layout_of(signature.result), value, zero, lambda pair: apply(func, pair, read))


def sequence_sum(signature: Any, argument: Any, read: Read) -> Any:
    """Returns the sum of the elements; zero without elements."""
    layout = layout_of(signature.result)
    return _reduced(layout, argument, filled(layout, numeric.zero), lambda pair: plus(*pair))


def _reduced(layout: Layout, value: Any, zero: Any, func: Callable[[Any], Any]) -> Any:
    def step(state: Any, element: Any) -> Any:
        return tuple(lanes.flat(layout, func((lanes.build(layout, iter(state)), element))))

    start = tuple(lanes.flat(layout, zero))
    return lanes.build(
        layout, iter(_native.operators.conv(rows.reduced)(step, start, value.length, value.at))
    )


_INTRINSICS: dict[str, Callable[[Any, Any, Read], Any]] = {
    "generic_divide": _divided,
    "generic_multiply": lambda signature, argument, read: times(*argument),
    "generic_plus": lambda signature, argument, read: plus(*argument),
    "sequence_map": sequence_map,
    "sequence_reduce": sequence_reduce,
    "sequence_sum": sequence_sum,
}

#: The intrinsics that functions inside graphs may call.
INSIDE = frozenset([*_INTRINSICS, "generic_zero"])
