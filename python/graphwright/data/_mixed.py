"""Elements of several datasets, drawn or chosen by number, and elements each of which comes once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor, TensorSpec
from ._machine import INFINITE, UNKNOWN, Derived, Machine, blank
from ._order import _EPOCHS, _drawn, _plus, _times


@dataclass(frozen=True, eq=False)
class Mixed(Machine):
    """The next element of one of several machines, which `which` says.

    One that has ended is passed over, or ends all.
    """

    sources: Any
    stops: bool

    def spec(self) -> Any:
        return self.sources[0].spec()

    def length(self) -> Any:
        lengths = [source.length() for source in self.sources]
        return INFINITE if all(length is INFINITE for length in lengths) else UNKNOWN

    def choice(self, epoch: Tensor) -> Any:
        """The state of the choices before the first."""
        raise NotImplementedError

    def which(self, choice: Any, ended: Any) -> Any:
        """The next choice: if there is one, the number of a machine, and the state behind it."""
        raise NotImplementedError

    def start(self, epoch: Tensor) -> Any:
        ended = _native.fill([len(self.sources)], False)
        inner = tuple(source.start(epoch) for source in self.sources)
        return _native.constant(True), self.choice(epoch), ended, inner

    def step(self, state: Any) -> Any:
        going, choice, ended, inner = state
        more, element = _native.constant(False), self.nothing()
        while going and not more:
            going, place, choice = self.which(choice, ended)
            if going:
                more, element, inner = self._next(place, inner)
                here = _native.range(len(self.sources)) == _native.cast(place, _native.int32)
                ended = _native.logical_or(ended, _native.logical_and(here, _native.logical_not(more)))
                going = more or not self.stops
        return more, element, (going, choice, ended, inner)

    def _next(self, place: Any, inner: Any) -> Any:
        more, element = _native.constant(False), self.nothing()
        after = []
        for number, source in enumerate(self.sources):
            own = inner[number]
            if place == number:
                more, element, own = source.step(own)
            after.append(own)
        return more, element, tuple(after)


@dataclass(frozen=True, eq=False)
class Chosen(Mixed):
    """The numbers of the machines are elements of another one."""

    choices: Machine

    def choice(self, epoch: Tensor) -> Any:
        return self.choices.start(epoch)

    def which(self, choice: Any, ended: Any) -> Any:
        del ended
        return self.choices.step(choice)


@dataclass(frozen=True, eq=False)
class Sampled(Mixed):
    """The numbers of the machines are drawn, each as often as its weight says, of those that go on."""

    weights: Any
    seed: Any
    again: bool

    def choice(self, epoch: Tensor) -> Any:
        begun = epoch if self.again else _native.constant(0, _native.int64)
        return _drawn(_plus(self.seed, _times(begun, _EPOCHS))), _native.constant(0, _native.int64)

    def which(self, choice: Any, ended: Any) -> Any:
        seed, drawn = choice
        left = _native.where(ended, 0.0, self.weights)
        whole = _native.reduce_sum(left)
        part = _native.cast(_drawn(_plus(seed, drawn)), _native.float64) / 2.0**63 * whole
        below = _native.constant(0.0, _native.float64)
        place = _native.constant(-1, _native.int64)
        for number in range(len(self.sources)):
            weight = left[number]
            here = _native.logical_and(place < 0, _native.logical_and(weight > 0.0, part < below + weight))
            place = _native.where(here, number, place)
            below = below + weight
        return whole > 0.0, place, (seed, drawn + 1)


@dataclass(frozen=True, eq=False)
class Unique(Derived):
    """Each element the first time that it comes."""

    def start(self, epoch: Tensor) -> Any:
        (leaf,) = nest.flatten(self.spec())
        return blank(TensorSpec([None], leaf.dtype)), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        seen, inner = state
        going, more, element = _native.constant(True), _native.constant(False), self.nothing()
        while going and not more:
            going, element, inner = self.source.step(inner)
            if going:
                (one,) = nest.flatten(element)
                more = _native.logical_not(_native.reduce_any(seen == one))
                if more:
                    seen = _native.concat([seen, _native.reshape(one, [1])], 0)
        if not more:
            element = self.nothing()
        return more, element, (seen, inner)


def check_unique(spec: Any) -> None:
    """Refuses elements that are no single integers or texts."""
    leaves = nest.flatten(spec)
    is_single = len(leaves) == 1 and isinstance(leaves[0], TensorSpec) and not len(leaves[0].shape)
    if not is_single or not (leaves[0].dtype.is_integer or leaves[0].dtype == _native.string):
        raise TypeError("unique() takes datasets of single integers or strings")
