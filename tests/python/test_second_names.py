"""Objects with two names, of which a branch, a loop or a helper changes one and binds the other anew."""

import itertools
import linecache
import re

import pytest

import graphwright as gw

# Each row: an object made of a number, the read of that number, and two ways of changing it.
KINDS = {
    "dataclass": ("P({v})", "{o}.x", "{o}.x -= 1", "{o}.x = {o}.x * 2 + 1"),
    "dict": ("{{'x': {v}}}", "{o}['x']", "{o}['x'] -= 1", "{o}['x'] = {o}['x'] * 2 + 1"),
    "list": ("[{v}]", "{o}[0]", "{o}[0] -= 1", "{o}[0] = {o}[0] * 2 + 1"),
    "a dataclass in a dataclass": ("Q(P({v}))", "{o}.p.x", "{o}.p.x -= 1", "{o}.p.x = {o}.p.x * 2 + 1"),
    "a dataclass in a dict": ("{{'p': P({v})}}", "{o}['p'].x", "{o}['p'].x -= 1", "{o}['p'].x *= 3"),
    "a dataclass in a list": ("[P({v})]", "{o}[0].x", "{o}[0].x -= 1", "{o}[0].x *= 3"),
    "a list in a tuple": ("([{v}],)", "{o}[0][0]", "{o}[0][0] -= 1", "{o}[0][0] *= 3"),
    "methods": ("P({v})", "{o}.x", "{o}.less()", "less({o})"),
    "an ordinary class": ("C({v})", "{o}.x", "{o}.x -= 1", "{o}.x *= 3"),
}

# M(v) makes an object, R(o) reads it, C(o) and D(o) change it.
SHAPES = {
    "if": """
def f(a, x):
    p = M(a)
    if x > 0:
        q = p
        C(q)
    else:
        p = M(100)
    return R(p)
""",
    "if2": """
def f(a, x):
    p = M(a)
    q = p
    if x > 0:
        C(q)
        D(p)
    else:
        p = M(100)
        C(q)
    return R(p), R(q)
""",
    "swap": """
def f(a, x):
    p = M(a)
    q = M(7)
    if x > 0:
        p, q = q, p
        C(q)
    else:
        D(p)
    return R(p), R(q)
""",
    "for": """
def f(a, x):
    p = M(a)
    for k in range(a):
        if k > x:
            q = p
            C(q)
        else:
            p = M(10)
    return R(p)
""",
    "for2": """
def f(a, x):
    p = M(a)
    first = p
    for k in range(a):
        C(p)
        if k == x:
            p = M(k)
    D(first)
    return R(p), R(first)
""",
    "while": """
def f(a, x):
    p = M(a)
    q = p
    while R(q) > x:
        C(q)
        if R(p) == 2:
            p = M(3)
    return R(p), R(q)
""",
    "helper": """
def change(o):
    C(o)
    return o
def f(a, x):
    p = M(a)
    if x > 0:
        q = change(p)
        D(q)
    else:
        p = M(50)
    return R(p)
""",
    "try": """
def f(a, x):
    p = M(a)
    try:
        q = p
        if x > 0:
            C(q)
            raise ValueError
        p = M(9)
        D(q)
    except ValueError:
        C(p)
    return R(p), R(q)
""",
    "match": """
def f(a, x):
    p = M(a)
    q = p
    match x:
        case 0:
            C(q)
        case 1:
            p = M(8)
            q = p
            C(q)
        case _:
            D(q)
    return R(p), R(q)
""",
    "ternary": """
def f(a, x):
    p = M(a)
    q = M(5)
    r = p if x > 0 else q
    C(p)
    return R(p), R(q), R(r)
""",
    "nestif": """
def f(a, x):
    p = M(a)
    if x > 0:
        q = p
        if a > 2:
            C(q)
            p = M(33)
        D(q)
        C(p)
    else:
        q = M(4)
    return R(p), R(q)
""",
}

HEAD = """
import dataclasses

@dataclasses.dataclass
class P:
    x: int = 0
    def less(self): self.x -= 1

@dataclasses.dataclass
class Q:
    p: P

class C:
    def __init__(self, x): self.x = x

def less(o): o.x -= 2
"""


def function_of(shape, kind, names):
    make, read, change, other = KINDS[kind]
    ways = {"M": make, "R": read, "C": change, "D": other}
    body = re.sub(r"\b([MRCD])\((\w+)\)", lambda m: ways[m[1]].format(v=m[2], o=m[2]), SHAPES[shape])
    text, name = HEAD + body, f"<{shape}, {kind}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), names)
    return names["f"]


def numbers(result):
    return tuple(map(int, result)) if isinstance(result, list | tuple) else (int(result),)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_both_names_see_what_becomes_of_the_object(shape, kind):
    f = function_of(shape, kind, {"__name__": "names"})
    staged, refused = gw.function(f), None
    for a, x in itertools.product((1, 3, 5), (0, 1, 2)):
        try:
            result = staged(gw.constant(a, gw.int64), gw.constant(x, gw.int64))
        except ValueError as error:
            refused = str(error)
            break
        assert numbers(result) == numbers(f(a, x))
    assert refused is None or re.match(r"GW(103|122|130): [^\n]*\n +--> <", refused)


@pytest.mark.parametrize("kind", ["dataclass", "dict", "a dataclass in a dict"])
@pytest.mark.parametrize("shape", ["if", "if2", "swap", "helper"])
def test_branches_on_dataclasses_and_dicts_are_staged(shape, kind):
    f = function_of(shape, kind, {"__name__": "names"})
    assert numbers(gw.function(f)(gw.constant(3), gw.constant(1))) == numbers(f(3, 1))


def test_globals_without_a_name_are_the_users():
    """`exec` into an empty dict makes classes that say that they are of `builtins`."""
    f = function_of("swap", "methods", {})
    assert numbers(gw.function(f)(gw.constant(3), gw.constant(1))) == numbers(f(3, 1))
