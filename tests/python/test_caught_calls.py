"""A `try` around calls of functions that call themselves: what these raise is caught as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from three_ways import check, outcome, tensor


class Own(ValueError):
    def __init__(self, amount):
        super().__init__("own", amount)
        self.amount = amount


def spend(n, x):
    if x < 0:
        raise Own(x)
    if x == 5:
        raise ValueError(f"five after {n}")
    if n <= 0:
        return x
    return spend(n - 1, x - 3) + 1


def shown(n, x):
    try:
        x = spend(n, x)
    except Own as error:
        return error.amount
    except ValueError as error:
        print(error)
    else:
        x = x * 2
    finally:
        x = x + 1
    return x


def passed_on(n, x):
    try:
        x = spend(n, x)
    except ZeroDivisionError:
        x = 0
    finally:
        print("left")
    return x


def again(n, x):
    try:
        x = spend(n, x)
    except ValueError:
        raise
    return x


@pytest.mark.parametrize("function", [shown, passed_on, again])
def test_values_of_an_exception(function):
    for n, x in [(2, 10), (5, 3), (2, 8), (0, 5)]:
        check(function, n, x)


def even(n):
    if n == 0:
        return 1
    return odd(n - 1)


def odd(n):
    if n == 0:
        raise KeyError("odd")
    return even(n - 1)


def parity(n):
    try:
        return even(n)
    except KeyError:
        return 0


def fill(values, n, most):
    values[n] = n
    if n == most:
        raise KeyError("most")
    return 0 if n == 0 else fill(values, n - 1, most)


def filled(values, n, most):
    try:
        fill(values, n, most)
    except KeyError:
        return values.sum() + 100
    except IndexError:
        return values.sum() - 100
    return values.sum()


def two(n):
    if n <= 0:
        return 1, 2.0
    assert n < 5
    a, b = two(n - 1)
    return a + 1, b * 2


def twos(n):
    try:
        a, b = two(n)
    except AssertionError:
        a, b = -1, -1.0
    return a, b


def perhaps(n):
    if n <= 0:
        return None
    assert n < 5
    rest = perhaps(n - 1)
    return n if rest is None else rest + n


def perhaps_caught(n):
    try:
        found = perhaps(n)
    except AssertionError:
        found = -1
    return -5 if found is None else found


def silent(n):
    if n > 0:
        assert n < 5
        silent(n - 1)


def silent_caught(n):
    try:
        silent(n)
    except AssertionError:
        return 1
    return 0


def endless(n):
    if n <= 0:
        raise ValueError("end")
    endless(n - 1)
    raise KeyError("never")


def endless_caught(n):
    try:
        endless(n)
    except ValueError as error:
        return len(str(error))
    return 0


@pytest.mark.parametrize("function", [parity, twos, perhaps_caught, silent_caught, endless_caught])
def test_what_is_returned_besides(function):
    for n in (0, 3, 7):
        check(function, n)


def target(values, x):
    value = -1
    try:
        for value in values:
            if value > x:
                raise KeyError
    except KeyError:
        return value
    return 0


def climb(x):
    try:
        assert x < 5
        return climb(x + 1)
    except AssertionError:
        return 7


def test_a_body_is_left_where_it_is_looked_at_first():
    """No branch or loop is around the call, and the body of a `try` is not yet known to be a region."""
    for x in (1, 5, 9):
        check(climb, x)


def summed(n, x):
    if n <= 0:
        return x
    for _ in range(3):
        if x:
            found = sum([x, summed(n - 1, x)])
        x = found
    return x


def summed_in_a_try(n):
    try:
        pass
    except KeyError:
        n = 0
    else:
        n = summed(n, 3)
    return n


def test_a_name_that_a_call_gives_its_value_is_bound():
    """Not before it is known what the call returns, in the first round of making the function."""
    check(summed_in_a_try, 2)


def test_a_handler_sees_the_target_of_a_loop():
    for x in (0, 2, 5):
        check(target, [1, 3, 5], x)
        check(target, np.array([1, 3, 5]), x)


def test_stores_before_it_stand():
    for n, most in [(3, 7), (3, 1), (5, 2)]:
        check(filled, np.zeros(4, dtype=np.int64), n, most)


def test_calls_in_no_try_give_nothing_more():
    text = str(gw.function(two).get_concrete_function(gw.TensorSpec([], gw.int64)).graph)
    assert "try" not in text


class Log:
    """What a function does before a call of it fails."""

    last = 0


def plunged(n, d):
    return 60 // d if n == 0 else plunged(n - 1, d) + 1


def noted(log, n, d):
    log.last = n + 5
    result = plunged(n, d)
    log.last = 100
    return result


def marked(places, n, d):
    places[n] = n
    if n == 0:
        return 60 // d
    return marked(places, n - 1, d)


@pytest.mark.parametrize("d", [2, 0])
def test_what_was_stored_before_a_call_that_fails_stands(d):
    native, staged = Log(), Log()
    wanted = outcome(noted, (native, 3, d))
    assert outcome(gw.function(noted), (staged, tensor(3), tensor(d))) == wanted
    assert staged.last == native.last


@pytest.mark.parametrize("d", [2, 0])
def test_what_the_calls_stored_before_the_last_one_failed_stands(d):
    native, staged = np.zeros(5, np.int64), np.zeros(5, np.int64)
    wanted = outcome(marked, (native, 3, d))
    assert outcome(gw.function(marked), (staged, tensor(3), tensor(d))) == wanted
    np.testing.assert_array_equal(staged, native)


@pytest.mark.parametrize("d", [2, 0])
def test_what_was_assigned_to_a_variable_before_a_call_that_fails_stands(d):
    variable = gw.Variable(0, dtype=gw.int64)

    @gw.function
    def assigned(n, d):
        variable.assign(n)
        result = plunged(n, d)
        variable.assign(100)
        return result

    wanted = outcome(plunged, (3, d))
    assert outcome(assigned, (tensor(3), tensor(d))) == wanted
    assert int(variable.numpy()) == (3 if d == 0 else 100)


def collected(n, x, q):
    if n < 0:
        return n
    try:
        assert q or x > 2, "no"
        found = []
        for i in range(x):
            found.append(x * i - collected(n - 1, 2, q))
        for each in found:
            x += each
    except AssertionError:
        x = -x
    return x


def counts_of(a, n):
    counts = {0: n, 1: 1}
    for i in range(3):
        counts[in_finally(a, n) % 2] += i
    return counts[0], counts[1]


def in_finally(n, x):
    if n < 1:
        return x
    try:
        z = in_finally(n - 1, x + 1) // (n - 3)
    finally:
        x += 1
    return x + z


@pytest.mark.parametrize(
    ("function", "args"),
    [(collected, (n, 3, q)) for n in (-1, 0, 2) for q in (True, False)]
    + [(counts_of, (a, 5)) for a in (0, 2, 4)],
)
def test_lists_of_bodies_in_which_calls_fail_are_the_functions_own(function, args):
    check(function, *args)
