"""Loops over small arrays, with masks, with `break`, with known turns, and transposed arrays give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of


def orbit(n, s, path):
    """Vectors of three, made of their elements, and stored."""
    for i in range(n):
        slope = gw.stack([s[1] - s[0], s[0] * (2.0 - s[2]) - s[1], s[0] * s[1] - s[2]])
        s = s + 0.01 * slope
        path[i] = s
    return s, path


def test_small_vectors_are_carried_as_numbers() -> None:
    """The same bits as NumPy's, in the vector and in the array that it was stored into."""
    s, path = np.array([1.0, -2.0, 0.5]), np.zeros((20, 3))
    found = gw.function(orbit)(gw.constant(20, gw.int64), gw.constant(s), gw.constant(path))
    for i in range(20):
        slope = np.array([s[1] - s[0], s[0] * (2.0 - s[2]) - s[1], s[0] * s[1] - s[2]])
        s = s + 0.01 * slope
        path[i] = s
    np.testing.assert_array_equal(found[0].numpy(), s)
    np.testing.assert_array_equal(found[1].numpy(), path)


def masked(x, limit):
    """An array of bools that a loop carries."""
    alive = x > 0.0
    turn = 0
    counts = np.where(alive, 0, 0)
    while turn < limit and np.any(alive):
        x = np.where(alive, x * 0.5, x)
        alive = x > 0.1
        counts = counts + np.where(alive, 1, 0)
        turn += 1
    return x, alive, counts


@pytest.mark.parametrize("count", [1, 15, 100])
def test_masks_are_carried(count: int) -> None:
    """Elements that are no longer alive stay."""
    x = np.linspace(-1.0, 9.0, count)
    found = gw.function(masked)(gw.constant(x), gw.constant(50, gw.int64))
    for one, other in zip(found, masked(x, 50), strict=True):
        np.testing.assert_array_equal(one.numpy(), other)


def first_great(x, limit):
    """The place of the first great element, which ends the loop before it is counted."""
    i, total = 0, 0.0
    while i < len(x):
        if x[i] > limit:
            break
        total += x[i]
        i += 1
    return i, total


@pytest.mark.parametrize("place", [0, 1, 7, 39, 40])
def test_a_loop_ends_before_it_counts(place: int) -> None:
    """Wherever the element is, and if there is none."""
    x = np.where(np.arange(40) == place, 100.0, np.arange(40) * 0.25)
    found = gw.function(first_great, roll=True)(x, 50.0)
    assert tuple(float(one) for one in found) == first_great(x, 50.0)


def powers(x):
    """A known number of turns over an array."""
    y, k = x, 0
    while k < 7:
        y = y * x + 0.5 * k
        k += 1
    return y


def test_known_turns_are_written_out() -> None:
    """The same operations in the same order."""
    x = np.linspace(-1.0, 1.0, 99)
    np.testing.assert_array_equal(gw.function(powers)(gw.constant(x)).numpy(), powers(x))


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64"])
def test_rows_become_columns(dtype: str) -> None:
    """Copied, and computed with what lies by rows."""
    x = (np.arange(130 * 70) % 113 - 50).astype(dtype).reshape(130, 70)
    y = np.ascontiguousarray(x.T)[::-1].copy()
    turned, sums = gw.function(lambda x, y: (x.T, x.T - y + x.T))(gw.constant(x), gw.constant(y))
    np.testing.assert_array_equal(turned.numpy(), x.T)
    np.testing.assert_array_equal(sums.numpy(), x.T - y + x.T)


@pytest.mark.parametrize("divisor", [1, 3, 7, 8, 1_000_003])
def test_arrays_of_32_bits_are_divided(divisor: int) -> None:
    """Quotients and rests floor, at the ends of the type as well."""
    edge = np.iinfo(np.int32)
    x = np.concatenate([np.arange(-40, 40), [edge.min, edge.min + 1, edge.max]]).astype(np.int32)
    quotient, rest = gw.function(lambda x: (x // divisor, x % divisor))(gw.constant(x))
    np.testing.assert_array_equal(quotient.numpy(), x // divisor)
    np.testing.assert_array_equal(rest.numpy(), x % divisor)


def test_columns_of_short_rows_are_summed() -> None:
    """All axes that stay are one row."""
    x = np.random.default_rng(3).standard_normal((300, 8, 3))
    found = gw.function(lambda x: np.sum(np.maximum(x + 1.0, 0.0), axis=0))(gw.constant(x))
    np.testing.assert_allclose(found.numpy(), np.sum(np.maximum(x + 1.0, 0.0), axis=0), rtol=1e-13)


#: `while` loops that bind in their test, leave by `break` and have an `else`.
BOUND = {
    "a square": "while (sq := i * i) < n:\n    if sq > 10: break\n    i += 1\nelse: r = 1",
    "a call": "while (k := step(i, n)):\n    if k == 3: break\n    i += 1\nelse:\n    r = k + 7",
    "continue": "while (k := n - i) > 0:\n    i += 1\n    if k % 2: continue\n    if k == 4: break\n    r += k\nelse: r += 100",
    "in a loop": "for j in range(3):\n    while (k := i * (j + 1)) < n:\n        i += 1\n        if k > 4: break\n    else:\n"
    "        if r > 5: break\n        r += 5\n        continue\n    r += 1",
    "return": "while (k := i * 2) < n:\n    i += 1\n    if k == 6: break\nelse:\n    return i, -k",
    "no turn": "while (k := n) < 0:\n    break\nelse: r = k",
}


@pytest.mark.parametrize("name", BOUND)
def test_a_test_that_binds_and_an_else(name: str) -> None:
    """The `else` runs if the test failed, after the loop, with what the test bound."""
    lines = "".join(f"    {line}\n" for line in BOUND[name].splitlines())
    text = f"def step(i, n):\n    return max(n - i, 0)\n\ndef f(n):\n    i = r = 0\n{lines}    return i, r\n"
    f, _ = function_of(text, f"bound {name}")
    graph = gw.function(f)
    for n in (6, 0, 4, 9, 50, 1):
        assert tuple(int(x) for x in graph(gw.constant(n))) == f(n), (name, n)
