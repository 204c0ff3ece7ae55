"""What managers of a `with` see of what the graph raises in its body: as in Python, or refused with the line."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
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
        if kind is None:
            self.good += 1
        else:
            self.bad += 1
        return True


@contextlib.contextmanager
def guarded(state):
    try:
        yield state[0]
    except ZeroDivisionError as error:
        state[0] = -1
        print("no quotient:", error, state[0])
    finally:
        state.append(4)


@contextlib.contextmanager
def translated():
    try:
        yield
    except IndexError as error:
        raise KeyError("translated") from error


@contextlib.contextmanager
def silent(x):
    if x > 3:
        yield x
    else:
        yield -x


@contextlib.contextmanager
def twice():
    try:
        yield 1
    except ZeroDivisionError:
        pass
    yield 2


def suppressed(n):
    result = -1
    with contextlib.suppress(ZeroDivisionError, KeyError):
        result = 0
        result = 60 // n
        result += 1
    return result


def suppressed_raise(x):
    with contextlib.suppress(ValueError):
        if x < 0:
            raise ValueError("negative")
        return x
    return 0


def counted(n):
    count = Counted()
    with count as same:
        y = 60 // n
        same.good += 10
    return count.good, count.bad


def looped(values, n):
    count = Counted()
    total = 0
    for i in range(n):
        with count:
            total += values[i]
    return total, count.good, count.bad


def in_generator(n):
    y, state = 5, [n + 2]
    with guarded(state) as first:
        state[0] = 7
        y = 60 // n + first
        state[0] = 8
    return y, state


def in_translated(values, n):
    with translated():
        return values[n]


def in_silent(x):
    with silent(x) as y:
        z = 10 // y
    return z


def in_twice(n):
    with twice() as k:
        y = 60 // n
    return y


def in_try(n):
    try:
        with contextlib.nullcontext(n) as m, Raising():
            y = 60 // m
    except ZeroDivisionError:
        y = -1
    except KeyError:
        y = -2
    return y


class Raising:
    """Raises when it is left by an exception."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is ZeroDivisionError:
            raise KeyError("instead")


class Choosing:
    """A tensor decides what it holds back."""

    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, kind, error, trace):
        return self.x > 3


def chosen(x, n):
    y = 1
    with Choosing(x) as z:
        y = 60 // n + z
    return y


def nested(n):
    a, b = Counted(), Counted()
    y = 0
    with a:
        with b:
            y = 60 // n
            y = 600 // (n - 1)
        y += 60 // (n - 2)
    return y, a.good, a.bad, b.good, b.bad


def in_handler(n):
    count = Counted()
    try:
        y = 60 // n
    except ZeroDivisionError:
        with count:
            y = 60 // (n + 1)
    return y, count.good


class Plain:
    """An object that the body of a `try` makes."""

    def __init__(self, x):
        self.x, self.seen, self.items = x, 0, [x, 1]


def made_in_try(x, n):
    try:
        made = Plain(x * 2)
        made.seen = 1
        y = 60 // n
        made.seen = y
        z = 60 // (n - 1)
    except ZeroDivisionError:
        made.seen += 10
        z = -1
    return made.x, made.seen, z


def grown_in_try(x, n):
    try:
        made = Plain(x * 2)
        y = 60 // n
        made.items.append(n)
    except ZeroDivisionError:
        y = -1
    return made.items[-1], made.items[0], len(made.items), y


def made_with(n):
    try:
        with Counted2() as made:
            y = 60 // n
    except ZeroDivisionError:
        return -1, made.seen
    return y, made.seen


class Counted2:
    """Says how it was left."""

    def __init__(self):
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.seen = 1 if kind is None else 2


def in_two(n):
    with contextlib.suppress(ZeroDivisionError):
        with contextlib.nullcontext():
            return 60 // n
    return 0


class Failing:
    """Fails when it is left for the time that it is told."""

    def __init__(self, last):
        self.count, self.last = 0, last

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.count += 1
        60 // (self.count - self.last)


def broken_out(n, last):
    failing, total = Failing(last), 0
    for i in range(n):
        total += 1
        try:
            with failing:
                if i > 1:
                    break
                if i > 0:
                    total += 1000
                    continue
                total += 10
            total += 100
        except ZeroDivisionError:
            total += 100000
        total += 1000000
    else:
        total = -total
    return total, failing.count


def broken_out_of_finally(n, last):
    total = 0
    for i in range(n):
        total += 1
        with contextlib.suppress(ZeroDivisionError):
            try:
                if i > 1:
                    break
                total += 10
            finally:
                60 // (i - last)
            total += 100
        total += 1000
    return total


def returned_from_three(n, last):
    failing, tries = Failing(last), 0
    try:
        for i in range(n):
            with contextlib.suppress(ZeroDivisionError):
                with contextlib.nullcontext(i) as same, failing:
                    tries += 1
                    if same > 0:
                        return same * 10, tries
    finally:
        tries += 100
    return -1, tries


def returned_nothing(n, last):
    failing = Failing(last)
    with contextlib.suppress(ZeroDivisionError):
        with failing:
            if n > 1:
                return n
        return None


PROGRAMS = [
    (in_two, [(0,), (7,)]),
    *[
        (program, [(n, last) for n in (1, 5) for last in (0, 1, 2, 3, 9)])
        for program in (broken_out, broken_out_of_finally, returned_from_three, returned_nothing)
    ],
    (made_in_try, [(3, 0), (3, 1), (3, 7)]),
    (grown_in_try, [(3, 0), (3, 7)]),
    (made_with, [(0,), (7,)]),
    (suppressed, [(0,), (7,)]),
    (suppressed_raise, [(-3,), (3,)]),
    (counted, [(0,), (7,)]),
    (looped, [(np.array([1, 2, 3]), 2), (np.array([1, 2, 3]), 5)]),
    (in_generator, [(0,), (7,)]),
    (in_translated, [(np.array([1, 2, 3]), 2), (np.array([1, 2, 3]), 5)]),
    (in_silent, [(5,), (2,), (0,)]),
    (in_twice, [(0,), (7,)]),
    (in_try, [(0,), (5,)]),
    (chosen, [(5, 0), (5, 3), (2, 0), (2, 3)]),
    (nested, [(0,), (1,), (2,), (7,)]),
    (in_handler, [(0,), (7,)]),
]


@pytest.mark.parametrize(
    ("program", "args"), [(program, args) for program, all_args in PROGRAMS for args in all_args]
)
def test_managers_see_what_the_graph_raises(program, args):
    check(program, *args)


def in_lock(x):
    lock = threading.Lock()
    with lock:
        if x < 0:
            raise ValueError("negative")
        y = 60 // x
    assert not lock.locked()
    return y


@pytest.mark.parametrize("x", [5, 0, -5])
def test_what_the_graph_raises_passes_managers_of_pythons_own(x):
    check(in_lock, x)


def in_stack(n):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(ZeroDivisionError))
        return 60 // n
    return 0


def in_yielding(n):
    def parts():
        with contextlib.suppress(ZeroDivisionError):
            yield 60 // n

    total = 0
    for part in parts():
        total += part
    return total


def in_maybe(n):
    with maybe(n > 3):
        n += 1
    return n


@contextlib.contextmanager
def maybe(flag):
    if flag:
        yield


@pytest.mark.parametrize(
    ("program", "code"),
    [(in_stack, "GW115"), (in_yielding, "GW115"), (in_maybe, "GW107")],
)
def test_what_a_manager_may_hold_back_unseen_is_refused(program, code):
    with pytest.raises(Exception, match=code):
        gw.function(program)(gw.constant(5))


def test_a_manager_is_entered_once():
    entered = []

    class Entered:
        def __enter__(self):
            entered.append(1)

        def __exit__(self, kind, error, trace):
            return kind is ZeroDivisionError

    def program(n):
        y = 0
        with Entered():
            y = 60 // n
        return y

    staged = gw.function(program)
    assert [int(staged(gw.constant(n))) for n in (7, 0)] == [8, 0]
    assert entered == [1]


def test_nothing_is_left_in_the_graph_where_the_body_cannot_fail():
    def plain(x):
        return x * 2 + 1

    def managed(x):
        with Counted():
            y = x * 2
        return y + 1

    spec = gw.TensorSpec([], gw.int64)
    texts = [str(gw.function(f).get_concrete_function(spec).graph) for f in (plain, managed)]
    lines = [text.count("\n") for text in texts]
    assert lines[0] == lines[1]
