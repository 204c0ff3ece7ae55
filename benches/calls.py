"""Group C, call overhead: what a call costs whose graph is there already, beside what it costs elsewhere."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.table import Table

from benches import workload
from benches.peers import Function, Peer
from benches.workload import Names, Workload

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


def of_two(function: Function, *arrays: np.ndarray) -> Names:
    """A function of two arrays, each a name of its own."""

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
    return {"f": peer.compiled(affine), "x": VECTOR, "y": VECTOR * 2}


WORKLOADS = [
    Workload(
        "scalar add", "≤ 1 µs", "f(a, b)", of_two(add, np.array(2, np.float32), np.array(3, np.float32))
    ),
    Workload("a dict of 10 tensors", "≤ 3 µs", "f(parts)", of_dict),
    Workload("a method with 5 guards", "≤ 1.5 µs", "model.step(x)", of_object),
    Workload("20 small-tensor ops", "≤ 5 µs", "f(a, b)", of_two(chain, VECTOR, VECTOR * 2)),
    Workload("NumPy in and out", "≤ 5 µs", "f(x, y)", of_numpy, numpy_out=True),
]


def table() -> Table:
    """Every workload with every peer; a call's work is that of the thread which makes it."""
    return workload.table("Group C, call overhead: a cached call", WORKLOADS, time.thread_time)
