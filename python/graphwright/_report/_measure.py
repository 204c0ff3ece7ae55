"""The times in a report: of a call, and of each line and operation of it by the profiler."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

import numpy as np

from .. import profiler
from .._native import TensorSpec
from ._source import Places

#: Seconds that the samples of a report are taken in.
SAMPLED = 0.4


def times(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    concrete: Any,
    partition: Any,
    nodes: list[dict[str, Any]],
    places: Places,
) -> dict[str, Any]:
    """Seconds of a call, of its lines and of its operations, and how they were measured.

    A function that calls the host, prints or assigns to variables is called once, as its effects are those of
    a call.
    """
    nothing: dict[str, Any] = {"call": None, "calls": 0, "lines": {}, "ops": {}, "nodes": {}, "how": ""}
    given = [*args, *kwargs.values()]
    if any(isinstance(one, TensorSpec) for one in leaves(given)):
        return {**nothing, "how": "no times: the arguments are types"}
    prints = any(node["op"] == "print" for node in nodes)
    is_pure = not (partition.transfers or prints or concrete.variables) and partition.is_closed
    if not is_pure:
        with profiler.profile() as found:
            function(*args, **kwargs)
        # The call itself also compiles the code that is profiled.
        taken = sum(call.ended - call.begun for call in found.calls)
        how = "one call: the function has effects"
        return {**nothing, **shares(found, taken, 1, places, concrete), "call": taken, "how": how}
    function(*args, **kwargs)
    taken = best(function, args, kwargs)
    count = 0
    with profiler.profile() as found:
        function(*args, **kwargs)
        ends = time.perf_counter() + SAMPLED
        while time.perf_counter() < ends:
            function(*args, **kwargs)
            count += 1
    how = f"best of {count:,} calls; lines by samples of the compiled code"
    return {**nothing, **shares(found, taken, count, places, concrete), "call": taken, "how": how}


def best(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Seconds of the shortest call within a fifth of a second."""
    shortest, ends = float("inf"), time.perf_counter() + 0.2
    while time.perf_counter() < ends:
        begun = time.perf_counter()
        function(*args, **kwargs)
        shortest = min(shortest, time.perf_counter() - begun)
    return shortest


def shares(
    found: profiler.Profile, taken: float, count: int, places: Places, concrete: Any
) -> dict[str, Any]:
    """The time of a call divided among lines, operations by their names, and the nodes of the graph."""
    own = str(concrete.graph)
    inside = sum(op.seconds for op in found.ops)
    lines: dict[str, float] = defaultdict(float)
    ops: dict[str, float] = defaultdict(float)
    nodes: dict[int, float] = defaultdict(float)
    for op in found.ops:
        share = op.seconds / inside * taken if inside > 0 else 0.0
        ops[op.op] += share
        if profiler.text_of(op) == own:
            nodes[op.node] += share
        key = places.get((op.file, op.lineno))
        if key is not None:
            lines[key] += share
    sorted_ops = dict(sorted(ops.items(), key=lambda op: -op[1]))
    return {"calls": count, "lines": dict(lines), "ops": sorted_ops, "nodes": dict(nodes)}


def leaves(value: Any) -> list[Any]:
    """The items of nested containers."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple) and not isinstance(value, np.ndarray):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]
