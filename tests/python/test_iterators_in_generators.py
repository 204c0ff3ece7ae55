"""Iterators that a generator of the user's takes items of where a tensor decides whether it does."""

from __future__ import annotations

import csv
import io
import itertools

import numpy as np
import pytest

import graphwright as gw

ITEMS = [2, 5, 3, 4, 7, 9]

MADE = {
    "accumulate": lambda: itertools.accumulate(ITEMS),
    "chain": lambda: itertools.chain(ITEMS, ITEMS),
    "combinations": lambda: itertools.combinations(ITEMS, 2),
    "compress": lambda: itertools.compress(ITEMS, ITEMS),
    "count": lambda: itertools.count(2),
    "cycle": lambda: itertools.cycle(ITEMS),
    "enumerate": lambda: enumerate(ITEMS),
    "file": lambda: io.StringIO("a\nb\nc\nd\n"),
    "filter": lambda: filter(None, ITEMS),
    "flat": lambda: np.arange(9).flat,
    "islice": lambda: itertools.islice(ITEMS, 5),
    "list": lambda: iter(ITEMS),
    "map": lambda: map(str, ITEMS),
    "pairwise": lambda: itertools.pairwise(ITEMS),
    "product": lambda: itertools.product(ITEMS, ITEMS),
    "reader": lambda: csv.reader(["a", "b", "c", "d"]),
    "repeat": lambda: itertools.repeat(4, 5),
    "reversed": lambda: reversed(ITEMS),
    "takewhile": lambda: itertools.takewhile(bool, ITEMS),
    "tee": lambda: itertools.tee(ITEMS)[0],
    "zip": lambda: zip(ITEMS, ITEMS, strict=True),
}


def few_of(items):
    for left, item in enumerate(items):
        yield item
        if left == 2:
            return


def in_a_branch(n, make):
    items = make()
    if n > 7:
        _, *_rest = few_of(items)
    return repr(list(itertools.islice(items, 3)))


def at_the_top(n, make):
    items = make()
    _, *rest = few_of(items)
    return n + len(rest), repr(list(itertools.islice(items, 3)))


@pytest.mark.parametrize("name", MADE)
def test_a_generator_in_a_branch_takes_none_of_them(name):
    with pytest.raises(ValueError, match=r"GW503(?s:.)*test_iterators_in_generators\.py:\d+"):
        gw.function(in_a_branch)(gw.constant(3), MADE[name])


@pytest.mark.parametrize("name", MADE)
def test_a_generator_at_the_top_takes_its_own(name):
    number, rest = gw.function(at_the_top)(gw.constant(3), MADE[name])
    assert (number.item(), rest) == at_the_top(3, MADE[name])


OUTSIDE = itertools.count()


def test_one_from_outside_is_not_taken_while_tracing():
    def plain(n):
        _, *rest = few_of(OUTSIDE)
        return n + len(rest)

    with pytest.raises(ValueError, match=r"GW503(?s:.)*test_iterators_in_generators\.py:\d+"):
        gw.function(plain)(gw.constant(3))
    assert next(OUTSIDE) == 0


def left_by_a_zip(n):
    items = iter([n, n])
    for _ in zip([1, 2], items, strict=True):
        if n:
            break
    return list(items)


def left_by_an_enumerate(n):
    items = reversed([n, n + 1])
    for _, item in enumerate(items):
        if item > n:
            break
    return list(items)


@pytest.mark.parametrize("plain", [left_by_a_zip, left_by_an_enumerate])
def test_what_a_loop_leaves_that_a_tensor_stops_is_not_known(plain):
    with pytest.raises(ValueError, match=r"GW503(?s:.)*test_iterators_in_generators\.py:\d+"):
        gw.function(plain)(gw.constant(2))


def test_a_loop_that_a_tensor_stops_may_take_what_nobody_asks_for_later():
    @gw.function
    def first_above(n):
        items = iter([1, 4, 9])
        for place, item in zip(range(3), items, strict=True):
            if item > n:
                return place
        return -1

    assert [first_above(gw.constant(n)).item() for n in (0, 4, 9)] == [0, 2, -1]
