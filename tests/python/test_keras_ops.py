"""`keras.ops` against Keras itself: values, dtypes and shapes, eagerly and in graphs, of the calls in docstrings."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import ops
from graphwright.keras._ops_examples import EXAMPLES
from real_keras import keras

#: Functions that take a list of tensors.
OF_LISTS = {"concatenate", "dstack", "hstack", "select", "stack", "vstack"}


def split(call):
    """The arguments of a call in a docstring."""
    for node in ast.walk(ast.parse(call)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[0] == "gw.keras.ops":
            return ", ".join(ast.unparse(one) for one in [*node.args, *node.keywords])
    raise AssertionError(call)


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def array(value):
    found = np.asarray(value)
    narrow = {np.dtype("float64"): np.float32, np.dtype("int64"): np.int32}
    return found.astype(narrow.get(found.dtype, found.dtype))


def made(name, args, make):
    """The positional arguments with tensors in place of lists."""
    return [
        ([make(array(part)) for part in one] if name in OF_LISTS else make(array(one)))
        if isinstance(one, list)
        else one
        for one in args
    ]


def same(found, expected):
    assert len(leaves(found)) == len(expected)
    for one, other in zip(leaves(found), expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def check(name, args, kwargs):
    expected = leaves(getattr(keras.ops, name)(*made(name, args, keras.ops.convert_to_tensor), **kwargs))
    function = getattr(ops, name)
    same(function(*made(name, args, gw.constant), **kwargs), expected)
    tensors = [
        tensor
        for one in made(name, args, gw.constant)
        for tensor in (one if isinstance(one, list) else [one])
        if isinstance(tensor, gw.Tensor)
    ]

    def called(*given):
        left = list(given)
        again = [
            ([left.pop(0) for _ in one] if name in OF_LISTS else left.pop(0))
            if isinstance(one, list)
            else one
            for one in args
        ]
        return function(*again, **kwargs)

    same(gw.function(called)(*tensors), expected)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_functions_of_numpy(name):
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({split(EXAMPLES[name][0])})")
    check(name, args, kwargs)


WHOLE = [
    "mean",
    "std",
    "var",
    "median",
    "sum",
    "prod",
    "cumsum",
    "max",
    "argmax",
    "sqrt",
    "sin",
    "exp",
    "log",
]


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name):
    check(name, [[3, 1, 2]], {})


@pytest.mark.parametrize("name", ["sum", "any", "count_nonzero", "cumsum"])
def test_bools(name):
    check(name, [[True, False, True]], {})


OTHERS = [
    ("arange", [1, 6, 2], {}),
    ("arange", [3], {"dtype": "float32"}),
    ("erf", [[0.5, -1.0]], {}),
    ("erfc", [[0.5, -1.0]], {}),
    ("erfinv", [[0.5, -0.25]], {}),
    ("rsqrt", [[4.0, 0.25]], {}),
    ("gelu", [[0.5, -1.0]], {}),
    ("gelu", [[0.5, -1.0]], {"approximate": False}),
    ("logsumexp", [[[1.0, 2.0], [3.0, 4.0]]], {"axis": 1, "keepdims": True}),
    ("one_hot", [[1, 0, 2], 3], {}),
    ("one_hot", [[[1, 0]], 3], {"axis": 1, "dtype": "int32"}),
    ("multi_hot", [[[0, 2], [1, 1]], 3], {}),
    ("slice", [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], (0, 1), (2, 2)], {}),
    ("slice_update", [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], (0, 1), [[7.0], [8.0]]], {}),
    ("scatter", [[[0], [2], [0]], [1.0, 2.0, 4.0], (3,)], {}),
    ("scatter_update", [[1.0, 2.0, 3.0], [[1]], [7.0]], {}),
    ("scatter_update", [[1.0, 2.0, 3.0], [[1]], [7.0]], {"reduction": "add"}),
    ("scatter_update", [[1.0, 2.0, 3.0], [[1]], [-7.0]], {"reduction": "min"}),
    ("view", [[1.0, 2.0]], {"dtype": "int32"}),
    ("unstack", [[[1.0, 2.0], [3.0, 4.0]]], {"axis": 1}),
    ("moments", [[[1.0, 2.0], [3.0, 5.0]]], {"axes": (1,)}),
    ("normalize", [[[1.0, 2.0], [3.0, 5.0]]], {}),
    ("normalize", [[[1.0, 2.0], [3.0, 5.0]]], {"axis": 0, "order": 3}),
    ("batch_normalization", [[[1.0, 2.0]], [0.5, 1.0], [1.0, 4.0], -1], {}),
    ("layer_normalization", [[[1.0, 2.0, 4.0]]], {}),
    ("rms_normalization", [[[1.0, 2.0, 4.0]]], {}),
    ("segment_sum", [[1.0, 2.0, 5.0], [0, 2, 2]], {"num_segments": 4}),
    ("segment_prod", [[1.0, 2.0, 5.0], [0, 1, 1]], {"num_segments": 2}),
    ("segment_max", [[1.0, 2.0, 5.0], [0, 1, 1]], {"num_segments": 2}),
    ("segment_min", [[1.0, 2.0, 5.0], [0, 1, 1]], {"num_segments": 2}),
    ("divide_no_nan", [[1.0, 2.0], [0.0, 4.0]], {}),
    ("in_top_k", [[2, 0], [[0.1, 0.9, 0.8], [0.1, 0.9, 0.8]]], {"k": 2}),
    ("top_k", [[1.0, 5.0, 3.0]], {"k": 2}),
    ("categorical_crossentropy", [[[0.0, 1.0]], [[0.25, 0.75]]], {}),
    *[
        (name, [[-2.0, -0.4, 0.0, 0.3, 1.5]], {})
        for name in sorted(
            """celu elu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu log_sigmoid log_softmax
            relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus sparse_sigmoid sparsemax
            squareplus swish tanh_shrink""".split()
        )
    ],
    ("glu", [[-2.0, -0.4, 0.3, 1.5]], {}),
    ("threshold", [[-2.0, 0.3, 1.5], 0.5, -1.0], {}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), OTHERS)
def test_functions_of_keras(name, args, kwargs):
    check(name, args, kwargs)


def test_attention_of_heads():
    random = np.random.default_rng(2)
    query, key, value = (random.normal(size=(2, n, 2, 4)).astype(np.float32) for n in (3, 5, 5))
    mask = random.uniform(size=(2, 1, 3, 5)) > 0.3
    mask[..., 0] = True
    for options in ({}, {"is_causal": True}, {"mask": mask}, {"scale": 0.3}):
        expected = keras.ops.dot_product_attention(query, key, value, **options)
        for run in (ops.dot_product_attention, gw.function(ops.dot_product_attention)):
            found = run(gw.constant(query), gw.constant(key), gw.constant(value), **options)
            np.testing.assert_allclose(found.numpy(), np.asarray(expected), rtol=1e-4, atol=1e-5)


def test_control_flow():
    def loops(n):
        total = ops.fori_loop(0, n, lambda i, x: x + i, gw.constant(0))
        i, s = ops.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + 2 * i), (gw.constant(0), gw.constant(0))
        )
        chosen = ops.switch(n, [lambda x: x, lambda x: -x], total)
        return total, i, s, chosen

    for run in (loops, gw.function(loops)):
        assert [int(one) for one in run(gw.constant(4))] == [6, 4, 12, -6]
    assert ops.map(lambda x: x * 2, gw.constant([1, 2])).numpy().tolist() == [2, 4]
    assert ops.shape(gw.ones([2, 3])) == (2, 3) and ops.dtype(gw.ones([1])) == "float32"
    for wrong in (
        lambda: ops.scatter_update([1.0], [[0]], [1.0], reduction="mul"),
        lambda: ops.convert_to_tensor([1.0], sparse=True),
        lambda: ops.one_hot([1], 2, sparse=True),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(AttributeError, match="no_such_name"):
        ops.no_such_name  # noqa: B018


def test_functions_have_derivatives():
    x = gw.constant([0.5, 1.5, 2.0])
    for name in ("sinc", "logaddexp", "std", "median", "hypot"):
        function = getattr(ops, name)
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = gw.reduce_sum(function(x, x * 0.5) if name in ("logaddexp", "hypot") else function(x))
        assert tape.gradient(y, x).shape == (3,)
