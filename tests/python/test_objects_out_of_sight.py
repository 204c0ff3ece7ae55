"""Objects that a branch or loop reaches through references, caches, descriptors and modules: Python's answer or a located error."""

from __future__ import annotations

import itertools
import re

import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
import contextvars, functools, operator, sys, threading, types, weakref

sys.modules["of_program"] = types.ModuleType("of_program")

class O:
    def __init__(self):
        self.v, self.items, self.table = 1, [], {}

class Named:
    def __init__(self, **names):
        self.__dict__.update(names)
"""

#: Ways to an object `o`: statements, and the expression that gives it.
WAYS = {
    "reference": ("r = weakref.ref(o)", "r()"),
    "subclass of a reference": ("class R(weakref.ref): pass\nr = R(o)", "r()"),
    "weak dict": ("d = weakref.WeakValueDictionary(a=o)", "d['a']"),
    "weak set": ("s = weakref.WeakSet([o])", "list(s)[0]"),
    "proxy": ("r = weakref.proxy(o)", "r"),
    "weak method": (
        "class M(O):\n    def me(self): return o\nm = M()\nr = weakref.WeakMethod(m.me)",
        "r()()",
    ),
    "property": ("class P:\n    it = property(lambda self: o)\np = P()", "p.it"),
    "decorated property": ("class P:\n    @property\n    def it(self): return o\np = P()", "p.it"),
    "descriptor": (
        "class D:\n    def __get__(self, one, kind): return o\nclass P: it = D()\np = P()",
        "p.it",
    ),
    "getattr": ("class P:\n    def __getattr__(self, name): return o\np = P()", "p.anything"),
    "cached property": (
        "class P:\n    it = functools.cached_property(lambda self: o)\np = P()\np.it",
        "p.it",
    ),
    "partial method": ("class P:\n    it = functools.partialmethod(lambda self, k: k, o)\np = P()", "p.it()"),
    "cache": ("c = functools.cache(lambda: o)\nc()", "c()"),
    "cold cache": ("c = functools.cache(lambda: o)", "c()"),
    "cache of its own": ("c = functools.lru_cache(lambda k: Named(o=o))\nc(1)", "c(1).o"),
    "view of a dict": ("d = types.MappingProxyType({'a': o})", "d['a']"),
    "attribute getter": ("n_ = Named(o=o)\ng = operator.attrgetter('o')", "g(n_)"),
    "item getter": ("d = {'a': o}\ng = operator.itemgetter('a')", "g(d)"),
    "bound getter": ("n_ = Named(o=o)\ng = n_.__getattribute__", "g('o')"),
    "context": ("c = contextvars.ContextVar('c')\nc.set(o)", "c.get()"),
    "thread": ("t = threading.local()\nt.o = o", "t.o"),
    "partial": ("p = functools.partial(lambda x: x, o)", "p()"),
    "module": ("import of_program\nof_program.o = o", "of_program.o"),
    "single dispatch": ("g = functools.singledispatch(lambda x: o)", "g(1)"),
    "default": ("def g(x=o): return x", "g()"),
    "globals": ("global OBJECT\nOBJECT = o", "globals()['OBJECT']"),
}

#: What is done to the object, given the expression.
CHANGES = {
    "set": "{}.v = 5",
    "count": "{}.v += n",
    "append": "{}.items.append(3)",
    "key": "{}.table['a'] = n",
}

#: Where.
PLACES = {
    "branch": "if n > 2:\n    {}",
    "loop": "for i in range(n):\n    {}",
    "branch of a loop": "for i in range(n):\n    if i > 1:\n        {}",
    "while": "k = 0\nwhile k < n:\n    {}\n    k += 1",
    "try": "try:\n    if n > 2:\n        raise ValueError\nexcept ValueError:\n    {}",
}
SEEN = "o.v, len(o.items), len(o.table)"


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def around(way: str, body: str) -> str:
    """A module whose object stays between calls, and that tells what it holds."""
    begin, _ = WAYS[way]
    inner = indented(
        f"o = O()\n{begin}\ndef f(n):\n{indented(body)}    return n\ndef seen(): return {SEEN}\nreturn f, seen"
    )
    return HEAD + "def make():\n" + inner + "\nf, seen = make()\n"


def within(way: str, body: str) -> str:
    """A function that makes the object, and gives what it holds."""
    return (
        HEAD
        + f"def f(n):\n{indented('o = O()' + chr(10) + WAYS[way][0] + chr(10) + body)}    return {SEEN}\n"
    )


def plain(value):
    return [plain(item) for item in value] if isinstance(value, tuple) else int(value)


def told(call):
    try:
        return plain(call())
    except Exception as error:
        return "GW" if re.match(r"GW\d", str(error)) else type(error).__name__


def staged(f):
    graph = gw.function(f)
    return lambda n: graph(gw.constant(n))


def kept(text, about, wrapped):
    """What each call of the module's function gives, and what its object holds then."""
    f, _ = function_of(text, about)
    call, seen = wrapped(f), f.__globals__["seen"]
    return [(told(lambda n=n: call(n)), told(seen)) for n in (1, 5, 4)]


@pytest.mark.parametrize(("way", "place"), list(itertools.product(WAYS, PLACES)))
def test_changes(way, place):
    for change, pattern in CHANGES.items():
        body = PLACES[place].format(pattern.format(WAYS[way][1]))
        text = within(way, body)
        native, _ = function_of(text, f"{change} native")
        graph = staged(function_of(text, f"{change} graph")[0])
        for n in (5, 1, 4):
            expected, found = told(lambda n=n: native(n)), told(lambda n=n: graph(n))
            assert found in (expected, "GW"), (text, n, expected, found)
        text = around(way, body)
        expected = kept(text, f"{change} native around", lambda f: f)
        found = kept(text, f"{change} graph around", staged)
        for one, other in zip(found, expected, strict=True):
            if one[0] == "GW":
                break
            assert one == other, text
