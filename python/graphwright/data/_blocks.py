"""Blocks of tables taken apart to rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _native
from .._native import Tensor, TensorSpec
from ._machine import Machine, overwritten


@dataclass(frozen=True, eq=False)
class Rows(Machine):
    """The rows of blocks, one after the other; those of several lengths are cut out of all values of a block.

    All blocks have as many rows: what has unknown lengths costs a graph that is built much.
    """

    source: Machine

    def spec(self) -> Any:
        return _each(self.source.spec()[1], _row_spec, lambda values, starts, stops: values)

    def start(self, epoch: Tensor) -> Any:
        return _native.constant(0, _native.int64), self.source.nothing(), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        place, (count, block), inner = state
        going = _native.constant(True)
        if place >= count:
            going, (count, found), inner = self.source.step(inner)
            block = overwritten(block, found)
            place = _native.constant(0, _native.int64)
        element = self.nothing()
        if going:
            element = _each(block, lambda rows: rows[place], _cut(place))
            place += 1
        return going, element, (place, (count, block), inner)


def _cut(place: Tensor) -> Callable[..., Any]:
    return lambda values, starts, stops: values[starts[place] : stops[place]]


def _each(block: Any, dense: Callable[..., Any], ragged: Callable[..., Any]) -> Any:
    """Tensors of each column of a block; one of rows of several lengths is a tuple of three."""
    if isinstance(block, dict):
        return {name: _each(part, dense, ragged) for name, part in block.items()}
    return ragged(*block) if isinstance(block, tuple) else dense(block)


def _row_spec(rows: TensorSpec) -> TensorSpec:
    return TensorSpec(rows.shape[1:], rows.dtype)
