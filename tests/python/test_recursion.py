"""Functions that call themselves where a tensor decides: native, converted and staged agree."""

from __future__ import annotations

import functools
import linecache
import threading
import traceback
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphwright as gw
from three_ways import check

NUMBERS = count()


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def search(values, wanted, low, high):
    if low > high:
        return -1
    middle = (low + high) // 2
    if values[middle] == wanted:
        return middle
    if values[middle] < wanted:
        return search(values, wanted, middle + 1, high)
    return search(values, wanted, low, middle - 1)


def simpson(a, b, fa, fm, fb, tolerance):
    def f(x):
        return 1 / (1 + x * x)

    m = (a + b) / 2
    left, right = f((a + m) / 2), f((m + b) / 2)
    whole = (b - a) / 6 * (fa + 4 * fm + fb)
    halves = (b - a) / 12 * (fa + 4 * left + 2 * fm + 4 * right + fb)
    if abs(halves - whole) <= 15 * tolerance:
        return halves
    lower = simpson(a, m, fa, left, fm, tolerance / 2)
    return lower + simpson(m, b, fm, right, fb, tolerance / 2)


def leaves_and_depth(n):
    """A tree of all ways to take one or two: how many leaves, how deep."""
    if n <= 1:
        return 1, 0
    few, shallow = leaves_and_depth(n - 2)
    many, deep = leaves_and_depth(n - 1)
    return few + many, 1 + max(shallow, deep)


def hanoi(n, source, target, spare):
    if n == 0:
        return 0, 0
    moves, weight = hanoi(n - 1, source, spare, target)
    more, rest = hanoi(n - 1, spare, target, source)
    return moves + 1 + more, weight + n * (target - source) + rest


def collatz(n, steps=0):
    if n == 1:
        return steps
    return collatz(n // 2, steps + 1) if n % 2 == 0 else collatz(3 * n + 1, steps + 1)


def printed(n):
    print("down", n)
    if n > 0:
        printed(n - 1)
        print("up", n)


def in_a_loop(n):
    total = 1
    k = 0
    while k < n:
        total += in_a_loop(k)
        k += 1
    return total


def unrolled(n, k):
    if k == 0:
        return n
    total = 0
    for _ in range(2):
        total += unrolled(n - 1, k - 1) if n > 0 else unrolled(n + 2, k - 1)
    return total


def three_levels(n):
    return unrolled(n, 3)


def checked(n):
    assert n < 7, f"{n} is too much"
    return 0 if n == 0 else 1 + checked(n - 2 if n > 1 else n - 1)


def inner_function(n, k):
    def times(m):
        if m == 0:
            return 0
        return k + times(m - 1)

    return times(n)


def halved(x):
    if np.max(np.abs(x)) < 1:
        return x
    return halved(x / 2) + 0 * x


def shrinking(x, n):
    if n == 0:
        return x
    return shrinking(x[1:] + x[:-1], n - 1)


def three_times(x):
    return shrinking(x, 3)


def with_first_found(n, found):
    """The number of ways to write n as a sum of ones and twos, and the first factor that was met."""
    if n < 2:
        return 1, found
    a, first = with_first_found(n - 1, found)
    b, second = with_first_found(n - 2, first)
    return a + b, second + 1


def queens(every, columns=0, left=0, right=0):
    """The ways to place queens in the rows that are left; `every` has a bit for each column."""
    if columns == every:
        return 1
    ways = 0
    free = every & ~(columns | left | right)
    while free:
        place = free & -free
        free ^= place
        ways += queens(every, columns | place, (left | place) << 1, (right | place) >> 1)
    return ways


def sort(x, low, high):
    if low < high:
        border = low
        for i in range(low, high):
            if x[i] < x[high]:
                x[i], x[border] = x[border], x[i]
                border += 1
        x[high], x[border] = x[border], x[high]
        sort(x, low, border - 1)
        sort(x, border + 1, high)


def quicksort(x, low, high):
    y = x.copy()
    sort(y, low, high)
    return y


def fill(grid, row, column, colour):
    inside = 0 <= row < grid.shape[0] and 0 <= column < grid.shape[1]
    if inside and grid[row, column] == 0:
        grid[row, column] = colour
        fill(grid, row + 1, column, colour)
        fill(grid, row - 1, column, colour)
        fill(grid, row, column + 1, colour)
        fill(grid, row, column - 1, colour)


def flooded(grid, row, column):
    grid = grid.copy()
    fill(grid, row, column, 7)
    return grid


def edits(a, b, i, j):
    if i == 0:
        return j
    if j == 0:
        return i
    if a[i - 1] == b[j - 1]:
        return edits(a, b, i - 1, j - 1)
    return 1 + min(edits(a, b, i - 1, j), edits(a, b, i, j - 1), edits(a, b, i - 1, j - 1))


def doubled(x, n):
    """Each call has a longer array."""
    return x if n == 0 else doubled(np.concatenate([x, x]), n - 1)


def named(n, kind):
    return 0 if n == 0 else named(n - 1, kind.upper()) + (1 if kind == "A" else 2)


def with_break(n):
    total = 0
    while n > 0:
        if n % 3 == 0:
            break
        total += with_break(n - 2)
        n -= 1
    else:
        total += 100
    return total + n


def early(n):
    for k in range(3):
        if n > k:
            return early(n - k - 1) + k
    return n


def walrus(n):
    return 1 if (third := n // 3) == 0 else walrus(third) + walrus(n - third - 1)


def by_way_of_another(n):
    def apply(function, k):
        return function(k)

    def down(k):
        return 0 if k == 0 else 1 + apply(down, k - 1)

    return down(n)


def a_lambda(n):
    product = lambda k: 1 if k <= 1 else k * product(k - 1)  # noqa: E731
    return product(n)


def a_partial_function(n):
    def add(k, m):
        return m if m == 0 else k + step(m - 1)

    step = functools.partial(add, 3)
    return step(n)


class Tree:
    def __init__(self, depth):
        self.children = [Tree(depth - 1) for _ in range(2)] if depth else []

    def total(self, x):
        return x + sum(child.total(x) for child in self.children)


def a_tree_of_objects(x):
    return Tree(3).total(x) if x > 0 else x


class Counter:
    def __init__(self, step):
        self.step = step

    def count(self, n):
        return 0 if n <= 0 else 1 + self.count(n - self.step)

    @staticmethod
    def twice(n):
        return 0 if n <= 0 else 2 + Counter.twice(n - 1)

    @classmethod
    def thrice(cls, n):
        return 0 if n <= 0 else 3 + cls.thrice(n - 1)


def methods(n):
    return Counter(2).count(n), Counter.twice(n), Counter.thrice(n)


def applied(f, n, x):
    return x if n == 0 else applied(f, n - 1, f(x))


def higher_order(n, x):
    return applied(lambda y: 2 * y + 1, n, x)


PROGRAMS = [
    (factorial, 12),
    (fibonacci, 12),
    (gcd, 84, 36),
    (ackermann, 2, 3),
    (power, 3, 13),
    (power, 1.5, 6),
    (is_even, 7),
    (is_odd, 7),
    (search, np.arange(0, 40, 3), 21, 0, 13),
    (search, np.arange(0, 40, 3), 22, 0, 13),
    (simpson, 0.0, 1.0, 1.0, 0.8, 0.5, 1e-9),
    (leaves_and_depth, 9),
    (hanoi, 6, 0, 2, 1),
    (collatz, 27),
    (printed, 3),
    (in_a_loop, 4),
    (three_levels, 2),
    (checked, 6),
    (checked, 9),
    (inner_function, 5, 7),
    (halved, np.array([1.0, -20.0, 3.5])),
    (three_times, np.arange(6.0)),
    (with_first_found, 7, 3),
    (methods, 7),
    (higher_order, 5, 3),
    (queens, 31),
    (quicksort, np.array([5, 2, 9, 1, 7, 3]), 0, 5),
    (flooded, np.array([[0, 0, 1], [1, 0, 1], [0, 1, 0]]), 0, 0),
    (edits, np.array([1, 2, 3, 4]), np.array([2, 3, 5]), 4, 3),
    (doubled, np.array([1.0, 2.0]), 3),
    (named, 4, "a"),
    (with_break, 7),
    (early, 7),
    (walrus, 20),
    (by_way_of_another, 4),
    (a_lambda, 5),
    (a_partial_function, 3),
    (a_tree_of_objects, 2),
]


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


def test_paths_of_different_types():
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

    with pytest.raises(RecursionError, match="write a loop"):
        gw.function(lambda n: collected(n, []))(gw.constant(3))

    def counted(n, seen):
        seen[0] += 1
        return seen[0] if n == 0 else counted(n - 1, seen)

    with pytest.raises(ValueError, match="GW113: `seen`"):
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
