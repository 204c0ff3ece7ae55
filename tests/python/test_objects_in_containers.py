"""Objects of the program in containers.

A change between two calls is seen, whichever way the graph reads an object: by a new container, a comparison, a built-in or a
special method.
"""

from __future__ import annotations

import bisect
import collections
import copy
import dataclasses
import functools
import heapq
import itertools
import json
import linecache
import math
import operator
import re
import types
import weakref

import numpy as np
import pytest

import graphwright as gw

#: Reads of an object that stands in a list, dict, set or object.
READS = """
list(d.values())[0].k
tuple(d.values())[0].k
[*d.values()][0].k
list(d.items())[0][1].k
next(iter(d.values())).k
next(iter(d.items()))[1].k
dict(d)['a'].k
{**d}['a'].k
(d|{})['a'].k
d.copy()['a'].k
list(L)[0].k
tuple(L)[0].k
L[::-1][0].k
(L+L)[0].k
(L*2)[0].k
L.copy()[0].k
list(reversed(L))[0].k
list(zip(L,[1]))[0][0].k
list(enumerate(L))[0][1].k
dict(zip('a',L))['a'].k
dict(enumerate(L))[0].k
[q for q in L][0].k
{1:q for q in L}[1].k
[q for q in d.values()][0].k
[q for n,q in d.items()][0].k
(lambda a:a.k)(*L)
(lambda *a:a[0].k)(*L)
(lambda **w:w['a'].k)(**d)
list(map(lambda q:q,L))[0].k
list(filter(lambda q:1,L))[0].k
list(itertools.chain(L,L))[0].k
list(itertools.islice(L,1))[0].k
collections.deque(L)[0].k
list(S)[0].k
next(iter(S)).k
[q.k for q in S][0]
sorted(d.values(),key=lambda q:q.k)[0].k
max(d.values(),key=lambda q:q.k).k
min(d.items(),key=lambda i:i[1].k)[1].k
max(L,key=lambda q:q.k).k
d[max(d,key=lambda n:d[n].k)].k
d.get('a').k
d.setdefault('a').k
d.get('zz',L[0]).k
(L or 0)[0].k
list(o.d.values())[0].k
list(o.d.values())[0].m()
list(d.values())[0].m()
[*map(lambda q:q.m(),d.values())][0]
sum(q.k for q in list(d.values()))
sum(q.k for q in tuple(L))
sum(q.k for q in sorted(d.values(),key=lambda q:0))
list(itertools.chain.from_iterable([L]))[0].k
list(itertools.product(L,[1]))[0][0].k
list(itertools.combinations(L,1))[0][0].k
list(N[0].values())[0].k
list(N[0].values())[0].l[0]
list(d.values())[0].l[0]
len(list(d.values())[0].l)
collections.OrderedDict(d)['a'].k
collections.ChainMap(d)['a'].k
list(collections.ChainMap(d).values())[0].k
copy.copy(L)[0].k
copy.copy(d)['a'].k
"""

#: The iterables of loops.
SOURCES = """
reversed(L)
L[1:]
L[::-1]
L+M
L.copy()
list(d.values())
tuple(L)
sorted(L,key=lambda q:0)
[q for _,q in enumerate(L)]
(q for q in L)
[a for a,b in zip(L,M)]
d.copy().values()
{**d}.values()
[*L,*M]
set(L)
S-set()
S|set()
L if L else M
filter(None,L)
filter(lambda q:True,L)
(b for a,b in d.items())
[b for a,b in sorted(d.items())]
[L[i] for i in range(len(L))]
[L[-1]]
[d[n] for n in sorted(d)]
sum([L,M],[])
o.L[:1]
o.L[1:]+[o.L[0]]
list(o.L)[1:]
"""

#: Bodies of functions with loops.
LOOPS = """
for i,q in enumerate(L): t=t+q.k
for q,z in zip(L,M): t=t+q.k*z.k
for q in L[:-1]: t=q.f(t)
for q in reversed(o.L): t=q.f(t)
for q in list(o.L): t=q.f(t)
for q in o.L[:]: t=q(t)
for n,q in list(d.items()): t=q.f(t)
for n,q in sorted(d.items()): t=q.f(t)
for q in list(d.values()): t=q.f(t)
t=[*d.values()][-1].f(t)
t=L[:1][0].f(t)
first,*rest=L; t=first.f(t)+rest[0].k
*rest,last=L; t=last.f(t)+rest[0].k
x,y=L[:2]; t=x.f(t)+y.k
h=(lambda *qs: sum(q.k for q in qs)); t=t+h(*L)
h=(lambda *qs: qs[0].k); t=t+h(L[0])
h=(lambda **w: w['a'].k); t=t+h(a=L[0])
p=(L[0],M[0]); t=t+p[0].k
p=[L[0],M[0]]; t=t+p[::-1][0].k
p={'z':L[0]}; t=t+list(p.values())[0].k
"""

#: Expressions that compare objects, or call their special methods.
ASKS = """
L.index(W(2))
(W(2) in L)*1
(W(2) in tuple(L))*1
(W(2) in set(L))*1
len(set(L))
len({*L})
len(dict.fromkeys(L))
max(L).k
min(L).k
sorted(L)[0].k
sorted(L,reverse=True)[0].k
(lambda M:(M.sort(),M[0].k))(L[:])[1]
sum(L)
sum(map(int,L))
sum(map(float,L))
sum(map(len,L))
len(str(L))
len(repr(L))
len(f'{L}')
len('%s'%(L,))
len(''.join(map(str,L)))
len(''.join(f'{q}' for q in L))
any(L)*1
all(L)*1
sum(map(bool,L))
len(list(filter(None,L)))
(L<M)*1
(L==M)*1
(L!=M)*1
(tuple(L)==tuple(M))*1
({'a':L}=={'a':M})*1
collections.Counter(L)[W(2)]
collections.Counter(q.k for q in L)[2]
collections.deque(L).count(W(2))
collections.deque(L)[0].k
(collections.deque(L)==collections.deque(M))*1
heapq.nsmallest(1,L)[0].k
heapq.nlargest(1,L)[0].k
bisect.bisect(L,W(2))
bisect.bisect_left(L,2,key=lambda q:q.k)
[(a.k,len(list(b))) for a,b in itertools.groupby(L)][0][1]
len(list(itertools.pairwise(L)))+list(itertools.pairwise(L))[0][0].k
copy.deepcopy(L)[0].k
copy.copy(L)[0].k
int(json.dumps(L,default=lambda o:o.k)[1:-1].split(',')[0])
np.array([q.k for q in L]).sum()
functools.reduce(lambda a,b:a+b.k,L,0)
functools.reduce(operator.add,L)
list(map(operator.attrgetter('k'),L))[0]
list(map(lambda q:q.k,L))[1]
sorted(L,key=operator.attrgetter('k'))[0].k
sorted(L,key=lambda q:-q.k)[0].k
max(L,key=lambda q:q.k).k
dict(zip('ab',L))['a'].k
[q for q in L if q.k==2][0].k
next(q for q in L if q.k==2).k
next((q.k for q in L if q.k>2),50)
{q.k:q for q in L}[L[0].k].k
len({q.k for q in L})
[*map(abs,L)][0]
sum(itertools.chain(*L))
sum(itertools.chain.from_iterable(L))
sum(a*b for a,b in zip(*L))
dict(L[:1] and [L[0]])[L[0].k]
L[0]@1
L[0](3)
L[-1].k
[c:=L[0],c.k][1]
(lambda a,*b:a.k+b[0].k)(*L)
D1['a'].k
D1.get('a').k
[q.k for q in D1.values()][0]
sum(q.k for n,q in D1.items())
max(D1,key=D1.get)=='a'
max(D1.values()).k
sorted(D1.items(),key=lambda i:i[1].k)[0][1].k
(D1=={'a':W(1)})*1
(W(2) in D1.values())*1
(('a',W(2)) in D1.items())*1
list(D1.values()).index(W(2))
len(str(D1))
len(json.dumps(D1,default=lambda o:o.k*100))
(PL==[P(1)])*1
(P(2) in PL)*1
PL.index(P(2))
PL.count(P(2))
(PL[0]==P(2))*1
(PL[0]<P(2))*1
max(PL).k
sorted(PL)[0].k
len(repr(PL))
len(str(PL[0]))
len(f'{PL[0]}')
dataclasses.asdict(PL[0])['k']
dataclasses.astuple(PL[0])[0]
dataclasses.replace(PL[0]).k
dataclasses.replace(PL[0],n=[]).k
len(dataclasses.fields(PL[0]))+getattr(PL[0],dataclasses.fields(PL[0])[0].name)
copy.deepcopy(PL)[0].k
vars(PL[0])['k']
(D2=={'a':P(1)})*1
(P(2) in D2.values())*1
(T2==(P(1),P(1)))*1
(P(2) in T2)*1
(N2==N3)*1
(N2.a==P(1))*1
(S2==types.SimpleNamespace(p=P(1)))*1
(NS.o==[[P(1)]])*1
(NS.o[0]==[P(1)])*1
len(NS.o[0][0].n)+NS.o[0][0].k
(NS==types.SimpleNamespace(o=[[P(1)]]))*1
len(str(NS))
(collections.UserList(PL)==[P(1)])*1
(collections.OrderedDict(D2)=={'a':P(1)})*1
(collections.ChainMap(D2)=={'a':P(1)})*1
operator.eq(PL,[P(1)])*1
operator.contains(PL,P(2))*1
operator.countOf(PL,P(2))
operator.indexOf(PL,P(2))
list.index(PL,P(2))
list.__contains__(PL,P(2))*1
PL.__eq__([P(1)])*1
(PL+[P(5)]==[P(1),P(5)])*1
(PL[:]==[P(1)])*1
(PL*2==[P(1)]*2)*1
any(P(2)==q for q in PL)*1
(not PL==[P(1)])*1
int(PL==[P(1)] and PL!=[P(2)])
{True:5,False:6}[PL==[P(1)]]
mt(PL)
mt2(PL[0])
mt3(D2)
len(re.sub('x',lambda m:'y'*L[0].k,'xx'))
[10,20,30,40,50][L[0]]
'abcdefgh'[L[0].k]
sum(range(L[0]))
math.prod(q.k for q in L)
weakref.ref(L[0])().k
weakref.WeakSet(L).pop().k*0+L[0].k
functools.cmp_to_key(lambda a,b:a-b)(L[0].k).obj
"""


class Plain:
    def __init__(self):
        self.k = 1
        self.l = [1]

    def m(self):
        return self.k

    def f(self, t):
        return t * 2 + self.k

    def __call__(self, t):
        return t * 3 + self.k


class W:
    def __init__(self, k):
        self.k = k

    def __eq__(self, o):
        return self.k == o.k

    def __lt__(self, o):
        return self.k < (o.k if isinstance(o, W) else o)

    def __gt__(self, o):
        return self.k > (o.k if isinstance(o, W) else o)

    def __le__(self, o):
        return self.k <= o.k

    def __hash__(self):
        return 1

    def __add__(self, o):
        return self.k + (o.k if isinstance(o, W) else o)

    __radd__ = __add__

    def __abs__(self):
        return self.k * 2

    def __iter__(self):
        return iter([self.k, self.k + 1])

    def __len__(self):
        return self.k

    def __index__(self):
        return self.k

    def __matmul__(self, o):
        return self.k

    def __str__(self):
        return "a" * self.k

    def __repr__(self):
        return "r" * self.k

    def __call__(self, x):
        return self.k * x

    def __bool__(self):
        return self.k != 2

    def __float__(self):
        return float(self.k)

    def __int__(self):
        return self.k

    def __format__(self, form):
        return "f" * self.k

    def keys(self):
        return ["k"]

    def __getitem__(self, i):
        return self.k


@dataclasses.dataclass(order=True)
class P:
    k: int = 1
    n: list = dataclasses.field(default_factory=list)


def mt(x):
    match x:
        case [P(k=1)]:
            return 1
        case [P(2)]:
            return 2
        case _:
            return 3


def mt2(x):
    match x:
        case P(k, n) if k > 1:
            return k
        case P(k=k):
            return k * 10


def mt3(x):
    match x:
        case {"a": P(1)}:
            return 1
        case {"a": P(k)}:
            return k * 10


NAMES = dict(
    W=W, P=P, mt=mt, mt2=mt2, mt3=mt3, itertools=itertools, collections=collections, copy=copy, heapq=heapq, bisect=bisect,
    functools=functools, operator=operator, json=json, math=math, re=re, types=types, weakref=weakref, np=np, gw=gw,
    dataclasses=dataclasses,
)  # fmt: skip


def plain_world():
    x, y, z = [Plain(), Plain(), Plain()], Plain(), {Plain()}
    d, o = {"a": Plain(), "b": Plain()}, types.SimpleNamespace(L=[Plain(), Plain()])
    o.d = d
    everything = [*x, y, *z, *d.values(), *o.L]

    def change(at):
        for one in everything:
            one.k = at + 2
            one.l[0] = at + 4
            one.l.append(1)

    return {"L": x, "M": [y], "S": z, "d": d, "o": o, "N": [d]}, change


def asked_world():
    both, m, d1, pl = [W(1), W(2)], [W(1), W(2)], {"a": W(1)}, [P(1)]
    named = collections.namedtuple("named", "a")
    world = {
        "L": both, "M": m, "D1": d1, "PL": pl, "D2": {"a": pl[0]}, "T2": (pl[0], P(1)), "NT": named, "N2": named(pl[0]),
        "N3": named(P(1)), "S2": types.SimpleNamespace(p=pl[0]), "NS": types.SimpleNamespace(o=[pl]),
    }  # fmt: skip

    def change(at):
        first, second, one, other = [(2, 2, 2, 2), (4, 0, 2, 4), (1, 2, 1, 1)][at]
        both[0].k, both[1].k, pl[0].k, d1["a"].k = first, second, one, other
        pl[0].n[:] = [1] if at == 1 else []

    return world, change


def outcomes(world, body, decorated):
    """The answers before and after each change."""
    names, change = world()
    text = f"def g(t):\n    {body}\n    return t\n"
    path = f"{gw.__file__}.{abs(hash(body))}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {**NAMES, **names, "__name__": "program"}
    exec(compile(text, path, "exec"), names)
    g, found = decorated(names["g"]), []
    for at in range(4):
        try:
            found.append(float(g(gw.constant(0))))
        except Exception as error:
            text = str(error)
            found.append("refused" if text.startswith("GW") else type(error).__name__)
        if at < 3:
            change(at)
    return found


CASES = [
    *((plain_world, f"t = t + ({read})") for read in READS.split("\n")[1:-1]),
    *((plain_world, f"for q in {source}: t = t + q.k") for source in SOURCES.split("\n")[1:-1]),
    *((plain_world, loop) for loop in LOOPS.split("\n")[1:-1]),
    *((asked_world, f"t = t + ({ask})") for ask in ASKS.split("\n")[1:-1]),
]


@pytest.mark.parametrize("world, body", CASES, ids=[body for _, body in CASES])
def test_each_change_is_seen(world, body):
    native = outcomes(world, body, lambda g: g)
    staged = outcomes(world, body, gw.function)
    assert all(there in (here, "refused") for here, there in zip(native, staged, strict=True))


def test_the_length_of_a_container_asks_for_no_guards_of_its_objects():
    objects = [Plain(), Plain()]

    @gw.function
    def f(t):
        return t + len(objects) if objects[0].k > 0 else t

    assert f(gw.constant(0)) == 2
    objects[1].k = 7
    assert f(gw.constant(0)) == 2 and f.experimental_get_tracing_count() == 1
    objects[0].k = -1
    assert f(gw.constant(0)) == 0
