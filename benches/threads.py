"""Group T, several threads: the same programs on one processor and on two, on the wall and in processor time.

Each count has a process of its own, which may use so many processors; packages look at that when imported.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
from rich.table import Table

from benches import algebra, arrays
from benches.peers import Peer, installed
from benches.workload import Workload, compare, duration, flat

ROUNDS = 9

COUNTS = (1, 2)

WORKLOADS = [
    Workload("Black–Scholes, 10,000,000", "", "f(*args)", arrays.of_options(10_000_000), tolerance=1e-4),
    *(w for w in arrays.WORKLOADS if w.name in ("10 operations, 64 MB", "GELU, layer norm, softmax, 1024²")),
    *(w for w in algebra.WORKLOADS if w.name == "matmul 1024"),
]

LEFT_OUT = {("Black–Scholes, 10,000,000", "NumPy")}
"""What takes a minute."""

Figures = dict[str, dict[str, list[float]]]
"""Seconds on the wall and of the processors, by workload and package."""


def peers() -> dict[str, Peer]:
    """The packages; Numba is told to use threads, the others do."""
    found = installed()
    if "Numba" in found:
        import numba

        numba_peer = found["Numba"]
        found["Numba"] = replace(numba_peer, compiled=lambda f: numba.njit(f, parallel=True))
    return found


def measured(workload: Workload, packages: dict[str, Peer]) -> dict[str, list[float]]:
    """The medians of a workload; packages take turns, and results are compared first."""
    calls: dict[str, tuple[Any, dict[str, Any]]] = {}
    wanted = None
    for name, peer in reversed(packages.items()):
        names = None if (workload.name, name) in LEFT_OUT else workload.names(peer)
        if names is None:
            continue
        names |= {"finish": peer.finish, "np": np}
        code = compile(workload.text(peer), "<statement>", "eval")
        result = flat(eval(code, names))
        wanted = result if wanted is None else wanted
        compare(result, wanted, workload, name)
        calls[name] = (code, names)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            taken[name].append(timed(*call))
    return {
        name: [statistics.median(part) for part in zip(*times, strict=True)] for name, times in taken.items()
    }


def timed(code: Any, names: dict[str, Any]) -> tuple[float, float]:
    """How long a run takes, on the wall and of the processors."""
    wall, work = time.perf_counter(), time.process_time()
    eval(code, names)
    return time.perf_counter() - wall, time.process_time() - work


def on(count: int) -> Figures:
    """The figures of a process that may use so many processors."""
    here = [sys.executable, "-m", "benches.threads", str(count)]
    answer = subprocess.run(
        here, check=True, capture_output=True, text=True, env={**os.environ, **limits(count)}
    )
    return json.loads(answer.stdout.splitlines()[-1])


def limits(count: int) -> dict[str, str]:
    """What packages read that do not look at the processors they may use."""
    return {name: str(count) for name in ("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")}


def table() -> Table:
    """Every workload with every package, on one processor and on two."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    figures = {count: on(count) for count in COUNTS}
    os.sched_setaffinity(0, before)
    names = list(next(iter(figures[1].values())))[::-1]
    made = Table(title="Group T, several threads: seconds on the wall / of the processors")
    made.add_column("workload")
    made.add_column("processors", justify="right")
    for name in names:
        made.add_column(name, justify="right")
    for workload in figures[1]:
        for count in COUNTS:
            taken = figures[count][workload]
            cells = [" / ".join(map(duration, taken[name])) if name in taken else "–" for name in names]
            made.add_row(workload, str(count), *cells)
    return made


def main() -> None:
    """Prints the figures of this process, which may use as many processors as it is told."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-int(sys.argv[1]) :])
    packages = peers()
    print(json.dumps({workload.name: measured(workload, packages) for workload in WORKLOADS}))


if __name__ == "__main__":
    main()
