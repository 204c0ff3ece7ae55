"""Changes of an object that a list holds are changes of the list, and the other way."""

from __future__ import annotations

import pytest

from element_classes import CASES, Particle, accounts, bodies, check, helper, make
from program_list import ProgramList

PROGRAMS = ProgramList()


@PROGRAMS.program
def loop_stores(n, k):
    ps = make(n)
    for p in ps:
        p.x += p.v
    return sum(p.x for p in ps)


@PROGRAMS.program
def methods(n, k):
    ps = make(n)
    for t in range(k):
        for p in ps:
            p.step(0.25)
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def index_store(n, k):
    ps = make(n)
    ps[k].x = 7.0
    ps[k].v += ps[k].x
    ps[-1].x -= 1
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def alias_same(n, k):
    ps = make(n)
    a = ps[k]
    b = ps[k]
    a.x = 100.0
    b.v = a.x + b.x
    return a.x, b.x, a.v, b.v, ps[k].x


@PROGRAMS.program
def alias_perhaps(n, k):
    ps = make(n)
    a = ps[k]
    b = ps[0]
    a.x = 50.0
    return a.x + b.x * 3, [p.x for p in ps]


@PROGRAMS.program
def swap_two(n, k):
    ps = make(n)
    ps[0].x, ps[k].x = ps[k].x, ps[0].x
    return [p.x for p in ps]


@PROGRAMS.program
def swap_method(n, k):
    ps = make(n)
    ps[0].swap(ps[k])
    return [p.x for p in ps]


@PROGRAMS.program
def n_body(n, k):
    ps = make(n)
    for t in range(k):
        for a in ps:
            for b in ps:
                a.v += (b.x - a.x) * 0.01
        for a in ps:
            a.x += a.v * 0.1
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def pairs(n, k):
    ps = make(n)
    for i in range(n):
        for j in range(i + 1, n):
            d = ps[j].x - ps[i].x
            ps[i].v += d
            ps[j].v -= d * 0.5
    return [p.v for p in ps]


@PROGRAMS.program
def nested_objects(n, k):
    bs = bodies(n)
    for t in range(k):
        for b in bs:
            b.move()
    return [b.pos.a for b in bs], [b.pos.b for b in bs]


@PROGRAMS.program
def bank(n, k):
    accs = accounts(n)
    refused = 0
    for t in range(k):
        for a in accs:
            a.deposit(1.5)
        try:
            accs[t].withdraw(12.0)
        except ValueError:
            refused += 1
    return [a.balance for a in accs], [a.n for a in accs], refused


@PROGRAMS.program
def transfer(n, k):
    accs = accounts(n)
    src, dst = accs[k], accs[0]
    src.balance -= 5
    dst.balance += 5
    return [a.balance for a in accs]


@PROGRAMS.program
def branch_store(n, k):
    ps = make(n)
    for p in ps:
        if p.x > 1:
            p.v = 0.0
        else:
            p.x = -1.0
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def branch_around(n, k):
    ps = make(n)
    q = ps[k]
    if n > 3:
        q.x = 10.0
    else:
        q.v = 20.0
    return q.x, q.v, [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def outside_name(n, k):
    ps = make(n)
    q = ps[k]
    for p in ps:
        p.x += 1
    return q.x


@PROGRAMS.program
def outside_in_branch(n, k):
    ps = make(n)
    q = ps[k]
    r = ps[0]
    if n > 3:
        r.x = 10.0
    return q.x, r.x


@PROGRAMS.program
def filtered_rebound(n, k):
    ps = make(n)
    for t in range(k):
        for p in ps:
            p.x += p.v
        ps = [p for p in ps if p.x < 9]
    return [p.x for p in ps]


@PROGRAMS.program
def pop_append(n, k):
    ps = make(n)
    for t in range(k):
        p = ps.pop(0)
        p.x += 10
        ps.append(p)
    return [p.x for p in ps]


@PROGRAMS.program
def append_between(n, k):
    ps = make(n)
    q = ps[0]
    ps.append(Particle(7.0, 1.0))
    q.x += 10
    ps += [Particle(8.0, 2.0)]
    ps[k].x += q.x
    q.v -= 1
    return [p.x for p in ps], [p.v for p in ps], q.x


@PROGRAMS.program
def append_in_a_loop(n, k):
    ps = make(n)
    for i in range(n):
        q = ps[i]
        ps.append(Particle(q.x * 2, q.v))
        q.x += 1
        if i == k:
            ps.append(Particle(q.v, 0.0))
            q.v = -1
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def enumerated(n, k):
    ps = make(n)
    for i, p in enumerate(ps):
        p.x += i
    return [p.x for p in ps]


@PROGRAMS.program
def zipped(n, k):
    ps = make(n)
    qs = bodies(n)
    for p, b in zip(ps, qs):
        p.x += b.pos.a
    return [p.x for p in ps]


@PROGRAMS.program
def by_index(n, k):
    ps = make(n)
    for i in range(len(ps)):
        ps[i].x = ps[i - 1].x + 1
    return [p.x for p in ps]


@PROGRAMS.program
def helpers(n, k):
    ps = make(n)
    total = 0.0
    for p in ps:
        total += helper(p, 2.0)
    return total, helper(ps[k], 1.0), [p.x for p in ps]


@PROGRAMS.program
def read_then_change(n, k):
    ps = make(n)

    def change():
        ps[k].x = 30.0
        return 1.0

    def two(p, c):
        return p.x + c

    return two(ps[k], change())


@pytest.mark.parametrize("n, k", CASES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_elements_are_objects(function, n, k):
    check(function, n, k)
