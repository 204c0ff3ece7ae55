"""What is done with each element: mapped, left out, folded, replaced by many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _native
from .._native import Tensor, TensorSpec
from ._machine import Indexed, Machine, apply, blank, given, given_of


@dataclass(frozen=True, eq=False)
class MapAt(Indexed):
    """What a function gives of each element of what is indexed."""

    source: Indexed
    func: Any

    def spec(self) -> Any:
        return given(lambda element: apply(self.func, element), self.source.spec())

    def length(self) -> Any:
        return self.source.length()

    def at(self, index: Tensor) -> Any:
        return apply(self.func, self.source.at(index))


@dataclass(frozen=True, eq=False)
class Map(Machine):
    """What a function gives of each element."""

    source: Machine
    func: Any

    def spec(self) -> Any:
        return given(lambda element: apply(self.func, element), self.source.spec())

    def length(self) -> Any:
        return self.source.length()

    def start(self, epoch: Tensor) -> Any:
        return self.source.start(epoch)

    def step(self, state: Any) -> Any:
        more, element, state = self.source.step(state)
        result = blank(given_of(lambda: apply(self.func, element)))
        if more:
            result = apply(self.func, element)
        return more, result, state


@dataclass(frozen=True, eq=False)
class Filter(Machine):
    """The elements that pass a test."""

    source: Machine
    predicate: Any

    def spec(self) -> Any:
        return self.source.spec()

    def start(self, epoch: Tensor) -> Any:
        return self.source.start(epoch)

    def step(self, state: Any) -> Any:
        more, passes, element = True, False, self.nothing()
        while more and not passes:
            more, element, state = self.source.step(state)
            if more:
                passes = apply(self.predicate, element)
        return more, element, state


@dataclass(frozen=True, eq=False)
class TakeWhile(Machine):
    """The elements before the first that fails a test."""

    source: Machine
    predicate: Any

    def spec(self) -> Any:
        return self.source.spec()

    def start(self, epoch: Tensor) -> Any:
        return _native.constant(False), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        ended, inner = state
        more, element = False, self.nothing()
        if not ended:
            more, element, inner = self.source.step(inner)
            if more:
                more = apply(self.predicate, element)
            ended = not more
        return more, element, (ended, inner)


@dataclass(frozen=True, eq=False)
class Scan(Machine):
    """`state, result = func(state, element)` for each element; gives the results."""

    source: Machine
    initial: Any
    func: Any

    def spec(self) -> Any:
        return given(self.func, given(lambda: self.initial), self.source.spec())[1]

    def length(self) -> Any:
        return self.source.length()

    def start(self, epoch: Tensor) -> Any:
        return self.initial, self.source.start(epoch)

    def step(self, state: Any) -> Any:
        folded, inner = state
        more, element, inner = self.source.step(inner)
        result = blank(given_of(self.func, folded, element)[1])
        if more:
            folded, result = self.func(folded, element)
        return more, result, (folded, inner)


@dataclass(frozen=True, eq=False)
class FlatMap(Machine):
    """The elements of the datasets that a function gives of each element, one dataset after the other.

    The dataset of an element is described anew for each of its own elements, so the function is to be pure.
    """

    source: Machine
    func: Any

    def spec(self) -> Any:
        return given(self._inner, self.source.spec(), read=lambda machine: machine.spec())

    def _inner(self, element: Any) -> Machine:
        machine: Machine = apply(self.func, element)._machine
        return machine

    def start(self, epoch: Tensor) -> Any:
        number = TensorSpec([], _native.int64)
        begun = given(lambda outer, epoch: self._inner(outer).start(epoch), self.source.spec(), number)
        return _native.constant(False), self.source.nothing(), blank(begun), epoch, self.source.start(epoch)

    def step(self, state: Any) -> Any:
        inside, outer, inner, epoch, source = state
        going, more, element = True, False, self.nothing()
        while going and not more:
            if inside:
                more, element, inner = self._inner(outer).step(inner)
                inside = more
            if not more:
                going, outer, source = self.source.step(source)
                if going:
                    inner = self._inner(outer).start(epoch)
                    inside = _native.constant(True)
        return more, element, (inside, outer, inner, epoch, source)


def mapped(source: Machine, func: Any) -> Machine:
    """What a function gives of each element."""
    return MapAt(source, func) if isinstance(source, Indexed) else Map(source, func)
