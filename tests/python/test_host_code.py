"""`host_code="trace"`: what answers differently each time is asked while the graph is built, as TensorFlow does."""

from __future__ import annotations

import itertools
import queue
import random
import time

import numpy as np
import pytest

import graphwright as gw

SOURCE = random.Random(3)
NUMPYS = np.random.default_rng(3)
QUEUE = queue.Queue()
NUMBERS = itertools.count(1)


def draws(n):
    return n + SOURCE.randint(1, 10**9)


def draws_of_numpy(n):
    return n + NUMPYS.integers(1, 10**9)


def looks_at_the_clock(n):
    return n + time.time_ns()


def draws_in_a_branch(n):
    if n > 0:
        n = n + SOURCE.randint(1, 10**9)
    return n


def draws_in_a_loop(n):
    for _ in range(n):
        n = n + SOURCE.randint(1, 10**9)
    return n


def takes(n):
    return n + next(NUMBERS)


def takes_in_a_branch(n):
    if n > 0:
        n = n + next(NUMBERS)
    return n


@pytest.mark.parametrize(
    "function",
    [draws, draws_of_numpy, looks_at_the_clock, draws_in_a_branch, takes, takes_in_a_branch],
    ids=lambda function: function.__name__,
)
def test_python_is_asked_once_while_the_graph_is_built(function):
    traced = gw.function(function, host_code="trace")
    first, second = (int(traced(gw.constant(2, gw.int64))) for _ in range(2))
    assert first == second
    assert traced.experimental_get_tracing_count() == 1
    other = gw.function(function, host_code="trace")
    assert int(other(gw.constant(2, gw.int64))) != first


def test_a_loop_gets_one_number_for_all_turns():
    traced = gw.function(draws_in_a_loop, host_code="trace")
    found = {int(traced(gw.constant(n, gw.int64))) - n for n in (1, 2, 4)}
    one = min(found)
    assert found == {one, 2 * one, 4 * one}


def test_what_is_marked_is_called_each_time():
    calls = []

    @gw.host
    def note(x) -> int:
        calls.append(int(x))
        return len(calls)

    @gw.function(host_code="trace")
    def counted(n):
        for i in range(n):
            note(i)
        return note(n)

    assert int(counted(gw.constant(3, gw.int64))) == 4
    assert int(counted(gw.constant(1, gw.int64))) == 6
    assert calls == [0, 1, 2, 3, 0, 1]


def test_a_queue_that_changes_makes_a_graph_for_each_call():
    @gw.function(host_code="trace")
    def puts(n):
        QUEUE.put("traced")
        return n

    for n in (1, 2, -1):
        puts(gw.constant(n))
    assert QUEUE.qsize() == 3
    assert puts.experimental_get_tracing_count() == 3


def test_what_a_branch_changes_is_refused_all_the_same():
    @gw.function(host_code="trace")
    def puts(n):
        if n > 0:
            QUEUE.put("traced")
        return n

    with pytest.raises(ValueError, match="GW103.*QUEUE"):
        puts(gw.constant(1))


def test_the_default_asks_each_time():
    asked = gw.function(draws)
    first, second = (int(asked(gw.constant(2, gw.int64))) for _ in range(2))
    assert first != second


def test_other_words_are_refused():
    with pytest.raises(ValueError, match='host_code is "auto", "run", "trace" or "refuse", not "loud"'):
        gw.function(draws, host_code="loud")
