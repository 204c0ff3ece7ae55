"""Group E, models that go step by step: plain loops over an array's rows; JAX has `lax.scan` for them."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from benches import workload
from benches.peers import Function
from benches.workload import Workload, of_function

RANDOM = np.random.default_rng(7)


def normal(*shape: int) -> np.ndarray:
    """Normal numbers in single precision; weights so small that a network forgets."""
    return (RANDOM.standard_normal(shape) / (2 * np.sqrt(shape[0]))).astype(np.float32)


def rnn(xs, h, w, u, b):
    """A plain recurrent network over the rows of `xs`."""
    for x in xs:
        h = np.tanh(x @ w + h @ u + b)
    return h


def lstm(xs, h, c, w, u, b):
    """An LSTM over the rows of `xs`: the four gates are one product."""
    size = h.shape[1]
    for x in xs:
        gates = x @ w + h @ u + b
        i = 1 / (1 + np.exp(-gates[:, :size]))
        f = 1 / (1 + np.exp(-gates[:, size : 2 * size]))
        o = 1 / (1 + np.exp(-gates[:, 2 * size : 3 * size]))
        c = f * c + i * np.tanh(gates[:, 3 * size :])
        h = o * np.tanh(c)
    return h


def lorenz(n, x, y, z):
    """Lorenz's equations by Runge and Kutta's fourth order, three numbers carried."""
    i = n - n
    h = 0.0005
    while i < n:
        ax, ay, az = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.5 * z
        p, q, r = x + 0.5 * h * ax, y + 0.5 * h * ay, z + 0.5 * h * az
        bx, by, bz = 10.0 * (q - p), p * (28.0 - r) - q, p * q - 2.5 * r
        p, q, r = x + 0.5 * h * bx, y + 0.5 * h * by, z + 0.5 * h * bz
        cx, cy, cz = 10.0 * (q - p), p * (28.0 - r) - q, p * q - 2.5 * r
        p, q, r = x + h * cx, y + h * cy, z + h * cz
        dx, dy, dz = 10.0 * (q - p), p * (28.0 - r) - q, p * q - 2.5 * r
        x = x + h / 6 * (ax + 2 * bx + 2 * cx + dx)
        y = y + h / 6 * (ay + 2 * by + 2 * cy + dy)
        z = z + h / 6 * (az + 2 * bz + 2 * cz + dz)
        i += 1
    return x + y + z


def tf_rnn() -> Function:
    """The same text with TensorFlow's functions."""
    import tensorflow as tf

    def run(xs, h, w, u, b):
        for x in xs:
            h = tf.tanh(x @ w + h @ u + b)
        return h

    return run


def tf_lstm() -> Function:
    """The same text with TensorFlow's functions."""
    import tensorflow as tf

    def run(xs, h, c, w, u, b):
        for x in xs:
            i, f, o, g = tf.split(x @ w + h @ u + b, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return h

    return run


def jax_rnn() -> Function:
    """With `lax.scan`."""
    import jax.numpy as jnp
    from jax import lax

    def run(xs, h, w, u, b):
        return lax.scan(lambda h, x: (jnp.tanh(x @ w + h @ u + b), None), h, xs)[0]

    return run


def jax_lstm() -> Function:
    """With `lax.scan`."""
    import jax.numpy as jnp
    from jax import lax, nn

    def run(xs, h, c, w, u, b):
        def step(state, x):
            h, c = state
            i, f, o, g = jnp.split(x @ w + h @ u + b, 4, axis=1)
            c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
            return (nn.sigmoid(o) * jnp.tanh(c), c), None

        return lax.scan(step, (h, c), xs)[0][0]

    return run


def jax_lorenz() -> Function:
    """With `lax.fori_loop`."""
    from jax import lax

    def slope(x, y, z):
        return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.5 * z

    def moved(point, by, h):
        return tuple(a + h * b for a, b in zip(point, by, strict=True))

    def step(_, point):
        h = 0.0005
        a = slope(*point)
        b = slope(*moved(point, a, 0.5 * h))
        c = slope(*moved(point, b, 0.5 * h))
        d = slope(*moved(point, c, h))
        return tuple(
            p + h / 6 * (s + 2 * t + 2 * u + v) for p, s, t, u, v in zip(point, a, b, c, d, strict=True)
        )

    return lambda n, x, y, z: sum(lax.fori_loop(0, n, step, (x, y, z)))


def of_rnn(hidden: int, batch: int) -> workload.Names:
    """200 steps of a network that reads 16 numbers."""
    arrays = normal(200, batch, 16), normal(batch, hidden), normal(16, hidden), normal(hidden, hidden)
    return of_function(rnn, *arrays, normal(hidden), tensorflow=tf_rnn, jax=jax_rnn)


def of_lstm(hidden: int, batch: int) -> workload.Names:
    """200 steps of a network that reads 16 numbers."""
    states = normal(batch, hidden), normal(batch, hidden)
    weights = normal(16, 4 * hidden), normal(hidden, 4 * hidden), normal(4 * hidden)
    return of_function(lstm, normal(200, batch, 16), *states, *weights, tensorflow=tf_lstm, jax=jax_lstm)


POINT = (np.array(10_000, np.int64), np.array(1.0), np.array(1.5), np.array(2.0))

WORKLOADS = [
    Workload("RNN, 32 hidden", "the best", "f(*args)", of_rnn(32, 1)),
    Workload("RNN, 128 hidden, 16 at once", "the best", "f(*args)", of_rnn(128, 16)),
    Workload("LSTM, 32 hidden", "the best", "f(*args)", of_lstm(32, 1)),
    Workload("LSTM, 128 hidden, 16 at once", "the best", "f(*args)", of_lstm(128, 16)),
    Workload(
        "Lorenz, 10,000 steps",
        "the best",
        "f(*args)",
        of_function(lorenz, *POINT, jax=jax_lorenz),
    ),
]


def table() -> Table:
    """Every model with every peer."""
    return workload.table("Group E, models step by step", WORKLOADS, rounds=7)
