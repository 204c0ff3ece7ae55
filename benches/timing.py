"""How long something takes: once, per call, and one program beside another."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from timeit import Timer
from typing import Any

ROUND = 0.01
"""So many seconds at least does one round of calls take."""

ROUNDS = 21
"""So many rounds are run in turn; the median counts."""


def seconds(action: Callable[[], Any]) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def thread_seconds(action: Callable[[], Any]) -> float:
    """How long this thread worked at one run: other work on the machine counts less."""
    start = time.thread_time()
    action()
    return time.thread_time() - start


class Calls:
    """A statement that is run many times, with the names in it, and the clock that measures it."""

    def __init__(self, statement: str, names: dict[str, Any], clock: Callable[[], float]) -> None:
        self.timer = Timer(statement, globals=names, timer=clock)
        self.empty = Timer("pass", timer=clock)
        self.count = 1
        while self.timer.timeit(self.count) < ROUND:
            self.count *= 2

    def each(self) -> float:
        """The seconds of one run; the loop itself is taken off."""
        return (self.timer.timeit(self.count) - self.empty.timeit(self.count)) / self.count


def in_turn(calls: dict[str, Calls], first: str, rounds: int) -> dict[str, tuple[float, float]]:
    """By name the median seconds of one run, and the median of its ratio to the first's of the same round."""
    taken = [{name: each.each() for name, each in calls.items()} for _ in range(rounds)]
    return {
        name: (
            statistics.median(times[name] for times in taken),
            statistics.median(times[name] / times[first] for times in taken),
        )
        for name in calls
    }
