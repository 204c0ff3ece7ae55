"""Group C, call overhead: what a call costs whose graph is there already, beside what it costs elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table
from tqdm import tqdm

from benches.peers import PEERS, Function, Peer, installed
from benches.timing import Calls, in_turn

VECTOR = np.linspace(0.1, 0.8, 8, dtype=np.float32)

SCALE = 2.0
OFFSET = 0.25


def add(a, b):
    """One operation on two scalars."""
    return a + b


def combined(parts):
    """An affine combination of the entries of a dict."""
    total = parts["p0"]
    for part in parts.values():
        total = total * part + part
    return total


def step(self, x):
    """A method that reads three attributes and two globals."""
    return (x * self.rate + self.gain) * SCALE + self.shift - OFFSET


def chain(x, y):
    """Twenty operations on small arrays."""
    for _ in range(10):
        x = x * y + y
    return x


def affine(x, y):
    """Two operations; what comes in and goes out is NumPy's."""
    return x * y + y


@dataclass(frozen=True)
class Workload:
    """A call, made for each peer out of the same program and inputs."""

    name: str
    aim: float
    """Microseconds that a call of ours may take."""
    statement: str
    names: Callable[[Peer], dict[str, Any] | None]
    """What the names in the statement are; `None` where a peer cannot say it."""
    numpy_out: bool = False

    def text(self, peer: Peer) -> str:
        """The statement for a peer."""
        return peer.to_numpy.format(self.statement) if self.numpy_out else self.statement


def of_arrays(function: Function, *arrays: np.ndarray) -> Callable[[Peer], dict[str, Any]]:
    """A function of two arrays of the peer's own."""

    def names(peer: Peer) -> dict[str, Any]:
        a, b = (peer.array(array) for array in arrays)
        return {"f": peer.compiled(function), "a": a, "b": b}

    return names


def of_dict(peer: Peer) -> dict[str, Any]:
    """A function of a dict of ten small arrays."""
    parts = {f"p{k}": peer.array(VECTOR * np.float32(k + 1)) for k in range(10)}
    return {"f": peer.compiled(combined), "parts": peer.mapping(parts)}


def of_object(peer: Peer) -> dict[str, Any] | None:
    """A method of an object that holds three numbers."""
    if peer.method is None:
        return None

    class Model:
        def __init__(self) -> None:
            self.rate, self.gain, self.shift = 0.5, 3.0, 1.0

    Model.step = peer.method(step)  # type: ignore[attr-defined]
    return {"model": Model(), "x": peer.array(VECTOR)}


def of_numpy(peer: Peer) -> dict[str, Any]:
    """A function of two NumPy arrays."""
    return {"f": peer.compiled(affine), "x": VECTOR, "y": VECTOR * 2, "np": np}


WORKLOADS = [
    Workload("scalar add", 1, "f(a, b)", of_arrays(add, np.array(2, np.float32), np.array(3, np.float32))),
    Workload("a dict of 10 tensors", 3, "f(parts)", of_dict),
    Workload("a method with 5 guards", 1.5, "model.step(x)", of_object),
    Workload("20 small-tensor ops", 5, "f(a, b)", of_arrays(chain, VECTOR, VECTOR * 2)),
    Workload("NumPy in and out", 5, "f(x, y)", of_numpy, numpy_out=True),
]


def table() -> Table:
    """Every workload with every peer: a call's time, and how many times ours it is."""
    peers = installed()
    made = Table(title="Group C, call overhead: processor time of a cached call (how many times ours it is)")
    made.add_column("workload")
    for heading in ("aim", *PEERS):
        made.add_column(heading, justify="right")
    for workload in tqdm(WORKLOADS, unit="workload", leave=False):
        figures = measured(workload, peers)
        cells = [cell(figures.get(name), name) for name in PEERS]
        made.add_row(workload.name, f"≤ {workload.aim:g} µs", *cells)
    return made


def measured(workload: Workload, peers: dict[str, Peer]) -> dict[str, tuple[float, float]]:
    """The seconds of a call and the ratio to ours, by peer; the results are compared first."""
    calls, wanted = {}, None
    for name, peer in reversed(peers.items()):
        names = workload.names(peer)
        if names is None:
            continue
        statement = workload.text(peer)
        result = np.asarray(eval(statement, names))
        wanted = result if wanted is None else wanted
        np.testing.assert_allclose(result, wanted, rtol=1e-5, err_msg=f"{workload.name} with {name}")
        calls[name] = Calls(statement, names)
    return in_turn(calls, "Graphwright")


def cell(figure: tuple[float, float] | None, name: str) -> str:
    """The text of one figure."""
    if figure is None:
        return "–"
    each, ratio = figure
    time = f"{each * 1e6:.3g} µs"
    return time if name == "Graphwright" else f"{time} ({ratio:.3g}×)"
