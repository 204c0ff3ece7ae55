"""Random index expressions read and store what NumPy reads and stores, eagerly and in graphs."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest

import graphwright as gw

PROGRAMS = int(os.environ.get("INDEX_EXPRESSIONS", "400"))
GROUPS = 8
LENGTHS = ((), (1,), (2,), (3,), (2, 2), (1, 3), (0,))


class Maker:
    """Makes index expressions for an array; arrays of indices broadcast to one shape."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def array(self) -> np.ndarray:
        """An array of up to four axes, some of them empty."""
        lengths = self.random.choices((0, 1, 2, 3, 4), (1, 2, 4, 4, 3), k=self.random.randint(1, 4))
        return self.numbers.integers(-9, 9, lengths).astype(self.random.choice(["float32", "int64", "uint8"]))

    def expression(self, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """Entries between the brackets."""
        axes, entries = list(shape), []
        shared = self.random.choice(LENGTHS)
        while axes and self.random.random() < 0.8:
            entries.append(self.entry(axes, shared))
        for _ in range(self.random.choice((0, 0, 0, 1))):
            entries.insert(self.random.randint(0, len(entries)), None)
        if self.random.random() < 0.2:
            entries.insert(len(entries) if len(axes) else self.random.randint(0, len(entries)), Ellipsis)
        return tuple(entries)

    def entry(self, axes: list[int], shared: tuple[int, ...]) -> Any:
        """An entry; the axes that it reads are taken away."""
        kind = self.random.choice(["number", "slice", "slice", "indices", "mask"])
        if kind == "mask":
            covered = [axes.pop(0) for _ in range(self.random.randint(1, min(2, len(axes))))]
            return self.numbers.integers(0, 2, covered).astype(bool)
        length = axes.pop(0)
        if kind == "slice" or not length:
            ends = [self.random.choice((None, -2, -1, 0, 1, 2, 3)) for _ in range(2)]
            return slice(*ends, self.random.choice((None, None, 1, 2, -1)))
        if kind == "number":
            return self.random.randrange(-length, length)
        return self.numbers.integers(-length, length, shared)


def outcome(run: Any) -> Any:
    """The array that a read gives, or the error."""
    try:
        return np.asarray(run())
    except (IndexError, ValueError, TypeError) as error:
        return error


def agree(wanted: Any, found: Any, what: str) -> None:
    """Both give the same array, or both fail."""
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert isinstance(wanted, Exception) and isinstance(found, Exception), (
            f"{what}: {wanted!r}, {found!r}"
        )
        return
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, f"{what}: {wanted!r}, {found!r}"
    assert np.array_equal(found, wanted), f"{what}: {wanted!r}, {found!r}"


@gw.function
def read(x, *entries):
    return x[entries]


@gw.function
def write(x, value, *entries):
    x[entries] = value
    return x


def given(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays of indices as tensors, which the graph is given."""
    return tuple(gw.constant(entry) if isinstance(entry, np.ndarray) else entry for entry in entries)


@pytest.mark.parametrize("group", range(GROUPS))
def test_reads_are_numpys(group):
    for number in range(group, PROGRAMS, GROUPS):
        maker = Maker(number)
        x = maker.array()
        entries = maker.expression(x.shape)
        what = f"seed {number}: {x.shape}[{entries}]"
        wanted = outcome(lambda: x[entries])
        agree(wanted, outcome(lambda: gw.constant(x)[entries]), what)
        agree(wanted, outcome(lambda: read(gw.constant(x), *given(entries))), what)


@pytest.mark.parametrize("group", range(GROUPS))
def test_stores_are_numpys(group):
    for number in range(group, PROGRAMS, GROUPS):
        maker = Maker(number)
        x = maker.array()
        entries = maker.expression(x.shape)
        places = outcome(lambda: x[entries])
        if isinstance(places, Exception) or has_repeats(x, entries):
            continue
        value = maker.numbers.integers(-9, 9, places.shape if number % 3 else ()).astype(x.dtype)
        what = f"seed {number}: {x.shape}[{entries}] = {value.shape}"
        after = x.copy()
        after[entries] = value
        agree(after, outcome(lambda: write(gw.constant(x), gw.constant(value), *given(entries))), what)


def has_repeats(x: np.ndarray, entries: tuple[Any, ...]) -> bool:
    """True if a place is named twice: which value it takes is not said."""
    places = np.arange(x.size).reshape(x.shape)[entries].ravel()
    return len(np.unique(places)) < places.size


def test_indices_out_of_range_name_their_axis():
    for place, axis, size in (((2, 2), 1, 2), ((slice(None), 2), 1, 2), ((9, 0), 0, 9), ((0, 0, 5), 2, 4)):
        array = np.zeros((9, 2, 4))
        wanted = f"is out of bounds for axis {axis} with size {size}"
        for way in (lambda x: x[place], gw.function(lambda x: x[place])):  # noqa: B023
            with pytest.raises(IndexError, match=wanted):
                way(gw.constant(array))


@pytest.mark.parametrize("index", [2.0, "x"])
def test_what_is_no_index(index):
    """NumPy raises an `IndexError`, which a handler of the program catches."""

    def read(x):
        try:
            return x[index]
        except IndexError:
            return -1.0

    def stored(x):
        try:
            x[index] = 1.0
        except IndexError:
            x[0] = -1.0
        return x[0]

    for function in (read, stored):
        for way in (function, gw.function(function)):
            assert way(np.ones(3)) == -1.0
    with pytest.raises(IndexError, match="is not an index"):
        gw.ones([3])[index]
    with pytest.raises(IndexError, match="is not an index"):
        gw.function(lambda x, n: x[n / 2])(np.ones(3), np.int64(4))
