"""Group I, loops over datasets inside a function, beside the same loop over a tensor and TensorFlow's."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

import graphwright as gw
from benches.timing import seconds, thread_seconds

COUNT = 100_000
#: TensorFlow takes seconds for as many.
FEW = 2_000
ROUNDS = 9

DATA = np.arange(COUNT, dtype="int64")


def rows_summed(elements):
    """The sum of elements that are rows or numbers."""
    total = gw.constant(0, gw.int64)
    for element in elements:
        total += gw.reduce_sum(element)
    return total


def mapped_in_the_loop(elements):
    """What `map` and `filter` do, in the loop over a tensor."""
    total = gw.constant(0, gw.int64)
    for element in elements:
        x = element * 3 + 1
        if x % 2 == 0:
            total += x
    return total


def stepped(x):
    """What is mapped."""
    return x * 3 + 1


def is_even(x):
    """What is filtered by."""
    return x % 2 == 0


def pipelines(module: Any, data: Any) -> dict[str, Any]:
    """The same datasets of TensorFlow or Graphwright."""
    slices = module.data.Dataset.from_tensor_slices(data)
    numbers = module.data.Dataset.range(len(data))
    return {
        "rows of a tensor": slices,
        "map, filter": slices.map(stepped).filter(is_even),
        "batches of 32": slices.batch(32),
        "map, filter, batches of 32": numbers.map(stepped).filter(is_even).batch(32),
        "shuffle(1000)": slices.shuffle(1000, seed=1),
        "flat_map to tens": numbers.take(len(data) // 10).flat_map(lambda x: module.data.Dataset.range(10)),
    }


def over_tensors() -> dict[str, Callable[[], Any]]:
    """The same loops over a tensor, where there are such."""
    summed, mapped = gw.function(rows_summed), gw.function(mapped_in_the_loop)
    rows, batches = gw.constant(DATA), gw.constant(DATA.reshape(-1, 32))
    return {
        "rows of a tensor": lambda: summed(rows),
        "map, filter": lambda: mapped(rows),
        "batches of 32": lambda: summed(batches),
    }


def tensorflow_sums() -> dict[str, float] | None:
    """Seconds per element in TensorFlow's graphs, whose threads share the work; `None` without it."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        import tensorflow as tf
    except ImportError:
        return None

    @tf.function
    def summed(dataset):
        total = tf.constant(0, tf.int64)
        for element in dataset:
            total += tf.reduce_sum(element)
        return total

    found = {}
    for name, dataset in pipelines(tf, DATA[:FEW]).items():
        own = pipelines(gw, DATA[:FEW])[name]
        if int(summed(dataset)) != int(gw.function(rows_summed)(own)):
            raise AssertionError(f"TensorFlow has another result for {name}")
        found[name] = min(seconds(lambda dataset=dataset: summed(dataset)) for _ in range(3)) / FEW
    return found


def median(run: Callable[[], Any]) -> float:
    """Processor seconds for each element."""
    run()
    return statistics.median(thread_seconds(run) for _ in range(ROUNDS)) / COUNT


def table() -> Table:
    """Nanoseconds for each element that the sources give."""
    made = Table(title=f"Loops over datasets of {COUNT:,} numbers (ns per element)")
    for column in ("dataset", "in a graph", "over a tensor", "in Python", "TensorFlow, in a graph"):
        made.add_column(column, justify="left" if column == "dataset" else "right")
    tensors, peers = over_tensors(), tensorflow_sums()
    summed = gw.function(rows_summed)
    for name, dataset in tqdm(pipelines(gw, DATA).items(), desc="datasets", leave=False):
        few = pipelines(gw, DATA[:FEW])[name]
        cells = [median(lambda dataset=dataset: summed(dataset))]
        cells.append(median(tensors[name]) if name in tensors else None)
        cells.append(min(thread_seconds(lambda few=few: list(few)) for _ in range(4)) / FEW)
        cells.append(peers[name] if peers else None)
        made.add_row(name, *("-" if cell is None else f"{cell * 1e9:,.2f}" for cell in cells))
    return made
