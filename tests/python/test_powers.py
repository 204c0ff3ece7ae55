"""Powers of single numbers are Python's, and fail as Python's do; those of arrays are NumPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def power(x, y):
    return x**y


def literal_exponents(x):
    return x**2, x**3, x**0, x**1, x**2.0, x**1.0


def negative_exponents(x):
    return x**-1, x**-2, x**-1.0


def root(x):
    return x**0.5


def square(x):
    total = 0.0
    total += x
    return total**2


def cube(x):
    return x**3


def reciprocal(x):
    return x**-1


def of_literals(y):
    return 2**y, 2.0**y, 0.5**y


NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e200, -1e200, 1e-200, math.inf, -math.inf, math.nan]
EXPONENTS = [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 1e300, math.inf, -math.inf, math.nan]


def same_or_complex(program, *arguments):
    """The three ways agree, but where Python's answer is complex, which is refused."""
    try:
        is_complex = isinstance(program(*arguments), complex)
    except (OverflowError, ZeroDivisionError):
        is_complex = False
    if not is_complex:
        return check(program, *arguments)
    tensors = [gw.constant(x, gw.float64 if isinstance(x, float) else gw.int64) for x in arguments]
    graph = gw.function(program)
    for call in (graph, graph, program):
        with pytest.raises(ValueError, match="is complex"):
            call(*tensors)
    return None


def test_floats_to_floats():
    for x in NUMBERS:
        for y in EXPONENTS:
            same_or_complex(power, x, y)


@pytest.mark.parametrize("program", [literal_exponents, negative_exponents, root, reciprocal])
@pytest.mark.parametrize(
    "x", [0, 1, -1, 2, -3, 46341, 0.0, -0.0, 2.5, -2.5, 1e-5, math.inf, -math.inf, math.nan]
)
def test_written_exponents(program, x):
    same_or_complex(program, x)


@pytest.mark.parametrize("program", [square, cube, reciprocal, root])
@pytest.mark.parametrize("x", [1e200, -1e200, 1e-320, 1e100, 5e-324])
def test_results_that_are_too_large(program, x):
    same_or_complex(program, x)


@pytest.mark.parametrize("y", [0, 1, 10, 62, 0.5, -1.5, 1e3, -1e3, 1023.0])
def test_written_bases(y):
    check(of_literals, y)


def test_eager_powers_are_the_same():
    assert (gw.constant(2) ** -1).numpy() == 0.5
    assert (gw.constant(100000, gw.int64) ** 2.0).numpy() == 1e10
    with pytest.raises(OverflowError, match="out of range"):
        gw.constant(1e200, gw.float64) ** 2.0
    with pytest.raises(ZeroDivisionError, match="negative power"):
        gw.constant(0) ** -1
    assert gw.pow(gw.constant(-2.5, gw.float64), 0.5).numpy() != 0
    assert np.isnan(np.power(gw.constant(-2.5, gw.float64), 0.5))


def test_arrays_are_numpys():
    x = np.array([0.0, 1e200, -2.5, 4.0])
    with np.errstate(all="ignore"):
        check(root, x)
        check(literal_exponents, x)
        check(reciprocal, x)
    check(power, np.array([1, 2, 3]), np.array([0.5, 2.0, -1.0]))
    check(reciprocal, np.array([1.0, 2.0]))


def test_a_refusal_names_the_line():
    with pytest.raises(ValueError, match="is complex") as caught:
        gw.function(root)(gw.constant(-2.5, gw.float64))
    assert any("test_powers" in str(entry.path) for entry in caught.traceback[-1:])


def caught(x, y):
    try:
        return x**y
    except OverflowError:
        return -1.0
    except ZeroDivisionError:
        return -2.0


@pytest.mark.parametrize(("x", "y"), [(1e200, 2.0), (0.0, -1.0), (2.0, 3.0), (0.0, 2.0)])
def test_what_a_power_raises_can_be_caught(x, y):
    check(caught, x, y)


def modular(a, b, m):
    return pow(a, b, m)


@pytest.mark.parametrize(
    ("a", "b", "m"),
    [
        (3, 100, 7),
        (-3, 100, 7),
        (3, 100, -7),
        (0, 0, 1),
        (5, 0, 1),
        (3, 2**62 + 1, 2**31),
        (2**62 + 12345, 2**61 + 3, 2**63 - 25),
        (-(2**62), 12345, 2**62 - 57),
        (7, 10, -(2**40)),
        (123456789, 987654321, 998244353),
        (3, -1, 7),
        (10, -3, 2**61 - 1),
        (2, -1, 4),
        (3, 5, 0),
    ],
)
def test_powers_modulo(a, b, m):
    check(modular, a, b, m)
    tensors = [gw.constant(x, gw.int64) for x in (a, b, m)]
    try:
        assert pow(*tensors).numpy() == pow(a, b, m)
    except ValueError:
        with pytest.raises(ValueError, match="cannot be 0|invertible"):
            pow(*tensors)


def test_derivatives_of_checked_powers():
    def f(x, y):
        return x**y + x**0.5 + x**-1

    for call in (f, gw.function(f)):
        x, y = gw.constant(4.0, gw.float64), gw.constant(1.5, gw.float64)
        with gw.GradientTape() as tape:
            tape.watch([x, y])
            value = call(x, y)
        to_x, to_y = tape.gradient(value, [x, y])
        assert to_x.numpy() == pytest.approx(1.5 * 4**0.5 + 0.25 - 1 / 16)
        assert to_y.numpy() == pytest.approx(8 * math.log(4))
    rows = gw.vmap(lambda x: x**0.5)(gw.constant([4.0, 9.0], gw.float64))
    np.testing.assert_allclose(rows, [2.0, 3.0])


@pytest.mark.parametrize("dtype", [gw.int32, gw.int64])
def test_integers_to_fractional_powers(dtype):
    """A single integer to a float is Python's float, of whichever width."""
    for program in (power, lambda x, y: x**0.5):
        graph = gw.function(program)
        for _ in range(2):
            with pytest.raises(ValueError, match="is complex"):
                graph(gw.constant(-2, dtype), gw.constant(0.5))
        assert graph(gw.constant(4, dtype), gw.constant(0.5)).numpy() == 2.0
    with pytest.raises(ZeroDivisionError, match="negative power"):
        gw.function(power)(gw.constant(0, dtype), gw.constant(-0.5))


def popped(x, y):
    xs = [x]
    if y > 0:
        return xs.pop() ** y
    return 1.0


def popped_unread(x, y):
    xs = [y]
    if not y:
        pass
    else:
        x = x ** xs.pop()
    return y


def of_each(x, y):
    xs = [x, x]
    if y > 0:
        xs[0] = 3.5
    return [item**y for item in xs]


def grown(x, y):
    xs = []
    for i in range(3):
        if y > i:
            xs.append(x * 2)
    result = 1.0
    for item in xs:
        result = item**y
    return result


def folded(x, y):
    xs = [x, x]
    if y > 0:
        xs.append(x)
    return sum(xs) ** y, max(xs) ** y, min(xs) ** y


def in_order(x, y):
    xs = [x, x + 1]
    if y > 0:
        xs[0] = 3.5
    return sorted(xs)[0] ** y


def looked_up(x, y):
    d = {1: x}
    if y > 0:
        d[y] = x
    return d[y] ** y


@pytest.mark.parametrize(
    "function", [popped, popped_unread, of_each, grown, folded, in_order, looked_up], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(("x", "y"), [(2.25, 2**31), (2.25, 3), (0.0, 5)])
def test_powers_of_items_of_lists(function, x, y):
    check(function, x, y)


def of_counted(n, v):
    n += int(v[0])
    return 3.0**n


def of_counted_twice(n, v):
    n = n + int(v[0]) * 2 - int(v[1])
    n *= 2
    return 2.5**n


def of_floats(x, v):
    x = x * float(v[0])
    return x**3


@pytest.mark.parametrize("program", [of_counted, of_counted_twice])
@pytest.mark.parametrize("first", [1, 300, 2000])
def test_numbers_that_int_makes_of_elements_are_pythons(program, first):
    check(program, 2, np.array([first, 1]))


@pytest.mark.parametrize("first", [1.5, 1e90, 1e200, -1e200])
def test_numbers_that_float_makes_of_elements_are_pythons(first):
    check(of_floats, 2.0, np.array([first, 1.0]))


HALVES = [-np.inf, -0.0, 0.0, 4.0, np.inf, np.nan, -2.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_array_to_the_power_of_a_half_is_numpys_root(dtype):
    def in_place(v):
        v = v.copy()
        v **= 0.5
        return v

    given = np.array(HALVES, dtype)
    for function in (root, in_place, lambda v: v.reshape(7, 1) ** 0.5):
        with np.errstate(all="ignore"):
            expected = function(given)
        for found in (gw.function(function)(given).numpy(), function(gw.constant(given)).numpy()):
            assert np.array_equal(found, expected, equal_nan=True), (found, expected)
            assert np.array_equal(np.signbit(found[1:3]), np.signbit(expected[1:3]))


@pytest.mark.parametrize("x", [float("-inf"), -0.0, 0.0, 4.0, float("inf")])
def test_a_number_to_the_power_of_a_half_is_pythons(x):
    found = gw.function(root)(gw.constant(x, gw.float64)).item()
    assert (found, math.copysign(1.0, found)) == (root(x), math.copysign(1.0, root(x)))


def test_the_gradient_of_a_power_of_a_half_is_that_of_a_root():
    given = np.array([0.25, 4.0, 9.0])
    slope = gw.function(gw.grad(lambda v: (v**0.5).sum()))
    assert np.allclose(slope(given).numpy(), [1.0, 0.25, 1 / 6])


KNOWN = [-3, -2, -1, 0, 1, 2, 3, 4, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, True]


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("exponent", KNOWN)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("power", [lambda x, y: x**y, gw.pow], ids=["operator", "function"])
def test_eager_powers_are_those_of_graphs(exponent, dtype, power):
    parts = np.random.default_rng(7).standard_normal((2, 4000))
    x = (parts[0] + 1j * parts[1] if "complex" in dtype else np.abs(parts[0])).astype(dtype)
    eager = power(gw.constant(x), exponent)
    staged = gw.function(lambda x: power(x, exponent))(gw.constant(x))
    assert same_bits(eager.numpy(), staged.numpy())
    if exponent == 2 and "float" in dtype:
        assert same_bits(eager.numpy(), x * x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numpys_power_of_a_half_is_numpys(dtype):
    x = np.array([-0.0, 0.0, -np.inf, np.inf, 4.0, 2.0, -1.0, np.nan], dtype)
    with np.errstate(all="ignore"):
        check(lambda x: np.power(x, 0.5), x)
        check(lambda x: x**0.5, x)
        check(lambda x: [np.power(x[i], 0.5) for i in range(8)], x)
        check(lambda x: [x[i] ** 0.5 for i in range(8)], x)
        check(lambda x: np.float_power(x, 0.5), x)


@pytest.mark.parametrize(
    "number", [np.int64(2), np.int32(3), np.int64(-1), np.float64(3), np.float32(-0.5), np.float64(0.5)]
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int32, np.uint8])
def test_eager_powers_of_numbers_of_numpys_are_those_of_graphs(number, dtype):
    x = gw.constant(np.random.default_rng(1).uniform(1, 9, 999).astype(dtype))
    if x.dtype.is_integer and number.dtype.kind == "i" and number < 0:
        with pytest.raises(ValueError):
            x**number
        return
    eager, staged = x**number, gw.function(lambda x: x**number)(x)
    assert eager.dtype == staged.dtype
    np.testing.assert_array_equal(eager, staged)
    if x.dtype.is_floating:
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = x**number
        assert tape.gradient(y, x) is not None
