"""Whole programs: what a function finds around it, the function, and its calls."""

from __future__ import annotations

import random

from ..second.modules import Program
from .expressions import CONDITIONS, FLOATS, INTEGERS
from .statements import COMPOUND, LOOPS, SIMPLE
from .writer import Writer

HEADER = """\
import collections, dataclasses, math
import numpy as np
class Problem(Exception):
    pass
class Box:
    def __init__(self, n, f):
        self.n = n
        self.f = f
        self.last = None
        self.arr = np.zeros(3)
    def bump(self, k):
        self.n += k
        if self.n > 20:
            self.n = 0
            return True
        return False
    @property
    def twice(self):
        return self.n * 2
    def check(self, k):
        if k > 6:
            raise Problem('too much')
        self.f = self.f * 0.5 + k
        return k + 1
    def __enter__(self):
        self.n += 1
        return self
    def __exit__(self, kind, value, trace):
        self.n -= 2
        return kind is Problem
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return self.n + i
@dataclasses.dataclass
class Point:
    x: int
    y: float
    def moved(self, k):
        return Point(self.x + k, self.y - 1.0)
Pair = collections.namedtuple('Pair', 'p q')
box = Box(1, 0.5)
total = 0
seen = None
grid = np.arange(6).reshape(2, 3)
def clamp(v, lo=-9, hi=9):
    if v < lo:
        return lo
    if v > hi:
        return hi
    return v
def count(n):
    k = 0
    while k < n:
        if k == 3:
            return
        yield k
        k += 1
def first(vs, c):
    for i, v in enumerate(vs):
        if v > c:
            return i
    return None
def rec(n, acc=0):
    if n <= 0:
        return acc
    return rec(n - 1, acc + n) if n % 2 else rec(n - 2, acc - 1)
def name_of(v):
    return 'neg' if v < 0 else ('zero' if v == 0 else 'pos')
def split(v):
    return v // 3, v % 3
"""
STATE = ["box", "total", "seen", "grid"]
"""Globals that functions change."""
BEGIN = {
    "global": ["global total, seen"],
    "base": ["i0 = 0", "i1 = 2", "f0 = 0.0", "l0 = list(xs)", "l1 = [1, 2]"],
    "dict": ["d = {1: 2, a: b}"],
    "set": ["s = {1, 5}"],
    "array": ["view = arr[:2]"],
    "point": ["pt = Point(a, x)"],
    "tuple": ["t = (a, 1)", "pair = Pair(1, b)"],
    "optional": ["o = None"],
    "text": ["word = 'zero'"],
}
"""Statements that bind what a feature's templates read."""
CLOSURE = """\
memo = 0
fn = lambda k: k * 2
def inner(k):
    nonlocal memo, i0
    if {condition}:
        memo += k
    else:
        i0 += 1
    return memo - k"""
RESULTS = {
    "base": ["i0", "i1", "f0", "a", "b", "x"],
    "list": ["l0", "l1"],
    "dict": ["d"],
    "set": ["s"],
    "array": ["arr", "view"],
    "point": ["pt.x", "pt.y"],
    "tuple": ["t", "pair"],
    "optional": ["o"],
    "text": ["word"],
    "closure": ["memo"],
}
NUMBERS = [0, 1, 2, 3, 5, -1, -4, 8]
TABLES = (INTEGERS, FLOATS, CONDITIONS, SIMPLE, LOOPS, COMPOUND)
FEATURES = sorted({name for table in TABLES for name in table} - {"base", "assert"})


def program(seed: int, without: tuple[str, ...] = ()) -> Program:
    """A program; of all features but some."""
    source = random.Random(seed)
    named = [name for name in FEATURES if name not in without]
    features = source.sample(named, min(len(named), source.randint(3, 9)))
    writer = Writer(source, features, shape=source.choice(["I", "IF", "I", "IFI"]))
    if "list" in features:
        writer.lists = ("l0", "l0", "l1")
    body = [" " * 4 + line for line in _begin(source, features)]
    for _ in range(source.randint(3, 6)):
        body += writer.statement(4, 3, loop=False)
    lines = [HEADER + "def f(a, b, x, xs, arr):", *body, f"    return {_result(writer)}"]
    lines += [
        f"CALLS = [{', '.join(_calls(source))}]",
        f"STAGED = [True, {source.random() < 0.5}, {source.random() < 0.5}, {source.random() < 0.5}, False]",
        f"STATE = {STATE}",
    ]
    return Program("\n".join(lines) + "\n")


def _begin(source: random.Random, features: list[str]) -> list[str]:
    """The names that the features' templates need."""
    lines = [line for name, some in BEGIN.items() if name == "base" or name in features for line in some]
    if "closure" in features:
        lines += CLOSURE.format(condition=source.choice(["k > i0", "k % 2", "memo > 3"])).split("\n")
    return lines


def _result(writer: Writer) -> str:
    """Results of the program's shape, or most names that are bound."""
    if writer.source.random() < 0.4:
        return writer.filled("{R}", 1)
    names = list(RESULTS["base"])
    for feature in writer.features:
        names += [name for name in RESULTS.get(feature, []) if writer.source.random() < 0.8]
    return ", ".join(names)


def _calls(source: random.Random) -> list[str]:
    """Four calls with other arguments, and the first again."""
    length, of_array = source.choice([0, 3, 4, 4]), source.random() < 0.2
    calls = [_call(source, length, of_array=of_array) for _ in range(4)]
    return [*calls, calls[0]]


def _call(source: random.Random, length: int, *, of_array: bool) -> str:
    items = str([source.choice(NUMBERS) for _ in range(length)])
    shown = f"np.array({items}, dtype=np.int64)" if of_array else items
    floats = [float(source.choice(NUMBERS)) for _ in range(4)]
    a, b = source.choice(NUMBERS), source.choice(NUMBERS)
    return f"lambda: ({a}, {b}, {source.choice([0.0, 1.5, -2.25, 4.0])}, {shown}, np.array({floats}))"
