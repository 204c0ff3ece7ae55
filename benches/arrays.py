"""Group F, work on each element of arrays, and on rows: what fusion saves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from benches import workload
from benches.peers import Function
from benches.workload import Names, Workload, of_function

RANDOM = np.random.default_rng(11)


def ten(x, y):
    """Ten operations on each element."""
    z = x * y + x
    z = z * z - y
    z = z * 0.5 + x
    return z * y - z * x


def options(erf: Callable[[Any], Any], exp: Any, log: Any, sqrt: Any) -> Function:
    """Black and Scholes's price of an option to buy, from a package's functions."""

    def price(spot, strike, years):
        spread = 0.3 * sqrt(years)
        d1 = (log(spot / strike) + (0.05 + 0.045) * years) / spread
        d2 = d1 - spread
        cdf1 = 0.5 + 0.5 * erf(d1 * 0.70710678)
        cdf2 = 0.5 + 0.5 * erf(d2 * 0.70710678)
        return spot * cdf1 - strike * exp(-0.05 * years) * cdf2

    return price


def our_options() -> Function:
    """Ours."""
    import graphwright as gw

    return options(gw.math.erf, gw.exp, gw.math.log, gw.sqrt)


def tf_options() -> Function:
    """TensorFlow's."""
    import tensorflow as tf

    return options(tf.math.erf, tf.exp, tf.math.log, tf.sqrt)


def jax_options() -> Function:
    """JAX's."""
    import jax

    return options(jax.lax.erf, jax.numpy.exp, jax.numpy.log, jax.numpy.sqrt)


def numba_options() -> Function:
    """Numba's NumPy has no `erf`: a loop that has it from `math`."""
    import numba

    price = numba.njit(options(math.erf, math.exp, math.log, math.sqrt))

    def prices(spot, strike, years):
        made = np.empty_like(spot)
        for i in range(spot.size):
            made[i] = price(spot[i], strike[i], years[i])
        return made

    return prices


def numpy_options(spot, strike, years):
    """NumPy has no `erf` either: each element by `math`."""
    erf = np.vectorize(math.erf, otypes=[spot.dtype])
    return options(erf, np.exp, np.log, np.sqrt)(spot, strike, years)


def softmax(x):
    """Each row's share, kept from overflow by the row's largest."""
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def blocks(tanh: Any, mean: Any, sqrt: Any, softmax: Any) -> Function:
    """GELU, layer norm and softmax one after the other, from a package's functions."""

    def block(x):
        x = 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))
        x = x - mean(x, axis=1, keepdims=True)
        x = x / sqrt(mean(x * x, axis=1, keepdims=True) + 1e-5)
        return softmax(x)

    return block


def tf_block() -> Function:
    """TensorFlow's."""
    import tensorflow as tf

    return blocks(tf.tanh, tf.reduce_mean, tf.sqrt, tf.nn.softmax)


def jax_block() -> Function:
    """JAX's."""
    import jax

    return blocks(jax.numpy.tanh, jax.numpy.mean, jax.numpy.sqrt, jax.nn.softmax)


def total(x, y):
    """A sum of products over all elements."""
    return np.sum(x * y)


def tf_softmax() -> Function:
    """TensorFlow's own."""
    import tensorflow as tf

    return lambda x: tf.nn.softmax(x)


def tf_total() -> Function:
    """The same text with TensorFlow's functions."""
    import tensorflow as tf

    return lambda x, y: tf.reduce_sum(x * y)


def jax_softmax() -> Function:
    """JAX's own."""
    import jax

    return lambda x: jax.nn.softmax(x)


def jax_total() -> Function:
    """The same text with JAX's functions."""
    import jax.numpy as jnp

    return lambda x, y: jnp.sum(x * y)


def numba_softmax() -> Function:
    """Numba knows no `keepdims`: a loop over the rows."""

    def softmax(x):
        made = np.empty_like(x)
        for i in range(x.shape[0]):
            e = np.exp(x[i] - np.max(x[i]))
            made[i] = e / np.sum(e)
        return made

    return softmax


def numba_block() -> Function:
    """Likewise."""

    def block(x):
        made = np.empty_like(x)
        for i in range(x.shape[0]):
            row = x[i]
            row = 0.5 * row * (1 + np.tanh(0.7978845608 * (row + 0.044715 * row * row * row)))
            row = row - np.mean(row)
            row = row / np.sqrt(np.mean(row * row) + 1e-5)
            e = np.exp(row - np.max(row))
            made[i] = e / np.sum(e)
        return made

    return block


def uniform(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Numbers between a half and one and a half."""
    return (0.5 + RANDOM.random(shape)).astype(dtype)


def of_options(count: int, dtype: type = np.float32) -> Names:
    """Options at prices about 100."""
    instead = {"tensorflow": tf_options, "jax": jax_options, "numba": numba_options}
    instead |= {"graphwright": our_options}
    spot, strike, years = (uniform(count, dtype=dtype) for _ in range(3))
    return of_function(numpy_options, 100 * spot, 100 * strike, years, **instead)


SQUARE = RANDOM.standard_normal((1024, 1024)).astype(np.float32)
LINE = uniform(1 << 20)

WORKLOADS = [
    *(
        Workload(
            f"10 operations, {name}", "the best", "f(*args)", of_function(ten, uniform(count), uniform(count))
        )
        for name, count in (("4 KB", 1 << 10), ("256 KB", 1 << 16), ("64 MB", 1 << 24))
    ),
    *(
        Workload(f"Black–Scholes, {count:,}", "the best", "f(*args)", of_options(count), tolerance=1e-4)
        for count in (1_000, 100_000, 1_000_000)
    ),
    Workload(
        "10 operations on float64, 512 KB",
        "the best",
        "f(*args)",
        of_function(ten, uniform(1 << 16, dtype=np.float64), uniform(1 << 16, dtype=np.float64)),
    ),
    Workload(
        "Black–Scholes on float64, 100,000",
        "the best",
        "f(*args)",
        of_options(100_000, np.float64),
        tolerance=1e-6,
    ),
    Workload(
        "sum of 1,048,576 products",
        "the best",
        "f(*args)",
        of_function(total, LINE, LINE, tensorflow=tf_total, jax=jax_total),
        tolerance=1e-3,
    ),
    Workload(
        "softmax, 1024²",
        "the best",
        "f(*args)",
        of_function(softmax, SQUARE, tensorflow=tf_softmax, jax=jax_softmax, numba=numba_softmax),
    ),
    Workload(
        "GELU, layer norm, softmax, 1024²",
        "the best",
        "f(*args)",
        of_function(
            blocks(np.tanh, np.mean, np.sqrt, softmax),
            SQUARE,
            tensorflow=tf_block,
            jax=jax_block,
            numba=numba_block,
        ),
        tolerance=1e-4,
    ),
]


def table() -> Table:
    """Every workload with every peer."""
    return workload.table("Group F, elements and rows", WORKLOADS, rounds=7)
