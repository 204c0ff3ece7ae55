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
