"""Functions under stress: thousands of shapes, a hundred thousand calls, threads that trace and call at once."""

from __future__ import annotations

import dataclasses
import functools
import gc
import os
import pathlib
import threading
import time
import weakref

import numpy as np
import pytest

import graphwright as gw


def resident_bytes():
    """The memory of this process that is in RAM; 0 where the system has no such file."""
    statm = pathlib.Path("/proc/self/statm")
    return (
        int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
        if statm.exists()
        else 0
    )


class Scaler:
    def __init__(self, by):
        self.by = by

    def scale(self, x):
        return x * self.by

    @gw.function
    def traced(self, x):
        return x * self.by


@dataclasses.dataclass
class Pair:
    first: object
    second: object


@gw.function
def apply(function, x):
    return function(x)


@gw.function
def total(pair):
    return pair.first + pair.second


def test_ten_thousand_shapes_make_three_traces_at_most():
    @gw.function(reduce_retracing=True)
    def function(x):
        return gw.reduce_sum(x) if x.shape[0] == 1 else gw.reduce_sum(x * 2.0)

    ones = np.ones(200_000, np.float32)
    shapes = [(rows, columns) for rows in range(1, 101) for columns in range(1, 101)]
    assert len(set(shapes)) == 10_000
    for rows, columns in shapes:
        found = function(gw.constant(ones[: rows * columns].reshape(rows, columns)))
        assert found.item() == rows * columns * (1 if rows == 1 else 2)
    assert function.experimental_get_tracing_count() <= 3


def calls_with_what_is_made_anew(times):
    """Calls whose arguments live for one call each."""
    x = gw.constant(2.0)
    scaler = Scaler(3.0)
    for at in range(times):
        assert apply(scaler.scale, x).item() == 6
        assert apply(lambda y: y + 1.0, x).item() == 3
        assert total(Pair(x, gw.constant(1.0))).item() == 3
        assert apply(functools.partial(np.add, 1.0), x).item() == 3
        assert scaler.traced(x).item() == 6
        if at % 100 == 0:
            # Each of these makes a graph, which goes with the object.
            assert Scaler(4.0).traced(x).item() == 8
            assert apply(Scaler(5.0).scale, x).item() == 10
            assert apply((lambda held: lambda y: y * held.by)(Scaler(6.0)), x).item() == 12


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_a_hundred_thousand_calls_leave_the_memory_as_it_was():
    calls_with_what_is_made_anew(2_000)
    gc.collect()
    objects, bytes_before = len(gc.get_objects()), resident_bytes()
    calls_with_what_is_made_anew(20_000)
    gc.collect()
    assert len(gc.get_objects()) - objects < 500
    assert resident_bytes() - bytes_before < 4_000_000
    assert apply.cache_info().currsize < 20


class Held:
    """Something to be held, and to be seen to go."""

    w = 2.0

    def __call__(self, x):
        return x * self.w


def held_by_a_function_that_names_itself(held, x):
    @gw.function
    def function(x, again=True):
        return function(x, False) if again else x * held.w

    return function(x)


def held_by_a_class_of_its_own(held, x):
    class Model:
        def __init__(self):
            self.held = held

        @gw.function
        def __call__(self, x):
            return x * self.held.w

    return Model()(x)


def held_by_its_own_function(held, x):
    held.function = gw.function(held.__call__)
    return held.function(x)


def held_by_the_functions_attributes(held, x):
    function = gw.function(lambda x: x * held.w)
    function.own = function
    function.concrete = function.get_concrete_function(x)
    return function(x)


def held_by_a_lambda_that_is_an_argument(held, x):
    return apply(lambda y: y * held.w, x)


def held_by_a_list_of_the_closure(held, x):
    items = [held]
    items.append(items)

    @gw.function
    def function(x):
        return x * items[0].w

    return function(x)


def held_as_an_argument(held, x):
    return apply(held, x)


HOLDERS = [value for name, value in list(globals().items()) if name.startswith("held_")]


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
@pytest.mark.parametrize("hold", HOLDERS, ids=lambda hold: hold.__name__)
def test_graphs_go_with_what_they_were_made_for(hold):
    held = Held()
    gone = weakref.ref(held)
    assert hold(held, gw.constant(3.0)).item() == 6
    del held
    gc.collect()
    assert gone() is None


def test_equal_objects_are_one_argument_and_may_go():
    class Equal:
        def __init__(self, by):
            self.by = by

        def __eq__(self, other):
            return isinstance(other, Equal) and other.by == self.by

        def __hash__(self):
            return hash(self.by)

    @gw.function
    def function(equal, x):
        return x * equal.by

    first = Equal(2.0)
    results = [function(equal, gw.constant(1.0)).item() for equal in (first, Equal(2.0), Equal(3.0))]
    assert (results, function.experimental_get_tracing_count()) == ([2, 2, 3], 2)
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_threads_get_right_answers_and_each_signature_is_traced_once():
    made = []

    @gw.function
    def function(x, power, scale=1):
        made.append((x.dtype, x.shape.as_list(), power))
        y = x
        for _ in range(power):
            y = y * x
        return gw.reduce_sum(y) * scale

    dtypes = (np.float32, np.float64, np.int32, np.int64)
    signatures = [(dtype, n, power) for dtype in dtypes for n in (1, 2, 3) for power in (0, 1, 2)]
    barrier, failures = threading.Barrier(8), []

    def work(seed):
        order = np.random.default_rng(seed)
        barrier.wait()
        first = order.permutation(len(signatures)).tolist()
        until = time.monotonic() + SECONDS_OF_THREADS
        while first or time.monotonic() < until:
            dtype, n, power = signatures[first.pop() if first else int(order.integers(len(signatures)))]
            start = int(order.integers(1, 5))
            x = np.arange(start, start + n).astype(dtype)
            found, wanted = function(gw.constant(x), power).item(), (x ** (power + 1)).sum()
            if found != wanted:
                failures.append((dtype, n, power, found, wanted))

    run_all([threading.Thread(target=work, args=(seed,)) for seed in range(8)])
    assert failures == []
    assert len(made) == function.experimental_get_tracing_count() == len(signatures)


SECONDS_OF_THREADS = 10


def run_all(threads):
    for thread in threads:
        thread.daemon = True
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)


def test_two_threads_trace_two_functions_at_once():
    here, there = threading.Event(), threading.Event()

    def waits(own, other):
        @gw.function
        def function(x):
            own.set()
            assert other.wait(timeout=60)
            return x + 1.0

        return function

    results = []
    functions = [waits(here, there), waits(there, here)]

    def call(function):
        results.append(function(gw.constant(1.0)).item())

    run_all([threading.Thread(target=call, args=(f,)) for f in functions])
    assert results == [2, 2]


def test_threads_that_trace_what_each_other_traces_do_not_wait_for_each_other():
    barrier, found = threading.Barrier(2), []

    class Here(threading.local):
        inside = False

    here = Here()

    def calls(at):
        @gw.function
        def function(x):
            with gw.init_scope():
                if not here.inside:
                    here.inside = True
                    barrier.wait(timeout=60)
                    found.append(functions[1 - at](gw.constant(1.0)).item())
            return x

        return function

    functions = [calls(0), calls(1)]
    run_all([threading.Thread(target=f, args=(gw.constant(2.0),)) for f in functions])
    assert found == [1, 1]
