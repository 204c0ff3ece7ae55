"""Ways of writing loops over points: Mandelbrot's set and Lorenz's equations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import graphwright as gw
from benches.models import jax_lorenz, lorenz
from benches.peers import Function
from benches.ways.way import Way

LIMIT = 50
X, Y = (part.copy() for part in np.meshgrid(np.linspace(-2.0, 0.5, 100), np.linspace(-1.2, 1.2, 100)))


def masked(cx, cy):
    """Four arrays carried, a mask, and a test of whether any point is left."""
    x, y = cx * 0.0, cy * 0.0
    alive = cx == cx
    counts = np.where(alive, 0, 0)
    turn = 0
    while turn < LIMIT and np.any(alive):
        x, y = np.where(alive, x * x - y * y + cx, x), np.where(alive, 2.0 * x * y + cy, y)
        alive = x * x + y * y <= 4.0
        counts = counts + np.where(alive, 1, 0)
        turn += 1
    return counts


def counted(cx, cy):
    """A fixed number of turns, and points that go on for ever."""
    x, y = cx * 0.0, cy * 0.0
    counts = np.where(cx == cx, 0, 0)
    for _ in range(LIMIT):
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        counts = counts + np.where(x * x + y * y <= 4.0, 1, 0)
    return counts


def alone(cx, cy):
    """One point after the other, with `break`."""
    counts = np.zeros(cx.shape, np.int64)
    for i in range(cx.shape[0]):
        for j in range(cx.shape[1]):
            x, y, turn = 0.0, 0.0, 0
            while turn < LIMIT:
                x, y = x * x - y * y + cx[i, j], 2.0 * x * y + cy[i, j]
                if x * x + y * y > 4.0:
                    break
                turn += 1
            counts[i, j] = turn
    return counts


class Point(NamedTuple):
    """A point that moves."""

    x: Any
    y: Any

    def moved(self, by):
        """The next point."""
        return Point(self.x * self.x - self.y * self.y + by.x, 2.0 * self.x * self.y + by.y)

    def size(self):
        """The square of the distance to zero."""
        return self.x * self.x + self.y * self.y


def objects(cx, cy):
    """One named tuple after the other."""
    counts = np.zeros(cx.shape, np.int64)
    for i in range(cx.shape[0]):
        for j in range(cx.shape[1]):
            point, given, turn = Point(0.0, 0.0), Point(cx[i, j], cy[i, j]), 0
            while turn < LIMIT:
                point = point.moved(given)
                if point.size() > 4.0:
                    break
                turn += 1
            counts[i, j] = turn
    return counts


def numba_masked() -> Function:
    """Numba's best text is the loop over points, which it compiles as it stands."""
    return alone


def jax_masked() -> Function:
    """With `lax.while_loop` over the grid."""
    import jax.numpy as jnp
    from jax import lax

    def run(cx: Any, cy: Any) -> Any:
        def step(state: Any) -> Any:
            x, y, alive, counts, turn = state
            x, y = jnp.where(alive, x * x - y * y + cx, x), jnp.where(alive, 2.0 * x * y + cy, y)
            alive = x * x + y * y <= 4.0
            return x, y, alive, counts + alive, turn + 1

        def more(state: Any) -> Any:
            return (state[4] < LIMIT) & jnp.any(state[2])

        first = cx * 0.0, cy * 0.0, cx == cx, jnp.zeros(cx.shape, jnp.int64), 0
        return lax.while_loop(more, step, first)[3]

    return run


def tf_masked() -> Function:
    """With a `while` over the grid, which AutoGraph converts."""
    import tensorflow as tf

    def run(cx: Any, cy: Any) -> Any:
        x, y = cx * 0.0, cy * 0.0
        alive = tf.equal(cx, cx)
        counts = tf.zeros_like(cx, tf.int64)
        turn = tf.constant(0)
        while turn < LIMIT and tf.reduce_any(alive):
            x, y = tf.where(alive, x * x - y * y + cx, x), tf.where(alive, 2.0 * x * y + cy, y)
            alive = x * x + y * y <= 4.0
            counts = counts + tf.cast(alive, tf.int64)
            turn += 1
        return counts

    return run


def numpy_alone() -> Function:
    """NumPy's text is that of whole arrays."""
    return masked


def slopes(s):
    """Lorenz's equations at a vector of three."""
    x, y, z = s[0], s[1], s[2]
    return gw.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.5 * z])


def vectors(n, x, y, z):
    """A vector of three, made by `stack`, and a `for`."""
    s = gw.stack([x, y, z])
    h = 0.0005
    for _ in range(n):
        a = slopes(s)
        b = slopes(s + 0.5 * h * a)
        c = slopes(s + 0.5 * h * b)
        d = slopes(s + h * c)
        s = s + h / 6 * (a + 2 * b + 2 * c + d)
    return s[0] + s[1] + s[2]


def moved(n, x, y, z):
    """Vectors of NumPy's, made from lists, and a `while`."""

    def slope(s):
        return np.array([10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - 2.5 * s[2]])

    s = np.array([x, y, z])
    h = 0.0005
    i = n - n
    while i < n:
        a = slope(s)
        b = slope(s + 0.5 * h * a)
        c = slope(s + 0.5 * h * b)
        d = slope(s + h * c)
        s = s + h / 6 * (a + 2 * b + 2 * c + d)
        i += 1
    return s[0] + s[1] + s[2]


class State(NamedTuple):
    """Three numbers with the arithmetic of a vector."""

    x: Any
    y: Any
    z: Any

    def plus(self, number, other):
        """The state with a multiple of another one."""
        return State(self.x + number * other.x, self.y + number * other.y, self.z + number * other.z)

    def slope(self):
        """Lorenz's equations."""
        return State(
            10.0 * (self.y - self.x),
            self.x * (28.0 - self.z) - self.y,
            self.x * self.y - 2.5 * self.z,
        )


def states(n, x, y, z):
    """Named tuples with methods."""
    s = State(x, y, z)
    h = 0.0005
    for _ in range(n):
        a = s.slope()
        b = s.plus(0.5 * h, a).slope()
        c = s.plus(0.5 * h, b).slope()
        d = s.plus(h, c).slope()
        s = s.plus(h / 6, a.plus(2, b).plus(2, c).plus(1, d))
    return s.x + s.y + s.z


LORENZ = np.array(10_000, np.int64), np.array(1.0), np.array(1.5), np.array(2.0)
GRID = {"numba": numba_masked, "jax": jax_masked, "numpy": numpy_alone, "tensorflow": tf_masked}
SCALARS = {"numba": lambda: lorenz, "jax": jax_lorenz, "numpy": lambda: lorenz, "tensorflow": lambda: lorenz}

WAYS = [
    Way("Mandelbrot on a grid", "a mask, `while`", masked, (X, Y), GRID),
    Way("Mandelbrot on a grid", "vectors, `for`", counted, (X, Y), GRID),
    Way("Mandelbrot on a grid", "scalars, `break`", alone, (X, Y), GRID),
    Way("Mandelbrot on a grid", "named tuples", objects, (X, Y), GRID),
    Way("Lorenz, 10,000 steps", "vectors by `stack`, `for`", vectors, LORENZ, SCALARS),
    Way("Lorenz, 10,000 steps", "vectors of NumPy, `while`", moved, LORENZ, SCALARS),
    Way("Lorenz, 10,000 steps", "scalars, `while`", lorenz, LORENZ, SCALARS),
    Way("Lorenz, 10,000 steps", "named tuples, `for`", states, LORENZ, SCALARS),
]
