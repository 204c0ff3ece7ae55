"""`graphwright bench`: times of a function of the user's, or of a few small programs on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import graphwright as gw


class Row(NamedTuple):
    """One program: what it is, seconds of a call as a graph, and of the same by NumPy or plain Python."""

    name: str
    graph: float
    other: float | None
    other_name: str


def run(function: Any, arguments: list[Any], seconds: float) -> None:
    """Prints a table: of one function for these arguments, or of the programs below."""
    if function is None:
        for row in programs(seconds):
            show(row)
        return
    begun = time.perf_counter()
    function(*arguments)
    print(f"first call (trace, compile, run)  {text_of(time.perf_counter() - begun)}")
    graph = time_of(lambda: function(*arguments), seconds)
    other = in_plain_python(function, arguments, seconds)
    show(Row(getattr(function, "__name__", "function"), graph, other, "plain Python"))


def in_plain_python(function: Any, arguments: list[Any], seconds: float) -> float | None:
    """Seconds of a call of the function in plain Python; none if it does not run there."""
    plain = getattr(function, "python_function", function)
    try:
        return time_of(lambda: plain(*arguments), seconds)
    except Exception:
        return None


def time_of(call: Callable[[], Any], seconds: float) -> float:
    """Seconds of one call: the least mean of rounds that together take about so long."""
    begun = time.perf_counter()
    call()
    once = max(time.perf_counter() - begun, 1e-7)
    count = max(1, int(seconds / 5 / once))
    best, ends = float("inf"), time.perf_counter() + seconds
    while True:
        begun = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - begun) / count)
        if time.perf_counter() >= ends:
            return best


def show(row: Row) -> None:
    """Prints one row."""
    if row.other is None:
        print(f"{row.name:<34}{text_of(row.graph):>10}")
        return
    ratio = row.other / row.graph
    other = f"{row.other_name} {text_of(row.other)}"
    print(f"{row.name:<34}{text_of(row.graph):>10}   {other:<26} {ratio:8.1f} x")


def text_of(seconds: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def programs(seconds: float) -> Iterator[Row]:
    """A loop of scalars, a chain of elementwise operations, a product of matrices, a call, a first call."""

    def collatz(n: Any) -> Any:
        longest = 0
        for start in range(1, n):
            count, x = 0, start
            while x != 1:
                x = x // 2 if x % 2 == 0 else 3 * x + 1
                count += 1
            longest = max(longest, count)
        return longest

    graph = gw.function(collatz)
    n = gw.constant(2000, gw.int64)
    yield Row(
        "loop of scalars (Collatz to 2,000)",
        time_of(lambda: graph(n), seconds),
        time_of(lambda: collatz(2000), seconds),
        "plain Python",
    )

    x = np.random.default_rng(0).random(1_000_000, dtype=np.float32)
    tensor = gw.constant(x)
    chain = gw.function(lambda x: gw.reduce_sum(gw.tanh(x) * x + 1.0))
    yield Row(
        "tanh(x) * x + 1, summed, 1e6 f32",
        time_of(lambda: chain(tensor), seconds),
        time_of(lambda: (np.tanh(x) * x + 1).sum(), seconds),
        "NumPy",
    )

    a = np.random.default_rng(0).random((512, 512), dtype=np.float32)
    matrix = gw.constant(a)
    product = gw.function(lambda a: a @ a)
    yield Row(
        "matrix product, 512 x 512 f32",
        time_of(lambda: product(matrix), seconds),
        time_of(lambda: a @ a, seconds),
        "NumPy",
    )

    one = gw.constant(1.0)
    add = gw.function(lambda x: x + 1.0)
    yield Row("call of a graph of one operation", time_of(lambda: add(one), seconds), None, "")
    yield Row("eager operation", time_of(lambda: one + one, seconds), None, "")

    def first() -> None:
        gw.function(lambda x: gw.reduce_sum(x * 2.0) + 1.0)(one)

    yield Row("first call of a small function", time_of(first, seconds), None, "")
