"""Places that a graph leaves as they are on some paths hold what they held before each call, and no constant of the graph."""

from __future__ import annotations

import linecache

import pytest

import graphwright as gw

HEAD = """
import dataclasses, types

class N:
    def __init__(self): self.last = 0
    def put(self, n): self.last = n
    def see(self, n):
        if n > 2: self.last = n
    def add(self, n): self.last += n; return self.last

class OfClass:
    last = 0
    def put(self, n): self.last = n
    def add(self, n): self.last += n; return self.last

class Slotted:
    __slots__ = ("last",)
    def __init__(self): self.last = 0
    def put(self, n): self.last = n
    def see(self, n):
        if n > 2: self.last = n
    def add(self, n): self.last += n; return self.last

@dataclasses.dataclass
class D:
    last: int = 0
    def put(self, n): self.last = n
    def see(self, n):
        if n > 2: self.last = n
    def add(self, n): self.last += n; return self.last

class Outer:
    def __init__(self): self.inner = N()
    def put(self, n): self.inner.last = n
    def see(self, n): self.inner.see(n)

def put(o, n): o.last = n
def bump(o): o.last += 1; return o.last

"""
MAKES = ["N()", "OfClass()", "Slotted()", "D()", "Outer().inner", "types.SimpleNamespace(last=0)"]
STORES = ["A.last = n", "put(A, n)", "A.put(n)"]
BODIES = [
    "    if n > 2: {store}\n    return n",
    "    if n > 2: {store}",
    "    if n <= 2: return n\n    {store}\n    return n",
    "    while n > 2:\n        {store}\n        n -= 1\n    return n",
    "    for n in gw.range(3, n + 1): {store}\n    return 1",
    "    try:\n        if n < 3: raise ValueError\n        {store}\n    except ValueError: pass\n    return n",
    "    def inner():\n        if n > 2: {store}\n    inner()\n    return n",
    "    if n > 2:\n        if n < 9: {store}\n    return n",
]
WHOLE = [
    "    A.see(n)\n    return n",
    "    return n + A.add(1)",
    "    return n + bump(A)",
    "    return A.add(n)",
]


def named(source, name):
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"gw": gw, "__name__": __name__}
    exec(compile(source, name, "exec"), space)
    return space


def number(value):
    return value.item() if isinstance(value, gw.Tensor) else value


def states(space, call, arguments):
    """The result and the place after each call; between two of them the place is stored into."""
    seen = []
    for at, argument in enumerate(arguments):
        if at in (3, 5):
            space["A"].last = 100 + at
        seen.append((number(call(argument)), number(space["A"].last)))
    return seen


def cases():
    for make in MAKES:
        stores = STORES[:2] if "Namespace" in make else STORES
        for body in BODIES:
            for store in stores:
                yield make, body.format(store=store)
        for body in WHOLE:
            if hasattr_of(make, body):
                yield make, body


def hasattr_of(make, body):
    if "Namespace" in make:
        return "bump" in body
    return not (make == "OfClass()" and ".see" in body)


@pytest.mark.parametrize("arguments", [(3, 1, 5, 1, 1, 4, 2), (1, 1, 5, 1, 2, 2, 7)])
@pytest.mark.parametrize("is_argument", [False, True])
@pytest.mark.parametrize("make", MAKES)
def test_each_call_leaves_what_is_there(make, is_argument, arguments):
    wrong = []
    for at, (_, body) in enumerate(case for case in cases() if case[0] == make):
        parameters = "A, n" if is_argument else "n"
        source = f"{HEAD}\nA = {make}\ndef f({parameters}):\n{body}\n"
        name = f"<untouched {make} {at} {is_argument}>"
        plain, staged = named(source, name), named(source, name)
        compiled = gw.function(staged["f"])
        first = (lambda space: (space["A"],)) if is_argument else (lambda space: ())
        wanted = states(plain, lambda n, f=plain: f["f"](*first(f), n), arguments)
        try:
            found = states(
                staged, lambda n, f=staged: compiled(*first(f), gw.constant(n, gw.int64)), arguments
            )
        except Exception as error:
            found = str(error).splitlines()[0]
            if found.startswith("GW"):
                continue
        if found != wanted:
            wrong.append((body, found, wanted))
    assert not wrong, wrong[:3]
