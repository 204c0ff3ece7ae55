"""Converted functions call themselves as often as the plain ones, and what a `try` returns is handed on as it is."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

import graphwright as gw


def by_expression(n):
    return 0 if n == 0 else 1 + by_expression(n - 1)


def by_statement(n):
    if n == 0:
        return 0
    return 1 + by_statement(n - 1)


def by_loop(n):
    for _ in range(1):
        if n > 0:
            return by_loop(n - 1)
    return 0


def by_while(n):
    while n > 0:
        return by_while(n - 1)
    return 0


def by_try(n):
    try:
        if n == 0:
            return 0
        return 1 + by_try(n - 1)
    finally:
        pass


def by_and(n):
    return n == 0 or by_and(n - 1)


FUNCTIONS = [by_expression, by_statement, by_loop, by_while, by_try, by_and]


def deepest(function):
    low, high = 1, 5000
    while low < high:
        middle = (low + high + 1) // 2
        try:
            function(middle)
            low = middle
        except RecursionError:
            high = middle - 1
    return low


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_deep_as_python(function):
    converted, limit = gw.autograph.to_graph(function), sys.getrecursionlimit()
    plain, ours = deepest(function), deepest(converted)
    assert 0.95 * plain <= ours <= plain + 1
    assert deepest(function) == plain
    assert sys.getrecursionlimit() == limit


#: Later Pythons have a limit of their own for calls from C.
DEEP = 15_000 if sys.version_info < (3, 12) else 900


@pytest.mark.parametrize("function", [by_expression, by_statement, by_try])
def test_as_deep_as_the_limit_that_is_set(function):
    converted, limit = gw.autograph.to_graph(function), sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        assert converted(DEEP) == DEEP
    finally:
        sys.setrecursionlimit(limit)


def test_in_threads():
    found = []
    converted = gw.autograph.to_graph(by_statement)
    threads = [threading.Thread(target=lambda: found.append(converted(900))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [900] * 4


def test_a_limit_that_the_program_sets_stays():
    def nested(n):
        if n == 0:
            sys.setrecursionlimit(2345)
            return 0
        return nested(n - 1)

    limit = sys.getrecursionlimit()
    try:
        gw.autograph.to_graph(nested)(100)
        assert sys.getrecursionlimit() == 2345
    finally:
        sys.setrecursionlimit(limit)


def tried(value):
    try:
        return value
    except ValueError:
        return None


def test_what_a_try_returns_is_not_looked_into():
    converted = gw.autograph.to_graph(tried)
    own: list = []
    own.append(own)
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    for value in [own, deep, {"a": own}]:
        assert converted(value) is value
    while deep:
        deep = deep[0]


def test_the_first_recursion_of_a_process_may_be_without_end():
    """The class of the exception is made before: at the end of Python's stack there is no room for it."""
    program = """
import linecache
import graphwright as gw
text = '''
def hanoi(n, a=0, b=1, c=2):
    return hanoi(n - 1, a, c, b)

def f(n, m):
    k = 0
    while True:
        if k > n - 1:
            break
        m = hanoi(2 ** 53 + 1) + m + n
'''
linecache.cache["<f>"] = (len(text), None, text.splitlines(True), "<f>")
exec(compile(text, "<f>", "exec"))
try:
    gw.function(f)(gw.constant(5), gw.constant(3))
except Exception as error:
    print(type(error).__name__)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() in (["RecursionError"], ["ValueError"])


def growing(n, found):
    if n <= 0:
        return len(found)
    found.append(n)
    return growing(n - 1, found)


def growing_texts(n, found):
    return len(found) if n == 0 else growing_texts(n - 1, {**found, str(n): n})


@pytest.mark.parametrize("grow", [lambda: growing(2**63 - 1, []), lambda: growing_texts(-1, {})])
def test_arguments_that_grow_at_each_level_end_at_the_limit(grow):
    """The work per level is proportional to what the call is given: a copy of all open calls would make that cubic."""

    def around(i1):
        return grow() + i1

    def inside(i1):
        for _ in range(i1 % 5):
            i1 = grow()
        return i1

    for function in (around, inside):
        with pytest.raises(RecursionError):
            function(3)
        f = gw.function(function)
        for _ in range(2):
            with pytest.raises(RecursionError):
                f(gw.constant(3))
