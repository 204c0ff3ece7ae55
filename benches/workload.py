"""A program with its inputs, made for each package that can say it; one table of what it costs with each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches import tally
from benches.peers import PEERS, Function, Peer, installed
from benches.timing import ROUNDS, Calls, in_turn

Names = Callable[[Peer], dict[str, Any] | None]
"""What the names in a statement are; `None` where a peer cannot say it."""


@dataclass(frozen=True)
class Workload:
    """A statement whose names each peer makes out of the same program and inputs."""

    name: str
    aim: str
    statement: str
    names: Names
    numpy_out: bool = False
    """Whether making the result NumPy's belongs to what is measured."""
    tolerance: float = field(default=1e-5, kw_only=True)
    """By how much results may differ, relative to the largest number of each."""

    def text(self, peer: Peer) -> str:
        """The statement for a peer: what it waits for is the result."""
        return (peer.to_numpy if self.numpy_out else peer.finished).format(self.statement)


def of_function(function: Function, *arrays: Any, **instead: Callable[[], Function]) -> Names:
    """`f(*args)` with a function of arrays; a peer named in `instead` has another text of the program."""

    def names(peer: Peer) -> dict[str, Any]:
        make = instead.get(peer.name.lower())
        program = make() if make else function
        return {"f": peer.compiled(program), "args": [peer.array(array) for array in arrays]}

    return names


def table(
    title: str,
    workloads: Sequence[Workload],
    clock: Callable[[], float] = time.process_time,
    rounds: int = ROUNDS,
) -> Table:
    """Every workload with every peer: the time of a run, and how many times ours it is."""
    peers = installed()
    made = Table(title=f"{title}: processor time (how many times ours it is)")
    made.add_column("workload")
    for heading in ("aim", *PEERS):
        made.add_column(heading, justify="right")
    for workload in tqdm(workloads, unit="workload", leave=False):
        figures = measured(workload, peers, clock, rounds)
        tally.note_beside(title, workload.name, figures)
        made.add_row(workload.name, workload.aim, *(cell(figures.get(name), name) for name in PEERS))
    return made


def measured(
    workload: Workload, peers: dict[str, Peer], clock: Callable[[], float], rounds: int
) -> dict[str, tuple[float, float]]:
    """The seconds of a run and the ratio to ours, by peer; the results are compared first."""
    calls, wanted = {}, None
    for name, peer in reversed(peers.items()):
        names = workload.names(peer)
        if names is None:
            continue
        names |= {"finish": peer.finish, "np": np}
        statement = workload.text(peer)
        result = flat(eval(statement, names))
        wanted = result if wanted is None else wanted
        compare(result, wanted, workload, name)
        calls[name] = Calls(statement, names, clock)
    return in_turn(calls, "Graphwright", rounds)


def flat(result: Any) -> list[np.ndarray]:
    """The arrays of a result, a tuple or one."""
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else [result])]


def compare(result: list[np.ndarray], wanted: list[np.ndarray], workload: Workload, name: str) -> None:
    """Raises `AssertionError` where a result is not the one that is wanted."""
    for one, other in zip(result, wanted, strict=True):
        within = workload.tolerance * float(np.max(np.abs(other), initial=1e-30))
        np.testing.assert_allclose(one, other, atol=within, err_msg=f"{workload.name} with {name}")


def cell(figure: tuple[float, float] | None, name: str) -> str:
    """The text of one figure."""
    if figure is None:
        return "–"
    each, ratio = figure
    time = duration(each)
    return time if name == "Graphwright" else f"{time} ({ratio:.3g}×)"


def duration(seconds: float) -> str:
    """Three digits and the unit that suits them."""
    unit, size = next(
        ((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3)) if seconds >= size), ("µs", 1e-6)
    )
    return f"{seconds / size:.3g} {unit}"
