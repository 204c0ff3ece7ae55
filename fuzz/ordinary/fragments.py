"""Ordinary statements and expressions over integers, lists, dicts, objects, tuples and closures."""

HEAD = """\
import collections, copy, dataclasses, enum, functools, itertools, math, operator
import numpy as np
@dataclasses.dataclass
class P:
    x: int = 0
    y: float = 0.5
    def add(self, k): self.x += k; return self
    @property
    def twice(self): return self.x * 2
    @twice.setter
    def twice(self, v): self.x = v // 2
class Acc:
    total = 0
    def __init__(self, start=0): self.total = start; self.seen = []
    def push(self, v): self.total += v; self.seen.append(v); return self.total
    def __len__(self): return len(self.seen)
    def __iter__(self): return iter(self.seen)
    def __getitem__(self, i): return self.seen[i]
    def __iadd__(self, v): self.push(v); return self
Pt = collections.namedtuple("Pt", "a b")
def bump(o, k=1):
    o.x += k
    return o
def inner(v, acc=None):
    if v > 2:
        return v - 1
    return v + 1
def make_counter(start):
    count = start
    def step(k=1):
        nonlocal count
        count += k
        return count
    return step
def gen(k):
    for i in range(k):
        yield i * 2
def pick(c, a, b): return a if c else b
import contextlib
"""

BEGIN = {
    "xs": ["[1, n, 3]", "[n, m, 2]", "[4, 5, 6]", "list(range(4))", "[n] * 3"],
    "ys": ["xs", "[7, 8, 9]", "xs[:]", "xs[1:] + [n]", "sorted(xs)"],
    "d": ["{'a': 1, 'b': n}", "{'a': m, 'b': 2}", "dict(a=n, b=m)"],
    "e": ["d", "{'a': 5, 'b': 6}", "dict(d)", "{**d, 'b': 9}"],
    "p": ["P(n)", "P(3, 1.5)", "P(m, x)"],
    "q": ["p", "P(2)", "copy.copy(p)", "dataclasses.replace(p, x=7)"],
    "acc": ["Acc()", "Acc(n)"],
    "t": ["(n, 2)", "(1, m)", "(n, m)"],
    "s": ["0", "n", "m - 1"],
    "f": ["0.0", "x", "1.5"],
    "step": ["make_counter(0)", "make_counter(n)"],
    "grid": ["[[0, 1], [n, 2]]", "[[m, 1], [2, 3]]", "[[0] * 2 for _ in range(2)]"],
}
"""First values of the names."""

CONDITIONS = [
    "n > 2",
    "m < n",
    "x > 0.5",
    "s > 3",
    "p.x > 2",
    "q is p",
    "n % 2 == 0",
    "xs[0] > 2",
    "ys is xs",
    "d['a'] > 1",
    "n in (1, 3)",
    "s and n > 1",
    "not n",
    "1 < n <= 4",
    "acc.total > 2",
    "t[0] == n",
    "f > x",
    "d is e",
    "m in xs",
    "len(xs) > 3",
    "bool(s)",
    "n > 1 or m > 2",
    "x",
    "p == q",
    "t > (1, 1)",
    "xs == ys",
    "'a' in d",
    "any(v > 3 for v in xs)",
    "True",
    "s != 2",
]
"""Tests."""

INTEGERS = [
    "n",
    "m",
    "s",
    "xs[0]",
    "xs[-1]",
    "ys[1]",
    "d['a']",
    "e['b']",
    "p.x",
    "q.x",
    "t[0]",
    "t[1]",
    "acc.total",
    "2",
    "1",
    "-3",
    "len(xs)",
    "n + m",
    "s * 2",
    "n % 3",
    "m // 2",
    "-n",
    "abs(m)",
    "max(n, m)",
    "min(xs)",
    "sum(xs)",
    "inner(n)",
    "step()",
    "int(x)",
    "p.twice",
    "grid[0][1]",
    "grid[1][0]",
    "n ** 2",
    "n & 3",
    "m << 1",
    "divmod(n, 3)[1]",
    "round(x)",
    "pick(n > 2, m, s)",
    "(n if m > 1 else s)",
    "int(n > 2)",
    "sorted(xs)[0]",
    "xs.index(xs[1])",
    "d.get('a', 4)",
    "d.get('z', 4)",
    "(lambda v: v + s)(n)",
    "functools.reduce(operator.add, xs)",
    "sum(v for v in ys if v > 1)",
    "math.gcd(n, 6)",
    "next(iter(ys))",
    "sum(gen(3))",
    "acc.push(2)",
    "xs.count(n)",
    "len(acc)",
]
"""Expressions that give integers."""

FLOATS = [
    "x",
    "f",
    "p.y",
    "x * 2",
    "n / 2",
    "float(n)",
    "math.sqrt(abs(x))",
    "x + n",
    "f - x",
    "1.5",
    "max(f, x)",
    "(x if n > 2 else f)",
    "abs(f)",
    "x ** 2",
    "math.floor(x)",
    "n * 0.5",
]
"""Expressions that give floats."""

STATEMENTS = [
    "s = {i}",
    "s += {i}",
    "s -= {i}",
    "s = s * 2 - {i}",
    "f = {f}",
    "f += {f}",
    "xs[0] = {i}",
    "xs[-1] += {i}",
    "ys[1] = {i}",
    "ys = xs",
    "xs = ys",
    "xs, ys = ys, xs",
    "d['a'] = {i}",
    "e['b'] += {i}",
    "d = e",
    "e = d",
    "d, e = e, d",
    "p.x = {i}",
    "q.x += {i}",
    "p = q",
    "q = p",
    "p, q = q, p",
    "p = P({i})",
    "q = P({i}, {f})",
    "p.y = {f}",
    "p.add({i})",
    "bump(q, {i})",
    "q.twice = {i}",
    "acc.push({i})",
    "acc += {i}",
    "t = ({i}, t[0])",
    "t = t[::-1]",
    "a, b = t\ns += a - b",
    "grid[0][1] = {i}",
    "grid[1] = grid[0]",
    "row = grid[0]\nrow[1] += {i}",
    "step({i})",
    "s = step()",
    "xs = [{i}, {i}, {i}]",
    "xs = [v + 1 for v in xs]",
    "ys = [v * n for v in ys]",
    "xs = xs[::-1]",
    "xs.append({i})",
    "ys.append({i})",
    "xs.pop()",
    "xs.insert(0, {i})",
    "xs.extend([{i}, {i}])",
    "xs += [{i}]",
    "ys = ys + [{i}]",
    "xs.sort()",
    "xs.reverse()",
    "del xs[0]",
    "xs[1:2] = [{i}]",
    "d['c'] = {i}",
    "d.setdefault('a', {i})",
    "d.update(b={i})",
    "e = {{**d, 'a': {i}}}",
    "d.pop('a', 0)",
    "acc = Acc({i})",
    "p = dataclasses.replace(p, x={i})",
    "q = copy.copy(p)",
    "xs = list(acc) + [{i}, 2, 3]",
    "s = len(acc)",
    "s = xs.pop()",
    "n += 1",
    "n = {i} % 5",
    "m = m - 1",
    "x = {f}",
    "assert s < 1000",
    "s = {i} if {c} else {i}",
    "xs[n % 2] = {i}",
    "s = xs[n % 2]",
    "xs[{i} % 3] += 1",
    "s = ys[m % 2] + xs[0]",
    "t = Pt({i}, {i})",
    "s = t[0]",
    "first, *rest = xs\ns += first",
    "z = {i}\ns += z",
    "w = {f}\nf += w",
    "pass",
    "s = (lambda: n + s)()",
    "fs = [lambda: s, lambda: n]\ns = fs[0]() + fs[1]()",
    "s = max(xs, key=lambda v: -v)",
    "o = {{'p': p}}\no['p'].x += {i}",
    "box = [p, q]\nbox[0].x += {i}",
    "box = [xs, ys]\nbox[1][0] = {i}",
    "xs = ys = [{i}, 2, 3]",
    "s: int = {i}",
    "s = sum(r[0] for r in grid)",
    "for r in grid:\n    r[0] += {i}",
    "for o in (p, q):\n    o.x += 1",
    "for k in d:\n    d[k] += 1",
    "for k, v in d.items():\n    s += v",
    "for i, v in enumerate(xs):\n    s += i * v",
    "for i in range(len(xs)):\n    xs[i] += i",
    "for u, v in zip(xs, ys):\n    s += u * v",
    "for v in acc:\n    s += v",
    "del e\ne = {{'a': 0, 'b': {i}}}",
]
"""Statements; `{i}`, `{f}` and `{c}` are expressions of the tables above."""

LENGTHS = ["n", "m", "3", "n % 4", "abs(m) % 4"]
"""Turns of loops."""

SOURCES = [
    "xs[:]",
    "(1, n, 2)",
    "t",
    "gen(n % 4)",
    "list(d.values())",
    "sorted(ys)",
    "reversed(xs[:])",
    "[n, m]",
]
"""Sources of loops."""

RESULT = "s, f, xs, ys, d, e, p.x, p.y, q.x, acc.total, list(acc), t, grid, step(), n, m, x"
"""All that the names hold."""

ARGUMENTS = [(3, 2, 1.5), (1, 4, 0.25), (0, -1, -2.0), (5, 3, 0.75)]
"""Arguments of the calls."""
