"""Elements of NumPy's arrays that paths join keep their digits and meet other numbers as NumPy's do, or the call fails."""

from random import Random

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "float32", "float64"]

#: Ways in which a name gets one of two elements.
WAYS = [
    "t = x[0] if n > 1 else y[0]",
    "t = y[1]\n    if n > 1:\n        t = x[1]",
    "t = x[0]\n    for i in range(n):\n        t = y[i]",
    "t = max(x[0], y[1])",
    "t = x[0]\n    while n > 0:\n        n = n - 1\n        t = x[n] if n > 1 else y[n]",
]

#: Operations on such a number; elements of two dtypes meet in the greater one, in which they are only read.
USES = ["t + 0.5", "t * 1.5", "t / 3", "t", "t - x[1]", "-0.25 + t", "t * y[0]", "2.0 ** 0.5 * t"]


def program(random, is_of_one_dtype):
    use = random.choice(USES) if is_of_one_dtype else "t"
    last = random.choice([f"return {use}", f"y[2] = {use}\n    return y"])
    return f"def f(x, y, n):\n    {random.choice(WAYS)}\n    {last}\n"


def array(random, dtype):
    great = {"float32": 2.0**24 + 2, "float64": 2.0**53 + 2}.get(dtype) or int(np.iinfo(dtype).max)
    small = [random.randrange(0, 60) for _ in range(2)]
    numbers = [*small, great // random.choice([1, 2, 3])]
    random.shuffle(numbers)
    return np.array(numbers, dtype)


def result(function, arguments):
    """The numbers that a function gives, or the class of its exception."""
    with np.errstate(all="ignore"):
        try:
            return np.asarray(function(*arguments))
        except Exception as error:
            return type(error) if "GW" not in str(error) else None


@pytest.mark.parametrize("seed", range(120))
def test_joined_elements_meet_as_numpys_do(seed):
    random = Random(seed)
    dtypes = random.sample(DTYPES, 2) if random.random() < 0.3 else [random.choice(DTYPES)] * 2
    text = program(random, dtypes[0] == dtypes[1])
    plain, _ = function_of(text, f"of meeting numbers {seed}")
    staged = gw.function(plain)
    for _ in range(3):
        arrays, n = [array(random, dtype) for dtype in dtypes], random.randrange(0, 4)
        wanted = result(plain, [one.copy() for one in arrays] + [n])
        found = result(staged, [one.copy() for one in arrays] + [gw.constant(n, gw.int64)])
        if found is None:
            continue
        if any(isinstance(one, type) for one in (found, wanted)):
            # Integers that leave their dtype fail, as do integers that are floats on another path and have more digits.
            assert found in (OverflowError, wanted), (text, arrays, n, wanted)
            continue
        assert found.astype(np.float64).tolist() == wanted.astype(np.float64).tolist(), (text, arrays, n)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32"])
def test_a_joined_narrow_integer_beside_a_float_is_a_double(dtype):
    @gw.function
    def half_more(x, n):
        t = x[0] if n > 1 else x[1]
        return t + 0.5

    x = np.array([np.iinfo(dtype).max, 3], dtype)
    for n in (1, 2):
        found = half_more(x, np.int64(n))
        assert (found.dtype, float(found)) == (gw.float64, float(x[0 if n > 1 else 1]) + 0.5)


def test_an_integer_that_is_a_float_elsewhere_keeps_its_digits_or_fails():
    @gw.function
    def either(x, y, n):
        return x[0] if n > 1 else y[0]

    x, y = np.array([1.5], np.float32), np.array([7])
    assert float(either(x, y, np.int64(0))) == 7.0
    with pytest.raises(OverflowError, match="the integer 16777217 is a float on another path"):
        either(x, np.array([16777217]), np.int64(0))


def test_exceptions_of_one_text_that_pass_a_finally_keep_their_lines():
    def twice(x, n):
        c = 0
        try:
            for _ in range(2):
                if x[0] > 5:
                    if n == 3:
                        raise ValueError("a")
                if n == 3:
                    raise ValueError("a")
        finally:
            x[0] = 7
        return c

    def line(function, x):
        with pytest.raises(ValueError, match="a") as caught:
            function(np.array(x), np.int64(3))
        places = [entry for entry in caught.traceback if entry.name == "twice"]
        return places[-1].lineno

    for staged in (gw.function(twice), gw.function(twice, roll=True)):
        for x in ([0, 1], [9, 1]):
            assert line(staged, x) == line(twice, x)


def test_a_long_chain_in_a_branch_is_compiled_at_once():
    """A chain of which each step uses the one before several times; looked at again by each use, it would not end."""

    @gw.function
    def chained(x, n):
        c = 0
        for i in range(n):
            if x[i] > 0:
                for _ in range(40):
                    c = (c * -1 + 1) % 7
        return c

    assert int(chained(np.ones(3), np.int64(3))) == int(chained.python_function(np.ones(3), 3))


@pytest.mark.parametrize(
    "compute",
    [lambda x, y: x * y, lambda x, y: x**0.5, lambda x, y: x / 3.0, lambda x, y: np.add(x, y)],
)
def test_a_graph_of_tensors_is_none_of_arrays(compute):
    x, y = np.array([2**24 + 1, 7], np.int32), np.ones(2, np.float32)
    wanted = compute(x, y)
    tensors = gw.function(compute)(gw.constant(x), gw.constant(y))
    f, g = gw.function(compute), gw.function(compute)
    f(gw.constant(x), gw.constant(y))
    found = f(x, y)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.numpy(), wanted)
    g(x, y)
    assert g(gw.constant(x), gw.constant(y)).dtype == tensors.dtype


@pytest.mark.parametrize("value", [-1.0, 300.0, float("nan")])
def test_a_handler_does_not_see_that_an_element_does_not_fit(value):
    def fill(x):
        out = np.zeros(2, np.uint8)
        try:
            for i in range(2):
                out[i] = x[i]
        except Exception:
            return out, 1
        return out, 0

    f = gw.function(lambda x: fill(x)[1])
    assert int(f(np.array([3.5, 5.0]))) == 0
    with pytest.raises((OverflowError, ValueError)):
        f(np.array([value, 5.0]))
