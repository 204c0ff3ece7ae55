"""Lists and deques of the user's own classes around a function: each call does to them what Python does, or is refused.

A product of classes, changes and reads, native beside staged, three calls of one function.
"""

from __future__ import annotations

import itertools

import pytest

import graphwright as gw
from array_programs import function_of

PROGRAM = """
from collections import deque
class Stack(list): pass
class Queue(deque): pass
class Counted(list):
    times = 0
    def append(self, item):
        self.times += 1
        super().append(item)
class Slow(deque):
    def extend(self, items):
        for item in items:
            super().append(item + 1)
        super().append(0)
class Holder: pass
L = {made}
HOLDER = Holder()
HOLDER.held = L
TABLE = {{"a": L}}
def f(n):
    held = {place}
    {change}
    return {read}
"""
CLASSES = ("Stack", "Queue", "Counted", "Slow")
CHANGES = (
    "held.append(n)",
    "held.append(5)",
    "held.extend([n, 2])",
    "held.insert(0, n)",
    "held.pop(); held.append(n)",
    "held[0] += n",
    "held.clear(); held.append(n)",
    "held += [n]",
    "held.remove(held[-1])",
    "if n > 4: held.append(n)",
    "for i in range(n): held.append(i)",
)
PLACES = ("L", "HOLDER.held", "TABLE['a']")
READS = ("len(held)", "sum(held)", "held[-1]", "[*held]")


def plain(value):
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, gw.Tensor) else value


def outcomes(text, name, wrap, given):
    """Results of three calls, and what the list holds in the end; the refusal, if a call is refused."""
    f, _ = function_of(text, name)
    held, staged, results = f.__globals__["L"], wrap(f), []
    for n in (3, 5, 2):
        try:
            results.append(plain(staged(given(n))))
        except (ValueError, TypeError) as error:
            if not (str(error).startswith("GW") and "-->" in str(error)):
                raise
            return None
    return results, [plain(item) for item in held], getattr(held, "times", None)


@pytest.mark.parametrize(("kind", "place"), list(itertools.product(CLASSES, PLACES)))
def test_calls_do_what_python_does(kind, place):
    agreed = 0
    for change, read in itertools.product(CHANGES, READS):
        text = PROGRAM.format(made=f"{kind}([1, 2, 3, 4, 5])", place=place, change=change, read=read)
        name = f"{kind}, {place}, {change}, {read}"
        native = outcomes(text, name, lambda f: f, lambda n: n)
        ours = outcomes(text, name, gw.function, lambda n: gw.constant(n, gw.int64))
        assert ours is None or ours == native, name
        agreed += ours is not None
    assert agreed > 5
