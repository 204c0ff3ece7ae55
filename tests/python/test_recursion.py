"""Functions that call themselves where a tensor decides: native, converted and staged agree."""

from __future__ import annotations

import linecache
import sys
import threading
import traceback
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphwright as gw
from recursive_programs import PROGRAMS, fibonacci, methods, three_levels
from three_ways import check

NUMBERS = count()


@pytest.mark.parametrize(
    "call", PROGRAMS, ids=[f"{call[0].__name__}{number}" for number, call in enumerate(PROGRAMS)]
)
def test_three_ways(call):
    check(*call)


def graph_of(function, *args):
    return str(gw.function(function).get_concrete_function(*args).graph)


INT = gw.TensorSpec([], gw.int64)


def test_equal_functions_are_one():
    text = graph_of(fibonacci, INT)
    assert text.count("func ") == 2
    assert text.count("call @fibonacci_2") == 4


@pytest.mark.parametrize("is_caught", [False, True])
def test_each_kind_of_call_is_traced_a_few_times(is_caught):
    """Functions for several kinds of arguments call one another: none is made anew for each way to come to it."""

    def ways(n, x):
        if n <= 0:
            return x
        total = ways(n - 1, 1) + ways(n - 2, x)
        for k in range(n):
            if k > x:
                total = total + ways(n - 1, 2) + ways(k, True)
        return total % 1009

    def some(n, x):
        total = 0
        try:
            assert n > 1
            for k in range(ways(n, x) % 4):
                total += k
        except AssertionError:
            total = 7
        return total

    traced = 0

    def count(frame, event, _):
        nonlocal traced
        is_start = event == "call" and frame.f_lineno == frame.f_code.co_firstlineno
        traced += is_start and frame.f_code.co_name == "ways"

    function = some if is_caught else ways
    sys.setprofile(count)
    try:
        graph_of(function, INT, INT)
    finally:
        sys.setprofile(None)
    assert 0 < traced < 100
    check(function, 4, 2)
    check(function, 1, 2)


def test_calls_that_python_ends_are_traced_a_few_times():
    """Python's numbers cost alike, although there are ever more ways to each in loops that are traced more than once."""

    def ways(n, x):
        if n <= 0:
            return x
        total = 0
        for k in range(x % 4):
            total += ways(n - 1, x // (k + 1)) + ways(n - 2, x + k)
        return total % 1009

    def traced(n):
        lines = 0

        def count(frame, event, _):
            nonlocal lines
            lines += event == "call" and frame.f_code.co_name == "ways"

        sys.setprofile(count)
        try:
            graph_of(lambda x: ways(n, x), INT)
        finally:
            sys.setprofile(None)
        return lines

    assert 0 < traced(16) < 3 * traced(8)
    check(lambda x: ways(5, x), 7)


def test_a_call_that_python_ends_fails_where_it_is_seen():
    """A `try` catches what it raises, however often it was traced; what was stored before stands."""

    def ways(n, x):
        if n <= 0:
            return 12 // (x - 1)
        total = 0
        for k in range(x % 4):
            total += ways(n - 1, x - k) + ways(n - 2, x)
        return total % 1009

    def caught(x):
        try:
            return ways(7, x)
        except ZeroDivisionError:
            return -1

    @gw.function
    def stored(x, xs):
        xs[0] = x
        return ways(7, x)

    for x in (3, 6, 7):
        check(caught, x)
    xs = gw.constant(np.array([7, 8]))
    with pytest.raises(ZeroDivisionError):
        stored(gw.constant(3, gw.int64), xs)
    assert xs.numpy().tolist() == [3, 8]


def test_a_function_sees_what_has_changed_since_it_was_made():
    def total(n):
        step = 1

        def down(n):
            return 0 if n <= 0 else step + down(n - 1)

        first = down(n)
        step = 10
        return first + down(n)

    check(total, 3)
    for n in (0, 3):
        assert int(gw.function(total)(gw.constant(n))) == 11 * n


def test_what_python_ends_is_no_call():
    assert "call" not in graph_of(three_levels, INT)
    assert "call" not in graph_of(lambda n: methods(3) + (n,), INT)


def test_many_states_are_a_value():
    """A function for each of Python's numbers would be made of functions for all the others."""

    def machine(n, state):
        if n == 0:
            return state
        if n % 2 == 0:
            return machine(n // 2, state * 2 % 11)
        return machine(n - 1, (state * 3 + 1) % 11)

    def started(n):
        return machine(n, 1)

    check(started, 100)
    assert graph_of(started, INT).count("func ") == 2


def test_few_states_stay_numbers():
    def alternating(n, axis):
        if n == 0:
            return np.sum(np.ones((2, 3)), axis=axis)[0]
        return alternating(n - 1, 1 - axis) * 2

    def started(n):
        return alternating(n, 0)

    check(started, 4)
    check(started, 5)


def test_stored_arguments_and_variables():
    total = gw.Variable(0, dtype=gw.int64)

    @gw.function
    def fill(x, i):
        if i < 4:
            x[i] = 10 * i
            total.assign_add(i)
            fill(x, i + 1)
            total.assign_add(100)

    x = gw.constant([7, 7, 7, 7, 7], gw.int64)
    fill(x, gw.constant(1, gw.int64))
    assert x.numpy().tolist() == [7, 10, 20, 30, 7]
    assert int(total.read_value()) == 306


def test_arrays_of_each_call_are_its_own():
    @gw.function
    def merged(x, n):
        if n == 0:
            return x
        less, more = x - n, x * 2
        left = merged(less, n - 1)
        right = merged(more, n - 1)
        return left + right + less * more

    def plain(x, n):
        return x if n == 0 else plain(x - n, n - 1) + plain(x * 2, n - 1) + (x - n) * (x * 2)

    x = np.linspace(0, 1, 5)
    assert np.allclose(merged(x, gw.constant(6.0, gw.float64)).numpy(), plain(x, 6))
    big = np.arange(3000.0)
    assert np.allclose(merged(big, gw.constant(3.0, gw.float64)).numpy(), plain(big, 3))


def test_a_closure_holds_arrays():
    table = gw.constant(np.arange(1000.0))

    @gw.function
    def total(x, n):
        weights = x * 2

        def walk(k):
            if k == n:
                return 0.0
            return table[k] * weights[k] + walk(k + 1)

        return walk(gw.constant(0, gw.int64))

    x = np.linspace(1, 2, 1000)
    found = total(x, gw.constant(900, gw.int64))
    assert np.isclose(float(found), np.sum(np.arange(900.0) * 2 * x[:900]))


@gw.function
def down(n):
    if n == 0:
        return 0
    return down(n - 1) + 1


def test_it_goes_deeper_than_python():
    assert int(down(gw.constant(20_000))) == 20_000


def test_the_end_of_the_stack_is_an_error():
    with pytest.raises(RecursionError) as found:
        down(gw.constant(-1))
    assert str(found.value).startswith("maximum recursion depth exceeded")
    entries = traceback.extract_tb(found.value.__traceback__)
    assert entries[-1].line == "return down(n - 1) + 1"
    assert int(down(gw.constant(7))) == 7


def test_the_end_of_a_threads_stack_is_an_error():
    errors = []

    def run():
        try:
            down(gw.constant(-1))
        except RecursionError as error:
            errors.append(error)

    before = threading.stack_size(1 << 20)
    try:
        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        threading.stack_size(before)
    assert len(errors) == 3


def test_an_error_in_a_call_names_its_line():
    @gw.function
    def divided(n, d):
        if n == 0:
            return 100 // d
        return divided(n - 1, d - 1)

    with pytest.raises(ZeroDivisionError) as found:
        divided(gw.constant(4), gw.constant(4))
    entries = traceback.extract_tb(found.value.__traceback__)
    assert entries[-1].line == "return 100 // d"
    assert int(divided(gw.constant(3), gw.constant(8))) == 20


def test_a_call_is_not_caught():
    @gw.function
    def caught(n):
        try:
            return down(n)
        except RecursionError:
            return -1

    with pytest.raises(ValueError, match="GW115"):
        caught(gw.constant(5))


def test_paths_of_different_types(strict_promotion):
    @gw.function
    def mixed(n):
        if n == 0:
            return gw.constant(0.5)
        return gw.cast(mixed(n - 1), gw.int32)

    with pytest.raises(TypeError, match="GW101"):
        mixed(gw.constant(3))


def test_an_array_that_is_handed_back():
    """What is stored into it would be stored into the argument, too."""

    @gw.function
    def handed(x, n):
        def same(n):
            return x if n == 0 else same(n - 1)

        y = same(n)
        y[0] = 5.0
        return x

    with pytest.raises(ValueError, match="GW122"):
        handed(np.zeros(3), gw.constant(2))


def test_an_array_that_is_new_may_be_stored_into():
    @gw.function
    def stored(x, n):
        def twice(x, n):
            return x + 0 if n == 0 else twice(x * 2, n - 1)

        y = twice(x, n)
        y[0] = 5.0
        return x, y

    x, y = stored(np.ones(3), gw.constant(2))
    assert x.numpy().tolist() == [1, 1, 1]
    assert y.numpy().tolist() == [5, 4, 4]


def test_a_list_is_not_changed_in_a_call():
    def collected(n, seen):
        seen.append(n)
        return len(seen) if n == 0 else collected(n - 1, seen)

    with pytest.raises(ValueError, match="GW103: `seen` is changed in place"):
        gw.function(lambda n: collected(n, []))(gw.constant(3))

    def counted(n, seen):
        seen[0] += 1
        return seen[0] if n == 0 else counted(n - 1, seen)

    with pytest.raises(ValueError, match="GW103: `seen`"):
        gw.function(lambda n: counted(n, [0]))(gw.constant(3))


#: Parts of a function `f(n, a, b)` that ends: `n` is smaller in each call.
smaller = st.sampled_from(["n - 1", "n - 2", "n // 2", "n - 1 - a % 2"])
number = st.sampled_from(["n", "a", "b", "1", "3", "7"])
value = st.one_of(
    number,
    st.builds("({} + {}) % 1000".format, number, number),
    st.builds("({} * {} - 5) % 1000".format, number, number),
)
test = st.builds("{} {} {}".format, number, st.sampled_from(["<", "<=", "==", "!="]), number)
call = st.builds("f({}, {}, {})".format, smaller, value, value)
tail = st.one_of(
    call,
    st.builds("({} + {}) % 1000".format, call, value),
    st.builds("({} + 3 * {}) % 1000".format, call, call),
    st.builds("{} if {} else {}".format, call, test, value),
)
statement = st.one_of(
    st.builds("{} = {}".format, st.sampled_from("ab"), value),
    st.builds("if {}:\n        {} = {}".format, test, st.sampled_from("ab"), call),
    st.builds("if {}:\n        return {}".format, test, tail),
    st.builds("while b > {0}:\n        b -= 1 + a % 3\n        a += {1}".format, st.just("500"), value),
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(statement, max_size=2), tail, value, st.integers(0, 6), st.integers(-3, 9))
def test_random_recursion(statements, last, base, n, a):
    body = "\n    ".join([f"if n <= 0:\n        return {base}", *statements, f"return {last}"])
    text = f"def f(n, a, b):\n    {body}\n"
    file = f"<recursion {next(NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "recursion"}
    exec(compile(text, file, "exec"), names)
    check(names["f"], n, a, 2)
