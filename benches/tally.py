"""Rows that are won: tables note our time over the best peer's, and the last table sums them up."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping

from rich.table import Table

_RATIOS: dict[str, dict[str, float]] = defaultdict(dict)
"""By group and row, our time over the best peer's."""


def note(group: str, row: str, ratio: float) -> None:
    """A row of a group, with our time over the best peer's."""
    _RATIOS[group][row] = ratio


def note_beside(group: str, row: str, figures: Mapping[str, tuple[float, float]]) -> None:
    """A row by the figures of packages, whose second number is their time over ours."""
    others = [ratio for name, (_, ratio) in figures.items() if name != "Graphwright"]
    if others:
        note(group, row, 1 / min(others))


def table() -> Table | None:
    """For each group and for all: rows won, geometric mean, worst row; nothing if no row was compared."""
    if not _RATIOS:
        return None
    made = Table(title="Summary: our time over the best peer's")
    for heading in ("group", "rows won", "geometric mean", "worst", "row"):
        made.add_column(heading, justify="left" if heading in ("group", "row") else "right")
    for group, ratios in _RATIOS.items():
        made.add_row(group, *summed(ratios))
    every = {f"{group}: {row}": ratio for group, ratios in _RATIOS.items() for row, ratio in ratios.items()}
    made.add_section()
    made.add_row("all", *summed(every))
    return made


def summed(ratios: Mapping[str, float]) -> tuple[str, str, str, str]:
    """The cells of some rows."""
    worst = max(ratios, key=ratios.__getitem__)
    won = sum(ratio <= 1.0 for ratio in ratios.values())
    mean = statistics.geometric_mean(ratios.values())
    return f"{won} of {len(ratios)}", f"{mean:.2f}", f"{ratios[worst]:.2f}", worst
