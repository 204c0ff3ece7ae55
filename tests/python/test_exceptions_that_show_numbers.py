"""Exceptions of a graph hold what plain Python's hold: NumPy's numbers and arrays where these were given, tensors where tensors were."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw


class Own(Exception):
    def __init__(self, n, a):
        super().__init__(n)
        self.n, self.a = n, a


class Two(Exception):
    pass


def one(a, n):
    if n == 4:
        raise ValueError(n)
    return n


def several(a, n):
    if n == 4:
        raise ValueError("got", n, a[1], n + 1, n / 2, -n)
    return n


def message(a, n):
    if n == 4:
        raise ValueError(f"{n} is not {a[0]}")
    return n


def key(a, n):
    if n == 4:
        raise KeyError(n)
    return n


def attributes(a, n):
    if n == 4:
        raise Own(n, a)
    return n


def containers(a, n):
    if n == 4:
        raise Two((n, a[0]), [n + 1])
    return n


def read_by_a_handler(a, n):
    try:
        if n == 4:
            raise Two(n + 1, a[1])
    except Two as error:
        return error.args[0] + error.args[1]
    return n


def raised_by_a_handler(a, n):
    try:
        if n == 4:
            raise Two(n)
    except Two as error:
        raise ValueError(error.args[0] * 2) from error
    return n


def in_a_loop(a, n):
    a[0] = 7.0
    for k in range(9):
        a[1] += 1
        if k == n:
            raise Two(a[1], a, n)
    return n


def always(a, n):
    raise ValueError(n, a[0] > 1)


def in_a_helper(a, n):
    def inner(k):
        if k == 4:
            raise Two(k)
        return k

    return inner(n) + 1


def in_a_recursion(a, n):
    def down(k):
        if k == 2:
            raise Two(k)
        return down(k - 1)

    return down(n)


def described(value):
    if isinstance(value, tuple | list):
        return [described(part) for part in value]
    if isinstance(value, dict):
        return {name: described(part) for name, part in value.items() if name != "__notes__"}
    return type(value).__name__, str(value), str(getattr(value, "dtype", ""))


def outcome(function, given):
    try:
        return float(function(*given))
    except (ValueError, KeyError, Own, Two) as error:
        found = type(error), str(error), described(error.args), described(vars(error))
        return found, described(getattr(error.__cause__, "args", ()))


PROGRAMS = [one, several, message, key, attributes, containers, read_by_a_handler, raised_by_a_handler]
PROGRAMS += [in_a_loop, always, in_a_helper, in_a_recursion]


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32])
@pytest.mark.parametrize("function", PROGRAMS)
def test_numbers_of_numpy(function, dtype):
    graph = gw.function(function)
    for n in (4, 4, 3):
        given = [(np.array([1.0, 5.0]), dtype(n)) for _ in range(2)]
        assert outcome(graph, given[0]) == outcome(function, given[1])


@pytest.mark.parametrize("function", [p for p in PROGRAMS if p not in (message, in_a_loop)])
def test_tensors(function):
    given = gw.constant([1.0, 5.0]), gw.constant(4)
    assert outcome(gw.function(function), given) == outcome(function, given)


@pytest.mark.parametrize("function", [one, containers])
def test_a_graph_of_numpy_s_numbers_is_none_of_tensors(function):
    graph = gw.function(function)
    for given in [(np.ones(2), np.int64(4)), (gw.constant([1.0, 1.0]), gw.constant(4, gw.int64))] * 2:
        assert outcome(graph, given) == outcome(function, given)
