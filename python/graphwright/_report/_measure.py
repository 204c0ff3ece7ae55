"""The times in a report: of a call, and of each line and operation of it by the profiler."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

import numpy as np

from .. import profiler
from .._native import Tensor, TensorSpec, constant
from ._source import Places

#: Seconds that the samples of a report are taken in.
SAMPLED = 0.4

#: The times of a function that is not called.
NOTHING: dict[str, Any] = {
    "call": None,
    "calls": 0,
    "lines": {},
    "ops": {},
    "nodes": {},
    "how": "",
    "raised": None,
}


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

    A function that calls the host, prints, assigns to variables or changes objects around it is called once,
    as its effects are those of a call. One that stores into its arguments is called once on these, then on
    copies. `raised` is the exception that the call ended with.
    """
    if has_types(args, kwargs):
        return {**NOTHING, "how": "no times: the arguments are types"}
    prints = any(node["op"] == "print" for node in nodes)
    changes = prints or concrete._has_effects or concrete.variables or not partition.is_closed
    stored = [object for _, object, is_stored, _ in concrete._memory(function, args, kwargs) if is_stored]
    calls = Calls(function, args, kwargs, stored)
    try:
        if partition.transfers or changes or not calls.may_be_repeated:
            return {**NOTHING, **once(calls, places, concrete)}
        return {**NOTHING, **often(calls, places, concrete)}
    except Exception as error:
        return {**NOTHING, "how": f"no times: the call raises {first_line(error)}", "raised": error}


def once(calls: Calls, places: Places, concrete: Any) -> dict[str, Any]:
    """The times of one call, which also compiles the code that is profiled."""
    with profiler.profile() as found:
        calls.first()
    taken = sum(call.ended - call.begun for call in found.calls)
    how = "one call: the function has effects"
    return {**shares(found, taken, 1, places, concrete), "call": taken, "how": how}


def often(calls: Calls, places: Places, concrete: Any) -> dict[str, Any]:
    """The shortest time of many calls, divided by samples of the compiled code."""
    calls.first()
    taken = best(calls)
    count = 0
    with profiler.profile() as found:
        calls.again()
        ends = time.perf_counter() + SAMPLED
        while time.perf_counter() < ends:
            calls.again()
            count += 1
    how = f"best of {count:,} calls; lines by samples of the compiled code"
    return {**shares(found, taken, count, places, concrete), "call": taken, "how": how}


class Calls:
    """Calls of a function: the first on its arguments, others on copies of those that it stores into."""

    def __init__(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], stored: list[Any]
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.before = {id(object): copied(object) for object in stored}
        given = [*args, *kwargs.values()]
        self.may_be_repeated = all(any(one is object for one in given) for object in stored)

    def first(self) -> None:
        """Calls it on the caller's own arguments."""
        self.function(*self.args, **self.kwargs)

    def again(self) -> float:
        """Seconds of a call on what the arguments held before the first one."""
        args, kwargs = self.args, self.kwargs
        if self.before:
            args = tuple(self.fresh(one) for one in args)
            kwargs = {name: self.fresh(one) for name, one in kwargs.items()}
        begun = time.perf_counter()
        self.function(*args, **kwargs)
        return time.perf_counter() - begun

    def fresh(self, given: Any) -> Any:
        """An argument, or a copy of what it held if it is stored into."""
        kept = self.before.get(id(given))
        return given if kept is None else copied(kept)


def copied(value: Any) -> Any:
    """A copy of a tensor or of an array, which is spread in memory if the array is."""
    if isinstance(value, Tensor):
        return constant(value.numpy())
    if not isinstance(value, np.ndarray) or value.flags.c_contiguous:
        return value.copy()
    made = np.empty((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)[..., ::2]
    made[...] = value
    return made


def best(calls: Calls) -> float:
    """Seconds of the shortest call within a fifth of a second."""
    shortest, ends = float("inf"), time.perf_counter() + 0.2
    while time.perf_counter() < ends:
        shortest = min(shortest, calls.again())
    return shortest


def has_types(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """True if an argument is a mere type."""
    return any(isinstance(one, TensorSpec) for one in leaves([*args, *kwargs.values()]))


def first_line(error: Exception) -> str:
    """An exception with the first line of its text."""
    return f"{type(error).__name__}: {error}".splitlines()[0].rstrip(": ")


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
