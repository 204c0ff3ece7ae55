"""Runs of a graph whose calls of the host are answered by hand."""

from __future__ import annotations

import pytest

import graphwright as gw

SCALAR = gw.TensorSpec([], gw.float32)


@gw.host
def ask(x) -> float:
    raise AssertionError("nobody asks")


@gw.function
def asking(x, n):
    total = x
    for _ in gw.range(n):
        total = total + ask(total)
    return total


def started(turns):
    return asking.partition(SCALAR, gw.TensorSpec([], gw.int32)).start(gw.constant(1.0), gw.constant(turns))


def test_a_run_by_hand():
    run = started(2)
    for answer in (2.0, 4.0):
        name, (value,) = run.receive()
        assert name == "ask" and value.item() == answer - 1.0
        run.send(answer)
    assert run.finish().item() == 7.0
    for step in (run.receive, run.finish, run.send):
        with pytest.raises(RuntimeError, match="this run has ended"):
            step()


def test_a_run_that_is_answered_wrongly_goes_on():
    run = started(1)
    with pytest.raises(RuntimeError, match="`ask` waits for an answer"):
        run.finish()
    with pytest.raises(TypeError, match="`ask` gives string"):
        run.send("text")
    run.send(1.0)
    with pytest.raises(RuntimeError, match="calls the host no more"):
        run.receive()
    assert run.finish().item() == 2.0


def test_a_run_is_terminated_in_the_middle():
    run = started(3)
    run.receive()
    run.send(1.0)
    run.terminate()
    with pytest.raises(RuntimeError, match="this run has ended"):
        run.receive()
    assert started(0).finish().item() == 1.0


def test_a_run_raises_what_the_graph_raises():
    @gw.function
    def f(x):
        y = gw.cast(ask(x), gw.int32)
        return 10 // y

    run = f.partition(SCALAR).start(gw.constant(1.0))
    run.send(0.0)
    with pytest.raises(ZeroDivisionError):
        run.finish()


def test_arguments_that_do_not_fit_are_said_where_the_run_starts():
    with pytest.raises(TypeError, match="GW302"):
        asking.partition(SCALAR, gw.TensorSpec([], gw.int32)).start(gw.constant("text"))
