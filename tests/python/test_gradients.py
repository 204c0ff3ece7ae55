"""Derivatives: every op against JAX, the tape against what TensorFlow says."""

from __future__ import annotations

import math
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import graphwright as gw
from derivatives import in_double_precision, numbers, wide

pytestmark = pytest.mark.usefixtures(in_double_precision.__name__)


EVERY_OP = {
    "negative": (lambda m, x: -x, (2, 3)),
    "abs": (lambda m, x: m.abs(x - 1.0), (2, 3)),
    "sign": (lambda m, x: m.sign(x - 1.0) * x, (4,)),
    "exp": (lambda m, x: m.exp(x), (4,)),
    "expm1": (lambda m, x: m.expm1(x), (4,)),
    "log": (lambda m, x: m.log(x), (4,)),
    "log1p": (lambda m, x: m.log1p(x), (4,)),
    "sqrt": (lambda m, x: m.sqrt(x), (4,)),
    "square": (lambda m, x: m.square(x), (4,)),
    "sin": (lambda m, x: m.sin(x), (4,)),
    "cos": (lambda m, x: m.cos(x), (4,)),
    "tan": (lambda m, x: m.tan(x * 0.5), (4,)),
    "tanh": (lambda m, x: m.tanh(x), (4,)),
    "floor": (lambda m, x: m.floor(x) * x, (4,)),
    "round": (lambda m, x: m.round(x) * x, (4,)),
    "add": (lambda m, x, y: x + y, (2, 1), (3,)),
    "subtract": (lambda m, x, y: x - y, (2, 1), (3,)),
    "multiply": (lambda m, x, y: x * y, (2, 1), (3,)),
    "divide": (lambda m, x, y: x / y, (2, 1), (3,)),
    "floordiv": (lambda m, x, y: x // y * x, (4,), (4,)),
    "mod": (lambda m, x, y: x % y, (4,), (4,)),
    "pow": (lambda m, x, y: x**y, (4,), (4,)),
    "cube": (lambda m, x: x**3, (4,)),
    "maximum": (lambda m, x, y: m.maximum(x, y), (4,), (4,)),
    "minimum": (lambda m, x, y: m.minimum(x, y), (4,), (4,)),
    "where": (lambda m, x, y: m.where(x > y, x * y, y), (4,), (4,)),
    "matmul": (lambda m, x, y: m.matmul(x, y), (2, 3), (3, 4)),
    "batched matmul": (lambda m, x, y: m.matmul(x, y), (5, 2, 3), (3, 4)),
    "index": (lambda m, x: x[1] * x[-1], (4, 2)),
    "slice": (lambda m, x: x[1:, ::2] * 2.0, (4, 3)),
    "reverse": (lambda m, x: x[::-1] * x, (4,)),
    "reshape": (lambda m, x: m.reshape(x, (3, 2)) * 2.0, (2, 3)),
    "transpose": (lambda m, x: m.transpose(x) * 2.0, (2, 3)),
    "stack": (lambda m, x, y: m.stack([x, y * 2.0, x]), (2,), (2,)),
}


@pytest.mark.parametrize("name", EVERY_OP)
def test_every_op_has_the_derivative_that_jax_has(name):
    call, *shapes = EVERY_OP[name]
    args = [numbers(*shape) for shape in shapes]
    positions = tuple(range(len(args)))

    def total(module, sums, power):
        return lambda *args: sums(power(call(module, *args)))

    ours = total(gw, gw.reduce_sum, gw.square)
    theirs = total(jnp, jnp.sum, jnp.square)
    for found, wanted in zip(gw.grad(ours, positions)(*wide(args)), jax.grad(theirs, positions)(*args)):
        assert found.dtype == gw.float64
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)

    def twice(module, derive, call):
        return lambda *args: sum(module.sum(one * one) for one in derive(call, positions)(*args))

    class Ours:
        sum = staticmethod(gw.reduce_sum)

    ours, theirs = twice(Ours, gw.grad, ours), twice(jnp, jax.grad, theirs)
    for found, wanted in zip(gw.grad(ours, positions)(*wide(args)), jax.grad(theirs, positions)(*args)):
        assert np.allclose(found, wanted, rtol=1e-11, atol=1e-11)


OTHER_NAMES = {
    "rsqrt": (gw.rsqrt, jax.lax.rsqrt),
    "atan": (gw.atan, jnp.arctan),
    "erf": (gw.erf, jax.lax.erf),
    "sigmoid": (gw.sigmoid, jax.nn.sigmoid),
    "softmax": (gw.softmax, jax.nn.softmax),
    "relu": (gw.nn.relu, jax.nn.relu),
    "reduce_mean": (gw.reduce_mean, jnp.mean),
    "reduce_prod": (gw.reduce_prod, jnp.prod),
    "reduce_max": (gw.reduce_max, jnp.max),
    "reduce_min": (gw.reduce_min, jnp.min),
    "sort": (gw.sort, jnp.sort),
    "gather": (lambda x: gw.gather(x, [2, 0, 2]), lambda x: x[jnp.array([2, 0, 2])]),
    "concat": (lambda x: gw.concat([x, x * x], 0), lambda x: jnp.concatenate([x, x * x])),
    "broadcast": (lambda x: gw.broadcast_to(x, (3, 4)), lambda x: jnp.broadcast_to(x, (3, 4))),
    "squeeze": (lambda x: gw.squeeze(x[None], 0), lambda x: x),
    "clip": (lambda x: gw.clip_by_value(x, 0.5, 1.2), lambda x: jnp.clip(x, 0.5, 1.2)),
    "scatter": (
        lambda x: gw.tensor_scatter_nd_add(x, [[1], [1]], x[:2]),
        lambda x: x.at[jnp.array([1, 1])].add(x[:2]),
    ),
    "atan2": (lambda x: gw.atan2(x, x[::-1] + 1.0), lambda x: jnp.arctan2(x, x[::-1] + 1.0)),
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_an_op_with_another_name_in_jax(name):
    ours, theirs = OTHER_NAMES[name]
    x = numbers(4)
    first = gw.grad(lambda x: gw.reduce_sum(gw.square(ours(x)) * 0.5))
    wanted = jax.grad(lambda x: jnp.sum(jnp.square(theirs(x)) * 0.5))
    assert np.allclose(first(gw.constant(x)), wanted(x), rtol=1e-12, atol=1e-12)
    second = gw.grad(lambda x: gw.reduce_sum(first(x) ** 2))
    wanted_second = jax.grad(lambda x: jnp.sum(wanted(x) ** 2))
    assert np.allclose(second(gw.constant(x)), wanted_second(x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("strides", "padding"), [(1, "SAME"), (2, "SAME"), (1, "VALID"), (2, "VALID")])
def test_a_convolution(strides, padding):
    x, f = numbers(2, 5, 6, 3), numbers(3, 2, 3, 4)

    def theirs(x, f):
        return jnp.sum(
            jax.lax.conv_general_dilated(
                x, f, (strides, strides), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            ** 2
        )

    def ours(x, f):
        return gw.reduce_sum(gw.nn.conv2d(x, f, strides, padding) ** 2)

    for found, wanted in zip(gw.grad(ours, (0, 1))(*wide([x, f])), jax.grad(theirs, (0, 1))(x, f)):
        assert np.allclose(found, wanted, rtol=1e-11)


# The tape.


def test_variables_are_watched_as_they_are_read():
    w, b = gw.Variable(3.0), gw.Variable(1.0)
    fixed = gw.Variable(2.0, trainable=False)

    def loss(x):
        return (w * x + b) * fixed

    with gw.GradientTape() as tape:
        y = loss(4.0)
    assert [v.name for v in tape.watched_variables()] == [w.name, b.name]
    found = tape.gradient(y, [w, b, fixed])
    assert [found[0].numpy(), found[1].numpy(), found[2]] == [8.0, 2.0, None]

    @gw.function
    def staged(x):
        with gw.GradientTape() as tape:
            y = loss(x)
        return tape.gradient(y, {"w": w, "b": b})

    found = staged(gw.constant(4.0))
    assert (found["w"].numpy(), found["b"].numpy()) == (8.0, 2.0)
    whole = gw.function(loss)
    with gw.GradientTape() as tape:
        y = whole(gw.constant(4.0)) * w
    assert np.isclose(tape.gradient(y, w), 26.0 + 8.0 * 3.0)


def test_a_loop_that_trains():
    """One function: tape, derivatives and updates in a loop of the graph, as the same loop in NumPy."""
    xs = np.linspace(-1, 1, 16)
    ys = 3 * xs + 0.5
    w, b = gw.Variable(0.0, dtype=gw.float64), gw.Variable(0.0, dtype=gw.float64)

    @gw.function
    def train(xs, ys, most):
        losses = []
        for _ in gw.range(most):
            with gw.GradientTape() as tape:
                loss = gw.reduce_mean((w * xs + b - ys) ** 2)
            slope_w, slope_b = tape.gradient(loss, [w, b])
            w.assign_sub(0.3 * slope_w)
            b.assign_sub(0.3 * slope_b)
            losses.append(loss)
            if loss < 1e-3:
                break
        return losses

    losses = train(xs, ys, gw.constant(500))
    mine, w_, b_ = [], 0.0, 0.0
    for _ in range(500):
        error = w_ * xs + b_ - ys
        mine.append(np.mean(error**2))
        w_, b_ = w_ - 0.3 * np.mean(2 * error * xs), b_ - 0.3 * np.mean(2 * error)
        if mine[-1] < 1e-3:
            break
    assert np.allclose(losses, mine, rtol=1e-9)
    assert np.allclose([w.numpy(), b.numpy()], [w_, b_], rtol=1e-9)


@pytest.mark.parametrize("staged", [False, True])
def test_the_tape_as_tensorflow_documents_it(staged):
    def run(x):
        with gw.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * x
            late = gw.constant(2.0)
            w = y * late
        out = [
            tape.gradient(y, x),
            tape.gradient(z, y, unconnected_gradients="zero"),
            tape.gradient(w, late, unconnected_gradients="zero"),
            tape.gradient([y, w], x),
            tape.gradient(y, x, output_gradients=gw.constant(10.0)),
            tape.gradient(gw.stop_gradient(y) * x, x, unconnected_gradients="zero"),
        ]
        assert tape.gradient(y, late) is None
        return out

    found = (gw.function(run) if staged else run)(gw.constant(3.0))
    assert [f.numpy() for f in found] == [6.0, 0.0, 0.0, 18.0, 60.0, 0.0]


@pytest.mark.parametrize("staged", [False, True])
def test_tapes_in_tapes(staged):
    def run(x):
        with gw.GradientTape() as outer:
            outer.watch(x)
            with gw.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            slope = inner.gradient(y, x)
        return slope, outer.gradient(slope, x)

    found = (gw.function(run) if staged else run)(gw.constant(2.0))
    assert [f.numpy() for f in found] == [12.0, 12.0]


def power(n, x):
    if n == 0:
        return x * 0.0 + 1.0
    return x * power(n - 1, x)


@pytest.mark.parametrize("staged", [False, True])
def test_only_what_the_tape_has_seen_counts(staged):
    """What was made before the tape, or while it stood still, does not; a function that was kept before does."""

    def before(x):
        y = gw.reduce_sum(x)
        table = gw.tensor_scatter_nd_add(x, [[0]], x[1:2])
        if y > 0.0:
            chosen = x * 3.0
        else:
            chosen = x * 2.0
        with gw.GradientTape() as tape:
            tape.watch([x, y, table, chosen])
            z = y * y + x[0] + gw.reduce_sum(table * chosen)
        return tape.gradient(z, [x, y])

    def stopped(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                y = x * x
            tape.watch(y)
            z = gw.reduce_sum(y * y + x)
        return tape.gradient(z, [x, y])

    def kept(x):
        first = power(gw.constant(3) if staged else 3, x[0])
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = power(gw.constant(3) if staged else 3, x[0])
        return tape.gradient(y, x), first

    x = gw.constant([2.0, 1.0])
    wrap = gw.function if staged else lambda function: function
    assert [f.numpy().tolist() for f in wrap(before)(x)] == [[1.0, 0.0], 6.0]
    assert [f.numpy().tolist() for f in wrap(stopped)(x)] == [[1.0, 1.0], [8.0, 2.0]]
    assert wrap(kept)(x)[0].numpy().tolist() == [12.0, 0.0]


def test_what_is_used_up_or_misused():
    x = gw.constant(2.0)
    with gw.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 4.0
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tape.gradient(y, x)
    with gw.GradientTape() as tape, pytest.raises(ValueError, match="already recording"):
        tape.__enter__()
    with pytest.raises(TypeError, match="a source is a tensor or a variable, not a value of type `float`"):
        gw.GradientTape().gradient(y, 2.0)
    with pytest.raises(ValueError, match="'none' or 'zero', not 'one'"):
        gw.GradientTape().gradient(y, x, unconnected_gradients="one")
    with pytest.raises(RuntimeError, match="inside the tape's `with`"):
        gw.GradientTape().watch(x)
    with pytest.raises(TypeError, match="sum it, or ask for `gw.jacobian`"):
        gw.grad(lambda x: x)(gw.constant([1.0, 2.0]))


def test_integers_have_no_derivatives():
    n = gw.constant(3)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with gw.GradientTape(persistent=True) as tape:
            tape.watch(n)
            x = gw.constant(2.0)
            tape.watch(x)
            y = gw.cast(x, gw.int32) * n
    assert "a tape watches floats and complex numbers; this tensor is `int32`" in str(warned[0].message)
    assert tape.gradient(y, n) is None
    assert tape.gradient(y, x) is None
    assert tape.gradient(gw.cast(n, gw.float32) * 2.0, n) is None


@pytest.mark.parametrize("scatter", [gw.tensor_scatter_nd_min, gw.tensor_scatter_nd_max])
def test_scatters_that_compare(scatter):
    def total(x, value):
        return gw.reduce_sum(scatter(x, [[3], [0], [3], [5]], value) * gw.constant(weights, gw.float64))

    weights = numbers(6)
    x, value = wide([numbers(6), numbers(4)])
    found = gw.grad(total, (0, 1))(x, value)
    for at, source in enumerate((x, value)):
        for place in range(len(source)):
            step = 1e-6 * np.eye(len(source))[place]
            sides = [[x, value], [x, value]]
            sides[0][at], sides[1][at] = source + step, source - step
            slope = (total(*sides[0]) - total(*sides[1])) / 2e-6
            assert np.isclose(found[at][place], slope, rtol=1e-6, atol=1e-8)
    # Those that are equal share, as in TensorFlow.
    shared = gw.grad(lambda x, v: gw.reduce_sum(scatter(x, [[1], [1]], v)), (0, 1))
    to_x, to_value = shared(gw.constant([5.0, 4.0]), gw.constant([4.0, 4.0]))
    assert np.allclose(to_x, [1.0, 1 / 3]) and np.allclose(to_value, [1 / 3, 1 / 3])


def test_what_has_no_derivative_says_where():
    scaled = gw.Variable([1.0, 2.0])

    @gw.function
    def product(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            scaled.scatter_nd_mul([[0]], x[1:2] * 0.5)
            y = scaled * x[0]
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match=r"(?s)GW124: no derivative goes through a scatter.*scatter_nd_mul"):
        product(gw.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="GW124"):
        product(gw.constant([1.0, 2.0, 3.0]))


def test_structures_and_other_transformations():
    params = {"w": gw.constant([1.0, 2.0]), "b": (gw.constant(3.0),)}
    found = gw.grad(lambda p: gw.reduce_sum(p["w"] ** 2) * p["b"][0])(params)
    assert np.allclose(found["w"], [6.0, 12.0])
    assert found["b"][0].numpy() == 5.0
    value, (slope, other) = gw.value_and_grad(lambda x, y: (x * y, "aux"), (0, 1), has_aux=True)(2.0, 3.0)
    assert (value[1], slope.numpy(), other.numpy()) == ("aux", 3.0, 2.0)
    assert np.allclose(gw.jacobian(gw.sin)(gw.constant([1.0, 2.0])), np.diag(np.cos([1.0, 2.0])))
    assert np.allclose(gw.hessian(lambda x: gw.reduce_prod(x))(gw.constant([2.0, 3.0])), [[0, 1], [1, 0]])
    result, tangent = gw.jvp(lambda x, y: x * gw.sin(y), (2.0, 1.0), (1.0, 0.5))
    assert np.isclose(tangent, math.sin(1) + 2 * math.cos(1) * 0.5)
    result, back = gw.vjp(lambda x, y: (x * y, x), 2.0, 3.0)
    assert [f.numpy() for f in back((1.0, 10.0))] == [13.0, 2.0]


def test_jacobians():
    x = gw.constant(numbers(3, 2))
    with gw.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = gw.matmul(x * x, gw.constant(np.ones((2, 4))))
    assert tape.jacobian(y, x).shape == (3, 4, 3, 2)
    batch = tape.batch_jacobian(y, x)
    assert batch.shape == (3, 4, 2)
    assert np.allclose(batch, np.stack([2 * x.numpy()] * 4, 1))


def test_prints_are_not_repeated(capsys):
    @gw.function
    def loud(x):
        for _ in gw.range(2):
            gw.print("turn", x)
            x = x * x
        return x

    x = gw.constant(2.0)
    with gw.GradientTape() as tape:
        tape.watch(x)
        y = loud(x)
    assert tape.gradient(y, x).numpy() == 32.0
    assert capsys.readouterr().err == "turn 2\nturn 4\n"


@pytest.mark.parametrize("kept", [False, True])
def test_what_flows_back_to_tensors_that_a_function_closes_over(kept):
    x, weights = gw.constant(3.0), gw.constant([1.0, 2.0])
    z = x * 2.0
    call = gw.function(lambda a: gw.reduce_sum(weights) * a * x * z)
    if kept:
        call(x)
    with gw.GradientTape() as tape:
        tape.watch([x, z, weights])
        y = call(x)
    found = tape.gradient(y, [x, z, weights])
    assert [gradient.numpy().tolist() for gradient in found] == [108.0, 27.0, [54.0, 54.0]]


def in_turn(v, x):
    """Assigned straight on."""
    first = v * v
    v.assign(first * x)
    return v * 3.0 + first


def in_loops(v, x):
    total = x * 0.0
    for _ in gw.range(2):
        for _ in gw.range(2):
            total = total + v * x
            v.assign_add(v * 0.5)
        v.assign(v * x)
    return total


def in_branches(v, x):
    for turn in gw.range(3):
        if turn > 0:
            v.assign(v * v * x)
    return v * v


def until_large(v, x):
    while v < 50.0:
        v.assign(v * v * x)
    return v


def by_another_number(v, x):
    total = v * x
    v.assign(gw.constant(10.0, gw.float64))
    return total + v * 3.0


@pytest.mark.parametrize("program", [in_turn, in_loops, in_branches, until_large, by_another_number])
def test_what_is_assigned_to_variables_counts_as_in_differences(program):
    variable, x = gw.Variable(gw.constant(2.0, gw.float64)), gw.constant(1.5, gw.float64)
    graph = gw.function(lambda x: program(variable, x))

    def value(start):
        variable.assign(start)
        return float(graph(x))

    def slope(call):
        with gw.GradientTape() as tape:
            result = call(x)
        return tape.gradient(result, variable)

    wanted = (value(2.0 + 1e-6) - value(2.0 - 1e-6)) / 2e-6
    eagerly = lambda x: program(variable, x)  # noqa: E731
    for way in (slope, gw.function(slope)):
        for call in (eagerly, graph):
            variable.assign(2.0)
            assert float(way(call)) == pytest.approx(wanted, rel=1e-6)


def test_a_variable_that_is_read_first_where_a_loop_has_assigned_to_it_is_refused():
    variable = gw.Variable(2.0)

    @gw.function
    def slope(x):
        total = x
        with gw.GradientTape() as tape:
            for _ in gw.range(3):
                variable.assign(x * x)
                total = total + variable * x
        return tape.gradient(total, variable)

    with pytest.raises(ValueError, match="GW124.*after a loop or branch has assigned to it"):
        slope(gw.constant(1.0))


@pytest.mark.parametrize(
    ("function", "argument", "found"),
    [
        (lambda x: x * x, 3, "`int`, which has no derivative: compute with floats"),
        (lambda x: x * x, gw.constant(3), "`int32`, which has no derivative: compute with floats"),
        (lambda x: x * x, gw.constant([3.0]), r"a tensor of shape \(1,\): sum it"),
        (lambda x: None, 3.0, "a `NoneType`$"),
    ],
)
def test_results_that_are_no_floats_have_no_derivative(function, argument, found):
    with pytest.raises(TypeError, match=found):
        gw.grad(function)(argument)
