"""A limit of the graph, where Python raises nothing, passes the handlers of the program; what Python raises is caught."""

import contextlib
import math
import traceback

import numpy as np
import pytest

import graphwright as gw

NAN, INF = float("nan"), float("inf")


def power(n):
    return (2**n) % 1000


def product(n):
    x = 1
    for _ in range(n):
        x = x * 3
    return x % 7


def shifted(n):
    return (1 << n) % 7


def factorial(n):
    return math.factorial(n) % 10


def total(n):
    return sum([n << 56, n << 56, n << 56]) % 10


def negative_power(n):
    return 2 ** (10 - n)


def ordered(x):
    return sorted([x, 1.0, 2.0])[0]


def appended_and_ordered(x):
    xs = []
    for i in range(3):
        xs.append(x * i)
    xs.sort()
    return xs[0]


def whole(x):
    return int(x) % 10


def rounded(x):
    return round(x) % 10


def root(x):
    return abs((0.5 - x) ** 0.5)


def by_name(f):
    def function(v):
        try:
            return f(v)
        except (OverflowError, ValueError):
            return -1

    return function


def by_base(f):
    def function(v):
        try:
            return f(v)
        except ArithmeticError:
            return -1
        except Exception:
            return -2

    return function


def by_all(f):
    def function(v):
        try:
            result = f(v)
        except:  # noqa: E722
            result = -1
        return result

    return function


def by_finally(f):
    def function(v):
        seen = 0
        try:
            seen = f(v)
        finally:
            seen = seen + 1
        return seen

    return function


def by_suppress(f):
    def function(v):
        with contextlib.suppress(OverflowError, ValueError):
            return f(v)
        return -1

    return function


def by_helper(f):
    def outer(v):
        return f(v)

    def function(v):
        try:
            return outer(v)
        except OverflowError:
            return -1
        except ValueError:
            return -2

    return function


def in_a_loop(f):
    def function(v):
        failures = 0
        for _ in range(3):
            try:
                f(v)
            except (OverflowError, ValueError):
                failures += 1
        return failures

    return function


WAYS = [by_name, by_base, by_all, by_finally, by_suppress, by_helper, in_a_loop]

# A function, an argument that it takes, and one that meets a limit.
LIMITS = [
    (power, 9, 70),
    (product, 9, 70),
    (shifted, 9, 70),
    (factorial, 9, 30),
    (total, 9, 70),
    (negative_power, 9, 70),
    (ordered, 0.5, NAN),
    (appended_and_ordered, 0.5, NAN),
    (whole, 12.5, 1e19),
    (rounded, 12.5, 1e300),
    (root, 0.25, 4.0),
]


def tensor(v):
    return gw.constant(v, gw.int64 if type(v) is int else gw.float64)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("f", "fits", "too_much"), LIMITS)
def test_a_limit_is_not_the_programs(f, fits, too_much, way):
    native = way(f)
    staged = gw.function(native)
    for _ in range(2):
        assert staged(tensor(fits)).item() == pytest.approx(native(fits))
        with pytest.raises((OverflowError, ValueError)) as caught:
            staged(tensor(too_much))
        assert traceback.extract_tb(caught.tb)[-1].filename == __file__


def exponential(x):
    return math.exp(x)


def power_of_float(x):
    return x**400.0


def of_text(x):
    return math.sqrt(x - 900.0)


# What Python raises, too.
PYTHONS = [
    (exponential, 800.0),
    (power_of_float, 1e300),
    (whole, INF),
    (whole, -INF),
    (whole, NAN),
    (of_text, 1.0),
]


@pytest.mark.parametrize("way", [by_name, by_base, by_all, by_suppress, by_helper, in_a_loop])
@pytest.mark.parametrize(("f", "argument"), PYTHONS)
def test_what_python_raises_is_caught(f, argument, way):
    native = way(f)
    staged = gw.function(native)
    for _ in range(2):
        assert staged(tensor(argument)).item() == native(argument)


def divided(v):
    return v // 0


def remainders(v):
    return v % 0


def quotients(v):
    return v / 0


def by_a_number(v):
    n = 0
    for i in range(3):
        n = i * int(v[0] > 5)
    return v // n


@pytest.mark.parametrize("function", [divided, remainders, by_a_number])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arrays_divided_by_zero_are_not_caught(function):
    def handled(v):
        try:
            return function(v)
        except ZeroDivisionError:
            return v + 100

    v = np.array([1, 2])
    assert not np.array_equal(handled(v), v + 100)
    with pytest.raises(ZeroDivisionError):
        gw.function(handled)(v)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_quotients_of_arrays_by_zero_are_numpys():
    v = np.array([1, 0, -2])
    for function in (quotients, lambda v: v / v, lambda v: 3 / v, lambda v: v / v[1], lambda v: v[1] / v):
        wanted = function(v)
        for found in (gw.function(function)(v), function(gw.constant(v))):
            assert found.dtype == gw.float64
            np.testing.assert_array_equal(found.numpy(), wanted)
    with pytest.raises(ZeroDivisionError):
        gw.function(lambda n: n / (n - n))(gw.constant(3))


def test_a_number_divided_by_zero_is_caught():
    def handled(n):
        try:
            return n // (n - n), n / (n - n)
        except ZeroDivisionError:
            return n, n

    assert [int(part) for part in gw.function(handled)(gw.constant(3))] == [3, 3]
