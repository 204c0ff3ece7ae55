"""Plain loops over NumPy arrays as a user of Numba writes them, with Graphwright and with Numba."""

from __future__ import annotations

import contextlib
import functools
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches import tally
from benches.timing import thread_seconds

ROUNDS = 15
"""So many pairs of rounds are run; the medians count."""

DATA = 25
"""Calls take turns with so many sets of data: the processor learns the branches of one that comes again."""

Arguments = tuple[Any, ...]


def product(a, b, out):
    """Matrix product by three loops."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def accumulated(a, b, out):
    """Matrix product added up in the result."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                out[i, j] += a[i, k] * b[k, j]


def positive(a):
    """Integers that are more than another, counted."""
    n = 0
    for i in range(len(a)):
        if a[i] > 50:
            n += 1
    return n


def integer_product(a, b):
    """Inner product of integers."""
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def inverted(flags, out):
    """Bools inverted one by one."""
    for i in range(len(flags)):
        out[i] = not flags[i]


def stencil(a, out):
    """One step of Jacobi's iteration, five points."""
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def heat(a, b, steps):
    """Heat in a rod, two arrays in turn."""
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = a[i] + 0.3 * (a[i - 1] - 2.0 * a[i] + a[i + 1])
        for i in range(1, len(a) - 1):
            a[i] = b[i]


def seidel(a):
    """One step of Gauss and Seidel in place."""
    n = a.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def shortest(d):
    """Shortest paths between all pairs, by Floyd and Warshall."""
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                way = d[i, k] + d[k, j]
                if way < d[i, j]:
                    d[i, j] = way


def lower_upper(a):
    """Triangles of a matrix, in place."""
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


def cholesky(a):
    """Root of a positive definite matrix, in place."""
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                a[i, j] -= a[i, k] * a[j, k]
        root = math.sqrt(a[j, j])
        for i in range(j, n):
            a[i, j] /= root


def sparse(values, columns, starts, x, out):
    """Sparse matrix times vector, by compressed rows."""
    for i in range(len(out)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        out[i] = total


def histogram(x, counts):
    """Numbers counted in bins."""
    for i in range(len(x)):
        counts[int(x[i] * len(counts))] += 1


def votes(counts, at):
    """Votes counted, those without a name left out; gives the counts, too."""
    for i in range(len(at)):
        if at[i] >= 0:
            counts[at[i]] += 1
    return counts


def dithered(image):
    """Floyd and Steinberg's dithering, in place; gives the image, too."""
    n, m = image.shape
    for y in range(n):
        for x in range(m):
            old = image[y, x]
            new = 1.0 if old > 0.5 else 0.0
            image[y, x] = new
            error = old - new
            if x + 1 < m:
                image[y, x + 1] += error * 7 / 16
            if y + 1 < n:
                if x > 0:
                    image[y + 1, x - 1] += error * 3 / 16
                image[y + 1, x] += error * 5 / 16
                if x + 1 < m:
                    image[y + 1, x + 1] += error / 16
    return image


def sieve(flags):
    """Primes by Eratosthenes."""
    n = len(flags)
    count = 0
    for i in range(2, n):
        if flags[i] == 1:
            count += 1
            for j in range(i * i, n, i):
                flags[j] = 0
    return count


def life(cells, out):
    """One generation of Conway's game."""
    n, m = cells.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            near = (
                cells[i - 1, j - 1]
                + cells[i - 1, j]
                + cells[i - 1, j + 1]
                + cells[i, j - 1]
                + cells[i, j + 1]
                + cells[i + 1, j - 1]
                + cells[i + 1, j]
                + cells[i + 1, j + 1]
            )
            if near == 3 or (near == 2 and cells[i, j] == 1):
                out[i, j] = 1
            else:
                out[i, j] = 0


def insertion(a):
    """Insertion sort."""
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x


def bubble(a):
    """Bubble sort."""
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]


def distance(a, b, row):
    """Edits between two words, with one row."""
    for j in range(len(b) + 1):
        row[j] = j
    for i in range(len(a)):
        before = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            above = row[j + 1]
            change = before if a[i] == b[j] else before + 1
            row[j + 1] = min(change, above + 1, row[j] + 1)
            before = above
    return row[len(b)]


def viterbi(costs, moves, best, after):
    """Least cost of a way through a trellis."""
    steps, states = costs.shape
    for t in range(steps):
        for j in range(states):
            least = best[0] + moves[0, j]
            for i in range(1, states):
                way = best[i] + moves[i, j]
                if way < least:
                    least = way
            after[j] = least + costs[t, j]
        for j in range(states):
            best[j] = after[j]


def knapsack(weights, gains, best):
    """Greatest gain of each weight."""
    for i in range(len(weights)):
        for w in range(len(best) - 1, weights[i] - 1, -1):
            gain = best[w - weights[i]] + gains[i]
            if gain > best[w]:
                best[w] = gain


def bodies(x, v, m, steps):
    """Bodies that attract each other in the plane."""
    n = x.shape[0]
    for _ in range(steps):
        for i in range(n):
            ax = 0.0
            ay = 0.0
            for j in range(n):
                dx = x[j, 0] - x[i, 0]
                dy = x[j, 1] - x[i, 1]
                r = math.sqrt(dx * dx + dy * dy + 0.01)
                f = m[j] / (r * r * r)
                ax += f * dx
                ay += f * dy
            v[i, 0] += 0.01 * ax
            v[i, 1] += 0.01 * ay
        for i in range(n):
            x[i, 0] += 0.01 * v[i, 0]
            x[i, 1] += 0.01 * v[i, 1]


def monte_carlo(n):
    """Part of a square within a circle, by a generator of its own."""
    state = 12345
    inside = 0
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        x = state / 2147483648.0
        state = (state * 1103515245 + 12345) % 2147483648
        y = state / 2147483648.0
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


def filtered(x, weights, out):
    """A filter of finite length."""
    for i in range(len(out)):
        total = 0.0
        for k in range(len(weights)):
            total += weights[k] * x[i + k]
        out[i] = total


def running(x, out):
    """Sums so far, and the greatest so far."""
    total = 0.0
    greatest = x[0]
    for i in range(len(x)):
        total += x[i]
        greatest = max(greatest, x[i])
        out[i] = total + greatest


def escapes(reals, imaginaries, out):
    """Mandelbrot's set, a number at a time."""
    for i in range(len(imaginaries)):
        for j in range(len(reals)):
            x = 0.0
            y = 0.0
            n = 0
            while n < 50 and x * x + y * y <= 4.0:
                x, y = x * x - y * y + reals[j], 2.0 * x * y + imaginaries[i]
                n += 1
            out[i, j] = n


def cases(seed: int = 0) -> dict[Callable[..., Any], Arguments]:
    """Each program with its arguments, whose numbers come from a seed."""
    rng = np.random.default_rng(seed)
    n = 100
    square, other = rng.random((n, n)), rng.random((n, n))
    definite = square @ square.T + n * np.eye(n)
    starts = np.arange(0, 8 * 1001, 8)
    words = rng.integers(0, 4, (2, 200))
    return {
        product: (square, other, np.zeros((n, n))),
        accumulated: (square, other, np.zeros((n, n))),
        positive: (rng.integers(0, 100, 200_000),),
        integer_product: (rng.integers(0, 100, 200_000), rng.integers(0, 100, 200_000)),
        inverted: (rng.random(200_000) < 0.5, np.zeros(200_000, np.bool_)),
        stencil: (rng.random((300, 300)), np.zeros((300, 300))),
        heat: (rng.random(1000), np.zeros(1000), 50),
        seidel: (rng.random((200, 200)),),
        shortest: (rng.random((n, n)),),
        lower_upper: (definite,),
        cholesky: (definite,),
        sparse: (rng.random(8000), rng.integers(0, 1000, 8000), starts, rng.random(1000), np.zeros(1000)),
        histogram: (rng.random(100_000), np.zeros(64, np.int64)),
        votes: (np.zeros(100_000, np.int64), rng.integers(-2, 50_000, 20_000)),
        dithered: (rng.random((100, 100)),),
        sieve: (np.ones(100_000, np.int64),),
        life: (rng.integers(0, 2, (200, 200)), np.zeros((200, 200), np.int64)),
        insertion: (rng.random(500),),
        bubble: (rng.random(300),),
        distance: (words[0].copy(), words[1].copy(), np.zeros(201, np.int64)),
        viterbi: (rng.random((200, 32)), rng.random((32, 32)), np.zeros(32), np.zeros(32)),
        knapsack: (rng.integers(1, 50, 50), rng.random(50), np.zeros(1000)),
        bodies: (rng.random((50, 2)), np.zeros((50, 2)), rng.random(50), 10),
        monte_carlo: (100_000,),
        filtered: (rng.random(10_015), rng.random(16), np.zeros(10_000)),
        running: (rng.random(100_000), np.zeros(100_000)),
        escapes: (np.linspace(-2.0, 0.5, 100), np.linspace(-1.2, 1.2, 100), np.zeros((100, 100), np.int64)),
    }


def table() -> Table:
    """Each program's time with either package, and the geometric mean of the ratios."""
    staged = functools.partial(gw.function, roll=True)
    return compared_all("Plain loops over NumPy arrays", lambda function, given: staged(function))


def lengths() -> Table:
    """The same with graphs for arrays of any lengths, as Numba's code is."""
    return compared_all("Plain loops over NumPy arrays of any lengths", of_any_lengths)


def of_any_lengths(function: Callable[..., Any], given: Arguments) -> Callable[..., Any]:
    """A function that has met shorter arrays: one graph serves all that follow."""
    staged = gw.function(function, roll=True, reduce_retracing=True)
    for part in (0.7, 0.8):
        with contextlib.suppress(IndexError):
            once(staged, tuple(shortened(one, part) for one in given))
    return staged


def shortened(one: Any, part: float) -> Any:
    """The first part of an array along each axis."""
    if not isinstance(one, np.ndarray):
        return one
    return one[tuple(slice(max(3, int(part * length))) for length in one.shape)].copy()


def compared_all(title: str, make: Callable[[Callable[..., Any], Arguments], Callable[..., Any]]) -> Table:
    """Times of each program as it is made for Graphwright, and with Numba."""
    made = Table(title=f"{title}, the same text (medians of pairs)")
    for heading in ("program", "Graphwright", "Numba", "ratio", "first call"):
        made.add_column(heading, justify="left" if heading == "program" else "right")
    ratios = []
    every = [cases(seed) for seed in range(DATA)]
    for function in tqdm(every[0], unit="program", leave=False):
        data = [given[function] for given in every]
        ours, theirs, ratio, first = compared(function, make(function, data[0]), data)
        ratios.append(ratio)
        program = (function.__doc__ or "").rstrip(".")
        tally.note(title, program, ratio)
        times = [f"{1e6 * one:.1f} µs" for one in (ours, theirs)]
        made.add_row(program, *times, f"{ratio:.2f}", f"{1e3 * first:.1f} ms")
    made.add_section()
    made.add_row("geometric mean", "", "", f"{statistics.geometric_mean(ratios):.2f}", "")
    made.add_row("worst", "", "", f"{max(ratios):.2f}", "")
    return made


def compared(
    function: Callable[..., Any], ours: Callable[..., Any], data: list[Arguments]
) -> tuple[float, float, float, float]:
    """Seconds of a call of ours and of Numba's, the ratio of rounds, and the seconds of our first call."""
    import numba

    theirs, given = numba.njit(function), data[0]
    first = thread_seconds(lambda: once(ours, given))
    found, wanted = once(ours, given), once(theirs, given)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12)
    count = max(len(data), int(0.005 / thread_seconds(lambda: once(theirs, given))))
    rounds = [[each(run, data, count) for run in (ours, theirs)] for _ in range(ROUNDS)]
    ratio = statistics.median(mine / other for mine, other in rounds)
    mine, other = (statistics.median(times) for times in zip(*rounds, strict=True))
    return mine, other, ratio, first


def once(run: Callable[..., Any], given: Arguments) -> list[Any]:
    """The result of a call, and the arrays as it leaves them."""
    own = copied(given)
    result = run(*own)
    return [0.0 if result is None else result, *(one for one in own if isinstance(one, np.ndarray))]


def each(run: Callable[..., Any], data: list[Arguments], count: int) -> float:
    """Seconds of one call of several, with sets of data in turn, each in arrays that are made before."""
    owned = [copied(data[at % len(data)]) for at in range(count)]
    return thread_seconds(lambda: [run(*own) for own in owned]) / count


def copied(given: Arguments) -> Arguments:
    """The arguments with arrays of their own."""
    return tuple(one.copy() if isinstance(one, np.ndarray) else one for one in given)
