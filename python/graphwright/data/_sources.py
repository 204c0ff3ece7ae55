"""Where elements come from: numbers, and tensors that are there."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor, TensorSpec
from ._machine import Indexed, pick, spec_of


@dataclass(frozen=True, eq=False)
class Range(Indexed):
    """So many numbers from the first on, as far apart as `by` says; all `int64`."""

    first: Any
    by: Any
    count: Any

    def spec(self) -> Any:
        return TensorSpec([], _native.int64)

    def length(self) -> Any:
        return self.count

    def at(self, index: Tensor) -> Any:
        # The sum fits where the product may not: they wrap.
        return _native.wrapping_add(self.first, _native.wrapping_multiply(index, self.by))


@dataclass(frozen=True, eq=False)
class Once(Indexed):
    """One element."""

    element: Any

    def spec(self) -> Any:
        return spec_of(self.element)

    def length(self) -> int:
        return 1

    def at(self, index: Tensor) -> Any:
        return self.element


@dataclass(frozen=True, eq=False)
class Slices(Indexed):
    """The rows of tensors of one length, side by side."""

    tensors: Any

    def spec(self) -> Any:
        return nest.map_structure(lambda leaf: TensorSpec(leaf.shape[1:], leaf.dtype), spec_of(self.tensors))

    def length(self) -> Any:
        return _native.cast(_native.shape(nest.flatten(self.tensors)[0])[0], _native.int64)

    def at(self, index: Tensor) -> Any:
        return pick(self.tensors, index)

    def rows(self, first: Tensor, stop: Tensor) -> Any:
        return nest.map_structure(lambda leaf: leaf[first:stop], self.tensors)


def numbers(first: Any, stop: Any, by: Any) -> Range:
    """`first`, `first + by`, … before `stop`."""
    plain = [_native.is_staged(number) or isinstance(number, Tensor) for number in (first, stop, by)]
    count: Any = None if any(plain) else _counted(*(operator.index(number) for number in (first, stop, by)))
    first, stop, by = (_native.cast(number, _native.int64) for number in (first, stop, by))
    if count is None:
        towards = _native.sign(by)
        some = _native.sign(stop - first) == towards
        count = _native.where(some, (stop - first - towards) // by + 1, 0)
    return Range(first, by, _native.cast(count, _native.int64))


def _counted(first: int, stop: int, by: int) -> int:
    if by == 0:
        raise ValueError("Dataset.range() needs a step that is not zero")
    count = max(0, -((first - stop) // by))
    if count >= 2**63:
        raise ValueError(f"Dataset.range() of {count} numbers: there are at most 2**63 - 1")
    return count
