"""Programs that read something, and change it between two calls: each kind of read with each kind of change.

A graph that is kept must see the change, or not be kept.
"""

from __future__ import annotations

import contextlib
import functools
import math

from .modules import Program

HEADER = """\
import math, functools, itertools, collections, operator, types, dataclasses, enum
import numpy as np
import contextlib
G = 1
L = [1, 2, 3]
D = {'a': 1, 'n': {'k': 1}}
S = {1, 2}
T = (1, [5])
A = np.array([1, 2, 3])
BIG = list(range(3000))
class P:
    c = 1
    def __init__(self): self.x = 1; self.l = [1]; self.d = {'k': 1}
    def m(self): return 1
    @property
    def p(self): return 1
    @staticmethod
    def s(): return 1
    @classmethod
    def k(cls): return cls.c
    def __getitem__(self, i): return 1
    def __len__(self): return 1
    def __call__(self): return 1
    def __contains__(self, i): return True
    def __iter__(self): return iter([1])
    def __eq__(self, o): return True
    def __bool__(self): return True
    def __add__(self, o): return 1
    def __enter__(self): return 1
    def __exit__(self, *a): pass
class Q(P):
    def m(self): return super().m() + 1
class R:
    def __getattr__(self, n): return 1
O = P(); O2 = Q(); O3 = R()
O.sub = P()
def h(x=1, *, k=1): return x + k
def h2(x=1, *, k=1): return 7
def deep(): return h()
def mk():
    v = 1
    def get(): return v
    def put(n):
        nonlocal v
        v = n
    return get, put
get, put = mk()
par = functools.partial(h, 1)
lam = lambda: 1
ns = types.SimpleNamespace(v=1, w=types.SimpleNamespace(u=1))
dd = collections.defaultdict(lambda: 1)
cd = collections.ChainMap({'a': 1})
dq = collections.deque([1, 2])
@dataclasses.dataclass
class DC:
    v: int = 1
dc = DC()
class E(enum.Enum): X = 1
Nt = collections.namedtuple('Nt', 'v')
nt = Nt([1])
def gen():
    yield G
def rec(n): return G if n <= 0 else rec(n - 1)
"""
READS = [
    "G",
    "L[0]",
    "len(L)",
    "sum(L)",
    "L[-1]",
    "BIG[2500]",
    "sum(BIG)",
    "D['a']",
    "D['n']['k']",
    "len(D)",
    "D.get('z', 0)",
    "int('z' in D)",
    "len(S)",
    "int(5 in S)",
    "T[1][0]",
    "int(A[0])",
    "int(A.sum())",
    "int(A[1]) + A[0]",
    "O.x",
    "O.l[0]",
    "O.d['k']",
    "O.sub.x",
    "O.c",
    "P.c",
    "O.m()",
    "O2.m()",
    "O.p",
    "O.s()",
    "O.k()",
    "O[0]",
    "len(O)",
    "O()",
    "int(5 in O)",
    "sum(O)",
    "1 if O else 2",
    "O + 1",
    "int(O == 3)",
    "O3.q",
    "h()",
    "deep()",
    "par()",
    "lam()",
    "get()",
    "ns.v",
    "ns.w.u",
    "dd['q']",
    "cd['a']",
    "dq[0]",
    "dc.v",
    "nt.v[0]",
    "math.floor(1.5)",
    "len([1])",
    "int(isinstance(O, Q))",
    "int(hasattr(O, 'zz'))",
    "getattr(O, 'zz', 0)",
    "len(vars(O))",
    "int(type(O) is P)",
    "int(O is O2)",
    "sum(gen())",
    "rec(2)",
    "globals()['G']",
    "sum(x for x in L)",
    "sorted(L)[0]",
    "len(str(G))",
    'sum(v for v in (D["a"],))',
    "np.add(G, 0)",
    "min(L)",
    "sum([*L])",
]
CHANGES = [
    "global G; G = 5",
    "L[0] = 5",
    "L.append(5)",
    "L.clear(); L.append(9)",
    "global L; L = [9]",
    "BIG[2500] = -5",
    "D['a'] = 5",
    "D['n']['k'] = 5",
    "D['z'] = 5",
    "S.add(5)",
    "T[1][0] = 9",
    "A[0] = 9",
    "global A; A = np.array([9, 9, 9])",
    "O.x = 5",
    "O.l[0] = 5",
    "O.d['k'] = 5",
    "O.sub.x = 5",
    "O.c = 5",
    "P.c = 6",
    "P.m = lambda self: 5",
    "O.m = lambda: 6",
    "P.p = property(lambda self: 5)",
    "P.s = staticmethod(lambda: 5)",
    "P.k = classmethod(lambda cls: 5)",
    "P.__getitem__ = lambda self, i: 5",
    "P.__len__ = lambda self: 5",
    "P.__call__ = lambda self: 5",
    "P.__contains__ = lambda self, i: False",
    "P.__iter__ = lambda self: iter([5])",
    "P.__bool__ = lambda self: False",
    "P.__add__ = lambda self, o: 5",
    "P.__eq__ = lambda self, o: False",
    "P.__enter__ = lambda self: 5",
    "R.__getattr__ = lambda self, n: 5",
    "O3.q = 6",
    "global h; h = h2",
    "h.__defaults__ = (5,)",
    "h.__kwdefaults__ = {'k': 6}",
    "h.__code__ = h2.__code__",
    "global par; par = functools.partial(h, 5)",
    "global lam; lam = lambda: 5",
    "put(5)",
    "get.__closure__[0].cell_contents = 6",
    "ns.v = 5",
    "ns.w.u = 5",
    "dd['q'] = 5",
    "cd['a'] = 5",
    "dq[0] = 5",
    "dc.v = 5",
    "nt.v[0] = 5",
    "math.floor = lambda x: 5",
    "global len; len = lambda x: 5",
    "O.__class__ = Q",
    "O.zz = 5",
    "global O; O = O2",
    "del O.sub",
    "O.__dict__['w'] = 5",
    "Q.__bases__ = (P,); P.m = lambda self: 8",
]
TAIL = """\
def change():
    {change}
CALLS = [lambda: (10, ), lambda: (10, ), change, lambda: (10, ), lambda: (10, )]
STAGED = [True]
TEXTLESS = False
"""


def text(read: str, change: str) -> str:
    """A program that reads and changes."""
    return HEADER + f"def f(n):\n    return n + {read}\n" + TAIL.format(change=change)


def tells(read: str, change: str) -> bool:
    """True where plain Python's answer changes."""
    names: dict[str, object] = {}
    floor = math.floor
    try:
        exec(text(read, change), names)
        before = names["f"](10)  # type: ignore[operator]
        names["change"]()  # type: ignore[operator]
        with contextlib.suppress(Exception):
            return bool(before != names["f"](10))  # type: ignore[operator]
    except Exception:
        return False
    finally:
        math.floor = floor
    return True


@functools.cache
def pairs() -> list[tuple[str, str]]:
    """The reads and changes that tell."""
    return [(read, change) for read in READS for change in CHANGES if tells(read, change)]


def program(number: int, without: tuple[str, ...] = ()) -> Program:
    """The program of a number."""
    del without
    return Program(text(*pairs()[number % len(pairs())]))
