"""Runs many programs, shrinks and keeps what disagrees, and writes the record."""

from __future__ import annotations

import argparse
import ast
import contextlib
import faulthandler
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes

import graphwright as gw

from . import corpus
from .oracle import LONGEST, DisagreementError, SlowError, Verdict, judge
from .programs import Program, program, programs
from .second import run as second
from .smaller import smaller
from .writer import Choices

RECORD = Path(__file__).parent / "RECORD.md"
BATCH = 250
"""Programs per search: after a disagreement the next search goes on elsewhere."""
LIMIT = 300
"""Seconds for one program; a process that takes longer shows where it is and ends, and the run with it."""


@dataclass
class Record:
    """What was run and what came of it."""

    programs: int = 0
    slow: int = 0
    """Those on which a way took too long; they neither agree nor disagree."""
    refused: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    python: Counter[str] = field(default_factory=Counter)
    """What plain Python does with the programs."""
    constructs: Counter[str] = field(default_factory=Counter)
    """How many programs have each node of Python's syntax."""
    found: list[str] = field(default_factory=list)

    def add(self, program: Program, verdict: Verdict) -> None:
        """Counts a program on which all ways agree, or that is refused."""
        self.programs += 1
        self.refused += bool(verdict.refused)
        self.refusals.update(set(verdict.refused))
        self.python.update(verdict.python)
        self.constructs.update({type(node).__name__ for node in ast.walk(ast.parse(program.text))})

    def merge(self, other: Record, failure: tuple[Program, DisagreementError] | None) -> None:
        """Adds what a batch came to."""
        self.programs += other.programs
        self.slow += other.slow
        self.refused += other.refused
        self.refusals.update(other.refusals)
        self.python.update(other.python)
        self.constructs.update(other.constructs)
        if failure:
            self.found.append(corpus.keep(*failure))
            print(f"{failure[1]}\n{failure[0].text}", flush=True)

    def text(self, command: str, seconds: float) -> str:
        """The record, as Markdown."""
        versions = (
            f"Python {sys.version.split()[0]}, NumPy {np.__version__}, Hypothesis {hypothesis.__version__}"
        )
        share = 100 * self.refused / max(1, self.programs)
        found = "\n".join(f"- {name}" for name in self.found) or "None."
        return f"""\
# The recorded run

`{command}` with graphwright {gw.__version__}, {versions}:
{self.programs:,} programs in {seconds / 60:.0f} minutes.

Each ran natively, converted, staged with every argument a tensor, and staged with some of them tensors,
on two sets of arguments. Results to the last bit, printed text and exception types must agree; or the
program is refused with its line.

- {self.programs - self.refused - self.slow - len(self.found):,} programs agree in every way.
- {self.refused:,} ({share:.1f} %) are refused in one way or another, always with the user's line.
- {self.slow:,} took more than {LONGEST} s in one way or another, which is most often the building of a graph.
- {len(self.found)} disagree.

## Disagreements

{found}

## Refusals, by way of running

{_table("refusal", self.refusals)}

## What plain Python does

{_table("outcome of a call", self.python)}

## Programs with each kind of syntax

{_table("node", self.constructs)}
"""


def _table(head: str, counts: Counter[str]) -> str:
    rows = "\n".join(f"| {name} | {count:,} |" for name, count in counts.most_common())
    return f"| {head} | programs |\n|---|---|\n{rows}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="where the search begins")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin nothing after that")
    parser.add_argument("--processes", type=int, default=1, help="how many run at once")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument(
        "--grammar",
        choices=("first", "second", "changes", "third", "ordinary"),
        default="first",
        help="which programs",
    )
    parser.add_argument(
        "--shrink", type=float, default=30.0, help="seconds to shrink a finding of the others"
    )
    parser.add_argument("--without", default="", help="themes of the others to leave out, by commas")
    chosen = parser.parse_args()
    if chosen.grammar != "first":
        second.run(chosen)
    record, start = Record(), time.monotonic()
    starts = range(0, chosen.programs, BATCH)
    with ProcessPoolExecutor(chosen.processes, multiprocessing.get_context("spawn")) as pool:
        batches = [
            pool.submit(search, min(BATCH, chosen.programs - first), chosen.seed * 1_000_000 + first)
            for first in starts
        ]
        for batch in as_completed(batches):
            try:
                record.merge(*batch.result())
            except BrokenProcessPool:
                sys.exit(f"a process ended in the middle of a program: see {_running('*')}")
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            seconds = time.monotonic() - start
            slow, found = record.slow, len(record.found)
            print(f"{record.programs} programs, {slow} slow, {found} disagree, {seconds:.0f} s", flush=True)
            if seconds > 60 * chosen.minutes:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    text = record.text(f"python -m fuzz --programs {chosen.programs} --seed {chosen.seed}", seconds)
    if chosen.record:
        RECORD.write_text(text)
    else:
        print(text)
    sys.exit(bool(record.found))


def search(most: int, seed: int) -> tuple[Record, tuple[Program, DisagreementError] | None]:
    """Judges a batch of programs; a disagreement ends it and is shrunk."""
    try:
        return _search(most, random.Random(seed))
    finally:
        faulthandler.cancel_dump_traceback_later()
        _running(os.getpid()).unlink(missing_ok=True)


def _search(most: int, source: random.Random) -> tuple[Record, tuple[Program, DisagreementError] | None]:
    record = Record()
    for _ in range(most):
        trail: list[int] = []

        def number(low: int, high: int, trail: list[int] = trail) -> int:
            trail.append(source.randint(low, high))
            return trail[-1]

        one = program(Choices(number))
        _running(os.getpid()).write_text(one.text)
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            record.add(one, judge(one))
        except SlowError:
            record.programs += 1
            record.slow += 1
        except DisagreementError:
            faulthandler.cancel_dump_traceback_later()
            record.programs += 1
            return record, shrunk(trail)
    return record, None


def _running(process: int | str) -> Path:
    """Where a process writes the program that it runs."""
    return Path(tempfile.gettempdir()) / f"graphwright-fuzz-{process}.py"


def shrunk(trail: list[int]) -> tuple[Program, DisagreementError]:
    """The smallest program found from the choices that led to a disagreement, with what disagrees."""
    database = InMemoryExampleDatabase()
    database.save(b"fuzz", choices_to_bytes(trail))
    told: dict[str, DisagreementError] = {}

    def disagrees(one: Program) -> bool:
        # What an edit leaves may be no program, and fail in any way.
        with contextlib.suppress(Exception):
            try:
                judge(one)
            except DisagreementError as error:
                told[one.text] = error
        return one.text in told

    phases = [Phase.reuse, Phase.shrink]
    quiet = list(HealthCheck)
    asked = settings(database=database, phases=phases, suppress_health_check=quiet, deadline=None)
    smallest = smaller(find(programs(), disagrees, settings=asked, database_key=b"fuzz"), disagrees)
    return smallest, told[smallest.text]
