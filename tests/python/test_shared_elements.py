"""An object that more than one list or name may hold is changed where that is clear, or refused."""

from __future__ import annotations

import pytest

import graphwright as gw
from element_classes import CASES, Grid, Particle, Vec, World, bodies, make
from program_list import ProgramList

PROGRAMS = ProgramList()


def made_shared(n):
    q = Particle(1.0, 2.0)
    ps = []
    for i in range(n):
        ps.append(q)
    return ps


@PROGRAMS.program
def nested_kick(n, k):
    bs = bodies(n)
    for b in bs:
        b.kick()
        b.vel.b *= 2
    bs[k].vel.a = 9.0
    for b in bs:
        b.move()
    return [b.pos.a for b in bs], [b.vel.a for b in bs], [b.vel.b for b in bs]


@PROGRAMS.program
def shared_vel(n, k):
    v = Vec(1.0, 2.0)
    bs = bodies(n)
    for b in bs:
        b.vel = v
    bs[0].vel.a = 5.0
    return [b.vel.a for b in bs]


@PROGRAMS.program
def after_loop(n, k):
    ps = make(n)
    for p in ps:
        p.x += 1
    p.x = 77.0
    return [p.x for p in ps]


@PROGRAMS.program
def kept_best(n, k):
    ps = make(n)
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
    best.x = 1000.0
    return [p.x for p in ps]


@PROGRAMS.program
def repeated(n, k):
    q = Particle(1.0, 2.0)
    ps = []
    for i in range(n):
        ps.append(q)
    ps[0].x = 5.0
    return [p.x for p in ps]


@PROGRAMS.program
def repeated_hidden(n, k):
    ps = made_shared(n)
    ps[0].x = 5.0
    return [p.x for p in ps]


@PROGRAMS.program
def twice(n, k):
    ps = []
    for i in range(n):
        p = Particle(i * 1.0, 0.0)
        ps.append(p)
        ps.append(p)
    ps[0].x = 50.0
    return [p.x for p in ps]


@PROGRAMS.program
def two_lists(n, k):
    a, b = [], []
    for i in range(n):
        p = Particle(i * 1.0, 0.0)
        a.append(p)
        if i > 1:
            b.append(p)
    a[k].x = 50.0
    return [p.x for p in a], [p.x for p in b]


@PROGRAMS.program
def two_lists_hidden(n, k):
    def build():
        a, b = [], []
        for i in range(n):
            p = Particle(i * 1.0, 0.0)
            a.append(p)
            b.append(p)
        return a, b

    a, b = build()
    a[k].x = 50.0
    return b[k].x


@PROGRAMS.program
def sliced(n, k):
    ps = make(n)
    front = ps[:k]
    for p in front:
        p.x = -1.0
    return [p.x for p in ps]


@PROGRAMS.program
def sliced2(n, k):
    ps = make(n)
    front = ps[:k]
    for p in ps:
        p.x = -1.0
    return [p.x for p in front]


@PROGRAMS.program
def filtered(n, k):
    ps = make(n)
    far = [p for p in ps if p.x > 1]
    for p in far:
        p.x = -1.0
    return [p.x for p in ps]


@PROGRAMS.program
def copied(n, k):
    ps = make(n)
    qs = ps.copy()
    ps[0].x = 4.5
    return qs[0].x


@PROGRAMS.program
def listed(n, k):
    ps = make(n)
    qs = list(ps)
    ps[0].x = 4.5
    return qs[0].x


@PROGRAMS.program
def added(n, k):
    ps = make(n)
    qs = ps + ps
    qs[0].x = 4.5
    return [q.x for q in qs]


@PROGRAMS.program
def times(n, k):
    ps = make(n) * 2
    ps[0].x = 4.5
    return [q.x for q in ps]


@PROGRAMS.program
def sorted_list(n, k):
    ps = make(n)
    for p in sorted(ps, key=lambda p: -p.x):
        p.x += 1.0
    return [p.x for p in ps]


@PROGRAMS.program
def sort_in_place(n, k):
    ps = make(n)
    q = ps[0]
    ps.sort(key=lambda p: -p.x)
    q.x = 40.0
    return [p.x for p in ps]


@PROGRAMS.program
def popped(n, k):
    ps = make(n)
    q = ps[k]
    last = ps.pop()
    last.x = 10.0
    q.x = 20.0
    return [p.x for p in ps], last.x


@PROGRAMS.program
def pop_first(n, k):
    ps = make(n)
    q = ps[0]
    p = ps.pop(0)
    p.x = 99.0
    return q.x


@PROGRAMS.program
def replaced(n, k):
    ps = make(n)
    q = ps[k]
    ps[k] = Particle(5.0, 6.0)
    q.x = 70.0
    return [p.x for p in ps], q.x


@PROGRAMS.program
def appended_name(n, k):
    ps = make(n)
    q = Particle(8.0, 9.0)
    ps.append(q)
    q.x = 80.0
    for p in ps:
        p.v += 1
    return [p.x for p in ps], q.v


@PROGRAMS.program
def into_dict(n, k):
    ps = make(n)
    d = {}
    for i in range(n):
        d[i] = ps[i]
    d[k].x = 11.0
    return [p.x for p in ps]


@PROGRAMS.program
def tuples(n, k):
    ps = []
    for i in range(n):
        ps.append((i, Particle(i * 1.0, 2.0)))
    for i, p in ps:
        p.x += i
    return [p.x for _, p in ps]


@PROGRAMS.program
def deleted(n, k):
    ps = make(n)
    q = ps[k]
    del ps[0]
    q.x = 9.0
    return [p.x for p in ps], q.x


@PROGRAMS.program
def comp_dup(n, k):
    ps = make(n)
    qs = [ps[0] for i in range(n)]
    qs[0].x = 9.0
    return [q.x for q in qs]


@PROGRAMS.program
def comp_same(n, k):
    ps = make(n)
    qs = [p for p in ps]
    qs[0].x = 9.0
    return [p.x for p in ps]


@PROGRAMS.program
def comp_same_rebound(n, k):
    ps = make(n)
    ps = [p for p in ps]
    ps[0].x = 9.0
    return [p.x for p in ps]


@PROGRAMS.program
def loop_filter(n, k):
    ps = make(n)
    out = []
    for t in range(2):
        for p in ps:
            out.append(p)
    out[0].x = 9.0
    return [p.x for p in out]


@PROGRAMS.program
def in_tuple(n, k):
    ps = make(n)
    pair = (ps, ps.copy())
    for t in range(k):
        ps[0].x += 1.0
    return pair[1][0].x


@PROGRAMS.program
def in_tuple2(n, k):
    ps = make(n)
    pair = (ps, ps.copy())
    pair[0][0].x += 1.0
    return pair[1][0].x


@PROGRAMS.program
def in_attr(n, k):
    w = World(n)
    w.other = list(w.ps)
    for p in w.ps:
        p.x += 1
    return w.other[0].x


@PROGRAMS.program
def nested_choice(n, k):
    groups = [make(n), make(n)]
    g = groups[k % 2]
    g[0].x = 8.0
    return groups[0][0].x, groups[1][0].x


@PROGRAMS.program
def extended(n, k):
    ps = make(n)
    ps.extend(p for p in make(k))
    for p in ps:
        p.x += 1
    return [p.x for p in ps]


@PROGRAMS.program
def extended_self(n, k):
    ps = make(n)
    ps.extend([p for p in ps if p.x > 0])
    for p in ps:
        p.x += 1
    return [p.x for p in ps]


@PROGRAMS.program
def inserted(n, k):
    ps = make(n)
    ps.insert(0, Particle(7.0, 7.0))
    ps[0].x = 3.0
    return [p.x for p in ps]


@PROGRAMS.program
def in_try(n, k):
    ps = make(n)
    err = 0
    for p in ps:
        try:
            p.x += 1
            if p.x > 2:
                raise ValueError("no")
            p.v = 0.0
        except ValueError:
            err += 1
            p.v = -1.0
    return [p.x for p in ps], [p.v for p in ps], err


@PROGRAMS.program
def grid(n, k):
    g = Grid(n)
    for t in range(n):
        g.put((k + t) % 6, t * 1.5)
    g.cells[0].balance += 1
    return [c.balance for c in g.cells], [c.n for c in g.cells], g.best


@PROGRAMS.program
def items_alias(n, k):
    a, b, c = Particle(1.0, 2.0), Particle(3.0, 4.0), Particle(5.0, 6.0)
    ps = [a, b, c]
    q = ps[k % 3]
    q.x += 10
    b.v = 77.0
    return a.x, b.x, c.x, q.v, q.x


@PROGRAMS.program
def items_two(n, k):
    a, b, c = Particle(1.0, 2.0), Particle(3.0, 4.0), Particle(5.0, 6.0)
    ps, rs = [a, b, c], [c, a]
    q, r = ps[k % 3], rs[n % 2]
    q.x += 10
    r.v += 5
    return a.x, b.x, c.x, q.v, r.x, a.v, c.v


@PROGRAMS.program
def items_twice(n, k):
    a, b = Particle(1.0, 2.0), Particle(3.0, 4.0)
    ps = [a, b, a]
    q = ps[k % 3]
    q.x += 10
    return [p.x for p in ps]


@PROGRAMS.program
def items_replace(n, k):
    ps = [Particle(1.0, 2.0), Particle(3.0, 4.0)]
    q = ps[k % 2]
    ps[0] = Particle(9.0, 9.0)
    q.x = 50.0
    return [p.x for p in ps]


@PROGRAMS.program
def items_loop_name(n, k):
    ps = [Particle(1.0, 2.0), Particle(3.0, 4.0)]
    q = ps[k % 2]
    for t in range(n):
        q.x += 1.0
    return [p.x for p in ps], q.x


@PROGRAMS.program
def items_loop_direct(n, k):
    ps = [Particle(1.0, 2.0), Particle(3.0, 4.0)]
    q = ps[k % 2]
    for t in range(n):
        ps[0].x += 1.0
    return [p.x for p in ps], q.x


@PROGRAMS.program
def swap_objects(n, k):
    ps = make(n)
    ps[0], ps[k] = ps[k], ps[0]
    ps[0].x += 100
    return [p.x for p in ps]


@pytest.mark.parametrize("n, k", CASES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_changes_that_are_not_clear_are_refused(function, n, k):
    with pytest.raises(ValueError, match="GW122: a list in the graph holds objects as what they are made of"):
        gw.function(function)(gw.constant(n), gw.constant(k))
