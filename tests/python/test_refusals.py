"""A diagnostic that says what staging cannot do passes the program's own handlers; the program's mistakes do not."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import fractions
import functools
import json

import pytest

import graphwright as gw


def in_except_exception(x):
    try:
        return len("a" * int("%d" % x))
    except Exception:
        return -1


def in_except_type_error(x):
    try:
        text = "%d" % x
    except TypeError:
        text = ""
    return len(text)


def in_bare_except(x):
    try:
        return len("%d" % x)
    except:  # noqa: E722 - what is tested
        return -1


def in_an_outer_handler(x):
    try:
        try:
            text = "%d" % x
        finally:
            known = 1
    except (ValueError, TypeError):
        return -known
    return len(text)


def in_suppress(x):
    found = -1
    with contextlib.suppress(Exception):
        found = len("%d" % x)
    return found


class Swallows:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True


def in_a_manager(x):
    found = -1
    with Swallows():
        found = len("%d" % x)
    return found


@contextlib.contextmanager
def swallowed():
    try:
        yield
    except TypeError:
        pass


def in_a_generator_that_manages(x):
    found = -1
    with swallowed():
        found = len("%d" % x)
    return found


def in_a_branch(x):
    if x > 0:
        try:
            return len("%d" % x)
        except TypeError:
            return -1
    return 0


def in_a_loop(n):
    total = 0
    for i in gw.range(n):
        try:
            total += len("%d" % i)
        except Exception:
            total -= 1
    return total


def in_a_finally_that_returns(x):
    found = -1
    try:
        found = len("%d" % x)
    finally:
        return found


PROGRAMS = [
    in_except_exception,
    in_except_type_error,
    in_bare_except,
    in_an_outer_handler,
    in_suppress,
    in_a_manager,
    in_a_generator_that_manages,
    in_a_branch,
    in_a_loop,
    in_a_finally_that_returns,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_refusal_is_not_caught(program):
    staged = gw.function(program)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError), match=r"GW\d\d\d: (?s:.)*test_refusals\.py:\d+"):
            staged(gw.constant(3))


def test_a_library_that_swallows_it_gives_no_graph():
    def first(x):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(TypeError))
            return len("%d" % x)
        return -1

    with pytest.raises((TypeError, ValueError), match=r"GW\d\d\d"):
        gw.function(first)(gw.constant(3))


def test_an_exception_of_pythons_own_does_not_replace_it():
    def f(x):
        return len("%d" % x)

    with pytest.raises(TypeError, match=r"GW116(?s:.)*test_refusals\.py"):
        gw.function(f)(gw.constant(3))


def test_mistakes_of_the_program_are_caught():
    def shapes(x):
        try:
            return x @ x
        except ValueError:
            return x

    def index(x):
        try:
            return x[7]
        except IndexError:
            return x[0]

    v = gw.constant([1.0, 2.0, 3.0])
    m = gw.constant([[1.0, 2.0]])
    assert gw.function(index)(v).numpy() == index(v).numpy() == 1.0
    assert gw.function(shapes)(m).shape == shapes(m).shape


def test_what_the_program_raises_is_caught():
    def f(n):
        try:
            if n > 3:
                raise ValueError("great")
            return n
        except Exception:
            return -1

    staged = gw.function(f)
    assert [int(staged(gw.constant(n))) for n in (2, 5)] == [2, -1]


def test_handlers_work_as_ever_without_a_graph():
    converted = gw.autograph.to_graph(in_except_exception)
    assert converted("not a number") == in_except_exception("not a number") == -1


def as_a_fraction(n):
    try:
        return int(fractions.Fraction(n, 2) * 4)
    except TypeError:
        return -1


def as_a_decimal(n):
    try:
        return int(decimal.Decimal(n))
    except Exception:
        return -1


def as_json(n):
    found = "none"
    with contextlib.suppress(TypeError):
        found = json.dumps([n])
    return len(found)


def as_days(n):
    try:
        return datetime.timedelta(days=n).days
    except:  # noqa: E722 - what is tested
        return -1


@pytest.mark.parametrize("program", [as_a_fraction, as_a_decimal, as_json, as_days])
def test_what_a_library_says_of_a_tensor_is_not_caught(program):
    assert program(7) > 0
    for function, number in (
        (gw.function(program), gw.constant(7)),
        (gw.function(program, python_numbers="staged"), 7),
    ):
        with pytest.raises(
            gw.errors.OperatorNotAllowedInGraphError, match=r"GW120(?s:.)*test_refusals\.py:\d+"
        ):
            function(number)


def test_what_a_library_says_of_numbers_too_is_caught():
    def items(n):
        try:
            return list(zip(n))
        except TypeError:
            return n

    def own(n):
        def refuse(one):
            raise TypeError("no")

        try:
            return functools.reduce(lambda total, one: refuse(one), [n, n, n])
        except TypeError:
            return n + 1

    assert gw.function(items)(gw.constant(3)).item() == items(3) == 3
    assert gw.function(own)(gw.constant(3)).item() == own(3) == 4
