"""Datasets that map, filter, fold or replace each element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native
from .._native import Tensor, TensorSpec
from ..autograph import do_not_convert
from ._machine import Derived, Indexed, Machine, apply, blank, given, given_of, spec_of


@dataclass(frozen=True, eq=False)
class MapAt(Indexed):
    """Results of a function for each element of an indexed machine."""

    source: Indexed
    func: Any

    def spec(self) -> Any:
        return given(lambda element: apply(self.func, element), self.source.spec(), read=mapped_spec)

    def length(self) -> Any:
        return self.source.length()

    def at(self, index: Tensor) -> Any:
        return apply(self.func, self.source.at(index))


@dataclass(frozen=True, eq=False)
class Map(Derived):
    """Results of a function for each element."""

    func: Any

    def spec(self) -> Any:
        return given(lambda element: apply(self.func, element), self.source.spec(), read=mapped_spec)

    def length(self) -> Any:
        return self.source.length()

    def step(self, state: Any) -> Any:
        more, element, state = self.source.step(state)
        result = blank(given_of(lambda: apply(self.func, element), read=mapped_spec))
        if more:
            result = apply(self.func, element)
        return more, result, state


@dataclass(frozen=True, eq=False)
class Filter(Derived):
    """The elements that pass a test."""

    predicate: Any

    def step(self, state: Any) -> Any:
        more, passes, element = True, False, self.nothing()
        while more and not passes:
            more, element, state = self.source.step(state)
            if more:
                passes = test_of("filter()", apply(self.predicate, element))
        return more, element, state


@dataclass(frozen=True, eq=False)
class TakeWhile(Derived):
    """The elements before the first that fails a test."""

    predicate: Any

    def start(self, epoch: Tensor) -> Any:
        return _native.constant(False), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        ended, inner = state
        more, element = False, self.nothing()
        if not ended:
            more, element, inner = self.source.step(inner)
            if more:
                more = test_of("take_while()", apply(self.predicate, element))
            ended = not more
        return more, element, (ended, inner)


@dataclass(frozen=True, eq=False)
class Scan(Derived):
    """`state, result = func(state, element)` for each element; gives the results."""

    initial: Any
    func: Any

    def spec(self) -> Any:
        return given(self.func, given(lambda: self.initial), self.source.spec(), read=scanned_spec)

    def length(self) -> Any:
        return self.source.length()

    def start(self, epoch: Tensor) -> Any:
        return self.initial, self.source.start(epoch)

    def step(self, state: Any) -> Any:
        folded, inner = state
        more, element, inner = self.source.step(inner)
        result = blank(given_of(self.func, folded, element, read=scanned_spec))
        if more:
            folded, result = self.func(folded, element)
        return more, result, (folded, inner)


@dataclass(frozen=True, eq=False)
class OfDatasets(Derived):
    """The elements of the datasets that a function gives of each element.

    The dataset of an element is described anew for each of its own elements, so the function is to be pure.
    """

    func: Any

    def spec(self) -> Any:
        return given(lambda outer: apply(self.func, outer), self.source.spec(), read=elements_spec)

    def inner(self, element: Any) -> Machine:
        """The machine of the dataset of an element."""
        machine: Machine = apply(self.func, element)._machine
        return machine

    def begun(self) -> Any:
        """The spec of the state in which an element's dataset begins."""
        number = TensorSpec([], _native.int64)
        self.spec()
        return given(lambda outer, epoch: self.inner(outer).start(epoch), self.source.spec(), number)


@dataclass(frozen=True, eq=False)
class FlatMap(OfDatasets):
    """The elements of one dataset after the other."""

    def start(self, epoch: Tensor) -> Any:
        inside, inner = _native.constant(False), blank(self.begun())
        return inside, self.source.nothing(), inner, epoch, self.source.start(epoch)

    def step(self, state: Any) -> Any:
        inside, outer, inner, epoch, source = state
        going, more, element = True, False, self.nothing()
        while going and not more:
            if inside:
                more, element, inner = self.inner(outer).step(inner)
                inside = more
            if not more:
                going, outer, source = self.source.step(source)
                if going:
                    inner = self.inner(outer).start(epoch)
                    inside = _native.constant(True)
        return more, element, (inside, outer, inner, epoch, source)


@do_not_convert
def mapped_spec(result: Any) -> Any:
    """The spec of what a function for `map()` returned; an error if that is no element."""
    if result is None:
        return TypeError("map() takes a function that returns elements, and this one returns None")
    return spec_of(result)


@do_not_convert
def scanned_spec(result: Any) -> Any:
    """The spec of the element that a function for `scan()` returned; an error if it is no pair."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        found = "None" if result is None else f"`{type(result).__name__}`"
        return TypeError(f"scan() takes a function that returns a state and an element, and this one {found}")
    return spec_of(result[1])


def elements_spec(dataset: Any) -> Any:
    """The spec of the elements of what a function returned; an error if that is no dataset."""
    error = not_a_dataset(dataset)
    return dataset._machine.spec() if error is None else error


@do_not_convert
def not_a_dataset(found: Any) -> Any:
    """An error, if what a function returned is no dataset."""
    if isinstance(getattr(found, "_machine", None), Machine):
        return None
    found = "None" if found is None else f"`{type(found).__name__}`"
    return TypeError(f"flat_map() and interleave() take a function that returns datasets, not {found}")


@do_not_convert
def test_of(method: str, answer: Any) -> Any:
    """The answer of a test; `TypeError` if that is no bool."""
    if isinstance(answer, Tensor):
        if answer.dtype == _native.bool and list(answer.shape) == []:
            return answer
        found = f"{answer.dtype.name} of shape {list(answer.shape)}"
    elif isinstance(answer, (bool, np.bool_)):
        return answer
    else:
        found = "None" if answer is None else f"`{type(answer).__name__}`"
    raise TypeError(f"{method} takes a function that returns a bool, and this one returns {found}")


def mapped(source: Machine, func: Any) -> Machine:
    """Results of a function for each element."""
    return MapAt(source, func) if isinstance(source, Indexed) else Map(source, func)
