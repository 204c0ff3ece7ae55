"""Arrays that calls of Python give a graph: random ones are NumPy's with their views, others belong to Python."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest

import graphwright as gw

GENERATOR = np.random.default_rng(3)
ROWS = [np.ones(2), np.full(2, 5.0)]
LISTS = [[1, 2], [3, 4]]


def a_view_sees_a_store(n):
    v = np.random.rand(4)
    w = v[::-1]
    v[0] = n
    return w[3]


def a_loop_over_views_of_what_it_stores_into(n):
    v = np.random.rand(4) * n
    for _, last in zip(v, v[::-1], strict=True):
        v[0] = last
    return v


def an_alias_sees_an_operator_in_place(n):
    v = np.random.rand(4)
    v += n
    w = v
    w *= 2
    return v


def rows_are_changed_in_place(n):
    v = GENERATOR.standard_normal((2, 2))
    for row in v:
        row += n
    return v


def in_a_staged_loop(n):
    v = np.zeros(3)
    k = 0
    while k < n:
        v = np.random.rand(3)
        w = v[1:]
        w -= 1.0
        k += 1
    return v


@pytest.mark.parametrize(
    "plain",
    [
        a_view_sees_a_store,
        a_loop_over_views_of_what_it_stores_into,
        an_alias_sees_an_operator_in_place,
        rows_are_changed_in_place,
        in_a_staged_loop,
    ],
)
def test_random_arrays_are_numpys(plain):
    graph = gw.function(plain)
    for n in (3.0, 2.0):
        answers = []
        for function, given in [(plain, n), (graph, gw.constant(n, gw.float64))]:
            np.random.seed(5)
            GENERATOR.bit_generator.state = np.random.default_rng(5).bit_generator.state
            answers.append(np.asarray(function(given)))
        assert np.array_equal(*answers)


@gw.host
def table() -> gw.TensorSpec([2], gw.float64):
    return ROWS[0]


def stored_into(n):
    v = table()
    v[0] = n
    return v


def added_to(n):
    v = table()
    v += n
    return v


def chosen(n):
    v = random.choice(ROWS)
    v[0] = n
    return v


def a_part_of_the_next(n):
    v = next(ITEMS)
    part = v[1:]
    part += n
    return v


def one_of_two(n):
    v = table() if n > 2 else np.zeros(2)
    v[0] = n
    return v


def choice_appended_to(n):
    items = random.choice(LISTS)
    items.append(7)
    return len(items) + n


def next_appended_to(n):
    items = next(ITEMS)
    items.append(7)
    return len(items) + n


def sample_appended_to(n):
    items = random.sample(LISTS, 1)
    items[0].append(7)
    return len(items) + n


@pytest.mark.parametrize(
    ("plain", "items", "code"),
    [
        (stored_into, [], "GW123"),
        (added_to, [], "GW123"),
        (chosen, [], "GW123"),
        (a_part_of_the_next, ROWS, "GW123"),
        (one_of_two, [], "GW12[23]"),
        (choice_appended_to, [], "GW503"),
        (next_appended_to, LISTS, "GW503"),
        (sample_appended_to, [], "GW503"),
    ],
)
def test_what_python_holds_is_not_changed_in_silence(plain, items, code):
    global ITEMS
    ITEMS = iter(items)
    before = copy.deepcopy((ROWS, LISTS))
    with pytest.raises(ValueError, match=rf"{code}(?s:.)*test_arrays_from_python\.py:\d+"):
        gw.function(plain)(gw.constant(3.0, gw.float64))
    assert repr((ROWS, LISTS)) == repr(before)
    assert len(list(ITEMS)) == len(items)


def test_what_python_holds_is_read_and_copied():
    @gw.function
    def sums(n):
        v = table()
        own = v.copy()
        own[0] = n
        return v + own, random.choice(ROWS)[0] >= 1.0

    total, is_read = sums(gw.constant(3.0, gw.float64))
    assert total.numpy().tolist() == [4.0, 2.0]
    assert is_read
    assert ROWS[0].tolist() == [1.0, 1.0]


def test_numbers_that_python_draws_are_new():
    @gw.function
    def pairs(n):
        drawn = random.sample([1, 2, 3], 3)
        drawn.append(4)
        return n, len(drawn), sum(drawn)

    assert [part.item() for part in pairs(gw.constant(3))] == [3, 4, 10]
