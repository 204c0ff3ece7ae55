"""The gallery: twelve programs in plain Python, each run natively and as a graph, compared, timed, drawn."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from graphwright.demo import (
    cnn,
    collatz,
    federated,
    figures,
    fizzbuzz,
    kmeans,
    lstm,
    mandelbrot,
    mlp,
    newton,
    ode,
    queens,
    rnn,
)
from graphwright.demo.workload import Timing, Workload

WORKLOADS = {
    module.__name__.rpartition(".")[2]: module
    for module in (collatz, newton, mandelbrot, kmeans, rnn, fizzbuzz, queens, mlp, cnn, lstm, ode, federated)
}

__all__ = ["WORKLOADS", "Timing", "Workload", "measure", "run"]


def run(names: list[str], small: bool, out: Path) -> bool:
    """Runs the named workloads, draws their pictures below `out`, shows the table; is all the same?"""
    rows = []
    with tqdm(total=len(names) * 4, unit="step", leave=False) as bar:
        for name in names:
            bar.set_description(name)
            workload = WORKLOADS[name].workload(small)
            timing = measure(workload, bar.update)
            pictures = draw(workload, timing.graph_answer, out) if timing.same else []
            bar.update()
            rows.append((workload, timing, pictures))
    show(rows, speeds(rows, out))
    return all(timing.same for _, timing, _ in rows)


def measure(workload: Workload, step: Any = lambda: None) -> Timing:
    """Runs a workload both ways: the first call of the graph alone, then the best of three of each."""
    python_answer, python_seconds = best_of(workload.python, workload.repeat)
    step()
    graph_answer, first_seconds = best_of(workload.graph, 1)
    step()
    graph_answer, graph_seconds = best_of(workload.graph, workload.repeat)
    step()
    same = bool(workload.same(python_answer, graph_answer))
    return Timing(python_seconds, first_seconds, graph_seconds, same, graph_answer)


def best_of(action: Any, repeat: int) -> tuple[Any, float]:
    """The action's answer and the shortest of its times."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        answer = action()
        seconds.append(time.perf_counter() - start)
    return answer, min(seconds)


def draw(workload: Workload, answer: Any, out: Path) -> list[Path]:
    """The workload's picture, if it has one."""
    if workload.draw is None:
        return []
    out.mkdir(parents=True, exist_ok=True)
    return [workload.draw(answer, out)]


def speeds(rows: list[tuple[Workload, Timing, list[Path]]], out: Path) -> Path:
    """The picture of the times."""
    out.mkdir(parents=True, exist_ok=True)
    times = [(workload.title, workload.plain, timing.python, timing.graph) for workload, timing, _ in rows]
    return figures.draw_speeds(times, out / "speed.png")


def show(rows: list[tuple[Workload, Timing, list[Path]]], bars: Path) -> None:
    """Prints the table, then where the pictures are."""
    table = Table(title="Graphwright's gallery: the same function, plain and as a graph")
    for heading in ("workload", "plain", "plain time", "first call", "graph time", "ratio", "same answer"):
        table.add_column(heading, justify="left" if heading in ("workload", "plain") else "right")
    for workload, timing, _ in rows:
        ratio = f"{timing.python / timing.graph:.1f}×"
        times = [duration(seconds) for seconds in (timing.python, timing.first, timing.graph)]
        same = "[green]yes[/]" if timing.same else "[red]NO[/]"
        table.add_row(workload.title, workload.plain, *times, ratio, same)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    for picture in [*(picture for _, _, pictures in rows for picture in pictures), bars]:
        console.print(f"drawn: {picture}", highlight=False, soft_wrap=True)


def duration(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
