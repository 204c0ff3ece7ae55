"""Objects from around that a function puts into what it makes: what is read of them there is compared at each call."""

from __future__ import annotations

import contextlib  # noqa: F401 - the programs below name it
import functools  # noqa: F401
import itertools
import warnings
from dataclasses import dataclass

import pytest

import graphwright as gw


class O:  # noqa: E742
    pass


class Q:
    def __init__(self, o):
        self.o = o

    def __len__(self):
        return self.o.w

    def __neg__(self):
        return self.o.w

    def __add__(self, other):
        return self.o.w + other

    def __mul__(self, other):
        return self.o.w * other

    def __eq__(self, other):
        return self.o.w == other

    def __iter__(self):
        yield self.o.w

    def __bool__(self):
        return self.o.w > 3

    def __contains__(self, key):
        return self.o.w > key

    def __call__(self, n):
        return self.o.w * n

    def method(self, n):
        return self.o.w - n

    __hash__ = None


class Bag:
    def __init__(self):
        self.items = []

    def add(self, o):
        self.items.append(o)
        return self

    def total(self):
        return sum(o.w for o in self.items)


@dataclass
class Pair:
    first: object
    second: int


def total(objects):
    return sum(o.w for o in objects)


def weights(objects):
    for o in objects:
        yield o.w


def summed(so_far, o):
    return so_far + o.w


# Each reads `go.w` on a way of its own, and gives a number.
READS = {
    "an attribute of an object made here": "t = O(); t.q = go; r = t.q.w",
    "an attribute with an annotation": "t = O(); t.q: object = go; r = t.q.w",
    "append": "l = []; l.append(go); r = l[0].w",
    "insert": "l = [1]; l.insert(0, go); r = l[0].w",
    "an item of a list": "l = [1, 2]; l[1] = go; r = l[1].w",
    "pop": "l = [go]; r = l.pop().w",
    "an item of a dict": "d = {}; d['a'] = go; r = d['a'].w",
    "a display of a dict": "d = {'a': go}; r = d['a'].w",
    "setdefault": "d = {}; r = d.setdefault('a', go).w",
    "a lambda": "k = lambda: go; x = k(); r = x.w",
    "a function": "def mk(): return go\nr = mk().w",
    "a list in a call": "l = [go, go]; r = total(l)",
    "a generator": "r = sum(weights([go]))",
    "functools.reduce": "r = functools.reduce(summed, [go, go], 0)",
    "an exception": "try: raise ValueError(go)\nexcept ValueError as e: r = e.args[0].w",
    "match": "match [go, 1]:\n    case [O(w=v), k]: r = v",
    "len": "r = len(Q(go))",
    "neg": "r = -Q(go)",
    "add": "r = Q(go) + 1",
    "mul": "r = Q(go) * 2",
    "eq": "r = 1 if Q(go) == 5 else 2",
    "iter": "r = sum(list(Q(go)))",
    "bool": "r = 1 if Q(go) else 2",
    "in": "r = 1 if 4 in Q(go) else 2",
    "call": "r = Q(go)(3)",
    "method": "r = Q(go).method(3)",
    "a bag": "r = Bag().add(go).total()",
    "a dataclass": "r = Pair(go, 1).first.w",
    "a tuple": "p = (go, 1); a, b = p; r = a.w",
    "a star": "a, *b = [1, go]; r = b[0].w",
    "zip": "r = sum(a.w * b for a, b in zip([go], [2]))",
    "an attribute of an attribute": "t = O(); t.q = go.inner; r = t.q.w",
    "getattr": "t = O(); t.q = go; r = getattr(t.q, 'w')",
    "vars": "t = O(); t.q = go; r = vars(t.q)['w']",
    "a class": "l = [C]; r = l[0].rate",
    "partial": "p = functools.partial(summed, 1); l = [go]; r = p(l[0])",
}

# Each changes `go.w` on a way of its own.
CHANGES = {
    "a constructor": "R(go)",
    "enter and exit": "with CM(go): n += 1",
    "contextmanager": "with cm(go): n += 1",
    "new": "N(go)",
    "post_init": "P(go)",
    "reduce": "functools.reduce(bump, [go, go], 0)",
    "an exception": "try: raise ValueError(go)\nexcept ValueError as e: e.args[0].w += 1",
    "len": "len(S(go))",
    "bool": "n += 1 if S(go) else 0",
    "in": "n += 1 if 3 in S(go) else 0",
    "eq": "n += 1 if S(go) == 3 else 0",
    "lt": "n += 1 if S(go) < 3 else 0",
    "neg": "n += -S(go)",
    "setitem": "S(go)[1] = 2",
    "delitem": "del S(go)[1]",
    "hash": "hash(S(go))",
    "int": "n += int(S(go))",
    "str": "str(S(go))",
    "radd": "n += 1 + S(go)",
    "matmul": "n += S(go) @ 1",
    "a list": "l = [go]; l[0].w += 1",
    "an attribute": "t = O(); t.q = go; t.q.w += 1",
}

CLASSES = """
class R:
    def __init__(self, o): o.w += 1
class CM:
    def __init__(self, o): self.o = o
    def __enter__(self): self.o.w += 1
    def __exit__(self, *_): self.o.w += 10
class N:
    def __new__(cls, o):
        o.w += 1
        return object.__new__(cls)
@dataclass
class P:
    o: object
    def __post_init__(self): self.o.w += 1
class S:
    def __init__(self, o): self.o = o
    def up(self):
        self.o.w += 1
        return self.o.w % 5
    def __len__(self): return self.up()
    def __bool__(self): return self.up() > 2
    def __contains__(self, key): return self.up() > 2
    def __eq__(self, other): return self.up() > 2
    def __lt__(self, other): return self.up() > 2
    def __neg__(self): return self.up()
    def __setitem__(self, key, value): self.up()
    def __delitem__(self, key): self.up()
    def __hash__(self):
        self.up()
        return 3
    def __int__(self): return self.up()
    def __str__(self): return str(self.up())
    def __radd__(self, other): return self.up()
    def __matmul__(self, other): return self.up()
def bump(so_far, o):
    o.w += 1
    return so_far
@contextlib.contextmanager
def cm(o):
    o.w += 1
    try: yield o
    finally: o.w += 10
"""

FILES = itertools.count()


def program(body, result, parameter, tmp_path):
    """A module with a function of this body, whose object is a global or the argument `go`."""
    given = "n, go" if parameter else "n"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"{CLASSES}\ndef f({given}):\n{lines}    return {result}\n"
    path = tmp_path / f"escapes{next(FILES)}.py"
    path.write_text(text)
    names = dict(globals())
    go = O()
    go.w, go.inner = 0, O()
    go.inner.w = 0

    class C:
        rate = 0

    names.update(go=go, C=C)
    exec(compile(text, path, "exec"), names)
    return names["f"], go, C


def answers(f, go, c, call, changed):
    found = []
    for n, w in zip((1, 2, 3, 4), (2, 5, 5, 3), strict=True):
        if changed:
            go.w = go.inner.w = c.rate = w
        result = call(n)
        found.append((int(result), int(go.w)))
    return found


def judge(body, result, parameter, changed, tmp_path):
    f, go, c = program(body, result, parameter, tmp_path)
    given = (go,) if parameter else ()
    native = answers(f, go, c, lambda n: f(n, *given), changed)
    f, go, c = program(body, result, parameter, tmp_path)
    given = (go,) if parameter else ()
    staged = gw.function(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = answers(f, go, c, lambda n: staged(gw.constant(n, gw.int64), *given), changed)
    assert ours == native, body


@pytest.mark.parametrize("parameter", [False, True], ids=["global", "argument"])
@pytest.mark.parametrize("name", READS)
def test_what_is_read_is_compared(name, parameter, tmp_path):
    judge(READS[name], "r * 100 + n", parameter, True, tmp_path)


@pytest.mark.parametrize("parameter", [False, True], ids=["global", "argument"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_is_changed_each_time(name, parameter, tmp_path):
    judge(CHANGES[name], "n", parameter, False, tmp_path)
