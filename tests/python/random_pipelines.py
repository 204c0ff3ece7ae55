"""Random pipelines of `gw.data` and loops over them, with what the same steps and loops give of lists.

`python tests/python/random_pipelines.py --seed 1 --count 500` runs many; the tests run some.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import graphwright as gw
from pipelines import interleaved

D = gw.data.Dataset

Rows = list[np.ndarray]

#: Elements have at most so many axes.
MOST_AXES = 3
#: Pipelines have at most so many steps.
MOST_STEPS = 4
#: Lists have at most so many elements, and elements so many numbers.
MOST_ROWS = 40


def number_of(x: Any) -> Any:
    """A number that tells elements."""
    return gw.reduce_sum(x) + gw.cast(gw.size(x), gw.int64)


def plain_number(x: np.ndarray) -> int:
    return int(x.sum()) + x.size


def before(rows: Rows, limit: int) -> Rows:
    found = next((at for at, x in enumerate(rows) if plain_number(x) >= limit), len(rows))
    return rows[:found]


def batches(rows: Rows, size: int, drop: bool = False) -> Rows:
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [np.stack(part) for part in parts if len(part) == size or not drop]


def sums(rows: Rows) -> Rows:
    found, total = [], 0
    for x in rows:
        total = total * 3 + plain_number(x)
        found.append(np.int64(total))
    return [np.asarray(x) for x in found]


def summed_so_far(total: Any, x: Any) -> Any:
    total = total * 3 + number_of(x)
    return total, total


def is_even(rows: Rows) -> bool:
    """Whether elements can be stacked."""
    return len({x.shape for x in rows}) <= 1


def is_flat(rows: Rows) -> bool:
    return bool(rows) and all(x.ndim == 0 for x in rows)


def has_axes(rows: Rows) -> bool:
    return bool(rows) and all(x.ndim > 0 for x in rows)


def may_grow(rows: Rows) -> bool:
    return is_even(rows) and all(x.ndim < MOST_AXES for x in rows)


def always(_: Rows) -> bool:
    return True


Step = tuple[Callable[[Rows], bool], Callable[[Any, int], Any], Callable[[Rows, int], Rows]]

#: What may be done where, with a dataset and with a list; a number says how much.
STEPS: dict[str, Step] = {
    "map": (always, lambda d, n: d.map(lambda x: x * n + 1), lambda xs, n: [x * n + 1 for x in xs]),
    "filter": (
        always,
        lambda d, n: d.filter(lambda x: number_of(x) % (n + 1) != 0),
        lambda xs, n: [x for x in xs if plain_number(x) % (n + 1) != 0],
    ),
    "take": (always, lambda d, n: d.take(2 * n), lambda xs, n: xs[: 2 * n]),
    "skip": (always, lambda d, n: d.skip(n), lambda xs, n: xs[n:]),
    "repeat": (always, lambda d, n: d.repeat(n % 3), lambda xs, n: xs * (n % 3)),
    "shard": (always, lambda d, n: d.shard(n, n - 1), lambda xs, n: xs[n - 1 :: n]),
    "twice": (always, lambda d, n: d.concatenate(d.take(n)), lambda xs, n: xs + xs[:n]),
    "cache": (always, lambda d, n: d.cache(), lambda xs, n: xs),
    "prefetch": (always, lambda d, n: d.prefetch(n), lambda xs, n: xs),
    "take_while": (
        always,
        lambda d, n: d.take_while(lambda x: number_of(x) < 8 * n),
        lambda xs, n: before(xs, 8 * n),
    ),
    "enumerate": (
        always,
        lambda d, n: d.enumerate(n).map(lambda at, x: 2 * at + x),
        lambda xs, n: [2 * at + x for at, x in enumerate(xs, n)],
    ),
    "zip": (
        always,
        lambda d, n: D.zip(d, D.range(3 * n)).map(lambda x, y: x - y),
        lambda xs, n: [x - y for x, y in zip(xs, range(3 * n), strict=False)],
    ),
    "flat_map": (
        always,
        lambda d, n: d.flat_map(lambda x: D.from_tensors(x).repeat(n)),
        lambda xs, n: [x for x in xs for _ in range(n)],
    ),
    "flat_map of ranges": (
        is_flat,
        lambda d, n: d.flat_map(lambda x: D.range(n).map(lambda y: 10 * x + y)),
        lambda xs, n: [10 * x + y for x in xs for y in range(n)],
    ),
    "flat_map of what differs": (
        is_flat,
        lambda d, n: d.flat_map(lambda x: D.range(x % (n + 1))),
        lambda xs, n: [np.asarray(y) for x in xs for y in range(int(x) % (n + 1))],
    ),
    "interleave": (
        always,
        lambda d, n: d.interleave(lambda x: D.from_tensors(x).repeat(2), n, 3 - n % 3),
        lambda xs, n: interleaved([[x, x] for x in xs], n, 3 - n % 3),
    ),
    "batch": (may_grow, lambda d, n: d.batch(n), batches),
    "whole batch": (may_grow, lambda d, n: d.batch(n, True), lambda xs, n: batches(xs, n, True)),
    "padded batch": (may_grow, lambda d, n: d.padded_batch(n), batches),
    "windows": (may_grow, lambda d, n: d.window(n).flat_map(lambda w: w.batch(4)), batches),
    "batch of batch": (
        lambda xs: len(xs) % 4 == 0 and is_even(xs) and all(x.ndim < MOST_AXES - 1 for x in xs),
        lambda d, n: d.batch(2).batch(n),
        lambda xs, n: batches(batches(xs, 2), n),
    ),
    "stack": (
        may_grow,
        lambda d, n: d.map(lambda x: gw.stack([x, x + n])),
        lambda xs, n: [np.stack([x, x + n]) for x in xs],
    ),
    "unbatch": (has_axes, lambda d, n: d.unbatch(), lambda xs, n: [row for x in xs for row in x]),
    "sum": (
        always,
        lambda d, n: d.map(gw.reduce_sum),
        lambda xs, n: [np.asarray(x.sum()) for x in xs],
    ),
    "scan": (
        lambda xs: len(xs) < 12,
        lambda d, n: d.scan(gw.constant(0, gw.int64), summed_so_far),
        lambda xs, n: sums(xs),
    ),
    "shuffle": (
        is_even,
        lambda d, n: d.shuffle(n + 1, seed=n, reshuffle_each_iteration=False),
        lambda xs, n: xs,
    ),
}

#: Steps of which one more is likely to be drawn: their states are the largest.
LIKELY = ["shuffle", "cache", "batch", "filter", "map", "flat_map of what differs", "interleave"]


def counted() -> Any:
    for x in range(9):
        yield x * 7 % 5


SOURCES: dict[str, tuple[Callable[[], Any], Rows]] = {
    "range": (lambda: D.range(9), [np.asarray(x) for x in range(9)]),
    "few": (lambda: D.range(2, 5), [np.asarray(x) for x in range(2, 5)]),
    "filtered": (
        lambda: D.range(12).filter(lambda x: x % 3 > 0),
        [np.asarray(x) for x in range(12) if x % 3],
    ),
    "vectors": (
        lambda: D.from_tensor_slices(np.arange(24).reshape(8, 3)),
        list(np.arange(24).reshape(8, 3)),
    ),
    "generator": (
        lambda: D.from_generator(counted, output_signature=gw.TensorSpec([], gw.int64)),
        [np.asarray(x) for x in counted()],
    ),
    "nothing": (lambda: D.range(0), []),
}

Recipe = tuple[str, list[tuple[str, int]]]


def zero() -> Any:
    return gw.constant(0, gw.int64)


def all_of_them(elements: Any, _: Any) -> Any:
    total = zero() + 7
    for x in elements:
        total = (total * 31 + number_of(x)) % 1000003
    return total


def returned(elements: Any, stop: Any) -> Any:
    total = zero()
    for x in elements:
        total = (total * 31 + number_of(x)) % 1009
        if total % 5 == stop:
            return total * 100
    return total


def returned_element(elements: Any, stop: Any) -> Any:
    for x in elements:
        number = number_of(x)
        if number % 4 == stop:
            return number * 100
    return zero() - 1


def broken(elements: Any, stop: Any) -> Any:
    total, ended = zero(), zero()
    for x in elements:
        number = number_of(x)
        if number % 3 == stop:
            continue
        total = (total * 31 + number) % 1009
        if total % 4 == stop:
            break
    else:
        ended = zero() + 1
    return total, ended


def returned_from_within(elements: Any, stop: Any) -> Any:
    total = zero()
    for x in elements:
        for k in gw.range(3):
            total = (total * 31 + number_of(x) + gw.cast(k, gw.int64)) % 1009
            if total % 7 == stop:
                return total, zero() + 1
    return total, zero()


def asked(elements: Any, stop: Any) -> Any:
    found, total, count = iter(elements), zero(), zero()
    try:
        while count < stop + 3:
            total = (total * 31 + number_of(next(found))) % 1009
            count += 1
    except StopIteration:
        total += 5000
    return total, count


LOOPS = [all_of_them, returned, returned_element, broken, returned_from_within, asked]


def drawn(seed: int) -> tuple[random.Random, Recipe, Rows]:
    """A recipe, and the elements that it gives."""
    chosen = random.Random(seed)
    source = chosen.choice(list(SOURCES))
    steps: list[tuple[str, int]] = []
    dataset, rows = SOURCES[source][0](), SOURCES[source][1]
    for _ in range(chosen.randint(2, 6)):
        if len(steps) == MOST_STEPS:
            break
        names = [*STEPS, *LIKELY] if chosen.random() < 0.7 else [*STEPS]
        name, number = chosen.choice(names), chosen.randint(1, 4)
        fits, of_dataset, of_list = STEPS[name]
        if not fits(rows):
            continue
        after = of_list(rows, number)
        if len(after) > MOST_ROWS or sum(x.size for x in after) > 20 * MOST_ROWS:
            continue
        dataset, rows = of_dataset(dataset, number), after
        steps.append((name, number))
        if name == "shuffle":
            order = [np.asarray(x.numpy()) for x in dataset]
            check(sorted(str(x.tolist()) for x in order), sorted(str(x.tolist()) for x in rows), "shuffled")
            rows = order
    return chosen, (source, steps), rows


def made(recipe: Recipe) -> Any:
    """The dataset, made anew: nothing is kept in it."""
    source, steps = recipe
    dataset = SOURCES[source][0]()
    for name, number in steps:
        dataset = STEPS[name][1](dataset, number)
    return dataset


def check(found: Any, expected: Any, what: str) -> None:
    assert found == expected, f"{what}: {found}, and it should be {expected}"


def lists(elements: Any) -> list[Any]:
    return [x.numpy().tolist() for x in elements]


def plain(value: Any) -> Any:
    return gw.nest.map_structure(int, value)


def run(seed: int) -> None:
    """Draws a pipeline and loops, and compares them; what differs is an `AssertionError`."""
    chosen, recipe, rows = drawn(seed)
    expected, dataset = [x.tolist() for x in rows], made(recipe)
    for turn in ("elements", "elements again"):
        check(lists(dataset), expected, f"{recipe}: {turn}")
    tensors = [gw.constant(x, gw.int64) for x in rows]
    for loop in chosen.sample(LOOPS, 2):
        as_argument, within = gw.function(loop), gw.function(lambda d, n, loop=loop: loop(iter(d), n))
        iterator = iter(dataset)
        begin = iterator.state_dict()
        for stop in chosen.sample(range(5), 2):
            number = gw.constant(stop, gw.int64)
            wanted = plain(loop(tensors, number))
            what = f"{recipe}: {loop.__name__}({stop})"
            for turn in range(2):
                check(plain(as_argument(dataset, number)), wanted, f"{what}, call {turn}")
            check(plain(within(dataset, number)), wanted, f"{what} of an iterator of the graph")
            iterator.load_state_dict(begin)
            check(plain(as_argument(iterator, number)), wanted, f"{what} of an iterator")
    taken, iterator = chosen.randint(0, 6), iter(dataset)
    for _ in range(taken):
        next(iterator, None)
    state = iterator.state_dict()
    for place, other in (("cold", iter(made(recipe))), ("warm", iter(dataset))):
        other.load_state_dict(state)
        check(lists(other), expected[taken:], f"{recipe}: from {taken} on, where it is {place}")


def main() -> int:
    """Runs many, and says how many gave something else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    found: collections.Counter[str] = collections.Counter()
    warnings.simplefilter("ignore")
    for seed in range(options.seed, options.seed + options.count):
        try:
            run(seed)
            found["agrees"] += 1
        except Exception as error:
            found[type(error).__name__] += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
            if not isinstance(error, AssertionError):
                traceback.print_exc(limit=-2)
    print(dict(found))
    return int(found["agrees"] < options.count)


if __name__ == "__main__":
    sys.exit(main())
