"""The Array API's functions in graphs of their own give what they give eagerly: a sweep over names, dtypes and shapes.

The standard's own suite runs by `make array-api`; this is the small part of it that needs nothing else.
"""

from __future__ import annotations

import importlib.util
import itertools
import pathlib

import numpy as np
import pytest

import graphwright as gw
from graphwright.array_api._examples import EXAMPLES

xp = gw.array_api


def adapter():
    """The module that the standard's suite takes for graphs."""
    path = pathlib.Path(__file__).parents[1] / "array_api" / "staged_array_api.py"
    spec = importlib.util.spec_from_file_location("staged_array_api", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STAGED = adapter()

FLOATS, COMPLEX = ["float32", "float64"], ["complex64", "complex128"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMERIC = INTEGERS + FLOATS + COMPLEX

#: The dtypes that the standard gives each function, and the dtype of its result: that of the operands, `bool`, or a real one.
OF_ONE = {
    **{name: (NUMERIC, "same") for name in "positive sign square".split()},
    **{
        name: (FLOATS + COMPLEX, "same")
        for name in "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2".split()
    },
    **{name: (FLOATS + COMPLEX, "same") for name in "reciprocal sin sinh sqrt tan tanh".split()},
    **{name: (INTEGERS + FLOATS, "same") for name in "ceil floor trunc".split()},
    **{name: (NUMERIC, "bool") for name in "isfinite isinf isnan".split()},
    **{name: (COMPLEX, "real") for name in "real imag".split()},
    "abs": (NUMERIC, "real"),
    "negative": (INTEGERS[:4] + FLOATS + COMPLEX, "same"),
    "bitwise_invert": (["bool", *INTEGERS], "same"),
    "conj": (NUMERIC, "same"),
    "logical_not": (["bool"], "bool"),
    "round": (NUMERIC, "same"),
    "signbit": (FLOATS, "bool"),
}
OF_TWO = {
    **{name: (NUMERIC, "same") for name in "add multiply subtract".split()},
    **{name: (["bool", *NUMERIC], "bool") for name in "equal not_equal".split()},
    **{name: (INTEGERS + FLOATS, "bool") for name in "greater greater_equal less less_equal".split()},
    **{name: (INTEGERS + FLOATS, "same") for name in "floor_divide maximum minimum remainder".split()},
    **{name: (["bool", *INTEGERS], "same") for name in "bitwise_and bitwise_or bitwise_xor".split()},
    **{name: (INTEGERS, "same") for name in "bitwise_left_shift bitwise_right_shift".split()},
    **{name: (FLOATS, "same") for name in "atan2 copysign hypot logaddexp nextafter".split()},
    **{name: (["bool"], "bool") for name in "logical_and logical_or logical_xor".split()},
    "divide": (FLOATS + COMPLEX, "same"),
    "pow": (NUMERIC, "same"),
}
SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((0,), (1,)), ((2, 1), (1, 3)), ((), (2,))]


def values(dtype: str, shape: tuple[int, ...], start: int) -> np.ndarray:
    """Small numbers that every function takes."""
    found = (np.arange(int(np.prod(shape))) + start) % 3 + 1
    return np.asarray((found / 4 if dtype in FLOATS + COMPLEX else found).reshape(shape)).astype(dtype)


def expected(dtype: str, kind: str) -> np.dtype:
    """The dtype of a result."""
    if kind == "bool":
        return np.dtype(bool)
    return np.zeros(0, dtype).real.dtype if kind == "real" else np.dtype(dtype)


def agree(name: str, kind: str, *arrays: np.ndarray) -> None:
    """Compares both namespaces, and the dtype and shape with the standard's."""
    tensors = [gw.constant(one) for one in arrays]
    eager, staged = (getattr(one, name)(*tensors).numpy() for one in (xp, STAGED))
    wanted = expected(str(arrays[0].dtype), kind)
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    for found in (eager, staged):
        assert (found.dtype, found.shape) == (wanted, shape), (name, arrays)
    np.testing.assert_allclose(staged, eager, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", OF_ONE)
def test_a_function_of_one_array_has_the_standards_dtype_in_both_ways(name):
    dtypes, kind = OF_ONE[name]
    for dtype, shape in itertools.product(dtypes, [(3,), (2, 2), (0,), ()]):
        agree(name, kind, values(dtype, shape, 0))


@pytest.mark.parametrize("name", OF_TWO)
def test_a_function_of_two_arrays_has_the_standards_dtype_and_shape_in_both_ways(name):
    dtypes, kind = OF_TWO[name]
    for dtype, (left, right) in itertools.product(dtypes, SHAPES):
        agree(name, kind, values(dtype, left, 0), values(dtype, right, 1))


def test_the_dtypes_of_the_standards_table_meet_in_both_ways():
    table = [
        ("int8", "uint8", "int16"),
        ("uint16", "int16", "int32"),
        ("float32", "float64", "float64"),
        ("float64", "complex64", "complex128"),
    ]
    for left, right, wanted in table:
        for one in (xp, STAGED):
            assert (
                one.add(gw.constant(values(left, (2,), 0)), gw.constant(values(right, (2,), 0))).dtype
                == wanted
            )


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_gives_the_same_in_a_graph(name):
    call, text = EXAMPLES[name]
    assert repr(eval(call, {"xp": STAGED, "gw": gw, "np": np})) == text
