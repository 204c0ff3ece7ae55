"""Bools that NumPy computed beside Python's: NumPy joins them where Python counts, and a graph says so where it cannot tell."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

NUMPYS = [
    "np.any(a > 1)",
    "a.all()",
    "(a[0] > 0)",
    "np.logical_not(a[0] > 1)",
    "(flag if n > 2 else np.any(a > 1))",
]
OTHERS = ["True", "('b' in d)", "(n > 2)", "flag", "np.all(a > 0)", "(len(d) > 0)"]
JOINED = ["(np.any(a > 1) or flag)", "(flag and np.any(a > 1))"]
COUNTS = ["+", "-", "*"]
SAME = ["//", "%", "**", "&", "|", "^", "<", "==", "/"]


def both(text):
    """The result of plain Python, or the class that it raises, and that of a graph, or the code of its refusal."""
    function, _ = function_of(f"def f(a, n, flag, d):\n    return {text}\n", text)
    given = np.array([1, 2]), {"b": 1}
    try:
        native = function(given[0], 3, True, given[1])
    except TypeError as error:
        native = type(error)
    try:
        ours = gw.function(function)(given[0], gw.constant(3), gw.constant(True), given[1])
    except (TypeError, ValueError) as error:
        return native, str(error)[:5]
    return native, ours.numpy()


@pytest.mark.parametrize("operator", COUNTS)
def test_sums_of_them_are_refused_in_either_order(operator):
    for one, other in itertools.product(NUMPYS + JOINED, OTHERS):
        for text in (f"{one} {operator} {other}", f"{other} {operator} {one}"):
            assert both(text)[1] == "GW120", text


@pytest.mark.parametrize("operator", SAME)
def test_other_operators_give_what_numpy_gives(operator):
    for one, other in itertools.product(NUMPYS, OTHERS):
        native, ours = both(f"{one} {operator} {other}")
        assert np.array_equal(native, ours), (one, other)


@pytest.mark.parametrize("one", NUMPYS)
def test_signs_of_them_are_refused(one):
    assert [both(f"{sign}({one})")[1] for sign in ("-", "+", "abs")] == ["GW120"] * 3


@pytest.mark.parametrize(
    "text",
    [
        "bool(np.any(a > 1)) + True",
        "int(np.any(a > 1)) + True",
        "(not np.any(a > 1)) + True",
        "sum([np.any(a > 1), True])",
        "np.any(a > 1) + 1",
        "(n > 2) + (n > 1)",
        "flag * True - (n > 1)",
        "np.sum(a > 1) + True",
    ],
)
def test_what_is_pythons_counts(text):
    native, ours = both(text)
    assert native == ours


@pytest.mark.parametrize("one", ["(n > 2)", "(n <= n)", "(not n)", "(a > 1)", "np.any(a > 1)", "(a[0] > 0)"])
def test_what_they_count_is_as_wide_as_in_python(one):
    ways = [
        "(1 + {0})",
        "(3 * {0})",
        "({0} - 5)",
        "(2 ** 40 + {0})",
        "sum([2, {0}])",
        "(7 // (1 + {0}))",
        "(n > 1) * (1 + {0})",
    ]
    for way in ways:
        text = f"{way.format(one)} * 3.141592653589793"
        native, ours = both(text)
        assert np.array_equal(native, ours), (text, native, ours)


@pytest.mark.parametrize("one", NUMPYS)
def test_which_of_them_is_pythons_is_not_asked(one):
    ways = [
        "{0}",
        "({0} or False)",
        "({0} and True)",
        "({0} if {0} else False)",
        "(False if not {0} else {0})",
    ]
    for way, other in itertools.product(ways, ("True", "False")):
        text = f"5 if {way.format(one)} is {other} else 6"
        native, ours = both(text)
        assert ours in (native, "GW103"), text


def test_arrays_of_bools_are_joined():
    native, ours = both("(a > 1) + flag")
    assert np.array_equal(native, ours)
    assert ours.dtype == np.bool_
