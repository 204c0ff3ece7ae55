"""Group G, products of matrices, and a convolution."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from benches import workload
from benches.peers import Function
from benches.workload import Workload, of_function

RANDOM = np.random.default_rng(13)


def product(x, y):
    """One product."""
    return x @ y


def perceptron(x, w1, b1, w2, b2, w3, b3):
    """Three layers, the first two rectified."""
    x = np.maximum(x @ w1 + b1, 0)
    x = np.maximum(x @ w2 + b2, 0)
    return x @ w3 + b3


def tf_perceptron() -> Function:
    """The same text with TensorFlow's functions."""
    import tensorflow as tf

    def run(x, w1, b1, w2, b2, w3, b3):
        x = tf.maximum(x @ w1 + b1, 0)
        x = tf.maximum(x @ w2 + b2, 0)
        return x @ w3 + b3

    return run


def jax_perceptron() -> Function:
    """The same text with JAX's functions."""
    import jax.numpy as jnp

    def run(x, w1, b1, w2, b2, w3, b3):
        x = jnp.maximum(x @ w1 + b1, 0)
        x = jnp.maximum(x @ w2 + b2, 0)
        return x @ w3 + b3

    return run


def convolution(x, filters):
    """Windows of 3×3, padded: each of the nine places of a window is a product of matrices."""
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, x.shape[3]), x.dtype)
    padded[:, 1:-1, 1:-1] = x
    places = [(i, j) for i in range(3) for j in range(3)]
    return sum(padded[:, i : i + x.shape[1], j : j + x.shape[2]] @ filters[i, j] for i, j in places)


def our_convolution() -> Function:
    """Ours."""
    import graphwright as gw

    return lambda x, filters: gw.nn.conv2d(x, filters, 1, "SAME")


def tf_convolution() -> Function:
    """TensorFlow's own."""
    import tensorflow as tf

    return lambda x, filters: tf.nn.conv2d(x, filters, 1, "SAME")


def jax_convolution() -> Function:
    """JAX's own."""
    from jax import lax

    axes = ("NHWC", "HWIO", "NHWC")
    return lambda x, filters: lax.conv_general_dilated(x, filters, (1, 1), "SAME", dimension_numbers=axes)


def numba_convolution() -> Function:
    """Numba multiplies no stacks of matrices: a loop over the rows of pixels."""

    def run(x, filters):
        images, height, width, channels = x.shape
        made = np.zeros((images, height, width, filters.shape[3]), x.dtype)
        padded = np.zeros((images, height + 2, width + 2, channels), x.dtype)
        padded[:, 1:-1, 1:-1] = x
        for n in range(images):
            for row in range(height):
                for i in range(3):
                    for j in range(3):
                        made[n, row] += padded[n, row + i, j : j + width] @ filters[i, j]
        return made

    return run


def normal(*shape: int) -> np.ndarray:
    """Small normal numbers in single precision."""
    return (0.1 * RANDOM.standard_normal(shape)).astype(np.float32)


LAYERS = [part for n, m in ((784, 256), (256, 128), (128, 10)) for part in (normal(n, m), normal(m))]

WORKLOADS = [
    *(
        Workload(
            f"matmul {n}",
            "≤ 1.1 of the best",
            "f(*args)",
            of_function(product, normal(n, n), normal(n, n)),
            tolerance=1e-4,
        )
        for n in (64, 256, 1024)
    ),
    Workload(
        "MLP 784-256-128-10, 64 at once",
        "≤ 1.1 of the best",
        "f(*args)",
        of_function(perceptron, normal(64, 784), *LAYERS, tensorflow=tf_perceptron, jax=jax_perceptron),
        tolerance=1e-4,
    ),
    Workload(
        "conv2d 3×3, [8, 64, 64, 16] to 32",
        "≤ 1.1 of the best",
        "f(*args)",
        of_function(
            convolution,
            normal(8, 64, 64, 16),
            normal(3, 3, 16, 32),
            graphwright=our_convolution,
            tensorflow=tf_convolution,
            jax=jax_convolution,
            numba=numba_convolution,
        ),
        tolerance=1e-4,
    ),
]


def table() -> Table:
    """Every product with every peer."""
    return workload.table("Group G, products", WORKLOADS, rounds=7)
