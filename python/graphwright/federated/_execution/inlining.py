"""Calls of computations while a graph is traced: they become part of it."""

from __future__ import annotations

from typing import Any

from . import inside, lanes
from .language import CompiledComputation
from .layout import layout_of
from .operands import Closure, Graph, Node
from .returned import returned


def inlined(computation: Any, argument: Any) -> Any:
    """Returns what a computation of unplaced values gives in the graph that is traced.

    Raises:
      TypeError: the argument is not of the parameter's type, or the computation is of placed values.

    Example: `@graph_computation(np.int32) def f(x): return g(x) + 1` with another graph computation `g`.
    """
    signature, block = computation.type_signature, computation.to_building_block()
    result = layout_of(_unplaced(signature.result))
    value = None
    if signature.parameter is not None:
        found = returned(inlined, argument)
        if not _unplaced(signature.parameter).is_assignable_from(found.type_signature):
            raise TypeError(f"expected an argument of type {signature.parameter}, got {found.type_signature}")
        value = found.value
    func = Graph(block.leaf) if isinstance(block, CompiledComputation) else Closure(block, {})
    return lanes.as_argument(result, inside.apply(func, value, _read))


def _unplaced(type_spec: Any) -> Any:
    if "@" in str(type_spec):
        raise TypeError(f"a computation of placed values, {type_spec}, is not called inside a graph")
    return type_spec


def _read(node: Node) -> Any:
    raise AssertionError("a computation that is called inside a graph has no values of a program")
