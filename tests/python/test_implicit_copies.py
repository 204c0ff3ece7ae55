"""Copies between graph and host that nobody asked for, and graphs that may not call the host."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import graphwright as gw

LONG = gw.TensorSpec([100], gw.float32)


def said_by(f, *args):
    """The warnings of building a graph."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        f.get_concrete_function(*args)
    return [one for one in said if one.category is gw.ImplicitCopyWarning]


@gw.host
def simulator(frame) -> gw.TensorSpec([84, 84], gw.float32):
    return np.asarray(frame) * 0.5


@gw.host
def seen(*values) -> gw.TensorSpec([100], gw.float32):
    return np.asarray(values[0])


@gw.host
def told(value) -> None:
    """Gives nothing."""


@gw.function
def play(values):
    for _ in gw.range(10):
        x = values * 2.0
        result = simulator(x)
        values = result + x
    return values


def test_warnings_stand_at_the_line_of_the_call():
    said = said_by(gw.function(play.python_function), gw.TensorSpec([84, 84], gw.float32))
    line = play.python_function.__code__.co_firstlineno + 4
    assert [(one.filename, one.lineno) for one in said] == [(__file__, line)] * 2
    assert [str(one.message) for one in said] == [
        f"GW501: `x` (float32 [84, 84], 28,224 bytes) is copied to the host for `simulator` in each turn of the loop on "
        f"line {line - 2}; write `x.to_host()` if that is meant",
        f"GW502: `result` (float32 [84, 84], 28,224 bytes) is copied from `simulator` into the graph in each turn of the "
        f"loop on line {line - 2}; write `gw.to_accelerator(…)` if that is meant",
    ]
    first = said[0].message
    assert (first.code, first.direction, first.name, first.nbytes) == ("GW501", "to_host", "x", 28_224)
    assert (first.call, first.loop_depth, first.lineno) == ("simulator", 1, line)


def test_a_loop_that_is_unrolled_warns_once():
    @gw.function
    def f(x):
        for _ in range(5):
            x = seen(x * 2.0) + 1.0
        return x

    assert len(said_by(f, LONG)) == 2


def test_nothing_is_said_of_small_values_of_explicit_calls_and_of_marks():
    @gw.function
    def f(x, small):
        told(small * 2.0)
        gw.py_function(told, [x * 2.0], [])
        y = (x * 3.0).to_host()
        z = gw.to_accelerator(seen(y, gw.to_host(x * 4.0)))
        return z + seen(x).to_accelerator()

    assert said_by(f, LONG, gw.TensorSpec([16], gw.float32)) == []
    assert len(said_by(gw.function(f.python_function), LONG, gw.TensorSpec([17], gw.float32))) == 1


def test_unknown_sizes_are_warned_of():
    @gw.function
    def f(x):
        told(x * 2.0)
        return x

    said = said_by(f, gw.TensorSpec([None], gw.float32))
    assert "(float32 [?], an unknown number of bytes)" in str(said[0].message)
    assert said[0].message.nbytes is None


def test_copies_can_be_allowed_or_refused():
    def f(x):
        return seen(x * 2.0)

    assert said_by(gw.function(f, implicit_copies="allow"), LONG) == []
    with pytest.raises(
        gw.errors.ImplicitCopyError, match=r"(?s)GW501: `x \* 2.0`.*-->.*help: write `gw.to_host"
    ):
        gw.function(f, implicit_copies="error")(gw.zeros([100]))
    assert gw.config.get_implicit_copies() == "warn"
    gw.config.set_implicit_copies("error")
    try:
        with pytest.raises(TypeError, match="GW501"):
            gw.function(f)(gw.zeros([100]))
    finally:
        gw.config.set_implicit_copies("warn")
    with pytest.raises(ValueError, match='"warn", "allow" or "error"'):
        gw.config.set_implicit_copies("loud")
    with pytest.raises(ValueError, match='"warn", "allow" or "error"'):
        gw.function(f, implicit_copies="loud")


def test_marks_outside_of_graphs():
    x = gw.constant([1.0])
    assert x.to_host() is x and x.to_accelerator() is x and gw.to_host(x) is x
    assert gw.to_accelerator(np.float32([1, 2])).tolist() == [1.0, 2.0]


def test_a_closed_graph_refuses_calls_of_the_host():
    @gw.function(host_code="refuse")
    def f(x):
        if x > 0.0:
            told(x)
        return x

    with pytest.raises(ValueError, match=r"(?s)GW504: `told`.*told\(x\)"):
        f(gw.constant(1.0))
    with pytest.raises(ValueError, match='host_code is "auto", "run", "trace" or "refuse"'):
        gw.function(lambda x: x, host_code="loud")
