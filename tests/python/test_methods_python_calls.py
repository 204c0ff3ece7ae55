"""Operators, properties and other methods that Python itself calls: in a graph they are converted as every function is."""

import functools
import itertools
from dataclasses import dataclass

import numpy as np
import pytest

import graphwright as gw
from plain_results import value


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        if self.a > 0:
            return Pair(self.a + other.a, self.b + other.b)
        return Pair(other.a, other.b)

    def __radd__(self, number):
        if self.a > 0:
            return Pair(self.a + number, self.b)
        return Pair(self.a, self.b + number)

    def __iadd__(self, other):
        if other.a > 0:
            self.a = self.a + other.a
        return self

    def __matmul__(self, other):
        total = 0
        for x, y in ((self.a, other.a), (self.b, other.b)):
            while y > 0:
                total += x
                y -= 1
        return total

    def __neg__(self):
        return Pair(-self.a, self.b) if self.a > 0 else Pair(self.a, -self.b)

    def __eq__(self, other):
        if self.a > 2:
            return self.a == other.a
        return self.b == other.b

    __hash__ = None

    def __lt__(self, other):
        if self.a != other.a:
            return self.a < other.a
        return self.b < other.b

    def __getitem__(self, i):
        if i == 0:
            return self.a
        return self.b

    def __setitem__(self, i, value):
        if i == 0:
            self.a = value
        else:
            self.b = value

    def __contains__(self, n):
        if n == self.a:
            return True
        return n == self.b

    def __call__(self, n):
        return n if n > self.a else self.a

    def __iter__(self):
        yield self.a
        if self.b > 0:
            yield self.b

    def __enter__(self):
        if self.a > 0:
            self.b = 0
        return self

    def __exit__(self, *raised):
        if self.a > 0:
            self.b = 7

    @property
    def greater(self):
        if self.a > self.b:
            return self.a
        return self.b

    @greater.setter
    def greater(self, value):
        if self.a > self.b:
            self.a = value
        else:
            self.b = value

    def __getattr__(self, name):
        if name != "first":
            raise AttributeError(name)
        if self.a > 0:
            return self.a
        return self.b


@dataclass(order=True)
class Version:
    major: object
    minor: object = 0


@functools.total_ordering
class Rank:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __lt__(self, other):
        return self.value < other.value


def numbers(pair):
    return pair.a * 10 + pair.b


def added(p, q, n):
    return numbers(p + q)


def added_to_number(p, q, n):
    return numbers(n + p)


def added_in_place(p, q, n):
    p += q
    return numbers(p)


def multiplied(p, q, n):
    return p @ q


def negated(p, q, n):
    return numbers(-p)


def equal(p, q, n):
    return p == q


def unequal(p, q, n):
    if p != q:
        return 1
    return 0


def less(p, q, n):
    if p < q:
        return 1
    return 0


def greater(p, q, n):
    return p > q


def greatest(p, q, n):
    return numbers(max(p, q))


def least_of_list(p, q, n):
    return numbers(min([p, q, Pair(n, n)]))


def taken(p, q, n):
    return p[n]


def taken_often(p, q, n):
    return [p[n + i] for i in range(20)][n]


def put(p, q, n):
    p[n] = 5
    return numbers(p)


def increased(p, q, n):
    p[n] += 5
    return numbers(p)


def contained(p, q, n):
    return n in p


def not_contained(p, q, n):
    if n not in p:
        return 1
    return 2


def in_list(p, q, n):
    return p in [q, Pair(n, n)]


def called(p, q, n):
    return p(n)


def iterated(p, q, n):
    total = 0
    for x in p:
        total = total * 10 + x
    return total


def entered(p, q, n):
    with p as inside:
        before = inside.b
    return before * 10 + p.b


def got(p, q, n):
    return p.greater


def set_by_property(p, q, n):
    p.greater = n
    return numbers(p)


def got_by_name(p, q, n):
    return p.first


def carried(p, q, n):
    for i in gw.range(n):
        p = p + q
        if p.greater > 3:
            p = -p
    return numbers(p)


def versions(p, q, n):
    a, b = Version(p.a, p.b), Version(q.a, n)
    if a < b:
        return 1
    return 2 if a == b else 3


def newest(p, q, n):
    return max(Version(p.a, p.b), Version(q.a, n)).minor


def ranked(p, q, n):
    a, b = Rank(p.a), Rank(n)
    return (a > b, a <= b, a >= b, a < b, a != b)


FUNCTIONS = [
    added,
    added_to_number,
    added_in_place,
    multiplied,
    negated,
    equal,
    unequal,
    less,
    greater,
    greatest,
    least_of_list,
    taken,
    taken_often,
    put,
    increased,
    contained,
    not_contained,
    in_list,
    called,
    iterated,
    entered,
    got,
    set_by_property,
    got_by_name,
    carried,
    versions,
    newest,
    ranked,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_objects_of_the_function(function):
    def inside(a, b, c, d, n):
        return function(Pair(a, b), Pair(c, d), n)

    staged = gw.function(inside)
    for given in itertools.product([-1, 0, 3], [0, 2], [-1, 3], [0, 2], [0, 2]):
        assert value(staged(*map(gw.constant, given))) == value(inside(*given)), given
    assert staged.experimental_get_tracing_count() == 1


#: They choose between an object of the caller's and one that the function makes.
MEET_OTHERS = [least_of_list, carried]


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f not in MEET_OTHERS])
def test_objects_of_the_caller(function):
    for a, b, n in [(3, 1, 0), (-1, 2, 2)]:
        expected = value(function(Pair(a, b), Pair(2, 2), n))
        assert value(gw.function(function)(Pair(a, b), Pair(2, 2), gw.constant(n))) == expected


def test_other_functions_are_called_as_ever():
    assert value(gw.function(added)(Pair(1, 2), Pair(3, 4), gw.constant(1))) == 46
    total = Pair(1, 2) + Pair(3, 4)
    assert (total.a, total.b, Pair(5, 1).greater) == (4, 6, 5)
    assert Pair.__add__(Pair(-1, 0), Pair(3, 4)).a == 3


class Shown:
    def __init__(self, rows):
        self.rows = rows

    @property
    def count(self):
        return len(self.rows)


def test_property_of_a_list_in_the_graph():
    @gw.function
    def counted(n):
        shown = Shown([])
        for i in range(n):
            shown.rows.append(i)
        return shown.count

    assert counted(gw.constant(3)).item() == 3


class Named:
    def __init__(self, width):
        self.width = width

    def twice(self):
        return self.width * 2


width = 1


def test_globals_with_the_name_of_an_attribute_do_not_matter():
    global width

    @gw.function
    def doubled(x):
        return Named(x).twice()

    for _ in range(5):
        width = np.array([1.0])
        assert doubled(gw.constant(2)).item() == 4
    assert doubled.experimental_get_tracing_count() == 1


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)
        return self

    def pop(self):
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        return iter(self.items)


def filled(n):
    stack = Stack()
    for i in range(n):
        stack.push(i * i)
    return stack


def emptied(n):
    stack, total = filled(n), 0
    while stack:
        total = total * 3 + stack.pop()
    return total, len(stack)


def looped(n):
    total = 0
    for item in filled(n):
        total = total * 3 + item
    return total


STACKS = [
    emptied,
    looped,
    lambda n: 9 in filled(n),
    lambda n: sum(filled(n), 5),
    lambda n: max(filled(n)),
    lambda n: any(item > 3 for item in filled(n)),
    lambda n: [item + i for i, item in enumerate(filled(n))],
    lambda n: sorted(filled(n), reverse=True),
    lambda n: list(filled(n)),
    lambda n: sum(map(lambda item: item + 1, filled(n))),
]


@pytest.mark.parametrize("function", STACKS)
def test_containers(function):
    staged = gw.function(function)
    for n in (1, 2, 5):
        assert value(staged(gw.constant(n))) == value(function(n))


class Fraction:
    def __init__(self, n, d=1):
        self.n, self.d = n, d

    def __add__(self, other):
        return Fraction(self.n * other.d + other.n * self.d, self.d * other.d)

    def __radd__(self, start):
        return self


def test_messages_show_no_lines_of_this_package():
    with pytest.raises(ValueError, match="GW104") as raised:
        gw.function(lambda n: sum(Fraction(1, k) for k in range(1, n + 1)).n)(gw.constant(3))
    assert "graphwright/" not in str(raised.value)
    assert "test_methods_python_calls.py" in str(raised.value)
