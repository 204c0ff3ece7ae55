"""Functions that call themselves as the last thing they do: their calls are turns of a loop, and mean what they meant."""

from __future__ import annotations

import linecache
import random
import threading
import traceback

import numpy as np
import pytest

import graphwright as gw
from interrupts import check_ends_by_interrupt
from recursive_programs import gcd
from tail_programs import PROGRAMS, exchanged, fibonacci, moved, newton, total
from three_ways import check

INT = gw.TensorSpec([], gw.int64)


def graph_of(function, *args):
    return str(gw.function(function).get_concrete_function(*args).graph)


@pytest.mark.parametrize(
    "call", PROGRAMS, ids=[f"{call[0].__name__}{number}" for number, call in enumerate(PROGRAMS)]
)
def test_three_ways(call):
    check(*call)


@pytest.mark.parametrize("function, count", [(total, 2), (gcd, 2), (fibonacci, 3)])
def test_nothing_calls_itself_any_more(function, count):
    text = graph_of(function, *[INT] * count)
    assert " = while (" in text
    assert f"call @{function.__name__}" not in text.split("\nfunc ", 1)[-1]


def test_what_all_calls_hand_on_is_not_carried():
    def left(n, k, found):
        return found if n <= k else left(n - k, k, found + 1)

    line = next(line for line in graph_of(left, INT, INT, INT).splitlines() if " = while (" in line)
    assert line.count("i64[]") == 3  # n, found, and the count of calls


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "uint32", "int64", "float32", "float64"])
def test_dtypes(name):
    dtype = getattr(gw, name)
    for function, args in [(total, (9, 1)), (gcd, (84, 36)), (fibonacci, (9, 0, 1)), (newton, (2, 1, 4))]:
        if function is newton and "int" in name:
            continue
        ours = gw.function(function)(*[gw.constant(arg, dtype) for arg in args])
        assert ours.dtype == dtype
        assert np.allclose(ours.numpy(), function(*args), rtol=1e-6)


@pytest.mark.parametrize("name, n", [("int8", 20), ("int32", 70_000)])
def test_sums_that_leave_their_type_are_an_error_of_their_line(name, n):
    with pytest.raises(OverflowError) as raised:
        gw.function(total)(*[gw.constant(arg, getattr(gw, name)) for arg in (n, 0)])
    assert traceback.extract_tb(raised.value.__traceback__)[-1].line == "return total(n - 1, found + n)"


def without_end(n, k):
    if n == 0:
        return k
    if n % 2 == 0:
        return without_end(n - 2, k)
    return without_end(n - 2, k + 1)


@pytest.mark.parametrize(
    "n, line", [(-2, "return without_end(n - 2, k)"), (-1, "return without_end(n - 2, k + 1)")]
)
def test_recursion_without_end_is_an_error_at_the_call(n, line):
    staged = gw.function(without_end)
    for _ in range(2):
        with pytest.raises(RecursionError) as raised:
            staged(gw.constant(n), gw.constant(0))
        assert str(raised.value) == "maximum recursion depth exceeded"
        assert traceback.extract_tb(raised.value.__traceback__)[-1].line == line
    assert int(staged(gw.constant(8), gw.constant(5))) == 5


def test_recursion_without_end_in_a_thread():
    raised = []

    def run():
        try:
            gw.function(without_end)(gw.constant(-2), gw.constant(0))
        except RecursionError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(raised) == 1


def test_ten_million_calls():
    staged = gw.function(lambda n: without_end(n, 0))
    # The first level of the recursion is no call of the graph.
    assert int(staged(gw.constant(2 * 10_485_760))) == 0
    with pytest.raises(RecursionError):
        staged(gw.constant(2 * 10_485_761))


def test_a_recursion_can_be_interrupted():
    def slowly(n, x):
        y = np.sin(x)
        return x if n == 0 else slowly(n - 1, x + y - y)

    staged, x = gw.function(slowly), np.arange(1000.0)
    staged(gw.constant(3), x)
    check_ends_by_interrupt(lambda: staged(gw.constant(-1), x))


log = gw.Variable(0, dtype=gw.int64)


def noted(n, digit):
    """The order of what it assigns is in the digits."""
    if n > 0:
        log.assign(log.read_value() * 10 + digit)
        return noted(n - 1, (digit * 3 + 1) % 10)
    return log.read_value() + n


def test_variables():
    expected, digit = 0, 2
    for _ in range(6):
        expected, digit = expected * 10 + digit, (digit * 3 + 1) % 10
    log.assign(0)
    assert int(gw.function(noted)(gw.constant(6), gw.constant(2))) == expected
    assert int(log.read_value()) == expected


def test_a_failure_keeps_what_was_assigned_before():
    def stored(n):
        log.assign_add(n)
        if n == 2:
            assert n != 2, "two"
        return stored(n - 1)

    log.assign(0)
    with pytest.raises(AssertionError, match="two"):
        gw.function(stored)(gw.constant(5))
    assert int(log.read_value()) in (0, 14)


def test_functions_of_the_host_are_called_in_each_turn():
    seen = []

    def told(k):
        seen.append(int(k))
        return k * 2

    def run(n, found):
        value = gw.numpy_function(told, [n], gw.int64)
        return found if n == 0 else run(n - 1, found + value)

    assert int(gw.function(run)(gw.constant(4, gw.int64), gw.constant(0, gw.int64))) == 20
    assert seen == [4, 3, 2, 1, 0]


def test_random_numbers_are_those_of_the_turns():
    def drawn(n):
        return gw.random.stateless_uniform([], seed=gw.stack([n, 7]), dtype=gw.float64)

    def walk(n, x):
        return x if n == 0 else walk(n - 1, x + drawn(n))

    def loop(n, x):
        while n > 0:
            x = x + drawn(n)
            n = n - 1
        return x

    args = gw.constant(5, gw.int64), gw.constant(0.0, gw.float64)
    assert float(gw.function(walk)(*args)) == float(gw.function(loop)(*args)) > 0


def squares(x, n):
    return x if n == 0 else squares(np.sin(x) * x + 0.5, n - 1)


def ended(x, n):
    """A turn may end in several ways."""
    if x > 3.0:
        return x * x
    if n == 0:
        return np.exp(-x)
    return ended(x * 1.5, n - 1) if x > 1.0 else ended(x + 0.25, n - 1)


def weighed(x, w, n):
    return np.sum(x * w) if n == 0 else weighed(np.tanh(x + w), w, n - 1)


def mixed(x, n):
    """A call that stands last, and one that does not."""
    if n <= 0:
        return x
    if n % 3 == 0:
        return 0.5 * mixed(x * x + 0.1, n - 1)
    return mixed(np.cos(x), n - 1)


def in_a_loop(x, n):
    y = x
    for k in gw.range(n):
        y = y + squares(x * 0.5, k)
    return y


DERIVATIVES = [
    (squares, (0.7,), 5),
    (squares, (0.7,), 0),
    (ended, (0.3,), 9),
    (ended, (2.7,), 9),
    (ended, (0.3,), 2),
    (weighed, (np.array([0.1, -0.4, 0.9]), np.array([1.0, 0.5, -2.0])), 4),
    (mixed, (0.8,), 8),
    (in_a_loop, (0.6,), 4),
    (lambda x, n: newton(x, gw.constant(1.0, gw.float64), n), (2.0,), 4),
    (lambda x, n: np.sum(moved(x, 0.5 * x, n)[0] ** 2), (np.array([1.0, 2.0]),), 5),
    (lambda x, n: np.sum(exchanged(x, 2 * x, n) ** 2), (np.array([1.0, 2.0]),), 5),
]


def differences(function, args, n, step=1e-6):
    """The derivative by each element, from differences."""
    found = []
    for at, arg in enumerate(args):
        flow = np.zeros_like(np.asarray(arg, np.float64))
        for place in np.ndindex(flow.shape):
            ends = []
            for sign in (1, -1):
                moved_arg = np.array(arg, np.float64)
                moved_arg[place] += sign * step
                given = [gw.constant(moved_arg if i == at else a, gw.float64) for i, a in enumerate(args)]
                ends.append(float(function(*given, n)))
            flow[place] = (ends[0] - ends[1]) / (2 * step)
        found.append(flow)
    return found


@pytest.mark.parametrize("function, args, n", DERIVATIVES)
def test_derivatives(function, args, n):
    n, staged = gw.constant(n), gw.function(function)
    wanted = differences(staged, args, n)

    def outside(*given):
        with gw.GradientTape() as tape:
            tape.watch(given)
            y = staged(*given, n)
        return tape.gradient(y, given)

    def inside(*given):
        with gw.GradientTape() as tape:
            tape.watch(given)
            y = function(*given, n)
        return tape.gradient(y, given)

    given = [gw.constant(arg, gw.float64) for arg in args]
    for found in (outside(*given), gw.function(inside)(*given)):
        for ours, flow in zip(found, wanted, strict=True):
            assert np.allclose(ours.numpy(), flow, rtol=1e-5, atol=1e-7)


def test_second_derivatives():
    staged = gw.function(squares)
    x, n = gw.constant(0.7, gw.float64), gw.constant(4)
    with gw.GradientTape() as outer:
        outer.watch(x)
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = staged(x, n)
        flow = tape.gradient(y, x)

    def slope(at):
        with gw.GradientTape() as tape:
            tape.watch(at)
            y = staged(at, n)
        return float(tape.gradient(y, at))

    step = 1e-6
    ends = [slope(gw.constant(0.7 + sign * step, gw.float64)) for sign in (1, -1)]
    assert np.isclose(float(outer.gradient(flow, x)), (ends[0] - ends[1]) / (2 * step), rtol=1e-4)


def program(choose: random.Random) -> str:
    """A function `f(n, a, b, x)` whose calls of itself stand last more often than not; `n` is smaller in each."""
    numbers = ["a", "b", "n", "a + b", "a * 3 % 101", "b - a", "n * a % 17", "7", "a // 3", "abs(b)"]
    floats = ["x", "x * 0.5", "x + a", "0.25 * x - 1.0", "abs(x)", "x + 0.5 * b"]
    tests = ["a < b", "n % 2 == 0", "a % 3 == 1", "x > 2.0", "b > 5 and a < 50", "n > 4 or x < 0.0", "not a"]
    result = choose.choice(["a", "a, b", "x", "b, x, a"])
    width = result.count(",") + 1

    def call() -> str:
        return (
            f"f(n - {choose.randint(1, 2)}, {choose.choice(numbers)} % 1009, {choose.choice(numbers)}, "
            f"{choose.choice(floats)})"
        )

    def returned() -> str:
        return ", ".join(choose.choice(floats if name == "x" else numbers) for name in result.split(", "))

    def last() -> str:
        kind = choose.random()
        if kind < 0.6:
            return f"return {call()}"
        if kind < 0.7:
            return f"return {call()} if {choose.choice(tests)} else {call()}"
        if kind < 0.8 and width == 1:
            return f"return ({call()} + 1) % 1009"
        if kind < 0.8:
            names = [f"r{at}" for at in range(width)]
            return f"{', '.join(names)} = {call()}\nreturn {', '.join(reversed(names) if width == 2 and 'x' not in result else names)}"
        return f"return {returned()}"

    def indented(text: str, depth: int) -> list[str]:
        return [" " * 4 * depth + line for line in text.splitlines()]

    def statement(depth: int) -> list[str]:
        kind = choose.random()
        if kind < 0.35:
            return indented(f"{choose.choice('ab')} = {choose.choice(numbers)} % 1009", depth)
        if kind < 0.45:
            return indented(f"x = {choose.choice(floats)}", depth)
        if kind < 0.55:
            return indented('print("at", n, a)', depth)
        if kind < 0.62:
            return indented(f'assert a != {choose.randint(0, 9)}, f"{{a}} at {{n}}"', depth)
        if kind < 0.68:
            return indented(f"b = {100} // (a - {choose.randint(0, 9)})", depth)
        if kind < 0.74:
            return indented("for i in range(b % 3):\n    a = a + i", depth)
        if kind < 0.8:
            inner = indented(last(), depth + 2)
            return [
                *indented("for i in range(a % 3):", depth),
                *indented(f"if {choose.choice(tests)}:", depth + 1),
                *inner,
            ]
        lines = indented(f"if {choose.choice(tests)}:", depth)
        lines += [line for _ in range(choose.randint(0, 2)) for line in statement(depth + 1)]
        return [*lines, *indented(last(), depth + 1)]

    lines = ["def f(n, a, b, x):", "    if n <= 0:", f"        return {returned()}"]
    lines += [line for _ in range(choose.randint(0, 4)) for line in statement(1)]
    return "\n".join([*lines, *indented(last(), 1), ""])


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    choose = random.Random(seed)
    text, name, space = program(choose), f"<tail calls {seed}>", {}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    for _ in range(3):
        check(
            space["f"],
            choose.randint(0, 12),
            choose.randint(-9, 99),
            choose.randint(-9, 9),
            choose.uniform(-3, 9),
        )
