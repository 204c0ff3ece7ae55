"""`assign_add` and graphs that assign to variables lose no update of another thread."""

from __future__ import annotations

import sys
import threading

import pytest

import graphwright as gw


@pytest.fixture(autouse=True)
def _short_turns():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(step, times, threads=16):
    def run():
        for _ in range(times):
            step()

    started = [threading.Thread(target=run) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return times * threads


@pytest.mark.parametrize("length", [1, 50_000])
def test_updates_now(length):
    total, less = gw.Variable(gw.zeros([length])), gw.Variable(gw.zeros([length]))
    ones = gw.ones([length])

    def step():
        total.assign_add(ones)
        less.assign_sub(ones)

    count = in_threads(step, 20)
    assert set(total.numpy()) == {count}
    assert set(less.numpy()) == {-count}


def test_rows():
    total = gw.Variable(gw.zeros([4]))
    slices = gw.IndexedSlices(gw.ones([1]), gw.constant([2]))
    count = in_threads(lambda: total.scatter_add(slices), 50)
    assert total.numpy().tolist() == [0.0, 0.0, count, 0.0]


@pytest.mark.parametrize("length", [1, 50_000])
def test_updates_in_graphs(length):
    total = gw.Variable(gw.zeros([length]))

    @gw.function
    def step():
        total.assign_add(gw.ones([length]))
        total.assign(total + 1.0)

    count = in_threads(step, 20)
    assert set(total.numpy()) == {2 * count}


def test_graphs_and_updates_of_several_variables_wait_for_each_other():
    a, b = gw.Variable(gw.zeros([20_000])), gw.Variable(gw.zeros([20_000]))

    @gw.function
    def both(x, y):
        x.assign_add(gw.ones([20_000]))
        y.assign_add(gw.ones([20_000]))

    turn = iter(range(10**6))

    def step():
        if next(turn) % 2:
            both(a, b)
        else:
            both(b, a)
        a.assign_add(gw.ones([20_000]))

    count = in_threads(step, 20)
    assert (set(a.numpy()), set(b.numpy())) == ({2 * count}, {count})
