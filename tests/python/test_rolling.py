"""Loops over Python's numbers: long ones become loops of the graph by themselves, and give what unrolled ones give."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest

import graphwright as gw

RANDOM = np.random.default_rng(11)


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def heat(u):
    for _ in range(40):
        v = u.copy()
        for i in range(1, u.shape[0] - 1):
            v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1])
        u = v
    return u


def shortest(d):
    d = d.copy()
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[0]):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def factors(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def histogram(x):
    h = np.zeros(10, dtype=np.int64)
    for i in range(len(x)):
        h[int(x[i] * 10)] += 1
    return h


def distance(a, b):
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
    s = 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


def primes(flags):
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
    r = 0.0
    for i in range(len(c) - 1, -1, -1):
        r = r * x + c[i]
    return r


def substitution(a, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s = s - a[i, j] * x[j]
        x[i] = s / a[i, i]
    return x


def knapsack(w, v):
    best = np.zeros(41, dtype=np.int64)
    for i in range(len(w)):
        for c in range(40, 0, -1):
            if c >= w[i]:
                best[c] = max(best[c], best[c - w[i]] + v[i])
    return best


def bubble(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                t = x[j] + 0.0
                x[j] = x[j + 1]
                x[j + 1] = t
    return x


def transposed(a):
    out = np.zeros((a.shape[1], a.shape[0]))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]
    return out


def closest(p):
    best = np.inf
    for i in range(p.shape[0]):
        for j in range(i + 1, p.shape[0]):
            best = min(best, (p[i, 0] - p[j, 0]) ** 2 + (p[i, 1] - p[j, 1]) ** 2)
    return best


def smoothed(image):
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
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def simpson(x):
    s = x[0] + x[len(x) - 1]
    for i in range(1, len(x) - 1):
        s += (4.0 if i % 2 == 1 else 2.0) * x[i]
    return s / 3.0


def first_negative(x):
    found = -1
    for i in range(len(x)):
        if x[i] < 0:
            found = i
            break
    return found


def skipped(x):
    s = 0.0
    for i in range(0, len(x), 3):
        if x[i] > 0.5:
            continue
        s += x[i] * i
    return s, i


def pascal(x):
    rows = np.zeros((30, 30), dtype=np.int64)
    for i in range(30):
        rows[i, 0] = x[0]
        for j in range(1, i + 1):
            rows[i, j] = rows[i - 1, j - 1] + rows[i - 1, j]
    return rows


def some(*lengths):
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


def copied(arguments):
    return [np.copy(one) if np.ndim(one) else one for one in arguments]


def agree(ours, wanted):
    if isinstance(wanted, tuple):
        return all(agree(a, b) for a, b in zip(ours, wanted, strict=True))
    return np.allclose(np.asarray(ours), wanted, rtol=1e-12)


@pytest.mark.parametrize(("nest", "arguments"), NESTS, ids=lambda value: getattr(value, "__name__", ""))
def test_loop_nests_over_arrays(nest, arguments):
    wanted, staged = nest(*copied(arguments)), gw.function(nest)
    for _ in range(2):
        assert agree(staged(*copied(arguments)), wanted)


@pytest.mark.parametrize(("nest", "arguments"), NESTS[:8], ids=lambda value: getattr(value, "__name__", ""))
def test_their_graphs_are_small(nest, arguments):
    graph = gw.function(nest).get_concrete_function(*copied(arguments)).graph
    assert "while" in str(graph)
    assert len(str(graph).splitlines()) < 500


def test_a_short_loop_is_unrolled():
    def powers(x):
        for _ in range(5):
            x = x * x
        return x

    graph = gw.function(powers).get_concrete_function(gw.TensorSpec([])).graph
    assert "while" not in str(graph)


def test_the_counter_stays_a_number_of_pythons():
    def f(x):
        s = 0.0
        for i in range(300):
            if i == 0:
                s = x
            elif isinstance(i, int) and i % 7 == 3:
                s = s + i / 2
            else:
                s = s * 1.0 + 0.25
        return s, i

    ours, wanted = gw.function(f)(gw.constant(2.0, gw.float64)), f(2.0)
    assert ours[0].item() == wanted[0]
    assert int(ours[1]) == wanted[1]


NAMES = ["a", "b", "c"]


def test_what_cannot_be_staged_is_unrolled():
    def indexed(x):
        seen = {}
        for i in range(200):
            x = x * 1.0 + len(NAMES[i % 3] * 2) + math.comb(i % 5, 2)
            x = x + 1.0 - 1.0
            seen[NAMES[i % 3]] = i
        return x, seen["a"]

    ours, wanted = gw.function(indexed)(gw.constant(1.0, gw.float64)), indexed(1.0)
    assert ours[0].item() == wanted[0]
    assert int(ours[1]) == wanted[1]


def test_a_failed_attempt_leaves_nothing_behind():
    log, objects = [], []

    class Counter:
        total = 0

    counter = Counter()

    def f(x):
        items = []
        for i in range(150):
            x = x + 1.0
            x = x * 1.0
            x = x - 0.5
            x = x + 0.25
            items.append(NAMES[i % 3])
            counter.total += 1
        return x, len(items), counter.total

    ours, wanted = gw.function(f)(gw.constant(1.0, gw.float64)), None
    counter.total = 0
    wanted = f(1.0)
    assert ours[0].item() == wanted[0]
    assert [int(ours[1]), int(ours[2])] == [wanted[1], wanted[2]]
    assert not log and not objects


def test_exceptions_of_a_turn():
    def f(x):
        for i in range(300):
            x[i] = x[i] + 1.0
        return x

    with pytest.raises(IndexError):
        gw.function(f)(np.zeros(200))


def test_a_while_over_pythons_numbers():
    def f(x):
        i, s = 0, 0.0
        while i * i < 4000:
            s += x[i] * i
            i += 1
        return s, i

    x = some(64)
    ours, wanted = gw.function(f)(x), f(x)
    assert agree(ours, wanted)
    assert "while" in str(gw.function(f).get_concrete_function(x).graph)


def test_a_while_that_python_ends_is_unrolled():
    def f(x):
        waiting = list(range(40))
        while waiting:
            x = x * 1.0 + waiting.pop()
        return x

    assert gw.function(f)(gw.constant(1.0, gw.float64)).item() == f(1.0)


def test_derivatives_of_rolled_loops():
    def f(x):
        s = x * 0.0
        for i in range(200):
            s = s * 0.5 + x * x * (i % 3)
        return s

    x = gw.constant(1.5, gw.float64)
    unrolled = gw.function(f, roll=False)
    assert gw.grad(gw.function(f))(x).item() == pytest.approx(gw.grad(unrolled)(x).item(), rel=1e-12)


def test_the_option():
    def f(x):
        for _ in range(800):
            x = x + 1
        return x

    spec = gw.TensorSpec([], gw.int32)
    for roll, is_loop in [("auto", True), (True, True), (False, False)]:
        function = gw.function(f, roll=roll)
        assert function(gw.constant(0)).item() == 800
        assert ("while" in str(function.get_concrete_function(spec).graph)) == is_loop
    with pytest.raises(ValueError, match="`roll` is True, False or"):
        gw.function(f, roll="never")


def test_a_loop_that_fills_the_graph_is_noticed_and_then_refused():
    def f(x, n):
        for _ in range(n):
            x = x + 1
        return x

    with pytest.warns(gw.errors.UnrolledLoopWarning, match=r"`f`.*5\d\d\d operations.*gw.range"):
        gw.function(f, roll=False)(gw.constant(0), 5200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=r"GW118(?s:.)*test_rolling\.py:\d+"):
            gw.function(f, roll=False)(gw.constant(0), 200_000)


def counted_in_a_branch(x, n):
    if x > 0.0:
        y = x
    else:
        k = 0
        while k < n:
            k += 1
        y = x + k
    return y


def summed_in_a_loop(x, n):
    y = x
    for _ in gw.range(2):
        if x < 0.0:
            for k in range(n):
                y = y + 0.0 if k < 0 else y
    return y


def counted_by_a_closure(x, n):
    turns = 0

    def count():
        nonlocal turns
        turns += 1
        return turns

    if x < 0.0:
        done = False
        while done is False:
            done = count() > n
        x = x + turns
    return x


@pytest.mark.parametrize("plain", [counted_in_a_branch, summed_in_a_loop, counted_by_a_closure])
def test_a_long_loop_of_pythons_in_a_branch_that_is_not_taken_ends(plain):
    function = gw.function(plain)
    for _ in range(2):
        assert float(function(gw.constant(1.0, gw.float64), 2**31)) == 1.0
    few = gw.function(plain)
    assert float(few(gw.constant(-1.0, gw.float64), 200_000)) == plain(-1.0, 200_000)


def test_a_loop_in_a_branch_that_neither_ends_nor_is_staged_is_refused():
    def endless(x, n):
        y = x
        if x < 0.0:
            for k in itertools.count():
                if k == n:
                    break
            y = y + 1.0
        return y

    with pytest.raises(ValueError, match=r"(?s)GW118: Python loops ran .*itertools\.count") as caught:
        gw.function(endless)(gw.constant(1.0), 2**31)
    assert "before the statement" in str(caught.value)

    def before(x, n):
        k = next(k for k in itertools.count() if k == n)
        return x + k if x < 0.0 else x

    assert float(gw.function(before)(gw.constant(1.0), 1000)) == 1.0


def test_a_long_loop_outside_of_branches_is_pythons():
    def function(x):
        k = 0
        while k < 2_200_000:
            k += 1
        return x + k

    assert float(gw.function(function)(gw.constant(1.0, gw.float64))) == 2_200_001.0
