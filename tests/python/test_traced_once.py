"""Functions that Python runs as they stand, or that differ each time: what they do to the world is done once in each call."""

from __future__ import annotations

import random
import warnings

import pytest
from fuzz.second import modules

import graphwright as gw
from array_programs import function_of
from three_ways import plain, printed

TEXT = (
    modules.HEADER
    + """
def draws(a, b):
    BOX.new = random.randrange(4)
    k = 0
    while k < 3 and b:
        k += 1
        b = counted()
    return BOX.new
def prints(a, b):
    print('at', a, b)
    b = counted()
    return 0 < b < 5
def both(a, b):
    print('at', random.random())
    return counted() + random.randrange(9)
"""
)


def calls(name, wrap):
    """Results of five calls of a function without a text, and what they print."""
    names = {}
    exec(compile(TEXT, "<string>", "exec"), names)
    random.seed(1)
    function = wrap(names[name])

    def all_of_them():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                (plain(function(*given)), vars(names["BOX"]).copy()) for given in [(7, 2)] * 3 + [(1, 0)] * 2
            ]

    return printed(all_of_them)


@pytest.mark.parametrize("name", ["draws", "prints", "both"])
def test_five_calls_do_it_five_times(name):
    assert calls(name, gw.function) == calls(name, lambda function: function)


def library(count):
    """A program that measures an object, whose class calls so many functions; the last one reads a global."""
    lines = ["RATE = 1"]
    lines += [f"def f{at}(x):\n    return x" for at in range(count)]
    calls_of_them = "".join(f"        f{at}(2)\n" for at in range(count))
    lines += [
        "def last(x):\n    return x * RATE",
        f"class Held:\n    def __len__(self):\n{calls_of_them}        return last(2)",
        "held = Held()",
        "def f(n):\n    return n + len(held)\n",
    ]
    return function_of("\n".join(lines), f"library of {count}")[0]


@pytest.mark.parametrize("count", [10, 1500])
def test_changes_behind_many_functions_are_seen(count):
    plain_one = library(count)
    staged = gw.function(plain_one)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert staged(gw.constant(1)) == 3
        plain_one.__globals__["RATE"] = 4
        assert staged(gw.constant(1)) == 9
    (reason,) = staged.explain_retraces()
    assert ("more functions and objects than a graph watches" in str(reason)) == (count > 1000)


def test_a_graph_that_takes_a_place_and_fails_prints_nothing_twice():
    text = """
class Box:
    def __init__(self, x):
        self.x = x
    def __iter__(self):
        yield self.x
    def __add__(self, other):
        return self.x
BOX = Box(2)
def f(n):
    box = BOX
    print(f"{box + box} and {n}")
    for n in box:
        box.x += n
    print("behind")
    if n:
        pass
    else:
        box += n
    print(box is BOX)
"""
    printed_by = {}
    for way in (lambda f: f, gw.function):
        f = way(function_of(text, "printing")[0])
        printed_by[way] = printed(lambda f=f: [f(n) for n in (0, 0, 2, 2)])[1]
    native, ours = printed_by.values()
    assert native == ours
