"""A name that holds an object on some paths only, and no value on the others, is refused where it is read, and only there."""

import contextlib

import pytest

import graphwright as gw
from three_ways import check


class Counted:
    """Counts how it is left. A class with a `__new__` of its own makes objects that the graph does not take apart."""

    def __new__(cls):
        return super().__new__(cls)

    def __init__(self):
        self.good = self.bad = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.good += kind is None
        self.bad += kind is not None


def bound_anew(n, limit):
    total = 0
    for i in range(n):
        if i < limit:
            try:
                with Counted() as counted:
                    total += 60 // (i - 2)
            except ZeroDivisionError:
                total += 1000 * counted.bad
            total += 100000 * counted.good
    return total


def made_in_branches(x):
    if x > 0:
        counted = Counted()
        counted.good += x
        y = counted.good
    elif x < -3:
        counted = Counted()
        y = counted.bad - 1
    else:
        y = 7
    while x > 0:
        counted, x = Counted(), x - 2
        y += counted.bad + 3
    return y


def found(n):
    for i in range(n):
        if i > 2:
            kind = Counted()
            kind.good += 1
        if i * i > 7:
            return i
    return -1


def in_handlers(n):
    y = 0
    try:
        y = 60 // n
        counted = Counted()
        y += 60 // (n - 1)
        counted.good += 5
        y += counted.good
    except ZeroDivisionError:
        y -= 1
    return y


@pytest.mark.parametrize(
    ("function", "args"),
    [
        *[(bound_anew, (n, limit)) for n in (0, 2, 5) for limit in (0, 2, 4)],
        *[(made_in_branches, (x,)) for x in (5, 0, -2, -7)],
        *[(found, (n,)) for n in (0, 2, 6)],
        *[(in_handlers, (n,)) for n in (0, 1, 7)],
    ],
)
def test_what_nobody_reads_may_be_there_on_some_paths(function, args):
    check(function, *args)


def read(x):
    if x > 0:
        k = Counted()
    return k.good


def read_after_loop(x):
    while x > 0:
        k, x = Counted(), x - 1
    return k.good


def read_before_it_is_bound_again(n):
    total = 0
    for i in range(n):
        if i > 1:
            total += k.good  # noqa: F821
        k = Counted()
    return total


def caught(x):
    if x > 0:
        k = Counted()
    try:
        y = k.good
    except ValueError:
        y = -1
    return y


def suppressed(x):
    if x > 0:
        k = Counted()
    with contextlib.suppress(ValueError):
        return k.good
    return x


def nested(x):
    if x > 0:
        k = Counted()

    def inner():
        return k.good

    return inner()


def asked(x):
    if x > 0:
        k = Counted()

    def inner():
        return 1 if isinstance(k, Counted) else 2

    return inner()


def compared(x):
    if x > 0:
        k = Counted()

    def inner():
        return 1 if k is None else 2

    return inner()


def matched(x):
    if x > 0:
        k = Counted()

    def inner():
        match k:
            case Counted():
                return 1
            case _:
                return 2

    return inner()


def stored(x):
    if x > 0:
        k = Counted()

    def inner():
        k.good = 3

    inner()
    return x


def entered(x):
    if x > 0:
        k = Counted()

    def inner():
        with k:
            return x

    return inner()


def returned(x):
    if x > 0:
        k = Counted()

    def inner():
        return [k]

    return inner()


def called(x):
    if x > 0:
        k = print
    k(x)
    return x


def deleted(x):
    if x > 0:
        k = Counted()
    del k
    return x


def attribute(x):
    box = Counted()
    if x > 0:
        box.other = Counted()
    return x


def outside(x):
    global somewhere
    if x > 0:
        somewhere = Counted()
    return x


@pytest.mark.parametrize(
    "function",
    [read, read_after_loop, read_before_it_is_bound_again, caught, suppressed, nested, asked, compared]
    + [matched, stored, entered, returned, called, deleted, attribute, outside],
)
def test_what_is_read_is_refused(function):
    with pytest.raises(Exception, match=r"^GW10[34]: .*without a value|^GW103: `box.other` has a value"):
        gw.function(function)(gw.constant(5))


def returned_before(t, early):
    if early:
        return t
    t = gw.stack([t, t])
    return gw.reduce_sum(t)


def of_other_type(t, n):
    if n > 2:
        t = gw.cast(t, gw.float64) / 2.0
        n += 1
    elif n > 1:
        t = [t, t]
    t = n
    return t + 1


def of_other_objects(n):
    if n > 2:
        kind, by = "large", 3
    else:
        kind, by = Counted(), 2
    del kind
    return n * by


def in_loops(n):
    total, row = 0, 0
    for i in range(n):
        if i > 1:
            row = gw.stack([i, total])
            total += 1
        else:
            row = i
            total += row
        row = 0
    return total + row


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (returned_before, [(4, True), (4, False)]),
        (of_other_type, [(4, 1), (4, 2), (4, 5)]),
        (of_other_objects, [(1,), (5,)]),
        (in_loops, [(0,), (1,), (5,)]),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_a_name_of_two_types_may_be_left_by_branches(program, arguments):
    graph = gw.function(program)
    for given in arguments:
        native = program(*(gw.constant(x) if program is returned_before else x for x in given))
        for _ in range(2):
            assert int(graph(*map(gw.constant, given))) == int(native)


def read_behind(t, c):
    if c > 0:
        t = gw.stack([t, t])
    return t


def read_on_some_paths(t, c):
    if c > 0:
        t = gw.stack([t, t])
    if c > 1:
        c += gw.reduce_sum(t)
    return c


def read_in_a_closure(t, c):
    if c > 0:
        t = gw.stack([t, t])
    return [lambda: t][0]()


@pytest.mark.parametrize("program", [read_behind, read_on_some_paths, read_in_a_closure])
def test_to_read_one_is_the_error_of_the_branch(program):
    with pytest.raises(TypeError, match=r"GW101: `t` is `int32` of shape \[2\](?s:.)*if c > 0:"):
        gw.function(program)(gw.constant(1), gw.constant(2))
