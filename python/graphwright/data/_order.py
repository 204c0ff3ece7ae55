"""Which elements come, and in what order: some of them, again, side by side, in a row, shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _native, nest
from .._native import Tensor
from ._machine import INFINITE, UNKNOWN, Derived, Indexed, Machine, add, empty_rows, pick, put
from ._sources import numbers

#: Distance between the epochs of a repeated dataset.
_EPOCHS = 1_000_003


@dataclass(frozen=True, eq=False)
class Sliced(Indexed):
    """Every so-manieth element of what is indexed, from `first` on."""

    source: Indexed
    first: Any
    by: Any

    def spec(self) -> Any:
        return self.source.spec()

    def length(self) -> Any:
        return _shares(self.source.length(), self.first, self.by)

    def at(self, index: Tensor) -> Any:
        return self.source.at(self.first + index * self.by)


@dataclass(frozen=True, eq=False)
class Take(Derived):
    """At most so many elements; all, if the number is negative."""

    count: Any

    def length(self) -> Any:
        length = self.source.length()
        if length is UNKNOWN:
            return UNKNOWN
        if length is INFINITE:
            return self.count
        return _native.where(self.count < 0, length, _native.minimum(length, self.count))

    def start(self, epoch: Tensor) -> Any:
        return _native.constant(0, _native.int64), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        taken, inner = state
        more, element = _native.constant(False), self.nothing()
        if self.count < 0 or taken < self.count:
            more, element, inner = self.source.step(inner)
            taken += 1
        return more, element, (taken, inner)


@dataclass(frozen=True, eq=False)
class Skip(Derived):
    """The dataset behind so many elements."""

    count: Any

    def length(self) -> Any:
        length = self.source.length()
        if length is UNKNOWN or length is INFINITE:
            return length
        return _native.where(self.count < 0, 0, _native.maximum(length - self.count, 0))

    def start(self, epoch: Tensor) -> Any:
        state, skipped, more = (
            self.source.start(epoch),
            _native.constant(0, _native.int64),
            _native.constant(True),
        )
        while more and (self.count < 0 or skipped < self.count):
            more, _, state = self.source.step(state)
            skipped += 1
        return state

    def step(self, state: Any) -> Any:
        return self.source.step(state)


@dataclass(frozen=True, eq=False)
class Repeat(Derived):
    """The elements so many times; for ever, if the number is negative."""

    count: Any

    def length(self) -> Any:
        length = self.source.length()
        if length is UNKNOWN or length is INFINITE or self.count is None:
            return INFINITE if self.count is None else length
        return _native.where(self.count < 0, INFINITE.value, length * self.count)

    def start(self, epoch: Tensor) -> Any:
        first = _times(epoch, _EPOCHS)
        return _native.constant(0, _native.int64), first, self.source.start(first)

    def _goes_on(self, rounds: Tensor) -> Any:
        return self.count is None or self.count < 0 or rounds < self.count

    def step(self, state: Any) -> Any:
        rounds, first, inner = state
        more, element, begins = _native.constant(False), self.nothing(), _native.constant(False)
        if self._goes_on(rounds):
            more, element, inner = self.source.step(inner)
            # A round that gives nothing at all is the last: the others would give nothing for ever.
            begins = _native.logical_not(more)
        while begins:
            rounds += 1
            begins = _native.constant(False)
            if self._goes_on(rounds):
                inner = self.source.start(_plus(first, rounds))
                more, element, inner = self.source.step(inner)
        return more, element, (rounds, first, inner)


@dataclass(frozen=True, eq=False)
class Concatenate(Machine):
    """The elements of one, then those of another."""

    first: Machine
    second: Machine

    def spec(self) -> Any:
        return self.first.spec()

    def length(self) -> Any:
        lengths = self.first.length(), self.second.length()
        for one in (INFINITE, UNKNOWN):
            if any(length is one for length in lengths):
                return one
        return lengths[0] + lengths[1]

    def start(self, epoch: Tensor) -> Any:
        return _native.constant(False), self.first.start(epoch), self.second.start(epoch)

    def step(self, state: Any) -> Any:
        behind, first, second = state
        more, element = _native.constant(False), self.nothing()
        if not behind:
            more, element, first = self.first.step(first)
            behind = not more
        if behind:
            more, element, second = self.second.step(second)
        return more, element, (behind, first, second)


@dataclass(frozen=True, eq=False)
class ZipAt(Indexed):
    """Elements of the same numbers, side by side."""

    sources: Any

    def spec(self) -> Any:
        return nested(self.sources, lambda source: source.spec())

    def length(self) -> Any:
        return side_by_side(self.sources)

    def at(self, index: Tensor) -> Any:
        return nested(self.sources, lambda source: source.at(index))

    def rows(self, first: Tensor, stop: Tensor) -> Any:
        return nested(self.sources, lambda source: source.rows(first, stop))


@dataclass(frozen=True, eq=False)
class Zip(Machine):
    """The next elements of each, side by side; it ends with the first that ends."""

    sources: Any

    def spec(self) -> Any:
        return nested(self.sources, lambda source: source.spec())

    def length(self) -> Any:
        return side_by_side(self.sources)

    def start(self, epoch: Tensor) -> Any:
        return tuple(source.start(epoch) for source in machines(self.sources))

    def step(self, state: Any) -> Any:
        more, elements, states = True, [], []
        for source, inner in zip(machines(self.sources), state, strict=True):
            element = source.nothing()
            if more:
                more, element, inner = source.step(inner)
            elements.append(element)
            states.append(inner)
        found = iter(elements)
        return more, nested(self.sources, lambda _: next(found)), tuple(states)


@dataclass(frozen=True, eq=False)
class Shuffle(Derived):
    """Each element at random of those in a buffer, which is filled from the source."""

    size: Any
    seed: Any
    again: bool

    def length(self) -> Any:
        return self.source.length()

    def start(self, epoch: Tensor) -> Any:
        begun = epoch if self.again else _native.constant(0, _native.int64)
        drawn, held = _native.constant(0, _native.int64), _native.constant(0, _native.int64)
        buffer = empty_rows(self.spec(), self.size)
        return begun, drawn, held, _native.constant(True), buffer, self.source.start(epoch)

    def step(self, state: Any) -> Any:
        epoch, drawn, held, flowing, buffer, inner = state
        while flowing and held < self.size:
            flowing, element, inner = self.source.step(inner)
            if flowing:
                buffer = add(buffer, held, element)
                held += 1
        element = self.nothing()
        more = held > 0
        if more:
            of_epoch = _drawn(_plus(self.seed, _times(epoch, _EPOCHS)))
            place = _drawn(_plus(of_epoch, drawn)) % held
            # Gathered, not picked: it is read before the last one takes its place in the same memory.
            element = nest.map_structure(lambda row: _native.gather(row, place), buffer)
            drawn += 1
            held -= 1
            buffer = put(buffer, place, pick(buffer, held))
        return more, element, (epoch, drawn, held, flowing, buffer, inner)


@dataclass(frozen=True, eq=False)
class Looked(Machine):
    """The elements of what is indexed, in an order that says their numbers."""

    order: Machine
    source: Indexed

    def spec(self) -> Any:
        return self.source.spec()

    def length(self) -> Any:
        return self.order.length()

    def start(self, epoch: Tensor) -> Any:
        return self.order.start(epoch)

    def step(self, state: Any) -> Any:
        more, index, state = self.order.step(state)
        element = self.nothing()
        if more:
            element = self.source.at(index)
        return more, element, state


def shuffled(source: Machine, size: Any, seed: Any, again: bool) -> Machine:
    """Elements at random from a buffer of so many; of what is indexed, the buffer holds the numbers alone."""
    if isinstance(source, Indexed):
        return Looked(Shuffle(numbers(0, source.length(), 1), size, seed, again), source)
    return Shuffle(source, size, seed, again)


#: Sums and products of which only the low bits count.
_plus, _times = _native.wrapping_add, _native.wrapping_multiply


def _drawn(number: Any) -> Any:
    """A number from 0 on that looks drawn at random: what SplitMix64 gives behind a state, without the sign.

    Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    mixed = _times(_plus(number, 1), -0x61C8864680B583EB)
    mixed = _times(mixed ^ _shifted(mixed, 30), -0x40A7B892E31B1A47)
    mixed = _times(mixed ^ _shifted(mixed, 27), -0x6B2FB644ECCEEE15)
    return (mixed ^ _shifted(mixed, 31)) & 0x7FFF_FFFF_FFFF_FFFF


def _shifted(number: Any, by: int) -> Any:
    """The bits of a number further to the right, with zeros before them."""
    return (number >> by) & ((1 << (64 - by)) - 1)


def nested(structure: Any, of: Any) -> Any:
    """A structure of what a function gives of the machines in a structure of them."""
    if isinstance(structure, Machine):
        return of(structure)
    if isinstance(structure, dict):
        return {key: nested(part, of) for key, part in structure.items()}
    parts = [nested(part, of) for part in structure]
    return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)


def machines(structure: Any) -> list[Machine]:
    """The machines in a structure of them."""
    if isinstance(structure, Machine):
        return [structure]
    parts = structure.values() if isinstance(structure, dict) else structure
    return [machine for part in parts for machine in machines(part)]


def zipped(sources: Any) -> Machine:
    """Elements side by side, by their numbers if all are indexed."""
    indexed = all(isinstance(machine, Indexed) for machine in machines(sources))
    return ZipAt(sources) if indexed else Zip(sources)


def side_by_side(sources: Any) -> Any:
    """The number of elements of the shortest."""
    shortest: Any = INFINITE
    for machine in machines(sources):
        shortest = shorter(shortest, machine.length())
    return shortest


def shorter(one: Any, other: Any) -> Any:
    """The lesser of two numbers of elements; what has to be run to know makes that of both so."""
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    if one is INFINITE or other is INFINITE:
        return other if one is INFINITE else one
    return _native.minimum(one, other)


def sharded(source: Machine, count: Any, index: Any) -> Machine:
    """Every so-manieth element."""
    count, index = _native.cast(count, _native.int64), _native.cast(index, _native.int64)
    if isinstance(source, Indexed):
        return Sliced(source, index, count)
    return Sharded(source, index, count)


@dataclass(frozen=True, eq=False)
class Sharded(Derived):
    """Every so-manieth element of what is not indexed."""

    index: Any
    by: Any

    def length(self) -> Any:
        return _shares(self.source.length(), self.index, self.by)

    def start(self, epoch: Tensor) -> Any:
        return _native.constant(0, _native.int64), self.source.start(epoch)

    def step(self, state: Any) -> Any:
        place, inner = state
        more, found, element = _native.constant(True), _native.constant(False), self.nothing()
        while more and not found:
            more, element, inner = self.source.step(inner)
            found = place % self.by == self.index
            place += 1
        return more, element, (place, inner)


def _shares(length: Any, first: Any, by: Any) -> Any:
    """The number of elements of a shard: those from the `first` on, one in so many."""
    if length is UNKNOWN or length is INFINITE:
        return length
    return _native.maximum((length - first + by - 1) // by, 0)


def repeated(source: Machine, count: Any) -> Machine:
    """The elements so many times; for ever, where the number is not given or negative."""
    if count is None or (isinstance(count, int) and count < 0):
        return Repeat(source, None)
    return Repeat(source, _native.cast(count, _native.int64))
