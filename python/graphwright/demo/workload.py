"""Facts that the gallery knows of a program: how to run it both ways, compare the answers and draw them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Workload:
    """One program of the gallery at one size."""

    title: str
    plain: str
    """The judge of the graph: `Python`, or `NumPy` for programs on arrays."""
    python: Callable[[], Any]
    graph: Callable[[], Any]
    same: Callable[[Any, Any], Any]
    draw: Callable[[Any, Path], Path] | None = None
    repeat: int = 3


@dataclass(frozen=True)
class Timing:
    """Seconds of each way, and whether the answers agree."""

    python: float
    first: float
    graph: float
    same: bool
    graph_answer: Any
