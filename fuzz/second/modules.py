"""Whole programs: what a function finds around it, the function, its calls, and what changes between them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .statements import THEMES
from .writer import Writer

HEADER = """\
import contextlib, functools, itertools, math, random
import numpy as np
G = 4
LIST = [3, 1]
TABLE = {'a': 1, 'b': 2}
class P:
    kind = 3
    def __init__(self, x):
        self.x = x
        self.y = 0.5
        self.flag = x > 1
        self.items = [x]
    def get(self):
        return self.x + self.kind
    def add(self, n):
        self.x += n
        return self.x
    def me(self):
        return self
    @property
    def twice(self):
        return self.x * 2
    @twice.setter
    def twice(self, n):
        self.x = n // 2
    def __getitem__(self, at):
        return self.x + at
    def __setitem__(self, at, n):
        self.x = n - at
    def __iter__(self):
        yield self.x
        yield 2
    def __eq__(self, other):
        return self.x == other.x
    def __iadd__(self, n):
        self.x += n
        return self
    def __add__(self, other):
        return self.x + other.x
    def __enter__(self):
        self.x += 1
        return self
    def __exit__(self, kind, error, trace):
        self.x -= 1
        return kind is KeyError
class Q(P):
    kind = 5
    def get(self):
        return super().get() + 1
BOX = P(2)
def helper(n):
    return n + 1
def helper2(n):
    if n > 2:
        return n - 2
    return n * 2
def make(n):
    o = P(n)
    o.y = 1.5
    return o
def made(n):
    for i in range(n):
        yield i + G
def echo(items):
    for i in itertools.islice(items, 4):
        if i > 5:
            return
        yield i * 2
def store(n):
    global G
    G = n
def store_new(n):
    global NEW
    NEW = n
def find(n):
    if n > 2:
        return n
def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count
counted = counter()
def default(n=3):
    return n + 1
def append(n, found=[]):
    found.append(n)
    return found
def add3(a, b=1, *, c=2):
    return a + 2 * b + 3 * c
def spread(a, *b):
    return [a, *b]
def compose(g, h):
    return lambda n: g(h(n))
@functools.lru_cache(None)
def memo(n):
    return n * 2
partial = functools.partial(add3, 2)
BY = {'h': helper}
def failing(n):
    if n > 3:
        raise ValueError(n)
    return n + 1
def even(n):
    return True if n <= 0 else odd(n - 1)
def odd(n):
    return False if n <= 0 else even(n - 1)
def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)
def ping(n, a):
    if n <= 0:
        return a
    return pong(n - 1, a + n)
def pong(n, a):
    if n <= 0:
        return -a
    return ping(n - 1, a * 2) + 1
def hanoi(n, a=0, b=1, c=2):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)
def ack(m, n):
    if m <= 0:
        return n + 1
    return ack(m - 1, 1) if n <= 0 else ack(m - 1, ack(m, n - 1))
def grow(n, found):
    if n <= 0:
        return len(found)
    found.append(n)
    return grow(n - 1, found)
def last(n, a, b=1):
    if n <= 0:
        return a
    if a > 40:
        return last(n - 2, b, a % 7)
    return last(n - 1, a + b, b)
def last_of(n, found):
    if n <= 0:
        return found
    for i in range(n % 3):
        if found > 9 * i + 3:
            return last_of(n - 2, found // 2)
    found += 10 // (found - 4)
    return last_of(n - 1, found + 3)
def change_first(v):
    v[0] = 9.0
def bump(a, n):
    a += n
"""
CHANGES = {
    "globals": [
        "global G; G = 11",
        "LIST[0] = 8",
        "TABLE['a'] = 9",
        "BOX.x = 20",
        "LIST.append(5)",
        "TABLE['c'] = 1",
    ],
    "functions": [
        "global helper; helper = lambda n: n + 10",
        "default.__defaults__ = (8,)",
        "helper.__code__ = helper2.__code__",
        "BY['h'] = helper2",
        "global counted; counted = counter()",
        "add3.__kwdefaults__ = {'c': 7}",
        "global failing; failing = helper",
        "counted.__closure__[0].cell_contents = 40",
    ],
    "objects": [
        "P.get = lambda self: self.x + 50",
        "BOX.get = lambda: 60",
        "P.kind = 70",
        "BOX.kind = 71",
        "P.twice = property(lambda self: 80)",
        "P.__getitem__ = lambda self, at: 90",
        "BOX.x, BOX.y = 3, 2.5",
        "P.add = lambda self, n: n + 100",
        "BOX.items[0] = 7",
        "BOX.__class__ = Q",
    ],
}
ARGUMENTS = {
    "I": ["0", "1", "2", "3", "5", "-2", "-7", "10"],
    "F": ["0.0", "0.5", "-1.5", "2.25", "100.0"],
    "B": ["True", "False"],
    "A": ["np.array([1, 2, 3, 4])", "np.array([5, -1, 0, 2])", "np.array([0, 0, 7, 1])"],
    "V": ["np.array([0.5, 1.5, -2.0, 3.0])", "np.array([1.0, 0.0, 4.0, -0.5])"],
    "M": ["np.arange(9.0).reshape(3, 3)", "np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [2.0, 2.0, -1.0]])"],
    "L": ["[1, 2, 3]", "[5, 0, 2]", "[4, 4, 1]"],
}
LIMITS = ["2**31 - 1", "2**31", "-2**31", "2**62", "2**63 - 1", "-2**63", "2**53 + 1", "65536"]


@dataclass(frozen=True)
class Program:
    """A module's text: `f`, its `CALLS` and changes, which parameters are `STAGED`, whether it is `TEXTLESS`."""

    text: str


def program(seed: int, without: tuple[str, ...] = ()) -> Program:
    """A program; of all themes but some."""
    source = random.Random(seed)
    named = [theme for theme in THEMES if theme not in without]
    themes = set(source.sample(named, source.choice([1, 2, 2, 3, 3, 4])))
    writer = Writer(source, themes, room=source.choice([3, 6, 10, 14, 20]))
    kinds = _parameters(source, themes)
    names = [writer.fresh(kind.lower()) for kind in kinds]
    for kind, name in zip(kinds, names, strict=True):
        writer.bound.setdefault(kind, []).append(name)
    body = [*_begin(writer), *writer.block(4, 3, loop=False, most=writer.room)]
    while writer.room > 0:
        writer.room -= 1
        body += writer.statement(4, 3, loop=False)
    lines = [HEADER + f"def f({', '.join(names)}):", *body, f"    return {_result(writer)}"]
    sets = [_arguments(source, kinds, themes) for _ in range(2)]
    calls = [sets[0], sets[0], sets[1], *_changes(source, themes, without), sets[0], sets[1]]
    staged = [source.random() < 0.5 for _ in kinds]
    lines += _changed(calls)
    lines.append(f"STAGED = {staged}")
    lines.append(f"TEXTLESS = {source.random() < 0.02 and 'textless' not in without}")
    return Program("\n".join(lines) + "\n")


def _parameters(source: random.Random, themes: set[str]) -> list[str]:
    kinds = ["I"]
    if themes & {"arrays", "views"}:
        kinds += source.sample("AVM", source.choice([1, 2]))
    if themes & {"lists", "iterators"} and source.random() < 0.25:
        kinds.append("L")
    kinds += source.choice(["", "I", "F", "B", "IF"])
    source.shuffle(kinds)
    return kinds


def _begin(writer: Writer) -> list[str]:
    """The names that the themes' templates need."""
    wanted = {
        "lists": "L",
        "dicts": "D",
        "objects": "O",
        "iterators": "LT",
        "identity": "BNC",
        "exceptions": "LDO",
    }
    lines = ["    global G"] if writer.source.random() < 0.1 else []
    for theme in sorted(writer.themes):
        for kind in wanted.get(theme, ""):
            lines += writer.lines(f"{{n{kind}}} = {{{kind}}}", 4, 0, loop=False)
    return lines


def _result(writer: Writer) -> str:
    """Some of the names that are bound, an iterator's rest among them."""
    shown = []
    for kind, names in writer.bound.items():
        kept = names if len(names) < 4 else writer.source.sample(names, 3)
        for name in kept:
            if kind == "T":
                shown.append(f"list(itertools.islice({name}, 3))")
            else:
                shown.append(f"{name}.x" if kind == "O" else name)
    if writer.source.random() < 0.4:
        shown = shown[:1] or ["0"]
        return shown[0]
    return f"({', '.join(shown)},)"


def _arguments(source: random.Random, kinds: list[str], themes: set[str]) -> str:
    limits = {"I": LIMITS + ARGUMENTS["I"]} if "limits" in themes else {}
    return "(" + "".join(f"{source.choice(limits.get(kind, ARGUMENTS[kind]))}, " for kind in kinds) + ")"


def _changes(source: random.Random, themes: set[str], without: tuple[str, ...]) -> list[str]:
    if "changes" in without:
        return []
    tables = [CHANGES[theme] for theme in sorted(themes) if theme in CHANGES]
    if not tables and source.random() < 0.7:
        return []
    table = source.choice(tables or list(CHANGES.values()))
    return [f"!{source.choice(table)}" for _ in range(source.choice([1, 1, 2]))]


def _changed(calls: list[str]) -> list[str]:
    """The calls, and a function for each change between them."""
    lines, shown = [], []
    for at, call in enumerate(calls):
        if call.startswith("!"):
            lines += [f"def change{at}():", *(f"    {part}" for part in call[1:].split("; "))]
            shown.append(f"change{at}")
        else:
            shown.append(f"lambda: {call}")
    return [*lines, f"CALLS = [{', '.join(shown)}]"]
