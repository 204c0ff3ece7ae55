"""Calls of and in `gw.function`s: arguments that are changed, input signatures in a graph, NumPy and builtins."""

import bisect
import math
import traceback

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def push(values, x):
    values.append(x)
    return x


def put(values, x):
    values["k"] = x
    return x


def put_in_a_branch(values, x):
    if x > 0:
        values["k"] = x
    return x


def nested(values, x):
    values["inner"][0] = x
    return x


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (push, [1]),
        (push, []),
        (put, {}),
        (put, {"k": 1}),
        (put_in_a_branch, {"k": 1}),
        (nested, {"inner": [1]}),
    ],
)
def test_an_argument_that_is_changed_in_place(program, argument):
    """The caller's own container is not there while the graph runs, so the change would be lost."""
    before = repr(argument)
    function = gw.function(program)
    with pytest.raises(ValueError, match=rf"(?s)GW113: `values`.*{__file__}.*help: "):
        function(argument, gw.constant(2))
    assert function.experimental_get_tracing_count() == 0
    assert repr(argument) == before


def test_an_argument_that_is_only_read():
    @gw.function
    def f(values, *, named):
        more = [*values, 3]
        more.append(named["k"])
        return sum(more)

    assert f([gw.constant(1), 2], named={"k": gw.constant(4)}).item() == 10


@gw.function(input_signature=[gw.TensorSpec([None], gw.float32)])
def total(values):
    return gw.reduce_sum(values)


def test_a_signature_holds_inside_a_graph_too():
    @gw.function
    def f(x):
        return total(x)

    @gw.function
    def g(x):
        return total([x, 1, 2])

    found = f(gw.constant([1.0, 2.0]))
    assert (found.item(), found.dtype) == (3.0, gw.float32)
    for wrong in ([1, 2], [[1.0]], 1.0):
        with pytest.raises(TypeError, match=r"(?s)GW302.*`float32` of shape \(None,\).*return total\(x\)"):
            f(gw.constant(wrong))
    with pytest.raises(TypeError):
        g(gw.constant(1))


def test_python_numbers_take_the_signatures_dtype_inside_a_graph():
    @gw.function(input_signature=[gw.TensorSpec([], gw.float32)])
    def half(x):
        return x / 2

    @gw.function
    def f(x):
        return half(3) + x

    found = f(gw.constant(1.0))
    assert (found.item(), found.dtype) == (2.5, gw.float32)


def test_arrays_of_the_other_byte_order():
    array = np.arange(3, dtype=">i4")
    np.testing.assert_array_equal(gw.function(lambda x: x + 1)(array).numpy(), [1, 2, 3])
    np.testing.assert_array_equal(gw.constant(np.array([1.5], ">f8")).numpy(), [1.5])


@pytest.mark.parametrize("x", [7, -7, 3])
def test_divmod_and_rounding_of_integers(x):
    check(lambda x: divmod(17, x), x)
    check(lambda x: divmod(x, 4), x)
    check(lambda x: (math.floor(x), math.ceil(x)), x)
    check(lambda x: (math.floor(x / 2), math.ceil(x / 2)), x)


def test_conditions_on_arrays_are_pythons():
    mask = np.array([True, False])

    @gw.function
    def f(x):
        if mask[0]:
            x = x + 1
        if mask[1]:
            x = undefined_name  # noqa: F821
        return x

    assert f(gw.constant(1)).item() == 2


def test_python_asks_where_nothing_is_converted():
    @gw.function
    def f(x):
        return bisect.bisect_left([0, 2], x)

    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match=r"(?s)GW106.*help: .*`if`"):
        f(gw.constant(1))


def in_a_closure(x):
    if x > 0:
        y = x

    def add():
        return 1 + y * 2 if y > -10 else -y

    return add()


def in_a_lambda(x):
    if x > 0:
        y = x
    return (lambda: (y + 1, abs(y), -y, 7 // y, y**2, 2**y, y < 3))()


def in_a_comprehension(x):
    if x > 0:
        y = x
    return [y + i for i in range(2)]


@pytest.mark.parametrize("program", [in_a_closure, in_a_lambda, in_a_comprehension])
def test_a_name_that_may_have_no_value_is_read_in_a_nested_function(program):
    function = gw.function(program)
    native = program(3)
    found = function(gw.constant(3))
    for ours, python in zip(
        *[v if isinstance(v, (list, tuple)) else [v] for v in (found, native)], strict=True
    ):
        assert ours.item() == python
    with pytest.raises(NameError, match="GW105") as caught:
        function(gw.constant(-3))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__


def large_in_a_branch(x):
    return x if x > 0 else 2**40


def large_before_a_loop(x):
    y = 2**40
    while x > 0:
        y = x
        x = x - 1
    return y


@pytest.mark.parametrize("program", [large_in_a_branch, large_before_a_loop])
def test_a_python_int_that_does_not_fit_the_tensor_it_joins(program):
    with pytest.raises(TypeError, match=r"GW10[12]: .* a Python `int`"):
        gw.function(program)(gw.constant(-2))
    assert gw.function(program)(gw.constant(-2, gw.int64)).item() == 2**40
