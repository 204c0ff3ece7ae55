"""Each of NumPy's numeric functions gives eagerly and in a graph what it gives of arrays, or says why it does not."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from numpy_calls import CALLS, NOTES, REFUSED
from numpy_names import PAGE, attempt, dtypes_of, findings, functions, given, names, page


@pytest.mark.parametrize("name", [*CALLS, "ufunc methods"])
def test_a_function_gives_what_numpy_gives(name):
    if name in CALLS and name.split(".")[-1] not in dir(np.linalg if "." in name else np):
        pytest.skip("this NumPy has no such function")
    assert findings(name) == []


def test_each_call_has_a_result():
    for name, made in functions().items():
        for function in made:
            results = [attempt(function, given(function, dtype)) for dtype in dtypes_of(name)]
            assert not all(isinstance(one, Exception) for one in results), (name, results)


def test_each_numeric_name_is_in_the_table():
    assert [name for name in names() if name not in CALLS and name not in REFUSED] == []
    assert sum(name in CALLS for name in names()) >= 0.95 * len(names())
    assert set(NOTES) <= set(CALLS) and not set(CALLS) & set(REFUSED)


@pytest.mark.parametrize("name", ["linalg.eig", "linalg.eigvals", "roots", "sort_complex"])
def test_refused_functions_say_so(name):
    function = getattr(np.linalg, name.partition(".")[2]) if "." in name else getattr(np, name)
    value = np.eye(2) if "." in name else np.ones(3)
    with pytest.raises(TypeError, match="GW108"):
        gw.function(lambda x: function(x))(value)


def test_the_page_shows_the_table():
    assert PAGE.read_text() == page(), "write it by `python tests/python/numpy_names.py`"


def test_elements_that_a_mask_leaves_out_keep_the_values_of_out():
    @gw.function
    def stored(x, mask, out):
        np.multiply(x, 2.0, out=out, where=mask)
        return out

    out = np.zeros(3)
    stored(np.arange(3.0), np.array([True, False, True]), out)
    assert out.tolist() == [0.0, 0.0, 4.0]


def test_ufuncs_store_into_tensors_and_arrays_eagerly():
    x, out, array = gw.constant([1.0, 2.0]), gw.constant([0.0, 0.0]), np.zeros(2)
    assert np.add(x, x, out=out) is out and out.tolist() == [2.0, 4.0]
    assert np.add(x, x, out=array) is array and array.tolist() == [2.0, 4.0]
    assert np.sum(gw.constant([[1.0], [2.0]]), axis=0, out=gw.constant([0.0])).tolist() == [3.0]
    with pytest.raises(TypeError, match="casting"):
        np.add(x, 0.5, out=np.zeros(2, np.int64))


def test_parts_of_a_split_array_are_views_of_it():
    def changed(x):
        first, second = np.split(x, 2)
        x[0] = 9.0
        return first, second

    wanted = changed(np.arange(4.0))
    found = gw.function(changed)(np.arange(4.0))
    assert [part.tolist() for part in found] == [part.tolist() for part in wanted]
