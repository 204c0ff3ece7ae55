"""Tuples with values of the graph: compared, chosen as the greatest or the least, and sorted."""

from __future__ import annotations

import linecache
import random
import textwrap

import pytest

import graphwright as gw
from graphwright.errors import OperatorNotAllowedInGraphError

XS = [3, 1, 2, 1]


def plain(value):
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    return value.numpy().tolist() if isinstance(value, gw.Tensor) else value


def defined(body):
    text = "def f(t, u):\n" + textwrap.indent(body, "    ") + "\n"
    name = f"<tuples in order {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"XS": XS}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def agrees(body):
    f = defined(body)
    staged = gw.function(f)
    for t, u in ((1, 2), (2, 2), (2, 1), (0, 3)):
        for _ in range(2):
            assert plain(staged(gw.constant(t), gw.constant(u))) == f(t, u), (t, u)


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize(
    "pair", ["(t, 1) {} (2, 2)", "(t, u) {} (u, t)", "(2, t) {} (2, u, 1)", "((t, 1), 2) {} ((u, 1), 1)"]
)
def test_comparisons(operator, pair):
    agrees(f"return {pair.format(operator)}, 1 if {pair.format(operator)} else 2")


@pytest.mark.parametrize(
    "expression",
    [
        "max([(t, 1), (2, 2)])",
        "max((x * t, x) for x in XS)",
        "min((abs(x - t), i) for i, x in enumerate(XS))[1]",
        "max(((abs(x - t), x) for x in XS if x > t), default=(0, 0))",
        "min(XS, key=lambda x: (abs(x - t), -x))",
        "max(XS, key=lambda x: (x * u == 2, x))",
        "sorted([(x * t, x) for x in XS])",
        "sorted([(x % 2, x * t, -x) for x in XS], reverse=True)",
        "sorted(XS, key=lambda x: (abs(x - t), x))",
        "sorted(XS, key=lambda x: (x % 2, x * u), reverse=True)",
        "sorted([(x, x * u) for x in XS], key=lambda p: p[1] - p[0])",
        "sorted([(t, 2), (u, 1)], key=lambda p: p)[0]",
    ],
)
def test_orders(expression):
    agrees(f"return {expression}")


def test_the_first_of_equals_stays():
    agrees("rows = [(x, i) for i, x in enumerate(XS)]\nreturn min(rows, key=lambda r: (r[0] * t, 0))")
    agrees(
        "rows = [(x, i) for i, x in enumerate(XS)]\nreturn sorted(rows, key=lambda r: (r[0] * t, 0), reverse=True)"
    )


def test_what_is_not_sorted_says_so():
    f = gw.function(defined("return sorted([(t, 'a'), (u, 'b')])"))
    with pytest.raises(OperatorNotAllowedInGraphError, match="GW120.*only numbers, and tuples of as many"):
        f(gw.constant(1), gw.constant(2))


NUMBERS = ["t", "u", "1", "2", "t + u", "t * 2", "-u", "0"]


@pytest.mark.parametrize("seed", range(25))
def test_random_orders(seed):
    rng = random.Random(seed)
    rows = [tuple(rng.choice(NUMBERS) for _ in range(2)) for _ in range(rng.randrange(2, 5))]
    shown = "[" + ", ".join(f"({a}, {b})" for a, b in rows) + "]"
    agrees(
        f"rows = {shown}\nreturn max(rows), min(rows), sorted(rows), sorted(rows, reverse=True), {rows[0][0]} > {rows[1][1]}"
    )


CHOSEN = {
    "numbers": "return (1, 5, 9)[t % 3]",
    "from the end": "return (1, 5, 9)[-(t % 3) - 1]",
    "values of the graph": "return (t, u, 7)[t % 3]",
    "tuples": "x, y = ((1, 2), (t, u))[t % 2]\nreturn x - y",
    "in a loop": "s = 0\nfor i in range(t):\n    s = s * 2 + (1, 4, 2)[i % 3]\nreturn s",
    "out of range": "return (1, 5, 9)[t]",
    "sorted in place": "pairs = [(t, 1), (2, u), (t, 0)]\npairs.sort()\nreturn pairs",
    "sorted down": "pairs = [(t, 1), (2, u), (t, 0)]\npairs.sort(reverse=True)\nreturn pairs",
    "sign of in": "xs = []\nfor i in range(t):\n    xs.append(i)\nreturn -(u in xs), (u in xs) + (t in xs)",
    "sign of in a dict": "d = {}\nfor i in range(t):\n    d[i] = i\nreturn -(u in d), -(d == d)",
    "sign of ==": "xs = []\nfor i in range(t):\n    xs.append(i)\nreturn -(xs == [0, 1])",
}


@pytest.mark.parametrize("body", CHOSEN)
def test_items_of_tuples_and_bools_of_containers(body):
    function = defined(CHOSEN[body])
    for given in ((0, 3), (2, 1), (4, 2)):
        try:
            expected = function(*given)
        except IndexError as error:
            with pytest.raises(IndexError, match=str(error)):
                gw.function(function)(*map(gw.constant, given))
            continue
        assert plain(gw.function(function)(*map(gw.constant, given))) == expected, given


def test_a_tensor_does_not_choose_among_texts_of_a_tuple():
    with pytest.raises(ValueError, match="takes an item of a tuple by a tensor, and the tuple holds a `str`"):
        gw.function(defined("return ('a', 'b')[t % 2]"))(gw.constant(1), gw.constant(2))
