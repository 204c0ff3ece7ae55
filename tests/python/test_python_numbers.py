"""Python numbers as arguments: a graph for each value, or one graph that takes them as the numbers that they are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as gw


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def fibonacci(n: Any) -> Any:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def described(n: Any, x: Any, flag: Any) -> Any:
    kind = 0
    if isinstance(n, int) and isinstance(x, float) and flag is True:
        kind = 1
    if not isinstance(n, int):
        raise TypeError("n is no int")
    return n / 2, n // 2, x * n, kind, flag, n > x, -n, not flag


def power(x: Any, n: Any) -> Any:
    result = 1.0
    while n > 0:
        if n % 2 == 1:
            result *= x
        x *= x
        n //= 2
    return result


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (collatz, [(27,), (97,), (1,), (113383,)]),
        (fibonacci, [(10,), (0,), (50,)]),
        (described, [(7, 2.5, True), (-8, 0.0, False), (3, 3.0, True)]),
        (power, [(2.0, 10), (1.5, 0), (-3.0, 7)]),
    ],
)
@pytest.mark.parametrize("mode", ["staged", "auto"])
def test_one_graph_takes_all_numbers(
    function: Callable[..., Any], calls: list[tuple[Any, ...]], mode: Any
) -> None:
    staged = gw.function(function, python_numbers=mode)
    for args in calls * 2:
        found, wanted = staged(*args), function(*args)
        assert repr(found) == repr(wanted), (args, found, wanted)
    assert staged.experimental_get_tracing_count() == (1 if mode == "staged" else 2)


def test_static_numbers_have_a_graph_each() -> None:
    static = gw.function(collatz)
    for n in (3, 5, 7):
        assert int(static(n)) == collatz(n)
    assert static.experimental_get_tracing_count() == 3


def test_numbers_meet_tensors_as_python_numbers_do() -> None:
    @gw.function(python_numbers="staged")
    def scaled(v: Any, by: Any, plus: Any) -> Any:
        return v * by + plus

    v = np.array([1.0, 2.0], np.float32)
    for by, plus in [(2, 0.5), (3, 1.5)]:
        found = scaled(v, by, plus)
        assert found.dtype == gw.float32
        np.testing.assert_array_equal(found.numpy(), v * by + np.float32(plus))
    assert scaled.experimental_get_tracing_count() == 1


def test_they_overflow_at_64_bits() -> None:
    staged = gw.function(fibonacci, python_numbers="staged")
    assert staged(90) == fibonacci(90)
    with pytest.raises(OverflowError, match="does not fit `int64`"):
        staged(100)
    assert staged(91) == fibonacci(91)


def test_int_and_float_and_bool_have_graphs_of_their_own() -> None:
    @gw.function(python_numbers="staged")
    def twice(x: Any) -> Any:
        return x + x

    for x in (1, 1.0, True, 2, 2.5, False):
        assert repr(twice(x)) == repr(x + x)
    assert twice.experimental_get_tracing_count() == 3


def test_defaults_are_static() -> None:
    @gw.function(python_numbers="staged")
    def summed(v: Any, axis: int = 0) -> Any:
        return gw.reduce_sum(v, axis)

    np.testing.assert_array_equal(summed(np.ones((2, 3))).numpy(), [2.0, 2.0, 2.0])


def test_auto_stays_static_where_the_body_needs_the_value() -> None:
    @gw.function(python_numbers="auto")
    def columns(v: Any, count: Any) -> Any:
        return gw.zeros([3] * count) + v

    for count in (1, 2, 3, 2):
        assert columns(np.float32(1.0), count).shape == (3,) * count
    reasons = columns.explain_retraces()
    assert any("the body does not take them" in reason for reason in reasons), reasons


def test_the_warning_names_the_option() -> None:
    static = gw.function(lambda n: n + 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(8):
            static(n)
    assert any('python_numbers="staged"' in str(warning.message) for warning in caught)


def test_methods_take_them() -> None:
    class Scale:
        def __init__(self, by: int) -> None:
            self.by = by

        @gw.function(python_numbers="staged")
        def of(self, n: Any) -> Any:
            return n * self.by

    scale = Scale(3)
    assert [scale.of(n) for n in (1, 2, 5)] == [3, 6, 15]


def test_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match="python_numbers is"):
        gw.function(python_numbers="dynamic")(collatz)  # type: ignore[call-overload]
