"""Ragged tensors: rows by number, operators with tensors, and the checks of what they are made of."""

import re

import numpy as np
import pytest

import graphwright as gw

ROWS = [[1, 2, 3], [], [4], [5, 6]]
COLUMN = np.array([[1], [2], [3], [4]], np.int32)


def ways(function):
    """The function as it stands and as a graph, each of which takes the rows."""
    return [function, gw.function(function)]


@pytest.mark.parametrize("at", [-5, 4, 7])
def test_rows_out_of_range(at):
    for way in ways(lambda rows: rows[at]):
        with pytest.raises(
            IndexError, match=re.escape(f"index {at} is out of bounds for axis 0 with size 4")
        ):
            way(gw.ragged.constant(ROWS))


def test_rows_by_number():
    for at in (-4, -1, 0, 3):
        for way in ways(lambda rows, at=at: rows[at]):
            assert way(gw.ragged.constant(ROWS)).tolist() == ROWS[at]
    with pytest.raises(TypeError, match="named by one number"):
        gw.ragged.constant(ROWS)[[0, 1]]


def test_operators_spread_tensors_over_rows():
    for way in ways(lambda rows: (rows + COLUMN, COLUMN - rows, rows * 2, rows + [10])):
        found = [one.to_list() for one in way(gw.ragged.constant(ROWS))]
        assert found[0] == [[2, 3, 4], [], [7], [9, 10]]
        assert found[1] == [[0, -1, -2], [], [-1], [-1, -2]]
        assert found[2] == [[2, 4, 6], [], [8], [10, 12]]
        assert found[3] == [[11, 12, 13], [], [14], [15, 16]]
    deep = gw.ragged.constant([[[1, 2], [3]], [[4]], [], [[5, 6, 7]]])
    assert (deep + COLUMN[:, :, None]).to_list() == [[[2, 3], [4]], [[6]], [], [[9, 10, 11]]]


@pytest.mark.parametrize("other", [np.arange(6, dtype=np.int32), np.ones(4, np.int32), COLUMN[:3]])
def test_operators_refuse_other_shapes(other):
    for way in ways(lambda rows: rows + other):
        with pytest.raises(gw.errors.InvalidArgumentError, match="operand"):
            way(gw.ragged.constant(ROWS))
    with pytest.raises(ValueError, match="3 axes meets a ragged tensor with 2"):
        gw.ragged.constant(ROWS) + np.ones((1, 1, 1), np.int32)


def test_rows_are_compared_by_element():
    for way in ways(lambda rows: (rows == rows, rows != 1, rows <= 2, rows >= 5)):
        found = [one.to_list() for one in way(gw.ragged.constant(ROWS))]
        assert found[0] == [[True, True, True], [], [True], [True, True]]
        assert found[1] == [[False, True, True], [], [True], [True, True]]
        assert found[2] == [[True, True, False], [], [False], [False, False]]
        assert found[3] == [[False, False, False], [], [False], [True, True]]
    for way in ways(lambda rows: 1 if rows == rows else 2):
        with pytest.raises(TypeError, match="neither true nor false"):
            way(gw.ragged.constant(ROWS))


@pytest.mark.parametrize("function", [np.sum, np.size])
def test_functions_of_numpy_refuse_rows(function):
    for way in ways(lambda rows: function(rows)):
        with pytest.raises(TypeError, match="takes no ragged tensor"):
            way(gw.ragged.constant(ROWS))


def test_flat_values_keep_their_number():
    for way in ways(lambda rows: gw.ragged.map_flat_values(lambda values: values[:2], rows)):
        with pytest.raises(gw.errors.InvalidArgumentError, match="another number of slices: 2 for 6"):
            way(gw.ragged.constant(ROWS))
    with pytest.raises(ValueError, match="gives a scalar"):
        gw.ragged.map_flat_values(gw.reduce_sum, gw.ragged.constant(ROWS))


def test_numbers_of_rows_ascend():
    for way in ways(lambda ids: gw.RaggedTensor.from_value_rowids([1, 2, 3], ids)):
        assert way(gw.constant([0, 0, 2])).to_list() == [[1, 2], [], [3]]
        with pytest.raises(gw.errors.InvalidArgumentError, match="do not ascend"):
            way(gw.constant([2, 0, 1]))
