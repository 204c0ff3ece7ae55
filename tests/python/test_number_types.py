"""A Python number that a loop or branch has staged keeps its type: for `isinstance`, `type` and `is`, and weak beside tensors."""

from __future__ import annotations

import math
import numbers
import operator

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

KINDS = [int, float, bool, str, (int, float), (str, bool), object, numbers.Integral, numbers.Real, gw.Tensor]


def of_counter(n):
    i = 0
    while i < n:
        i += 1
    return [isinstance(i, kind) for kind in KINDS], type(i) is int, type(i) in (float, str), type(i).__name__


def of_quotient(n):
    i = 1
    while i < n:
        i += 1
    x = i / 2
    return [isinstance(x, kind) for kind in KINDS], type(x) is float, type(x)(3)


def of_flag(n):
    found = False
    for i in range(3):
        if i == n:
            found = True
    return [isinstance(found, kind) for kind in KINDS], type(found) is bool, type(found) is int


def of_conversions(n, x):
    return (
        isinstance(int(x), int),
        isinstance(float(n), float),
        isinstance(bool(n), bool),
        isinstance(round(x), int),
        isinstance(round(x, 1), float),
        type(int(x)) is int,
    )


def of_branch(n):
    k = 1 if n > 2 else 2
    if isinstance(k, int) and not isinstance(k, bool):
        return k + 1
    return -1


def of_arithmetic(n):
    i = 0
    while i < n:
        i += 1
    return (
        isinstance(i + 1, int),
        isinstance(i * 0.5, float),
        isinstance(i > 2, bool),
        isinstance((i > 2) + 1, int),
        isinstance(-(i > 2), bool),
        isinstance(i // 2, int),
        isinstance(i**2, int),
        isinstance(i**-1, float),
        isinstance(not i, bool),
    )


def of_functions(n):
    i = 0
    while i < n:
        i += 1
    whole, part = math.modf(i / 2)[::-1]
    return (
        isinstance(math.sqrt(i), float),
        isinstance(math.floor(i / 2), int),
        isinstance(whole + part, float),
        isinstance(sorted([i, 1])[0], int),
        isinstance(sum([i > 1, i > 2]), int),
        isinstance(sum([i, 0.5]), float),
        isinstance(abs(-i), int),
        isinstance(divmod(i, 2)[1], int),
        isinstance(math.isfinite(i), bool),
    )


def of_pattern(n):
    i = 0
    while i < n:
        i += 1
    match i / 2:
        case int():
            return 0
        case float():
            return 1


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (of_counter, (3,)),
        (of_quotient, (3,)),
        (of_flag, (1,)),
        (of_flag, (7,)),
        (of_conversions, (3, 2.5)),
        (of_branch, (3,)),
        (of_arithmetic, (3,)),
        (of_functions, (3,)),
        (of_pattern, (3,)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_staged_number_is_of_its_type(program, arguments):
    check(program, *arguments)


def either(n):
    y = 1 if n > 2 else 2.5
    return isinstance(y, int)


def summed(n):
    total = 0
    for i in range(n):
        total += 0.5
    return type(total)(1)


def truth_or_count(n):
    y = True
    if n > 2:
        y = n - n + 1
    z = 1
    if n > 2:
        z = True
    return z is True


@pytest.mark.parametrize("program", [either, summed, truth_or_count])
def test_a_type_that_the_graph_decides_is_refused(program):
    with pytest.raises(ValueError, match=r"(?s)GW103.*test_number_types.py"):
        gw.function(program)(gw.constant(3, gw.int64))


def definite(n):
    y = 1 if n > 2 else 2.5
    return (
        isinstance(y, (int, float)),
        isinstance(y, str),
        isinstance(y / 2, float),
        isinstance(y + 0.5, float),
    )


def test_what_is_sure_of_an_unsure_type_is_answered():
    check(definite, 3)
    check(definite, 1)


def test_what_came_in_as_a_tensor_stays_one():
    @gw.function
    def kinds(n):
        return isinstance(n, gw.Tensor), isinstance(n, int), type(n) is gw.Tensor

    assert [bool(v) for v in kinds(gw.constant(3))] == [True, False, True]
    assert [bool(v) for v in kinds(3)] == [False, True, False]


def guarded(n):
    if not isinstance(n, int):
        raise TypeError("n must be an integer")
    return n * 2


def asserted(x):
    assert isinstance(x, (int, float)), "a number"
    return x


def unrelated(n):
    if isinstance(n, str):
        return n
    raise TypeError("no")


def test_a_guard_that_fails_because_of_a_tensor_says_so():
    for program, error in [(guarded, TypeError), (asserted, AssertionError)]:
        graph = gw.function(program)
        for _ in range(2):
            with pytest.raises(error) as caught:
                graph(gw.constant(3))
            (note,) = caught.value.__notes__
            assert "is a tensor of int32" in note and "Python number" in note
        assert graph(3).numpy() in (3, 6)
    assert (
        "`n` is a tensor" in pytest.raises(TypeError, gw.function(guarded), gw.constant(3)).value.__notes__[0]
    )
    error = pytest.raises(TypeError, gw.function(unrelated), gw.constant(3)).value
    assert not getattr(error, "__notes__", [])


def waits(n):
    done = False
    turns = 0
    while done is False:
        turns += 1
        if turns > n:
            done = True
    return turns, done is True, done is not False, True is done, done is not True


def of_comparison(n):
    flag = n > 3
    if flag is True:
        return 1
    if flag is False:
        return 2
    return 3


def of_two(a, b):
    return (a > 3) is (b > 3), (a > 3) is not (b > 3), (a > 3) is None, True is (a > 2)


def of_operators(n):
    flag = n > 3
    return operator.is_(flag, True), operator.is_not(flag, True), operator.is_(None, flag)


def perhaps(n):
    flag = None
    if n > 3:
        flag = n > 5
    return flag is True, flag is False, flag is None, flag is not True


def number_is_no_bool(n):
    i = 0
    while i < n:
        i += 1
    return i is True, i is False, i is None, (i / 2) is True


@pytest.mark.parametrize("n", [0, 4, 6])
@pytest.mark.parametrize("program", [waits, of_comparison, of_operators, perhaps, number_is_no_bool])
def test_bools_of_the_graph_are_pythons_two(program, n):
    check(program, n)


def test_two_bools_of_the_graph_are_one_or_two():
    for a in (2, 5):
        for b in (2, 5):
            check(of_two, a, b)


def counters(dtype):
    """What is joined with a counter, eagerly a Python number and in a graph a value of it."""

    def concatenated(v, n):
        i = 0
        while i < n:
            v = gw.concat((v, [i]), 0)
            i += 1
        return v

    def stacked(v, n):
        i = 0
        while i < n:
            i += 1
        return gw.stack([v[0], i, v[1]])

    def two_of_them(v, n):
        i, j = 0, 1
        while i < n:
            i += 1
            j += i
        return gw.stack([i, j]) + v[:2]

    def nested(v, n):
        i = 0
        while i < n:
            i += 1
        return gw.concat([[v[:2]], [[i, 7]]], 0)

    def listed(v, n):
        items = []
        for i in range(n):
            items.append(i)
        return v[0] * items[-1] + v[:2] * gw.stack([items[0], items[1]])

    return [concatenated, stacked, two_of_them, nested, listed]


@pytest.mark.parametrize("dtype", [gw.int32, gw.int64, gw.float32, gw.float64])
def test_a_counter_takes_the_dtype_of_what_it_is_joined_with(dtype):
    for program in counters(dtype):
        v, n = gw.constant([1, 2, 3], dtype), gw.constant(3)
        staged = gw.function(program)
        for _ in range(2):
            found = staged(v, n)
            assert found.dtype == dtype, program.__name__
            np.testing.assert_array_equal(found, program(v, 3))


def of_arrays(v, x):
    return (v @ v != 0.0) is True


def any_of(v, x):
    return np.any(v > x) is not False


def element(v, x):
    return (v[0] > x) is False


@pytest.mark.parametrize("function", [of_arrays, any_of, element])
def test_bools_of_arrays_are_none_of_pythons(function):
    """NumPy's `True` is not Python's."""
    with pytest.raises(ValueError, match=r"GW103: `is` asks whether a bool of arrays is Python's own"):
        gw.function(function)(gw.constant([0.5, 1.5]), gw.constant(1.0))


def test_bool_makes_them_pythons():
    f = lambda v, x: (bool(np.any(v > x)) is True, (len(v) > x) is True)  # noqa: E731
    found = gw.function(f)(gw.constant([0.5, 1.5]), gw.constant(1.0))
    assert [bool(one.numpy()) for one in found] == [True, True]


@pytest.mark.parametrize("of", [lambda a: -np.any(a), lambda a: -(a[0] > 1), lambda a: -np.all(a > 0)])
def test_no_bool_of_an_array_is_negated(of):
    """NumPy raises; Python's own bool, which it may be as well, gives an integer."""
    with pytest.raises(TypeError, match="The numpy boolean negative, the `-` operator, is not supported"):
        of(np.arange(4.0))
    staged = gw.function(of)
    for _ in range(2):
        with pytest.raises(TypeError, match="GW120: `-` of a bool of arrays"):
            staged(np.arange(4.0))


@pytest.mark.parametrize(
    "of", [lambda a: -bool(np.any(a)), lambda a: 1 - np.any(a), lambda a: -int(a.sum() > 1)]
)
def test_bools_of_python_are_negated(of):
    assert gw.function(of)(np.arange(4.0)).item() == of(np.arange(4.0))
