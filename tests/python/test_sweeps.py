"""Calls over dtypes, shapes, strides, empty arrays and broadcasting: eager code and graphs give what NumPy gives.

Graphs are compared with the reference interpreter, which knows no strides, by the tests of the crate `cpu`.
"""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REALS = INTEGERS + FLOATS
NUMBERS = REALS + COMPLEX
ALL = ["bool", *NUMBERS]

#: The shapes of two operands that meet, empty ones and single numbers among them.
SHAPES = [
    ((), ()),
    ((3,), ()),
    ((5,), (5,)),
    ((1,), (4,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((3, 2, 4), (2, 1)),
    ((0,), (1,)),
    ((2, 0), (2, 1)),
    ((0, 3), (3,)),
]

#: Calls of two operands: ours, NumPy's, the dtypes that both take, and true if NumPy takes empty arrays.
CALLS = {
    "equal": (gw.equal, np.equal, ALL, True),
    "where": (lambda x, y: gw.where(x == y, x, y), lambda x, y: np.where(x == y, x, y), ALL, True),
    "transpose": (lambda x, y: gw.transpose(x), lambda x, y: np.transpose(x), ALL, True),
    "reshape": (lambda x, y: gw.reshape(x, [-1]), lambda x, y: np.reshape(x, [-1]), ALL, True),
    "concat": (
        lambda x, y: gw.concat([gw.reshape(x, [-1]), gw.reshape(y, [-1])], 0),
        lambda x, y: np.concatenate([np.ravel(x), np.ravel(y)]),
        ALL,
        True,
    ),
    "slice": (
        lambda x, y: gw.reshape(x, [-1])[::-2],
        lambda x, y: np.reshape(x, [-1])[::-2],
        ALL,
        True,
    ),
    "any": (lambda x, y: gw.reduce_any(x != y), lambda x, y: np.any(x != y), ALL, True),
    "add": (gw.add, np.add, NUMBERS, True),
    "multiply": (gw.multiply, np.multiply, NUMBERS, True),
    "sum": (lambda x, y: gw.reduce_sum(x), lambda x, y: np.sum(x, dtype=x.dtype), NUMBERS, True),
    "sums": (
        lambda x, y: gw.reduce_sum(x * y, -1, keepdims=True) if (x * y).ndim else x,
        lambda x, y: np.sum(x * y, -1, dtype=x.dtype, keepdims=True) if (x * y).ndim else x,
        NUMBERS,
        True,
    ),
    "outer": (
        lambda x, y: gw.einsum("i,j->ij", gw.reshape(x, [-1]), gw.reshape(y, [-1])),
        lambda x, y: np.einsum("i,j->ij", np.ravel(x), np.ravel(y)),
        NUMBERS,
        True,
    ),
    "maximum": (gw.maximum, np.maximum, REALS, True),
    "less": (gw.less, np.less, REALS, True),
    "greatest": (lambda x, y: gw.reduce_max(x), lambda x, y: np.max(x), REALS, False),
    "sort": (
        lambda x, y: gw.sort(gw.reshape(x, [-1])),
        lambda x, y: np.sort(np.ravel(x)),
        REALS,
        True,
    ),
    "subtract": (gw.subtract, np.subtract, FLOATS + COMPLEX, True),
    "divide": (gw.divide, np.divide, FLOATS + COMPLEX, True),
    "mean": (lambda x, y: gw.reduce_mean(x), lambda x, y: np.mean(x), FLOATS + COMPLEX, False),
    "exp": (lambda x, y: gw.exp(x), lambda x, y: np.exp(x), FLOATS + COMPLEX, True),
}


def misaligned(x):
    """The same elements at an odd address."""
    room = np.frombuffer(bytearray(x.nbytes + 1), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    room[...] = x
    return room


def every_second(x):
    """The same elements, with others between them."""
    room = np.ones([2 * length for length in x.shape], x.dtype)
    places = (slice(None, None, 2),) * x.ndim
    room[places] = x
    return room[places]


def backwards(x):
    """The same elements, of which the last is the first in memory."""
    turned = (slice(None, None, -1),) * x.ndim
    return x[turned].copy()[turned]


def read_only(x):
    """The same elements, which nobody may write."""
    found = x.copy()
    found.flags.writeable = False
    return found


#: Arrays of the same shape in other arrangements of memory; the elements of `zero strides` are all the first one.
ARRANGEMENTS = {
    "rows": lambda x: x.copy(),
    "columns": np.asfortranarray,
    "transposed": lambda x: np.ascontiguousarray(x.T).reshape(x.shape[::-1]).T,
    "backwards": backwards,
    "every second": every_second,
    "zero strides": lambda x: np.broadcast_to(x.ravel()[:1].reshape([1] * x.ndim), x.shape) if x.size else x,
    "misaligned": misaligned,
    "read-only": read_only,
}


def numbers(dtype, shape, start):
    """Small numbers, of which some are equal in both operands; in float16 too their sums are exact."""
    count = int(np.prod(shape))
    found = (np.arange(count) * 3 + start) % 5 + 1
    if dtype in COMPLEX:
        return np.asarray(found + 0.5j * (found % 2)).astype(dtype).reshape(shape)
    return np.asarray(found % 2 if dtype == "bool" else found).astype(dtype).reshape(shape)


def calls_of(dtype, shapes):
    """The calls that take arrays of a dtype and of these shapes."""
    is_empty = any(0 in shape for shape in shapes)
    return {
        name: (ours, numpys)
        for name, (ours, numpys, dtypes, takes_empty) in CALLS.items()
        if dtype in dtypes and (takes_empty or not is_empty)
    }


def agree(found, wanted, dtype, about):
    """Compares values, dtype and shape."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), about
    rtol = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}.get(dtype, 1e-12)
    np.testing.assert_allclose(found, wanted, rtol=rtol, err_msg=str(about))


def staged(calls, specs=None):
    """One graph of all calls; with specs for any lengths."""
    every = [ours for ours, _ in calls.values()]
    return gw.function(lambda x, y: [ours(x, y) for ours in every], input_signature=specs)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_every_arrangement_of_memory_is_the_same_array(dtype, shapes):
    calls = calls_of(dtype, shapes)
    graph = staged(calls)
    for name, arrangement in ARRANGEMENTS.items():
        x, y = (arrangement(numbers(dtype, shape, at)) for at, shape in enumerate(shapes))
        wanted = [numpys(x, y) for _, numpys in calls.values()]
        tensors = gw.constant(x), gw.constant(y)
        for call, one, of_graph in zip(calls, wanted, graph(*tensors), strict=True):
            agree(of_graph, one, dtype, ("graph", name, call))
            agree(calls[call][0](*tensors), one, dtype, ("eager", name, call))
        for call, one, of_arrays in zip(calls, wanted, graph(x, y), strict=True):
            agree(of_arrays, one, dtype, ("arrays", name, call))


@pytest.mark.parametrize("dtype", ALL)
def test_lengths_that_the_graph_finds_are_the_same(dtype):
    by_ranks = {}
    for shapes in SHAPES:
        by_ranks.setdefault(tuple(map(len, shapes)), []).append(shapes)
    for ranks, alike in by_ranks.items():
        calls = calls_of(dtype, [(0,)])
        graph = staged(calls, [gw.TensorSpec([None] * rank, dtype) for rank in ranks])
        for shapes in alike:
            x, y = (every_second(numbers(dtype, shape, at)) for at, shape in enumerate(shapes))
            for (call, (_, numpys)), found in zip(calls.items(), graph(x, y), strict=True):
                agree(found, numpys(x, y), dtype, (shapes, call))
