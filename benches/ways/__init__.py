"""Ways of saying the same: programs with vectors, scalars and objects, with `for`, `while` and recursion."""

from __future__ import annotations

import statistics

from rich.table import Table
from tqdm import tqdm

from benches import tally
from benches.peers import installed
from benches.ways import counters, networks, points
from benches.ways.way import measured
from benches.workload import duration

WAYS = [*points.WAYS, *counters.WAYS, *networks.WAYS]


def table() -> Table:
    """Each way of each row, beside the best peer, and the summary of all."""
    peers = installed()
    made = Table(title="Ways of saying the same: processor time, and ours over the best peer's")
    for heading in ("program", "way", "Graphwright", "best peer", "ratio"):
        made.add_column(heading, justify="left" if heading in ("program", "way") else "right")
    ratios, row = {}, ""
    for way in tqdm(WAYS, unit="way", leave=False):
        ours, best, theirs, ratio = measured(way, peers)
        ratios[f"{way.row}, {way.name}"] = ratio
        tally.note("Ways of saying the same", f"{way.row}, {way.name}", ratio)
        title, row = ("" if way.row == row else way.row), way.row
        made.add_row(title, way.name, duration(ours), f"{duration(theirs)} {best}", f"{ratio:.2f}")
    won = sum(ratio <= 1.0 for ratio in ratios.values())
    worst = max(ratios, key=ratios.__getitem__)
    made.add_section()
    made.add_row("won", f"{won} of {len(ratios)}", "", "", "")
    made.add_row("geometric mean", "", "", "", f"{statistics.geometric_mean(ratios.values()):.2f}")
    made.add_row("worst", worst, "", "", f"{ratios[worst]:.2f}")
    return made
