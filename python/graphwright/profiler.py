"""Time of graphs per source line, per operation and per call, as a table or a trace.

While the profiler is on, graphs run code that notes which operation it works off, and a thread reads that
note some thousand times a second. Calls are timed exactly, operations by their shares of these samples.
Operations that the compiler fuses into one loop count for the one whose result the loop leaves in memory.
Python's own time, and that of eager operations, counts as `outside`. Graphs that two threads run at once are
told apart only by their calls.
"""

from __future__ import annotations

import contextlib
import functools
import json
import linecache
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import _native
from ._public import publish as _publish

__all__ = ["Call", "LineTime", "OpTime", "Profile", "profile", "start", "stop"]

#: Seconds between two samples.
EVERY = 1e-4


class LineTime(NamedTuple):
    """The time of one line of the user's text.

    Example:
      >>> line = gw.profiler.LineTime("model.py", 12, 0.25)
      >>> f"{line.file}:{line.lineno} took {line.seconds} s"
      'model.py:12 took 0.25 s'
    """

    file: str
    lineno: int
    seconds: float

    @property
    def text(self) -> str:
        """The line, without its indentation."""
        return linecache.getline(self.file, self.lineno).strip()


class OpTime(NamedTuple):
    """The time of one operation, which is `node` in the graph that the profiler knows by `number`.

    Example:
      >>> @gw.function
      ... def total(x):
      ...     return gw.reduce_sum(gw.tanh(x))
      >>> with gw.profiler.profile() as found:
      ...     _ = total(gw.ones([1000]))
      >>> all(op.graph == "total" and op.seconds > 0 for op in found.ops)
      True
    """

    graph: str
    number: int
    op: str
    node: int
    file: str
    lineno: int
    seconds: float


class Call(NamedTuple):
    """One call of a graph, in seconds since the profiler was started.

    Example:
      >>> @gw.function
      ... def total(x):
      ...     return gw.reduce_sum(gw.tanh(x))
      >>> with gw.profiler.profile() as found:
      ...     _ = total(gw.ones([1000]))
      >>> [call] = found.calls
      >>> call.graph, call.begun < call.ended
      ('total', True)
    """

    graph: str
    begun: float
    ended: float


class Profile:
    """The times between `start` and `stop`.

    Attributes:
      seconds: the time in all.
      outside: the part of it in which no graph ran.
      calls: a list of `Call`, in the order in which they ended; at most 100,000.

    Example:
      >>> @gw.function
      ... def total(x):
      ...     return gw.reduce_sum(gw.tanh(x))
      >>> with gw.profiler.profile() as found:
      ...     _ = total(gw.ones([1000]))
      >>> len(found.calls), found.outside <= found.seconds
      (1, True)
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.outside = 0.0
        self.calls: list[Call] = []
        self._times: list[tuple[tuple[int, int], float]] = []
        self._stretches: list[tuple[float, tuple[int, int] | None]] = []

    def _take(self, found: Any) -> None:
        times, self._stretches, calls, self.seconds = found
        self._times = [(node, seconds) for node, seconds in times if node is not None]
        self.outside = sum(seconds for node, seconds in times if node is None)
        self.calls = [Call(_name(graph), begun, ended) for graph, begun, ended in calls]

    @property
    def ops(self) -> list[OpTime]:
        """The times of operations, the longest first."""
        found = [OpTime(_name(node[0]), node[0], *_operation(node), seconds) for node, seconds in self._times]
        return sorted(found, key=lambda op: -op.seconds)

    @property
    def lines(self) -> list[LineTime]:
        """The times of source lines, the longest first; operations without a line have none."""
        found: dict[tuple[str, int], float] = defaultdict(float)
        for op in self.ops:
            if op.file:
                found[op.file, op.lineno] += op.seconds
        lines = [LineTime(file, lineno, seconds) for (file, lineno), seconds in found.items()]
        return sorted(lines, key=lambda line: -line.seconds)

    def __str__(self) -> str:
        inside = self.seconds - self.outside
        share = 100 / inside if inside > 0 else 0.0
        lines = [f"{line.seconds * share:5.1f} %  {_place(line)}  {line.text}" for line in self.lines[:20]]
        return "\n".join([self._head(), *lines])

    def _head(self) -> str:
        """The time in graphs and outside of them, in words."""
        count = f"{len(self.calls):,} {'call' if len(self.calls) == 1 else 'calls'}"
        if self.calls and not self._times:
            inside = sum(call.ended - call.begun for call in self.calls)
            return f"{inside:.3g} s in graphs, {count}: too short for times of lines, repeat the call"
        return f"{self.seconds - self.outside:.3f} s in graphs, {count}; {self.outside:.3f} s outside"

    def __repr__(self) -> str:
        return f"<Profile: {self.seconds:.3f} s, {len(self.calls)} calls>"

    def _repr_html_(self) -> str:
        """The table of lines; notebooks show it."""
        from . import _html

        return _html.profile(self)

    def trace(self) -> dict[str, Any]:
        """The calls and the operations on a time axis, in Chrome's trace event format.

        Returns:
          Dict that `json.dump` takes.

        Example:
          >>> @gw.function
          ... def total(x):
          ...     return gw.reduce_sum(gw.tanh(x))
          >>> with gw.profiler.profile() as found:
          ...     _ = total(gw.ones([1000]))
          >>> [event["name"] for event in found.trace()["traceEvents"] if event.get("tid") == 1]
          ['thread_name', 'total']
        """
        events: list[dict[str, Any]] = [_thread(1, "graph calls"), _thread(2, "operations (sampled)")]
        for call in self.calls:
            events.append(_event(call.graph, 1, call.begun, call.ended, {}))
        ends = [at for at, _ in self._stretches[1:]] + [self.seconds]
        for (begun, node), ended in zip(self._stretches, ends, strict=True):
            if node is not None:
                op, number, file, lineno = _operation(node)
                place = {"graph": _name(node[0]), "node": number}
                place |= {"file": file, "line": lineno} if file else {}
                events.append(_event(op, 2, begun, ended, place))
        return {"traceEvents": events, "displayTimeUnit": "ms"}

    def save_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace to a file, which Perfetto and `chrome://tracing` open.

        Args:
          path: file, which is replaced if it is there.

        Returns:
          Nothing.

        Example:
          >>> @gw.function
          ... def total(x):
          ...     return gw.reduce_sum(gw.tanh(x))
          >>> with gw.profiler.profile() as found:
          ...     _ = total(gw.ones([1000]))
          >>> import pathlib, tempfile
          >>> path = pathlib.Path(tempfile.mkdtemp()) / "total.json"
          >>> found.save_trace(path)
          >>> path.read_text()[:15]
          '{"traceEvents":'
        """
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.trace(), file)


@contextlib.contextmanager
def profile(every: float = EVERY) -> Iterator[Profile]:
    """Profiles the graphs that run in a `with`; the `Profile` it gives is filled when the `with` ends.

    Args:
      every: seconds between two samples.

    Returns:
      Context manager that gives a `Profile`.

    Raises:
      RuntimeError: if the profiler is on.

    Example:
      >>> import graphwright as gw
      >>> @gw.function
      ... def total(x):
      ...     return gw.reduce_sum(gw.tanh(x))
      >>> with gw.profiler.profile() as found:
      ...     _ = total(gw.ones([1000]))
      >>> [call.graph for call in found.calls]
      ['total']
    """
    start(every)
    found = Profile()
    try:
        yield found
    finally:
        found._take(_native.stop_profile())


def start(every: float = EVERY) -> None:
    """Switches the profiler on, until `stop`.

    Args:
      every: seconds between two samples.

    Returns:
      Nothing.

    Raises:
      RuntimeError: if the profiler is on.

    Example:
      >>> import graphwright as gw
      >>> gw.profiler.start()
      >>> gw.profiler.stop()
      <Profile: ... s, 0 calls>
    """
    if not every > 0:
        raise ValueError(f"every is {every}: it is a time above zero, in seconds")
    if not _native.start_profile(every):
        raise RuntimeError("the profiler is on: call gw.profiler.stop() first")


def stop() -> Profile:
    """Switches the profiler off.

    Returns:
      The `Profile` of the time since `start`.

    Raises:
      RuntimeError: if the profiler is off.

    Example:
      >>> import graphwright as gw
      >>> gw.profiler.start()
      >>> len(gw.profiler.stop().lines)
      0
    """
    found = _native.stop_profile()
    if found is None:
        raise RuntimeError("the profiler is off: call gw.profiler.start() first")
    made = Profile()
    made._take(found)
    return made


@functools.lru_cache(maxsize=64)
def _graph(number: int) -> tuple[str, dict[int, tuple[str, str, int]]]:
    """The name of a graph that was profiled, and for each node its operation, file and line."""
    graph = _native.profiled_graph(number)
    if graph is None:
        return "", {}
    found = {}
    for text, node, place in graph._lines():
        if node is not None:
            file, lineno = (place[0], place[1]) if place else ("", 0)
            found[node] = (_word(text), file, lineno)
    return graph.name, found


def text_of(op: OpTime) -> str:
    """The text of the graph that an operation is part of."""
    return str(_native.profiled_graph(op.number) or "")


def _word(line: str) -> str:
    """The operation of a line of a graph's text."""
    before, sign, behind = line.partition(" = ")
    return (behind if sign else before).split()[0]


def _name(number: int) -> str:
    return _graph(number)[0]


def _operation(node: tuple[int, int]) -> tuple[str, int, str, int]:
    """`(operation, number, file, line)` of a node."""
    op, file, lineno = _graph(node[0])[1].get(node[1], ("", "", 0))
    return op, node[1], file, lineno


def _place(line: LineTime) -> str:
    return f"{os.path.basename(line.file)}:{line.lineno}"


def _thread(number: int, name: str) -> dict[str, Any]:
    return {"name": "thread_name", "ph": "M", "pid": 1, "tid": number, "args": {"name": name}}


def _event(name: str, thread: int, begun: float, ended: float, args: dict[str, Any]) -> dict[str, Any]:
    times = {"ts": begun * 1e6, "dur": max(ended - begun, 0.0) * 1e6}
    return {"name": name, "ph": "X", "pid": 1, "tid": thread, **times, "args": args}


_publish(__name__)
