"""Text that a function prints appears once for each call, also where the function has to be traced again."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest

import graphwright as gw


def an_element(a, m):
    print("hello")
    x = np.array([1, 2, 3])
    x[0] = m[0]
    return x


def behind_a_loop(a, m):
    print("hello")
    for _ in range(3):
        a[0] += 1
    x = np.array([1, 2, 3])
    x[0] = m[0]
    return x


def behind_a_branch(a, m):
    print("one", end=" ")
    print("two")
    if a[0] > 2:
        a[0] = 0
    x = np.arange(3)
    x[0] = m[0]
    print("three", a.shape)
    return x


def in_a_branch(a, m):
    x = np.linspace(0.0, 1.0, 3)
    print("first")
    for k in range(3):
        if a[k] > 2:
            x[k] = m[k]
            print("second", k)
    return x


def by_the_stream(a, m):
    sys.stdout.write("written\n")
    return behind_a_loop(a, m)


def before_an_exception(a, m):
    print("hello")
    an_element(a, m)
    raise ValueError


def before_a_refusal(a, m):
    print("hello")
    an_element(a, m)
    return open(a)


def printed(function, *given):
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            function(*given)
        except (ValueError, TypeError):
            print("raised")
    return out.getvalue()


@pytest.mark.parametrize(
    "function",
    [
        an_element,
        behind_a_loop,
        behind_a_branch,
        in_a_branch,
        by_the_stream,
        before_an_exception,
        before_a_refusal,
    ],
)
def test_the_first_call_prints_once(function):
    m = np.array([1.5, 2.0, 3.0])
    assert printed(gw.function(function), m.copy(), m) == printed(function, m.copy(), m)
