"""Traces beside other threads: objects hold values of a graph only while no other thread's graph looks at them."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import graphwright as gw

NUMBER = gw.TensorSpec([], gw.float64)


class Counter:
    def __init__(self):
        self.own, self.hosted, self.seen = 0, 0, set()

    def add(self):
        self.own += 1

    def look(self, x):
        before = self.hosted
        self.seen.add(type(self.own))
        time.sleep(0.0005)
        self.hosted = before + 1
        return float(x) + 1


@pytest.fixture(name="often", autouse=True)
def _often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def counted(counter, n):
    for _ in range(n):
        counter.add()
    return counter.own + counter.hosted * 0


def traced_beside(counter, call, times):
    """Traces functions that change `counter` while another thread does `call`, and says how often it did."""
    ended, errors, calls = threading.Event(), [], []

    def beside():
        try:
            while not ended.is_set():
                call()
                calls.append(1)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=beside)
    thread.start()
    try:
        for _ in range(times):
            gw.function(lambda n: counted(counter, n))(gw.constant(0, gw.int64))
    finally:
        ended.set()
        thread.join()
    if errors:
        raise errors[0]
    return len(calls)


def test_the_host_sees_numbers_and_loses_no_store():
    counter = Counter()

    @gw.function
    def asks(x):
        return gw.py_function(counter.look, [x], NUMBER)

    asks(gw.constant(0.5, gw.float64))
    calls = traced_beside(counter, lambda: asks(gw.constant(0.5, gw.float64)), 40)
    assert counter.seen == {int}
    assert counter.hosted == calls + 1


def test_graphs_of_other_threads_read_numbers():
    counter = Counter()

    @gw.function
    def reads(x):
        return x + counter.own

    def call():
        assert reads(gw.constant(2, gw.int64)).numpy() == 2

    traced_beside(counter, call, 40)
    assert reads.experimental_get_tracing_count() == 1


def test_a_trace_goes_on_that_waits_for_a_graph_of_another_thread():
    @gw.function
    def inner(x):
        return x * 2

    def of_thread():
        found = []
        thread = threading.Thread(target=lambda: found.append(int(inner(gw.constant(4, gw.int64)))))
        thread.start()
        thread.join()
        return found[0]

    @gw.function
    def outer(n):
        with gw.init_scope():
            given = of_thread()
        return n + given

    assert outer(gw.constant(1, gw.int64)).numpy() == 9


def test_functions_of_the_host_that_trace_wait_for_no_other():
    def doubled(x):
        return float(gw.function(lambda y: y * 2)(gw.constant(float(x), gw.float64)))

    @gw.function
    def asks(x):
        return gw.py_function(doubled, [x], NUMBER)

    found = []
    threads = [
        threading.Thread(target=lambda: found.append(float(asks(gw.constant(3.0, gw.float64)))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [6.0] * 4


def test_a_refused_argument_lets_no_other_thread_wait():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1.0]})

    @gw.function
    def spread(x):
        return x.std()

    refused = []

    def ask():
        try:
            spread(table)
        except TypeError as error:
            refused.append(str(error))

    for _ in range(2):
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        thread.join(10.0)
    assert len(refused) == 2
    assert "`DataFrame` of pandas" in refused[0]
