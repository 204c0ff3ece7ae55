"""Random pipelines of `gw.data` give what the same steps give of a list: in Python, in graphs, and gone on with."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as gw

D = gw.data.Dataset

Step = tuple[Callable[[Any, int], Any], Callable[[list[int], int], list[int]]]


def rows(numbers: list[int], size: int, drop: bool) -> list[int]:
    parts = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    return [x for part in parts for x in part if len(part) == size or not drop]


def before(numbers: list[int], limit: int) -> list[int]:
    found = next((at for at, x in enumerate(numbers) if x >= limit), len(numbers))
    return numbers[:found]


STEPS: dict[str, Step] = {
    "map": (lambda d, n: d.map(lambda x: x * n + 1), lambda xs, n: [x * n + 1 for x in xs]),
    "filter": (
        lambda d, n: d.filter(lambda x: x % (n + 1) != 0),
        lambda xs, n: [x for x in xs if x % (n + 1) != 0],
    ),
    "take": (lambda d, n: d.take(2 * n), lambda xs, n: xs[: 2 * n]),
    "skip": (lambda d, n: d.skip(n), lambda xs, n: xs[n:]),
    "repeat": (lambda d, n: d.repeat(n % 3), lambda xs, n: xs * (n % 3)),
    "batch": (lambda d, n: d.batch(n).unbatch(), lambda xs, n: xs),
    "whole batch": (lambda d, n: d.batch(n, True).unbatch(), lambda xs, n: rows(xs, n, True)),
    "shard": (lambda d, n: d.shard(n, n - 1), lambda xs, n: xs[n - 1 :: n]),
    "concatenate": (lambda d, n: d.concatenate(D.range(n)), lambda xs, n: xs + list(range(n))),
    "flat_map": (
        lambda d, n: d.flat_map(lambda x: D.range(n).map(lambda y: 10 * x + y)),
        lambda xs, n: [10 * x + y for x in xs for y in range(n)],
    ),
    "interleave": (
        lambda d, n: d.interleave(lambda x: D.from_tensors(x).repeat(2), 1, n),
        lambda xs, n: [x for x in xs for _ in range(2)],
    ),
    "cache": (lambda d, n: d.cache(), lambda xs, n: xs),
    "shuffle": (lambda d, n: d.shuffle(1), lambda xs, n: xs),
    "take_while": (lambda d, n: d.take_while(lambda x: x < 8 * n), lambda xs, n: before(xs, 8 * n)),
    "enumerate": (
        lambda d, n: d.enumerate().map(lambda at, x: 2 * at + x),
        lambda xs, n: [2 * at + x for at, x in enumerate(xs)],
    ),
    "zip": (
        lambda d, n: D.zip(d, D.range(3 * n)).map(lambda x, y: x - y),
        lambda xs, n: [x - y for x, y in zip(xs, range(3 * n), strict=False)],
    ),
}


def weighed(dataset: Any) -> Any:
    total = gw.constant(7, gw.int64)
    for x in dataset:
        total = (total * 31 + x) % 1000003
    return total


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_pipelines(seed: int) -> None:
    drawn = random.Random(seed)
    count = drawn.randint(0, 12)
    dataset, expected = D.range(count), list(range(count))
    for _ in range(drawn.randint(1, 3)):
        of_dataset, of_list = STEPS[drawn.choice(list(STEPS))]
        number = drawn.randint(1, 4)
        dataset, expected = of_dataset(dataset, number), of_list(expected, number)
    assert [int(x) for x in dataset] == expected
    total = 7
    for x in expected:
        total = (total * 31 + x) % 1000003
    assert int(gw.function(weighed)(dataset)) == total
    taken, iterator, other = drawn.randint(0, 5), iter(dataset), iter(dataset)
    for _ in range(taken):
        next(iterator, None)
    other.load_state_dict(iterator.state_dict())
    np.testing.assert_array_equal([int(x) for x in other], expected[taken:])
