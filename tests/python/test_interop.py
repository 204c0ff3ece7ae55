"""Elements go to other libraries and come from them: DLPack, buffers, NumPy's protocols, tables, arrays of torch and JAX."""

from __future__ import annotations

import array
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import graphwright as gw
import lifetimes

ROW = np.arange(100.0).reshape(10, 10)
NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (40, 5)])
def test_elements_are_lent_where_they_lie(dtype, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    tensor = gw.constant(values)
    for lent in (np.from_dlpack(tensor), np.asarray(memoryview(tensor)), np.array(tensor, copy=False)):
        assert lent.dtype == dtype and lent.shape == shape and np.array_equal(lent, values)
        assert not lent.flags.writeable
        assert not lent.size or np.shares_memory(lent, np.array(tensor, copy=False))
    view = memoryview(tensor)
    assert view.readonly and view.shape == shape and view.itemsize == values.itemsize


def test_lent_elements_outlive_the_tensor_and_stay_as_they_were():
    tensor = gw.constant(ROW)
    lent, view = np.from_dlpack(tensor), memoryview(tensor)
    tensor[0, 0] = 7.0
    del tensor
    assert np.array_equal(lent, ROW) and np.array_equal(np.asarray(view), ROW)


def test_copies_may_be_stored_into():
    tensor = gw.constant(ROW)
    for copy in (
        np.array(tensor),
        np.array(tensor, copy=True),
        tensor.numpy(),
        np.from_dlpack(tensor, copy=True),
    ):
        copy[0, 0] = 9.0
    assert tensor[0, 0] == 0.0


def test_arrays_of_another_dtype_are_copies():
    assert np.asarray(gw.constant(ROW), dtype="float32").dtype == np.float32
    with pytest.raises(ValueError, match=r"copy"):
        np.array(gw.constant(ROW), dtype="float32", copy=False)


def test_capsules_without_a_version_hold_copies():
    tensor = gw.constant(ROW)
    assert "dltensor" in repr(tensor.__dlpack__()) and "versioned" not in repr(tensor.__dlpack__())
    assert "dltensor_versioned" in repr(tensor.__dlpack__(max_version=(1, 0)))
    with pytest.raises(BufferError, match="max_version"):
        tensor.__dlpack__(copy=False)
    with pytest.raises(BufferError, match="processor"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="stream"):
        tensor.__dlpack__(stream=1)


def test_what_has_no_elements_lends_none():
    with pytest.raises(BufferError, match="strings"):
        memoryview(gw.constant("text"))
    with pytest.raises(TypeError, match="GW301"):
        gw.constant("text").__dlpack__()
    with pytest.raises(TypeError, match=r"(?s)GW108.*test_interop"):
        gw.function(lambda x: memoryview(x))(ROW)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_tensors_over_arrays_share_their_memory(dtype):
    values = np.arange(40).astype(dtype)
    tensor = gw.from_dlpack(values)
    assert np.array_equal(tensor.numpy(), values) and tensor.dtype.name == dtype
    assert np.shares_memory(np.asarray(tensor), values) == (dtype != "bool")
    del values
    assert len(tensor.numpy()) == 40


def test_a_shared_array_is_an_argument_like_any_tensor():
    @gw.function
    def changed(x):
        y = x * 2.0
        x[0] = 5.0
        return y

    values = np.arange(20.0)
    tensor = gw.from_dlpack(values)
    assert changed(tensor).tolist() == (np.arange(20.0) * 2).tolist()
    assert tensor[0] == 5.0 and values[0] == 0.0
    (slope,) = [gw.grad(lambda x: gw.reduce_sum(x * x))(gw.from_dlpack(values))]
    assert np.array_equal(slope.numpy(), values * 2)


def test_elements_that_lie_apart_are_copied():
    for values in (ROW.T, ROW[:, ::2], ROW[::-1]):
        tensor = gw.from_dlpack(values)
        assert np.array_equal(tensor.numpy(), values) and not np.shares_memory(np.asarray(tensor), values)
        with pytest.raises(ValueError, match="copied"):
            gw.from_dlpack(values, copy=False)
    assert not np.shares_memory(np.asarray(gw.from_dlpack(ROW, copy=True)), ROW)


def test_read_only_arrays_are_shared_too():
    values = np.arange(9.0)
    values.flags.writeable = False
    assert np.shares_memory(np.asarray(gw.from_dlpack(values)), values)
    assert gw.function(lambda x: x + 1.0)(values).tolist() == (values + 1).tolist()


class Elsewhere:
    """An array on another device."""

    def __dlpack__(self, **options):
        raise AssertionError("nobody asks for elements that are elsewhere")

    def __dlpack_device__(self):
        return (2, 0)


class Lending:
    """An array of another library."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Giving:
    """An object that gives a NumPy array of itself."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(3.0)


class Described:
    """An object that says where its elements are."""

    def __init__(self):
        self.values = np.arange(4, dtype="int32")
        self.__array_interface__ = self.values.__array_interface__


class Failing:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("there are none")


def test_other_devices_are_named():
    for use in (gw.constant, gw.from_dlpack, lambda x: gw.constant([1.0]) + x, gw.function(lambda x: x)):
        with pytest.raises(TypeError, match=r"(?s)GW301: .*`Elsewhere` lie in memory of CUDA.*cpu"):
            use(Elsewhere())


def test_arrays_of_other_libraries_are_taken_wherever_arrays_are():
    given = Lending(np.arange(4.0))
    assert gw.constant(given).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert (gw.constant(1.0, gw.float64) + given).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert gw.reduce_sum(given) == 6.0 and gw.concat([given, given], 0).shape == (8,)
    traced = []

    @gw.function
    def doubled(x):
        traced.append(1)
        return x * 2.0

    assert doubled(given).tolist() == doubled(Lending(np.arange(4.0))).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert len(traced) == 1
    assert gw.function(lambda x: x + given)(gw.constant(np.ones(4))).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_captured_array_of_another_library_is_read_anew():
    values = np.arange(3.0)
    given = Lending(values)
    moved = gw.function(lambda x: x + given)
    assert moved(gw.constant(np.zeros(3))).tolist() == [0.0, 1.0, 2.0]
    values[0] = 5.0
    assert moved(gw.constant(np.zeros(3))).tolist() == [5.0, 1.0, 2.0]


def test_a_store_into_an_array_of_another_library_is_refused():
    @gw.function
    def stored(x):
        x[0] = 1.0
        return x

    with pytest.raises(ValueError, match=r"GW113: `x` is stored into .* `Lending`"):
        stored(Lending(np.arange(3.0)))


def test_objects_that_give_arrays_become_tensors():
    assert gw.constant(Giving()).tolist() == [0.0, 1.0, 2.0]
    assert gw.constant(Described()).tolist() == [0, 1, 2, 3]
    assert gw.constant(memoryview(np.arange(3.0))).tolist() == [0.0, 1.0, 2.0]
    assert gw.constant(array.array("d", [1.0, 2.0])).dtype == gw.float64
    assert gw.add(gw.constant([1.0], gw.float64), Giving()).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match=r"GW301: a `Failing` cannot become a tensor: there are none"):
        gw.constant(Failing())


def misaligned():
    return np.frombuffer(bytearray(8 * 9 + 1), np.uint8)[1:].view(np.float64)


def test_arrays_that_lie_oddly_are_read():
    for values in (
        ROW.astype(">f8"),
        ROW[::-1, ::2],
        np.asfortranarray(ROW),
        misaligned(),
        ROW[3:3],
        np.array(5)[()],
    ):
        assert np.array_equal(gw.constant(values).numpy(), values)
        assert np.array_equal(gw.function(lambda x: x + 0)(values).numpy(), values)
    for values in (misaligned(), np.broadcast_to(np.arange(3.0), (4, 3))):
        assert np.array_equal(gw.from_dlpack(values).numpy(), values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.array([1, None], object), "GW301"),
        (np.array([object()], object), "GW301"),
        (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
        (np.zeros(2, [("a", "i4")]), "GW301"),
        (np.ma.array([1.0, 2.0], mask=[0, 1]), "MaskedArray"),
    ],
)
def test_elements_that_no_tensor_has_are_refused(values, said):
    with pytest.raises((TypeError, ValueError), match=said):
        gw.constant(values)


def test_shapes_beyond_memory_are_refused():
    with pytest.raises((MemoryError, ValueError)):
        gw.constant(np.broadcast_to(np.zeros(1), (2**40, 2**20)))


def test_half_precision_of_other_kinds():
    pytest.importorskip("ml_dtypes")
    tensor = gw.cast(gw.constant([1.5, -2.0]), gw.bfloat16)
    assert np.asarray(tensor).astype("float32").tolist() == [1.5, -2.0]
    assert gw.constant(np.asarray(tensor)).dtype == gw.bfloat16


def test_pandas():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([1.5, 2.5, 3.5])
    assert gw.constant(column).tolist() == [1.5, 2.5, 3.5]
    assert gw.reduce_sum(column) == 7.5
    table = pandas.DataFrame({"a": [1, 2], "b": [3, 4]})
    assert gw.constant(table).tolist() == [[1, 3], [2, 4]]
    assert gw.constant(pandas.array([1, 2, 3], dtype="Int64")).tolist() == [1, 2, 3]
    assert gw.constant(pandas.Series(["x", "y"])).dtype == gw.string
    tensor = gw.constant(np.arange(3.0))
    assert pandas.Series(tensor).tolist() == [0.0, 1.0, 2.0]
    assert pandas.DataFrame({"a": tensor})["a"].dtype == np.float64
    assert pandas.DataFrame(gw.constant(ROW)).shape == (10, 10)
    assert (pandas.Series([1.0, 2.0, 3.0]) + tensor.numpy()).tolist() == [1.0, 3.0, 5.0]
    with pytest.raises((TypeError, ValueError), match="GW301"):
        gw.constant(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    assert np.isnan(gw.constant(pandas.array([1, None], dtype="Float64")).numpy()[1])


def sum_of_rows(rows):
    total = 0.0
    for row in rows:
        total += row
    return total


TABLES = {
    "row by row": sum_of_rows,
    "of a generator": lambda rows: sum(row for row in rows),
    "operator": lambda rows: rows + 1,
    "method": lambda rows: rows.mean(),
    "in a list": lambda rows: rows[0].mean(),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_are_refused_as_arguments(library, name):
    """Before the library's own code is converted, which would take seconds."""
    column = pytest.importorskip(library).Series([1.5, 2.5, 3.5])
    given = [column] if name == "in a list" else column
    refused = rf"GW301: an argument is a `Series` of {library}[\s\S]*`gw.constant\(x\)`"
    with pytest.raises(TypeError, match=refused):
        gw.function(TABLES[name])(given)


def test_columns_of_tables_are_arguments():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1.5, 2.5, 3.5]})
    with pytest.raises(TypeError, match="GW301: an argument is a `DataFrame` of pandas"):
        gw.function(lambda table: table)(table)
    for column in (table["a"].to_numpy(), gw.constant(table["a"])):
        assert gw.function(sum_of_rows)(column) == 7.5
    in_python = gw.function(lambda column: column.mean(), host_code="run")
    assert [in_python(table["a"]) for _ in range(3)] == [2.5] * 3


def test_polars():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    assert gw.constant(polars.Series([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert gw.constant(polars.DataFrame({"a": [1, 2], "b": [3, 4]})).tolist() == [[1, 3], [2, 4]]
    assert gw.constant(polars.Series([1, None, 3])).tolist()[::2] == [1.0, 3.0]
    found = polars.Series(gw.constant(np.arange(3)))
    assert found.dtype == polars.Int64 and found.to_list() == [0, 1, 2]
    assert polars.Series(gw.constant(["x", "y"])).to_list() == [b"x", b"y"]


def test_arrow():
    arrow = pytest.importorskip("pyarrow")
    assert gw.constant(arrow.array([1, 2, 3])).tolist() == [1, 2, 3]
    assert gw.constant(arrow.chunked_array([[1.0], [2.0, 3.0]])).tolist() == [1.0, 2.0, 3.0]
    assert gw.constant(arrow.array([True, False])).tolist() == [True, False]
    assert np.isnan(gw.constant(arrow.array([1.0, None])).numpy()[1])
    assert gw.function(lambda x: x * 2)(arrow.array([1, 2])).tolist() == [2, 4]
    assert arrow.array(gw.constant(np.arange(3))).to_pylist() == [0, 1, 2]
    assert arrow.array(gw.constant(np.arange(3)), type=arrow.float32()).type == arrow.float32()
    assert arrow.table({"a": gw.constant(np.arange(3))}).column("a").to_pylist() == [0, 1, 2]
    with pytest.raises(arrow.ArrowInvalid, match="one axis"):
        arrow.array(gw.constant(ROW))


def test_torch():
    torch = pytest.importorskip("torch")
    values = torch.arange(4.0)
    assert gw.constant(values).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert gw.function(lambda x: x * 2.0)(gw.constant(values)).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert (gw.constant([1.0]) + values).tolist() == [1.0, 2.0, 3.0, 4.0]
    shared = gw.from_dlpack(values)
    assert np.shares_memory(np.asarray(shared), values.numpy())
    assert torch.from_dlpack(gw.constant([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert torch.as_tensor(np.asarray(gw.constant([1.0, 2.0]))).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="GW301"):
        gw.constant(torch.ones(2, requires_grad=True))


#: Names of dtypes that torch and NumPy both have.
SHARED = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split()


@pytest.mark.parametrize("dtype", SHARED)
def test_torch_in_all_dtypes_and_layouts(dtype):
    torch = pytest.importorskip("torch")
    whole = torch.arange(12).to(getattr(torch, dtype)).reshape(3, 4)
    for values in (whole, whole[::2, 1::2], whole.T, whole[:0], whole[1, 2], whole.flip(0)):
        wanted = values.tolist()
        for take in (gw.constant, gw.from_dlpack, gw.array_api.asarray):
            taken = take(values)
            assert taken.tolist() == wanted and taken.dtype.name == dtype
            given = torch.from_dlpack(taken)
            assert given.dtype == values.dtype and given.tolist() == wanted


def test_torch_tensors_that_give_no_elements():
    torch = pytest.importorskip("torch")
    for values in (
        torch.ones(3, requires_grad=True),
        torch.ones(3).to_sparse(),
        torch.ones(3, device="meta"),
    ):
        for take in (gw.constant, gw.from_dlpack):
            with pytest.raises(TypeError, match="GW301: a `Tensor` cannot become a tensor: "):
                take(values)
    with pytest.raises(TypeError, match="give `x.float\\(\\)`, and cast it to `gw.bfloat16`"):
        gw.constant(torch.ones(3, dtype=torch.bfloat16))


def test_stores_of_other_libraries_reach_no_graph():
    torch = pytest.importorskip("torch")

    @gw.function
    def constant():
        return gw.constant([1.0, 2.0, 3.0])

    torch.from_dlpack(constant()).mul_(0)
    assert constant().tolist() == [1.0, 2.0, 3.0]
    first = gw.constant([1.0, 2.0])
    second = gw.function(lambda x: x)(first)
    torch.from_dlpack(second).mul_(0)
    assert first.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("make", lifetimes.LENT, ids=lambda make: make.__name__)
def test_elements_outlive_their_owners(make):
    lifetimes.check(make)


def test_jax_arrays():
    jax = pytest.importorskip("jax")
    values = jax.numpy.arange(4.0)
    assert gw.constant(values).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert gw.function(lambda x: x * 2.0)(values).tolist() == [0.0, 2.0, 4.0, 6.0]
    assert np.shares_memory(np.asarray(gw.from_dlpack(values)), np.from_dlpack(values))
    assert jax.numpy.from_dlpack(gw.constant([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert jax.numpy.asarray(gw.constant([1.0, 2.0])).tolist() == [1.0, 2.0]

    @gw.function
    def counted(x):
        x += 1.0
        return x

    assert counted(values).tolist() == [1.0, 2.0, 3.0, 4.0] and values.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_estimators_that_compute_on_arrays_take_tensors():
    pytest.importorskip("sklearn")
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LogisticRegression

    table = np.random.default_rng(0).normal(size=(40, 3))
    x, labels = gw.constant(table), gw.constant(np.arange(40) % 2)
    assert np.may_share_memory(np.asarray(x), x) and not np.may_share_memory(x.numpy(), x)
    assert KMeans(2, n_init=1, random_state=0).fit(x).cluster_centers_.shape == (2, 3)
    assert LogisticRegression().fit(x, labels).coef_.shape == (1, 3)
    assert np.array_equal(x.numpy(), table)


def test_matplotlib():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    figure, axes = pyplot.subplots()
    (line,) = axes.plot(gw.constant([0.0, 1.0]), gw.constant([2.0, 3.0]))
    assert np.asarray(line.get_ydata()).tolist() == [2.0, 3.0]
    axes.imshow(gw.constant(ROW))
    axes.hist(gw.constant([0.0, 1.0, 1.0]))
    axes.scatter(gw.constant([0.0]), gw.constant([1.0]))
    pyplot.close(figure)


DISPATCHED = """
    import numpy as np, graphwright as gw, scipy.special, scipy.stats, scipy.integrate, scipy.signal, scipy.linalg
    import sklearn
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.decomposition import PCA
    from sklearn.metrics import accuracy_score, mean_squared_error
    from sklearn.linear_model import Ridge

    def same(function, *values):
        found = function(*[gw.constant(one) for one in values])
        assert isinstance(found, gw.Tensor), (function, type(found))
        assert np.allclose(np.asarray(found), function(*values)), function

    random = np.random.default_rng(0)
    row, table = random.normal(size=50), random.normal(size=(40, 5))
    same(scipy.special.logsumexp, row)
    same(scipy.special.softmax, table)
    same(scipy.special.log_softmax, table)
    same(scipy.stats.zscore, row)
    same(scipy.stats.skew, row)
    same(scipy.stats.kurtosis, row)
    same(scipy.stats.gmean, np.abs(row))
    same(scipy.stats.sem, row)
    same(scipy.integrate.trapezoid, row)
    with sklearn.config_context(array_api_dispatch=True):
        same(lambda x: StandardScaler().fit_transform(x), table)
        same(lambda x: MinMaxScaler().fit_transform(x), table)
        same(lambda x: PCA(2, svd_solver="full").fit(x).explained_variance_, table)
        labels = np.array([0, 1, 1, 0])
        assert accuracy_score(gw.constant(labels), gw.constant(labels[::-1].copy())) == 1.0
        found = mean_squared_error(gw.constant(row), gw.constant(row + 1.0))
        assert abs(float(found) - 1.0) < 1e-12
        same(lambda x, y: Ridge(solver="svd").fit(x, y).coef_, table, table[:, 0] * 2.0)
    print("dispatched")
"""


def test_scipy_and_scikit_learn_compute_on_tensors():
    pytest.importorskip("scipy")
    pytest.importorskip("sklearn")
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(DISPATCHED)],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.stdout.strip() == "dispatched", done.stderr
