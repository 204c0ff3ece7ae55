"""Stores into the caller's arrays stand where lengths that are known when the graph runs turn out not to fit."""

from __future__ import annotations

import itertools
import linecache

import numpy as np
import pytest

import graphwright as gw

PROGRAM = """
def function(a, b, m, i):
    out = 0.0
    {store}
    {frame}
    a[1] = 77.0
    return out
"""

STORES = {
    "an element": "a[0] = 9.0",
    "all": "a[:] = a * 2",
    "in a loop": "for k in range(3): a[k] = k + 5",
    "in a branch": "if i > 0: a[2] += 1",
    "a row": "m[1] = 4.0",
    "in place": "a += 1",
}

ENDS = {
    "slice": "b[:] = a[i:]",
    "part of a slice": "b[1:] = a[i + 1:]",
    "backwards": "b[::-1] = a[i:]",
    "two ends": "b[i - 1:i] = a[i:]",
    "in place": "a[1:] += a[i:]",
    "row": "m[0] = a[i:]",
    "column": "m[:, i - 1] = a[i - 1:]",
    "part of a row": "m[1, i - 1:] = a[i:]",
    "indices": "b[np.array([0, 2])] = a[i - 1:]",
    "sum": "out = np.sum(b + a[i:])",
    "product": "out = np.sum(a[i:] * b)",
    "mask": "out = np.sum(a[a > 0.5] + b)",
    "through a mask": "b[b > 0.5] = a[i:]",
    "choice": "out = np.sum(np.where(b > 0, b, a[i:]))",
    "matrix": "out = np.sum(m @ a[i:])",
    "dot": "out = np.dot(a[i:], b)",
    "stack": "out = np.sum(np.concatenate([m, m[:, i - 1:]]))",
    "reshape of a slice": "out = np.sum(a[i:].reshape(2, -1))",
    "reshape": "out = np.sum(a.reshape(i, -1))",
    "negative length": "out = np.sum(np.zeros(i - 3))",
    "chain": "out = np.sum((a[i:] - 1) * 2 + b)",
}

FRAMES = {
    "at once": "{end}",
    "in a branch": "if i > 0:\n        {end}",
    "in a loop": "for k in range(i):\n        a[3] += 1\n        {end}",
    "handler": "try:\n        {end}\n    except ValueError:\n        out = -1.0",
    "another handler": "try:\n        {end}\n    except IndexError:\n        out = -1.0",
    "finally": "try:\n        {end}\n    finally:\n        a[2] = 55.0",
}


def made(store, end, frame):
    text = PROGRAM.format(store=STORES[store], frame=FRAMES[frame].format(end=ENDS[end]))
    file = f"<misfits {store} {end} {frame}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "stores_before_misfits", "np": np}
    exec(compile(text, file, "exec"), names)
    return names["function"]


def line_of(error):
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<misfits"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def outcome(function, i):
    given = np.linspace(1, 2, 4), np.ones(3), np.ones((2, 3))
    try:
        result = float(function(*given, np.int64(i)))
    except ValueError as error:
        result = type(error), line_of(error)
    return result, [array.tolist() for array in given]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("end", ENDS)
def test_stores_stand(end, frame):
    for store in STORES:
        function = made(store, end, frame)
        graph = gw.function(function)
        for i in (2, 1, 3, 2):
            assert outcome(graph, i) == outcome(function, i), (store, i)


@pytest.mark.parametrize(
    "end", ["slice", "row", "column", "indices", "sum", "product", "mask", "choice", "chain"]
)
def test_the_text_is_that_of_numpy(end):
    function = made("an element", end, "at once")
    texts = []
    for way in (function, gw.function(function)):
        with pytest.raises(ValueError, match="shape") as error:
            way(np.ones(4), np.ones(3), np.ones((2, 3)), np.int64(2))
        texts.append(str(error.value).strip())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("tensors", list(itertools.product([False, True], repeat=2)))
def test_only_what_does_not_fit_leaves_the_function(tensors):
    """A value of a known length has no way out of the function."""

    def fits(a, b):
        a[0] = 9.0
        a[1:] = b
        a[:3] += b
        return a[1:] + b

    a, b = np.zeros(4), np.ones(3)
    given = (gw.constant(a) if tensors[0] else a), (gw.constant(b) if tensors[1] else b)
    assert "leave" not in str(gw.function(fits).get_concrete_function(*given).graph)
