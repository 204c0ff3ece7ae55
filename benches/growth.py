"""Group I, growth: what tracing and compiling cost for longer functions, and for deeper ones."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches.fresh import fresh
from benches.timing import thread_seconds
from benches.workload import duration

STEPS = ["x = x * y", "x = x - 0.25", "y = y + x", "x = x / 3.5", "y = y * 0.5"]
COPIES = 5


def line(count: int) -> str:
    """So many operations one after the other."""
    return (
        "def f(x, y):\n"
        + "".join(f"    {STEPS[k % len(STEPS)]}\n" for k in range(count))
        + "    return x + y\n"
    )


def branches(count: int) -> str:
    """So many branches, each inside the one before."""
    body = "".join(
        f"{'    ' * k}    if x > {k}.5:\n{'    ' * k}        x = x - y * {k}.25\n" for k in range(count)
    )
    return f"def f(x, y):\n{body}    return x + y\n"


def rounds(count: int) -> str:
    """So many loops, each inside the one before, in functions of their own: Python's nest 20 deep."""
    inner = "def f0(x, y):\n    return x + y\n"
    for k in range(1, count + 1):
        inner += (
            f"def f{k}(x, y):\n    while x < {k}.5:\n        x = f{k - 1}(x + 1.5, y)\n    return x - y\n"
        )
    return inner + f"def f(x, y):\n    return f{count}(x, y)\n"


SHAPES: list[tuple[str, Callable[[int], str], tuple[int, ...]]] = [
    ("operations one after the other", line, (10, 100, 1_000, 10_000)),
    ("branches in each other", branches, (1, 4, 16, 64)),
    ("loops in each other", rounds, (1, 4, 16, 64)),
]


def table() -> Table:
    """What each shape costs at each size and per part, and that against the least of the smaller sizes."""
    made = Table(title="Group I, growth: trace and compilation (aim: a part costs ≤ 3× of a smaller one's)")
    for heading in ("what", "how many", "all", "each", "growth"):
        made.add_column(heading, justify="left" if heading == "what" else "right")
    for name, text, sizes in tqdm(SHAPES, unit="shape", leave=False):
        least = None
        for size in sizes:
            each = seconds(text(size)) / size
            growth = "–" if least is None else f"{each / least:.2g}×"
            made.add_row(name, f"{size:,}", duration(each * size), duration(each), growth)
            least = each if least is None else min(least, each)
    return made


def seconds(text: str) -> float:
    """The median of what the first call of a function takes that was converted before."""
    x, y = gw.constant(0.5, gw.float64), gw.constant(0.75, gw.float64)
    taken = []
    for _ in range(COPIES):
        function = fresh(text, "f")
        gw.autograph.to_graph(function)
        staged = gw.function(function)
        taken.append(thread_seconds(partial(staged, x, y)))
    return statistics.median(taken)
