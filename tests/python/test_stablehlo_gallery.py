"""Programs of the gallery by three ways: our own code, StableHLO made of the same graph, and JAX's own program for the same thing.

All three run with the same weights and data, and agree within 1e-5.
"""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from graphwright.demo.collatz import longest_chain
from graphwright.demo.newton import sum_of_roots

jax = pytest.importorskip("jax", reason="the package `jax` is not installed")
jnp = jax.numpy
lax = jax.lax


def wide():
    """Arrays of 64 bits, in JAX too."""
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()


def program_of(function, *args):
    """What StableHLO makes of a function, and the function."""
    function = gw.function(function)
    return gw.stablehlo.Target().compile(function, *args), function


def close(*ways):
    for other in ways[1:]:
        for a, b in zip(ways[0], other, strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-5, atol=1e-5)


def jax_longest_chain(limit):
    def length(start):
        def step(state):
            n, steps = state
            return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

        return lax.while_loop(lambda state: state[0] != 1, step, (start, jnp.zeros_like(start)))[1]

    def better(start, state):
        best, longest = state
        steps = length(start)
        return jnp.where(steps > longest, start, best), jnp.maximum(steps, longest)

    zero = jnp.zeros_like(limit)
    return lax.fori_loop(jnp.ones_like(limit), limit, better, (zero, zero))


def test_collatz():
    limit = gw.constant(2_000, gw.int64)
    program, own = program_of(longest_chain, limit)
    with wide():
        theirs = jax.jit(jax_longest_chain)(jnp.int64(2_000))
    assert [int(n) for n in program(limit)] == [int(n) for n in own(limit)] == [int(n) for n in theirs]


def jax_sum_of_roots(numbers, tolerance):
    def root(x):
        far = lambda guess: abs(guess * guess - x) > tolerance * x
        return lax.while_loop(far, lambda guess: (guess + x / guess) / 2, x)

    return lax.scan(lambda total, x: (total + root(x), None), jnp.zeros_like(tolerance), numbers)[0]


def test_newton():
    numbers, tolerance = np.linspace(1.0, 1e6, 1_000), np.float64(1e-12)
    arguments = gw.constant(numbers), gw.constant(tolerance, gw.float64)
    program, own = program_of(sum_of_roots, *arguments)
    with wide():
        theirs = jax.jit(jax_sum_of_roots)(numbers, tolerance)
    close([own(*arguments)], [program(*arguments)], [theirs])
    np.testing.assert_allclose(program(*arguments), np.sqrt(numbers).sum(), rtol=1e-12)


def jax_loss(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))


def loss_of(logits, labels):
    return gw.reduce_mean(gw.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def trained(model):
    """A step of training: the loss, and its derivatives by the weights."""

    def step(data, labels):
        with gw.GradientTape() as tape:
            loss = loss_of(model(data), labels)
        return [loss, *tape.gradient(loss, model.trainable_variables)]

    return step


def descends(model, rate=0.1):
    """The same step with what follows from it: new weights."""

    def step(data, labels):
        loss, *gradients = trained(model)(data, labels)
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
            variable.assign_sub(rate * gradient)
        return loss

    return step


def check_network(model, data, labels, forward):
    """Logits, loss and derivatives, and the weights after three steps; `forward` is JAX's, from weights and data."""
    model(data)
    weights = [variable.numpy() for variable in model.trainable_variables]
    program, own = program_of(model, gw.constant(data))
    close([own(data)], [program(data)], [jax.jit(forward)(weights, data)])

    program, own = program_of(trained(model), data, labels)
    loss, gradients = jax.jit(jax.value_and_grad(lambda w: jax_loss(forward(w, data), labels)))(weights)
    close(own(data, labels), program(data, labels), [loss, *gradients])

    ways = []
    program, own = program_of(descends(model), data, labels)
    for run in (own, program):
        model.set_weights(weights)
        ways.append([[run(data, labels) for _ in range(3)][-1], *model.get_weights()])
    close(*ways)


def jax_perceptron(weights, images):
    kernel, bias, out_kernel, out_bias = weights
    return jax.nn.relu(images.reshape(-1, 64) @ kernel + bias) @ out_kernel + out_bias


def test_mlp():
    pytest.importorskip("sklearn", reason="the package `scikit-learn` is not installed")
    from sklearn.datasets import load_digits

    from graphwright.demo.mlp import Perceptron

    images, labels = load_digits(return_X_y=True)
    images = (images[:64] / 16.0).astype(np.float32).reshape(-1, 8, 8, 1)
    gw.random.set_seed(1)
    check_network(Perceptron(), images, labels[:64].astype(np.int32), jax_perceptron)


def jax_reader(weights, text):
    embeddings, kernel, recurrent, bias, out_kernel, out_bias = weights
    units = recurrent.shape[0]

    def step(state, x):
        hidden, cell = state
        i, f, c, o = jnp.split(x @ kernel + hidden @ recurrent + bias, 4, axis=-1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(c)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    letters = embeddings[text].swapaxes(0, 1)
    zero = jnp.zeros((text.shape[0], units), embeddings.dtype)
    hidden = lax.scan(step, (zero, zero), letters)[1].swapaxes(0, 1)
    return hidden @ out_kernel + out_bias


def test_lstm():
    """The way back keeps rows of each turn, so its loops are written turn by turn, and compiled slowly: a short piece will do."""
    from graphwright.demo.lstm import LENGTH, LETTERS, TEXT, Reader

    numbers = np.array([LETTERS.index(letter) for letter in TEXT[: 8 * (LENGTH + 1)]], np.int32)
    pieces = numbers.reshape(8, LENGTH + 1)
    gw.random.set_seed(1)
    model = Reader(16)
    check_network(model, pieces[:, :4].copy(), pieces[:, 1:5].copy(), jax_reader)

    program, own = program_of(model, pieces)
    weights = [variable.numpy() for variable in model.trainable_variables]
    close([own(pieces)], [program(pieces)], [jax.jit(jax_reader)(weights, pieces)])
    assert program.text.count("stablehlo.while") == 1
