"""Group G, products of matrices."""

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
]


def table() -> Table:
    """Every product with every peer."""
    return workload.table("Group G, products", WORKLOADS, rounds=7)
