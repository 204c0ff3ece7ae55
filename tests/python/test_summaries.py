"""`gw.summary`: files for TensorBoard, written eagerly and by graphs alike (`docs/guide/summaries.md`)."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import graphwright as gw
from event_files import plugins, summaries
from host_ways import three_ways

S = gw.summary


def written(folder, way, f, *args):
    """What a function writes when it is called with a default writer."""
    with S.create_file_writer(folder).as_default():
        way(f, *args)
    return summaries(folder)


@pytest.fixture(autouse=True)
def no_step():
    """A page that was run before may have set one."""
    S.experimental.set_step(None)


@three_ways
def test_loops_and_branches(way, tmp_path):
    def f(n):
        x = gw.constant(1.0)
        for i in gw.range(n):
            x = x * 0.5
            S.scalar("x", x, step=i)
            if i % 2 == 0:
                S.scalar("even", i, step=i - 2)
                continue
            if i > 4:
                break
            S.scalar("odd", x > 0.1, step=i)

    assert written(tmp_path, way, f, gw.constant(9)) == {
        "x": [(i, 0.5 ** (i + 1)) for i in range(6)],
        "even": [(-2, 0.0), (0, 2.0), (2, 4.0)],
        "odd": [(1, 1.0), (3, 0.0)],
    }


@three_ways
def test_nothing_is_written_without_a_writer(way):
    def f(x):
        return S.scalar("x", x), S.histogram("x", x), S.text("x", "x")

    assert [bool(one) for one in way(f, gw.constant(1.0))] == [False] * 3


@three_ways
def test_the_step_that_is_set(way, tmp_path):
    step = gw.Variable(5, dtype=gw.int64)

    def f(n):
        S.experimental.set_step(step)
        for i in gw.range(n):
            S.scalar("variable", i)
            step.assign_add(2)
        for i in gw.range(n):
            S.experimental.set_step(i * 10)
            S.scalar("set", i)
        S.scalar("given", n, step=step)
        return S.experimental.get_step()

    found = written(tmp_path, way, f, gw.constant(2))
    assert found == {
        "variable": [(5, 0.0), (7, 1.0)],
        "set": [(0, 0.0), (10, 1.0)],
        "given": [(9, 2.0)],
    }
    assert int(S.experimental.get_step()) == 10
    S.experimental.set_step(None)


@three_ways
def test_a_with_in_the_function(way, tmp_path):
    one, two = (S.create_file_writer(tmp_path / name) for name in "ab")

    def f(n):
        S.scalar("lost", n, step=0)
        with one.as_default(step=n):
            for i in gw.range(n):
                S.scalar("outer", i)
                with two.as_default(step=i):
                    S.scalar("inner", i)
                    if i == 1:
                        continue
                    S.scalar("late", i)
                if i == 2:
                    break
                S.scalar("end", i, step=i)
        S.scalar("lost", n, step=0)

    way(f, gw.constant(5))
    assert summaries(tmp_path / "a") == {"outer": [(5, 0.0), (5, 1.0), (5, 2.0)], "end": [(0, 0.0)]}
    assert summaries(tmp_path / "b") == {
        "inner": [(0, 0.0), (1, 1.0), (2, 2.0)],
        "late": [(0, 0.0), (2, 2.0)],
    }
    assert S.experimental.get_step() is None


@three_ways
def test_a_function_that_calls_itself_within_a_with_and_without(way, tmp_path):
    writer = S.create_file_writer(tmp_path)

    def factorial(n):
        S.scalar("n", n, step=1)
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    def f(n):
        first = factorial(n)
        with writer.as_default():
            second = factorial(n - 1)
        return first + second + factorial(n)

    way(f, gw.constant(4))
    assert summaries(tmp_path) == {"n": [(1, 3.0), (1, 2.0), (1, 1.0)]}


def test_an_error_of_the_graph_leaves_the_with(tmp_path):
    writer = S.create_file_writer(tmp_path)

    @gw.function
    def f(x):
        with writer.as_default(step=3):
            S.scalar("x", x)
            gw.debugging.assert_positive(x)

    with pytest.raises(gw.errors.InvalidArgumentError):
        f(gw.constant(-1.0))
    assert S.scalar("x", 2.0, step=1) is False
    assert S.experimental.get_step() is None
    f(gw.constant(1.0))
    assert summaries(tmp_path) == {"x": [(3, -1.0), (3, 1.0)]}


def test_each_thread_has_its_writer(tmp_path):
    @gw.function
    def f(x):
        for i in gw.range(20):
            S.scalar("x", x, step=i)

    def work(k):
        with S.create_file_writer(tmp_path / str(k)).as_default():
            f(gw.constant(float(k)))

    threads = [threading.Thread(target=work, args=[k]) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert S.scalar("x", 1.0, step=1) is False
    for k in range(4):
        assert summaries(tmp_path / str(k)) == {"x": [(i, float(k)) for i in range(20)]}


def test_tapes_do_not_mind(tmp_path):
    weight = gw.Variable(3.0)

    def f(n):
        for i in gw.range(n):
            with gw.GradientTape() as tape:
                loss = weight * weight
                S.scalar("loss", loss, step=i)
                if i % 2 == 0:
                    S.scalar("even", weight, step=i)
                    loss = loss * 2.0
            weight.assign_sub(0.125 * tape.gradient(loss, weight))

    found = written(tmp_path / "a", lambda f, n: gw.function(f)(n), f, gw.constant(5))
    weight.assign(3.0)
    assert found == written(tmp_path / "b", lambda f, n: f(n), f, gw.constant(5))
    assert [step for step, _ in found["even"]] == [0, 2, 4]


def test_histograms_and_texts(tmp_path):
    def write():
        S.histogram("h", [0.0, 1.0, 1.0, 4.0, np.nan], step=0, buckets=2)
        S.histogram("same", [2, 2, 2], step=1)
        S.histogram("none", gw.zeros([0]), step=1)
        S.text("t", "hällo", step=2)
        S.text("many", gw.constant(["a", "b"]), step=2**40, description="two")

    written(tmp_path, lambda f: f(), write)
    assert summaries(tmp_path) == {
        "h": [(0, [[0.0, 2.0, 3.0], [2.0, 4.0, 1.0]])],
        "same": [(1, [[2.0, 2.0, 3.0]])],
        "none": [(1, [])],
        "t": [(2, "hällo".encode())],
        "many": [(2**40, [b"a", b"b"])],
    }
    assert plugins(tmp_path)["h"] == "histograms" and plugins(tmp_path)["t"] == "text"


def test_what_is_wrong_is_told(tmp_path):
    with S.create_file_writer(tmp_path).as_default() as writer:
        for call, kind, words in [
            (lambda: S.scalar("x", [1.0, 2.0], 1), ValueError, r"of shape \(2,\)"),
            (lambda: S.scalar("x", "a", 1), TypeError, "numbers"),
            (lambda: S.text("x", 1.0, 1), TypeError, "float32"),
            (lambda: S.scalar("x", 1.0), ValueError, "no step is set"),
            (lambda: gw.function(lambda x: S.scalar("x", x))(1.0), ValueError, "no step is set"),
            (lambda: gw.function(lambda: S.create_file_writer(tmp_path))(), ValueError, "outside"),
        ]:
            with pytest.raises(kind, match=words):
                call()
        writer.close()
        with pytest.raises(RuntimeError, match="already closed"):
            S.scalar("x", 1.0, 1)
    with pytest.raises(RuntimeError, match="already closed"):
        writer.as_default()
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        S.create_file_writer(tmp_path / "file")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_forks_doubles_nothing(tmp_path):
    with S.create_file_writer(tmp_path).as_default():
        S.scalar("x", 1.0, step=1)
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        S.scalar("x", 2.0, step=2)
    assert summaries(tmp_path) == {"x": [(1, 1.0), (2, 2.0)]}
