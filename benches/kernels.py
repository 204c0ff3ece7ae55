"""One operation on a million elements in memory, beside other packages', on one thread."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches import kernel_peers, tally
from benches.kernel_peers import Library

COUNT = 1_000_000
"""Elements of each array."""

ROUNDS = 9
"""So many rounds of one call with each package are made; the medians count."""

Row = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def rows() -> dict[str, Row]:
    """The operations: ours, NumPy's, and the arrays."""
    rng = np.random.default_rng(0)
    double = rng.normal(size=COUNT)
    single, whole = double.astype(np.float32), rng.integers(0, 1000, COUNT)
    return {
        **functions(single, double),
        **arithmetic(single, double, whole),
        **orders(single, double, whole),
        **moves(double, whole),
    }


def functions(single: np.ndarray, double: np.ndarray) -> dict[str, Row]:
    """Functions of each element."""
    near, positive = np.tanh(double), np.abs(double) + 0.1
    short, greater = single[:], positive.astype(np.float32)
    return {
        "pow float32": (lambda x, y: x**y, np.power, (greater, short)),
        "pow float64": (lambda x, y: x**y, np.power, (positive, double)),
        "exp float64": (gw.math.exp, np.exp, (double,)),
        "log float32": (gw.math.log, np.log, (greater,)),
        "sinh float64": (gw.math.sinh, np.sinh, (double,)),
        "tan float64": (gw.math.tan, np.tan, (double,)),
        "tan float32": (gw.math.tan, np.tan, (short,)),
        "atan float64": (gw.math.atan, np.arctan, (double,)),
        "atan float32": (gw.math.atan, np.arctan, (short,)),
        "atan2 float32": (gw.math.atan2, np.arctan2, (short, greater)),
        "asin float64": (gw.math.asin, np.arcsin, (near,)),
        "acos float32": (gw.math.acos, np.arccos, (near.astype(np.float32),)),
    }


def arithmetic(single: np.ndarray, double: np.ndarray, whole: np.ndarray) -> dict[str, Row]:
    """Arithmetic of other than floats of one size, and quotients."""
    complexes, bytes_, halves = (
        double + 1j * double[::-1],
        (whole % 200).astype(np.uint8),
        single.astype(np.float16),
    )
    return {
        "size complex128": (lambda x: gw.abs(x), np.abs, (complexes,)),
        "size complex64": (lambda x: gw.abs(x), np.abs, (complexes.astype(np.complex64),)),
        "product complex128": (lambda x, y: x * y, np.multiply, (complexes, complexes)),
        "sum float16": (lambda x, y: x + y, np.add, (halves, halves)),
        "quotient uint8": (lambda x: x // 2 + 1, lambda x: x // 2 + 1, (bytes_,)),
        "rest int64 by 7": (lambda x: x % 7, lambda x: x % 7, (whole,)),
        "rest int64": (lambda x, y: x % y, np.mod, (whole, whole + 1)),
        "rest float64": (lambda x, y: x % y, np.mod, (double, double + 9)),
        "rest float32": (lambda x, y: x % y, np.mod, (single, single + 9)),
    }


def orders(single: np.ndarray, double: np.ndarray, whole: np.ndarray) -> dict[str, Row]:
    """Sorts, extremes, sums and counts."""
    rows_ = single.reshape(1000, 1000)
    return {
        **sorts(single, double, whole),
        "argmax float64": (lambda x: gw.argmax(x), np.argmax, (double,)),
        "argmax of rows float32": (lambda x: gw.argmax(x, axis=1), lambda x: np.argmax(x, axis=1), (rows_,)),
        "sum float32": (lambda x: gw.reduce_sum(x), np.sum, (single,)),
        "sum float64": (lambda x: gw.reduce_sum(x), np.sum, (double,)),
        "sum of columns float32": (lambda x: gw.reduce_sum(x, axis=0), lambda x: np.sum(x, axis=0), (rows_,)),
        **columns(rows_, double.reshape(1000, 1000)),
        "running sum float64": (lambda x: gw.cumsum(x), np.cumsum, (double,)),
        "bins int64": (lambda x: gw.math.bincount(x), np.bincount, (whole,)),
        "unique int64": (lambda x: np.unique(x), np.unique, (whole,)),
    }


def sorts(single: np.ndarray, double: np.ndarray, whole: np.ndarray) -> dict[str, Row]:
    """Sorts and searches."""
    arrays = {"float32": single, "float64": double, "int64": whole}
    stable = partial(np.argsort, kind="stable")
    made: dict[str, Row] = {}
    for name, array in arrays.items():
        made[f"sort {name}"] = (lambda x: gw.sort(x), np.sort, (array,))
        made[f"argsort {name}"] = (lambda x: gw.argsort(x, stable=True), stable, (array,))
    ordered = np.sort(double[:100_000])
    made["search float64"] = (lambda x, y: gw.searchsorted(x, y), np.searchsorted, (ordered, double))
    return made


def columns(single: np.ndarray, double: np.ndarray) -> dict[str, Row]:
    """Reductions of columns other than sums."""
    rare, usual = double > 3.5, double < 3.5
    return {
        "any of columns": (lambda x: gw.reduce_any(x, axis=0), lambda x: np.any(x, axis=0), (rare,)),
        "all of columns": (lambda x: gw.reduce_all(x, axis=0), lambda x: np.all(x, axis=0), (usual,)),
        **{
            f"variance of columns {array.dtype}": (
                lambda x: gw.math.reduce_variance(x, axis=0),
                lambda x: np.var(x, axis=0),
                (array,),
            )
            for array in (single, double)
        },
    }


def moves(double: np.ndarray, whole: np.ndarray) -> dict[str, Row]:
    """Elements that change their place, and random ones."""
    square, rng = double.reshape(1000, 1000), np.random.default_rng(1)
    block = square[:500, :500].copy()
    return {
        "gather float64": (lambda x, at: gw.gather(x, at), lambda x, at: x[at], (double, whole)),
        "mask float64": (lambda x: x[x > 0], lambda x: x[x > 0], (double,)),
        "roll float64": (lambda x: gw.roll(x, 5, 0), lambda x: np.roll(x, 5), (double,)),
        "transpose float64": (lambda x: gw.transpose(x), lambda x: np.ascontiguousarray(x.T), (square,)),
        "transpose float32": (
            lambda x: gw.transpose(x),
            lambda x: np.ascontiguousarray(x.T),
            (square.astype(np.float32),),
        ),
        "concatenate float64": (
            lambda x, y: gw.concat([x, y], 0),
            lambda x, y: np.concatenate([x, y]),
            (double, double),
        ),
        "product of matrices float64": (lambda x: x @ x, lambda x: x @ x, (block,)),
        "product of matrices float32": (lambda x: x @ x, lambda x: x @ x, (block.astype(np.float32),)),
        "uniform float32": (
            lambda: gw.random.uniform([COUNT]),
            lambda: rng.random(COUNT, dtype=np.float32),
            (),
        ),
        "normal float32": (
            lambda: gw.random.normal([COUNT]),
            lambda: rng.standard_normal(COUNT, dtype=np.float32),
            (),
        ),
    }


def table() -> Table:
    """Each operation's time with each package, and ours over that of the fastest other."""
    libraries = kernel_peers.installed(COUNT)
    made = Table(title="One operation on a million elements, one thread (medians of rounds), ms")
    for heading in ("operation", "Graphwright", "NumPy", *libraries, "fastest other", "factor"):
        made.add_column(heading, justify="left" if heading == "operation" else "right")
    ratios = []
    for title, row in tqdm(chosen().items(), unit="operation", leave=False):
        times = compared(title, row, libraries)
        best = min(list(times)[1:], key=times.__getitem__)
        ratios.append(times["Graphwright"] / times[best])
        tally.note("One operation on a million elements", title, ratios[-1])
        cells = [
            f"{1e3 * times[name]:.2f}" if name in times else "–"
            for name in ("Graphwright", "NumPy", *libraries)
        ]
        made.add_row(title, *cells, best, f"{ratios[-1]:.2f}")
    made.add_section()
    blank = [""] * (len(libraries) + 3)
    made.add_row("geometric mean", *blank, f"{statistics.geometric_mean(ratios):.2f}")
    made.add_row("worst", *blank, f"{max(ratios):.2f}")
    return made


def chosen() -> dict[str, Row]:
    """The rows whose titles hold one of the texts of `BENCH_ROWS`, split at commas; all if there is none."""
    texts = os.environ.get("BENCH_ROWS", "").split(",")
    return {title: row for title, row in rows().items() if any(text in title for text in texts)}


def compared(title: str, row: Row, libraries: dict[str, Library]) -> dict[str, float]:
    """By package the processor's seconds of a call, those of threads that it starts included.

    Each round begins with another package: what one leaves in the caches, and threads of its that are not
    at rest yet, then count for each of the others.
    """
    ours, theirs, arrays = row
    function, tensors = gw.function(ours), same(gw.constant, arrays)
    calls: dict[str, Callable[[], Any]]
    calls = {"Graphwright": lambda: function(*tensors), "NumPy": lambda: theirs(*arrays)}
    for call in calls.values():
        call()
    for name, library in libraries.items():
        if title in library.functions:
            call = partial(library.functions[title], *same(library.array, arrays))
            calls |= {name: call} if runs(call) else {}
    order = list(calls)
    rounds = []
    for _ in range(ROUNDS):
        rounds.append({name: processor_seconds(calls[name]) for name in order})
        order = order[1:] + order[:1]
    return {name: statistics.median(times[name] for times in rounds) for name in calls}


def same(make: Callable[[np.ndarray], Any], arrays: tuple[Any, ...]) -> list[Any]:
    """The arrays as another package has them; one that is there twice stays one array, as it is for NumPy."""
    made = {id(array): make(array) for array in arrays}
    return [made[id(array)] for array in arrays]


def runs(call: Callable[[], Any]) -> bool:
    """True if another package has the operation for these arrays; what it compiles is compiled afterwards.

    A package refuses dtypes that an operation of its own lacks with one of these exceptions.
    """
    try:
        return call() is not None
    except (TypeError, NotImplementedError, RuntimeError):
        return False


def processor_seconds(call: Callable[[], Any]) -> float:
    """The processor's seconds of this process for one call."""
    start = time.process_time()
    call()
    return time.process_time() - start
