"""Work that a graph does while the host is called (`docs/guide/host-calls.md`): nobody can tell but by the clock."""

from __future__ import annotations

import linecache
import os
import pathlib
import random
import signal
import sys
import threading
import time

import numpy as np
import pytest

import graphwright as gw

NUMBER = gw.TensorSpec([], gw.float64)
MATRIX = np.random.default_rng(0).normal(size=(200, 200)) / 20


class Host:
    """Adds one, after `pause` seconds; `at` says what else is done in which call."""

    def __init__(self, pause=0.0, at=None):
        self.calls, self.pause, self.at = 0, pause, at or {}

    def __call__(self, x):
        self.calls += 1
        time.sleep(self.pause)
        self.at.get(self.calls, lambda: None)()
        return float(x) + 1


def steps(host):
    """Steps with a call of the host and work that it does not wait for, each."""

    @gw.function
    def run(x, y, n):
        i = 0
        while i < n:
            x = gw.py_function(host, [x], NUMBER)
            z = y
            for _ in gw.range(4):
                z = z @ y
            y = z * 0.5 + MATRIX * 0.5
            i += 1
        return x, y

    def call(n):
        return [np.asarray(part) for part in run(gw.constant(np.float64(0.5)), gw.constant(MATRIX), n)]

    call.graph = run
    return call


def plain(n):
    x, y = 0.5, MATRIX
    for _ in range(n):
        x, z = x + 1, y
        for _ in range(4):
            z = z @ y
        y = z * 0.5 + MATRIX * 0.5
    return x, y


def same(found, n):
    wanted = plain(n)
    assert found[0] == wanted[0]
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-10)


@pytest.fixture(name="two_threads", autouse=True)
def _two_threads():
    before = gw.config.threading.get_intra_op_parallelism_threads()
    gw.config.threading.set_intra_op_parallelism_threads(2)
    yield
    gw.config.threading.set_intra_op_parallelism_threads(before)


def test_other_threads_work_while_the_host_is_called():
    run = steps(Host(pause=0.002))
    found = [run(6) for _ in range(3)]
    same(found[0], 6)
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(other, found[0], strict=True))
    tasks = pathlib.Path("/proc/self/task")
    if tasks.exists():
        assert any((task / "comm").read_text().startswith("graphwright ove") for task in tasks.iterdir())


def test_one_thread_does_all_of_it():
    gw.config.threading.set_intra_op_parallelism_threads(1)
    same(steps(Host(pause=0.001))(6), 6)


def test_what_the_host_raises_ends_the_run():
    def fails():
        raise KeyError("mine")

    host = Host(at={4: fails})
    run = steps(host)
    with pytest.raises(KeyError, match="mine"):
        run(6)
    assert host.calls == 4
    same(run(6), 6)


def test_a_function_of_the_host_calls_the_graph():
    host = Host()
    run = steps(host)
    host.at = {4: lambda: same(run(2), 2)}
    same(run(6), 6)


def test_one_graph_serves_all_calls():
    host = Host()
    run = steps(host)
    for _ in range(3):
        same(run(6), 6)
    assert host.calls == 18
    assert run.graph.experimental_get_tracing_count() == 1


def test_users_threads_run_it_at_once():
    run, failed = steps(Host(pause=0.001)), []

    def often():
        try:
            for _ in range(3):
                same(run(5), 5)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_copy_of_the_process_does_its_own():
    copies = []
    host = Host(at={5: lambda: copies.append(os.fork())})
    run = steps(host)
    run(3)
    found = run(6)
    if copies == [0]:
        os._exit(int(not np.allclose(found[1], plain(6)[1], rtol=1e-10)))
    same(found, 6)
    assert os.waitpid(copies[0], 0)[1] == 0


@pytest.fixture(name="interrupts")
def _interrupts():
    """Python's own handler: what is started in the background of a shell has none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent another way there")
def test_endless_work_is_interrupted():
    @gw.function
    def endless(x, n):
        a = gw.py_function(Host(), [x], NUMBER)
        y = gw.constant(MATRIX)
        while gw.reduce_sum(y) < 1e30 and n > 0:
            y = gw.sin(y @ y)
        return a, y

    endless(gw.constant(np.float64(1)), gw.constant(0))
    for _ in range(2):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            endless(gw.constant(np.float64(1)), gw.constant(1))
    same(steps(Host())(3), 3)


# Random programs: vectors `a`, `b`, `c`, numbers `x`, `y`, calls of the host among all else.

SHAPES = [(6,), (64, 64)]
"""Of what the programs compute with: too little to be worth a thread, and enough."""
VALUES = [
    "{a} * 0.5 + {b}",
    "np.sin({a})",
    "{a} @ WEIGHTS",
    "np.where({a} > {b}, {a}, {b} * 0.3)",
    "sort({a})",
    "{a} - {x}",
    "np.tanh({a} @ WEIGHTS) @ WEIGHTS",
    "{a}[::-1] * 1.0",
]


class Writer:
    def __init__(self, seed):
        self.random, self.lines, self.loops = random.Random(seed), [], 0

    def text(self):
        self.block(1, self.random.randrange(4, 12), 2)
        return "\n".join(["def f(a, b, c, x, y, zero):", *self.lines, "    return a, b, c, x, y"])

    def block(self, indent, count, depth):
        for _ in range(count):
            self.statement(indent, depth)

    def say(self, indent, text):
        a, b, x, y = (self.random.choice(names) for names in ("abc", "abc", "xy", "xy"))
        self.lines.append("    " * indent + text.format(a=a, b=b, x=x, y=y))

    def statement(self, indent, depth):
        kind = self.random.randrange(12 if depth else 8)
        if kind < 4:
            self.say(indent, "{b} = " + self.random.choice(VALUES))
        elif kind < 6:
            self.say(indent, "{y} = number({x})")
        elif kind == 6:
            self.say(indent, "{b} = vector({a})")
        elif kind == 7:
            self.say(indent, "{x} = np.sum({a}) * 0.1")
        elif kind == 8:
            self.say(indent, "if {x} > 0.2:")
            self.block(indent + 1, self.random.randrange(1, 5), depth - 1)
            self.say(indent, "else:")
            self.block(indent + 1, self.random.randrange(1, 4), depth - 1)
        else:
            self.loops += 1
            name = f"i{self.loops}"
            self.lines.append("    " * indent + f"{name} = zero")
            self.lines.append("    " * indent + f"while {name} < {self.random.randrange(1, 4)}:")
            self.block(indent + 1, self.random.randrange(2, 5), depth - 1)
            self.lines.append("    " * (indent + 1) + f"{name} = {name} + 1")


def function_of(text, file, names):
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"np": np, **names}
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed, shape):
    said = []

    def number(x):
        said.append(round(float(x), 6))
        return np.float64(np.cos(x))

    def vector(x):
        said.append(round(float(np.sum(x)), 6))
        return np.asarray(x) * 0.7 + 0.1

    def asked(function, *shape):
        return lambda x: gw.numpy_function(function, [x], gw.TensorSpec(shape, gw.float64))

    text, source = Writer(seed).text(), np.random.default_rng(seed)
    args = [*source.normal(size=(3, *shape)), *map(np.float64, source.normal(size=2))]
    weights = np.random.default_rng(5).normal(size=(shape[-1], shape[-1])) / shape[-1] ** 0.5
    own = function_of(
        text, f"<own {seed}>", {"number": number, "vector": vector, "sort": np.sort, "WEIGHTS": weights}
    )
    wanted, heard = own(*args, 0), list(said)
    calls = {"number": asked(number), "vector": asked(vector, *shape), "sort": gw.sort, "WEIGHTS": weights}
    staged = gw.function(function_of(text, f"<staged {seed}>", calls))
    for _ in range(2):
        said.clear()
        found = staged(*map(gw.constant, args), gw.constant(0))
        assert said == heard, text
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=text)
