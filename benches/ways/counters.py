"""Ways of writing loops that count: 32-bit integers, lists that grow, and calls of a few operations."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphwright as gw
from benches.calls import VECTOR, add, affine
from benches.peers import Function
from benches.ways.way import Way


def leaps(n):
    """Numbers below one that are left out, and an end, by `while`."""
    total = n - n
    i = n - n
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        if total > 100_000_000:
            break
        total += i // 5 + i % 7
    return total


def leaps_for(n):
    """The same by `for`."""
    total = n - n
    for i in gw.range(1, n + 1):
        if i % 3 == 0:
            continue
        if total > 100_000_000:
            break
        total += i // 5 + i % 7
    return total


def leaps_vector(n):
    """The same by one array."""
    i = gw.range(1, n + 1)
    return np.sum(np.where(i % 3 == 0, n - n, i // 5 + i % 7))


def leaps_numbers(n):
    """The same with Python's numbers."""
    total = 0
    for i in range(1, int(n) + 1):
        if i % 3 == 0:
            continue
        if total > 100_000_000:
            break
        total += i // 5 + i % 7
    return total


def from_number(n, i, total):
    """The rest of the sum, by calling itself."""
    if i > n:
        return total
    if total > 100_000_000:
        return total
    return from_number(n, i + 1, total if i % 3 == 0 else total + i // 5 + i % 7)


def leaps_recursive(n):
    """The same by recursion, a thousand deep at most."""
    return from_number(n, n - n + 1, n - n)


def jax_leaps() -> Function:
    """With `lax.while_loop`."""
    import jax.numpy as jnp
    from jax import lax

    def run(n: Any) -> Any:
        def step(state: Any) -> Any:
            i, total = state
            return i + 1, jnp.where(i % 3 == 0, total, total + i // 5 + i % 7)

        return lax.while_loop(lambda s: (s[0] <= n) & (s[1] <= 100_000_000), step, (n - n + 1, n - n))[1]

    return run


def tf_nested() -> Function:
    """With TensorFlow's `range`."""
    import tensorflow as tf

    def run(n: Any) -> Any:
        total = n - n
        for i in tf.range(n):
            for j in tf.range(n):
                total += (i * j) % 7
        return total

    return run


def nested(n):
    """A sum over pairs, by `gw.range` in `gw.range`."""
    total = n - n
    for i in gw.range(n):
        for j in gw.range(n):
            total += (i * j) % 7
    return total


def nested_while(n):
    """The same by `while` in `while`."""
    total = n - n
    i = n - n
    while i < n:
        j = n - n
        while j < n:
            total += (i * j) % 7
            j += 1
        i += 1
    return total


def nested_vector(n):
    """The same by an outer product."""
    i = gw.range(n)
    return np.sum((i[:, None] * i) % 7)


class Sum:
    """A sum that takes pairs."""

    def __init__(self, total):
        self.total = total

    def take(self, i, j):
        """Adds one pair."""
        self.total = self.total + (i * j) % 7


def nested_object(n):
    """The same into an object."""
    taken = Sum(n - n)
    for i in gw.range(n):
        for j in gw.range(n):
            taken.take(i, j)
    return taken.total


def jax_nested() -> Function:
    """With an outer product."""
    import jax.numpy as jnp
    from jax import lax

    def run(n: Any) -> Any:
        def row(i: Any, total: Any) -> Any:
            return lax.fori_loop(n - n, n, lambda j, total: total + (i * j) % 7, total)

        return jnp.asarray(lax.fori_loop(n - n, n, row, n - n))

    return run


def nested_numbers(n):
    """The same with Python's `range`."""
    total = 0
    for i in range(n):
        for j in range(n):
            total += (i * j) % 7
    return total


def appended(n):
    """Values that are collected in a list, by `for`."""
    made = []
    x = 0.5
    for _ in range(n):
        x = 3.2 * x * (1.0 - x)
        made.append(x)
    return np.array(made)


def appended_while(n):
    """The same by `while`."""
    made = []
    x = 0.5
    i = n - n
    while i < n:
        x = 3.2 * x * (1.0 - x)
        made.append(x)
        i += 1
    return np.array(made)


def stored(n):
    """The same into an array."""
    made = np.zeros(10_000)
    x = 0.5
    for i in range(n):
        x = 3.2 * x * (1.0 - x)
        made[i] = x
    return made


class Collected:
    """A list in an object."""

    def __init__(self):
        self.made = []
        self.last = 0.5

    def step(self):
        """Collects one value."""
        self.last = 3.2 * self.last * (1.0 - self.last)
        self.made.append(self.last)


def appended_object(n):
    """The same into an object's list."""
    kept = Collected()
    for _ in range(n):
        kept.step()
    return np.array(kept.made)


def jax_collected() -> Function:
    """With `lax.scan`."""
    from jax import lax

    def step(x: Any, _: Any) -> Any:
        x = 3.2 * x * (1.0 - x)
        return x, x

    return lambda n: lax.scan(step, 0.5, None, length=10_000)[1]


def tf_collected() -> Function:
    """With a `TensorArray`."""
    import tensorflow as tf

    def run(n: Any) -> Any:
        made = tf.TensorArray(tf.float64, size=10_000)
        x = tf.constant(0.5, tf.float64)
        for at in tf.range(tf.cast(n, tf.int32)):
            x = 3.2 * x * (1.0 - x)
            made = made.write(at, x)
        return made.stack()

    return run


class Model:
    """An object with a method."""

    def scalar(self, a, b):
        """One operation."""
        return a + b

    def vector(self, x, y):
        """Two operations."""
        return x * y + y


def added(a, b):
    """One operation behind a call."""
    return add(a, b)


def affine_steps(x, y):
    """Two operations, one after the other."""
    made = x * y
    made = made + y
    return made


def affine_call(x, y):
    """Two operations behind a call."""
    return affine(x, y)


def numba_text(program: Function) -> dict[str, Any]:
    """Numba takes no method and calls compiled functions only; the others' own text has neither."""
    return dict.fromkeys(("numba", "jax", "tensorflow"), lambda: program)


N, SIDE, LONG = np.array(900, np.int32), np.array(60, np.int32), np.array(10_000, np.int64)
TWO, THREE = np.array(2, np.float32), np.array(3, np.float32)
ONLY = ("numpy",)
LEAPS = {"numba": lambda: leaps, "jax": jax_leaps, "tensorflow": lambda: leaps}
NESTED = {"numba": lambda: nested_numbers, "jax": jax_nested, "tensorflow": tf_nested}
COLLECTED = {"numba": lambda: appended, "jax": jax_collected, "tensorflow": tf_collected}


def call(row: str, name: str, program: Function, text: Function, *arrays: Any) -> Way:
    """A call that takes no longer than its arguments do."""
    return Way(row, name, program, arrays, numba_text(text), ONLY)


WAYS = [
    Way("`break` and `continue`, int32", "`while`", leaps, (N,), LEAPS, ONLY),
    Way("`break` and `continue`, int32", "`for`", leaps_for, (N,), LEAPS, ONLY),
    Way("`break` and `continue`, int32", "a vector", leaps_vector, (N,), LEAPS, ONLY),
    Way("`break` and `continue`, int32", "Python's numbers", leaps_numbers, (N,), LEAPS, ONLY),
    Way("`break` and `continue`, int32", "recursion", leaps_recursive, (N,), LEAPS, ONLY),
    Way("nested ranges, int32", "`for` in `for`", nested, (SIDE,), NESTED, ONLY),
    Way("nested ranges, int32", "`while` in `while`", nested_while, (SIDE,), NESTED, ONLY),
    Way("nested ranges, int32", "an outer product", nested_vector, (SIDE,), NESTED, ONLY),
    Way("nested ranges, int32", "an object", nested_object, (SIDE,), NESTED, ONLY),
    Way("10,000 values in a list", "`for`", appended, (LONG,), COLLECTED, ONLY),
    Way("10,000 values in a list", "`while`", appended_while, (LONG,), COLLECTED, ONLY),
    Way("10,000 values in a list", "into an array", stored, (LONG,), COLLECTED, ONLY),
    Way("10,000 values in a list", "an object's list", appended_object, (LONG,), COLLECTED, ONLY),
    call("scalar call", "a function", add, add, TWO, THREE),
    call("scalar call", "a method", Model().scalar, add, TWO, THREE),
    call("scalar call", "a call in it", added, add, TWO, THREE),
    Way(
        "NumPy in and out",
        "one expression",
        affine,
        (VECTOR, VECTOR * 2),
        numba_text(affine),
        ONLY,
        arrays=True,
    ),
    Way(
        "NumPy in and out",
        "statements",
        affine_steps,
        (VECTOR, VECTOR * 2),
        numba_text(affine_steps),
        ONLY,
        arrays=True,
    ),
    Way(
        "NumPy in and out",
        "a call in it",
        affine_call,
        (VECTOR, VECTOR * 2),
        numba_text(affine),
        ONLY,
        arrays=True,
    ),
    Way(
        "NumPy in and out",
        "a method",
        Model().vector,
        (VECTOR, VECTOR * 2),
        numba_text(affine),
        ONLY,
        arrays=True,
    ),
]
