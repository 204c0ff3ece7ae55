"""A name that holds an object on some paths only, and no value on the others, is refused where it is read, and only there."""

import contextlib

import pytest

import graphwright as gw
from three_ways import check


class Counted:
    """Counts how it is left."""

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
