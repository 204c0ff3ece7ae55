"""What calls of the host mean for the program around: exceptions, variables, derivatives, memory, the disk."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import traceback
import weakref

import numpy as np
import pytest

import graphwright as gw
from host_ways import NUMBER, ROW, plainly, staged, three_ways, values


class Own(Exception):
    pass


@three_ways
def test_exceptions_come_back_as_themselves(way):
    error = Own("mine")

    def fails(x):
        if x > 1:
            raise error
        return x

    def f(x):
        y = x + 1
        return gw.py_function(fails, [y], NUMBER)

    with pytest.raises(Own) as caught:
        way(f, gw.constant(1.0))
    assert caught.value is error
    entries = [entry.name for entry in traceback.extract_tb(caught.tb)]
    assert entries[-2:] == ["f", "fails"]
    assert values(way(f, gw.constant(-1.0))) == 0.0


def test_a_try_around_is_refused():
    @gw.function
    def f(x):
        try:
            return gw.py_function(lambda v: v, [x], NUMBER)
        except ValueError:
            return x

    with pytest.raises(ValueError, match="GW115"):
        f(gw.constant(1.0))


def test_variables_hold_what_python_would_have_put_there():
    seen = []
    v = gw.Variable(1.0)

    def fails(x):
        seen.append(float(v))
        if x > 2:
            raise Own

    def f(x):
        v.assign_add(x)
        gw.py_function(fails, [x], [])
        for _ in gw.range(2):
            v.assign_add(x)
            gw.py_function(fails, [x], [])
        return v + 0.0

    for way in (plainly, staged):
        v.assign(1.0)
        seen.clear()
        assert way(f, gw.constant(2.0)) == 7.0 and v.numpy() == 7.0
        assert seen == [3.0, 5.0, 7.0]
        with pytest.raises(Own):
            way(f, gw.constant(3.0))
        assert v.numpy() == 10.0


def test_variables_as_arguments():
    @gw.host
    def read(v) -> float:
        return float(v.numpy())

    @gw.function
    def f(v):
        v.assign_add(1.0)
        return read(v)

    first, second = gw.Variable(1.0), gw.Variable(10.0)
    assert f(first) == 2.0 and f(second) == 11.0 and second.numpy() == 11.0


def test_variables_assigned_by_the_host_are_told():
    v = gw.Variable(1.0)

    @gw.function
    def f(x):
        gw.py_function(lambda: v.assign(5.0), [], [], name="sets")
        return v + x

    with pytest.raises(RuntimeError, match="`sets` assigns to the variable"):
        f(gw.constant(1.0))


def test_stores_into_arguments_are_told():
    def store(x):
        x[0] = 9.0

    @gw.function
    def f(x):
        gw.py_function(store, [x], [])
        return x

    with pytest.raises(RuntimeError, match="`store` stores into a tensor that a graph gave it"):
        f(gw.constant([1.0, 2.0]))


def test_the_host_may_call_graphs():
    @gw.function
    def down(n):
        if n > 0:
            return gw.py_function(lambda v: down(v - 1) + 1, [n], gw.TensorSpec([], gw.int32))
        return n

    assert down(gw.constant(30)) == 30
    results = []

    def in_thread(v):
        worker = threading.Thread(target=lambda: results.append(down(v)))
        worker.start()
        worker.join()
        return results[-1]

    assert (
        gw.function(lambda n: gw.py_function(in_thread, [n], gw.TensorSpec([], gw.int32)))(gw.constant(3))
        == 3
    )


@pytest.mark.parametrize("limit", [1000, 1_000_000])
def test_endless_recursion_is_told(limit):
    @gw.function
    def deeper(x):
        return gw.py_function(lambda v: deeper(v + 1), [x], NUMBER)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        with pytest.raises(RecursionError):
            deeper(gw.constant(1.0))
    finally:
        sys.setrecursionlimit(before)
    assert gw.function(lambda x: gw.py_function(lambda v: v, [x], NUMBER))(gw.constant(2.0)) == 2.0


def test_functions_live_as_long_as_their_graphs():
    class Held:
        pass

    def made():
        held = Held()

        @gw.function
        def f(x):
            gw.py_function(lambda: (f, held), [], [])
            return x

        f(gw.constant(1.0))
        return f, weakref.ref(held)

    f, held = made()
    gc.collect()
    assert held() is not None
    f(gw.constant(1.0))
    del f
    gc.collect()
    assert held() is None


def test_derivatives():
    calls = []

    def weight(i):
        calls.append(int(i))
        return float(i) + 1

    def f(x):
        total = 0.0 * x
        for i in gw.range(3):
            total = total + gw.exp(x * gw.py_function(weight, [i], NUMBER))
        return total

    x = gw.constant(0.5)
    wanted = sum(k * np.exp(k * 0.5) for k in (1, 2, 3))
    with gw.GradientTape() as outer:
        outer.watch(x)
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = gw.function(f)(x)
        slope = tape.gradient(y, x)
    assert calls == [0, 1, 2]
    assert np.allclose(slope, wanted) and calls == [0, 1, 2]
    assert np.allclose(outer.gradient(slope, x), sum(k * k * np.exp(k * 0.5) for k in (1, 2, 3)))

    @gw.function
    def inside(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    assert np.allclose(inside(x), wanted) and calls == [0, 1, 2] * 2


def test_derivatives_through_the_host():
    @gw.custom_gradient
    def square(x):
        return gw.py_function(lambda v: v.numpy() ** 2, [x], NUMBER), lambda upstream: upstream * 2 * x

    def bare(x):
        return gw.py_function(lambda v: v.numpy() ** 2, [x], NUMBER)

    def slope(f, x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * 3
        return tape.gradient(y, x)

    x = gw.constant(1.5)
    assert slope(square, x) == 9.0
    assert slope(gw.function(square), x) == 9.0
    assert gw.function(lambda x: slope(square, x))(x) == 9.0
    for refused in (lambda: slope(gw.function(bare), x), lambda: gw.function(lambda x: slope(bare, x))(x)):
        with pytest.raises(ValueError, match="GW125"):
            refused()


def test_a_branch_that_would_ask_again_is_refused():
    @gw.function
    def f(x):
        with gw.GradientTape() as tape:
            tape.watch(x)
            y = gw.exp(x * gw.py_function(lambda: 2.0, [], NUMBER)) if x > 0 else x
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match="GW125"):
        f(gw.constant(1.0))


def test_rows():
    plus = gw.vmap(lambda x: gw.py_function(lambda v: v.numpy() + 1, [x], NUMBER))
    assert values(plus(gw.constant([1.0, 2.0, 3.0]))) == [2.0, 3.0, 4.0]


def test_several_threads():
    @gw.function
    def f(x):
        for _ in gw.range(50):
            x = gw.py_function(lambda v: v + 1, [x], NUMBER)
        return x

    results = {}
    workers = [
        threading.Thread(target=lambda k=k: results.update({k: float(f(gw.constant(float(k))))}))
        for k in range(4)
    ]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert results == {k: k + 50.0 for k in range(4)}


def test_the_graph_shows_the_function():
    def named(v):
        return v

    @gw.function
    def f(x):
        return gw.py_function(named, [x], ROW)

    text = str(f.get_concrete_function(gw.TensorSpec([None], gw.float32)).graph)
    assert 'host_call %x name="named" number=0 gives=[f32[?]] : f32[?1]' in text


def test_a_dtype_alone():
    called = []

    @gw.function
    def f(x, n):
        total = 0
        for i in gw.range(n):
            total += gw.py_function(lambda v: called.append(v.item()) or v * 2, [x + i], gw.int32)
        rows, table = gw.numpy_function(
            lambda v: (np.arange(v, dtype=np.int32), np.ones((1, 2), np.float32)), [x], [gw.int32, gw.float32]
        )
        return total, gw.reduce_sum(rows), table

    for n, wanted, traced in ((2, 14, 0), (3, 24, 1), (3, 24, 1)):
        called.clear()
        total, rows, table = f(gw.constant(3), gw.constant(n))
        assert (total.item(), rows.item(), table.shape) == (wanted, 3, (1, 2))
        assert called == [3, 4, 5][:n] and f.experimental_get_tracing_count() == traced


def test_another_number_of_axes_than_was_seen():
    shapes = iter([(2,), (3,), (2, 2), (2,)])

    @gw.function
    def f(x):
        return gw.py_function(lambda v: gw.ones(next(shapes)), [x], gw.float32)

    assert f(gw.constant(1)).shape == (2,)
    assert f(gw.constant(1)).shape == (3,)
    with pytest.raises(
        ValueError, match=r"gives float32 of shape \(2, 2\) where it promises float32 of shape \(None,\)"
    ):
        f(gw.constant(1))
    assert f(gw.constant(1)).shape == (2,)


def test_a_dtype_alone_for_a_graph_that_is_asked_for():
    f = gw.function(lambda x: gw.py_function(lambda v: v, [x], gw.float32))
    with pytest.raises(TypeError, match="GW126: a graph has to know the number of axes that a result"):
        f.get_concrete_function(gw.constant(1.0))


UNUSABLE = [
    (lambda x: gw.py_function(3, [x], NUMBER), "the first argument is the function"),
    (lambda x: gw.py_function(lambda v: v, [x], object), "does not say what"),
    (lambda x: gw.host(lambda v: v)(x), "its annotation does not say what it gives"),
]


@pytest.mark.parametrize("call, message", UNUSABLE)
def test_what_a_graph_cannot_call(call, message):
    with pytest.raises(TypeError, match="GW126") as caught:
        gw.function(call)(gw.constant(1.0))
    assert message in str(caught.value)


def test_marked_functions_stay_functions():
    @gw.host
    def plus(x: float, y: float = 1.0) -> float:
        """Adds."""
        return x + y

    assert plus(1.0) == 2.0 and plus.__name__ == "plus" and plus.__doc__ == "Adds."
    assert plus.__wrapped__(2.0, 3.0) == 5.0
    with pytest.raises(TypeError, match="marks a function"):
        gw.host(3)


PROGRAM = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(message)s", level=logging.INFO)
import graphwright as gw
factor = float(sys.argv[1])

@gw.function
def f(x):
    for i in gw.range(3):
        x = gw.py_function(lambda v: v * factor, [x], gw.TensorSpec([], gw.float32)) + gw.cast(
            gw.numpy_function(lambda v: v, [i], gw.TensorSpec([], gw.int32)), gw.float32)
    return x

print(f(gw.constant(1.0)).item())
"""


def test_code_on_the_disk_calls_the_functions_of_its_process(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = dict(
        os.environ,
        GRAPHWRIGHT_CACHE_DIR=str(tmp_path / "cache"),
        GRAPHWRIGHT_VERBOSITY="1",
        GRAPHWRIGHT_CACHE="1",
    )

    def run(factor):
        call = [sys.executable, str(program), factor]
        return subprocess.run(call, env=environment, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )

    first, second = run("2"), run("3")
    assert first[-2] == "12.0" and second[-2] == str(((1 * 3 + 0) * 3 + 1) * 3.0 + 2)
    if logging.getLogger("graphwright") and "keeping the code of `f`" in first:
        assert "the code of `f` was kept" in second
