"""Tensors on their own: making them, operators, promotion, indexing, NumPy in and out."""

import copy
import operator
import pickle

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

DTYPES = [gw.bool, gw.int32, gw.int64, gw.float32, gw.float64]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (1 << 40, "int64"),
        (1.0, "float32"),
        (True, "bool"),
        ([1, 2], "int32"),
        ([1.5], "float32"),
    ],
)
def test_python_values_get_tensorflows_dtypes(value, dtype):
    assert gw.constant(value).dtype.name == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_goes_in_and_out_unchanged(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype.as_numpy_dtype)
    tensor = gw.constant(array)
    assert tensor.dtype == dtype
    assert tensor.shape == (2, 3)
    np.testing.assert_array_equal(tensor.numpy(), array)
    np.testing.assert_array_equal(np.asarray(tensor), array)


def test_strided_arrays_go_in():
    array = np.arange(24.0).reshape(4, 6)[::2, ::-3].T
    np.testing.assert_array_equal(gw.constant(array).numpy(), array)


def test_arrays_go_in_that_are_turned_round():
    array = np.arange(24.0).reshape(2, 3, 4)
    doubled = gw.function(lambda x: x + x)
    for turned in (array.T, array[0].T, np.asfortranarray(array), array.transpose(0, 2, 1)):
        np.testing.assert_array_equal(gw.constant(turned).numpy(), turned)
        np.testing.assert_array_equal(gw.add(turned, turned).numpy(), 2 * turned)
        for _ in range(2):
            np.testing.assert_array_equal(doubled(turned).numpy(), 2 * turned)


BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_operators_agree_with_numpy(op, dtype):
    x = np.array([[7, -7, 3], [-1, 5, 2]], dtype)
    y = np.array([2, -3, 4], dtype)
    expected = op(x, y)
    found = op(gw.constant(x), gw.constant(y)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert op is operator.truediv or found.dtype == expected.dtype


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize(("x", "y"), [(7, 2), (-7, 2), (7, -2), (0, 3), (7.5, 2.0), (-7.5, 2.0)])
def test_scalars_agree_with_python(op, x, y):
    assert op(gw.constant(x), y).item() == pytest.approx(op(x, y))
    assert op(x, gw.constant(y)).item() == pytest.approx(op(x, y))


@pytest.mark.parametrize(
    ("value", "number", "dtype"),
    [
        (gw.constant(1), 1, "int32"),
        (gw.constant(1), 1.5, "float32"),
        (gw.constant(1, gw.int64), 1, "int64"),
        (gw.constant(1.0), 1, "float32"),
        (gw.constant(1.0, gw.float64), 1.5, "float64"),
        (gw.constant(True), 1, "int64"),
    ],
)
def test_python_numbers_take_the_tensors_type(value, number, dtype):
    assert (value + number).dtype.name == dtype
    assert (number + value).dtype.name == dtype


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**40])
def test_an_integer_that_does_not_fit_is_refused(number):
    with pytest.raises(ValueError, match="GW204.*does not fit `int32`"):
        gw.constant(1) + number
    assert (gw.constant(1, gw.int64) + number).item() == number + 1
    assert (gw.constant(1) < number).item() == (number > 1)
    with pytest.raises(ValueError, match="GW204.*does not fit `int32`"):
        gw.function(lambda x: x + number)(gw.constant(1))


def test_integers_divide_as_pythons():
    quotient = gw.constant(7) / 2
    assert quotient.dtype == gw.float64
    assert quotient.item() == 3.5


def test_two_tensors_of_different_dtypes_clash(strict_promotion):
    with pytest.raises(TypeError, match="GW203.*int32.*float32"):
        gw.constant(1) + gw.constant(1.0)


def test_shapes_that_do_not_broadcast():
    with pytest.raises(ValueError, match="GW202"):
        gw.constant([1, 2]) + gw.constant([1, 2, 3])


def test_integer_division_by_zero_is_pythons_error():
    with pytest.raises(ZeroDivisionError):
        gw.constant(1) // gw.constant(0)
    with pytest.raises(ZeroDivisionError):
        gw.constant([1, 2]) % gw.constant([1, 0])


INDICES = [
    0,
    -1,
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(-2, None),
    (slice(None), 1),
    (1, slice(0, 2)),
    (..., 0),
    (None, 1),
    (slice(None), None, slice(1, 3)),
    (slice(None, None, 2), slice(None, None, -2)),
    (1, 2),
    slice(5, 1),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_agrees_with_numpy(index):
    array = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    np.testing.assert_array_equal(gw.constant(array)[index].numpy(), array[index])


def test_indices_may_be_tensors():
    array = np.arange(12).reshape(4, 3)
    x = gw.constant(array)
    assert x[gw.constant(2), gw.constant(1)].item() == 7
    np.testing.assert_array_equal(x[gw.constant([2, 0])].numpy(), array[[2, 0]])
    np.testing.assert_array_equal(x[gw.constant(1) :].numpy(), array[1:])


@pytest.mark.parametrize("index", [4, -5])
def test_an_index_out_of_range_is_pythons_error(index):
    with pytest.raises(IndexError):
        gw.constant([1, 2, 3, 4])[index]


def test_iteration_ends_where_the_tensor_does():
    assert [row.tolist() for row in gw.constant([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert 3 in gw.constant([1, 2, 3])
    assert 4 not in gw.constant([1, 2, 3])


def test_values_go_to_python():
    x = gw.constant(3)
    assert (int(x), float(x), bool(x), [10, 20, 30, 40][x]) == (3, 3.0, True, 40)
    assert f"{gw.constant(0.5):.3f}" == "0.500"
    assert len(gw.constant([1, 2])) == 2


def test_the_truth_of_many_is_ambiguous():
    with pytest.raises(ValueError, match="ambiguous"):
        bool(gw.constant([True, False]))


def test_tensors_are_not_hashable():
    with pytest.raises(TypeError, match="hashable"):
        hash(gw.constant(1))


def test_comparison_with_something_else_is_pythons():
    assert (gw.constant(1) == None) is False  # noqa: E711
    assert gw.constant(1) != "1"


def test_tensors_are_copied_and_pickled():
    x = gw.constant([[1.5, 2.5]])
    np.testing.assert_array_equal(copy.deepcopy(x).numpy(), x.numpy())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).numpy(), x.numpy())
    assert pickle.loads(pickle.dumps(gw.float32)) == gw.float32


def test_representations():
    assert repr(gw.constant(7)) == "<gw.Tensor: shape=(), dtype=int32, numpy=7>"
    assert str(gw.constant([1, 2])) == "gw.Tensor([1 2], shape=(2,), dtype=int32)"
    assert repr(gw.TensorSpec([None, 3], gw.int32)) == "TensorSpec(shape=(None, 3), dtype=int32, name=None)"


def test_unsupported_dtypes_are_named():
    with pytest.raises(TypeError, match="GW301.*datetime64"):
        gw.constant(np.array(["2026-11-28"], dtype="datetime64[D]"))
    with pytest.raises(TypeError, match="GW301"):
        gw.constant({})


REDUCTIONS = [
    (gw.reduce_sum, np.sum),
    (gw.reduce_prod, np.prod),
    (gw.reduce_max, np.max),
    (gw.reduce_min, np.min),
    (gw.reduce_mean, np.mean),
]


@pytest.mark.parametrize(("ours", "numpys"), REDUCTIONS)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 2]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_agree_with_numpy(ours, numpys, axis, keepdims):
    array = np.random.default_rng(0).normal(size=(3, 4, 5))
    axes = tuple(axis) if isinstance(axis, list) else axis
    found = ours(gw.constant(array), axis=axis, keepdims=keepdims).numpy()
    np.testing.assert_allclose(found, numpys(array, axis=axes, keepdims=keepdims), rtol=1e-12)


def test_shapes_move():
    array = np.arange(24.0).reshape(2, 3, 4)
    x = gw.constant(array)
    np.testing.assert_array_equal(gw.reshape(x, [4, -1]).numpy(), array.reshape(4, -1))
    np.testing.assert_array_equal(gw.transpose(x).numpy(), array.T)
    np.testing.assert_array_equal(gw.transpose(x, [1, 0, 2]).numpy(), array.transpose(1, 0, 2))
    np.testing.assert_array_equal(gw.concat([x, x], axis=-1).numpy(), np.concatenate([array, array], -1))
    np.testing.assert_array_equal(gw.stack([x, x], axis=1).numpy(), np.stack([array, array], 1))
    np.testing.assert_array_equal(gw.stack([1, 2, gw.constant(3)]).numpy(), [1, 2, 3])
    np.testing.assert_array_equal(gw.expand_dims(x, 1).numpy(), array[:, None])
    np.testing.assert_array_equal(gw.squeeze(gw.expand_dims(x, 1)).numpy(), array)
    np.testing.assert_array_equal(gw.gather(x, [2, 0], axis=1).numpy(), array[:, [2, 0]])
    np.testing.assert_array_equal(gw.shape(x).numpy(), [2, 3, 4])
    np.testing.assert_array_equal(gw.one_hot([0, 2], 3).numpy(), np.eye(3)[[0, 2]])
    np.testing.assert_array_equal(gw.broadcast_to([1, 2], [3, 2]).numpy(), [[1, 2]] * 3)


@pytest.mark.parametrize(
    ("a", "b"), [((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((4,), (4, 5)), ((3, 4), (4,))]
)
def test_matrix_products_agree_with_numpy(a, b):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=a), rng.normal(size=b)
    np.testing.assert_allclose((gw.constant(a) @ gw.constant(b)).numpy(), a @ b, rtol=1e-12)


def test_transposed_products():
    a = np.arange(6.0).reshape(2, 3)
    found = gw.matmul(a, a, transpose_b=True).numpy()
    np.testing.assert_allclose(found, a @ a.T)
    np.testing.assert_allclose(gw.matmul(a, a, transpose_a=True).numpy(), a.T @ a)


def test_numpys_functions_take_tensors():
    x = gw.constant([1.0, 4.0])
    np.testing.assert_allclose(np.sqrt(x).numpy(), [1, 2])
    assert np.sum(x).item() == 5
    np.testing.assert_allclose((np.array([1.0, 1.0], np.float32) + x).numpy(), [2, 5])


def test_print_goes_to_stderr(capsys):
    gw.print("x:", gw.constant([1, 2]), [gw.constant(0.5), None], sep=" ")
    assert capsys.readouterr().err == "x: [1 2] [0.5, None]\n"


@pytest.mark.parametrize("name", ["all", "any", "sum", "prod", "mean", "max", "min"])
def test_folds_are_methods_as_of_arrays(name):
    def folded(x):
        fold = getattr(x, name)
        return fold(), fold(0), fold(axis=1, keepdims=True)

    for x in (np.array([[1.0, 2.0, 0.0], [3.0, -1.0, 4.0]]), np.array([[1, 0], [3, 4]])):
        check(folded, x)
