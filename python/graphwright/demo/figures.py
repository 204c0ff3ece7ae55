"""Pictures of the gallery: figures with titles, axes and legends, made without a window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

#: Dots per inch: a figure of 7 by 4.5 inches has 840 by 540 dots.
DOTS = 120


def figure(title: str, columns: int = 1, size: tuple[float, float] = (7.0, 4.5)) -> tuple[Figure, list[Any]]:
    """A figure with a title and so many pairs of axes side by side."""
    made = Figure(figsize=size, dpi=DOTS, layout="constrained")
    FigureCanvasAgg(made)
    made.suptitle(title)
    return made, list(np.atleast_1d(made.subplots(1, columns)))


def whole_steps(axes: Any) -> None:
    """Puts the ticks of the horizontal axis at whole numbers."""
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def save(made: Figure, path: Path) -> Path:
    """Writes a figure to a file."""
    made.savefig(path)
    return path


def draw_curves(
    curves: dict[str, Any], path: Path, title: str, across: str, up: str, logarithmic: bool = False
) -> Path:
    """One line for each curve over its steps, which begin at 1."""
    made, [axes] = figure(title)
    for name, values in curves.items():
        numbers = np.asarray(values, np.float64)
        marker = "o" if len(numbers) <= 60 else None
        axes.plot(np.arange(1, len(numbers) + 1), numbers, marker=marker, markersize=3, label=name)
    # Ticks of a logarithmic axis are powers of ten, which a smaller range has none of.
    low, high = axes.dataLim.intervaly
    axes.set(xlabel=across, ylabel=up, yscale="log" if logarithmic and high > 10 * low > 0 else "linear")
    whole_steps(axes)
    axes.grid(alpha=0.3)
    axes.legend()
    return save(made, path)


def draw_speeds(rows: list[tuple[str, str, float, float]], path: Path) -> Path:
    """Bars of the speed of graphs: each row is `(title, plain, seconds, seconds as a graph)`."""
    made, [axes] = figure("The gallery as graphs", size=(9.0, 0.9 + 0.42 * len(rows)))
    ratios = [seconds / graph for _, _, seconds, graph in rows]
    names = [f"{title}\n(against {plain})" for title, plain, _, _ in rows]
    colours = ["#2f6fb3" if ratio >= 1 else "#b3552f" for ratio in ratios]
    bars = axes.barh(names, [ratio - 1 for ratio in ratios], left=1.0, color=colours)
    axes.bar_label(bars, [f" {ratio:,.1f}×" for ratio in ratios], fontsize=8)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set(xscale="log", xlabel="times as fast as without a graph (logarithmic)")
    axes.set_xlim(min(0.5, min(ratios) / 2), max(2.0, max(ratios) * 3))
    axes.tick_params(axis="y", labelsize=7)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    return save(made, path)
