"""Large functions that come again are functions of the graph, and mean what they mean inlined."""

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def text_of(function, *specs):
    return str(gw.function(function, roll=False).get_concrete_function(*specs).graph)


FLOAT = gw.TensorSpec([], gw.float64)


def often(function, *rest):
    """Calls a function six times, each with what the one before gave."""

    def program(x):
        for _ in range(6):
            x = function(x, *rest)
        return x

    return program


def large(x):
    for _ in range(120):
        x = x * 1.01
    return x


def test_a_large_function_is_kept_and_a_small_one_inlined():
    assert text_of(often(large), FLOAT).count("call @large") == 3

    def small(x):
        for _ in range(90):
            x = x * 1.01
        return x

    assert "call" not in text_of(often(small), FLOAT)
    check(often(large), 1.5)


def test_each_kind_of_argument_has_its_own():
    def grown(x, k):
        return large(x) * k

    def program(x):
        for k in (1, 2, 2, 1, 2, 1, 1, 2, 1):
            x = grown(x, k) + grown(np.ones(3), 2)[0]
        return x

    check(program, 1.5)


def test_what_fails_is_inlined():
    def divided(n):
        x = n * 0.5
        for _ in range(120):
            x = x * 1.01
        return 100 // n + int(x) % 2

    program = often(divided)
    assert "call" not in text_of(program, gw.TensorSpec([], gw.int64))
    check(program, 3)
    check(program, 0)


def test_new_objects_are_new_with_each_call():
    class Point:
        def __init__(self, x):
            self.x = x

    def point(x):
        return Point(large(x))

    def pair(x):
        return {"large": large(x), "parts": [x, 2]}

    def program(x):
        points = [point(x * k) for k in range(6)]
        points[0].x = x
        pairs = [pair(x * k) for k in range(6)]
        pairs[0]["parts"].append(3)
        return [point.x for point in points], pairs

    check(program, 1.5)


def test_stores_into_arguments_are_seen():
    def stored(x, array):
        x = large(x)
        array[0] = x
        array[1] = array[1] + x
        return x

    def program(x):
        array = np.zeros(3)
        for _ in range(6):
            x = stored(x, array) + array[1]
        return x, array

    check(program, 1.5)


def test_what_a_closure_reads_may_change():
    def program(x):
        k = x * 2.0

        def grown(v):
            return large(v) + k

        for _ in range(6):
            x = grown(x)
        k = x
        x = grown(x)
        weights = np.ones(3)

        def weighted(v):
            return large(v) * weights[0]

        for _ in range(6):
            x = weighted(x)
            weights[0] = weights[0] + 0.5
        return grown(x)

    check(program, 1.5)


def test_prints_are_those_of_each_call():
    def shown(x):
        print("grows from", x)
        return large(x)

    check(often(shown), 1.5)


def test_variables_are_carried():
    total = gw.Variable(0.0, dtype=gw.float64)

    def added(x):
        x = large(x)
        total.assign_add(x)
        return x

    def program(x):
        total.assign(0.0)
        for _ in range(6):
            x = added(x)
        return x + total.read_value()

    check(program, 1.5)


def test_an_exception_is_that_of_its_call():
    def bounded(x):
        x = large(x)
        if x > 50.0:
            raise ValueError("too large")
        return x

    with pytest.raises(ValueError, match="too large"):
        gw.function(often(bounded))(gw.constant(1.5, gw.float64))
    check(often(bounded), 1.5)


def test_in_loops_and_branches_of_the_graph():
    def program(x, n):
        t = x
        for _ in range(n):
            t = large(large(t) * 0.01)
            if t > 1.0:
                t = large(large(t) * 0.001)
            else:
                t = large(t)
        return large(t)

    check(program, 1.5, 3)
