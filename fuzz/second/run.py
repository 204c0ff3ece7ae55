"""Judges many programs of the second and third grammar, shrinks what is wrong, and writes the record."""

from __future__ import annotations

import argparse
import ast
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.judge import ORDER
from corpus.killable import Limits, forked, pool

from ..ordinary import writer as ordinary
from ..smaller import smaller
from ..third import judge as third_judge
from ..third import modules as third
from . import changes
from .judge import WAYS, judge
from .modules import Program, program

ROOM = Path(__file__).parent.parent
FOLDER = ROOM.parent / "target" / "second"
MAKERS = {
    "second": program,
    "changes": changes.program,
    "third": third.program,
    "ordinary": ordinary.program,
}
JUDGES = {"third": third_judge.judge}
"""Judges of grammars that have one of their own."""
ROOTS = ("f", "CALLS", "STAGED", "TEXTLESS", "STATE")
"""Names that the judge reads."""
BATCH = 25
FINDINGS = ORDER[:4]
LIMITS = Limits(cpu=30, wall=900)


def run(chosen: argparse.Namespace) -> None:
    """Does what the command line says."""
    counts: Counter[tuple[str, str, str]] = Counter()
    worst: Counter[str] = Counter()
    begun, found = time.monotonic(), 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    first = chosen.seed * 1_000_000
    if chosen.grammar == "changes":
        first, chosen.programs = 0, min(chosen.programs, len(changes.pairs()))
    for seed, verdicts in judged(range(first, first + chosen.programs), chosen):
        counts.update((v["way"], v["verdict"], v.get("code", "")) for v in verdicts)
        worst[min((v["verdict"] for v in verdicts), key=ORDER.index, default="dropped")] += 1
        for verdict in [v for v in verdicts if v["verdict"] in FINDINGS][:1]:
            found += 1
            whole = MAKERS[chosen.grammar](seed, tuple(chosen.without.split(",")))
            print(keep(seed, whole, verdict, chosen.shrink, chosen.grammar), flush=True)
        done = sum(worst.values())
        if done % 250 == 0:
            print(f"{done} programs, {found} findings, {time.monotonic() - begun:.0f} s", flush=True)
    page = record(chosen, counts, worst, time.monotonic() - begun)
    if chosen.record:
        room = chosen.grammar if chosen.grammar in ("third", "ordinary") else "second"
        (ROOM / room / "RECORD.md").write_text(page)
    print(page)
    sys.exit(bool(found))


def judged(seeds: range, chosen: argparse.Namespace) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The verdicts of each program; a process judges many, and what ends it is a verdict too."""
    until, processes = time.monotonic() + 60 * chosen.minutes, chosen.processes
    without = tuple(chosen.without.split(","))
    waiting = [(list(seeds[at : at + BATCH]), set()) for at in range(0, len(seeds), BATCH)]
    while waiting and time.monotonic() < until:
        now, waiting = waiting[: processes * 2], waiting[processes * 2 :]
        kept: dict[int, list[dict[str, Any]]] = {}
        for at, said, ended in pool([_work(*one, chosen.grammar, without) for one in now], LIMITS, processes):
            batch, before = now[at]
            left = batch
            for one in said:
                if "program" in one:
                    left = batch[batch.index(one["program"]) :]
                    kept.setdefault(left[0], [])
                elif "verdict" in one:
                    kept[left[0]].append(one)
            if ended:
                begun = next(one for one in reversed(said) if "begins" in one)
                last, verdict = begun["begins"], unended(begun, ended)
                if last == "native":
                    left = left[1:]
                    last_done: set[str] = set()
                else:
                    kept[left[0]].append({"way": last, "verdict": verdict, "code": ended})
                    last_done = {v["way"] for v in kept[left[0]]} | (before if left[0] == batch[0] else set())
                if left:
                    waiting.insert(0, (left, last_done))
        yield from kept.items()


def _work(seeds: list[int], done: set[str], grammar: str, without: tuple[str, ...]) -> Any:
    make, judged = MAKERS[grammar], JUDGES.get(grammar, judge)

    def work(send: Any) -> None:
        for at, seed in enumerate(seeds):
            send({"program": seed})
            try:
                judged(make(seed, without).text, done if at == 0 else set(), send)
            except Exception as error:
                send({"broken": repr(error)})

    return work


def verdicts_of(text: str, way: str, grammar: str = "second") -> list[dict[str, Any]]:
    """The verdicts of one program in one way."""
    judged = JUDGES.get(grammar, judge)
    said, ended = forked(lambda send: judged(text, set(WAYS) - {way}, send), LIMITS)
    verdicts = [one for one in said if "verdict" in one]
    begun = [one for one in said if "begins" in one]
    if ended and begun and begun[-1]["begins"] != "native":
        verdicts.append({"way": begun[-1]["begins"], "verdict": unended(begun[-1], ended), "code": ended})
    return verdicts


def unended(begun: dict[str, Any], ended: str) -> str:
    """The verdict of a way that was ended from outside; Python may have raised where floats are divided."""
    if ended not in ("SIGXCPU", "SIGKILL"):
        return "crashes"
    return "ieee" if begun.get("divides") else "hangs"


def keep(seed: int, whole: Program, verdict: dict[str, Any], seconds: float, grammar: str = "second") -> str:
    """Writes the smallest program that shows a finding."""

    def fails(one: Program) -> bool:
        return any(_alike(v, verdict) for v in verdicts_of(one.text, verdict["way"], grammar))

    # A program that hangs takes minutes to be judged once.
    small = whole if verdict["verdict"] == "hangs" else stripped(whole, fails)
    if verdict["verdict"] != "hangs":
        small = smaller(fewer(small, fails), fails, seconds) if seconds else small
    told = next((v for v in verdicts_of(small.text, verdict["way"], grammar) if _alike(v, verdict)), verdict)
    lines = [f"# seed {seed}: {told['verdict']} ({told['way']}) {told.get('code', '')}"]
    lines += [f"# Python: {told.get('native', '')}"]
    lines += [f"# {line}" for line in f"{told['way']}: {told.get('ours', '')}".split("\n")]
    shown = "\n".join(lines) + "\n" + small.text + "\n"
    FOLDER.mkdir(parents=True, exist_ok=True)
    of = "" if grammar == "second" else f"-{grammar}"
    (FOLDER / f"{told['verdict']}{of}-{seed}.py").write_text(shown)
    return shown


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(name, "") == other.get(name, "") for name in ("way", "verdict", "code"))


def stripped(whole: Program, fails: Any) -> Program:
    """The program without what nothing in it reaches."""
    tree = ast.parse(whole.text)
    named = {name: one for one in tree.body for name in _bound(one)}
    reached, waiting = set(), [name for name in named if name in ROOTS or name.startswith("change")]
    while waiting:
        if (name := waiting.pop()) not in reached and name in named:
            reached.add(name)
            waiting += [node.id for node in ast.walk(named[name]) if isinstance(node, ast.Name)]
    tree.body = [one for one in tree.body if _bound(one) & reached]
    one = Program(ast.unparse(tree))
    return one if fails(one) else whole


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module binds."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, ast.Import):
        return {alias.asname or alias.name for alias in statement.names}
    return {ast.unparse(target) for target in getattr(statement, "targets", [])}


def fewer(whole: Program, fails: Any) -> Program:
    """The program with as few calls as show it."""
    head, _, tail = whole.text.partition("CALLS = [")
    listed, _, tail = tail.partition("]\nSTAGED")
    calls = re.findall(r"lambda: \(.*?\)(?=, lambda|, change|$)|change\d+", listed)
    for at in reversed(range(len(calls))):
        some = calls[:at] + calls[at + 1 :]
        one = Program(f"{head}CALLS = [{', '.join(some)}]\nSTAGED{tail}")
        if some and fails(one):
            whole, calls = one, some
    return whole


def record(
    chosen: argparse.Namespace, counts: Counter[tuple[str, str, str]], worst: Counter[str], seconds: float
) -> str:
    """The record, as Markdown."""
    all_of = sum(worst.values())
    rows = "\n".join(
        f"| {name} | {worst[name]:,} | {100 * worst[name] / max(1, all_of):.1f} % |"
        for name in [*ORDER, "dropped"]
    )
    codes = "\n".join(
        f"| {way} | {verdict} | {code} | {count:,} |" for (way, verdict, code), count in counts.most_common()
    )
    return f"""\
# The recorded run of this grammar

`python -m fuzz --grammar {chosen.grammar} --programs {chosen.programs} --seed {chosen.seed}`:
{all_of:,} programs in {seconds / 60:.0f} minutes. Each runs natively, converted, staged, and staged with some
arguments as they are; calls come twice, with changes between them. A program counts by the worst that came of
it; `dropped` are those that plain Python does not run, or not twice alike.

| worst verdict | programs | share |
|---|---|---|
{rows}

| way | verdict | code | programs |
|---|---|---|---|
{codes}
"""
