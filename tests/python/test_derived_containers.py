"""Named tuples, and other containers of derived classes, do in graphs what they do in Python."""

from __future__ import annotations

from collections import Counter, OrderedDict, UserList, namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import graphwright as gw
from plain_results import same, value
from program_list import ProgramList


class Point(NamedTuple):
    x: float
    y: float = 1.0

    @property
    def square(self):
        return self.x * self.x + self.y * self.y

    def moved(self, by):
        return self._replace(x=self.x + by) if self.x < 2.0 else self

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


Pair = namedtuple("Pair", "left right")


class Row(list):
    """A list that iterates as lists do."""


class Sorted(list):
    """A list that iterates in order."""

    def __iter__(self):
        return iter(list(reversed(list(super().__iter__()))))


class Labels(dict):
    pass


PROGRAMS = ProgramList()


@PROGRAMS.program
def loop_that_breaks(n):
    total = 0.0
    for part in Point(n, n * 2.0):
        if part > 3.0:
            break
        total += part
    return total


@PROGRAMS.program
def pairs_that_break(n):
    total = 0.0
    for a, b in zip(Point(n, n * 2.0), Point(n, n), strict=True):
        if a != b:
            break
        total += a
    return total


@PROGRAMS.program
def row_that_breaks(n):
    total = 0.0
    for part in Row([n, n * 2.0, 9.0]):
        if part > 3.0:
            break
        total += part
    return total


@PROGRAMS.program
def numbered_row_that_breaks(n):
    found = -1
    for at, part in enumerate(Row([n, n * 2.0, 9.0])):
        if part > 3.0:
            found = at
            break
    return found


@PROGRAMS.program
def keys_that_break(n):
    total = 0.0
    for key, part in Labels(a=n, b=n * 2.0).items():
        if part > 3.0:
            total += len(key)
            break
        total += part
    return total


@PROGRAMS.program
def order_of_a_dict(n):
    total = 0.0
    for key in OrderedDict(a=n, b=n * 2.0):
        if n > 1.5:
            break
        total += n + len(key)
    return total


@PROGRAMS.program
def equal(n):
    return (1.0 if Point(n, 2.0) == Point(1.0, n * 2.0) else 0.0), Point(n) != (n, 1.0)


@PROGRAMS.program
def ordered(n):
    p, q = Point(n, 2.0), Point(1.0, n)
    return p < q, p <= q, p > (n, 1.0), max(p, q), min(p, q)


@PROGRAMS.program
def sorted_points(n):
    points = [Point(n, 2.0), Point(1.0, n), Point(-n, 0.0)]
    return [part for point in sorted(points) for part in point]


@PROGRAMS.program
def sorted_by_key(n):
    points = [Point(n, 2.0), Point(1.0, n), Point(-n, 0.0)]
    return [point.x for point in sorted(points, key=lambda point: point.square)]


@PROGRAMS.program
def sorted_ones_keep_their_class(n):
    points = sorted([Point(n, 2.0), Point(1.0, n)])
    return points[0].x - points[1].y, [isinstance(point, Point) for point in points]


@PROGRAMS.program
def carried(n):
    point = Point(n)
    for _ in range(3):
        point = Point(point.y, point.x + point.y) if point.x > 1.0 else point.moved(1.0)
    return point


@PROGRAMS.program
def carried_by_while(n):
    point = Pair(left=n, right=0)
    while point.left > 0.5:
        point = point._replace(left=point.left / 2.0, right=point.right + 1)
    return point.left, point.right


@PROGRAMS.program
def chosen(n):
    point = Point(n) if n > 1.0 else Point(0.0, n)
    x, y = point
    return x - y, point.square, point[0], point[-1], len(point)


@PROGRAMS.program
def matched(n):
    match Point(n, n + 1.0):
        case Point(x=x, y=y) if x > 1.5:
            return x * y
        case Point(x, y):
            return x - y


@PROGRAMS.program
def given_as_arguments(n):
    def area(x, y):
        return x * y if x > 1.0 else x + y

    point = Point(n, 3.0)
    return area(*point) + area(**point._asdict())


@PROGRAMS.program
def added(n):
    total = Point(0.0, 0.0)
    for point in [Point(n), Point(n, n), Point(2.0)]:
        if point.x > 1.0:
            total = total + point
    return total


@PROGRAMS.program
def collected(n):
    points = []
    for step in range(4):
        if n * step > 1.0:
            points.append(Point(n * step, n))
    return sum(point.x for point in points), len(points), max((point.y for point in points), default=0.0)


@PROGRAMS.program
def looked_for(n):
    points = [Point(1.0), Point(n)]
    return Point(2.0, 1.0) in points, (n, 1.0) in points, Point(n) not in points


@PROGRAMS.program
def parts(n):
    return (
        sum(Point(n, 2.0)),
        max(Point(n, 2.0)),
        any(part > 2.5 for part in Pair(n, 2.0)),
        list(Point(n)),
        n in Pair(2.0, 3.0),
    )


@PROGRAMS.program
def concatenated(n):
    left = Point(n) + Point(n) if n > 1.0 else Point(0.0)
    return left, Pair(n, n)[::-1], Pair(1.0, n) * 2


@PROGRAMS.program
def users_order(n):
    total = 0.0
    for part in Sorted([n, n * 2.0, 0.5]):
        total = total * 2.0 + part
    return total


@PROGRAMS.program
def users_list(n):
    found = UserList([n, n * 2.0])
    found.append(3.0)
    total = 0.0
    for part in found:
        if part < 2.5:
            total += part
    return total


@PROGRAMS.program
def counted(n):
    counts = Counter("abca")
    return counts["a"] * n if n > 1.0 else counts["b"] * n


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("n", [0.25, 1.0, 2.0, 5.0])
def test_graphs_agree_with_python(function, n):
    wanted = value(function(np.float64(n)))
    for given in (gw.constant(n, gw.float64), np.float64(n)):
        assert same(value(gw.function(function)(given)), wanted)


def in_two_orders(n):
    if n > 1.5:
        found = {"x": n, "y": 2.0}
    else:
        found = {"y": 2.0, "x": n}
    return list(found.values())


def in_another_order_each_turn(n):
    found = {"x": n, "y": 2.0}
    while n < 5.0:
        n = n + 3.0
        found = {"y": found["y"] * 2.0, "x": found["x"]}
    return list(found.values())


def in_two_orders_of_a_class(n):
    if n > 1.5:
        found = OrderedDict(x=n, y=2.0)
    else:
        found = OrderedDict(y=2.0, x=n)
    return list(found.values())


@pytest.mark.parametrize(
    "function, code",
    [(in_two_orders, "GW103"), (in_another_order_each_turn, "GW104"), (in_two_orders_of_a_class, "GW103")],
)
def test_the_graph_does_not_choose_the_order_of_keys(function, code):
    with pytest.raises(
        ValueError, match=f"(?s){code}: `found` is .*with the keys 'x', 'y'.*with the keys 'y', 'x'"
    ):
        gw.function(function)(gw.constant(1.0))


def test_keys_of_arguments_keep_their_order():
    @gw.function
    def told(items):
        total = 0.0
        for item in items.values():
            total = total * 10.0 + item
        return total

    one, two = gw.constant(1.0), gw.constant(2.0)
    for kind in (dict, OrderedDict):
        for _ in range(2):
            assert float(told(kind(x=one, y=two))) == 12.0
            assert float(told(kind(y=two, x=one))) == 21.0
            assert float(told(kind(y=one, x=two))) == 12.0
    assert told.experimental_get_tracing_count() == 4
    assert list(gw.function(lambda a, b: {"y": a, "x": b})(one, two)) == ["y", "x"]


def test_a_signature_says_the_order_of_keys():
    spec = {"x": gw.TensorSpec([]), "y": gw.TensorSpec([])}
    told = gw.function(lambda items: list(items.values()), input_signature=[spec])
    one, two = gw.constant(1.0), gw.constant(2.0)
    assert value(told({"x": one, "y": two})) == [1.0, 2.0]
    with pytest.raises(ValueError, match="(?s)GW302: the input signature takes .*keys in its order"):
        told({"y": two, "x": one})
