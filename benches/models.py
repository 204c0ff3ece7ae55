"""Group E, models that go step by step: plain loops over an array's rows; JAX has `lax.scan` for them."""

from __future__ import annotations

from typing import Any

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


UNIT = np.eye(2)


def kalman_step(transposed: Any) -> Function:
    """A step of a Kalman filter of four numbers, two of which are measured, with a package's function."""

    def step(z, f, q, h, r, x, p):
        x = f @ x
        p = f @ p @ transposed(f) + q
        s = h @ p @ transposed(h) + r
        determinant = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
        inverse = ((s[0, 0] + s[1, 1]) * UNIT - s) / determinant
        gain = p @ transposed(h) @ inverse
        return x + gain @ (z - h @ x), p - gain @ h @ p

    return step


def kalmans(step: Function) -> Function:
    """One step for each of the measurements."""

    def kalman(zs, f, q, h, r, x, p):
        for z in zs:
            x, p = step(z, f, q, h, r, x, p)
        return x

    return kalman


def tf_kalman() -> Function:
    """The same text with TensorFlow's function."""
    import tensorflow as tf

    return kalmans(kalman_step(tf.transpose))


def jax_kalman() -> Function:
    """With `lax.scan`."""
    from jax import lax
    from jax.numpy import transpose

    step = kalman_step(transpose)

    def run(zs, f, q, h, r, x, p):
        return lax.scan(lambda state, z: (step(z, f, q, h, r, *state), None), (x, p), zs)[0][0]

    return run


def numba_kalman() -> Function:
    """The same text; Numba compiles the step too."""
    import numba

    return kalmans(numba.njit(kalman_step(np.transpose)))


def beams(top: Any, gather: Any, log_softmax: Any) -> Function:
    """The best sentences of a table of what follows what, some at a time, from a package's functions."""

    def search(table, steps, scores, words):
        size = table.shape[1]
        for t in range(1, words.shape[1]):
            logits = gather(table, words[:, t - 1]) * steps[t]
            totals = scores[:, None] + log_softmax(logits)
            scores, places = top(np.reshape(totals, (-1,)), words.shape[0])
            words = gather(words, places // size)
            words[:, t] = places % size
        return scores, words

    return search


def our_beams() -> Function:
    """Ours."""
    import graphwright as gw

    def log_softmax(x):
        x = x - gw.reduce_max(x, 1, keepdims=True)
        return x - gw.math.log(gw.reduce_sum(gw.exp(x), 1, keepdims=True))

    return beams(gw.math.top_k, gw.gather, log_softmax)


def numpy_log_softmax(x):
    """The logarithm of each row's shares."""
    x = x - np.max(x, axis=1).reshape(-1, 1)
    return x - np.log(np.sum(np.exp(x), axis=1)).reshape(-1, 1)


def numpy_top(x, count):
    """The greatest and where they are; of equal ones the first comes first."""
    places = np.argsort(-x, kind="mergesort")[:count]
    return x[places], places.astype(np.int32)


def numpy_beams() -> Function:
    """NumPy's."""
    return beams(numpy_top, lambda x, places: x[places], numpy_log_softmax)


def numba_beams() -> Function:
    """Loops over what Numba's NumPy has no functions for."""
    import numba

    @numba.njit
    def log_softmax(x):
        made = np.empty_like(x)
        for i in range(x.shape[0]):
            row = x[i] - np.max(x[i])
            made[i] = row - np.log(np.sum(np.exp(row)))
        return made

    @numba.njit
    def top(x, count):
        values, places = np.full(count, -np.inf, x.dtype), np.zeros(count, np.int32)
        for i in range(x.size):
            at = count
            while at > 0 and x[i] > values[at - 1]:
                at -= 1
            if at < count:
                values[at + 1 :] = values[at:-1].copy()
                places[at + 1 :] = places[at:-1].copy()
                values[at], places[at] = x[i], i
        return values, places

    return beams(top, numba.njit(lambda x, places: x[places]), log_softmax)


def tf_beams() -> Function:
    """With TensorFlow's functions, and words put in their column by a mask."""
    import tensorflow as tf

    def search(table, steps, scores, words):
        size = table.shape[1]
        for t in tf.range(1, words.shape[1]):
            logits = tf.gather(table, words[:, t - 1]) * steps[t]
            totals = scores[:, None] + tf.nn.log_softmax(logits)
            scores, places = tf.math.top_k(tf.reshape(totals, [-1]), words.shape[0])
            column = tf.range(words.shape[1]) == t
            words = tf.where(column, (places % size)[:, None], tf.gather(words, places // size))
        return scores, words

    return search


def jax_beams() -> Function:
    """With `lax.fori_loop`."""
    import jax
    from jax import lax

    def search(table, steps, scores, words):
        def step(t, state):
            scores, words = state
            logits = table[words[:, t - 1]] * steps[t]
            totals = scores[:, None] + jax.nn.log_softmax(logits)
            scores, places = lax.top_k(totals.reshape(-1), words.shape[0])
            return scores, words[places // table.shape[1]].at[:, t].set(places % table.shape[1])

        return lax.fori_loop(1, words.shape[1], step, (scores, words))

    return search


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


def of_kalman(count: int) -> workload.Names:
    """A point that moves on a plane and is seen now and then."""
    f, h = np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(2, 4)
    moved = f, 0.01 * np.eye(4), h, 0.25 * np.eye(2), np.zeros((4, 1)), np.eye(4)
    seen = RANDOM.standard_normal((count, 2, 1)).cumsum(0)
    instead = {"tensorflow": tf_kalman, "jax": jax_kalman, "numba": numba_kalman}
    return of_function(kalmans(kalman_step(np.transpose)), seen, *moved, **instead)


def of_beams(width: int, size: int, count: int) -> workload.Names:
    """So many sentences at a time, with so many words to choose from."""
    scores = np.where(np.arange(width) == 0, 0, -1e9).astype(np.float32)
    words = np.zeros((width, count), np.int32)
    table, steps = 10 * normal(size, size), 1 + RANDOM.random(count).astype(np.float32)
    instead = {"graphwright": our_beams, "tensorflow": tf_beams, "jax": jax_beams, "numba": numba_beams}
    return of_function(numpy_beams(), table, steps, scores, words, **instead)


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
    Workload("Kalman filter 4×4, 1,000 steps", "the best", "f(*args)", of_kalman(1000)),
    Workload("beam search, 4 of 64, 50 steps", "the best", "f(*args)", of_beams(4, 64, 50)),
]


def table() -> Table:
    """Every model with every peer."""
    return workload.table("Group E, models step by step", WORKLOADS, rounds=7)
