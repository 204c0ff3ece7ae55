"""Members of enumerations that branches and loops of the graph choose and carry."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
import enum

class S(enum.Enum):
    A = 1
    B = 2
    C = 5

    @property
    def half(self):
        return self.value / 2

    def next(self):
        if self is S.A: return S.B
        if self is S.B: return S.C
        return S.A

class T(enum.Enum):
    A = 1
    B = 2

class X(enum.Enum):
    UP = (0, 1)
    DOWN = (2, -1)

    def __init__(self, dx, dy):
        self.dx, self.dy = dx, dy

class Box:
    def __init__(self):
        self.s = S.A

WEIGHTS = {S.A: 10, S.B: 20, S.C: 30}

def step(s, i):
    if s is S.A and i > 1:
        return S.B
    return s

"""

#: Ways in which the graph comes to decide which member `s` is.
WAYS = {
    "branch": "s = S.A\nif n > 2: s = S.B",
    "chain": "if n > 3: s = S.C\nelif n > 2: s = S.B\nelse: s = S.A",
    "expression": "s = S.B if n % 2 == 0 else S.C",
    "loop": "s = S.A\nfor i in range(n): s = S.B if s is S.A else S.A",
    "while": "s = S.A\nk = n\nwhile k > 0:\n    s = S.B if s == S.A else S.C if s == S.B else S.A\n    k -= 1",
    "match": "s = S.A\nfor i in range(n):\n    match s:\n        case S.A: s = S.B\n        case S.B: s = S.C\n"
    "        case _: s = S.A",
    "method": "s = S.A\nfor i in range(n): s = s.next()",
    "attribute": "b = Box()\nfor i in range(n):\n    if b.s is S.A: b.s = S.B\n    else: b.s = S.A\ns = b.s",
    "return": "s = S.A\nfor i in range(n): s = step(s, i)",
    "break": "s = S.A\nfor i in range(n):\n    s = s.next()\n    if s is S.C: break",
    "list": "ss = [S.A, S.B, S.C]\ns = ss[n % 3]",
    "tuple": "s = (S.A, S.C)[n % 2]",
    "grown list": "ss = [S.A]\nfor i in range(n): ss.append(ss[-1].next())\ns = ss[-1]",
    "unchanged": "s = S.B\nfor i in range(n): s = S.B",
    "set anew": "s = S.A\nfor i in range(n): s = S.C",
}

#: Questions about it.
USES = {
    "itself": "s",
    "parts": "(s, [s, S.A], {'s': s})",
    "is": "s is S.A, s is not S.B, s is T.A",
    "equal": "s == S.A, s != S.B, s == T.A, s == None, s == 1",
    "value": "s.value, s.value * 2 + n",
    "property": "s.half",
    "method": "s.next(), s.next().value",
    "among": "s in (S.A, S.C), s not in [S.B]",
    "class": "isinstance(s, S), isinstance(s, T), type(s) is S",
    "truth": "1 if s else 2",
    "key": "WEIGHTS[s]",
    "branch": "7 if s is S.B else 8",
    "of another": "s is (S.B if n > 3 else S.C), s == (S.A if n < 3 else S.C)",
}

NUMBERS = (3, 0, 4, 2, 7, 1)


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    return np.asarray(value).tolist() if isinstance(value, gw.Tensor) else value


def program(*lines):
    body = "".join(f"    {line}\n" for line in "\n".join(lines).splitlines())
    return function_of(f"{HEAD}def f(n):\n{body}", next(FILES))[0]


FILES = itertools.count(10_000)


@pytest.mark.parametrize("way", WAYS)
def test_the_graph_chooses_members(way):
    for use in USES.values():
        f = program(WAYS[way], f"return {use}")
        graph = gw.function(f)
        for n in NUMBERS:
            assert plain(graph(gw.constant(n))) == f(n), (way, use, n)


#: Programs and their answers are Python's.
PROGRAMS = {
    "counts": "s = S.A\nt = 0\nfor i in range(n):\n    if s is S.A: s = S.B; t += 1\n    elif s is S.B: s = S.C; t += 10\n"
    "    else: s = S.A; t += 100\nreturn s, t",
    "attributes": "d = X.UP\nx = y = 0\nfor i in range(n):\n    x += d.dx\n    y += d.dy\n"
    "    d = X.DOWN if i % 3 == 1 else X.UP\nreturn x, y, d",
    "none": "s = None\nfor i in range(n):\n    if i > 1: s = S.B\nif s is None: return 0\nreturn s.value",
    "optional": "s = None\nif n > 2: s = S.B\nif s is S.B: return 1\nif s == S.A: return 3\nreturn 2",
    "list": "ss = []\ns = S.A\nfor i in range(n):\n    ss.append(s)\n    s = s.next()\nreturn ss",
    "items": "ss = [S.A, S.A]\nfor i in range(n): ss[i % 2] = S.B if ss[i % 2] is S.A else S.C\nreturn ss",
    "two": "s = t = S.A\nif n > 2: s = S.B\nif n > 3: t = S.B\nreturn s is t, s == t, s != t",
    "known": "s = S.B\nreturn s, n",
    "missing key": "s = S.A\nif n > 2: s = S.B\ntry: return {S.A: 1, S.C: 3}[s]\nexcept KeyError: return -1",
    "no key": "s = S.A\nif n > 2: s = S.B\nreturn {S.A: 1, S.C: 3}[s]",
    "unread": "s = S.A\nif n > 2: s = T.A\nreturn n",
}


def outcome(call, n):
    try:
        return plain(call(n))
    except Exception as error:
        return type(error).__name__ if not isinstance(error, KeyError) else ("KeyError", error.args)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    f = program(PROGRAMS[name])
    graph = gw.function(f)
    for n in NUMBERS:
        expected = outcome(f, n)
        found = outcome(graph, gw.constant(n))
        if isinstance(expected, tuple) and expected[0] == "KeyError":
            assert found == "KeyError" or found[0] == "KeyError", (name, n, found)
        else:
            assert found == expected, (name, n)


#: Programs that the graph refuses, and the code and words that say so.
REFUSED = {
    "other class": ("if n > 2: s = T.A\nreturn s", "GW103"),
    "text": ("if n > 2: s = S.B\nreturn s.name", "GW116.*`name` of a member of `S`"),
    "printed": ("if n > 2: s = S.B\nprint(s)", "GW120.*a member of `S`"),
    "formatted": ("if n > 2: s = S.B\nreturn f'{s}'", "GW120.*a member of `S`"),
    "new key": ("if n > 2: s = S.B\nreturn {s: 1}", "GW120.*a member of `S`"),
    "identity": ("if n > 2: s = S.B\nreturn id(s)", "GW120.*a member of `S`"),
    "order": ("if n > 2: s = S.B\nreturn s < S.B", "GW120.*a member of `S`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    text, words = REFUSED[name]
    f = program("s = S.A", text)
    with pytest.raises(Exception, match=f"(?s){words}.*program"):
        gw.function(f)(gw.constant(3))


def test_functions_of_the_graph_take_members():
    f = program(
        "import graphwright as gw",
        "g = gw.function(lambda s, m: m + (1 if s is S.A else 2 if s is S.B else 3))",
        "s, t = S.A, T.A",
        "for i in range(n): s, t = s.next(), T.B",
        "return g(s, n), g(s, n + 1), g(S.C, n), g(t, n)",
    )
    graph = gw.function(f)
    for n in NUMBERS:
        assert plain(graph(gw.constant(n))) == plain(f(n)), n
