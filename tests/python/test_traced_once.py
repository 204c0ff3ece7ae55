"""Functions that Python runs as they stand, or that differ each time: what they do to the world is done once in each call."""

from __future__ import annotations

import random
import warnings

import pytest

import graphwright as gw
from three_ways import plain, printed

TEXT = """
import random
class Box: pass
BOX = Box()
def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count
counted = counter()
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
    """Functions each of which calls the next one; the last one reads a global."""
    lines = ["RATE = 1"]
    lines += [f"def f{at}(x):\n    return f{at + 1}(x)" for at in range(count)]
    lines += [
        f"def f{count}(x):\n    return x * RATE",
        "class Held:\n    def __len__(self):\n        return f0(2)",
    ]
    names = {"__name__": "program"}
    exec(compile("\n".join(lines), "<library>", "exec"), names)
    return names


@pytest.mark.parametrize("count", [10, 300])
def test_changes_behind_many_functions_are_seen(count):
    names = library(count)
    held = names["Held"]()

    @gw.function
    def function(n):
        return n + len(held)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert function(gw.constant(1)) == 3
        names["RATE"] = 4
        assert function(gw.constant(1)) == 9
