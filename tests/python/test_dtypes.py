"""Dtypes of 8 to 64 bits, with a sign and without: their ends, where they meet, casts, comparisons and constants."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import graphwright as gw

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


@pytest.mark.parametrize("name", SIGNED + UNSIGNED + FLOATS)
def test_dtypes_are_numpys(name):
    dtype, numpys = getattr(gw, name), np.dtype(name)
    ends = np.finfo(numpys) if name in FLOATS else np.iinfo(numpys)
    assert dtype == numpys == name and dtype.size == numpys.itemsize
    assert (dtype.min, dtype.max) == (ends.min, ends.max)
    assert dtype.is_unsigned == (name in UNSIGNED)
    x = np.array([0, 1, 100], numpys)
    assert gw.constant(x).dtype == dtype and gw.constant(x).numpy().dtype == numpys


def test_integers_meet_where_the_array_api_lets_them():
    for one in SIGNED + UNSIGNED:
        for other in SIGNED + UNSIGNED:
            x, y = np.ones(1, one), np.ones(1, other)
            wanted = (x + y).dtype
            if wanted == np.float64:
                with pytest.raises(TypeError, match="GW203"):
                    gw.constant(x) + gw.constant(y)
            else:
                assert (gw.constant(x) + gw.constant(y)).dtype == wanted
    assert (gw.ones([1], gw.float16) + gw.ones([1], gw.bfloat16)).dtype == gw.float32
    assert (gw.ones([1], gw.float16) + gw.ones([1], gw.int64)).dtype == gw.float16


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_comparisons_with_any_integer_are_pythons(dtype):
    ends = np.iinfo(dtype)
    x = np.array([ends.min, 0, 1, 5, ends.max], dtype)
    for compare in COMPARISONS:
        for turned in (False, True):

            def compared(a, n, compare=compare, turned=turned):
                return compare(n, a) if turned else compare(a, n)

            staged = gw.function(compared)
            for number in (-(2**40), -1, 0, 1, 5, 300, 2**62):
                wanted = [compared(int(one), number) for one in x]
                assert compared(gw.constant(x), number).numpy().tolist() == wanted
                assert staged(gw.constant(x), number).numpy().tolist() == wanted
                if dtype != "uint64":
                    assert staged(gw.constant(x), gw.constant(number, gw.int64)).numpy().tolist() == wanted


def test_casts_wrap_and_saturate():
    floats = gw.constant([-3.7, 300.5, 1e30, float("nan")], gw.float64)
    for name in SIGNED + UNSIGNED:
        ends = np.iinfo(name)
        wanted = [min(max(number, ends.min), ends.max) for number in (-3, 300, 10**30, 0)]
        assert gw.cast(floats, name).numpy().tolist() == wanted
        numbers = np.array([-1, 2**40 + 5, -(2**33)])
        np.testing.assert_array_equal(gw.cast(numbers, name).numpy(), numbers.astype(name))
    words = np.array([0, 5, 2**63, 2**64 - 1], np.uint64)
    for name in FLOATS[1:]:
        np.testing.assert_array_equal(gw.cast(words, name).numpy(), words.astype(name))


def test_constants_hold_what_their_dtype_holds():
    assert gw.constant(2**64 - 1, gw.uint64).numpy() == 2**64 - 1
    for value, dtype in (
        (300, "uint8"),
        ([300], "uint8"),
        ([-1], "uint16"),
        (-1, "uint64"),
        (2**70, "uint64"),
    ):
        with pytest.raises(TypeError, match=r"GW30[16]"):
            gw.constant(value, dtype)


def test_pythons_integers_are_not_narrow():
    @gw.function
    def wider(x):
        return int(x) + 300

    assert wider(gw.constant(200, gw.uint8)).numpy() == 500


def test_running_sums_of_one_row_wrap_as_those_of_several():
    for x in ([200, 100], [[200], [100]]):
        numbers = gw.constant(x, gw.uint8)
        assert gw.cumsum(numbers).numpy().ravel().tolist() == [200, 44]
        assert gw.function(gw.cumsum)(numbers).numpy().ravel().tolist() == [200, 44]


def test_single_integers_raise_where_they_leave_their_dtype():
    @gw.function
    def total(x, y):
        return x + y

    for name in ("int8", "uint8", "int16", "uint16", "uint32"):
        most = gw.constant(getattr(gw, name).max, name)
        with pytest.raises(OverflowError, match=f"does not fit `{name}`"):
            total(most, gw.constant(1, name))
    assert total(gw.constant(2**64 - 1, gw.uint64), gw.constant(2, gw.uint64)).numpy() == 1


def test_half_precision_rounds_once():
    numbers = np.random.default_rng(0).normal(size=(2, 1000)).astype(np.float16)
    for operate in (operator.add, operator.sub, operator.mul, operator.truediv):
        wanted = operate(*numbers)
        np.testing.assert_array_equal(operate(*map(gw.constant, numbers)).numpy(), wanted)
        np.testing.assert_array_equal(gw.function(operate)(*map(gw.constant, numbers)).numpy(), wanted)
    with gw.GradientTape() as tape:
        x = gw.constant([1.0, 2.0], gw.float16)
        tape.watch(x)
        y = gw.reduce_sum(x * x)
    gradient = tape.gradient(y, x)
    assert gradient.dtype == gw.float16 and gradient.numpy().tolist() == [2.0, 4.0]


def test_elements_go_to_other_libraries():
    for name in SIGNED + UNSIGNED + FLOATS:
        x = gw.constant(np.array([1, 2], name))
        assert np.from_dlpack(x).dtype == name and np.from_dlpack(x).tolist() == [1, 2]
        assert x.__dlpack_device__() == (1, 0) and x.to_device(x.device) is x
    with pytest.raises(BufferError):
        gw.constant([1]).__dlpack__(copy=False)
    with pytest.raises(ValueError, match="one device"):
        gw.constant([1]).to_device("gpu")
    with pytest.raises(ValueError, match="no version"):
        gw.constant([1]).__array_namespace__(api_version="1999.12")
    assert gw.constant([1]).__array_namespace__() is gw.array_api


def magnitude_of_negative(x):
    return abs(-x)


def counted_down(x):
    s = 0
    for i in range(x[0]):
        s -= i - 1
    return s


def counted_on(x):
    s = 0
    for i in range(x[0], 300):
        s += i - 201
    return s


def counted_back(x):
    s = 0
    for i in range(x[0], x[1], -1):
        s += i
    return s


def with_pythons_integers(x):
    return int(x[1]) - 300, -int(x[0]), len(x) - int(x[0])


PROGRAMS = (magnitude_of_negative, counted_down, counted_on, counted_back, with_pythons_integers)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int16"])
def test_programs_of_strangers(program, dtype):
    x = np.array([100, 3, 7], dtype)
    wanted = program(x) if program is magnitude_of_negative else program([int(one) for one in x])
    staged = gw.function(program)
    for _ in range(2):
        found = staged(gw.constant(x))
        if isinstance(wanted, tuple):
            assert tuple(int(one) for one in found) == wanted
        else:
            np.testing.assert_array_equal(found.numpy(), wanted)


def test_words_beyond_pythons_integers_of_the_graph_are_refused():
    staged = gw.function(lambda x: with_pythons_integers(x))
    with pytest.raises(OverflowError, match="does not fit 64 bits with a sign"):
        staged(gw.constant([1, 2**63, 5], gw.uint64))


def test_pythons_floats_are_not_half():
    @gw.function
    def wider(x):
        return float(x[0]) * 1000

    assert wider(gw.constant([100.0], gw.float16)).numpy() == 100000.0


@pytest.mark.parametrize("name", ["mean", "var", "std", "median", "linalg.norm"])
def test_statistics_of_narrow_numbers_are_numpys(name):
    statistic = np.linalg.norm if "." in name else getattr(np, name)
    staged = gw.function(lambda x: statistic(x))
    for x in (
        np.arange(200, dtype=np.uint8),
        np.array([-128, 127] * 10, np.int8),
        np.arange(9, dtype=np.float16),
    ):
        wanted = statistic(x)
        for found in (statistic(gw.constant(x)), staged(gw.constant(x))):
            assert np.asarray(found).dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=2e-3)
    assert np.mean(gw.constant([60000.0] * 3, gw.float16)).numpy() == 60000.0


def test_functions_of_two_integers_meet_first():
    found = np.copysign(gw.constant([1], gw.int8), gw.constant([-1], gw.int64))
    assert found.dtype == gw.float64 and found.numpy().tolist() == [-1.0]


def test_values_that_a_dtype_does_not_hold_stay_outside():
    v = gw.Variable([1, 2], dtype=gw.uint8)
    one = gw.function(lambda x: x + 1, input_signature=[gw.TensorSpec([], gw.uint8)])
    several = gw.function(lambda x: x + 1, input_signature=[gw.TensorSpec([None], gw.uint8)])
    for refused in (
        lambda: gw.Variable([300], dtype=gw.uint8),
        lambda: gw.Variable(-1, dtype=gw.uint8),
        lambda: v.assign([300, 1]),
        lambda: one(300),
        lambda: one(-1),
        lambda: several(np.array([1, 300])),
    ):
        with pytest.raises(TypeError, match="does not fit `uint8`"):
            refused()
    v.assign([200, 1])
    assert v.numpy().tolist() == [200, 1] and one(20).numpy() == 21
    assert several(np.array([1, 200])).numpy().tolist() == [2, 201]
