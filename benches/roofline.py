"""Ten kernels beside what this machine can do at most: the share of its bandwidth, or of its arithmetic."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches import tally
from benches.peers import Function, installed
from benches.timing import Calls
from benches.workload import Workload, measured, of_function

RANDOM = np.random.default_rng(17)
LONG = 1 << 23
"""So many doubles are more than a cache holds."""
SIDE = 768
ROUNDS = 7


@dataclass(frozen=True)
class Kernel:
    """A workload, and what one run of it has to move or to compute."""

    workload: Workload
    bytes: float = 0.0
    flops: float = 0.0
    dtype: str = "float64"


def scaled(x):
    """One array to another."""
    return x * 2.0


def triad(x, y):
    """Two arrays to a third."""
    return x + 3.0 * y


def product(x, y):
    """A product of matrices, of a matrix and a vector, or of vectors."""
    return x @ y


def tf_dot() -> Function:
    """TensorFlow's."""
    import tensorflow as tf

    return lambda x, y: tf.tensordot(x, y, 1)


def total(x):
    """A sum to one number."""
    return np.sum(x)


def tf_total() -> Function:
    """TensorFlow's."""
    import tensorflow as tf

    return tf.reduce_sum


def exponentials(x):
    """The exponential function of each element."""
    return np.exp(x)


def tf_exponentials() -> Function:
    """TensorFlow's."""
    import tensorflow as tf

    return tf.exp


def jax_exponentials() -> Function:
    """JAX's."""
    import jax.numpy as jnp

    return jnp.exp


def jax_total() -> Function:
    """JAX's."""
    import jax.numpy as jnp

    return jnp.sum


def turned(x):
    """A matrix with rows and columns exchanged, in memory too."""
    return x.T + 0.0


def tf_turned() -> Function:
    """TensorFlow's."""
    import tensorflow as tf

    return lambda x: tf.transpose(x) + 0.0


def numpy_turned() -> Function:
    """NumPy's, which otherwise leaves the order in memory as it is."""
    return lambda x: np.ascontiguousarray(x.T)


def moved(
    name: str, program: Function, elements: float, *arrays: np.ndarray, **instead: Callable[[], Function]
):
    """A kernel of which so many elements at least are read and written."""
    size = arrays[0].itemsize
    workload = Workload(name, "", "f(*args)", of_function(program, *arrays, **instead))
    return Kernel(workload, bytes=elements * size)


def kernels() -> list[Kernel]:
    """All of them."""
    x, y = RANDOM.normal(size=(2, LONG))
    single = RANDOM.normal(size=LONG).astype(np.float32)
    wide = RANDOM.normal(size=(2048, 4096))
    a, b = RANDOM.normal(size=(2, SIDE, SIDE))
    flops = 2.0 * SIDE**3
    sums = {"tensorflow": tf_total, "jax": jax_total}
    exps = {"tensorflow": tf_exponentials, "jax": jax_exponentials}
    products = [
        Kernel(
            Workload(f"product of matrices, {one.dtype}", "", "f(*args)", of_function(product, one, other)),
            flops=flops,
            dtype=str(one.dtype),
        )
        for one, other in [(a, b), (a.astype(np.float32), b.astype(np.float32))]
    ]
    return [
        moved("x * 2.0", scaled, 2 * LONG, x),
        moved("x + 3.0 * y", triad, 3 * LONG, x, y),
        moved("sum", total, LONG, x, **sums),
        moved("product of vectors", product, 2 * LONG, x, y, tensorflow=tf_dot),
        moved("exp, float32", exponentials, 2 * LONG, single, **exps),
        moved("matrix times vector", product, wide.size, wide, RANDOM.normal(size=4096), tensorflow=tf_dot),
        moved("transpose", turned, 2 * wide.size, wide, tensorflow=tf_turned, numpy=numpy_turned),
        moved("Jacobi step, a plain loop", jacobi, 2 * wide.size, wide),
        *products,
    ]


def jacobi(a):
    """Five points in two loops; a package that does not stage loops over arrays is left out."""
    n, m = a.shape
    out = np.zeros_like(a)
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return out


@dataclass(frozen=True)
class Peaks:
    """Measured limits of this machine: bytes per second, and operations per second by dtype."""

    bandwidth: float
    flops: dict[str, float]


def peaks() -> Peaks:
    """The best of several runs of NumPy's copy, and of its library's product of large matrices."""
    source = np.ones(LONG)
    target = np.empty_like(source)
    copied = 2 * source.nbytes / best(lambda: np.copyto(target, source))
    large = RANDOM.normal(size=(1536, 1536))
    flops = {}
    for dtype in ("float64", "float32"):
        one = large.astype(dtype)
        flops[dtype] = 2.0 * len(one) ** 3 / best(lambda one=one: one @ one)
    return Peaks(copied, flops)


def best(action: Callable[[], object]) -> float:
    """The shortest of some runs, in seconds of processor time."""
    return min(Calls("action()", {"action": action}, time.process_time).each() for _ in range(ROUNDS))


def table() -> Table:
    """For each kernel the share of the peak that ours and the best other package reach."""
    limit, peers = peaks(), installed()
    double, single = (limit.flops[dtype] / 1e9 for dtype in ("float64", "float32"))
    most = (
        f"{limit.bandwidth / 1e9:.1f} GB/s, {double:.0f} GFLOP/s (float64) and {single:.0f} GFLOP/s (float32)"
    )
    made = Table(title=f"roofline: share of {most}")
    for heading in ("kernel", "Graphwright", "best other", ""):
        made.add_column(heading, justify="right")
    for kernel in tqdm(kernels(), unit="kernel", leave=False):
        chosen = (
            peers if "loop" not in kernel.workload.name else {n: peers[n] for n in ("Graphwright", "Numba")}
        )
        figures = measured(kernel.workload, chosen, time.process_time, ROUNDS)
        tally.note_beside("Roofline", kernel.workload.name, figures)
        shares = {name: share(kernel, limit, seconds) for name, (seconds, _) in figures.items()}
        others = {name: found for name, found in shares.items() if name != "Graphwright"}
        name = max(others, key=lambda name: others[name])
        made.add_row(kernel.workload.name, f"{shares['Graphwright']:.0%}", f"{others[name]:.0%}", name)
    return made


def share(kernel: Kernel, limit: Peaks, seconds: float) -> float:
    """The part of the peak that a run of so many seconds reaches."""
    if kernel.flops:
        return kernel.flops / seconds / limit.flops[kernel.dtype]
    return kernel.bytes / seconds / limit.bandwidth
