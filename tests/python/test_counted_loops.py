"""Loops whose turns can be counted give what plain Python gives, whatever their turns touch, and where a check fails."""

import itertools

import numpy as np
import pytest

import graphwright as gw


def shifted(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        a[i + to] = a[i + off] * 0.5 + b[i]


def by_while(a, b, first, last, step, to, off):
    i = first
    while i < last:
        a[i + to] = a[i + off] * 0.5 + b[i]
        i += step


def one_element(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        a[i + to] = a[off] + b[i]


def two_stores(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        a[i + to] = b[i] + 1.0
        a[i + off] = a[i + to] * 2.0


def in_a_branch(a, b, first, last, step, to, off):
    s = 0.0
    for i in range(first, last, step):
        if b[i] > 0.5:
            a[i + to] = a[i + off] + 1.0
        else:
            s = s + a[i + off]
    return s


def backwards(a, b, first, last, step, to, off):
    for i in range(last, first, -step):
        a[i + to] = a[i + off] - b[i]


def inserted(a, b, first, last, step, to, off):
    for k in range(first, last, step):
        x = a[k]
        i = k - 1
        while i >= 0 and a[i + off] > x:
            a[i + to] = a[i + off]
            i -= 1
        a[i + to] = x


def until_less(a, b, first, last, step, to, off):
    i = first
    while i < last and b[i + off] < 8.0:
        a[i + to] += b[i]
        i += step
    return i


def until_found(a, b, first, last, step, to, off):
    s = 0.0
    for i in range(first, last, step):
        s += b[i + off]
        if s > 40.0:
            break
        if b[i] < 2.0:
            continue
        a[i + to] = s
    return s


def downwards(a, b, first, last, step, to, off):
    i = last - 1
    while b[i] > 1.0 and i > first:
        a[i + to] = max(a[i + off], b[i])
        i -= step
    return i


def one_total(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        a[to] += a[i + off] * b[i]


def two_totals(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        a[to] -= b[i]
        a[off] += a[to] * 0.5


def total_and_element(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        a[to] = a[to] * 0.5 + b[i]
        a[i + off] = a[to]


def total_in_a_branch(a, b, first, last, step, to, off):
    for i in range(first, last, step):
        if b[i] > 4.0:
            a[to] += b[i]


def counts(a, b, first, last, step, to, off):
    n, m = 0, 7
    for i in range(first, last, step):
        if b[i] > 4.0:
            n += 1
        else:
            m -= 3
        if a[i + off] < b[i]:
            m = 2 + m
        elif b[i] > 2.0:
            n -= i
    a[to] = m
    return n


def outcome(f, numbers, dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.random(24) * 9).astype(dtype), (rng.random(24) * 9).astype(dtype)
    try:
        result = f(a, b, *numbers)
    except IndexError:
        result = IndexError
    return (float(result) if result is not None and result is not IndexError else result), a.tobytes()


def numbers():
    ranges = [
        (0, 24, 1),
        (1, 23, 1),
        (3, 20, 1),
        (5, 6, 1),
        (7, 7, 1),
        (0, 24, 3),
        (-24, 0, 1),
        (-2, 3, 1),
        (2, 26, 1),
    ]
    shifts = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (2, -2), (0, 9), (9, 0), (0, -30)]
    return [(*r, *s) for r, s in itertools.product(ranges, shifts)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "program",
    [
        shifted,
        by_while,
        one_element,
        two_stores,
        in_a_branch,
        backwards,
        inserted,
        until_less,
        until_found,
        downwards,
        one_total,
        two_totals,
        total_and_element,
        total_in_a_branch,
        counts,
    ],
)
def test_turns_touch_what_others_store(program, dtype):
    graph = gw.function(program, python_numbers="staged")
    for these in numbers():
        assert outcome(graph, these, dtype) == outcome(program, these, dtype), these


def fill(a, n):
    for i in range(n):
        a[i] = i


def grow(a, n):
    k = 2**62
    for i in range(n):
        k += 2**58
        a[i] = k % 7


def flags(a, b, out):
    n = 0
    for i in range(len(a)):
        out[i] = not a[i]
        b[i] = a[i] and not b[i]
    for i in range(len(out)):
        if out[i]:
            n += 1
    return n


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_loops_over_bools_alone(count):
    graph = gw.function(flags, roll=True)
    rng = np.random.default_rng(count)
    given = [rng.random(count) < 0.5 for _ in range(3)]
    own, plain = [[x.copy() for x in given] for _ in range(2)]
    assert int(graph(*own)) == flags(*plain)
    assert all(np.array_equal(x, y) for x, y in zip(own, plain, strict=True))


def counted(a, start):
    n = start
    for i in range(len(a)):
        if a[i] > 0:
            n += 1
    return n


def test_counts_in_branches_raise_where_they_do():
    graph = gw.function(counted, python_numbers="staged", roll=True)
    a = np.array([1, -1, 1, 1])
    assert int(graph(a, 2**63 - 4)) == counted(a, 2**63 - 4)
    with pytest.raises(OverflowError, match="9223372036854775807 \\+ 1 does not fit"):
        graph(a, 2**63 - 3)


def test_long_loops_ask_in_between_whether_to_go_on():
    graph = gw.function(fill)
    a = np.zeros(2**24 + 5, np.float32)
    graph(a, len(a))
    assert np.array_equal(a, np.arange(len(a), dtype=np.float32))


def test_sums_that_leave_64_bits_raise_where_they_do():
    graph = gw.function(grow, python_numbers="staged")
    for n in (3, 15, 16, 20):
        a, b = np.zeros(20, np.int64), np.zeros(20, np.int64)
        grow(b, n)
        if n < 16:
            graph(a, n)
            assert np.array_equal(a, b)
        else:
            with pytest.raises(OverflowError):
                graph(a, n)
