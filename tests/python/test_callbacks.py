"""Iterators of C that call Python's own functions see the elements that the graph holds."""

from functools import partial, reduce
from itertools import dropwhile, filterfalse, islice, starmap, takewhile

import pytest

import graphwright as gw


def parts(items, n):
    return [items[:n], items[n:], items[:0]]


def taken(items, n):
    return list(takewhile(len, parts(items, n)))


def endless(items, n):
    def slices():
        at = 0
        while True:
            yield items[at : at + n]
            at += n

    return list(islice(takewhile(len, slices()), 4))


def dropped(items, n):
    return list(dropwhile(len, parts(items, n)))


def kept(items, n):
    return list(filterfalse(len, parts(items, n)))


def lengths(items, n):
    return list(starmap(len, [[part] for part in parts(items, n)]))


def with_partial(items, n):
    return partial(len)(items[:n])


def folded(items, n):
    return reduce(max, items, n)


def plain(value):
    if isinstance(value, gw.Tensor):
        return value.numpy().tolist()
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("function", [taken, endless, dropped, kept, lengths, with_partial, folded])
def test_lists_of_the_graph_have_their_own_length(function):
    staged = gw.function(function)
    for n in (1, 3, 5):
        try:
            found = plain(staged([gw.constant(x) for x in (3, 1, 2)], gw.constant(n)))
        except (gw.errors.OperatorNotAllowedInGraphError, ValueError):
            continue
        assert found == plain(function([3, 1, 2], n))


class Base:
    __slots__ = ("_value",)


class Computed(Base):
    """A class that computes what a slot above it would hold."""

    __slots__ = ("asked",)

    def __init__(self):
        self.asked = 0

    @property
    def _value(self):
        return object()


HELD = Computed()


class Private:
    __slots__ = "__count"

    def __init__(self):
        self.__count = 0

    def up(self, x):
        self.__count += x
        return self.__count


def test_slots_that_a_class_computes_are_left_alone():
    @gw.function
    def function(x):
        if HELD.asked > 5:
            return x
        raise ValueError("never")

    with pytest.raises(ValueError, match="never"):
        function(gw.constant(1))

    @gw.function
    def count(x):
        HELD.asked += x
        return x

    for _ in range(2):
        count(gw.constant(2))
    assert int(HELD.asked) == 4


def test_a_private_slot_is_a_place():
    held = Private()

    @gw.function
    def function(x):
        return held.up(x)

    assert [function(gw.constant(2)).item() for _ in range(3)] == [2, 4, 6]
