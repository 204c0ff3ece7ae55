"""Shards of a dataset: rows of each batch for each worker, or its elements distributed round-robin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor, TensorSpec
from ._batches import Batch, BatchAt, Padded, Unbatch
from ._cycles import Interleave, Window
from ._elements import FlatMap
from ._hosted import Batches
from ._machine import Derived, Indexed, Machine
from ._order import machines, sharded


class OfRows:
    """Parts of rows: as many as the source has elements, and each of its lengths but the first."""

    source: Machine

    def spec(self) -> Any:
        return nest.map_structure(_without_length, self.source.spec())

    def length(self) -> Any:
        return self.source.length()


@dataclass(frozen=True, eq=False)
class RowsAt(OfRows, Indexed):
    """One of `count` parts of the rows of each element of what is indexed."""

    source: Indexed
    index: Any
    count: Any

    def at(self, index: Tensor) -> Any:
        return _cut(self.source.at(index), self.index, self.count)


@dataclass(frozen=True, eq=False)
class Rows(OfRows, Derived):
    """One of `count` parts of the rows of each element."""

    index: Any
    count: Any

    def step(self, state: Any) -> Any:
        more, element, state = self.source.step(state)
        return more, _cut(element, self.index, self.count), state


def part(source: Machine, count: int, index: int) -> Machine:
    """The shard of one worker: its rows of each batch, or its elements distributed round-robin."""
    if not is_batched(source):
        return sharded(source, count, index)
    return RowsAt(source, index, count) if isinstance(source, Indexed) else Rows(source, index, count)


def is_batched(machine: Machine) -> bool:
    """True if the elements are batches, whatever else was done with them since."""
    if machine.gives_batches or isinstance(machine, (Batch, BatchAt, Batches, Padded)):
        return True
    if isinstance(machine, (Unbatch, FlatMap, Interleave, Window)):
        return False
    sources = vars(machine).get("sources", vars(machine).get("first", vars(machine).get("source")))
    if sources is None or not isinstance(sources, (Machine, tuple, dict)):
        return False
    return all(is_batched(source) for source in machines(sources))


def _without_length(leaf: TensorSpec) -> TensorSpec:
    if len(leaf.shape) == 0:
        raise ValueError("a batch is cut into rows for the workers, and a number in its element has none")
    return TensorSpec([None, *leaf.shape[1:]], leaf.dtype)


def _cut(element: Any, index: Any, count: Any) -> Any:
    return nest.map_structure(lambda leaf: _rows(leaf, index, count), element)


def _rows(leaf: Tensor, index: Any, count: Any) -> Tensor:
    length = _native.cast(_native.shape(leaf)[0], _native.int64)
    return leaf[length * index // count : length * (index + 1) // count]
