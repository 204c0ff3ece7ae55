"""The namespace of the Array API standard beside NumPy, eagerly and in graphs."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphwright as gw

xp = gw.array_api

#: The names of the standard, version 2025.12, by subject.
NAMES = {
    "constants": "e inf nan newaxis pi",
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like"
    " tril triu zeros zeros_like",
    "dtypes": "astype can_cast finfo iinfo isdtype result_type bool int8 int16 int32 int64 uint8 uint16 uint32"
    " uint64 float32 float64 complex64 complex128",
    "elementwise": "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift"
    " bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor"
    " floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2"
    " logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter"
    " not_equal positive pow real reciprocal remainder round sign signbit sin sinh sqrt square subtract tan tanh"
    " trunc",
    "indexing": "take take_along_axis",
    "inspection": "__array_api_version__ __array_namespace_info__",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "manipulation": "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape"
    " roll squeeze stack tile unstack",
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "isin unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utilities": "all any diff",
    "extensions": "linalg fft",
}
LINALG = (
    "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose"
    " outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm"
)

KINDS = {
    "floats": ["float32", "float64"],
    "integers": ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
    "bools": ["bool"],
}
NUMBERS = KINDS["integers"] + KINDS["floats"]
ALL = KINDS["bools"] + NUMBERS

#: Functions of one tensor, with the dtypes for which the standard defines them.
UNARY = {
    **dict.fromkeys("abs square sign positive negative ceil floor round trunc".split(), NUMBERS),
    **dict.fromkeys("isfinite isinf isnan real conj".split(), NUMBERS),
    **dict.fromkeys(
        "acosh asinh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt".split(), KINDS["floats"]
    ),
    **dict.fromkeys("acos asin atan atanh tan tanh reciprocal signbit".split(), KINDS["floats"]),
    "bitwise_invert": KINDS["bools"] + KINDS["integers"],
    "logical_not": KINDS["bools"],
}
#: Functions of two tensors, with the dtypes for which the standard defines them.
BINARY = {
    **dict.fromkeys("add multiply subtract maximum minimum pow".split(), NUMBERS),
    **dict.fromkeys("less less_equal greater greater_equal floor_divide remainder".split(), NUMBERS),
    **dict.fromkeys("equal not_equal".split(), ALL),
    **dict.fromkeys("atan2 copysign divide hypot logaddexp nextafter".split(), KINDS["floats"]),
    **dict.fromkeys("bitwise_and bitwise_or bitwise_xor".split(), KINDS["bools"] + KINDS["integers"]),
    **dict.fromkeys("bitwise_left_shift bitwise_right_shift".split(), KINDS["integers"]),
    **dict.fromkeys("logical_and logical_or logical_xor".split(), KINDS["bools"]),
}


def sweep(table):
    return [(name, dtype) for name, dtypes in table.items() for dtype in dtypes]


def array(dtype, values):
    """Values that the dtype holds; a negative one of an unsigned dtype counts as its size."""
    values = np.abs(values) if dtype.startswith("u") else np.asarray(values)
    return values.astype(dtype)


def both_ways(function, *arrays):
    """The results of a function, eagerly and in a graph."""
    tensors = [gw.constant(one) for one in arrays]
    return [function(*tensors), gw.function(function)(*tensors)]


def check(function, expected, *arrays, rtol=1e-5):
    """Compares a function with NumPy's answer, dtype included, eagerly and in a graph."""
    for found in both_ways(function, *arrays):
        found, wanted = found.numpy(), np.asarray(expected)
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("subject", NAMES)
def test_every_name_of_the_standard_is_there(subject):
    for name in NAMES[subject].split():
        assert hasattr(xp, name), name


def test_every_name_of_linear_algebra_is_there():
    assert xp.linalg.__all__ == LINALG.split()


def test_transforms_are_numpys():
    x = np.arange(12.0).reshape(3, 4) * (1 + 0.5j)
    for name in ("fft", "ifft", "fftn", "ifftn", "fftshift", "ifftshift", "irfft", "irfftn", "hfft"):
        check(getattr(xp.fft, name), getattr(np.fft, name)(x), x)
    for name in ("rfft", "rfftn", "ihfft"):
        check(getattr(xp.fft, name), getattr(np.fft, name)(x.real), x.real.copy())


def test_nothing_but_names_of_the_standard_is_offered():
    assert set(xp.__all__) <= {name for names in NAMES.values() for name in names.split()}


def test_each_function_has_a_docstring_of_all_parts():
    for name in xp.__all__:
        function = getattr(xp, name)
        if inspect.isfunction(function):
            assert "Returns:" in function.__doc__ and "Example:" in function.__doc__, name


@pytest.mark.parametrize("name, dtype", sweep(UNARY))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_one_tensor(name, dtype):
    x = array(dtype, [0, 1, 2, -1, -3, 7] if dtype in KINDS["integers"] else [0, 0.5, -0.25, 1, 3.5, -2.5])
    wanted = getattr(np, name)(x)
    check(getattr(xp, name), wanted.astype(x.dtype) if wanted.dtype != bool else wanted, x)


@pytest.mark.parametrize("name, dtype", sweep(BINARY))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_two_tensors(name, dtype):
    x, y = array(dtype, [[5, 1], [7, 3]]), array(dtype, [1, 3])
    check(getattr(xp, name), getattr(np, name)(x, y), x, y)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "less"])
@pytest.mark.parametrize("dtype", KINDS["integers"])
def test_integers_of_two_dtypes_meet_as_numpy_says(name, dtype):
    x, y = np.array([1, 3], dtype), np.array([2, 2], "int16")
    if dtype == "uint64":
        with pytest.raises(TypeError):
            gw.result_type(gw.uint64, gw.int16)
        return
    check(getattr(xp, name), getattr(np, name)(x, y), x, y)


@pytest.mark.parametrize("dtype", KINDS["floats"])
def test_infinities_divide_as_the_standard_says(dtype):
    inf = np.inf
    x, y = np.array([inf, -inf, 1, -1, inf], dtype), np.array([2, 2, -inf, inf, inf], dtype)
    wanted = np.array([inf, -inf, -0.0, -0.0, np.nan], dtype)
    for found in both_ways(xp.floor_divide, x, y):
        np.testing.assert_array_equal(found.numpy(), wanted)
        assert np.signbit(found.numpy()).tolist()[:4] == [False, True, True, True]


@pytest.mark.parametrize("x", [np.array([3, 1, 3, 2, 1]), np.array([[2.5, 0.5], [0.5, 1.5]]), np.zeros([0])])
def test_distinct_values(x):
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        wanted = getattr(np, name)(x)
        for found in both_ways(lambda x, name=name: tuple(getattr(xp, name)(x)), x):
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(one.numpy(), other)
    check(xp.unique_values, np.unique(x), x)


@pytest.mark.parametrize(
    "x", [np.array([0, 3, 0, 2]), np.array([[True, False], [True, True]]), np.zeros([0, 2])]
)
def test_places_that_are_not_zero(x):
    for found in both_ways(xp.nonzero, x):
        for one, other in zip(found, np.nonzero(x), strict=True):
            np.testing.assert_array_equal(one.numpy(), other)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("count", [0, 1, 2, 5, 8])
def test_places_that_keep_order(side, count):
    row, values = np.sort(np.arange(count) // 2).astype(np.float32), np.array([[-1, 0], [1.5, 9]], np.float32)
    check(lambda x, y: xp.searchsorted(x, y, side=side), np.searchsorted(row, values, side=side), row, values)


MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
COUNTS = np.array([[3, 1, 2], [6, 5, 4]])

#: A call of the namespace and NumPy's of the same meaning, of `COUNTS` or `MATRIX`.
CALLS = {
    "all": (lambda x: xp.all(x > 1, axis=1), lambda x: np.all(x > 1, axis=1)),
    "any": (lambda x: xp.any(x > 5, axis=(0, 1)), lambda x: np.any(x > 5, axis=(0, 1))),
    "argmax": (lambda x: xp.argmax(x, axis=1, keepdims=True), lambda x: np.argmax(x, 1, keepdims=True)),
    "argsort": (lambda x: xp.argsort(x, descending=True), lambda x: np.argsort(-x)),
    "broadcast_arrays": (
        lambda x: xp.broadcast_arrays(x, x[:1])[1],
        lambda x: np.broadcast_to(x[:1], x.shape),
    ),
    "clip": (lambda x: xp.clip(x, 2, 5), lambda x: np.clip(x, 2, 5)),
    "concat": (lambda x: xp.concat([x, x], axis=None), lambda x: np.concatenate([x, x], axis=None)),
    "count_nonzero": (lambda x: xp.count_nonzero(x > 2, axis=0), lambda x: np.count_nonzero(x > 2, axis=0)),
    "cumulative_prod": (lambda x: xp.cumulative_prod(x, axis=1), lambda x: np.cumprod(x, axis=1)),
    "cumulative_sum": (
        lambda x: xp.cumulative_sum(x, axis=0, include_initial=True),
        lambda x: np.concatenate([np.zeros_like(x[:1]), np.cumsum(x, 0)]),
    ),
    "diff": (lambda x: xp.diff(x, n=2), lambda x: np.diff(x, n=2)),
    "eye": (lambda x: xp.eye(3, 4, k=1), lambda x: np.eye(3, 4, k=1, dtype=np.float32)),
    "flip": (lambda x: xp.flip(x, axis=1), lambda x: np.flip(x, axis=1)),
    "full_like": (lambda x: xp.full_like(x, 7), lambda x: np.full_like(x, 7)),
    "expand_dims": (lambda x: xp.expand_dims(x, axis=(0, -1)), lambda x: np.expand_dims(x, (0, -1))),
    "isin": (lambda x: xp.isin(x, x[0], invert=True), lambda x: np.isin(x, x[0], invert=True)),
    "isin of a number": (lambda x: xp.isin(x, 3), lambda x: np.isin(x, 3)),
    "linspace": (lambda x: xp.linspace(0, 1, 5), lambda x: np.linspace(0, 1, 5, dtype=np.float32)),
    "mean": (lambda x: xp.mean(x * 1.0), lambda x: np.mean(x * 1.0)),
    "meshgrid": (lambda x: xp.meshgrid(x[0], x[1])[0], lambda x: np.meshgrid(x[0], x[1])[0]),
    "moveaxis": (lambda x: xp.moveaxis(x, 0, 1), lambda x: np.moveaxis(x, 0, 1)),
    "prod": (lambda x: xp.prod(x, axis=0), lambda x: np.prod(x, axis=0)),
    "repeat": (lambda x: xp.repeat(x, x[0], axis=1), lambda x: np.repeat(x, x[0], axis=1)),
    "roll": (lambda x: xp.roll(x, (1, 2), axis=(0, 1)), lambda x: np.roll(x, (1, 2), axis=(0, 1))),
    "sort": (lambda x: xp.sort(x, axis=0, descending=True), lambda x: -np.sort(-x, axis=0)),
    "std": (lambda x: xp.std(x * 1.0, correction=1), lambda x: np.std(x * 1.0, ddof=1)),
    "take_along_axis": (lambda x: xp.take_along_axis(x, x % 3), lambda x: np.take_along_axis(x, x % 3, -1)),
    "tile": (lambda x: xp.tile(x, (2, 1, 2)), lambda x: np.tile(x, (2, 1, 2))),
    "tril": (lambda x: xp.tril(x, k=1), lambda x: np.tril(x, k=1)),
    "where": (lambda x: xp.where(x > 2, x, 0), lambda x: np.where(x > 2, x, 0)),
}
DECOMPOSITIONS = {
    "cholesky": (lambda x: xp.linalg.cholesky(x, upper=True), lambda x: np.linalg.cholesky(x).T),
    "cross": (lambda x: xp.linalg.cross(x, x[:, :1], axis=0), lambda x: np.cross(x, x[:, :1], axis=0)),
    "det": (xp.linalg.det, np.linalg.det),
    "diagonal": (lambda x: xp.linalg.diagonal(x, offset=-1), lambda x: np.diagonal(x, -1)),
    "inv": (xp.linalg.inv, np.linalg.inv),
    "matrix_norm": (lambda x: xp.linalg.matrix_norm(x, ord="nuc"), lambda x: np.linalg.norm(x, "nuc")),
    "matrix_power": (lambda x: xp.linalg.matrix_power(x, -3), lambda x: np.linalg.matrix_power(x, -3)),
    "matrix_rank": (xp.linalg.matrix_rank, np.linalg.matrix_rank),
    "outer": (lambda x: xp.linalg.outer(x[0], x[1]), lambda x: np.outer(x[0], x[1])),
    "pinv": (lambda x: xp.linalg.pinv(x[:2]), lambda x: np.linalg.pinv(x[:2])),
    "solve": (lambda x: xp.linalg.solve(x, x[0]), lambda x: np.linalg.solve(x, x[0])),
    "svdvals": (xp.linalg.svdvals, lambda x: np.linalg.svd(x, compute_uv=False)),
    "trace": (lambda x: xp.linalg.trace(x, offset=1), lambda x: np.trace(x, 1)),
    "vecdot": (lambda x: xp.vecdot(x, x[0]), lambda x: np.sum(x * x[0], -1)),
    "vector_norm": (
        lambda x: xp.linalg.vector_norm(x, ord=3, axis=1),
        lambda x: np.linalg.norm(x, 3, axis=1),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_whole_tensors(name):
    ours, numpys = CALLS[name]
    check(ours, numpys(COUNTS), COUNTS)


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_linear_algebra(name):
    ours, numpys = DECOMPOSITIONS[name]
    check(ours, numpys(MATRIX), MATRIX, rtol=1e-9)


@pytest.mark.parametrize("name", [*CALLS, *DECOMPOSITIONS])
def test_lengths_may_be_known_when_the_graph_runs(name):
    ours, numpys = {**CALLS, **DECOMPOSITIONS}[name]
    x = COUNTS if name in CALLS else MATRIX
    run = gw.function(ours, input_signature=[gw.TensorSpec([None, None], x.dtype)])
    np.testing.assert_allclose(run(gw.constant(x)).numpy(), numpys(x), rtol=1e-5)


ROWS = {
    "arange": lambda x: xp.arange(gw.shape(x)[0]),
    "cumulative_sum": lambda x: xp.cumulative_sum(x, include_initial=True),
    "linspace": lambda x: xp.linspace(x[0], x[-1], 3, endpoint=False),
    "nextafter": lambda x: xp.nextafter(x, 2.0),
    "nonzero": lambda x: xp.nonzero(x - 1.0)[0],
    "reshape": lambda x: xp.reshape(x, (-1, 1)),
    "searchsorted": lambda x: xp.searchsorted(x, x + 1.0, side="right"),
    "tensordot": lambda x: xp.tensordot(x, x, axes=1),
    "unique_counts": lambda x: xp.unique_counts(x).counts,
    "unique_inverse": lambda x: xp.unique_inverse(x).inverse_indices,
    "var": lambda x: xp.var(x, correction=1.0),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_any_length_are_computed_as_eagerly(name):
    run = gw.function(ROWS[name], input_signature=[gw.TensorSpec([None], gw.float32)])
    for row in ([1.0, 2.0, 2.0, 4.0], [1.0, 3.0]):
        x = gw.constant(row)
        found, wanted = run(x), ROWS[name](x)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)


def test_running_sums_of_integers_wrap():
    x = np.array([200, 100, 7], np.uint8)
    check(lambda x: xp.cumulative_sum(x, dtype=xp.uint8), np.cumsum(x, dtype=np.uint8), x)


@pytest.mark.parametrize("k", [-(2**80), -3, 0, 2**31, 2**80])
def test_diagonals_may_be_beyond_the_matrix(k):
    ones = np.ones((2, 3), np.float32)
    near = max(min(k, 9), -9)
    check(lambda x: xp.eye(2, 3, k=k), np.eye(2, 3, near, np.float32), ones)
    check(lambda x: xp.tril(x, k=k), np.tril(ones, near), ones)


def test_lengths_that_are_not_known_are_no_numbers():
    with pytest.raises(TypeError, match=r"gw\.shape"):
        xp.arange(None)


def test_derivatives_go_through():
    slope = gw.grad(lambda x: xp.sum(xp.logaddexp(x, -x)))(gw.constant([0.5, -1.0]))
    np.testing.assert_allclose(slope.numpy(), np.tanh([0.5, -1.0]), rtol=1e-5)


def test_decompositions_multiply_to_the_matrix():
    x = gw.constant(MATRIX[:2])
    left, values, right = xp.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(((left * values) @ right).numpy(), MATRIX[:2])
    orthogonal, upper = xp.linalg.qr(x, mode="complete")
    np.testing.assert_allclose((orthogonal @ upper).numpy(), MATRIX[:2])


def test_python_numbers_get_the_default_dtypes():
    defaults = xp.__array_namespace_info__().default_dtypes()
    assert xp.asarray(1.5).dtype == xp.zeros(2).dtype == defaults["real floating"] == gw.float32
    assert xp.asarray([1]).dtype == xp.arange(3).dtype == defaults["integral"] == gw.int64
    assert xp.asarray(np.float64(1)).dtype == gw.float64


def test_copies_are_made_as_asked():
    x = xp.asarray([1, 2])
    assert xp.asarray(x) is x and xp.asarray(x, copy=True) is not x
    for make in (lambda: xp.asarray([1], copy=False), lambda: xp.asarray(x, dtype=xp.int8, copy=False)):
        with pytest.raises(ValueError, match="`copy` is False"):
            make()


def test_axes_that_there_are_not_raise_index_errors():
    with pytest.raises(IndexError, match="`axis` is 3"):
        xp.expand_dims(xp.ones(2), axis=3)
    with pytest.raises(ValueError, match="device"):
        xp.ones(2, device="cuda:7")


@pytest.mark.parametrize("one", ["float16", "bfloat16", *ALL])
@pytest.mark.parametrize("other", ["float16", "bfloat16", *ALL])
def test_dtypes_meet_in_that_of_a_sum(one, other):
    x, y = gw.zeros([1], getattr(gw, one)), gw.zeros([1], getattr(gw, other))
    try:
        wanted = gw.add(x, y).dtype
    except TypeError:
        with pytest.raises(TypeError, match="no dtype holds"):
            gw.result_type(x, y)
        return
    assert gw.result_type(x, y.dtype) == wanted


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", *ALL])
def test_python_numbers_meet_tensors_as_in_a_sum(dtype):
    x = gw.zeros([1], getattr(gw, dtype))
    assert [gw.result_type(x, number) for number in (1, 1.5)] == [
        gw.add(x, number).dtype for number in (1, 1.5)
    ]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_limits_of_floats_are_numpys(dtype):
    ours, numpys = gw.finfo(getattr(gw, dtype)), np.finfo(dtype)
    for name in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(ours, name) == getattr(numpys, name), name


@pytest.mark.parametrize("one", ALL)
@pytest.mark.parametrize("other", ALL)
def test_casts_that_lose_nothing_are_numpys(one, other):
    # NumPy lets 64 bits become the 53 of a float64.
    loses = one in ("int64", "uint64") and other == "float64"
    assert gw.can_cast(getattr(gw, one), getattr(gw, other)) == (np.can_cast(one, other) and not loses)


def test_kinds_of_dtypes():
    assert gw.isdtype(gw.uint8, "integral") and not gw.isdtype(gw.bool, "numeric")
    assert gw.isdtype(gw.float16, ("bool", "real floating"))
    with pytest.raises(ValueError, match="`kind` is 'float'"):
        gw.isdtype(gw.int8, "float")
    with pytest.raises(TypeError, match="gw.iinfo"):
        gw.finfo(gw.int8)


def test_logarithms_of_numpy_keep_float32():
    assert np.log10(gw.constant([1.0, 10.0])).dtype == gw.float32


def test_shapes_broadcast_without_arrays():
    assert xp.broadcast_shapes() == ()
    assert xp.broadcast_shapes((3, 1), (), (1, 4)) == (3, 4)
    assert xp.broadcast_shapes((None, 1), (1, 2), (1, 1)) == (None, 2)
    assert xp.broadcast_shapes((None,), (5,)) == (5,)
    assert xp.broadcast_shapes((0,), (1,)) == (0,)
    for shapes in [((2,), (3,)), ((0,), (2,))]:
        with pytest.raises(ValueError, match="do not broadcast"):
            xp.broadcast_shapes(*shapes)


def test_axes_are_inserted_once():
    with pytest.raises(ValueError, match="names an axis twice"):
        xp.expand_dims(xp.ones((2,)), axis=(0, -3))
    assert xp.expand_dims(xp.ones((2,)), axis=()).shape == (2,)


def test_versions_of_the_standard():
    for version in ("2024.12", "2025.12"):
        assert xp.ones(1).__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match=r"no version 1999.1 .* there is 2025.12"):
        xp.ones(1).__array_namespace__(api_version="1999.1")
