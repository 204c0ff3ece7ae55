"""The figures of the language: loops beside Numba, the first call, conversion."""

from __future__ import annotations

import statistics

import numba
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches.fresh import fresh
from benches.timing import seconds, thread_seconds
from graphwright.demo.collatz import longest_chain

COLLATZ = """
def collatz_steps(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
"""

FIBONACCI = """
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
"""

LINES = [
    "    if a > b:",
    "        a = a - b",
    "    else:",
    "        b = b - a * 2",
    "    while a < 100:",
    "        a = a + b if b > 0 else a + 1",
    "        if a == 50:",
    "            break",
    "    b = max(a, b) + 1",
    "    c = a + b",
]


def table() -> Table:
    """Every figure with its aim."""
    made = Table(title="Loops and conversion (medians)")
    for heading in ("figure", "measured", "aim"):
        made.add_column(heading, justify="left" if heading == "figure" else "right")
    figures = [against_numba, integer_iteration, float_iteration, recursion, first_call]
    figures += [lambda lines=lines: conversion(lines) for lines in (10, 100, 1000, 10_000)]
    for figure in tqdm(figures, unit="figure", leave=False):
        made.add_row(*figure())
    return made


def against_numba() -> tuple[str, str, str]:
    """The gallery's Collatz, the same function compiled by both, run in turn."""
    limit = 1_000_000
    staged, compiled = gw.function(longest_chain), numba.njit(longest_chain)
    tensor = gw.constant(limit, gw.int64)
    ours, theirs = staged(tensor), compiled(limit)
    assert tuple(int(part) for part in ours) == tuple(theirs), "the answers differ"
    pairs = [(seconds(lambda: staged(tensor)), seconds(lambda: compiled(limit))) for _ in range(7)]
    ratio = statistics.median(a / b for a, b in pairs)
    times = [statistics.median(side) * 1e3 for side in zip(*pairs, strict=True)]
    return (
        f"Collatz below {limit:,}: us / Numba",
        f"{times[0]:.0f} / {times[1]:.0f} ms = {ratio:.2f}×",
        "≤ 1.6×",
    )


def sum_of_squares(n):
    """A loop over integers: a product, two sums and a comparison each time."""
    i = total = n - n
    while i < n:
        total += i * i
        i += 1
    return total


def logistic(n, x):
    """A loop over floats in which each step waits for the one before."""
    i = n - n
    while i < n:
        x = 3.7 * x * (1 - x)
        i += 1
    return x


def integer_iteration() -> tuple[str, str, str]:
    """Nanoseconds of one iteration of a simple loop over int64, whose total still fits."""
    count = 2_000_000
    staged, n = gw.function(sum_of_squares), gw.constant(count, gw.int64)
    staged(n)
    each = statistics.median(seconds(lambda: staged(n)) for _ in range(7)) / count
    return "one iteration of `total += i * i; i += 1`", f"{each * 1e9:.2f} ns", "≤ 2 ns"


def float_iteration() -> tuple[str, str, str]:
    """The same for float64 where the processor waits for each result; Numba waits too."""
    count = 20_000_000
    staged, compiled = gw.function(logistic), numba.njit(logistic)
    n, x = gw.constant(count, gw.int64), gw.constant(0.4, gw.float64)
    assert abs(float(staged(n, x)) - compiled(count, 0.4)) < 1e-9, "the answers differ"
    pairs = [(seconds(lambda: staged(n, x)), seconds(lambda: compiled(count, 0.4))) for _ in range(7)]
    ours, theirs = (statistics.median(side) / count * 1e9 for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    name = "one iteration of `x = 3.7 * x * (1 - x)`: us / Numba"
    return name, f"{ours:.2f} / {theirs:.2f} ns = {ratio:.2f}×", "–"


def recursion() -> tuple[str, str, str]:
    """Calls that nest: Fibonacci's numbers, each from the two before it; Numba compiles the same text."""
    n = 30
    plain = [fresh(FIBONACCI, "fibonacci") for _ in range(2)]
    staged, compiled = gw.function(plain[0]), numba.njit(plain[1])
    plain[1].__globals__["fibonacci"] = compiled
    tensor = gw.constant(n, gw.int64)
    assert int(staged(tensor)) == compiled(n), "the answers differ"
    pairs = [(thread_seconds(lambda: staged(tensor)), thread_seconds(lambda: compiled(n))) for _ in range(7)]
    ours, theirs = (statistics.median(side) * 1e3 for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    return f"recursive Fibonacci({n}): us / Numba", f"{ours:.1f} / {theirs:.1f} ms = {ratio:.2f}×", "≤ 3×"


def first_call() -> tuple[str, str, str]:
    """Conversion, trace, compilation and run of a function never seen before."""
    n = gw.constant(27)
    functions = [gw.function(fresh(COLLATZ, "collatz_steps")) for _ in range(31)]
    times = [seconds(lambda function=function: function(n)) for function in functions]
    return "first call of Collatz", f"{statistics.median(times[1:]) * 1e3:.2f} ms", "≤ 10 ms"


def conversion(lines: int) -> tuple[str, str, str]:
    """Source to converted function, CPython's compiling included; beside it what CPython compiles alone."""
    body = [LINES[index % len(LINES)] for index in range(lines)]
    text = "\n".join(["def long(a, b):", *body[: lines - lines % len(LINES)], "    return c", ""])
    functions = [fresh(text, "long") for _ in range(11)]
    to_graph = gw.autograph.to_graph
    ours = [thread_seconds(lambda function=function: to_graph(function)) for function in functions]
    plain = [thread_seconds(lambda: compile(text, "<plain>", "exec")) for _ in functions]
    ours_each, plain_each = (statistics.median(times[1:]) * 1e3 for times in (ours, plain))
    aim = {10: "≤ 0.5 ms", 100: "≤ 5 ms", 1000: "≤ 60 ms", 10_000: "–"}[lines]
    measured = f"{ours_each:.2f} ms = {ours_each / plain_each:.0f} × `compile`"
    return f"conversion of {lines:,} lines", measured, aim
