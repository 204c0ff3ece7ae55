"""A loop that Python would never leave is not left out of a graph, and Ctrl-C ends it."""

from __future__ import annotations

import pytest

import graphwright as gw
from array_programs import function_of
from interrupts import check_ends_by_interrupt


def nothing(x):
    while x > 0:
        pass
    return x


def unused(x):
    y = x
    while y != 1:
        y = y * 1
    return x


def in_a_branch(x):
    if x > 0:
        while x > 0:
            x + 1
    return x


def for_ever(x):
    n = 0
    while x == x:
        n += 1
    return x


def in_a_loop(x):
    for i in gw.range(3):
        while x > i:
            pass
    return x


@pytest.mark.parametrize("function", [nothing, unused, in_a_branch, for_ever, in_a_loop])
def test_it_runs_until_it_is_interrupted(function):
    staged = gw.function(function)
    staged.get_concrete_function(gw.constant(2))
    check_ends_by_interrupt(lambda: staged(gw.constant(2)))


def counted(x, n):
    total = 0
    for i in gw.range(n):
        total += i
    k = n
    while k > 0 and total < 1000:
        k -= 1
    m = 0
    while m < n:
        m += 2 if x > 0 else 3
    return x


def test_what_counts_up_to_a_bound_goes_if_nobody_needs_it():
    wrapping = gw.function(counted, integer_overflow="wrap")
    graph = str(wrapping.get_concrete_function(gw.constant(2), gw.constant(3)).graph)
    assert "while" not in graph


def test_a_sum_that_may_overflow_keeps_its_loop():
    graph = str(gw.function(counted).get_concrete_function(gw.constant(2), gw.constant(3)).graph)
    assert "while" in graph


def test_a_loop_whose_counter_may_stay_is_kept():
    @gw.function
    def function(x, n):
        i = 0
        while i < n:
            if x > 0:
                i += 1
        return x

    graph = str(function.get_concrete_function(gw.constant(2), gw.constant(3)).graph)
    assert "while" in graph
    assert function(gw.constant(2), gw.constant(3)).item() == 2


@pytest.mark.parametrize("power", ["2.0**53 ** 2**63", "n_of_python ** 10**10", "(-3) ** (1 << 40)"])
def test_powers_with_too_many_digits_are_refused_where_the_graph_decides(power):
    text = f"def f(n):\n    n_of_python = 7\n    if n > 5:\n        y = {power}\n    return n\n"
    f, _ = function_of(text, power)
    assert f(2) == 2
    with pytest.raises(ValueError, match=r"GW118: this power(.|\n)* --> .*:4:"):
        gw.function(f)(gw.constant(2))


@pytest.mark.parametrize(
    "power", ["1 ** 10**30", "(-1) ** 10**30", "0 ** 10**30", "2 ** 100_000", "2.0 ** 10**3"]
)
def test_powers_that_end_are_pythons(power):
    text = f"def f(n):\n    y = 0\n    if n > 5:\n        y = {power}\n    return n\n"
    f, _ = function_of(text, power)
    assert gw.function(f)(gw.constant(7)).item() == f(7)


MANY = tuple(range(5_000))


def test_a_loop_that_ends_is_not_said_to_be_endless():
    @gw.function
    def long(x):
        for _ in (1, 2, 3):
            for i in MANY:
                x = x * i + 1 - x * 3 + i * x - 2 * x
        return x

    with pytest.warns(gw.errors.UnrolledLoopWarning), pytest.raises(ValueError, match="GW118") as caught:
        long(gw.constant(1.0))
    assert "2 iterations of this loop put" in str(caught.value) and "did not end" not in str(caught.value)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


def summed(n):
    total = 0
    for k in Countdown(n):
        total += k
    return total


TAKERS = {
    "for": summed,
    "sum": lambda n: sum(Countdown(n)),
    "list": lambda n: list(Countdown(n)),
    "max": lambda n: max(Countdown(n)),
    "sorted": lambda n: sorted(Countdown(n)),
    "list comprehension": lambda n: [k for k in Countdown(n)],  # noqa: C416
    "generator expression": lambda n: sum(k * 2 for k in Countdown(n)),
    "star": lambda n: [*Countdown(n)],
    "in": lambda n: n in Countdown(n),
}


@pytest.mark.parametrize("taker", TAKERS)
def test_an_iterator_whose_end_a_tensor_decides_is_refused(taker):
    with pytest.raises(
        gw.errors.OperatorNotAllowedInGraphError, match="GW109: a tensor decides where"
    ) as caught:
        gw.function(TAKERS[taker])(gw.constant(3))
    assert "raise StopIteration" in str(caught.value)


@pytest.mark.parametrize("n", [0, 3])
def test_next_of_such_an_iterator_ends_as_pythons(n):
    def first(n):
        numbers = Countdown(n)
        try:
            return next(numbers)
        except StopIteration:
            return -1

    assert gw.function(first)(gw.constant(n)) == first(n)
    assert gw.function(lambda n: next(Countdown(n), 7))(gw.constant(n)) == next(Countdown(n), 7)
