"""Names that swap their arrays in loops: double buffering. Python's answer, or a refusal where the store would not be seen."""

from __future__ import annotations

import random

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of as function_of_program

X = np.array([1.0, 4.0, 2.0, 8.0, 5.0, 7.0])
STEP = "for i in range(1, len(x) - 1):\n    b[i] = a[i - 1] + 2 * a[i + 1]"
PAIR = "a, b = x.copy(), np.zeros_like(x)\n"

SWAPS = {
    "tuple": PAIR + "for _ in range(n):\n    {step}\n    a, b = b, a\nreturn a, b",
    "third name": PAIR + "for _ in range(n):\n    {step}\n    tmp = a\n    a = b\n    b = tmp\nreturn a, b",
    "while": PAIR + "k = 0\nwhile k < n:\n    {step}\n    a, b = b, a\n    k += 1\nreturn a, b",
    "arrays of Python's": "a, b = np.arange(6), np.zeros(6, np.int64)\nfor k in range(n):\n    b[0] = k\n"
    "    for j in range(5):\n        b[j + 1] = min(a[j], b[j]) + 1\n    a, b = b, a\nreturn a, b",
    "three": "a, b, c = np.zeros(6), x.copy(), np.ones(6)\nfor _ in range(n):\n    for i in range(1, 5):\n"
    "        c[i] = 2 * b[i] - a[i] + 0.5 * b[i - 1]\n    a, b, c = b, c, a\nreturn a, b, c",
    "three in turn": "a, b, c = np.zeros(6), x.copy(), x * 0\nfor _ in range(n):\n"
    "    c[1:-1] = 2 * b[1:-1] - a[:-2]\n    t = a\n    a = b\n    b = c\n    c = t\nreturn a, b, c",
    "parts": PAIR
    + "a[:2] = 3\nfor _ in range(n):\n    b[1:-1] = a[:-2] + a[2:]\n    a, b = b, a\nreturn a, b",
    "nested": PAIR + "for k in range(n):\n    for j in range(k + 1):\n        {step}\n        a, b = b, a\n"
    "    a[0] += 1\nreturn a, b",
    "branch": PAIR
    + "for k in range(n):\n    b[k] = a[k] + 1\n    if b[k] > 3:\n        a, b = b, a\nreturn a, b",
    "break": PAIR
    + "for k in range(n):\n    b[k] = a[k] + 1\n    if b[k] > 4:\n        break\n    a, b = b, a\n"
    "a[0] = 99\nreturn a, b",
    "return": PAIR + "for k in range(n):\n    b[k] = a[k] + 1\n    if b[k] > 4:\n        return b, k\n"
    "    a, b = b, a\nreturn a, -1",
    "store behind": PAIR
    + "for _ in range(n):\n    {step}\n    a, b = b, a\nc = a\nc[0] = 7\nreturn a, b, a is c, a is b",
    "rank two": "a, b = np.outer(x, x), np.zeros((6, 6))\nfor _ in range(n):\n    for i in range(1, 5):\n"
    "        for j in range(1, 5):\n            b[i, j] = a[i - 1, j] + a[i, j + 1]\n    a, b = b, a\nreturn a",
    "helper": "def step(src, dst):\n    for i in range(1, 5):\n        dst[i] = src[i - 1] + src[i + 1]\n"
    + PAIR
    + "for _ in range(n):\n    step(a, b)\n    a, b = b, a\nreturn a",
    "new name in the loop": PAIR
    + "p = x\nfor k in range(n):\n    b[k] = a[k] + 1\n    p = b\n    a, b = b, a\nreturn a, p",
}
REFUSED = {
    "another name": PAIR + "keep = a\nfor _ in range(n):\n    {step}\n    a, b = b, a\nreturn a, keep",
    "list": PAIR + "rows = [a, b]\nfor _ in range(n):\n    {step}\n    a, b = b, a\nreturn a, rows",
    "view": PAIR + "v = a[1:4]\nfor _ in range(n):\n    {step}\n    a, b = b, a\nreturn a, v",
    "argument": "a, b = x, np.zeros_like(x)\nfor _ in range(n):\n    {step}\n    a, b = b, a\nreturn a, b",
    "one of both": PAIR
    + "for k in range(n):\n    b[k] = a[k] + 1\n    a, b = b, a\n    if a[0] > 3:\n        b = a\n"
    "return a, b",
    "chain": PAIR
    + "c = x * 2\nd = c\nfor k in range(n):\n    b[k] = a[k] + 1\n    a = b\n    b = c\nreturn a, b, d",
}


def plain(value):
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    value = value.numpy() if hasattr(value, "numpy") else value
    return np.asarray(value).tolist()


def function_of(body, number):
    """The function of `x` and `n` with these lines."""
    lines = []
    for line in body.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        inner = STEP.split("\n") if line.strip() == "{step}" else [line.strip()]
        lines += ["    " + indent + part for part in inner]
    return function_of_program("\n".join(["def f(x, n):", *lines, ""]), number)[0]


def outcome(call, x, n):
    """Result of a call and its argument behind it, or the refusal."""
    x = x.copy()
    try:
        return [plain(call(x, n)), plain(x)]
    except ValueError as error:
        if str(error).startswith("GW122"):
            return "GW122"
        raise


def ways(function):
    """The function in a graph, of NumPy's numbers and of Python's."""
    numbers = gw.function(function)
    staged = gw.function(function, python_numbers="staged")
    return [lambda x, n: numbers(x, np.int64(n)), staged]


@pytest.mark.parametrize("name", SWAPS)
def test_names_swap_arrays(name):
    function = function_of(SWAPS[name], name)
    for way in ways(function):
        for n in (0, 1, 2, 3, 4):
            assert outcome(way, X, n) == outcome(function, X, n), n


@pytest.mark.parametrize("name", REFUSED)
def test_another_that_would_not_see_the_store(name):
    function = function_of(REFUSED[name], name)
    for way in ways(function):
        assert outcome(way, X, 3) == "GW122"


class Writer:
    """Random programs of names that swap arrays, are bound to each other's and stored into."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = ["a", "b", "c", "d"][: self.random.choice((2, 3, 3, 4))]

    def name(self):
        return self.random.choice(self.names)

    def new(self):
        return self.random.choice(("x.copy()", "np.zeros(6)", "x * 2", "np.zeros_like(x)", "x + 1"))

    def number(self):
        return self.random.choice(
            (f"{self.name()}[{self.at()}]", "k", "2.0", f"{self.name()}[{self.at()}] + 1")
        )

    def at(self):
        return self.random.choice(("0", "1", "k % 6", "(k + 1) % 6", "-1"))

    def simple(self):
        choice = self.random.random()
        one, other = self.random.sample(self.names, 2)
        if choice < 0.4:
            return [f"{self.name()}[{self.at()}] = {self.number()}"]
        if choice < 0.5:
            return [f"{one}[1:4] = {other}[:3] + 1"]
        if choice < 0.75:
            return [f"{one}, {other} = {other}, {one}"]
        if choice < 0.85 and len(self.names) > 2:
            three = self.random.sample(self.names, 3)
            return [f"{', '.join(three)} = {', '.join([*three[1:], three[0]])}"]
        if choice < 0.88:
            return [f"{one} = {other}"]
        if choice < 0.95:
            return [f"{one} = {other}.copy()"]
        return [f"t = {one}", f"{one} = {other}", f"{other} = t"]

    def block(self, depth, count):
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def statement(self, depth):
        choice = self.random.random()
        if depth == 0 or choice < 0.6:
            return self.simple()
        inner = ["    " + line for line in self.block(depth - 1, self.random.choice((1, 2, 2)))]
        test = f"{self.number()} > {self.random.choice(('1', '3', 'n'))}"
        if choice < 0.75:
            other = (
                [] if self.random.random() < 0.5 else ["else:", *["    " + line for line in self.simple()]]
            )
            return [f"if {test}:", *inner, *other]
        if choice < 0.8:
            return [f"if {test}:", f"    return {', '.join(reversed(self.names))}"]
        leave = [] if self.random.random() < 0.7 else [f"    if {test}:", "        break"]
        return [f"for k in range({self.random.choice(('n', '3', 'n + 1'))}):", *inner, *leave]

    def program(self):
        lines = ["k = 0", "t = x"]
        for at, name in enumerate(self.names):
            lines.append(f"{name} = {self.new() if at < 2 or self.random.random() < 0.8 else 'a'}")
        body = ["    " + line for line in self.block(2, self.random.choice((2, 3, 4)))]
        lines += ["for k in range(n):", *body, *self.block(1, 2)]
        return "\n".join([*lines, f"return {', '.join(self.names)}"])


def judged(seed):
    """True if a random program is answered, false if it is refused."""
    source = Writer(seed).program()
    function = function_of(source, f"swaps {seed}")
    answered = True
    for way in ways(function):
        for n in (2, 0, 3, 5):
            got = outcome(way, X, n)
            assert got in (outcome(function, X, n), "GW122"), f"{seed}, n = {n}\n{source}"
            answered &= got != "GW122"
    return answered


def test_random_programs():
    answers = [judged(seed) for seed in range(60)]
    assert sum(answers) > 30, sum(answers)
