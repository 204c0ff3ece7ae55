"""Stores by a name whose list or object a called function puts another one in the place of, in loops, branches and `try`."""

import itertools
import random

import pytest

import graphwright as gw
from array_programs import function_of
from plain_results import value


class Cell:
    def __init__(self, v):
        self.v = v


class Two:
    def __init__(self, left, right):
        self.l, self.r = left, right

    def swap(self):
        self.l, self.r = self.r, self.l

    def fresh(self, k):
        self.l = [k, k]

    def longer(self):
        self.l = self.l[1:] + [9]

    def __enter__(self):
        self.swap()

    def __exit__(self, *raised):
        pass

    def __call__(self):
        self.swap()
        return 1

    def __setitem__(self, key, value):
        self.swap()


def reset_in_loop(a, b):
    w = Two([0] * 3, [b])
    for k in range(a):
        w.fresh(k)
        w.l[0] = k
        w.l[1] = w.l[0] + 1
    return w.l


def swapped_in_loop(a, b):
    w = Two([1], [b])
    for _ in range(a):
        w.swap()
        w.l[0] += 1
    return w.l, w.r


def swapped_in_while(a, b):
    w, k = Two([1], [b]), 0
    while k < a:
        w.swap()
        w.l[0] = k
        k += 1
    return w.l, w.r


def swapped_in_branch(a, b):
    w = Two([1, 0], [b, 0])
    if a > 1:
        w.swap()
        w.l[0] = 7
    return w.l[0], w.r[0]


def swapped_in_try(a, b):
    w = Two([1], [b])
    try:
        w.swap()
        w.l[0] = 8
        if a > 1:
            raise ValueError
    except ValueError:
        w.swap()
        w.l[0] += 5
    return w.l, w.r


def nested_branch(a, b):
    w = Two([1], [b])
    if a > 1:
        w.swap()
        if b > 1:
            w.l[0] = 8
    return w.l, w.r


def by_closure(a, b):
    x, y = [1, 0], [b, 0]

    def flip():
        nonlocal x, y
        x, y = y, x

    for k in range(a):
        flip()
        x[0] += k
    return x, y


def only_sometimes(a, b):
    w = Two([0, 0, 0], [b])
    for k in range(a):
        if k % 2:
            w.fresh(k)
        w.l[0] += b
    return w.l


def made_longer(a, b):
    w = Two([0, 0, 0], [b])
    for _ in range(a):
        w.longer()
        w.l[0] += b
    return w.l


def by_with(a, b):
    w = Two([1], [b])
    for _ in range(a):
        with w:
            w.l[0] += 1
    return w.l, w.r


def by_call(a, b):
    w = Two([1], [b])
    for _ in range(a):
        w()
        w.l[0] += 1
    return w.l, w.r


def by_value(a, b):
    w = Two([1], [b])
    for _ in range(a):
        w.l[0] = w() + 10
    return w.l, w.r


def by_item(a, b):
    w = Two([1], [b])
    for _ in range(a):
        w[0] = 1
        w.l[0] += 1
    return w.l, w.r


def of_objects(a, b):
    w, count = Two(Cell(5), Cell(b)), 0
    for _ in range(a):
        w.swap()
        count += 1
        w.l.v += 3
    return w.l.v, w.r.v, count


def of_objects_in_while(a, b):
    w, n = Two(Cell(5), Cell(b)), 0
    while w.l.v < a * 5 and n < 9:
        w.swap()
        w.r.v += 3
        n += 1
    return w.l.v, w.r.v, n


def of_objects_in_branch(a, b):
    w = Two(Cell(5), Cell(b))
    if a > 1:
        w.swap()
        w.l.v = 7
    return w.l.v, w.r.v


def of_objects_by_closure(a, b):
    x, y, count = Cell(1), Cell(b), 0

    def flip():
        nonlocal x, y
        x, y = y, x

    for k in range(a):
        count += 1
        flip()
        y.v += k
    return x.v, y.v, count


FUNCTIONS = [
    reset_in_loop,
    swapped_in_loop,
    swapped_in_while,
    swapped_in_branch,
    swapped_in_try,
    nested_branch,
    by_closure,
    only_sometimes,
    made_longer,
    by_with,
    by_call,
    by_value,
    by_item,
    of_objects,
    of_objects_in_while,
    of_objects_in_branch,
    of_objects_by_closure,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_python_does(function):
    staged = gw.function(function)
    for a, b in itertools.product([0, 1, 2, 3], [1, 7]):
        assert value(staged(gw.constant(a), gw.constant(b))) == value(function(a, b)), (a, b)


HEAD = """
class W:
    def __init__(self, l, r):
        self.l, self.r, self.n = l, r, 0
    def swap(self):
        self.l, self.r = self.r, self.l
    def fresh(self, k):
        self.l = [k, self.n]
    def put(self, k):
        self.r[1] = k
    def count(self):
        self.n += 1
        return self.n

def f(a, b):
    w, k, total = W([1, b], [2, 0]), 0, 0
"""


def program(seed):
    """One function of this grammar: calls that change attributes between stores through them."""
    rng = random.Random(seed)
    number = lambda: rng.choice(["a", "b", "k", "w.l[0]", "w.r[1]", "w.n", "total", "3"])  # noqa: E731
    steps = [
        lambda: "w.swap()",
        lambda: f"w.fresh({number()})",
        lambda: f"w.put({number()})",
        lambda: "total += w.count()",
        lambda: f"w.{rng.choice('lr')}[{rng.choice('01')}] = {number()}",
        lambda: f"w.{rng.choice('lr')}[{rng.choice('01')}] += {number()}",
        lambda: f"w.n = {number()}",
        lambda: "w.l, w.r = w.r, w.l",
    ]

    def block(indent, depth):
        lines = []
        for _ in range(rng.randrange(1, 4)):
            if depth < 2 and rng.random() < 0.35:
                lines.append(indent + rng.choice([f"if {number()} > 1:", "for k in range(a):"]))
                lines += block(indent + "    ", depth + 1)
            else:
                lines.append(indent + rng.choice(steps)())
        return lines

    body = [*block("    ", 0), "    for k in range(a):", *block("        ", 1)]
    return HEAD + "\n".join([*body, "    return w.l, w.r, w.n, total"]) + "\n"


def outcome(function, a, b):
    """The result, or the beginning of the code of its refusal."""
    try:
        return value(function(a, b))
    except ValueError as refused:
        return str(refused)[:3]


@pytest.mark.parametrize("seed", range(80))
def test_random_programs(seed):
    function, _ = function_of(program(seed), f"holders, {seed}")
    staged = gw.function(function)
    for a, b in [(0, 1), (3, 2), (1, 5), (2, 0)]:
        found = outcome(staged, gw.constant(a, gw.int64), gw.constant(b, gw.int64))
        assert found in ("GW1", value(function(a, b))), (a, b)
