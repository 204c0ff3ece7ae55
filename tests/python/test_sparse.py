"""Sparse tensors: the checks of their places, shapes and axes, eagerly and in graphs."""

import numpy as np
import pytest

import graphwright as gw

Invalid = gw.errors.InvalidArgumentError


def sparse(indices=((0, 1), (2, 0), (2, 2)), values=(1.0, 2.0, 3.0)):
    """A matrix of three rows and four columns."""
    return gw.SparseTensor([list(place) for place in indices], list(values), [3, 4])


def dense(x):
    """The matrix itself."""
    return np.array([[0, 1, 0, 0], [0, 0, 0, 0], [2, 0, 3, 0]], np.float32) * x


def ways(function):
    """The function as it stands and as a graph."""
    return [function, gw.function(function)]


def test_products_of_matrices():
    right = np.arange(8, dtype=np.float32).reshape(4, 2)
    for way in ways(lambda x, y: gw.sparse.sparse_dense_matmul(x, y)):
        assert way(sparse(), right).tolist() == (dense(1) @ right).tolist()
        for shape in ((3, 4), (5, 2)):
            with pytest.raises(Invalid, match="another number of rows than it has columns"):
                way(sparse(), np.ones(shape, np.float32))
        with pytest.raises(ValueError, match="matrices have two axes, not 2 and 1"):
            way(sparse(), np.ones(4, np.float32))
    found = gw.sparse.sparse_dense_matmul(sparse(), np.eye(3, dtype=np.float32), adjoint_a=True)
    assert found.tolist() == dense(1).T.tolist()
    with pytest.raises(Invalid, match="another number"):
        gw.sparse.sparse_dense_matmul(sparse(), np.eye(4, dtype=np.float32), adjoint_a=True)


def test_axes():
    for way in ways(lambda x: gw.sparse.reduce_sum(x, -1)):
        assert way(sparse()).tolist() == [1, 0, 5]
    for axis in (5, 2, -3):
        for way in ways(lambda x, axis=axis: gw.sparse.reduce_sum(x, axis)):
            with pytest.raises(ValueError, match=f"`axis` is {axis}"):
                way(sparse())
    assert gw.sparse.reduce_sum(gw.SparseTensor([[1]], [5], [3]), 0).item() == 5
    with pytest.raises(ValueError, match="`axis` is 2"):
        gw.sparse.concat(2, [sparse(), sparse()])
    for perm in ([0, 0], [0], [0, 2]):
        with pytest.raises(ValueError, match="names each of the axes"):
            gw.sparse.transpose(sparse(), perm)


@pytest.mark.parametrize("place", [(0, -1), (0, 4), (3, 0)])
def test_places_are_in_the_shape(place):
    uses = (
        gw.sparse.to_dense,
        gw.sparse.reorder,
        gw.sparse.transpose,
        lambda x: gw.sparse.reduce_sum(x, 0),
        lambda x: gw.sparse.add(x, gw.ones([3, 4])),
        lambda x: gw.sparse.sparse_dense_matmul(x, gw.ones([4, 1])),
    )
    for use in uses:
        for way in ways(lambda x, use=use: use(x)):
            with pytest.raises(Invalid, match="out of its shape"):
                way(sparse([place], [1.0]))


def test_places_ascend_in_what_becomes_dense():
    twice, sorted_last = sparse([(0, 1), (0, 1)], [1.0, 2.0]), sparse([(2, 0), (0, 1)], [1.0, 2.0])
    for way in ways(lambda x: gw.sparse.to_dense(x)):
        for x in (twice, sorted_last):
            with pytest.raises(Invalid, match="do not ascend"):
                way(x)
        assert way(gw.sparse.reorder(sorted_last))[0, 1] == 2
    for way in ways(lambda x: gw.sparse.to_dense(x, validate_indices=False)):
        assert way(sorted_last)[2, 0] == 1
    assert gw.sparse.sparse_dense_matmul(twice, gw.ones([4, 1]))[0, 0] == 3


@pytest.mark.parametrize(
    "parts",
    [
        ([[0, 1]], [1.0, 2.0], [3, 4]),
        ([[0, 1]], [1.0], [3]),
        ([0, 1], [1.0, 2.0], [3]),
        ([[0, 1]], [[1.0]], [3, 4]),
    ],
)
def test_parts_fit_each_other(parts):
    for way in ways(lambda: gw.SparseTensor(*parts)):
        with pytest.raises(ValueError, match="a sparse tensor has `indices`"):
            way()


def test_operands_have_the_same_shape_and_places():
    for way in ways(lambda x, y: gw.sparse.add(x, y)):
        assert way(sparse(), np.ones((3, 4), np.float32)).tolist() == (dense(1) + 1).tolist()
        with pytest.raises(Invalid, match="another shape"):
            way(sparse(), np.ones((4, 4), np.float32))
    other = sparse([(0, 0), (2, 0), (2, 2)])
    with pytest.raises(Invalid, match="other places"):
        gw.sparse.map_values(gw.add, sparse(), other)
    assert gw.sparse.map_values(gw.add, sparse(), sparse()).values.tolist() == [2, 4, 6]


@pytest.mark.parametrize("function", [np.sum, np.size])
def test_functions_of_numpy_refuse_them(function):
    for way in ways(lambda x: function(x)):
        with pytest.raises(TypeError, match="takes no sparse tensor"):
            way(sparse())
