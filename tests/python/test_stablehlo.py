"""`gw.stablehlo`: a function that StableHLO runs gives what the function gives, and what it cannot run it refuses by name.

JAX reads and compiles each module, so that each text here is checked by another implementation.
"""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import graphwright as gw

pytest.importorskip("jax", reason="the package `jax` is not installed")

F = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 2.5, 3.7, 1e-3, 30.0, np.inf, -np.inf, np.nan]
I32 = [0, 1, -1, 2, 7, -7, 31, 100, 2**31 - 1, -(2**31)]
I64 = [0, 1, -1, 3, 62, -9, 2**40, 2**63 - 1, -(2**63)]


def leaves(value):
    if isinstance(value, dict):
        return [leaf for key in value for leaf in [key, *leaves(value[key])]]
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (list, tuple)) else [value]


def same(ours, theirs, rtol=1e-5):
    """One structure, types and lengths, and numbers that differ in their last digits at most."""
    assert type(ours) is type(theirs)
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        assert type(a) is type(b)
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind == "f":
            np.testing.assert_allclose(b, a, rtol=rtol, atol=1e-300 if rtol else 0)
        else:
            np.testing.assert_array_equal(b, a)


def agrees(function, *args, rtol=1e-5):
    """The answer of our own code and that of the module; gives the program."""
    own = gw.function(function)
    program = gw.stablehlo.Target().compile(own, *args)
    same(own(*args), program(*args), rtol)
    return program


def fails(function, *args):
    """Both ways fail with one text, and on one line."""
    own = gw.function(function)
    program = gw.stablehlo.Target().compile(own, *args)
    with pytest.raises(Exception) as ours:
        own(*args)
    with pytest.raises(type(ours.value), match=re.escape(str(ours.value))) as theirs:
        program(*args)
    assert line_of(ours) == line_of(theirs)


def line_of(raised):
    return [entry.lineno for entry in raised.traceback if entry.path.name == "test_stablehlo.py"][-1]


def array(values, dtype):
    return np.array(values, dtype)


def pairs(values, dtype):
    x, y = np.meshgrid(array(values, dtype), array(values, dtype))
    return x.ravel(), y.ravel()


FLOATS = {
    "neg": lambda x: -x,
    "abs": abs,
    "sign": gw.sign,
    "exp": gw.exp,
    "expm1": gw.expm1,
    "log": gw.log,
    "log1p": gw.log1p,
    "sqrt": gw.sqrt,
    "rsqrt": gw.rsqrt,
    "sin": gw.sin,
    "cos": gw.cos,
    "tan": gw.tan,
    "atan": gw.atan,
    "tanh": gw.tanh,
    "erf": gw.erf,
    "floor": gw.floor,
    "ceil": gw.ceil,
    "round": gw.round,
    "is_nan": gw.is_nan,
    "is_finite": gw.is_finite,
    "sigmoid": gw.sigmoid,
}

BOTH = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "max": gw.maximum,
    "min": gw.minimum,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "select": lambda x, y: gw.where(x < y, x, y),
}
DIVISIONS = {"floor_div": lambda x, y: x // y, "mod": lambda x, y: x % y}
REAL = {"div": lambda x, y: x / y, "pow": lambda x, y: x**y, "atan2": gw.atan2}
WHOLE = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}
REDUCTIONS = ["sum", "prod", "max", "min"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", FLOATS)
def test_functions_of_floats(op, dtype):
    agrees(lambda x: FLOATS[op](x), array(F, dtype))
    agrees(lambda x: FLOATS[op](x), array([], dtype))
    agrees(lambda x: FLOATS[op](x), gw.constant(0.75, dtype))


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", {**BOTH, **DIVISIONS, **REAL})
def test_two_floats(op, dtype):
    f = {**BOTH, **DIVISIONS, **REAL}[op]
    agrees(lambda x, y: f(x, y), *pairs(F, dtype))
    agrees(lambda x, y: f(x, y), array([[1.5], [2.0]], dtype), array([3.0, 0.25, 9.0], dtype))
    agrees(lambda x, y: f(x, y), array([], dtype), gw.constant(2.0, dtype))


@pytest.mark.parametrize("dtype, values", [("int32", I32), ("int64", I64)])
@pytest.mark.parametrize("op", {**BOTH, **WHOLE})
def test_two_integers(op, dtype, values):
    f = {**BOTH, **WHOLE}[op]
    agrees(lambda x, y: f(x, y), *pairs(values, dtype))


@pytest.mark.parametrize("dtype, values", [("int32", I32), ("int64", I64)])
@pytest.mark.parametrize("op", DIVISIONS)
def test_integers_divide_as_pythons_do(op, dtype, values):
    x, y = pairs(values, dtype)
    agrees(lambda x, y: DIVISIONS[op](x, y), x[y != 0], y[y != 0])
    fails(lambda x, y: DIVISIONS[op](x, y), array([1, 2], dtype), array([1, 0], dtype))


@pytest.mark.parametrize("dtype, values", [("int32", I32), ("int64", I64)])
def test_integers(dtype, values):
    x = array(values, dtype)
    agrees(lambda x: (-x, abs(x), gw.sign(x), ~x), x)
    amounts = array([0, 1, 5, 31, 32, 63, 64, 2, 3, 4][: len(values)], dtype)
    agrees(lambda x, y: (x << y, x >> y), x, amounts)
    agrees(lambda x, y: x**y, x, amounts)
    fails(lambda x, y: x << y, x, -amounts)
    fails(lambda x, y: x**y, x, -amounts)


@pytest.mark.parametrize("to", ["bool", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("of", ["bool", "int32", "int64", "float32", "float64"])
def test_casts(of, to):
    values = {"bool": [True, False], "int32": I32, "int64": I64}.get(
        of, [*F, 1e10, -1e10, 1e19, -1e19, 2.0**31]
    )
    agrees(lambda x: gw.cast(x, to), array(values, of))


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_reductions(op, dtype):
    f = getattr(gw, f"reduce_{op}")
    x = array(np.arange(24).reshape(2, 3, 4) % 5 - 2, dtype)
    for axes in (None, 0, [1], [0, 2], []):
        agrees(lambda x: f(x, axes), x)
        agrees(lambda x: f(x, axes, keepdims=True), x)
    agrees(lambda x: f(x, 0), np.zeros((0, 2), dtype))
    if x.dtype.kind == "f":
        agrees(lambda x: f(x), array([1, np.nan, 3], dtype))


def test_reductions_of_truth():
    for f in (gw.reduce_all, gw.reduce_any):
        agrees(lambda x: f(x, 0), array([[True, False], [True, True]], "bool"))
        agrees(lambda x: f(x), np.zeros(0, bool))


def test_positions():
    for x in (
        array([[3, 1, 3], [2, 2, -5]], "int32"),
        array([[1, np.nan, np.nan], [-np.inf, -np.inf, 0]], "float32"),
    ):
        for f in (gw.argmax, gw.argmin):
            agrees(lambda x: (f(x, 0), f(x, 1)), x)
        agrees(lambda x: (gw.argsort(x), gw.sort(x)), x)
        agrees(lambda x: gw.math.top_k(x, 2), x)


def test_moves():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    agrees(lambda x: gw.reshape(x, [4, -1]), x)
    agrees(lambda x: gw.transpose(x, [2, 0, 1]), x)
    agrees(lambda x: gw.broadcast_to(x, [5, 2, 3, 4]), x)
    agrees(lambda x: gw.concat([x, x * 2], 1), x)
    agrees(lambda x: (x[1:], x[:, ::2], x[..., ::-1], x[:, -1, 3:0:-2], x[1:1], x[::-5]), x)
    agrees(lambda x: gw.pad(x, [[1, 0], [0, 2], [1, 1]]), x)
    agrees(lambda x: gw.stack([x[0], x[1]]), x)
    agrees(lambda x: gw.cast(gw.range(3, 20, 4), gw.float32) + x[0, 0, 0], x)
    agrees(lambda x: gw.shape(x), x)
    agrees(lambda x: gw.stop_gradient(x), x)


def test_positions_in_arrays():
    x = np.arange(12, dtype=np.float64).reshape(3, 4)
    i, rows = gw.constant(-1), array([2, 0, -3], "int32")
    agrees(lambda x, i: (x[i], x[:, i]), x, i)
    agrees(lambda x, rows: (gw.gather(x, rows), gw.gather(x, rows, axis=1)), x, rows)
    fails(lambda x, i: x[i], x, gw.constant(3))
    fails(lambda x, rows: gw.gather(x, rows), x, array([0, 5], "int32"))


def test_stores():
    def stores(x, i, rows):
        x = x + 0
        x[i] = 7.0
        x[0, 1:3] = x[1, :2]
        x[::2, 0] = -1.0
        x[rows] += 2.0
        return x

    x = np.arange(12, dtype=np.float64).reshape(3, 4)
    agrees(stores, x, gw.constant(1), array([2, 0], "int32"))
    updates = array([5, 6, 7], "float64")
    for f in (
        gw.tensor_scatter_nd_update,
        gw.tensor_scatter_nd_add,
        gw.tensor_scatter_nd_max,
        gw.tensor_scatter_nd_min,
    ):
        agrees(
            lambda x, places, updates: f(x, places, updates), x[0], array([[1], [3], [1]], "int32"), updates
        )


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_products(dtype):
    x, y = array(np.arange(12).reshape(2, 2, 3), dtype), array(np.arange(12).reshape(3, 4) - 5, dtype)
    agrees(lambda x, y: x @ y, x, y)
    agrees(lambda x, y: gw.matmul(x, y, transpose_a=True, transpose_b=True), y, np.ones((2, 5, 3), dtype))
    agrees(lambda x, y: x @ y, np.zeros((2, 0), dtype), np.zeros((0, 3), dtype))


def test_convolutions():
    images, filters = (
        np.random.default_rng(1).normal(size=(2, 7, 6, 3)),
        np.random.default_rng(2).normal(size=(3, 2, 3, 4)),
    )
    for padding in ("SAME", "VALID"):
        agrees(lambda x, f: gw.nn.conv2d(x, f, strides=2, padding=padding), images, filters, rtol=1e-4)


def test_lengths_are_those_of_each_call():
    @gw.function(input_signature=[gw.TensorSpec([None, None], gw.float32)])
    def centred(x):
        return gw.reshape(x - gw.reduce_mean(x, 0), [-1]) / gw.cast(gw.shape(x)[0], gw.float32)

    program = gw.stablehlo.Target().compile(centred)
    for shape in ((2, 3), (4, 1), (1, 0)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        same(centred(x), program(x))
        assert f"tensor<{'x'.join(map(str, shape))}xf32>" in program.text
    assert "tensor<5x6xf32>" in program.lower([[5, 6]])


def test_branches_and_loops():
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps, n

    program = agrees(collatz, gw.constant(27, gw.int64))
    assert "stablehlo.while" in program.text
    assert "stablehlo.if" in program.text
    fails(collatz, gw.constant(2**62 + 1, gw.int64))

    def nested(x, n):
        total = x * 0
        for i in gw.range(n):
            for row in x:
                if gw.reduce_sum(row) > 3:
                    total += row * gw.cast(i, gw.float32)
                elif i == 2:
                    break
        return {"total": total, "twice": [total * 2]}

    agrees(nested, np.arange(6, dtype=np.float32).reshape(3, 2), gw.constant(4))


def test_structures_and_numbers_come_back_as_they_are():
    agrees(lambda x: {"a": (x, [x + 1]), "b": None, "c": "text"}, np.ones(3))
    agrees(lambda x: x, np.ones((2, 2), np.int32))


def test_variables_are_read_and_written():
    v = gw.Variable([1.0, 2.0])

    @gw.function
    def step(x):
        v.assign_add(x)
        return gw.reduce_sum(v)

    program = gw.stablehlo.Target().compile(step, np.ones(2, np.float32))
    assert float(program(np.ones(2, np.float32))) == 5.0
    np.testing.assert_array_equal(v.numpy(), [2.0, 3.0])
    assert float(program(np.ones(2, np.float32))) == 7.0


def test_overflows_are_raised_on_their_line():
    def sums(x, y):
        total = x + y
        return total * 2

    most = gw.constant(2**63 - 1, gw.int64)
    fails(sums, most, gw.constant(1, gw.int64))
    fails(sums, most, gw.constant(0, gw.int64))
    for op in (
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: -x + y,
        lambda x, y: abs(x) + y,
        lambda x, y: x << y,
    ):
        for dtype in ("int32", "int64"):
            least = np.iinfo(dtype).min
            for pair in ((least, 1), (least, 0), (1, 2), (-1, 3), (3, least)):
                args = [gw.constant(n, dtype) for n in pair]
                try:
                    gw.function(op)(*args)
                except Exception:
                    fails(op, *args)
                else:
                    agrees(op, *args)
    for x, y in (
        (2**40, 3),
        (-2, 63),
        (-2, 64),
        (2, 63),
        (0, 2**40),
        (-1, 2**40 + 1),
        (3, 39),
        (3, 40),
        (7, -1),
    ):
        args = gw.constant(x, gw.int64), gw.constant(y, gw.int64)
        fitting = y >= 0 and (abs(x) < 2 or -(2**63) <= x**y < 2**63)
        (agrees if fitting else fails)(lambda x, y: x**y, *args)
    agrees(lambda x: x**3, gw.constant(-(2**21), gw.int64))
    fails(lambda x: int(x), gw.constant(1e30, gw.float64))


def test_asserts_fail():
    def checked(x):
        assert gw.reduce_sum(x) > 0, "a sum that is not positive"
        return gw.sqrt(x)

    agrees(checked, np.ones(3))
    fails(checked, -np.ones(3))


def test_a_loop_ends_where_something_failed():
    def search(x, i):
        n = x[i]
        while n != 0:
            n = n - n
        while n < x[i] + 1:
            n = n + x[i] * 0 + 1
        return n

    agrees(search, array([1, 2], "int64"), gw.constant(1))
    fails(search, array([1, 2], "int64"), gw.constant(5))


def printed(x):
    print("x =", x)
    return x


REFUSED = {
    "print": printed,
    "host_call": lambda x: gw.py_function(lambda x: x, [x], gw.TensorSpec([], gw.float64)),
    "svd": lambda x: gw.linalg.svd(gw.eye(2, dtype=gw.float64) * x),
}


@pytest.mark.parametrize("op", REFUSED)
def test_the_others_are_refused_by_name(op):
    with pytest.raises(TypeError, match=rf"GW402.*`{op}`"):
        gw.stablehlo.Target().compile(REFUSED[op], gw.constant(1.0, gw.float64))


def test_strings_are_refused():
    with pytest.raises(TypeError, match="GW402.*`upper`.*no strings"):
        gw.stablehlo.Target().compile(lambda x: gw.strings.upper(x), gw.constant("a"))


def test_lengths_known_only_in_a_run_are_refused():
    with pytest.raises(TypeError, match="GW402.*`range`.*known only when the module runs"):
        gw.stablehlo.Target().compile(lambda n: gw.range(n), gw.constant(3))
    with pytest.raises(TypeError, match="GW402.*`slice`"):
        gw.stablehlo.Target().compile(lambda x, n: x[:n], np.ones(3), gw.constant(2))


def test_a_target_compiles():
    with pytest.raises(TypeError, match="abstract"):
        gw.Target()
    assert isinstance(gw.stablehlo.Target(), gw.Target)


def test_regions_that_are_left():
    def first_even(x):
        found = -1
        try:
            for n in x:
                if n % 2 == 0:
                    raise ValueError
                found = n
        except ValueError:
            found = found * 10
        return found

    for numbers in ([3, 5, 4, 7], [2], [1, 3], [5, 8, 1]):
        agrees(first_even, array(numbers, "int64"))

    def rows(x):
        total = x[0] * 0
        for t, row in enumerate(x):
            total[t % 2] = total[t % 2] + row[0]
        return total

    agrees(rows, np.arange(6.0).reshape(3, 2))


def test_loops_with_arrays_that_grow():
    def slope(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            total = x[0]
            for row in x:
                total = gw.tanh(total * row + 1)
            total = gw.reduce_sum(total)
        return tape.gradient(total, x)

    program = agrees(slope, gw.constant(np.arange(6.0).reshape(3, 2) / 7))
    assert program.text.count("stablehlo.tanh") >= 3


def test_functions_of_the_graph():
    @gw.function
    def inner(x, i):
        return x[i] + 1

    def outer(x, i):
        return inner(x, i) + inner(x * 2, i)

    agrees(outer, array([1, 2, 3], "int64"), gw.constant(1))
    fails(outer, array([1, 2, 3], "int64"), gw.constant(7))


def test_without_jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "graphwright.stablehlo._client", raising=False)
    monkeypatch.delattr(gw.stablehlo, "_client", raising=False)
    program = gw.stablehlo.Target().compile(lambda x: x + 1, gw.constant(1.0))
    assert "stablehlo.add" in program.text
    with pytest.raises(ModuleNotFoundError, match=r"pip install graphwright\[stablehlo\]"):
        program(gw.constant(1.0))
