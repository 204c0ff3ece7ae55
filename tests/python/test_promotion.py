"""Tensors of different dtypes meet in one lattice, eagerly and in graphs; strictly, they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

DTYPES = [gw.bool, gw.int32, gw.int64, gw.float32, gw.float64]


def add(a, b):
    return a + b


def branch(a, b):
    if gw.reduce_sum(gw.cast(a, gw.int32)) > 100:
        c = a
    else:
        c = b
    return c


def carry(a, b):
    c = a
    for _ in gw.range(2):
        c = b
    return c


def listed(a, b):
    items = [a]
    for _ in gw.range(1):
        items.append(b)
    return items[0]


MEETINGS = {
    "add": add,
    "where": lambda a, b: gw.where(gw.constant(True), a, b),
    "concat": lambda a, b: gw.concat([[a], [b]], 0),
    "stack": lambda a, b: gw.stack([a, b]),
    "maximum": gw.maximum,
    "matmul": lambda a, b: gw.matmul([[a]], [[b]]),
    "branch": branch,
    "carry": carry,
    "list": listed,
}
OF_BOOLS = {"add": gw.int64, "matmul": None, "maximum": None}


@pytest.mark.parametrize("name", MEETINGS)
def test_the_greater_dtype_is_that_of_the_result(name):
    for at, a in enumerate(DTYPES):
        for other, b in enumerate(DTYPES):
            wanted = DTYPES[max(at, other)]
            if wanted == gw.bool:
                wanted = OF_BOOLS.get(name, gw.bool)
            if wanted is None:
                continue
            meeting = gw.function(MEETINGS[name])
            operands = gw.constant(1, a), gw.constant(1, b)
            for _ in range(2):
                assert meeting(*operands).dtype == wanted, (a, b)
            if name in ("add", "where", "concat", "stack", "maximum", "matmul"):
                assert MEETINGS[name](*operands).dtype == wanted, (a, b)


@pytest.mark.parametrize("name", MEETINGS)
def test_strictly_they_do_not_meet(name, strict_promotion):
    operands = gw.constant(1, gw.int32), gw.constant(1, gw.float32)
    with pytest.raises((TypeError, ValueError), match=r"(?s)GW(203|101|102|130).*test_promotion"):
        gw.function(MEETINGS[name])(*operands)
    assert gw.function(MEETINGS[name])(operands[0], operands[0]).dtype == gw.int32


def test_a_graph_of_one_mode_is_not_run_in_the_other():
    f = gw.function(add)
    operands = gw.constant(1), gw.constant(0.5)
    assert f(*operands).numpy() == 1.5
    assert gw.config.get_dtype_promotion() == "standard"
    gw.config.set_dtype_promotion("strict")
    try:
        assert gw.config.get_dtype_promotion() == "strict"
        with pytest.raises(TypeError, match="GW203"):
            f(*operands)
        with pytest.raises(TypeError, match="GW203"):
            operands[0] + operands[1]
    finally:
        gw.config.set_dtype_promotion("standard")
    assert f(*operands).numpy() == 1.5
    assert (operands[0] + operands[1]).numpy() == 1.5
    with pytest.raises(ValueError, match="standard"):
        gw.config.set_dtype_promotion("jax")


def area(n):
    return math.pi * n * n


def average(values, n):
    total = 0
    for v in values:
        total += v
    return total / n


def fraction(x):
    return x - int(x)


def differences(n, a, b):
    return n + (a != b) + (a < b) * 2


def hypotenuse(a, b):
    return (a**2 + b**2) ** 0.5


def running(values, x):
    total = 0
    for v in values:
        total = total + v * x
    return total


def halved_until(n, x):
    while n > x:
        n = n / 2 if n > 10 else n - 1
    return n + 0.0


def polynomial(xs, k):
    return xs**k + k * xs - k // 2 + xs % k


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (area, (3,)),
        (average, (np.array([1.5, 2.5]), 2)),
        (fraction, (2.75,)),
        (fraction, (-2.75,)),
        (differences, (3, 4, 5)),
        (hypotenuse, (3, 4.0)),
        (running, (np.array([1, 2, 3]), 0.5)),
        (halved_until, (100, 2.5)),
        (polynomial, (np.array([1.5, -2.5]), 3)),
        (polynomial, (np.array([1, -2]), 3)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_programs_of_several_dtypes(program, arguments):
    check(program, *arguments)


def compared(i, x):
    return i == x, i != x, i < x, i <= x, i > x, i >= x, x == i, x != i, x < i, x <= i, x > i, x >= i


EDGES = [0.0, 0.5, -0.5, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**62, 2.0**63, -(2.0**63), 1e300, -1e300]
SPECIAL = [math.inf, -math.inf, math.nan, 9223372036854774784.0, -9223372036854777856.0]
INTEGERS = [0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, 2**63 - 512, -(2**63), 1 - 2**63]


def test_integers_and_floats_are_compared_exactly():
    staged = gw.function(compared)
    for i in INTEGERS:
        for x in EDGES + SPECIAL:
            wanted = compared(i, x)
            operands = gw.constant(i, gw.int64), gw.constant(x, gw.float64)
            assert [bool(v) for v in staged(*operands)] == list(wanted), (i, x)
            assert [bool(v) for v in compared(*operands)] == list(wanted), (i, x)


def test_a_counter_passes_the_integers_that_float32_has():
    @gw.function
    def reached(x):
        i = 2**24 - 2
        while i < x:
            i += 1
        return i

    assert reached(gw.constant(2.0**24 + 2, gw.float32)).numpy() == 2**24 + 2


def test_written_floats_are_compared_exactly():
    @gw.function
    def same(i):
        return i == 9007199254740992.0, i > 9007199254740992.0, 9007199254740992.0 < i

    assert [bool(v) for v in same(gw.constant(2**53 + 1, gw.int64))] == [False, True, True]


@pytest.mark.parametrize("dtype", [gw.int32, gw.float32, gw.float64])
def test_stores_cast_as_numpy_does(dtype):
    @gw.function
    def stored(v, x):
        v[0] = x
        v[1:] = gw.stack([x, x]) * 2
        return v

    for x in (2.75, -2.75, True, 7):
        array = np.array([1, 2, 3], dtype.as_numpy_dtype)
        given = gw.constant(x, gw.float64 if isinstance(x, float) else gw.int64)
        found = stored(gw.constant(array), given).numpy()
        value = given.numpy()
        array[0], array[1:] = value, value * 2
        np.testing.assert_array_equal(found, array)


def test_a_written_integer_that_does_not_fit_is_not_stored():
    @gw.function
    def stored(v):
        v[0] = 2**40
        return v

    with pytest.raises(OverflowError, match="1099511627776 is out of bounds for int32"):
        stored(gw.constant([1, 2]))


def test_derivatives_pass_the_casts():
    @gw.function
    def loss(x, w, n):
        y = x * w
        for _ in gw.range(n):
            y = y + n * x
        return gw.reduce_sum(gw.where(y > n, y, n * w))

    x, w, n = gw.constant([1.0, 2.0], gw.float32), gw.constant([3.0, 4.0], gw.float64), gw.constant(2)
    with gw.GradientTape() as tape:
        tape.watch([x, w])
        value = loss(x, w, n)
    to_x, to_w = tape.gradient(value, [x, w])
    assert (to_x.dtype, to_w.dtype) == (gw.float32, gw.float64)
    np.testing.assert_allclose(to_x, [7, 8])
    np.testing.assert_allclose(to_w, [1, 2])


def test_bools_count_and_arrays_of_them_do_not():
    def counted(a, b):
        return a + b, a * b, a - b, -a, +a, abs(a), a // True, a % True, a**b, a / True

    for a in (True, False):
        for b in (True, False):
            check(counted, a, b)

    def masks(a, b):
        return a + b, a * b, a // np.array([True, True]), a / 2

    check(masks, np.array([True, False]), np.array([True, True]))
    with pytest.raises(TypeError, match="GW201"):
        gw.function(lambda a: a - a)(gw.constant([True, False]))
    with pytest.raises(TypeError, match="GW201"):
        gw.function(lambda a: +a)(gw.constant([True, False]))


def test_a_sum_of_bools_is_as_wide_as_the_sum():
    @gw.function
    def counted(n, x):
        total = 2**40
        for _ in gw.range(n):
            total += x > 0
        return total

    assert counted(gw.constant(3), gw.constant(1)).numpy() == 2**40 + 3


def half_or_itself(n):
    y = n
    if n < 0:
        y = 0.5
    return y


def quartered(n):
    t = n
    while t > 2.0**60:
        t = t / 4
    return t


@pytest.mark.parametrize("program", [half_or_itself, quartered])
def test_an_integer_that_becomes_a_float_keeps_its_digits(program):
    graph = gw.function(program)
    for n in (5, -3, 2**53, 2**62):
        assert graph(gw.constant(n, gw.int64)).numpy() == program(n)
    for n in (2**53 + 1, 2**62 + 1):
        with pytest.raises(OverflowError, match=f"the integer {n} is a float on another path"):
            graph(gw.constant(n, gw.int64))

    @gw.function
    def written(n):
        y = 2**53 + 1
        if n < 0:
            y = 0.5
        return y

    with pytest.raises(TypeError, match=r"(?s)GW101.*`y`.*test_promotion"):
        written(gw.constant(1))
