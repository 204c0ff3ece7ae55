"""Integer scalars that leave their dtype raise `OverflowError` at the user's line, eagerly and in graphs alike."""

from __future__ import annotations

import linecache
import operator
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwright as gw

INT32, INT64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)

STEPS: list[Callable[..., Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lshift,
    operator.rshift,
    operator.neg,
    operator.abs,
]


@pytest.fixture
def wrapping() -> Iterator[None]:
    gw.config.set_integer_overflow("wrap")
    yield
    gw.config.set_integer_overflow("raise")


def answer(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return int(function(*args))
    except (OverflowError, ZeroDivisionError, ValueError) as error:
        return type(error)


def exact(step: Callable[..., Any], ends: tuple[int, int], *args: int) -> Any:
    if step is operator.pow and args[1] > 200 and abs(args[0]) > 1:
        return OverflowError
    if step is operator.lshift and args[1] > 200:
        return OverflowError if args[0] else 0
    try:
        result = step(*args)
    except (ZeroDivisionError, ValueError) as error:
        return type(error)
    if isinstance(result, float):
        return ValueError
    return result if ends[0] <= result <= ends[1] else OverflowError


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("dtype", "ends"), [(gw.int32, INT32), (gw.int64, INT64)])
def test_steps_are_exact_or_raise(step: Callable[..., Any], dtype: Any, ends: tuple[int, int]) -> None:
    staged = gw.function(lambda *args: step(*args))
    numbers = [0, 1, -1, 2, 3, -7, 31, 63, *ends, ends[1] // 3, ends[1] // 2 + 1]
    if step in (operator.neg, operator.abs):
        operands: list[tuple[int, ...]] = [(x,) for x in numbers]
    else:
        operands = [(x, y) for x in numbers for y in numbers if hash((x, y)) % 3 or y in (1, -1)]
    for args in operands:
        tensors = [gw.constant(x, dtype) for x in args]
        wanted = exact(step, ends, *args)
        if step is operator.pow and args[1] < 0:
            wanted = ValueError
        assert answer(step, *tensors) == answer(staged, *tensors) == wanted, (step, args)


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def factorial(n: Any) -> Any:
    product = 1
    for i in range(1, n + 1):
        product *= i
    return product


def fibonacci(n: Any) -> Any:
    a, b = 0, 1
    i = 0
    while i < n:
        a, b = b, a + b
        i += 1
    return a


def total(n: Any) -> Any:
    s = n - n
    for i in gw.range(n):
        if i % 2 == 0:
            s += i * i * i
        else:
            s -= i
    return s


def shifted(n: Any) -> Any:
    one = 1
    i = 0
    while i < n:
        one <<= 1
        i += 1
    return one


@pytest.mark.parametrize(
    ("function", "fine", "too_large", "line"),
    [
        (collatz, 27, 113383, "n = n // 2 if n % 2 == 0 else 3 * n + 1"),
        (factorial, 20, 21, "product *= i"),
        (fibonacci, 90, 100, "a, b = b, a + b"),
        (total, 100, 2000, "s += i * i * i"),
        (shifted, 62, 70, "one <<= 1"),
    ],
)
def test_loops_raise_at_the_line(function: Callable[..., Any], fine: int, too_large: int, line: str) -> None:
    staged = gw.function(function)
    for _ in range(2):
        assert int(staged(gw.constant(fine))) == int(function(gw.constant(fine)))
        with pytest.raises(OverflowError, match="integer_overflow") as raised:
            staged(gw.constant(too_large))
        last = traceback.extract_tb(raised.value.__traceback__)[-1]
        assert last.filename == __file__
        assert linecache.getline(__file__, last.lineno or 0).strip() == line


def test_the_message_has_a_remedy_that_works() -> None:
    staged = gw.function(collatz)
    with pytest.raises(OverflowError, match=r"3 \* \d+ does not fit `int32`; compute in `int64`"):
        staged(gw.constant(113383))
    assert int(staged(gw.constant(113383, gw.int64))) == collatz(113383)
    wrapped = gw.function(lambda x: x * x, integer_overflow="wrap")
    assert int(wrapped(gw.constant(70000))) == np.int64(70000 * 70000).astype(np.int32)


def handled(x: Any, y: Any) -> Any:
    try:
        return (x**y) // (y - 3) - (x << y)
    except OverflowError:
        return x - x - 1
    except ZeroDivisionError:
        return x - x - 2
    except ValueError:
        return x - x - 3


def test_no_handler_of_the_program_catches_it() -> None:
    staged = gw.function(handled)
    for args in [(2, 5), (2, 3), (0, 99)]:
        assert int(staged(*(gw.constant(n) for n in args))) == handled(*args)
    for args in [(3, 40), (10**9, 2), (-2, 32)]:
        with pytest.raises(OverflowError, match="integer overflow"):
            staged(*(gw.constant(n) for n in args))
    with pytest.raises(ValueError, match="GW204: an integer to a negative power"):
        staged(gw.constant(2), gw.constant(-1))


def chosen(x: Any, y: Any) -> Any:
    if x > 0:
        result = x * y - 1
    else:
        result = y - x
    if y == 0:
        result = result + 2147483647
    return result


def test_only_the_branch_that_runs_raises() -> None:
    staged = gw.function(chosen)
    ends = [0, 1, 2, -1, -2, *INT32, 65536, 46341]
    for x in ends:
        for y in ends:
            args = gw.constant(x), gw.constant(y)
            assert answer(staged, *args) == answer(chosen, *args), (x, y)


def test_an_unused_result_raises_too() -> None:
    @gw.function
    def unused(x: Any) -> Any:
        x * x
        return x

    assert int(unused(gw.constant(5))) == 5
    with pytest.raises(OverflowError):
        unused(gw.constant(70000))


def test_arrays_wrap() -> None:
    x = np.array([2147483647, -2147483648, 5], np.int32)

    def steps(x: Any) -> Any:
        return x + 1, x * 3, -x, x - 7, x << 3, abs(x)

    with np.errstate(over="ignore"):
        wanted = steps(x)
    for run in (steps, gw.function(steps)):
        for found, want in zip(run(gw.constant(x)), wanted, strict=True):
            np.testing.assert_array_equal(found.numpy(), want)


def test_lengths_and_indices_are_not_in_the_way() -> None:
    @gw.function
    def neighbours(v: Any) -> Any:
        s = 0.0
        for i in gw.range(v.shape[0] - 1):
            s += v[i] * v[i + 1]
        return s

    v = np.arange(10.0)
    assert float(neighbours(v)) == float(np.sum(v[:-1] * v[1:]))


def test_python_numbers_of_a_graph_end_at_64_bits() -> None:
    @gw.function
    def grow(n: Any) -> Any:
        number = 1
        for _ in gw.range(n):
            number = number * 10 + 1
        return number

    assert int(grow(gw.constant(18))) == int("1" * 19)
    with pytest.raises(OverflowError, match="does not fit `int64`"):
        grow(gw.constant(19))


def test_a_python_number_that_is_too_large_for_its_tensor_raises() -> None:
    @gw.function
    def meets(n: Any, x: Any) -> Any:
        number = 1
        for _ in gw.range(n):
            number = number * 2
        return x + number

    assert int(meets(gw.constant(30), gw.constant(1))) == 2**30 + 1
    with pytest.raises(OverflowError, match="does not fit `int32`"):
        meets(gw.constant(40), gw.constant(1))


def test_recursion_raises() -> None:
    @gw.function
    def product(n: Any) -> Any:
        return 1 if n <= 1 else n * product_of(n - 1)

    def product_of(n: Any) -> Any:
        return 1 if n <= 1 else n * product_of(n - 1)

    assert int(product(gw.constant(12))) == 479001600
    with pytest.raises(OverflowError):
        product(gw.constant(13))


def test_the_setting_counts_where_a_function_says_nothing(wrapping: None) -> None:
    def square(x: Any) -> Any:
        return x * x

    x = gw.constant(70000)
    wrapped = np.int64(70000 * 70000).astype(np.int32)
    free, raises = gw.function(square), gw.function(square, integer_overflow="raise")
    assert gw.config.get_integer_overflow() == "wrap"
    assert int(square(x)) == int(free(x)) == wrapped
    with pytest.raises(OverflowError):
        raises(x)
    gw.config.set_integer_overflow("raise")
    with pytest.raises(OverflowError):
        free(x)
    assert "set_integer_overflow" in free.explain_retraces()[-1]
    gw.config.set_integer_overflow("wrap")
    assert int(free(x)) == wrapped
    assert free.experimental_get_tracing_count() == 2


@pytest.mark.parametrize(
    "set_it", [gw.config.set_integer_overflow, lambda word: gw.function(integer_overflow=word)(abs)]
)
def test_other_words_are_refused(set_it: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match='"raise" or "wrap"'):
        set_it("saturate")
    assert gw.config.get_integer_overflow() == "raise"


def test_variables_raise() -> None:
    v = gw.Variable(2147483647)
    with pytest.raises(OverflowError):
        v.assign_add(1)
    assert int(v) == 2147483647

    @gw.function
    def count() -> Any:
        v.assign_sub(1)
        return v.assign_add(2)

    with pytest.raises(OverflowError):
        count()
    assert int(v) == 2147483647
