"""What does not fit in a branch that a tensor decides: raised by the graph, on the user's line."""

import traceback

import numpy as np
import pytest

import graphwright as gw


def added(a, b):
    return a + b


def guarded(n, a, b):
    y = a
    if n > 3:
        y = added(a, b)
    return y


def test_the_traceback_is_that_of_plain_python():
    staged = gw.function(guarded)
    assert staged(gw.constant(1), np.ones(3), np.ones(4)).shape == (3,)
    with pytest.raises(ValueError, match="do not broadcast") as caught:
        staged(gw.constant(5), np.ones(3), np.ones(4))
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert [entry.line for entry in entries[1:]] == ["y = added(a, b)", "return a + b"]


def test_what_graphwright_alone_refuses_is_an_error_of_the_trace():
    @gw.function
    def f(n, x):
        if n > 3:
            if x:
                n = n + 1
        return n

    with pytest.raises(ValueError, match="GW202"):
        f(gw.constant(1), np.ones(1))


def test_a_value_of_unknown_length_is_not_known_to_be_too_long():
    @gw.function(input_signature=[gw.TensorSpec([], gw.int64), gw.TensorSpec([None, 3], gw.float64)])
    def f(n, rows):
        y = gw.zeros([3], gw.float64)
        if n > 3:
            y[:] = rows
        return y

    with pytest.raises(ValueError, match="GW204"):
        f(gw.constant(1, gw.int64), np.ones((1, 3)))
