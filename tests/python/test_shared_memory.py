"""Variables of branches, loops and `try` that share memory with what is stored into: Python's answer or GW122."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import graphwright as gw
from array_programs import agree, judge, outcome, staged

GIVEN = (np.arange(3.0), np.arange(3.0) + 10.0, np.arange(3.0) + 20.0)


def verdicts(function, n):
    """True for each call that gives Python's answer, the code and line of each that is refused."""
    graph = gw.function(function)
    native = outcome(lambda *args: [function(*args)], (*copy.deepcopy(GIVEN), n))
    found = []
    for _ in range(2):
        ours = outcome(lambda *args: [graph(*args)], staged((*copy.deepcopy(GIVEN), n)))
        refused = ours[0] is ValueError and ours[1].startswith("GW122:") and __file__ in ours[1]
        found.append("GW122" if refused else agree(ours, native) or (native, ours))
    return found


def two_parts_of_an_array_of_a_branch(a, b, c, n):
    v, u = a, b
    if n > 2:
        w = np.zeros(4)
        v, u = w[:3], w[1:]
    v[0] = 5.0
    return u


def a_part_of_an_array_of_a_branch(a, b, c, n):
    v, w = a, b
    if n > 2:
        w = np.zeros(3)
        v = w[:]
    w[0] = 5.0
    return v


def a_part_whose_array_lost_its_name(a, b, c, n):
    if n > 2:
        a = b
    v = a[:]
    if n > 1:
        v = v[::-1]
    a = 0.0
    b[0] = 5.0
    return v


def a_part_bound_anew_in_a_try(m, a, c, n):
    v = m[:]
    try:
        v = v[::-1]
        a[n] = 2.5
    except IndexError:
        m[:] = m * 0.5
    return v


def a_part_returned_by_a_handler(m, a, c, n):
    v = m[:]
    try:
        v = m[::-1]
        a[n] = 2.5
    except IndexError:
        m[:] = m * 0.5
        return v
    return a * 1.0


def a_part_bound_anew_in_a_branch(a, m, c, n):
    v = m[:]
    if n > 2:
        v = v[::-1]
        m[:] = m * 0.5
    m[0] = 17.0
    return v


def a_part_that_a_loop_stores_into(a, b, c, n):
    v = np.zeros(3)
    for _ in range(n):
        v += 1.5
        v = a[::-1]
    return v


def a_part_whose_array_is_bound_anew(a, b, c, n):
    v = np.zeros(3)
    for _ in range(n):
        v += 1.5
        v = a[::-1]
        a = a * 1.0
    return v


def an_array_that_gets_the_name_of_another(a, b, c, n):
    v = np.maximum(a, b)
    for _ in zip(b, b):
        v += 1.5
        for _ in range(n):
            v = a[::-1]
            a = v
    return v


def a_part_read_behind_a_store(a, b, c, n):
    v, s = np.zeros(3), 0.0
    for _ in range(n):
        a[2] += 1.0
        s += v[0]
        v = a[::-1]
    return v * s


def a_part_of_an_array_of_each_turn(a, b, c, n):
    v, w, s = np.zeros(3), np.zeros(3), 0.0
    for _ in range(n):
        w[2] += 1.0
        s += v[0]
        w = a * c[0]
        v = w[::-1]
    return v * s


def two_names_of_an_array_of_each_turn(a, b, c, n):
    v, w, s = np.zeros(3), np.zeros(3), 0.0
    for _ in range(n):
        w[2] += 1.0
        s += v[2]
        w = a * c[0]
        v = w
    return v * s


def a_row_of_what_may_be_an_array(a, b, c, n):
    w = a * c
    if n > 2:
        w = gw.ones(3, gw.float64) * 2.0
    v = w[:2]
    w[0] = 5.0
    return v


def a_copy_of_a_stale_row(a, b, c, n):
    v = a[:2]
    for _ in range(n):
        a += 1.0
        v = v.copy()
    return v


REFUSED = (
    a_copy_of_a_stale_row,
    two_parts_of_an_array_of_a_branch,
    a_part_of_an_array_of_a_branch,
    a_part_whose_array_lost_its_name,
    a_part_bound_anew_in_a_try,
    a_part_returned_by_a_handler,
    a_part_bound_anew_in_a_branch,
    a_part_that_a_loop_stores_into,
    a_part_whose_array_is_bound_anew,
    an_array_that_gets_the_name_of_another,
    a_part_read_behind_a_store,
    a_part_of_an_array_of_each_turn,
    two_names_of_an_array_of_each_turn,
    a_row_of_what_may_be_an_array,
)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_store_that_other_names_should_see_is_refused(function, n):
    assert verdicts(function, n) == ["GW122"] * 2


def read_before_the_store(a, b, c, n):
    v, s = np.zeros(3), 0.0
    for _ in range(n):
        s += v[0]
        v = a[::-1]
        a[2] += 1.0
        s += v[0]
    return v * s


def stored_into_where_it_is_read(a, b, c, n):
    s = 0.0
    for _ in range(n):
        row = c[:2]
        row += 1.0
        s += row[0]
        c[1] += s
    return c


def stored_into_behind_a_branch(a, m, c, n):
    v = m[:]
    if n > 2:
        v = v[::-1]
        m[:] = m * 0.5
    m[0] = 17.0
    return m


def a_copy(a, b, c, n):
    v = np.zeros(3)
    for _ in range(n):
        v += 1.5
        v = a[::-1].copy()
    return v


def a_copy_in_a_try(m, a, c, n):
    v = m[:].copy()
    try:
        v = v[::-1].copy()
        a[n] = 2.5
    except IndexError:
        m[:] = m * 0.5
    return v


def swapped(a, b, c, n):
    for _ in range(n):
        a, b = b, a * 1.0
        c += a
    return c


@pytest.mark.parametrize(
    "function",
    [
        read_before_the_store,
        stored_into_where_it_is_read,
        stored_into_behind_a_branch,
        a_copy,
        a_copy_in_a_try,
        swapped,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_nobody_else_sees_is_computed(function, n):
    assert verdicts(function, n) == [True] * 2


def zipped(x):
    for one, _ in zip(x, x):
        x[-1] = one


def by_items(x):
    for one in x:
        x[-1] = one


def numbered(x):
    for _, one in enumerate(x):
        x[-1] = one


def by_an_iterator(x):
    rest = iter(x)
    for _ in range(4):
        x[-1] = next(rest)


def mapped(x):
    for one in map(lambda one: one + 1.0, x):
        x[-1] = one


def generated(x):
    for one in (each * 2.0 for each in x):
        x[-1] = one


@pytest.mark.parametrize("loop", [zipped, by_items, numbered, by_an_iterator, mapped, generated])
def test_a_loop_over_a_tensor_that_it_stores_into_reads_each_item_in_turn(loop):
    native = np.array([1.0, 0.0, 4.0, 0.5])
    loop(native)
    graph = gw.function(loop)
    for call in (loop, gw.autograph.to_graph(loop), graph, graph):
        x = gw.constant([1.0, 0.0, 4.0, 0.5], gw.float64)
        call(x)
        assert x.numpy().tolist() == native.tolist()


@pytest.mark.parametrize("seed", [3024, 3029, 41198, 61817, 71270])
def test_programs_that_bind_a_view_anew(seed):
    assert judge(seed) in (None, "GW122")
