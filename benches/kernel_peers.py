"""The operations of `benches.kernels` by packages beside NumPy, called as their documentation says."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benches import peers

Function = Callable[..., Any]


@dataclass(frozen=True)
class Library:
    """A package: the way from NumPy's arrays to its own, and its functions by the titles of the rows."""

    array: Callable[[np.ndarray], Any]
    functions: dict[str, Function]


def of_numbers(module: Any, math: Any) -> dict[str, Function]:
    """Functions of each element, which a package has by the same names in one module or in another."""
    return {
        "pow float32": lambda x, y: x**y,
        "pow float64": lambda x, y: x**y,
        "exp float64": math.exp,
        "log float32": math.log,
        "sinh float64": math.sinh,
        "tan float64": math.tan,
        "tan float32": math.tan,
        "atan float64": math.atan,
        "atan float32": math.atan,
        "atan2 float32": math.atan2,
        "asin float64": math.asin,
        "acos float32": math.acos,
        "size complex128": module.abs,
        "size complex64": module.abs,
        "product complex128": lambda x, y: x * y,
        "sum float16": lambda x, y: x + y,
        "quotient uint8": lambda x: x // 2 + 1,
        "rest int64 by 7": lambda x: x % 7,
        "rest int64": lambda x, y: x % y,
        "rest float64": lambda x, y: x % y,
        "rest float32": lambda x, y: x % y,
        "product of matrices float64": lambda x: x @ x,
        "product of matrices float32": lambda x: x @ x,
    }


def jax(count: int) -> Library:
    """JAX: each row compiled, and waited for."""
    package = peers.jax()
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    single = {"shape": (count,), "dtype": jnp.float32}
    functions = of_numbers(jnp, jnp) | {
        "sort float32": jnp.sort,
        "sort float64": jnp.sort,
        "sort int64": jnp.sort,
        "argsort float32": jnp.argsort,
        "argsort float64": jnp.argsort,
        "argsort int64": jnp.argsort,
        "argmax float64": jnp.argmax,
        "argmax of rows float32": lambda x: jnp.argmax(x, axis=1),
        "sum float32": jnp.sum,
        "sum float64": jnp.sum,
        "sum of columns float32": lambda x: jnp.sum(x, axis=0),
        "any of columns": lambda x: jnp.any(x, axis=0),
        "all of columns": lambda x: jnp.all(x, axis=0),
        "variance of columns float32": lambda x: jnp.var(x, axis=0),
        "variance of columns float64": lambda x: jnp.var(x, axis=0),
        "running sum float64": jnp.cumsum,
        "bins int64": lambda x: jnp.bincount(x, length=1000),
        "search float64": jnp.searchsorted,
        "gather float64": lambda x, at: x[at],
        "roll float64": lambda x: jnp.roll(x, 5),
        "transpose float64": lambda x: x.T,
        "transpose float32": lambda x: x.T,
        "concatenate float64": lambda x, y: jnp.concatenate([x, y]),
        "uniform float32": lambda: jax.random.uniform(key, **single),
        "normal float32": lambda: jax.random.normal(key, **single),
    }
    finish = jax.block_until_ready
    functions = {title: waiting(jax.jit(function), finish) for title, function in functions.items()}
    functions["unique int64"] = waiting(jnp.unique, finish)
    functions["mask float64"] = waiting(lambda x: x[x > 0], finish)
    return Library(package.array, functions)


def waiting(function: Function, finish: Function) -> Function:
    """The same function, whose result is there when it comes back."""
    return lambda *arrays: finish(function(*arrays))


def torch(count: int) -> Library:
    """PyTorch, called eagerly, with one thread."""
    import torch

    torch.set_num_threads(1)
    functions = of_numbers(torch, torch) | {
        "sort float32": torch.sort,
        "sort float64": torch.sort,
        "sort int64": torch.sort,
        "argsort float32": lambda x: torch.argsort(x, stable=True),
        "argsort float64": lambda x: torch.argsort(x, stable=True),
        "argsort int64": lambda x: torch.argsort(x, stable=True),
        "argmax float64": torch.argmax,
        "argmax of rows float32": lambda x: torch.argmax(x, dim=1),
        "sum float32": torch.sum,
        "sum float64": torch.sum,
        "sum of columns float32": lambda x: torch.sum(x, dim=0),
        "any of columns": lambda x: torch.any(x, dim=0),
        "all of columns": lambda x: torch.all(x, dim=0),
        "variance of columns float32": lambda x: torch.var(x, dim=0, correction=0),
        "variance of columns float64": lambda x: torch.var(x, dim=0, correction=0),
        "running sum float64": lambda x: torch.cumsum(x, 0),
        "bins int64": torch.bincount,
        "unique int64": torch.unique,
        "search float64": torch.searchsorted,
        "gather float64": lambda x, at: x[at],
        "mask float64": lambda x: x[x > 0],
        "roll float64": lambda x: torch.roll(x, 5),
        "transpose float64": lambda x: x.T.contiguous(),
        "transpose float32": lambda x: x.T.contiguous(),
        "concatenate float64": lambda x, y: torch.cat([x, y]),
        "uniform float32": lambda: torch.rand(count),
        "normal float32": lambda: torch.randn(count),
    }
    # An array that NumPy reads, too, would be in the cache from the call before.
    return Library(lambda array: torch.from_numpy(array.copy()), functions)


def tensorflow(count: int) -> Library:
    """TensorFlow, called eagerly, with one thread."""
    package = peers.tensorflow()
    import tensorflow as tf

    # Other groups may have run it before: it has one thread then, as the process has one processor.
    with contextlib.suppress(RuntimeError):
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    functions = of_numbers(tf, tf.math) | {
        "sort float32": tf.sort,
        "sort float64": tf.sort,
        "sort int64": tf.sort,
        "argsort float32": lambda x: tf.argsort(x, stable=True),
        "argsort float64": lambda x: tf.argsort(x, stable=True),
        "argsort int64": lambda x: tf.argsort(x, stable=True),
        "argmax float64": tf.argmax,
        "argmax of rows float32": lambda x: tf.argmax(x, axis=1),
        "sum float32": tf.reduce_sum,
        "sum float64": tf.reduce_sum,
        "sum of columns float32": lambda x: tf.reduce_sum(x, axis=0),
        "any of columns": lambda x: tf.reduce_any(x, axis=0),
        "all of columns": lambda x: tf.reduce_all(x, axis=0),
        "variance of columns float32": lambda x: tf.math.reduce_variance(x, axis=0),
        "variance of columns float64": lambda x: tf.math.reduce_variance(x, axis=0),
        "running sum float64": tf.cumsum,
        "bins int64": tf.math.bincount,
        "unique int64": lambda x: tf.sort(tf.unique(x)[0]),
        "search float64": tf.searchsorted,
        "gather float64": tf.gather,
        "mask float64": lambda x: tf.boolean_mask(x, x > 0),
        "roll float64": lambda x: tf.roll(x, 5, 0),
        "transpose float64": tf.transpose,
        "transpose float32": tf.transpose,
        "concatenate float64": lambda x, y: tf.concat([x, y], 0),
        "uniform float32": lambda: tf.random.uniform([count]),
        "normal float32": lambda: tf.random.normal([count]),
    }
    return Library(package.array, functions)


LIBRARIES = {"JAX": jax, "PyTorch": torch, "TensorFlow": tensorflow}


def installed(count: int) -> dict[str, Library]:
    """Those that can be imported, by name; arrays of random numbers have so many elements."""
    for folder in filter(None, os.environ.get("BENCH_PACKAGES", "").split(os.pathsep)):
        sys.path.append(folder)
    found = {}
    for name, library in LIBRARIES.items():
        try:
            with peers.silence():
                found[name] = library(count)
        except ImportError:
            continue
    return found
