"""What a loop pays for what it uses: a list that grows, a name that may be unbound, a checked index."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches.timing import thread_seconds

COUNT = 1_000_000
ROUNDS = 15


def appended(n, xs):
    """A list of as many elements as there are iterations."""
    made = []
    for i in range(n):
        made.append(i)
    return len(made) + made[n - 1] + xs[0]


def last_bound(n, xs):
    """The last number that is divisible, if there is one."""
    for i in range(n):
        if i & 7 == 5:
            found = i
    return found + xs[0]


def last_given(n, xs):
    """The same with a number to begin with."""
    found = 0
    for i in range(n):
        if i & 7 == 5:
            found = i
    return found + xs[0]


def indexed(n, xs):
    """A sum of elements; each index is checked."""
    total = 0
    for i in range(n):
        total = (total ^ i) + xs[i & 7]
    return total


def computed(n, xs):
    """The same sum of what needs no element."""
    total = 0
    for i in range(n):
        total = (total ^ i) + (i & 7)
    return total + xs[0]


def table() -> Table:
    """Every figure with its aim."""
    made = Table(title="What a loop pays for what it uses (medians)")
    for heading in ("figure", "measured", "aim"):
        made.add_column(heading, justify="left" if heading == "figure" else "right")
    figures = [
        ("a list of 1,000,000 grows: one `append`", appended, None, "≤ 5 ns"),
        ("a name that may be unbound: one iteration more", last_bound, last_given, "≤ 1 ns"),
        ("a checked index: one iteration more", indexed, computed, "≤ 1 ns"),
    ]
    for name, function, without, aim in tqdm(figures, unit="figure", leave=False):
        made.add_row(name, f"{1e9 * each(function, without):.2f} ns", aim)
    return made


def each(function: Callable[..., Any], without: Callable[..., Any] | None) -> float:
    """Seconds of one iteration; what the loop takes without the feature is taken off."""
    n, xs = gw.constant(COUNT, gw.int64), gw.constant([0, 1, 2, 3, 4, 5, 6, 7], gw.int64)
    plain = [one for one in (function, without) if one]
    staged = [gw.function(one) for one in plain]
    for ours, theirs in zip(staged, plain, strict=True):
        assert int(ours(n, xs)) == theirs(COUNT, range(8)), "the answers differ"
    rounds = [[thread_seconds(lambda one=one: one(n, xs)) for one in staged] for _ in range(ROUNDS)]
    return statistics.median(times[0] - sum(times[1:]) for times in rounds) / COUNT
