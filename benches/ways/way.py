"""One way of writing a program: its text, its arguments, and the texts of other packages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benches import workload
from benches.peers import Function, Peer
from benches.workload import Workload, of_function

ROUNDS = 9
"""So many rounds are run in turn; the median counts."""


@dataclass(frozen=True)
class Way:
    """One of the ways in which the program of a row is written."""

    row: str
    name: str
    program: Function
    arguments: tuple[Any, ...]
    instead: dict[str, Callable[[], Function]] = field(default_factory=dict)
    """By peer, what makes its text of the program; the others take `program`."""
    without: tuple[str, ...] = ()
    """Peers that have no text for this row."""
    tolerance: float = 1e-5
    arrays: bool = False
    """Arguments and results are NumPy's for each peer."""

    def names(self, peer: Peer) -> dict[str, Any] | None:
        """The name in the statement."""
        if peer.name.lower() in self.without:
            return None
        names = of_function(self.program, *self.arguments, **self.instead)(peer)
        return names | {"args": self.arguments} if self.arrays else names


def measured(way: Way, peers: dict[str, Peer]) -> tuple[float, str, float, float]:
    """Our seconds, the best peer, its seconds, and our time over its in the same rounds."""
    program = Workload(
        f"{way.row}, {way.name}",
        "",
        "f(*args)",
        way.names,
        numpy_out=way.arrays,
        tolerance=way.tolerance,
    )
    figures = workload.measured(program, peers, time.process_time, ROUNDS)
    ours = figures.pop("Graphwright")[0]
    best = min(figures, key=lambda name: figures[name][1])
    return ours, best, figures[best][0], 1 / figures[best][1]
