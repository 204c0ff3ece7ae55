"""Ways of writing networks and products: an LSTM and its derivatives, small products, long expressions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import graphwright as gw
from benches.gradients import ours, with_jax, with_tensorflow
from benches.models import jax_lstm, lstm, normal, tf_lstm
from benches.peers import Function
from benches.ways.way import Way


def sigmoid(x):
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def lstm_while(xs, h, c, w, u, b):
    """Rows by `while`, gates by `split`."""
    t = 0
    while t < xs.shape[0]:
        i, f, o, g = gw.split(xs[t] @ w + h @ u + b, 4, axis=1)
        c = gw.sigmoid(f) * c + gw.sigmoid(i) * gw.tanh(g)
        h = gw.sigmoid(o) * gw.tanh(c)
        t += 1
    return h


class Cell:
    """A cell with its weights and its state."""

    def __init__(self, w, u, b, h, c):
        self.w, self.u, self.b, self.h, self.c = w, u, b, h, c

    def step(self, x):
        """One step."""
        size = self.h.shape[1]
        gates = x @ self.w + self.h @ self.u + self.b
        i, f, o, g = (gates[:, k * size : (k + 1) * size] for k in range(4))
        self.c = sigmoid(f) * self.c + sigmoid(i) * np.tanh(g)
        self.h = sigmoid(o) * np.tanh(self.c)


def lstm_object(xs, h, c, w, u, b):
    """An object that is stepped."""
    cell = Cell(w, u, b, h, c)
    for x in xs:
        cell.step(x)
    return cell.h


def lstm_gates(xs, h, c, w, u, b):
    """A product for each gate."""
    size = h.shape[1]
    for x in xs:
        i, f, o, g = (
            x @ w[:, k * size : (k + 1) * size]
            + h @ u[:, k * size : (k + 1) * size]
            + b[k * size : (k + 1) * size]
            for k in range(4)
        )
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


LSTMS = {
    "`for`, slices": lstm,
    "`while`, `split`": lstm_while,
    "an object": lstm_object,
    "a product a gate": lstm_gates,
}


def of_lstms(row: str, inputs: int, hidden: int, batch: int, derived: bool) -> list[Way]:
    """The ways of an LSTM of 200 steps, or of its derivative by the weights."""
    states = normal(batch, hidden), normal(batch, hidden)
    weights = normal(inputs, 4 * hidden), normal(hidden, 4 * hidden), normal(4 * hidden)
    given = normal(200, batch, inputs), *states, *weights
    made = []
    for name, program in LSTMS.items():
        texts = {"jax": jax_lstm, "tensorflow": tf_lstm}
        way = Way(row, name, program, given, texts, ("numba",), tolerance=1e-3)
        if derived:
            instead = {
                "graphwright": lambda program=program: ours()(program, (3, 4, 5)),
                "jax": lambda: with_jax()(jax_lstm(), (3, 4, 5)),
                "tensorflow": lambda: with_tensorflow()(tf_lstm(), (3, 4, 5)),
            }
            way = replace(way, instead=instead, without=("numba", "numpy"))
        made.append(way)
    return made


def batches(xs, w, b):
    """A small product for each batch."""
    total = np.zeros((32, 4))
    for x in xs:
        total = total + np.maximum(x @ w + b, 0.0)
    return total


def batches_dataset(xs, w, b):
    """The same over a dataset."""
    total = gw.zeros([32, 4], gw.float64)
    for x in gw.data.Dataset.from_tensor_slices(xs):
        total = total + gw.maximum(x @ w + b, 0.0)
    return total


def batches_scalars(xs, w, b):
    """The same by loops over numbers."""
    total = np.zeros((32, 4))
    for t in range(xs.shape[0]):
        for i in range(32):
            for j in range(4):
                s = b[j]
                for k in range(8):
                    s += xs[t, i, k] * w[k, j]
                total[i, j] += max(s, 0.0)
    return total


def batches_at_once(xs, w, b):
    """The same by one product of three dimensions."""
    return np.sum(np.maximum(xs @ w + b, 0.0), axis=0)


def jax_batches() -> Function:
    """With `lax.scan`."""
    import jax.numpy as jnp
    from jax import lax

    def run(xs: Any, w: Any, b: Any) -> Any:
        def step(total: Any, x: Any) -> Any:
            return total + jnp.maximum(x @ w + b, 0.0), None

        return lax.scan(step, jnp.zeros((32, 4)), xs)[0]

    return run


def tf_batches() -> Function:
    """A `for` over rows, which AutoGraph converts."""
    import tensorflow as tf

    def run(xs: Any, w: Any, b: Any) -> Any:
        total = tf.zeros((32, 4), tf.float64)
        for x in xs:
            total = total + tf.maximum(x @ w + b, 0.0)
        return total

    return run


def numba_batches() -> Function:
    """Loops over numbers."""
    return batches_scalars


def numpy_batches() -> Function:
    """At once."""
    return batches_at_once


def thirty(x):
    """Thirty operations in a `for` whose turns are known."""
    y = x
    for k in range(15):
        y = y * x + (0.1 * k)
    return y


def thirty_while(x):
    """The same in a `while` of the graph."""
    y = x
    k = 0
    while k < 15:
        y = y * x + (0.1 * k)
        k += 1
    return y


def horner(x, y, k):
    """The rest of the polynomial."""
    return y if k == 15 else horner(x, y * x + (0.1 * k), k + 1)


def thirty_recursive(x):
    """The same by recursion."""
    return horner(x, x, 0)


def thirty_scalars(x):
    """The same number by number."""
    made = np.zeros_like(x)
    for i in range(x.shape[0]):
        y = x[i]
        for k in range(15):
            y = y * x[i] + np.float32(0.1 * k)
        made[i] = y
    return made


def numba_thirty() -> Function:
    """Number by number."""
    return thirty_scalars


MANY = np.linspace(-1.0, 1.0, 262_144, dtype=np.float32)
BATCHES = normal(2000, 32, 8).astype(np.float64), normal(8, 4).astype(np.float64), np.linspace(-0.1, 0.1, 4)
PRODUCTS = {"jax": jax_batches, "numba": numba_batches, "numpy": numpy_batches, "tensorflow": tf_batches}
CHAIN = {"numba": numba_thirty, **dict.fromkeys(("jax", "numpy", "tensorflow"), lambda: thirty)}

WAYS = [
    *of_lstms("LSTM 128 × 16, derivative", 16, 128, 16, derived=True),
    *of_lstms("LSTM 32 × 1, derivative", 16, 32, 1, derived=True),
    *of_lstms("LSTM 128 × 16, 128 inputs", 128, 128, 16, derived=False),
    Way("batches of 32 × 8 by 8 × 4", "`for` over rows", batches, BATCHES, PRODUCTS),
    Way("batches of 32 × 8 by 8 × 4", "a dataset", batches_dataset, BATCHES, PRODUCTS),
    Way("batches of 32 × 8 by 8 × 4", "scalars", batches_scalars, BATCHES, PRODUCTS),
    Way("batches of 32 × 8 by 8 × 4", "at once", batches_at_once, BATCHES, PRODUCTS),
    Way("30 operations, 1 MB", "`for`", thirty, (MANY,), CHAIN),
    Way("30 operations, 1 MB", "`while`", thirty_while, (MANY,), CHAIN),
    Way("30 operations, 1 MB", "recursion", thirty_recursive, (MANY,), CHAIN),
    Way("30 operations, 1 MB", "scalars", thirty_scalars, (MANY,), CHAIN),
]
