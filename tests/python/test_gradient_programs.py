"""Derivatives of programs with control flow, the first and the second, against finite differences and JAX."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fuzz import gradients

import graphwright as gw
from derivatives import in_double_precision, numbers, wide

pytestmark = pytest.mark.usefixtures(in_double_precision.__name__)


def slopes(call, args, step=1e-6):
    """Finite differences of a function of arrays and floats that gives one number."""
    found = []
    for at, arg in enumerate(args):
        arg = np.asarray(arg, np.float64)
        slope = np.zeros_like(arg)
        for index in np.ndindex(arg.shape):
            ends = []
            for sign in (1, -1):
                moved = arg.copy()
                moved[index] += sign * step
                ends.append(float(call(*args[:at], moved, *args[at + 1 :])))
            slope[index] = (ends[0] - ends[1]) / (2 * step)
        found.append(slope)
    return found


def check(call, *args, tolerance=1e-6):
    """Staged derivatives, first and second, against finite differences of the function run by Python."""
    native = slopes(lambda *moved: call(*(gw.constant(m, gw.float64) for m in moved)), args)
    positions = tuple(range(len(args)))
    value, found = gw.value_and_grad(call, positions)(*wide(args))
    assert np.allclose(value, call(*wide(args)), rtol=1e-12)
    for ours, theirs in zip(found, native):
        assert ours.shape == theirs.shape
        assert np.allclose(ours, theirs, rtol=tolerance, atol=tolerance)

    def steepness(*args):
        return sum(gw.reduce_sum(one * one) for one in gw.grad(call, positions)(*args))

    second = gw.grad(steepness, positions)(*wide(args))
    for ours, theirs in zip(second, slopes(lambda *moved: steepness(*wide(moved)), args, 1e-5)):
        assert np.allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def turns(count):
    """Numbers up to this one: a loop of Python's, and in a graph one of the graph's."""
    return range(count if gw.executing_eagerly() else gw.constant(count, gw.int64))


def branches(x):
    if x > 1.0:
        return x * x
    elif x > 0.5:
        return gw.sin(x)
    return x * 3.0


def collatz_like(x):
    steps = 0
    while x > 1.0 and steps < 20:
        x = x / 2.0 if steps % 2 == 0 else x * x * 0.9
        steps += 1
    return x * steps


def stops(x):
    total = x * 0.0
    for i in turns(10):
        if total > 3.0:
            break
        if i == 2:
            continue
        total = total * x + gw.cos(x)
    else:
        total = total * 2.0
    return total


def collects(x):
    values = []
    for i in turns(4):
        values.append(x)
        x = gw.sin(x) * (i + 1.0)
    total = x * 0.0
    for value in values:
        total = total * value + value
    return total


def stores(x):
    table = gw.zeros(5, gw.float64)
    for i in turns(5):
        table[i] = x * (i + 1.0)
        if i > 0:
            table[i] = table[i] * table[i - 1]
    return gw.reduce_sum(table)


def nested(x):
    total = 0.0
    for i in turns(3):
        y = x
        while y < 5.0:
            y = y * (x + 1.0)
        total += y * y
    return total


def fibonacci(x, n):
    if n < 2:
        return x
    return fibonacci(x, n - 1) * 0.5 + fibonacci(x, n - 2) * x


def recursive(x):
    return fibonacci(x, 6 if gw.executing_eagerly() else gw.constant(6))


def divided(x):
    try:
        y = x / 3.0
    finally:
        y = y * x
    return y


PROGRAMS = [branches, collatz_like, stops, collects, stores, nested, recursive, divided]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [0.4, 0.8, 1.7])
def test_a_program_with_control_flow(program, x):
    check(program, x)


def test_a_loop_over_tensors():
    def scan(xs, weight):
        state = gw.zeros(3, gw.float64)
        for x in xs:
            state = gw.tanh(state * weight + x)
        return gw.reduce_sum(state)

    check(scan, numbers(4, 3), numbers(3))


def test_a_recurrent_network_as_jax_has_it():
    def ours(xs, w, u):
        h = gw.zeros((2, 4), gw.float64)
        for x in xs:
            h = gw.tanh(gw.matmul(x, w) + gw.matmul(h, u))
        return gw.reduce_sum(h * h)

    def theirs(xs, w, u):
        def step(h, x):
            return jnp.tanh(x @ w + h @ u), None

        h, _ = jax.lax.scan(step, jnp.zeros((2, 4)), xs)
        return jnp.sum(h * h)

    args = [numbers(6, 2, 3), numbers(3, 4) - 1.0, numbers(4, 4) - 1.0]
    for found, wanted in zip(gw.grad(ours, (0, 1, 2))(*wide(args)), jax.grad(theirs, (0, 1, 2))(*args)):
        assert np.allclose(found, wanted, rtol=1e-11)


def test_newton_has_the_exact_derivative():
    def root(a):
        x = a
        while abs(x * x - a) > 1e-12:
            x = 0.5 * (x + a / x)
        return x

    for a in (0.5, 2.0, 10.0):
        found = gw.grad(root)(gw.constant(a, gw.float64))
        assert np.isclose(found, 0.5 / math.sqrt(a), rtol=1e-9)
    third = gw.grad(gw.grad(gw.grad(root)))(gw.constant(2.0, gw.float64))
    assert np.isclose(third, 3 / 8 * 2.0**-2.5, rtol=1e-5)


def test_any_number_of_rows():
    @gw.function(input_signature=[gw.TensorSpec([None, 2], gw.float64), gw.TensorSpec([2], gw.float64)])
    def slope(x, w):
        with gw.GradientTape() as tape:
            tape.watch((x, w))
            total = gw.reduce_mean(gw.sin(x * w) ** 2)
        return tape.gradient(total, (x, w))

    for rows in (1, 3):
        x, w = numbers(rows, 2), numbers(2)
        wanted = jax.grad(lambda x, w: jnp.mean(jnp.sin(x * w) ** 2), (0, 1))(x, w)
        for found, expected in zip(slope(x, w), wanted):
            assert np.allclose(found, expected, rtol=1e-12)


def repeated(x, kind):
    """A loop of as many turns as `x` says, of which segments are kept or every turn."""
    y, turns = x, 0
    while y < 30.0:
        gw.autograph.experimental.set_loop_options(checkpoint=kind)
        y = y + gw.sin(y) * x + 1.1
        turns += 1
    return y * turns


@pytest.mark.parametrize("x", [0.02, 0.1, 0.5, 40.0])
def test_segments_of_a_loop_have_the_same_derivative(x):
    x = gw.constant(x, gw.float64)
    values = [gw.value_and_grad(lambda x, k=kind: repeated(x, k))(x) for kind in (None, "all", "sqrt", "log")]
    assert values[0] == values[1]
    assert np.allclose(values[2:], values[:1], rtol=1e-12)
    second = [gw.grad(gw.grad(lambda x, k=kind: repeated(x, k)))(x) for kind in ("all", "sqrt", "log")]
    assert np.allclose(second[1:], second[:1], rtol=1e-10)
    with pytest.raises(ValueError, match='`checkpoint` is "all", "sqrt" or "log", not "none"'):
        gw.grad(lambda x: repeated(x, "none"))(x)


@pytest.mark.parametrize("turns", [0, 1, 255, 256, 257])
def test_weights_that_all_turns_share(turns):
    """What flows back to them is multiplied in blocks of turns; the derivative of that, too."""
    xs, first, weights, way = numbers(turns, 2, 3), numbers(2, 3), 0.3 * numbers(3, 3), numbers(3, 3)

    def of(library, product, h, w):
        if library is jnp:
            return jax.lax.scan(lambda h, x: (product(x, h, w), None), h, xs)[0]
        for x in gw.constant(xs):
            h = product(x, h, w)
        return h

    def slope(library, total):
        def product(x, h, w):
            inner = library.matmul(library.tanh(library.matmul(h, w) + x), library.transpose(w))
            return library.sin(inner)

        return lambda w: total(of(library, product, library.sin(first), w) * way[:2])

    by_jax = jax.grad(slope(jnp, jnp.sum))
    ours = gw.grad(gw.autograph.to_graph(slope(gw, gw.reduce_sum)))
    (weights,) = wide([weights])
    assert np.allclose(ours(weights), by_jax(weights.numpy()), rtol=1e-9)
    second = gw.grad(lambda w: gw.reduce_sum(ours(w) * way))
    wanted = jax.grad(lambda w: jnp.sum(by_jax(w) * way))(weights.numpy())
    assert np.allclose(second(weights), wanted, rtol=1e-8, atol=1e-12)
    assert np.allclose(gw.function(second)(weights), wanted, rtol=1e-8, atol=1e-12)


def test_random_programs():
    """Some of those of `python -m fuzz.gradients`."""
    made, _ = gradients.run(seed=5, most=8)
    assert made >= 8


def behind_a_branch(variable, n):
    total = variable * 0.0
    for i in gw.range(n):
        x = gw.zeros([], gw.int32)
        if i < 2:
            x = i
        with gw.GradientTape() as tape:
            y = variable * variable * gw.cast(x + 1, gw.float32)
        total += tape.gradient(y, variable)
    return total


def in_a_branch_behind_a_branch(variable, n):
    total, i = variable * 0.0, gw.constant(0)
    while i < n:
        i += 1
        x = gw.zeros([], gw.int32)
        if i < n:
            x = i
        if i < n:
            with gw.GradientTape() as tape:
                y = variable * variable * gw.cast(x, gw.float32)
            total += tape.gradient(y, variable)
    return total


def around_a_branch_that_hands_it_on(variable, n):
    with gw.GradientTape() as tape:
        y = variable * variable
        if n > 2:
            y = y * 3.0
        y = y * variable
    return tape.gradient(y, variable)


@pytest.mark.parametrize("value", [1.5, [1.5, -2.0], [[1.0], [3.0]]])
@pytest.mark.parametrize(
    "program", [behind_a_branch, in_a_branch_behind_a_branch, around_a_branch_that_hands_it_on]
)
def test_variables_that_branches_hand_on_before_they_are_read(program, value):
    variable = gw.Variable(np.array(value, "float32"))
    for n in (1, 2, 4):
        eagerly = program(variable, gw.constant(n))
        staged = gw.function(lambda n: program(variable, n))(gw.constant(n))
        np.testing.assert_array_equal(staged.numpy(), eagerly.numpy())
