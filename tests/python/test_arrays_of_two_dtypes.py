"""Arrays of one name have one dtype on all paths, since stores, `~`, indices and sums depend on it; stores judge their numbers."""

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def as_an_index(x, c):
    if c > 0:
        chosen = x > 1
    else:
        chosen = np.array([0, 1, 1])
    return x[chosen]


def stored_into(x, c):
    z = np.zeros(3, np.int64)
    if c > 0:
        z = x * 0.5
    z[0] = 2.5
    return z


def inverted(x, c):
    z = x > 1
    if c > 0:
        z = x - 1
    return ~z, z + z


def in_a_loop(x, c):
    z = np.zeros(3, np.int64)
    for _ in range(c):
        z = z + x * 0.5
    z[1] = 2.7
    return z.sum()


def returned_early(x, c):
    def scaled():
        if c > 0:
            return x * 0.5
        return x * 2

    z = scaled()
    z[0] = 1.5
    return z


def of_items(x, c):
    z = [x, x * 0.5][c].copy()
    z[0] = 1.5
    return z


@pytest.mark.parametrize(
    "program",
    [as_an_index, stored_into, inverted, in_a_loop, returned_early, of_items],
    ids=lambda f: f.__name__,
)
def test_arrays_of_two_dtypes_are_refused_where_they_are_read(program):
    x = np.array([1, 2, 3])
    with pytest.raises(
        (TypeError, ValueError), match=r"GW1(01|02|30): (?s:.)*\n +--> .*test_arrays_of_two_dtypes"
    ):
        gw.function(program)(x, gw.constant(0))


def unread(x, c):
    z = x > 1
    if c > 0:
        z = x - 1
    z = x * 2
    return z


def of_one_dtype(x, c):
    z = np.zeros(3, np.int64)
    if c > 0:
        z = x * 2
    z[0] = 2.5
    return z


@pytest.mark.parametrize("program", [unread, of_one_dtype], ids=lambda f: f.__name__)
def test_others_are_not(program):
    for c in (0, 1):
        given = np.array([1, 2, 3])
        assert np.array_equal(gw.function(program)(given, gw.constant(c)).numpy(), program(given, c))


def multiplied(z, x):
    z[0] *= x[0]
    return z


def put(z, x):
    z[1] = x[0]
    return z


def put_in_a_loop(z, x):
    for i in range(len(z)):
        z[i] = x[i]
    return z


def filled(z, x):
    z.fill(x[0])
    return z


def handled(z, x):
    try:
        z[0] = x[0] * 2.0
    except OverflowError:
        z[0] = -1
    except ValueError:
        z[0] = -2
    return z


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("number", [1.5, -2.9, np.nan, np.inf, -np.inf, 1e300, 2.0**62])
@pytest.mark.parametrize("program", [put, put_in_a_loop, filled, handled], ids=lambda f: f.__name__)
def test_floats_that_no_integer_is_raise_as_in_numpy(program, number, dtype):
    def outcome(function):
        given = np.array([1, 2], dtype)
        try:
            return np.asarray(function(given, np.array([number, 1.0]))).tolist()
        except Exception as error:
            return type(error).__name__

    native = outcome(program)
    graph = gw.function(program)
    for _ in range(2):
        assert outcome(graph) == native


def test_augmented_stores_too():
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        gw.function(multiplied)(np.array([1, 2]), np.array([np.nan]))


@pytest.mark.parametrize("out", [(3,), (2, 3), (4, 2, 3), (1, 3)])
@pytest.mark.parametrize("function", [np.add, np.multiply, np.maximum])
def test_results_are_repeated_along_the_axes_of_out(function, out):
    def program(x):
        y = np.zeros(out)
        function(x, 2.0, out=y)
        return y

    x = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(gw.function(program)(x).numpy(), program(x))


def test_out_that_is_too_small_raises():
    def program(x):
        y = np.zeros(3)
        np.add(x, 1, out=y)
        return y

    x = np.zeros((2, 3))
    for call in (program, gw.function(program)):
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            call(x)


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "float32", "float64"])
def test_dtypes_are_those_of_numpy(dtype):
    def looked(x):
        of = x.dtype
        names = [
            of == "float64",
            of == np.int64,
            of == float,  # noqa: E721
            of != np.dtype(bool),
            of in (np.float32, np.int32),
        ]
        kinds = [of.kind, of.itemsize, np.issubdtype(of, np.floating), of.type is np.int64]
        return [bool(one) for one in names], kinds, np.zeros(2, of)

    x = np.ones(3, dtype)
    names, kinds, zeros = looked(x)
    for given in (x, gw.constant(x)):
        ours = gw.function(looked)(given)
        assert [bool(one) for one in ours[0]] == names
        assert [k.item() if isinstance(k, gw.Tensor) else k for k in ours[1]] == kinds
        assert ours[2].numpy().dtype == zeros.dtype
    assert (gw.constant(x).dtype == np.dtype(dtype)) is True
    assert len({gw.float32, gw.float64, gw.as_dtype("float32")}) == 2


def bits(n):
    z = 3
    if n > 2:
        z = 2.0
    try:
        return z & 1
    except TypeError:
        return -1


def test_bits_of_an_int_or_float_are_refused():
    for n in (1, 5):
        message = check(bits, n, refusal=True)
        assert message is None or message.startswith("GW103: this takes integers")
    with pytest.raises(ValueError, match="GW103: this takes integers"):
        gw.function(bits)(gw.constant(1))
