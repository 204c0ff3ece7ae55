"""State of the program that libraries read for it: factories, callbacks, caches, registries, weak references."""

from __future__ import annotations

import functools
import linecache
import warnings

import pytest

import graphwright as gw

PROLOGUE = """
import collections, contextvars, dataclasses, functools, operator, re, types, weakref

import graphwright as gw

class Plain:
    def __init__(self, k=1):
        self.k = k
"""

#: A name, the program up to its function, the body of the function, and the change between two calls.
PROGRAMS = [
    (
        "the default factory of a dataclass",
        """
base = [1]

@dataclasses.dataclass
class P:
    b: int = dataclasses.field(default_factory=lambda: base[0])
""",
        "return t + P().b",
        "base[0] = 5",
    ),
    (
        "the factory of a defaultdict",
        """
base = [1]

def make():
    return base[0]
""",
        "d = collections.defaultdict(make)\n    return t + d['a']",
        "base[0] = 5",
    ),
    (
        "a comparison",
        """
sign = [1]

def compare(a, b):
    return (a - b) * sign[0]
""",
        "return t + sorted([1, 2], key=functools.cmp_to_key(compare))[0]",
        "sign[0] = -1",
    ),
    (
        "a replacement",
        """
table = {"x": "1"}

def replaced(m):
    return table["x"]
""",
        "return t + len(re.sub('x', replaced, 'x'))",
        "table['x'] = '999'",
    ),
    (
        "a cache that is cleared",
        """
table = {"rate": 1}

@functools.lru_cache
def rate(k):
    return k * table["rate"]
""",
        "return t + rate(3)",
        "table['rate'] = 2; rate.cache_clear()",
    ),
    (
        "a cache that keeps its results",
        """
table = {"rate": 1}

@functools.lru_cache
def rate(k):
    return k * table["rate"]
""",
        "return t + rate(3)",
        "rate(4)",
    ),
    (
        "a registry of single dispatch",
        """
@functools.singledispatch
def kind(v):
    return 1
""",
        "return t + kind('text')",
        "kind.register(str, lambda v: 50)",
    ),
    (
        "an object of a context variable",
        """
o = Plain()
held = contextvars.ContextVar("held")
held.set(o)
""",
        "return t + held.get().k",
        "o.k = 5",
    ),
    (
        "a dict of weak references",
        """
o, other = Plain(), Plain(3)
held = weakref.WeakValueDictionary(x=o)
""",
        "return t + held['x'].k",
        "o.k = 5",
    ),
    (
        "another entry of a dict of weak references",
        """
o, other = Plain(), Plain(3)
held = weakref.WeakValueDictionary(x=o)
""",
        "return t + held['x'].k",
        "held['x'] = other",
    ),
    (
        "a set of weak references",
        """
o = Plain()
held = weakref.WeakSet([o])
""",
        "for one in held:\n        t = t + one.k\n    return t",
        "o.k = 5",
    ),
    (
        "methodcaller on an object that can be called",
        """
class Base:
    K = 3
    def meth(self, t):
        return t * 2 + self.K

class A(Base):
    def meth(self, t):
        return super().meth(t)
    def __call__(self, t):
        return t + 1

a = A()
""",
        "return operator.methodcaller('meth', t)(a)",
        "Base.K = 1",
    ),
    (
        "arguments with stars",
        """
L = [Plain()]

def total(*many):
    return sum(one.k for one in many)

def named(**many):
    return many["a"].k
""",
        "return t + total(*L) + total(L[0]) + named(a=L[0])",
        "L[0].k = 5",
    ),
]


def outcomes(program, decorated):
    """The answers before and after the change."""
    _, before, body, change = program
    text = f"{PROLOGUE}{before}\n@decorated\ndef f(t):\n    {body}\n\ndef change():\n    {change}\n"
    path = f"{gw.__file__}.{abs(hash(text))}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {"decorated": decorated, "__name__": __name__}
    exec(compile(text, path, "exec"), names)
    found = [int(names["f"](gw.constant(0)))]
    names["change"]()
    found.append(int(names["f"](gw.constant(0))))
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=[program[0] for program in PROGRAMS])
def test_each_change_is_seen(program):
    assert outcomes(program, gw.function) == outcomes(program, lambda f: f)


@functools.lru_cache
def rate(k):
    return k * 2


def test_a_cache_that_keeps_its_results_makes_one_graph():
    @gw.function
    def f(t):
        return t + rate(3)

    assert [f(gw.constant(n)).item() for n in range(3)] == [6, 7, 8]
    assert f.experimental_get_tracing_count() == 1


def test_code_whose_globals_have_no_name():
    names = {}
    exec("class A:\n k = 1\n def f(self, t): return t * self.k\n", names)
    a = names["A"]()

    @gw.function
    def g(t):
        return a.f(t)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert g(gw.constant(2)) == 2
        a.k = 10
        assert g(gw.constant(2)) == 20
