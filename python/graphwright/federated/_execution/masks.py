"""Masks of secure sums: what a client gives the aggregator is its value plus numbers that cancel in the sum.

Clients stand in a ring, and each shares a random number with each of its next neighbours: one adds it, the
other takes it off, modulo 2 to the bits of the dtype. What leaves one of two clients and more is uniform over
all numbers of the dtype; the value of a single client is the sum.
"""

from __future__ import annotations

from typing import Any

from ... import _native, random

#: With so many clients behind it, and as many before it, does each client share a number.
NEIGHBOURS = 3

_QUARTER = 2**62


def masked(value: Any, secret: Any, index: Any, count: Any) -> Any:
    """Returns the value of a client with its masks, in a graph.

    Args:
      value: integers, as a tensor or as a tuple of such.
      secret: the number of a call that masks are drawn with.
      index: the index of the client.
      count: how many clients there are.
    """
    return _masked(value, (secret, index, count), [0])


def _masked(value: Any, ring: tuple[Any, Any, Any], place: list[int]) -> Any:
    if isinstance(value, tuple):
        return tuple([_masked(part, ring, place) for part in value])
    secret, index, count = ring
    for distance in range(1, NEIGHBOURS + 1):
        place[0] += 1
        here, before = index, (index - distance) % _native.maximum(count, 1)
        value = _native.wrapping_add(value, _shared(value, secret, here, place[0]))
        value = _native.wrapping_add(
            value, _native.wrapping_multiply(_shared(value, secret, before, place[0]), _minus_one(value))
        )
    return value


def _minus_one(value: Any) -> Any:
    return _native.cast(_native.constant(-1, _native.int64), value.dtype)


def _shared(value: Any, secret: Any, index: Any, place: int) -> Any:
    """Returns what a client shares with the neighbour of a place, uniform over all numbers of the dtype."""
    key = random.stateless_uniform([], _pair(secret, place), 0, _QUARTER, _native.int64)
    shape = [int(length) for length in value.shape]
    high = random.stateless_uniform(shape, _pair(key, index), 0, _QUARTER, _native.int64)
    low = random.stateless_uniform(shape, _pair(index, key), 0, 4, _native.int64)
    bits = _native.wrapping_add(_native.wrapping_multiply(high, _native.constant(4, _native.int64)), low)
    return _native.cast(bits, value.dtype)


def _pair(one: Any, other: Any) -> Any:
    return _native.stack([_native.cast(one, _native.int64), _native.cast(other, _native.int64)])
