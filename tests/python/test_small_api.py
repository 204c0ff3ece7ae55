"""Names of TensorFlow's with little behind them: name scopes, checks of all floats, inputs of a graph, shapes as lists."""

import functools
import inspect

import numpy as np
import pytest

import graphwright as gw


def test_shapes_equal_lists():
    for shape in (gw.TensorSpec([], gw.int32).shape, gw.constant(1).shape):
        assert shape == [] and shape == () and shape != [1] and not shape != []
    shape = gw.TensorSpec([None, 2], gw.int32).shape
    assert shape == [None, 2] and shape == (None, 2) and [None, 2] == shape and shape != [2] and shape != "ab"
    assert hash(shape) == hash((None, 2)) and shape in {(None, 2): 1}
    assert gw.TensorSpec(None, gw.int32).shape != []


def test_name_scopes():
    def layered(x):
        with gw.name_scope("model") as outer, gw.name_scope("layer") as inner:
            y = x + 1 if x > 0 else x
        with gw.name_scope("other") as other:
            assert (outer, inner, other) == ("model/", "model/layer/", "other/")
            return y * 2

    staged = gw.function(layered)
    for n in (3, -3):
        assert layered(gw.constant(n)).item() == staged(gw.constant(n)).item() == layered(n)
    with pytest.raises(TypeError, match="a text, not a `int`"):
        gw.name_scope(3)


def test_all_floats_are_checked():
    def quotient(x):
        y = x / 2.0
        return y / (x - 1.0)

    gw.debugging.enable_check_numerics()
    try:
        staged = gw.function(quotient)
        for call in (quotient, staged, staged):
            assert call(gw.constant(3.0)).item() == 0.75
            with pytest.raises(gw.errors.InvalidArgumentError, match="infinite or NaN"):
                call(gw.constant(1.0))
    finally:
        gw.debugging.disable_check_numerics()
    assert quotient(gw.constant(1.0)).item() == gw.function(quotient)(gw.constant(1.0)).item() == float("inf")


def test_the_line_where_the_first_number_is_not_finite_is_named():
    def loop(x):
        total = gw.constant(0.0)
        for i in gw.range(4):
            part = x - gw.cast(i, gw.float32)
            total = total + 1.0 / part  # here
        return total

    def derivative(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            root = gw.sqrt(x - 2.0)
        return tape.gradient(root, x)  # here

    gw.debugging.enable_check_numerics()
    try:
        for function in (loop, derivative):
            lines, first = inspect.getsourcelines(function)
            wanted = first + next(at for at, line in enumerate(lines) if "# here" in line)
            for call in (function, gw.function(function)):
                with pytest.raises(gw.errors.InvalidArgumentError, match="infinite or NaN") as caught:
                    call(gw.constant(2.0))
                own = [frame.lineno for frame in caught.traceback if str(frame.path) == __file__]
                assert own[-1] + 1 == wanted
                assert np.isfinite(call(gw.constant(2.5)).numpy())
    finally:
        gw.debugging.disable_check_numerics()


def test_inputs_are_nodes():
    concrete = gw.function(lambda x, y: x + y).get_concrete_function(
        gw.TensorSpec([], gw.int32), gw.constant(2)
    )
    nodes = concrete.graph.as_graph_def().node
    assert [(node.name, node.op, list(node.input)) for node in nodes][:2] == [
        ("x", "Placeholder", []),
        ("y", "Placeholder", []),
    ]
    assert [node.op for node in nodes][2:] == ["add"] and list(nodes[2].input) == ["x", "y"]


@functools.cache
def up(n):
    return n + 1


@functools.lru_cache(maxsize=None)
def total(n):
    return total(n - 1) + n if n > 0 else 0


@functools.lru_cache
def counted(n, *, by=1):
    s = 0
    while n > 0:
        s += n
        n -= by
    return s


@pytest.mark.parametrize("cached", [up, total, counted])
def test_cached_functions(cached):
    staged, inside = gw.function(cached), gw.function(lambda n: cached(n) * 2 if n > 1 else cached(7))
    converted = gw.function(gw.autograph.to_graph(cached))
    for n in (4, 1, 9):
        given = gw.constant(n)
        assert staged(given).item() == converted(given).item() == cached(n)
        assert inside(given).item() == (cached(n) * 2 if n > 1 else cached(7))
    assert gw.autograph.to_graph(cached)(4) == cached(4)


def test_cached_functions_keep_what_they_know():
    calls = []

    @functools.cache
    def known(n):
        calls.append(n)
        return n * n

    staged = gw.function(lambda x: x + known(3) + known(3))
    assert staged(gw.constant(1)).item() == 19 and calls == [3]


def test_an_annotated_local_captured_after_an_early_return():
    def function(n):
        if n > 100:
            return 0
        x: int = 5
        y: int

        def inner():
            return x

        y = inner()
        return y + n

    staged = gw.function(function)
    for n in (1, 101):
        assert staged(gw.constant(n)).item() == gw.autograph.to_graph(function)(n) == function(n)
