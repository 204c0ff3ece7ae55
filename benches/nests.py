"""Group Q, twenty loop nests over arrays as they are written: their first calls, and the calls after them."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches.fresh import renewed
from benches.peers import Function
from benches.workload import duration

COPIES = 5
"""The median of so many fresh copies counts."""

RANDOM = np.random.default_rng(11)


def product(a, b):
    """A product of matrices."""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def heat(u):
    """Steps of the heat equation in one dimension."""
    for _ in range(40):
        v = u.copy()
        for i in range(1, u.shape[0] - 1):
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1])
        u = v
    return u


def shortest(d):
    """Floyd and Warshall's shortest paths."""
    d = d.copy()
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[0]):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def factors(a):
    """LU factors in place."""
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def histogram(x):
    """A histogram of ten bins."""
    h = np.zeros(10, dtype=np.int64)
    for i in range(len(x)):
        h[int(x[i] * 10)] += 1
    return h


def distance(a, b):
    """The edit distance of two sequences."""
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def sums(x):
    """Running sums."""
    s = 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


def primes(flags):
    """Eratosthenes' sieve."""
    i = 2
    while i * i < len(flags):
        if flags[i]:
            j = i * i
            while j < len(flags):
                flags[j] = False
                j += i
        i += 1
    return flags


def horner(c, x):
    """A polynomial by Horner's scheme."""
    r = 0.0
    for i in range(len(c) - 1, -1, -1):
        r = r * x + c[i]
    return r


def substitution(a, b):
    """A triangular system."""
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s = s - a[i, j] * x[j]
        x[i] = s / a[i, i]
    return x


def knapsack(w, v):
    """The best value of a knapsack."""
    best = np.zeros(41, dtype=np.int64)
    for i in range(len(w)):
        for c in range(40, 0, -1):
            if c >= w[i]:
                best[c] = max(best[c], best[c - w[i]] + v[i])
    return best


def bubble(x):
    """Bubble sort."""
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                t = x[j] + 0.0
                x[j] = x[j + 1]
                x[j + 1] = t
    return x


def transposed(a):
    """A transposed matrix."""
    out = np.zeros((a.shape[1], a.shape[0]))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]
    return out


def closest(p):
    """The least distance of two points."""
    best = np.inf
    for i in range(p.shape[0]):
        for j in range(i + 1, p.shape[0]):
            best = min(best, (p[i, 0] - p[j, 0]) ** 2 + (p[i, 1] - p[j, 1]) ** 2)
    return best


def smoothed(image):
    """An image smoothed by its neighbours."""
    out = np.zeros_like(image)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            s = 0.0
            for a in range(-1, 2):
                for b in range(-1, 2):
                    s += image[i + a, j + b]
            out[i, j] = s / 9.0
    return out


def located(x, wanted):
    """Binary search."""
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def simpson(x):
    """Simpson's rule."""
    s = x[0] + x[len(x) - 1]
    for i in range(1, len(x) - 1):
        s += (4.0 if i % 2 == 1 else 2.0) * x[i]
    return s / 3.0


def first_negative(x):
    """The place of the first negative number."""
    found = -1
    for i in range(len(x)):
        if x[i] < 0:
            found = i
            break
    return found


def skipped(x):
    """A sum of every third number, some left out."""
    s = 0.0
    for i in range(0, len(x), 3):
        if x[i] > 0.5:
            continue
        s += x[i] * i
    return s, i


def pascal(x):
    """Pascal's triangle."""
    rows = np.zeros((30, 30), dtype=np.int64)
    for i in range(30):
        rows[i, 0] = x[0]
        for j in range(1, i + 1):
            rows[i, j] = rows[i - 1, j - 1] + rows[i - 1, j]
    return rows


def some(*lengths):
    """Random numbers."""
    return RANDOM.random(lengths)


NESTS = [
    (product, (some(20, 18), some(18, 22))),
    (heat, (some(60),)),
    (shortest, (some(18, 18),)),
    (factors, (some(16, 16) + 8 * np.eye(16),)),
    (histogram, (some(300),)),
    (distance, (RANDOM.integers(0, 4, 24), RANDOM.integers(0, 4, 22))),
    (sums, (some(400),)),
    (primes, (np.ones(400, dtype=bool),)),
    (horner, (some(300), np.float64(0.75))),
    (substitution, (np.triu(some(18, 18)) + np.eye(18), some(18))),
    (knapsack, (RANDOM.integers(1, 12, 14), RANDOM.integers(1, 30, 14))),
    (bubble, (some(24),)),
    (transposed, (some(20, 24),)),
    (closest, (some(30, 2),)),
    (smoothed, (some(16, 14),)),
    (located, (np.sort(some(500)), np.float64(0.3))),
    (simpson, (some(401),)),
    (first_negative, (np.where(np.arange(300) == 231, -1.0, some(300)),)),
    (skipped, (some(400),)),
    (pascal, (np.array([1]),)),
]


def table() -> Table:
    """Our first call, a call after it, and plain Python's."""
    import graphwright as gw

    made = Table(title="Group Q, loop nests over arrays: processor time (how many times ours it is)")
    for heading in ("nest", "first call, ≤ 50 ms", "a call", "plain Python"):
        made.add_column(heading, justify="left" if heading == "nest" else "right")
    renewed_call(gw.function, product, NESTS[0][1])
    for nest, arguments in tqdm(NESTS, unit="nest", leave=False):
        firsts = [renewed_call(gw.function, nest, arguments) for _ in range(COPIES)]
        staged = gw.function(nest)
        taken(staged, arguments)
        ours = statistics.median(taken(staged, arguments) for _ in range(COPIES))
        plain = statistics.median(taken(nest, arguments) for _ in range(COPIES))
        made.add_row(
            nest.__name__,
            duration(statistics.median(firsts)),
            duration(ours),
            f"{duration(plain)} ({plain / ours:.3g}×)",
        )
    return made


def renewed_call(compiled: Function, nest: Function, arguments: tuple[Any, ...]) -> float:
    """The seconds of the first call of a copy that has not been seen."""
    return taken(compiled(renewed(nest)), arguments)


def taken(function: Function, arguments: tuple[Any, ...]) -> float:
    """The seconds of a call with copies of the arguments."""
    given = [np.copy(one) if np.ndim(one) else one for one in arguments]
    start = time.process_time()
    function(*given)
    return time.process_time() - start
