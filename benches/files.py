"""Group F, a pipeline over a Parquet file, with and without elements that are computed ahead.

Wall and processor time of one epoch on two processors: rows are shuffled and batched, batches mapped and
added up. Each package has a process of its own; epochs without and with work ahead run in turn.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

ROWS = 1_600_000
COLUMNS = tuple("abcdefgh")
BATCH = 16_384
#: TensorFlow takes seconds for as many.
FEW = 20_000
ROUNDS = 7

PACKAGES = ("Graphwright", "TensorFlow")
WAYS = ("", ", num_parallel_calls=2", ", num_parallel_calls=2, prefetch(4)")


def written(path: Path) -> None:
    """A table of random numbers."""
    import pyarrow
    import pyarrow.parquet

    random = np.random.default_rng(1)
    table = pyarrow.table({name: random.standard_normal(ROWS, "float32") for name in COLUMNS})
    pyarrow.parquet.write_table(table, path, row_group_size=50_000)


def features(module: Any) -> Callable[[Any], Any]:
    """What is mapped: numbers of rows, which take about as long to compute as the rows to be read."""

    def of_batch(rows: Any) -> Any:
        x = module.stack([rows[name] for name in COLUMNS], axis=1)
        wide = module.matmul(x, module.ones([len(COLUMNS), 128]))
        return module.reduce_sum(module.tanh(wide) * module.exp(-wide * wide), axis=1)

    return of_batch


def summed(module: Any) -> Any:
    """A loop over batches."""

    def loop(dataset):
        total = module.constant(0.0)
        for batch in dataset:
            total += module.reduce_sum(batch)
        return total

    return module.function(loop)


def epochs(package: str, path: Path) -> list[Callable[[], Any]]:
    """An epoch over the file in each of the ways."""
    if package == "Graphwright":
        import graphwright as module

        rows = module.data.ParquetDataset(str(path))
    else:
        import tensorflow as module

        rows = of_tensorflow(module, path)
    batches = rows.shuffle(1000, seed=1).batch(BATCH, drop_remainder=True)
    plain = batches.map(features(module))
    beside = batches.map(features(module), num_parallel_calls=2)
    run = summed(module)
    return [functools.partial(run, dataset) for dataset in (plain, beside, beside.prefetch(4))]


def of_tensorflow(module: Any, path: Path) -> Any:
    """The rows of the file, read by the same package."""
    import pyarrow.parquet

    def blocks() -> Any:
        for block in pyarrow.parquet.ParquetFile(path).iter_batches(1024, use_threads=False):
            yield {name: block.column(name).to_numpy() for name in COLUMNS}

    spec = {name: module.TensorSpec([None], module.float32) for name in COLUMNS}
    return module.data.Dataset.from_generator(blocks, output_signature=spec).unbatch().take(FEW)


def main(package: str, path: str) -> None:
    """Prints the seconds of epochs, one in each of the ways in turn."""
    runs = epochs(package, Path(path))
    for run in runs:
        run()
    rounds = [[seconds(run) for run in runs] for _ in range(ROUNDS)]
    sys.stdout.write(json.dumps(rounds) + "\n")


def seconds(run: Callable[[], Any]) -> tuple[float, float, float]:
    """The seconds of a call: on the wall, of the processors, and of the thread that works most."""
    wall, before = time.perf_counter(), of_threads()
    run()
    wall, after = time.perf_counter() - wall, of_threads()
    worked = [after[thread] - before.get(thread, 0) for thread in after]
    return wall, sum(worked) / 1e9, max(worked) / 1e9


def of_threads() -> dict[str, int]:
    """How many nanoseconds each thread of the process has worked, as Linux says it."""
    tasks = Path("/proc/self/task")
    if not tasks.exists():
        return {"": time.process_time_ns()}
    return {task.name: int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()}


def table() -> Table:
    """Nanoseconds for each row."""
    made = Table(title=f"Parquet, shuffle, batch({BATCH}), map and a loop, on two processors (ns per row)")
    for column in ("", "wall", "processors", "busiest thread", "processors busy", "wall, to that without"):
        made.add_column(column, justify="right" if column else "left")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        written(path)
        for package in PACKAGES:
            found = asked(package, path)
            if found is not None:
                add(made, package, found, ROWS if package == "Graphwright" else FEW)
    return made


def add(made: Table, package: str, rounds: list[Any], count: int) -> None:
    """Rows of the medians."""
    for at, way in enumerate(WAYS):
        figures = [median(each[at][which] for each in rounds) / count * 1e9 for which in range(3)]
        busy = median(each[at][1] / each[at][0] for each in rounds)
        ratio = median(each[at][0] / each[0][0] for each in rounds)
        made.add_row(package + way, *(f"{figure:,.0f}" for figure in figures), f"{busy:.2f}", f"{ratio:.2f}")


def asked(package: str, path: Path) -> list[Any] | None:
    """What a process of its own, on two processors, says of a package; `None` if that is not there."""
    setting = {"GRAPHWRIGHT_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-m", "benches.files", package, str(path)]
    done = subprocess.run(command, env=os.environ | setting, capture_output=True, text=True, preexec_fn=two)
    if done.returncode and "No module named 'tensorflow'" in done.stderr:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def two() -> None:
    """Two processors for the process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(range(min(2, os.cpu_count() or 1))))


if __name__ == "__main__":
    main(*sys.argv[1:])
