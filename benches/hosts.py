"""What a call of Python's functions costs in a loop of the graph: a number goes in, and one comes back."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches.timing import thread_seconds

COUNT = 10_000
ROUNDS = 15

NUMBER = gw.TensorSpec([], gw.float32)
ROW = gw.TensorSpec([None], gw.float32)


def same(x: Any) -> Any:
    """What it is given."""
    return x


@gw.host
def half(x: Any) -> float:
    """A number of Python's."""
    return 0.5


def with_tensors(x, n):
    """`gw.py_function`"""
    for _ in gw.range(n):
        x = gw.py_function(same, [x], NUMBER) + 1.0
    return x


def with_arrays(x, n):
    """`gw.numpy_function`"""
    for _ in gw.range(n):
        x = gw.numpy_function(same, [x], NUMBER) + 1.0
    return x


def marked(x, n):
    """`gw.host`"""
    for _ in gw.range(n):
        x = x + half(x)
    return x


def with_rows(x, n):
    """`gw.numpy_function`, with an array."""
    for _ in gw.range(n):
        x = gw.numpy_function(same, [x], ROW) + 1.0
    return x


PAUSE = 0.001
SIDE = 256


def pause(x: Any) -> Any:
    """Waits, as for a file or another machine."""
    time.sleep(PAUSE)
    return x


def beside(x, y, n):
    """A call that waits, and about as much work that does not wait for it."""
    for _ in gw.range(n):
        x = gw.py_function(pause, [x], NUMBER)
        y = y @ y @ y @ y * 0.5
    return x, y


def four(x, y, n):
    """Four calls that wait in a row, and the work of four that does not wait for them."""
    for _ in gw.range(n):
        for _ in range(4):
            x = gw.py_function(pause, [x], NUMBER)
            y = y @ y @ y @ y * 0.5
    return x, y


def waiting(x, y, n):
    """The calls alone."""
    for _ in gw.range(n):
        x = gw.py_function(pause, [x], NUMBER)
    return x, y


def working(x, y, n):
    """The work alone."""
    for _ in gw.range(n):
        y = y @ y @ y @ y * 0.5
    return x, y


def table() -> Table:
    """Every figure with its aim."""
    made = Table(title="A call of Python in a loop of the graph, there and back (medians)")
    for heading in ("figure", "measured", "aim"):
        made.add_column(heading, justify="left" if heading == "figure" else "right")
    number, row = gw.constant(1.0), gw.constant(np.ones(1 << 18, np.float32))
    figures = [
        ("`gw.host`, a float of Python's comes back", marked, number, COUNT, "≤ 5 µs"),
        ("`gw.py_function`, a float", with_tensors, number, COUNT, "≤ 5 µs"),
        ("`gw.numpy_function`, a float", with_arrays, number, COUNT, "≤ 5 µs"),
        ("`gw.numpy_function`, 1 MB there and back", with_rows, row, 100, "–"),
    ]
    for name, function, x, count, aim in tqdm(figures, unit="figure", leave=False):
        made.add_row(name, f"{1e6 * each(function, x, count):.2f} µs", aim)
    made.add_row("`gw.custom_op`, a C function: one turn", f"{1e9 * native():.1f} ns", "≤ 5 ns")
    for name, milliseconds, aim in overlap():
        made.add_row(name, f"{milliseconds:.2f} ms", aim)
    return made


def native() -> float:
    """Seconds of a turn of a loop that calls a C function."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.fdim.argtypes, library.fdim.restype = [ctypes.c_double] * 2, ctypes.c_double
    less = gw.custom_op("fdim", None, library.fdim)

    def walked(x, n):
        for _ in gw.range(n):
            x = less(x, 1.0) + 0.5
        return x

    return each(walked, gw.constant(0.25, gw.float64), 1_000_000)


def overlap() -> list[tuple[str, float, str]]:
    """Milliseconds on the wall of a step that calls the host and works, and of each alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    gw.config.threading.set_intra_op_parallelism_threads(2)
    x, y, n = gw.constant(1.0), gw.constant(np.eye(SIDE, dtype=np.float32)), gw.constant(100)
    found = []
    for name, function, aim in (
        ("a call that waits for 1 ms", waiting, "–"),
        ("three products, 256 × 256", working, "–"),
        ("both in one step, on the wall", beside, "the longer, and 0.2 ms"),
        ("four of both in a row, on the wall", four, "1.15 of the longer, four times"),
    ):
        staged = gw.function(function)
        staged(x, y, n)
        taken = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            staged(x, y, n)
            taken.append(time.perf_counter() - start)
        found.append((name, 1e3 * statistics.median(taken) / 100, aim))
    gw.config.threading.set_intra_op_parallelism_threads(0)
    os.sched_setaffinity(0, before)
    return found


def each(function: Callable[..., Any], x: gw.Tensor, count: int) -> float:
    """Seconds of one turn."""
    staged, n = gw.function(function), gw.constant(count)
    staged(x, n)
    return statistics.median(thread_seconds(lambda: staged(x, n)) for _ in range(ROUNDS)) / count
