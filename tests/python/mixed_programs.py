"""Random programs that mix lists, dicts, sets, recursion and exceptions, where the argument decides what happens."""

from __future__ import annotations

import random

HELPERS = """
def total(n, last=0, step=1):
    if n <= 0:
        return last
    return total(n - step, last + n) + n % 3

def ping(n, m):
    return m if n <= 0 else pong(m - 1, n) + 1

def pong(n, m):
    return m * 2 if n <= 0 else ping(m - 1, n)

def deep(n):
    if n == 4:
        raise ValueError("deep")
    if n <= 0:
        return 1
    try:
        return deep(n - 1) + 2
    finally:
        n += 1

def digest(items):
    found = len(items)
    for item in items:
        found = (found * 31 + item) % 1009
    return found

def picked(table, key):
    try:
        return table[key]
    except KeyError as error:
        raise LookupError("no key") from error
"""

NUMBERS = [
    "x",
    "a",
    "b",
    "0",
    "1",
    "2",
    "5",
    "len(p)",
    "len(q)",
    'd["u"]',
    "p.count(a)",
    "sum(q) % 11",
    "len(s)",
]
NUMBERS += [
    'd.get("z", a)',
    "(p[-1] if p else b)",
    "(a + b) % 9",
    "(x * a) % 7",
    "min(a, b)",
    "k.get(a % 3, -1)",
]

CHANGES = [
    "p.append({n})",
    "q.append({n})",
    "if p: p.pop()",
    "if q: q.pop(0)",
    "p.insert(0, {n})",
    "if len(q) > 1: del q[0]",
    "if len(p) > 1: p[1] = {n}",
    "if p: p[a % len(p)] = {n}",
    "p.reverse()",
    "q.extend([x, {n}])",
    "q = [e + 1 for e in p]",
    "p = p + [{n}]",
    "p, q = q, p",
    'd["u"] = {n}',
    'd.setdefault("z", {n})',
    "k[{n} % 3] = {n}",
    "if 1 in k: b += k.pop(1)",
    "s.add({n} % 4)",
    "s.discard({n} % 4)",
    "a = {n}",
    "b = ({n}) % 13",
    "b += total({n} % 5)",
    "b += total({n} % 6, a, 2)",
    "a = ping({n} % 4, {n} % 4)",
    "b = (b + ping({n} % 3, 2)) % 17",
    "b = deep({n} % 6)",
    "b += picked(d, 'u')",
]

RAISED = ['ValueError("v")', 'KeyError("k")', "IndexError"]
CAUGHT = ["ValueError", "LookupError", "(KeyError, ValueError)", "Exception"]


class Writer:
    """Writes the statements of one program, as a source of randomness decides."""

    def __init__(self, seed: int, depth: int) -> None:
        self.random = random.Random(seed)
        self.depth = depth
        self.counters = 0

    def number(self) -> str:
        return self.random.choice(NUMBERS)

    def test(self) -> str:
        pick = self.random.choice
        return pick(
            [f"{self.number()} {pick(['<', '>', '==', '!='])} {self.number()}", "a in p", "a in s", "not q"]
        )

    def block(self, indent: int, depth: int) -> list[str]:
        return [line for _ in range(self.random.randint(1, 2)) for line in self.statement(indent, depth)]

    def statement(self, indent: int, depth: int) -> list[str]:
        kind = (
            self.random.choice(["change"] * 5 + ["if", "for", "each", "try", "leave"])
            if depth < self.depth
            else "change"
        )
        return getattr(self, kind)(indent, depth)

    def change(self, indent: int, _depth: int) -> list[str]:
        return ["    " * indent + self.random.choice(CHANGES).replace("{n}", self.number())]

    def leave(self, indent: int, _depth: int) -> list[str]:
        return ["    " * indent + f"if {self.test()} and {self.test()}: return a, b, -1"]

    def if_(self, indent: int, depth: int) -> list[str]:
        pad = "    " * indent
        lines = [f"{pad}if {self.test()}:", *self.block(indent + 1, depth + 1)]
        if self.random.random() < 0.5:
            lines += [f"{pad}else:", *self.block(indent + 1, depth + 1)]
        return lines

    def for_(self, indent: int, depth: int) -> list[str]:
        pad, self.counters = "    " * indent, self.counters + 1
        name = f"i{self.counters}"
        leaves = self.random.choice(["pass", "continue", "break"])
        return [
            f"{pad}for {name} in range({self.random.choice(['x % 4', 'a % 3', '3'])}):",
            *self.block(indent + 1, depth + 1),
            f"{pad}    if {self.test()}: {leaves}",
            f"{pad}    a = (a + {name}) % 13",
        ]

    def each(self, indent: int, depth: int) -> list[str]:
        pad, self.counters = "    " * indent, self.counters + 1
        name = f"e{self.counters}"
        rows = self.random.choice(["list(p)", "list(q)", "sorted(p)"])
        return [
            f"{pad}for {name} in {rows}:",
            f"{pad}    b = (b * 3 + {name}) % 17",
            *self.block(indent + 1, depth + 1),
        ]

    def try_(self, indent: int, depth: int) -> list[str]:
        pad, pick = "    " * indent, self.random.choice
        lines = [f"{pad}try:", *self.block(indent + 1, depth + 1)]
        lines += [f"{pad}    if {self.test()}: raise {pick(RAISED)}", f"{pad}except {pick(CAUGHT)}:"]
        lines += self.block(indent + 1, depth + 1)
        if self.random.random() < 0.2:
            lines += [f"{pad}    if {self.test()}: raise"]
        if self.random.random() < 0.3:
            lines += [f"{pad}else:", *self.block(indent + 1, depth + 1)]
        if self.random.random() < 0.4:
            lines += [
                f"{pad}finally:",
                *(self.block if self.depth > 2 else self.change)(indent + 1, depth + 1),
            ]
        return lines


# `getattr` finds statements by the kinds of `Writer.statement`, some of which are keywords.
for keyword in ("if", "for", "try"):
    setattr(Writer, keyword, getattr(Writer, f"{keyword}_"))


def program(seed: int, depth: int = 2) -> str:
    """The text of a program, whose function is `f(x)` and whose statements nest this deep."""
    writer = Writer(seed, depth)
    first = "q = []" if seed % 2 else "q = [1, x, 3]"
    lines = [
        "def f(x):",
        "    p = [x, 2]",
        f"    {first}",
        '    d = {"u": 1, "v": x}',
        "    k = {0: x, 1: 5}",
    ]
    lines += [
        "    s = {0, 2}",
        "    a = x",
        "    b = 1",
        *writer.block(1, 0),
        *writer.block(1, 0),
        *writer.block(1, 0),
    ]
    lines += ["    return a, b, digest(p) + 3 * digest(q) + sum(d.values()) + sum(k) * sum(s)"]
    return HELPERS + "\n".join(lines) + "\n"
