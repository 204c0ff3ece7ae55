"""Attributes of classes that objects made by the function read: a graph is made anew once they are others."""

import linecache

import pytest

import graphwright as gw

HEAD = """
class Base:
    far = 7

class P(Base):
    kind = 3
    table = {"a": 2}
    row = [1, 2]
    def __init__(self, x): self.x = x
    def get(self): return self.kind
    def deep(self): return self.table["a"] + self.row[0] + self.far
    @property
    def scaled(self): return self.x * self.kind
    @classmethod
    def of_class(cls): return cls.kind
    def __add__(self, n): return self.kind + n
    def __iadd__(self, n): self.x += n; return self

def made(n): return P(n)
"""

READS = [
    "return P(n).kind",
    "o = P(n); return o.get()",
    "o = P(n); o += o.get(); return o.x",
    "o = P(n); return o + 1",
    "o = P(n); return o.scaled",
    "o = made(n); return o.deep()",
    "return made(n).of_class()",
    "return sum(p.kind for p in [P(n), P(2)])",
    "o = P(n)\n    if n > 0:\n        o.x = o.kind\n    return o.x + o.far",
]
CHANGES = ["P.kind = 70", "P.table['a'] = 9", "P.row[0] = 5", "Base.far = 70", "P.far = 1", "del P.far"]


@pytest.mark.parametrize("read", READS)
def test_each_change_is_seen(read):
    text, names = f"{HEAD}\ndef f(n):\n    {read}\n", {"__name__": "attributes"}
    linecache.cache[f"<{read}>"] = (len(text), None, text.splitlines(True), f"<{read}>")
    exec(compile(text, f"<{read}>", "exec"), names)
    staged = gw.function(names["f"])
    for change in ["", *CHANGES]:
        exec(change, names)
        for _ in range(2):
            assert staged(gw.constant(4)).numpy() == names["f"](4), change


def test_fields_of_dataclasses_are_no_guards():
    text = """
import dataclasses
@dataclasses.dataclass
class P:
    x: int = 0
    y: float = 0.5
def f(n): return P(n).x + 1
"""
    names = {"__name__": "attributes"}
    linecache.cache["<fields>"] = (len(text), None, text.splitlines(True), "<fields>")
    exec(compile(text, "<fields>", "exec"), names)
    staged = gw.function(names["f"])
    assert staged(gw.constant(1)).numpy() == 2
    names["P"].y = 0.75
    assert staged(gw.constant(1)).numpy() == 2
    assert staged.experimental_get_tracing_count() == 1


def test_a_counter_of_a_class_is_counted_by_each_call():
    class Counted:
        count = 0

        def __init__(self, x):
            Counted.count += 1
            self.x = x

    @gw.function
    def f(n):
        return Counted(n).x * 2

    for k in range(1, 4):
        assert f(gw.constant(k)).numpy() == 2 * k
        assert Counted.count == k
