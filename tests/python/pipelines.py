"""Pipelines of `gw.data`, with the elements that they have to give."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import graphwright as gw

D = gw.data.Dataset


def even(x: Any) -> Any:
    return x % 2 == 0


def triple(x: Any) -> Any:
    return x * 3


def sum_so_far(total: Any, x: Any) -> Any:
    return total + x, total * 10 + x


def up_to(x: Any) -> Any:
    return D.range(x)


def repeated(x: Any) -> Any:
    return D.from_tensors(x).repeat(3)


def flat_batch(window: Any) -> Any:
    return window.batch(3)


def zeros_of(x: Any) -> Any:
    return gw.fill([x], x)


def windows(numbers: list[int], size: int, shift: int, stride: int, drop: bool) -> list[list[int]]:
    found = []
    for first in range(0, len(numbers), shift):
        window = numbers[first : first + (size - 1) * stride + 1 : stride]
        if len(window) == size or not drop:
            found.append(window)
    return found


def interleaved(sources: list[list[int]], cycle: int, block: int) -> list[int]:
    """TensorFlow's rule: a place of the cycle whose source ends gets the next source at its next turn."""
    pending, places, found = iter(sources), [None] * cycle, []
    idle = turn = 0
    while idle < cycle:
        if places[turn] is None:
            source = next(pending, None)
            places[turn] = None if source is None else iter(source)
        taken = list(itertools.islice(places[turn], block)) if places[turn] is not None else []
        found += taken
        idle = idle + 1 if places[turn] is None else 0
        if len(taken) < block:
            places[turn] = None
        turn = (turn + 1) % cycle
    return found


PIPELINES: dict[str, tuple[Any, list[Any]]] = {
    "range": (D.range(5), [0, 1, 2, 3, 4]),
    "range down": (D.range(5, 0, -2), [5, 3, 1]),
    "range of nothing": (D.range(3, 3), []),
    "slices": (D.from_tensor_slices([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "tensors": (D.from_tensors([1, 2]), [[1, 2]]),
    "map": (D.range(4).map(triple), [0, 3, 6, 9]),
    "filter": (D.range(7).filter(even), [0, 2, 4, 6]),
    "map of filter": (D.range(7).filter(even).map(triple), [0, 6, 12, 18]),
    "filter of map": (D.range(7).map(triple).filter(even), [0, 6, 12, 18]),
    "filter of filter": (D.range(20).filter(even).filter(lambda x: x % 3 == 0), [0, 6, 12, 18]),
    "nothing passes": (D.range(7).filter(lambda x: x < 0), []),
    "take": (D.range(7).take(3), [0, 1, 2]),
    "take of filter": (D.range(7).filter(even).take(2), [0, 2]),
    "take too many": (D.range(3).take(9), [0, 1, 2]),
    "take all": (D.range(3).take(-1), [0, 1, 2]),
    "take nothing": (D.range(3).take(0), []),
    "skip": (D.range(7).skip(5), [5, 6]),
    "skip of filter": (D.range(7).filter(even).skip(2), [4, 6]),
    "skip all": (D.range(3).skip(9), []),
    "skip everything": (D.range(3).skip(-1), []),
    "take while": (D.range(9).take_while(lambda x: x * x < 10), [0, 1, 2, 3]),
    "scan": (D.range(1, 4).scan(gw.constant(0, gw.int64), sum_so_far), [1, 12, 33]),
    "repeat": (D.range(3).repeat(2), [0, 1, 2, 0, 1, 2]),
    "repeat for ever": (D.range(3).repeat().take(7), [0, 1, 2, 0, 1, 2, 0]),
    "repeat of repeat": (D.range(2).repeat(2).repeat(2), [0, 1] * 4),
    "repeat nothing": (D.range(3).repeat(0), []),
    "nothing for ever": (D.range(0).repeat(), []),
    "concatenate": (D.range(2).concatenate(D.range(5, 7)), [0, 1, 5, 6]),
    "concatenate nothing": (D.range(0).concatenate(D.range(2).filter(even)), [0]),
    "shard": (D.range(10).shard(3, 1), [1, 4, 7]),
    "shard of filter": (D.range(10).filter(lambda x: x > 2).shard(3, 1), [4, 7]),
    "batch": (D.range(7).batch(3), [[0, 1, 2], [3, 4, 5], [6]]),
    "batch without rest": (D.range(7).batch(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5]]),
    "batch of map": (D.range(5).map(triple).batch(2), [[0, 3], [6, 9], [12]]),
    "batch of filter": (D.range(9).filter(even).batch(2), [[0, 2], [4, 6], [8]]),
    "batch of filter without rest": (D.range(9).filter(even).batch(2, True), [[0, 2], [4, 6]]),
    "batch of batch": (D.range(8).batch(2).batch(2), [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]),
    "batch of lengths that differ from spec": (
        D.range(4).map(lambda x: gw.fill([x * 0 + 2], x)).batch(3),
        [[[0, 0], [1, 1], [2, 2]], [[3, 3]]],
    ),
    "rows whose length only their graph knows, shuffled and taken apart": (
        D.range(6).filter(even).map(lambda x: gw.fill([x * 0 + 2], x)).shuffle(1, seed=1).batch(2).unbatch(),
        [[0, 0], [2, 2], [4, 4]],
    ),
    "unbatch": (D.range(7).batch(3).unbatch(), list(range(7))),
    "unbatch of known lengths": (D.range(7).batch(3, drop_remainder=True).unbatch(), [0, 1, 2, 3, 4, 5]),
    "unbatch of known lengths, asked again behind the end": (
        D.range(7).batch(3, drop_remainder=True).unbatch().batch(4).unbatch(),
        [0, 1, 2, 3, 4, 5],
    ),
    "unbatch of one": (D.from_tensors(([1, 2], [3, 4])).unbatch().map(lambda x, y: 10 * x + y), [13, 24]),
    "batch of a length that is a tensor": (
        D.range(5).batch(gw.constant(2), drop_remainder=True),
        [[0, 1], [2, 3]],
    ),
    "unbatch of filter": (D.range(7).filter(even).batch(3).unbatch(), [0, 2, 4, 6]),
    "rebatch": (D.range(7).batch(3).unbatch().batch(2), [[0, 1], [2, 3], [4, 5], [6]]),
    "padded batch": (
        D.range(1, 5).map(zeros_of).padded_batch(2),
        [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]],
    ),
    "padded batch to a length": (
        D.range(1, 4).map(zeros_of).padded_batch(2, padded_shapes=[4], padding_values=-1),
        [[[1, -1, -1, -1], [2, 2, -1, -1]], [[3, 3, 3, -1]]],
    ),
    "padded batch without rest": (
        D.range(1, 4).map(zeros_of).padded_batch(2, drop_remainder=True),
        [[[1, 0], [2, 2]]],
    ),
    "flat map": (D.range(4).flat_map(up_to), [0, 0, 1, 0, 1, 2]),
    "flat map of filter": (D.range(5).filter(even).flat_map(repeated), [0, 0, 0, 2, 2, 2, 4, 4, 4]),
    "flat map of flat map": (
        D.range(3).flat_map(lambda x: D.range(x + 1).flat_map(lambda y: D.range(y + 1))),
        [0, 0, 0, 1, 0, 0, 1, 0, 1, 2],
    ),
    "interleave": (
        D.range(1, 5).interleave(repeated, cycle_length=2, block_length=2),
        interleaved([[x] * 3 for x in range(1, 5)], 2, 2),
    ),
    "interleave of one": (D.range(3).interleave(repeated, 1, 1), [0, 0, 0, 1, 1, 1, 2, 2, 2]),
    "interleave of lengths": (
        D.range(6).interleave(up_to, cycle_length=3, block_length=2),
        interleaved([list(range(x)) for x in range(6)], 3, 2),
    ),
    "interleave of batches": (
        D.range(6).interleave(lambda x: D.range(x).batch(2).unbatch(), cycle_length=3, block_length=2),
        interleaved([list(range(x)) for x in range(6)], 3, 2),
    ),
    "interleave of more than there are": (
        D.range(1, 3).interleave(repeated, cycle_length=5),
        interleaved([[1] * 3, [2] * 3], 5, 1),
    ),
    "windows": (D.range(7).window(3).flat_map(flat_batch), windows(list(range(7)), 3, 3, 1, False)),
    "windows that overlap": (
        D.range(7).window(3, 1, 2, True).flat_map(flat_batch),
        windows(list(range(7)), 3, 1, 2, True),
    ),
    "windows with holes": (
        D.range(11).window(2, 4).flat_map(flat_batch),
        windows(list(range(11)), 2, 4, 1, False),
    ),
    "windows of filter": (
        D.range(12).filter(even).window(2, 1).flat_map(flat_batch),
        windows([0, 2, 4, 6, 8, 10], 2, 1, 1, False),
    ),
    "windows of pairs": (
        D.range(5).enumerate(10).window(2).flat_map(lambda i, x: D.zip(i, x).map(lambda i, x: i * x)),
        [0, 11, 24, 39, 56],
    ),
    "prefetch": (D.range(3).prefetch(gw.data.AUTOTUNE), [0, 1, 2]),
    "apply": (D.range(6).apply(lambda d: d.filter(even)), [0, 2, 4]),
    "zip with filter": (
        D.zip(D.range(9).filter(even), D.range(3)).map(lambda x, y: 10 * x + y),
        [0, 21, 42],
    ),
    "enumerate": (D.range(5, 8).enumerate(1).map(lambda i, x: 10 * i + x), [15, 26, 37]),
}

SHUFFLED = {
    "shuffle": D.range(10).shuffle(4, seed=3),
    "shuffle of filter": D.range(19).filter(even).shuffle(100, seed=5),
    "shuffle of map": D.range(10).map(lambda x: gw.stack([x, x * x])).shuffle(3, seed=1),
    "shuffle of rows whose length only their graph knows": D.range(20)
    .filter(even)
    .map(lambda x: gw.fill([x * 0 + 2], x))
    .shuffle(5, seed=1),
    "shuffle and repeat": D.range(5).shuffle(5, seed=2).repeat(3),
    "shuffle of batches": D.range(10).batch(3).shuffle(2, seed=9).unbatch(),
    "shuffle twice": D.range(10).shuffle(4, seed=3).shuffle(4, seed=4),
}


def numbers(elements: Any) -> list[Any]:
    return [np.asarray(element).tolist() for element in elements]


def total(dataset: Any) -> Any:
    """A number that tells elements and their order."""
    found, place = gw.constant(0, gw.int64), gw.constant(1, gw.int64)
    for element in dataset:
        found += place * (gw.reduce_sum(gw.cast(element, gw.int64)) + gw.cast(gw.size(element), gw.int64))
        place = (place * 31 + 7) % 1000003
    return found
