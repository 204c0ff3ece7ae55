"""One operation on a million elements in memory, beside NumPy's, on one thread."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches import tally
from benches.timing import thread_seconds

COUNT = 1_000_000
"""Elements of each array."""

ROUNDS = 9
"""So many pairs of calls are made; the medians count."""

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
        "product complex128": (lambda x, y: x * y, np.multiply, (complexes, complexes)),
        "sum float16": (lambda x, y: x + y, np.add, (halves, halves)),
        "quotient uint8": (lambda x: x // 2 + 1, lambda x: x // 2 + 1, (bytes_,)),
        "rest int64 by 7": (lambda x: x % 7, lambda x: x % 7, (whole,)),
        "rest int64": (lambda x, y: x % y, np.mod, (whole, whole + 1)),
        "rest float64": (lambda x, y: x % y, np.mod, (double, double + 9)),
    }


def orders(single: np.ndarray, double: np.ndarray, whole: np.ndarray) -> dict[str, Row]:
    """Sorts, extremes, sums and counts."""
    rows_ = single.reshape(1000, 1000)
    return {
        "sort float32": (lambda x: gw.sort(x), np.sort, (single,)),
        "sort float64": (lambda x: gw.sort(x), np.sort, (double,)),
        "sort int64": (lambda x: gw.sort(x), np.sort, (whole,)),
        "argmax float64": (lambda x: gw.argmax(x), np.argmax, (double,)),
        "argmax of rows float32": (lambda x: gw.argmax(x, axis=1), lambda x: np.argmax(x, axis=1), (rows_,)),
        "sum float32": (lambda x: gw.reduce_sum(x), np.sum, (single,)),
        "sum of columns float32": (lambda x: gw.reduce_sum(x, axis=0), lambda x: np.sum(x, axis=0), (rows_,)),
        "running sum float64": (lambda x: gw.cumsum(x), np.cumsum, (double,)),
        "bins int64": (lambda x: gw.math.bincount(x), np.bincount, (whole,)),
        "unique int64": (lambda x: gw.unique(x)[0], np.unique, (whole,)),
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
    """Each operation's time with either package."""
    made = Table(title="One operation on a million elements, one thread (medians of pairs)")
    for heading in ("operation", "Graphwright", "NumPy", "ratio"):
        made.add_column(heading, justify="left" if heading == "operation" else "right")
    ratios = []
    for title, row in tqdm(rows().items(), unit="operation", leave=False):
        ours, theirs = compared(row)
        ratios.append(ours / theirs)
        tally.note("One operation on a million elements", title, ours / theirs)
        made.add_row(title, *(f"{1e3 * one:.2f} ms" for one in (ours, theirs)), f"{ours / theirs:.2f}")
    made.add_section()
    made.add_row("geometric mean", "", "", f"{statistics.geometric_mean(ratios):.2f}")
    made.add_row("worst", "", "", f"{max(ratios):.2f}")
    return made


def compared(row: Row) -> tuple[float, float]:
    """Seconds of a call of ours and of NumPy's."""
    ours, theirs, arrays = row
    function, tensors = gw.function(ours), [gw.constant(array) for array in arrays]
    calls = (lambda: function(*tensors), lambda: theirs(*arrays))
    for call in calls:
        call()
    rounds = [[thread_seconds(call) for call in calls] for _ in range(ROUNDS)]
    mine, other = (statistics.median(times) for times in zip(*rounds, strict=True))
    return mine, other
