"""What a call of Python's functions costs in a loop of the graph: a number goes in, and one comes back."""

from __future__ import annotations

import statistics
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
    return made


def each(function: Callable[..., Any], x: gw.Tensor, count: int) -> float:
    """Seconds of one turn."""
    staged, n = gw.function(function), gw.constant(count)
    staged(x, n)
    return statistics.median(thread_seconds(lambda: staged(x, n)) for _ in range(ROUNDS)) / count
