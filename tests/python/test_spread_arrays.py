"""Arrays whose elements are spread in memory are read, and stored into, as those in rows are."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw

DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]

VIEWS = {
    "rows": lambda a: a,
    "a transpose": lambda a: a.T,
    "rows from behind": lambda a: a[::-1],
    "columns from behind": lambda a: a[:, ::-1],
    "a part": lambda a: a[1:, 2:],
    "every other": lambda a: a[::2, 1::3],
    "a part of a transpose": lambda a: a.T[3:, ::2],
    "in columns": np.asfortranarray,
    "one column": lambda a: a[:, 3],
    "one row from behind": lambda a: a[2, ::-1],
    "three axes": lambda a: a[:36, :36].reshape(36, 6, 6).transpose(2, 0, 1),
    "a window": lambda a: a[3:4, 5:6],
    "none": lambda a: a[:, 4:4],
    "a diagonal": lambda a: np.lib.stride_tricks.as_strided(a, (30,), (a.strides[0] + a.strides[1],)),
}


def numbers(dtype):
    return (np.arange(40 * 70).reshape(40, 70) % 50).astype(dtype)


def copied(a, out):
    out[...] = a
    return a


def increased(a, at):
    a[at] = a[at] + a[at]
    return a.shape[0]


def same(found, wanted):
    assert np.asarray(found).dtype == wanted.dtype
    np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_spread_arrays_are_read_and_stored_into(dtype, view):
    given, plain = numbers(dtype), numbers(dtype)
    seen, wanted = VIEWS[view](given), VIEWS[view](plain)
    staged = gw.function(copied)
    for _ in range(2):
        out = np.zeros(seen.shape, dtype)
        same(staged(seen, out), wanted)
        same(out, wanted)
    if dtype == "bool" or not seen.size:
        return
    staged = gw.function(increased)
    at = (0,) * seen.ndim
    for _ in range(2):
        assert staged(seen, at) == increased(wanted, at)
        same(seen, wanted)
        same(given, plain)


@pytest.mark.parametrize("view", VIEWS)
def test_what_lies_between_the_elements_stays(view):
    given, plain = numbers("float64"), numbers("float64")
    seen, wanted = VIEWS[view](given), VIEWS[view](plain)

    def filled(a):
        a[...] = 7.0

    gw.function(filled)(seen)
    filled(wanted)
    same(given, plain)
    same(seen, wanted)


def test_spread_arrays_of_other_kinds():
    plain = np.arange(12.0).reshape(3, 4)
    swapped = plain.astype(">f8")
    once = np.broadcast_to(np.arange(4.0), (3, 4))
    inside = np.zeros(3, [("flag", "i1"), ("value", "f8")])["value"]
    for given in (swapped, swapped.T, once, once.T, inside, inside[::-1]):
        found = gw.function(lambda a: a * 2.0)(given)
        same(found, (given * 2.0).astype("float64"))
    gw.function(increased)(swapped.T, (1, 2))
    plain.T[1, 2] *= 2
    same(swapped.astype("float64"), plain)
    with pytest.raises(
        ValueError, match="GW122: `a` is stored into by the function, and elements of it share memory"
    ):
        gw.function(increased)(once, (0, 0))


def test_views_of_one_array_that_is_stored_into_are_refused():
    a = np.arange(24.0).reshape(4, 6)

    def moved(to, of):
        to[0, 0] = of[0, 0]

    for views in ((a[:, ::2], a[:, 1:]), (a[:2], a[1:]), (a.T, a), (a, a[::-1])):
        with pytest.raises(
            ValueError, match="GW122: `to` is stored into by the function, which gets or uses"
        ):
            gw.function(moved)(*views)
    gw.function(moved)(a[:2, ::2], a[2:, ::2])
    assert a[0, 0] == 12.0


def test_a_cached_call_finds_its_graph_for_spread_arrays():
    staged = gw.function(lambda a: a.sum())
    for given in (numbers("float64"), numbers("float64")[:, ::-1], np.asfortranarray(numbers("float64"))):
        assert staged(given) == given.sum()
    assert staged.experimental_get_tracing_count() == 1
