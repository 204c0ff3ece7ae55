"""Two builds of the package in turn: `python -m benches.pairs BEFORE AFTER`, folders that hold `graphwright`.

Each build has a process of its own. Each row is timed in one and then in the other, several times; the median
of the ratios of such pairs counts: other work on the machine changes it little. Names of groups may follow.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

PAIRS = 9
"""So many pairs of rounds are run; the medians count."""

SLOWER = 1.05
"""A row above this ratio is shown as slower."""

Round = Callable[[], float]
"""Gives the seconds of one run."""

#: Groups of programs, by the module that has them.
GROUPS = [
    "calls",
    "loops",
    "models",
    "gradients",
    "arrays",
    "algebra",
    "numbers",
    "ways",
    "plain",
    "nests",
    "first",
]


def rows(group: str) -> Iterator[tuple[str, Callable[[], Round]]]:
    """Title of each row of a group, and what makes it ready."""
    from importlib import import_module

    module = import_module(f"benches.{group}")
    if group == "plain":
        for function, given in module.cases().items():
            yield function.__name__, lambda function=function, given=given: of_plain(function, given)
    elif group == "nests":
        for nest, arguments in module.NESTS:
            yield f"first call of {nest.__name__}", lambda nest=nest, given=arguments: of_nest(nest, given)
    elif group == "first":
        for program in module.PROGRAMS:
            yield f"first call of {program.name}", lambda program=program: of_first(program)
    elif group == "ways":
        for way in module.WAYS:
            yield f"{way.row}, {way.name}", lambda way=way: of_text("f(*args)", way.names, way.arrays)
    else:
        for one in module.WORKLOADS:
            yield one.name, lambda one=one: of_text(one.statement, one.names, one.numpy_out)


def of_text(statement: str, names: Callable[[Any], Any], numpy_out: bool) -> Round:
    """A statement that is run many times."""
    from benches import peers, timing

    ours = peers.graphwright()
    given = names(ours)
    text = (ours.to_numpy if numpy_out else ours.finished).format(statement)
    return timing.Calls(text, given, time.process_time).each


def of_plain(function: Callable[..., Any], given: Any) -> Round:
    """A loop over NumPy arrays."""
    import graphwright as gw
    from benches import plain
    from benches.timing import thread_seconds

    ours = gw.function(function, roll=True)
    plain.once(ours, given)
    count = max(1, int(0.005 / thread_seconds(lambda: plain.once(ours, given))))
    return lambda: plain.each(ours, [given], count)


def of_nest(nest: Callable[..., Any], arguments: Any) -> Round:
    """The first call of a copy that has not been seen."""
    import graphwright as gw
    from benches import nests

    return lambda: nests.renewed_call(gw.function, nest, arguments)


def of_first(program: Any) -> Round:
    """The same of a program of group H."""
    from benches import first, peers

    ours = peers.graphwright()
    return lambda: first.first_call(ours, program.fresh(ours), [ours.array(one) for one in program.arrays])[0]


def serve(groups: list[str]) -> None:
    """Answers each line of the input, the title of a row, with the seconds of a round."""
    known = {f"{group}: {title}": make for group in groups for title, make in rows(group)}
    ready: dict[str, Round] = {}
    for line in sys.stdin:
        title = line.rstrip("\n")
        try:
            if title not in ready:
                ready.clear()
                ready[title] = known[title]()
                ready[title]()
            print(ready[title](), flush=True)
        except Exception as error:
            print(f"failed: {error!r}".replace("\n", " ")[:200], flush=True)


class Build:
    """A process that has one build of the package."""

    def __init__(self, folder: str, groups: list[str]) -> None:
        path = os.pathsep.join([folder, os.getcwd(), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", "benches.pairs", "--serve", *groups]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )

    def seconds(self, title: str) -> float:
        """The seconds of a round of a row; NaN where this build cannot run it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(title, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        try:
            return float(answer)
        except ValueError:
            print(f"{title}: {answer}", file=sys.stderr)
            return float("nan")


def main(before: str, after: str, groups: list[str]) -> None:
    """Prints each row's times and ratio, and for each group the mean and the rows that are slower."""
    # The titles of some rows are made with the package.
    sys.path.insert(0, after)
    builds = [Build(before, groups), Build(after, groups)]
    for group in groups:
        ratios = {}
        for title, _ in rows(group):
            pairs = [[build.seconds(f"{group}: {title}") for build in builds] for _ in range(PAIRS)]
            ratio = statistics.median(new / old for old, new in pairs)
            old, new = (statistics.median(times) for times in zip(*pairs, strict=True))
            mark = "  slower" if ratio > SLOWER else ""
            print(
                f"{group:10} {title:60} {1e6 * old:12.2f} {1e6 * new:12.2f} us {ratio:6.2f}{mark}", flush=True
            )
            if ratio == ratio:
                ratios[title] = ratio
        slower = sum(ratio > SLOWER for ratio in ratios.values())
        mean = statistics.geometric_mean(ratios.values())
        print(
            f"{group}: {len(ratios)} rows, geometric mean {mean:.2f}, slower than before {slower}", flush=True
        )


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], sys.argv[3:] or GROUPS)
