"""Two names of one object stay one in staged code, or what would part them is refused."""

import collections
from dataclasses import dataclass, replace

import pytest

from three_ways import check


@dataclass
class Point:
    x: int

    def move(self, by):
        self.x += by


@dataclass
class Pair:
    a: object
    b: object


@dataclass(frozen=True)
class Fixed:
    x: int


@dataclass
class Slotted:
    __slots__ = ("x",)
    x: int


class Holder:
    def __init__(self, held):
        self.held = held


def in_a_loop(n):
    p = Point(0)
    q = p
    for i in range(n):
        p.x += i
        q.move(1)
    return q.x, p.x, p is q


def of_a_dict(n):
    d = {"k": 0}
    e = d
    if n > 2:
        d["k"] = n
    while n > 0:
        e["k"] += 1
        n -= 1
    return d, e


def in_a_tuple_that_is_replaced(n):
    p = Point(0)
    t = (p, 1)
    if n > 2:
        t = (p, n)
    t[0].x += 5
    return p.x, t[0].x, t[1]


def in_a_list(n):
    p = Point(0)
    points = [p, Point(3)]
    for i in range(n):
        points[0].x += i
    p.x += 100
    return p.x, points[0].x


def in_an_object_that_is_replaced(n):
    p = Point(1)
    pair = Pair(p, Point(2))
    for i in range(n):
        pair = Pair(pair.a, Point(i))
        pair.a.x += i
    return p.x, pair.a.x, pair.b.x


def swapped(n):
    a, b = Point(1), Point(2)
    for _ in range(n):
        a, b = b, a
        a.x += 10
    b.x += 1000
    return a.x, b.x


def made_anew(n):
    p = Point(0)
    for i in range(n):
        if i % 2 == 0:
            p.x += 3
        p = Point(p.x + i)
    p.x += 1
    return p.x


def the_best(n):
    best = Point(0)
    for i in range(n):
        point = Point(i * 7 % 5)
        if point.x > best.x:
            best = point
    best.x += 1
    return best.x


def slots(n):
    a = Slotted(1)
    b = a
    for i in range(n):
        a.x += i
    return b.x


def frozen(n):
    a, b = Fixed(1), Fixed(2)
    p = a if n > 2 else b
    return p.x + a.x


def read_only(n):
    a, b = Point(1), Point(2)
    total = 0
    for i in range(n):
        p = a if i % 2 == 0 else b
        total += p.x
    return total


def made_in_a_try(n):
    p = Point(1)
    try:
        p = Point(n)
        if n > 2:
            raise ValueError
        p.x += 1
    except ValueError:
        p.x += 100
    return p.x


def copies(n):
    a, b = Point(1), Point(2)
    p = replace(a if n > 2 else b)
    p.x += 10
    lists = [1, 2], [3, 4]
    chosen = (lists[0] if n > 2 else lists[1]).copy()
    chosen[0] += 5
    return a.x, b.x, p.x, lists, chosen


EXACT = [
    in_a_loop,
    of_a_dict,
    in_a_tuple_that_is_replaced,
    in_a_list,
    in_an_object_that_is_replaced,
    swapped,
    made_anew,
    the_best,
    slots,
    frozen,
    read_only,
    made_in_a_try,
    copies,
]


@pytest.mark.parametrize("function", EXACT, ids=lambda function: function.__name__)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_names_stay_one(function, n):
    check(function, n)


def a_branch(n):
    p, q = Point(1), Point(2)
    r = p
    if n > 2:
        p = q
    p.x += 10
    return r.x, q.x


def the_other_name(n):
    p, q = Point(1), Point(2)
    r = p
    if n > 2:
        p = q
    r.x += 10
    return p.x


def an_expression(n):
    a, b = Point(1), Point(2)
    total = 0
    for i in range(n):
        p = a if i % 2 == 0 else b
        p.x += i
        total += a.x
    return total


def the_next_iteration(n):
    best, point = Point(0), Point(0)
    for i in range(n):
        point.x = i * 7 % 5
        if point.x > best.x:
            best = point
    return best.x


def an_attribute(n):
    p = Point(0)
    holder = Holder(p)
    if n > 2:
        holder.held = Point(9)
    holder.held.x += 1
    return p.x


def a_part_of_both(n):
    p = Pair(Point(1), Point(2))
    q = p
    if n > 2:
        p = Pair(Point(3), p.b)
    p.a.x += 1
    return q.a.x


def a_list(n):
    a, c = [1, 2], [3, 4]
    b = a
    if n > 2:
        a = c
    a.append(10)
    return b, c


def a_dict(n):
    a, c = {"k": 1}, {"k": 2}
    b = a
    while n > 0:
        a, c = c, a
        a["k"] += 10
        n -= 1
    return b


def another_mapping(n):
    a, c = collections.OrderedDict(k=1), collections.OrderedDict(k=3)
    b = a
    if n > 2:
        a = c
    a["k"] += 1
    return b["k"], c["k"]


def what_a_function_returns(n):
    a, b = Point(1), Point(2)

    def pick():
        if n > 2:
            return a
        return b

    pick().x += 10
    return a.x, b.x


def the_least(n):
    a, b = Point(n), Point(2)
    p = min(a, b, key=lambda point: point.x)
    p.x += 10
    return a.x, b.x


def a_variable_of_a_closure(n):
    p = Point(0)
    q = p

    def put(i):
        nonlocal p
        p = Point(i)

    for i in range(n):
        put(i)
    p.x += 1
    return q.x


def a_try(n):
    p, r = Point(1), Point(5)
    q = p
    try:
        if n > 2:
            raise ValueError
        p = r
    except ValueError:
        pass
    p.x += 1
    return q.x, r.x


def identity(n):
    p, q = Point(1), Point(2)
    if n > 2:
        p = q
    return p is q


REFUSED = [
    a_branch,
    the_other_name,
    an_expression,
    the_next_iteration,
    an_attribute,
    a_part_of_both,
    a_list,
    a_dict,
    another_mapping,
    what_a_function_returns,
    the_least,
    a_variable_of_a_closure,
    a_try,
    identity,
]


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
@pytest.mark.parametrize("n", [0, 4])
def test_what_parts_names_is_refused(function, n):
    refusal = check(function, n, refusal=True)
    assert refusal is not None
    assert refusal.startswith("GW122")
    assert "test_names.py:" in refusal
