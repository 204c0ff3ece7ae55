"""What the functions and methods change that a staged branch or loop calls: attributes, items, globals, variables of closures."""

import functools

import pytest

import graphwright as gw
from three_ways import check


class Counter:
    def __init__(self):
        self.count = 0
        self.best = None
        self.on = True
        self.items = [1, 2]
        self.kinds = {"odd": 0, "even": 0}

    def step(self, by):
        self.count += by

    def passed(self, x):
        self.count += x
        return self.count

    def odd(self, x):
        self.count += 1
        return x % 2 == 1

    def see(self, x):
        if self.best is None or x > self.best:
            self.best = x

    def flip(self):
        self.on = not self.on

    def put(self, x):
        self.items[0] = x

    def sort(self, x):
        if x % 2 == 0:
            self.kinds["even"] += 1
        else:
            self.kinds["odd"] += 1

    def replace(self, name, value):
        setattr(self, name, value)

    def append(self, x):
        self.items = [*self.items, x]

    def make(self, x):
        self.made = x


class Slotted:
    __slots__ = ("total",)

    def __init__(self):
        self.total = 0

    def step(self, by):
        self.total += by


class Celsius:
    def __init__(self):
        self.fahrenheit = 32.0

    @property
    def degrees(self):
        return (self.fahrenheit - 32.0) * 0.5

    @degrees.setter
    def degrees(self, value):
        self.fahrenheit = value * 2.0 + 32.0


class Audited:
    """Counts in Python's own hooks how often it is read and written."""

    def __init__(self):
        self.__dict__.update(value=0, reads=0, writes=0, stored={"k": 0})

    @property
    def level(self):
        self.__dict__["reads"] += 1
        return self.value

    @level.setter
    def level(self, value):
        self.value = value

    def __setattr__(self, name, value):
        self.__dict__["writes"] += 1
        object.__setattr__(self, name, value)

    def __setitem__(self, key, value):
        self.__dict__["writes"] += 1
        self.stored[key] = value

    def __getitem__(self, key):
        self.__dict__["reads"] += 1
        return self.stored[key]


class Node:
    def __init__(self, value):
        self.value = value


class Tree:
    root = None

    def grow(self, value):
        self.root = Node(value)


def by_a_method(n):
    counter = Counter()
    for i in range(n):
        counter.step(i)
    return counter.count


def in_a_branch(n):
    counter = Counter()
    if n > 2:
        counter.flip()
        counter.step(n)
    else:
        counter.step(-1)
    return counter.on, counter.count


def in_a_nest(n):
    counter = Counter()
    while n > 0:
        if n % 2 == 0:
            counter.step(n)
        else:
            for i in range(n):
                counter.step(i)
        n -= 1
    return counter.count


def in_an_expression(n):
    counter = Counter()
    y = (counter.step(n), n)[1] if n > 0 else 0
    return y, counter.count


def by_two_names(n):
    a = Counter()
    b = a
    both = [a]
    while n > 0:
        a.step(n)
        b.step(1)
        both[0].count += 2
        n -= 1
    return a.count, b.count, both[0].count


def by_a_bound_method(n):
    counter = Counter()
    step = counter.step
    while n > 0:
        step(n)
        counter.count += 1
        n -= 1
    return counter.count


def none_at_first(n):
    counter = Counter()
    while n > 0:
        counter.see(n * (5 - n))
        n -= 1
    return counter.best


def an_item_of_a_list(n):
    counter = Counter()
    while n > 0:
        counter.put(n)
        n -= 1
    return counter.items


def an_item_of_a_dict(n):
    counter = Counter()
    while n > 0:
        counter.sort(n)
        n -= 1
    return counter.kinds


def by_setattr(n):
    counter = Counter()
    while n > 0:
        counter.replace("count", counter.count * 2 + 1)
        n -= 1
    return counter.count


def a_longer_list(n):
    counter = Counter()
    while n > 0:
        counter.append(n)
        n -= 1
    return counter.items


def new_in_both_branches(n):
    counter = Counter()
    if n > 0:
        counter.make(n)
    else:
        counter.make(2 * n)
    return counter.made


def in_a_slot(n):
    out = Slotted()
    while n > 0:
        out.step(n)
        n -= 1
    return out.total


def by_a_property(n):
    def warm(t):
        t.degrees += 1.5

    t = Celsius()
    while n > 0:
        warm(t)
        n -= 1
    return t.degrees, t.fahrenheit


def by_hooks_of_the_class(n):
    audited = Audited()
    while n > 0:
        audited.level += n
        audited.value = audited.value + 1
        audited["k"] = audited["k"] + n
        n -= 1
    return audited.value, audited.stored["k"], audited.reads, audited.writes


def by_hooks_in_a_branch(n):
    audited = Audited()
    if n > 2:
        audited.level = n
    return audited.value, audited.reads, audited.writes


def in_a_closure(n):
    count = 0

    def bump():
        nonlocal count
        count += 1

    while n > 0:
        bump()
        if n % 2 == 0:
            bump()
        n -= 1
    return count


def an_object_made_inside(n):
    total = 0
    while n > 0:
        counter = Counter()
        counter.step(n)
        counter.step(n)
        total += counter.count
        n -= 1
    return total


def by_a_helper_of_a_helper(n):
    counter = Counter()

    def outer(x):
        def inner(y):
            counter.step(y)

        inner(x)
        inner(1)

    if n > 1:
        outer(n)
    return counter.count


def in_what_is_mapped(n):
    counter = Counter()
    total = 0
    for x in map(counter.passed, range(n)):
        total += x
    return total, counter.count


def in_what_is_filtered(n):
    counter = Counter()
    total = 0
    for x in filter(counter.odd, range(n)):
        total += x
    return total, counter.count


def in_what_is_summed(n):
    counter = Counter()
    return sum(counter.passed(x) for x in range(n)), counter.count


def in_what_is_reduced(n):
    counter = Counter()

    def step(a, b):
        counter.step(b)
        return a + b

    return functools.reduce(step, range(n), 1), counter.count


def in_any(n):
    counter = Counter()
    return any(counter.odd(x) for x in range(n)), counter.count


def in_a_key(n):
    counter = Counter()
    return max(range(n + 1), key=counter.passed), counter.count


def in_a_comparison(n):
    counter = Counter()
    return 0 < counter.passed(n) < counter.passed(n - 1), counter.count


def in_a_case(n):
    counter = Counter()
    match n:
        case x if counter.odd(x):
            found = 1
        case x if counter.odd(x + 1):
            found = 2
        case _:
            found = 3
    return found, counter.count


def in_a_test(n):
    counter = Counter()
    while counter.passed(2) < n:
        n -= 1
    return n, counter.count


PROGRAMS = [
    in_what_is_mapped,
    in_what_is_filtered,
    in_what_is_summed,
    in_what_is_reduced,
    in_any,
    in_a_key,
    in_a_comparison,
    in_a_case,
    in_a_test,
    by_a_method,
    in_a_branch,
    in_a_nest,
    in_an_expression,
    by_two_names,
    by_a_bound_method,
    none_at_first,
    an_item_of_a_list,
    an_item_of_a_dict,
    by_setattr,
    a_longer_list,
    new_in_both_branches,
    in_a_slot,
    by_a_property,
    by_hooks_of_the_class,
    by_hooks_in_a_branch,
    in_a_closure,
    an_object_made_inside,
    by_a_helper_of_a_helper,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_a_callee_changes_is_changed_as_often_as_in_python(program):
    for n in (4, 1, 0):
        check(program, n)


def an_object_that_is_made(n):
    tree = Tree()
    while n > 0:
        tree.grow(n)
        n -= 1
    return n


def test_an_object_that_is_made_flows():
    assert gw.function(an_object_that_is_made)(gw.constant(2)).item() == 0


def made_in_one_branch(n):
    counter = Counter()
    if n > 0:
        counter.make(n)
    return counter.made


def in_the_text_of_an_assertion(n):
    counter = Counter()
    assert n > 0, counter.passed(1)
    return counter.count


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (in_the_text_of_an_assertion, r"GW103: `counter\.count`"),
        (made_in_one_branch, r"GW103: `counter\.made`"),
    ],
)
def test_what_a_graph_cannot_hold_is_refused_by_its_path(program, what):
    with pytest.raises(ValueError, match=rf"(?s){what}.*{__file__}.*help: "):
        gw.function(program)(gw.constant(2))
