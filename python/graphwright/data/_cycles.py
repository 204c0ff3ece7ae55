"""Elements of several datasets in turn, and elements that are datasets: windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor
from ._elements import OfDatasets
from ._machine import Derived, add, blank, empty_rows, pick, put, stacked


@dataclass(frozen=True, eq=False)
class Interleave(OfDatasets):
    """`block` elements in turn of each of `cycle` datasets.

    Each place of the cycle has a part of its own in the state: whether it is in use, the element that its
    dataset is of, and how far that is; in rows of tensors or, where lengths are not known, in a list. A place
    whose dataset ends gets the next element at its next turn, as TensorFlow does it.
    """

    cycle: Any
    block: Any

    def start(self, epoch: Tensor) -> Any:
        places = _places((self.source.spec(), self.begun()), self.cycle)
        used = _native.fill([self.cycle], False)
        turn, given_out, zero = (_native.constant(0, _native.int64) for _ in range(3))
        return used, places, turn, given_out, zero, epoch, _native.constant(True), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        used, places, turn, taken, idle, epoch, flowing, source = state
        more, element = _native.constant(False), self.nothing()
        while not more and idle < self.cycle:
            outer, inner = _at(places, turn)
            here = used[turn]
            if not here and flowing:
                flowing, outer, source = self.source.step(source)
                if flowing:
                    inner = self.inner(outer).start(epoch)
                    here = _native.constant(True)
                    taken = _native.constant(0, _native.int64)
            if here and taken < self.block:
                more, element, inner = self.inner(outer).step(inner)
                here = more
                taken += 1
            places = _placed(places, turn, (outer, inner))
            used = put(used, turn, here)
            idle = idle + 1 if not here and not flowing else _native.constant(0, _native.int64)
            if not more:
                turn = (turn + 1) % self.cycle
                taken = _native.constant(0, _native.int64)
        return more, element, (used, places, turn, taken, idle, epoch, flowing, source)


def _places(spec: Any, count: Any) -> Any:
    """Places for so many values of a spec: rows, or a list of them."""
    if not any(None in leaf.shape for leaf in nest.flatten(spec) if leaf is not None):
        return empty_rows(spec, count)
    if not isinstance(count, int):
        raise ValueError(
            "interleave() of datasets with lengths that are not known needs a cycle_length of Python's"
        )
    return [blank(spec) for _ in range(count)]


def _at(places: Any, turn: Tensor) -> Any:
    """The element at a place."""
    if not isinstance(places, list):
        return pick(places, turn)
    found = places[0]
    for number, value in enumerate(places):
        if turn == number:
            found = value
    return found


def _placed(places: Any, turn: Tensor, value: Any) -> Any:
    """The places with a value at one of them."""
    if not isinstance(places, list):
        return put(places, turn, value)
    after = []
    for number, before in enumerate(places):
        kept = before
        if turn == number:
            kept = value
        after.append(kept)
    return after


@dataclass(frozen=True, eq=False)
class Window(Derived):
    """The tensors of so many elements, `stride` apart; the next window begins `shift` elements further on.

    The state holds the elements from where the next window begins, which are those that windows share, and
    how many are to be left out before it.
    """

    size: Any
    shift: Any
    stride: Any
    drop_remainder: bool

    def spec(self) -> Any:
        return stacked(self.source.spec(), None)

    def start(self, epoch: Tensor) -> Any:
        held = empty_rows(self.source.spec(), self._span())
        none = _native.constant(0, _native.int64)
        return held, none, none, self.source.start(epoch)

    def _span(self) -> Any:
        return (self.size - 1) * self.stride + 1

    def step(self, state: Any) -> Any:
        held, count, missed, inner = state
        flowing = _native.constant(True)
        while flowing and count < self._span():
            flowing, element, inner = self.source.step(inner)
            if flowing and missed > 0:
                missed -= 1
            elif flowing:
                held = add(held, count, element)
                count += 1
        window = pick(held, slice(None, count, self.stride))
        more = count == self._span() if self.drop_remainder else count > 0
        rest = _native.maximum(count - self.shift, 0)
        for place in _native.range(rest):
            held = put(held, place, pick(held, place + self.shift))
        return more, window, (held, rest, _native.maximum(self.shift - count, 0), inner)
