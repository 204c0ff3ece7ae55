"""Effects that no store in the text shows, in a branch or loop: Python's answer or a located error.

They are those of methods of iterators, partial functions, caches, hooks of classes, objects of the standard library, and
the state of the process.
"""

from __future__ import annotations

import itertools
import re

import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
import configparser, contextlib, contextvars, decimal, functools, gc, logging, os, pathlib, sys, tempfile, warnings, weakref
import xml.etree.ElementTree as ET

LOGGER = logging.getLogger("program")
FOLDER = tempfile.mkdtemp()
CONTEXT = contextvars.ContextVar("context", default=0)

class Plain: pass

def counter():
    total = 0
    while True:
        total += (yield total)

def f(n):
"""

#: Statements that make an object, change it in a branch or loop, and tell whether they did.
EFFECTS = {
    "send": ("g = counter(); next(g)", "g.send(5)", "g.send(1)"),
    "bound send": ("g = counter(); next(g); put = g.send", "put(5)", "g.send(1)"),
    "close": ("g = counter(); next(g)", "g.close()", "next(g, -1)"),
    "bound next": ("i = iter([1, 2, 3]); take = i.__next__", "take()", "list(i)"),
    "partial append": ("a = []; p = functools.partial(a.append, 5)", "p()", "len(a)"),
    "partial update": ("d = {}; p = functools.partial(d.update, a=1)", "p()", "len(d)"),
    "bound append": ("a = []; p = a.append", "p(5)", "len(a)"),
    "exit stack": ("a = []; s = contextlib.ExitStack()", "s.callback(a.append, 1)", "(s.close(), len(a))[1]"),
    "closed stack": ("a = []; s = contextlib.ExitStack(); s.callback(a.append, 1)", "s.close()", "len(a)"),
    "popped stack": (
        "s = contextlib.ExitStack(); s.callback(len, ())",
        "s.pop_all()",
        "len(s._exit_callbacks)",
    ),
    "cached effect": (
        "c = [0]\n@functools.cache\ndef g(k):\n    c[0] += 1\n    return c[0]",
        "g(1)",
        "(c[0], g(1), g(2))",
    ),
    "cached append": (
        "c = []\n@functools.lru_cache(maxsize=None)\ndef g(k):\n    c.append(k)\n    return len(c)",
        "g(1)",
        "(len(c), g(1), g(2))",
    ),
    "cached of the graph": (
        "c = [0]\n@functools.cache\ndef g(k):\n    c[0] += 1\n    return c[0]",
        "g(n)",
        "(g(n), g(n), g(n + 1))",
    ),
    "cache info": ("g = functools.cache(lambda k: k * 2)", "g(3)", "g.cache_info().misses"),
    "cache clear": (
        "g = functools.cache(lambda k: k * 2); g(3)",
        "g.cache_clear()",
        "g.cache_info().currsize",
    ),
    "new": (
        "c = []\nclass K:\n    def __new__(cls):\n        c.append(1)\n        return object.__new__(cls)",
        "K()",
        "len(c)",
    ),
    "metaclass": (
        "c = []\nclass M(type):\n    def __call__(cls):\n        c.append(1)\nclass K(metaclass=M): pass",
        "K()",
        "len(c)",
    ),
    "subclass": (
        "c = []\nclass A:\n    def __init_subclass__(cls):\n        c.append(1)",
        "type('B', (A,), {})",
        "len(c)",
    ),
    "finalizer": (
        "c = []\nclass A:\n    def __del__(self):\n        c.append(1)\nk = A()",
        "k = None",
        "len(c)",
    ),
    "environment": (
        "os.environ['GW_PROGRAM'] = 'a'",
        "os.environ['GW_PROGRAM'] = 'b'",
        "len(os.environ['GW_PROGRAM'] * 2)",
    ),
    "environment key": (
        "os.environ.pop('GW_KEY', None)",
        "os.environ['GW_KEY'] = 'b'",
        "'GW_KEY' in os.environ",
    ),
    "path": ("del sys.path[:]", "sys.path.append('x')", "len(sys.path)"),
    "recursion limit": (
        "sys.setrecursionlimit(5000)",
        "sys.setrecursionlimit(6000)",
        "sys.getrecursionlimit()",
    ),
    "collector": ("gc.enable()", "gc.disable()", "gc.isenabled()"),
    "logger": ("LOGGER.setLevel(10)", "LOGGER.setLevel(20)", "LOGGER.level"),
    "decimal": (
        "decimal.getcontext().prec = 20",
        "decimal.getcontext().prec = 9",
        "decimal.getcontext().prec",
    ),
    "context variable": ("CONTEXT.set(1)", "CONTEXT.set(2)", "CONTEXT.get()"),
    "weak set": ("w = weakref.WeakSet(); o = Plain()", "w.add(o)", "len(w)"),
    "weak dict": ("w = weakref.WeakValueDictionary(); o = Plain()", "w['a'] = o", "len(w)"),
    "parser": ("c = configparser.ConfigParser(); c['a'] = {'x': '1'}", "c['a']['y'] = '2'", "len(c['a'])"),
    "element": ("e = ET.Element('e')", "ET.SubElement(e, 'x')", "len(e)"),
    "element append": ("e = ET.Element('e'); x = ET.Element('x')", "e.append(x)", "len(e)"),
    "file": ("p = pathlib.Path(FOLDER) / 'a'; p.write_text('a')", "p.write_text('bb')", "len(p.read_text())"),
    "file removed": (
        "p = pathlib.Path(FOLDER) / 'a'; p.write_text('a')",
        "p.unlink(missing_ok=True)",
        "p.exists()",
    ),
    "warning": (
        "m = warnings.catch_warnings(record=True); w = m.__enter__(); warnings.simplefilter('always')",
        "warnings.warn('x')",
        "(m.__exit__(None, None, None), len(w))[1]",
    ),
}

WAYS = {
    "branch": "if n > 1:\n    {}",
    "other branch": "if n > 1:\n    pass\nelse:\n    {}",
    "for": "for _ in range(n):\n    {}",
    "while": "i = 0\nwhile i < n:\n    {}\n    i += 1",
    "straight": "{}",
}


def program(effect: str, way: str) -> str:
    made, done, told = EFFECTS[effect]
    body = [*made.splitlines(), *WAYS[way].format(done).splitlines(), f"return {told}"]
    return HEAD + "".join(f"    {line}\n" for line in body)


def numbers(value):
    if isinstance(value, (tuple, list)):
        return [numbers(one) for one in value]
    return value.numpy().item() if isinstance(value, gw.Tensor) else value


def outcome(call):
    try:
        return numbers(call())
    except Exception as error:
        located = re.match(r"(GW\d+): (?s:.*)-->", str(error))
        return located.group(1) if located else type(error).__name__


@pytest.fixture(autouse=True)
def the_process_stays_as_it_is(monkeypatch):
    import decimal
    import gc
    import logging
    import sys
    import warnings

    monkeypatch.setattr(sys, "path", list(sys.path))
    limit, precision = sys.getrecursionlimit(), decimal.getcontext().prec
    monkeypatch.setenv("GW_PROGRAM", "a")
    monkeypatch.setenv("GW_KEY", "a")
    with warnings.catch_warnings():
        yield
    sys.setrecursionlimit(limit)
    decimal.getcontext().prec = precision
    gc.enable()
    logging.getLogger("program").setLevel(logging.NOTSET)


@pytest.mark.parametrize(("effect", "way"), list(itertools.product(EFFECTS, WAYS)))
@pytest.mark.parametrize("numbers", ["static", "staged"])
def test_effects(effect, way, numbers):
    f, _ = function_of(program(effect, way), f"{effect}, {way}")
    g = gw.function(f, python_numbers=numbers)
    for n in (0, 3, 1):
        expected = outcome(lambda n=n: f(n))
        found = outcome(lambda n=n: g(gw.constant(n) if numbers == "static" else n))
        assert found == expected or re.match(r"GW\d", str(found)), n
        if way == "straight" and effect in STRAIGHT:
            assert found == expected, n


#: Effects that a function may have outside of branches and loops.
STRAIGHT = {
    "send", "bound send", "bound next", "partial append", "bound append", "closed stack", "new", "metaclass", "subclass",
    "environment key", "recursion limit", "collector", "logger", "decimal", "weak set", "parser", "element",
    "element append", "warning",
}  # fmt: skip


@pytest.mark.parametrize("over", ["d", "d.items()", "d.values()", "enumerate(d)", "list(d)"])
def test_a_dict_that_grows_in_a_loop_over_it(over):
    text = f"def f(n):\n    d = {{1: 2}}\n    for _ in {over}:\n        if n > 2:\n            d[7] = 1\n    return len(d)\n"
    f, _ = function_of(text, over)
    g = gw.function(f)
    for n in (0, 3):
        expected, found = outcome(lambda n=n: f(n)), outcome(lambda n=n: g(gw.constant(n)))
        assert found in (expected, "GW104"), n
        assert over != "list(d)" or found == expected


def test_counters_whose_class_has_the_first_value():
    """The methods of a class store an attribute that objects find in their class at first."""

    class Meter:
        total = 0

        def add(self, x):
            self.total = self.total + x

    class Twice(Meter):
        def add(self, x):
            super().add(2 * x)

    def f(n):
        meter, twice = Meter(), Twice()
        for i in range(n):
            meter.add(i)
            if i > 1:
                twice.add(i)
        return meter.total, twice.total

    g = gw.function(f)
    for n in (0, 1, 5):
        assert numbers(g(gw.constant(n))) == list(f(n))
