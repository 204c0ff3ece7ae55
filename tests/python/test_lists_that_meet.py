"""Lists of the graph that meet lists of Python's where branches, calls and `or` end."""

from __future__ import annotations

import linecache
import random
import textwrap

import pytest

import graphwright as gw


def plain(value):
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    return value.numpy().tolist() if isinstance(value, gw.Tensor) else value


def defined(body):
    text = "def f(n, xs):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"
    name = f"<lists that meet {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def agrees(body):
    f = defined(body)
    staged = gw.function(f)
    for n in (0, 1, 2, 3):
        try:
            wanted = f(n, [1, 2, 3])
        except ZeroDivisionError:
            continue
        for _ in range(2):
            assert plain(staged(gw.constant(n), [1, 2, 3])) == wanted, n


@pytest.mark.parametrize(
    "body",
    [
        "if n > 1: return [x for x in xs if x > n]\nreturn []",
        "if n > 1: return []\nreturn [x for x in xs if x > n]",
        "if n > 1: return [x for x in xs if x > n]\nreturn [0]",
        "if n > 1: return [x for x in xs if x > n]\nreturn xs",
        "if n > 1: r = [x for x in xs if x > n]\nelse: r = [n, 5]\nr.append(7)\nreturn r, len(r)",
        "if n > 1: r = [(x, n) for x in xs if x > n]\nelse: r = [(1, 2)]\nreturn r",
        "r = [9]\nif n > 1: r = [x for x in xs if x > n]\nreturn sum(r)",
        "return [x for x in xs if x > n] or [0]",
        "ys = [x for x in xs if x > n]\nreturn ys or [0]",
        "return [x for x in xs if x > n] if n > 1 else []",
        "try: r = [x for x in xs if 6 // n > x]\nexcept ZeroDivisionError: r = []\nreturn r",
        "r = [4, 5]\nwhile n < 3:\n    r = [x for x in xs if x > n]\n    n += 1\nreturn r",
        "r = [4, 5]\nwhile n < 3:\n    if n > 1: r = [x for x in xs if x > n]\n    else: r = [n]\n    n += 1\nreturn r",
        "if n > 2: r = [1.5]\nelif n > 1: r = [x / 2 for x in xs if x > n]\nelse: r = []\nreturn r",
    ],
)
def test_the_list_is_pythons(body):
    agrees(body)


def test_one_of_two_objects_is_not_changed():
    f = gw.function(
        defined("ys = [1]\nif n > 1: r = [x for x in xs if x > n]\nelse: r = ys\nr.append(7)\nreturn r, ys")
    )
    with pytest.raises(ValueError, match="GW122"):
        f(gw.constant(1), [1, 2, 3])


def test_texts_meet_no_numbers():
    f = gw.function(defined("if n > 1: return [x for x in xs if x > n]\nreturn ['a']"))
    with pytest.raises(ValueError, match="a `list` if the condition is true and a `list` of 1"):
        f(gw.constant(1), [1, 2, 3])


def test_derivatives():
    @gw.function
    def f(w, n):
        r = [w * x for x in (1.0, 2.0, 3.0) if x > n] if n > 1.0 else [w, w * w]
        return sum(r)

    for n, wanted in ((2.0, 3.0), (0.0, 1.0 + 2 * 3.0)):
        with gw.GradientTape() as tape:
            w = gw.constant(3.0)
            tape.watch(w)
            y = f(w, gw.constant(n))
        assert tape.gradient(y, w).numpy() == wanted


LISTS = [
    "[x for x in xs if x > n]",
    "[]",
    "[n]",
    "xs",
    "[5, 6]",
    "[x * n for x in xs if x != n]",
    "r",
    "[y for y in r if y > n]",
]
TESTS = ["n > 1", "len(r) > n", "n == 2", "r", "n > 9"]
USES = ["r", "len(r)", "sum(r)", "(r, len(r))", "[y + 1 for y in r]", "max(r, default=-1)", "n in r"]


def program(rng):
    """A random program of branches and loops that give `r` another list."""
    lines = [f"r = {rng.choice(LISTS[:6])}"]
    for _ in range(rng.randrange(1, 4)):
        one, other = rng.choice(LISTS), rng.choice(LISTS)
        kind = rng.randrange(3)
        if kind == 0:
            lines.append(f"if {rng.choice(TESTS)}: r = {one}\nelse: r = {other}")
        elif kind == 1:
            lines.append(f"r = {one} if {rng.choice(TESTS)} else {other}")
        else:
            lines.append(f"r = {one} or {other}")
    return "\n".join([*lines, f"return {rng.choice(USES)}"])


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    text = program(random.Random(seed))
    try:
        agrees(text)
    except ValueError as error:
        if "GW" not in str(error):
            raise
