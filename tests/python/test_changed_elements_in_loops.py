"""Changes of an object that a list holds, made in loops, branches and other functions, are changes of the list."""

from __future__ import annotations

import pytest

from element_classes import CASES, Particle, World, check, helper, make
from program_list import ProgramList

PROGRAMS = ProgramList()


@PROGRAMS.program
def breaks(n, k):
    ps = make(n)
    for p in ps:
        p.x += 1
        if p.x > 2:
            p.v = 55.0
            break
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def continues(n, k):
    ps = make(n)
    for p in ps:
        if p.x > 1:
            p.v = 1.0
            continue
        p.x += 0.5
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def while_loop(n, k):
    ps = make(n)
    i = 0
    while i < n:
        p = ps[i]
        p.x *= 2
        i += 1
        while p.v > 2:
            p.v -= 1.5
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def identity(n, k):
    ps = make(n)
    c = 0
    for a in ps:
        for b in ps:
            if a is not b:
                a.v += b.x
                c += 1
    return [p.v for p in ps], c


@PROGRAMS.program
def in_world(n, k):
    w = World(n)
    for t in range(k):
        w.step(0.25)
    return [p.x for p in w.ps], w.t


@PROGRAMS.program
def setattrs(n, k):
    ps = make(n)
    q = ps[k]
    setattr(q, "x", 12.0)
    return [p.x for p in ps]


@PROGRAMS.program
def queue(n, k):
    ps = make(n)
    done = []
    while ps:
        p = ps.pop(0)
        p.x -= 1
        if p.x > 0:
            ps.append(p)
        else:
            done.append(p)
    return [p.v for p in done]


@PROGRAMS.program
def conditional_new(n, k):
    ps = []
    for i in range(n):
        if i > 1:
            p = Particle(1.0 * i, 1.0)
        else:
            p = Particle(2.0, 2.0 * i)
        ps.append(p)
    for p in ps:
        p.x += p.v
    return [p.x for p in ps]


@PROGRAMS.program
def int_to_float(n, k):
    ps = []
    for i in range(n):
        ps.append(Particle(i, 2))
    for p in ps:
        p.x = p.x / 2
    return [p.x for p in ps]


@PROGRAMS.program
def returned_objects(n, k):
    ps = make(n)
    for p in ps:
        p.x += 1
    return ps[k].x, ps[0].v


@PROGRAMS.program
def grad_sum(n, k):
    ps = make(n)
    for t in range(k):
        for p in ps:
            p.x += p.v * 0.5
            p.v *= 0.9
    s = 0.0
    for p in ps:
        s += p.x * p.x
    return s


@PROGRAMS.program
def two_of_same(n, k):
    ps = make(n)
    for a, b in zip(ps, ps):
        a.x += 1.0
        b.v += a.x
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def zip_shift(n, k):
    ps = make(n)
    for i in range(1, n):
        a, b = ps[i - 1], ps[i]
        b.x += a.x
    return [p.x for p in ps]


@PROGRAMS.program
def in_attr2(n, k):
    w = World(n)
    w.other = w.ps
    for p in w.ps:
        p.x += 1
    return w.other[0].x


@PROGRAMS.program
def branch_list(n, k):
    if k > 1:
        ps = make(n)
    else:
        ps = make(n)
        ps.pop()
    for p in ps:
        p.x += 1
    return [p.x for p in ps]


@PROGRAMS.program
def gens(n, k):
    ps = make(n)

    def each():
        for p in ps:
            yield p

    for p in each():
        p.x += 2
    return [p.x for p in ps]


@PROGRAMS.program
def maps(n, k):
    ps = make(n)

    def f(p):
        p.x += 1
        return p.x

    return list(map(f, ps)), [p.x for p in ps]


@PROGRAMS.program
def comps_change(n, k):
    ps = make(n)
    return [helper(p, 1.0) for p in ps], [p.x for p in ps]


@PROGRAMS.program
def max_key(n, k):
    ps = make(n)
    m = max(ps, key=lambda p: p.v)
    m.x = 44.0
    return [p.x for p in ps]


@PROGRAMS.program
def any_all(n, k):
    ps = make(n)
    while any(p.x > 0.5 for p in ps):
        for p in ps:
            p.x -= 1.0
    return [p.x for p in ps]


@PROGRAMS.program
def reversed_(n, k):
    ps = make(n)
    for p in reversed(ps):
        p.x += 1
    return [p.x for p in ps]


@PROGRAMS.program
def early_return(n, k):
    ps = make(n)

    def find():
        for p in ps:
            p.v += 1
            if p.x >= k:
                p.x = 99.0
                return p.v
        return -1.0

    return find(), [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def items_branch(n, k):
    ps = [Particle(1.0, 2.0), Particle(3.0, 4.0)]
    if n > 2:
        ps[k % 2].x = 50.0
    else:
        ps[0].v = 60.0
    return [p.x for p in ps], [p.v for p in ps]


@PROGRAMS.program
def bubble(n, k):
    ps = make(n)
    for i in range(n):
        for j in range(n - 1 - i):
            if ps[j].v < ps[j + 1].v:
                ps[j].v, ps[j + 1].v = ps[j + 1].v, ps[j].v
    return [p.v for p in ps]


@PROGRAMS.program
def swap_sort(n, k):
    ps = make(n)
    for i in range(n):
        for j in range(n - 1 - i):
            if ps[j].v < ps[j + 1].v:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
    return [p.v for p in ps]


@PROGRAMS.program
def late_name(n, k):
    ps = make(n)
    q = ps[0]
    for p in ps:
        p.x += 1
    if k > 1:
        q.x += 10
    for p in ps:
        p.x += 1
    return q.x, [p.x for p in ps]


@PROGRAMS.program
def shared_attr(n, k):
    class C:
        pass

    ps = make(n)
    c = C()
    c.focus = ps[k]
    for p in ps:
        p.x += 1
    c.focus.x += 5
    return c.focus.x, [p.x for p in ps]


@PROGRAMS.program
def stale_temp(n, k):
    ps = make(n)

    def bump():
        for p in ps:
            p.x += 1
        return 1.0

    return ps[k].x + bump() + ps[k].x, max(ps[0], ps[0], key=lambda p: p.x + bump()).x


@pytest.mark.parametrize("n, k", CASES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_elements_are_objects(function, n, k):
    check(function, n, k)
