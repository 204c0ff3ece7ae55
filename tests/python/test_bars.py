"""`tqdm` over what the graph iterates (`docs/guide/host-calls.md`)."""

from __future__ import annotations

import io
import re

import pytest
from tqdm import tqdm, trange

import graphwright as gw
from host_ways import three_ways


def shown(file):
    """How far the bar says that it came each time, and how far there was to go."""
    return [(int(n), int(of)) for n, of in re.findall(r"\| (\d+)/(\d+) \[", file.getvalue())]


@three_ways
def test_a_range(way):
    file = io.StringIO()

    def f(n):
        total = 0
        for i in tqdm(gw.range(n), desc="turns", file=file):
            total += i
        else:
            total += 100
        return total

    assert way(f, gw.constant(1000)) == 499600
    assert shown(file)[0] == (0, 1000) and shown(file)[-1] == (1000, 1000)
    assert "turns: 100%" in file.getvalue()


@three_ways
def test_datasets(way):
    file = io.StringIO()
    known = gw.data.Dataset.range(300)

    def f(n):
        total = gw.constant(0, gw.int64)
        for x in tqdm(known, file=file):
            total += x
        for x in tqdm(known.filter(lambda x: x < n), file=file):
            total += x
        return total

    assert way(f, gw.constant(100, gw.int64)) == 300 * 299 // 2 + 100 * 99 // 2
    assert shown(file)[-1] == (300, 300) and "100it [" in file.getvalue()


def test_bars_of_python_stay_pythons():
    file = io.StringIO()

    @gw.function
    def f(x):
        for k in tqdm(range(3), file=file):
            x = x + k
        for k in tqdm([x, x], file=file, desc="list"):
            x = x + k
        return x

    assert f(gw.constant(1)) == 12 and "3/3" in file.getvalue() and "list: 100%" in file.getvalue()


def test_no_turns():
    file = io.StringIO()

    @gw.function
    def f(n):
        for _ in tqdm(gw.range(n), file=file):
            n = n + 1
        return n

    assert f(gw.constant(0)) == 0 and "0it" in file.getvalue()


@three_ways
def test_rows_that_are_left_early(way):
    file = io.StringIO()

    def f(rows):
        total = 0.0
        for row in tqdm(rows, file=file):
            if row > 2.5:
                break
            total += row
        return total

    assert way(f, gw.constant([1.0, 2.0, 3.0, 4.0])) == 3.0
    assert way(f, gw.constant([1.0, 2.0])) == 3.0
    assert shown(file)[-1] == (2, 2)


@three_ways
def test_bars_in_bars(way):
    file = io.StringIO()

    def f(n):
        total = 0
        for i in trange(n, file=file):
            for j in tqdm(gw.range(2), file=file, leave=False):
                total += i * j
        for k, j in enumerate(tqdm(gw.range(3), file=file)):
            total += k * j
        return total

    assert way(f, gw.constant(3)) == 8


def test_the_bar_moves_while_the_loop_runs():
    file = io.StringIO()

    @gw.function
    def f(n, x):
        for _ in tqdm(gw.range(n), file=file):
            x = gw.sin(x) + 1.0
        return x

    f(gw.constant(30_000_000), gw.constant(1.0))
    assert len({n for n, _ in shown(file)}) > 3


@pytest.mark.parametrize("options", [{"disable": True}, {"total": 7}])
def test_options(options):
    file = io.StringIO()

    @gw.function
    def f(n):
        total = 0
        for i in tqdm(gw.range(n), file=file, **options):
            total += i
        return total

    assert f(gw.constant(7)) == 21
    assert shown(file)[-1:] == ([] if "disable" in options else [(7, 7)])
