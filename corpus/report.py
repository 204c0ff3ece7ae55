"""The page that says what came of the functions of others, and the small programs that show a finding."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import graphwright as gw

from .judge import ORDER
from .values import WAYS

STAGED = tuple(WAYS)[1:]


def reproducer(verdict: dict[str, Any]) -> str:
    """A program that shows a finding."""
    way, module = verdict["way"], verdict["module"]
    call = "gw.autograph.to_graph(f)" if way == "converted" else "gw.function(f)"
    lines = [
        f"# {verdict['verdict']} ({way}) {verdict.get('code', '')} {verdict.get('where', '')}",
        f"# Python: {verdict.get('native', '')}",
        *(f"# {line}" for line in f"{way}: {verdict.get('ours', '')}".split("\n")),
        "import graphwright as gw",
        "from corpus.packages import load",
        "from corpus.takes import taken",
        "from corpus.values import WAYS, nan, inf",
        f"f = taken(load({module!r}).{verdict['name']})",
        f"arguments, keywords = {verdict.get('example', '')}",
        f"print({call}(*WAYS[{way!r}](arguments), **keywords))",
    ]
    return "\n".join(lines) + "\n"


def text(verdicts: list[dict[str, Any]], versions: dict[str, str]) -> str:
    """The page, as Markdown."""
    judged = [v for v in verdicts if v["way"] in WAYS]
    functions = {(v["module"], v["name"]) for v in judged}
    staged = [v for v in judged if v["way"] in STAGED]
    agree = sum(v["verdict"] == "agrees" for v in staged)
    python = ".".join(map(str, sys.version_info[:3]))
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"""\
# Functions of other packages, converted and staged

Measured with graphwright {gw.__version__} and Python {python}: {len(functions):,} functions of the standard library,
{named}.

The examples are the arguments that the packages' own doctests and tests call each function with, and guesses where
there are fewer than four: numbers, lists and texts. Every function runs natively; converted; with its numbers as tensors
(`scalars`); with its lists as tensors (`arrays`, which NumPy's arrays judge too); with the numbers in its lists as
tensors (`lists`); with its texts as tensors (`texts`); twice with each example. A function counts in a way by the worst
that came of its examples.

Of {len(staged):,} staged functions {agree:,} ({100 * agree / max(1, len(staged)):.1f} %) agree with Python.

{_table("way", WAYS, judged, "way")}

`widened` is the same numbers, of the wider type that another branch gives; `ieee` is a float divided by zero, which gives an infinity; `apart` are functions that ask what their argument is; `guarded` is the program's own `raise` or `assert` that a tensor does not pass; `uncoded` is an error with a line of the
program that has no code of ours.

## By package

{_table("package", sorted({v["package"] for v in staged}), staged, "package")}

## Refusals and errors, by code

| code | {" | ".join(STAGED)} | all |
|---|{"---|" * len(STAGED)}---|
{_codes(staged)}

## Findings

{_findings(judged)}
"""


def _table(head: str, keys: Iterable[str], verdicts: list[dict[str, Any]], field: str) -> str:
    counts = Counter((v[field], v["verdict"]) for v in verdicts)
    shown = list(reversed(ORDER))
    rows = [f"| {head} | functions | {' | '.join(shown)} |", "|---" * (len(shown) + 2) + "|"]
    for key in keys:
        row = [counts[key, verdict] for verdict in shown]
        rows.append(
            f"| {key or 'the standard library'} | {sum(row):,} | {' | '.join(f'{n:,}' for n in row)} |"
        )
    return "\n".join(rows)


def _codes(verdicts: list[dict[str, Any]]) -> str:
    failed = [v for v in verdicts if v["verdict"] in ("refused", "uncoded", "guarded")]
    label = {"refused": "", "uncoded": " (uncoded)", "guarded": " (guarded)"}
    counts = Counter((v["code"] + label[v["verdict"]], v["way"]) for v in failed)
    whole: Counter[str] = Counter()
    for (code, _), count in counts.items():
        whole[code] += count
    rows = (
        f"| {code} | {' | '.join(str(counts[code, way]) for way in STAGED)} | {count} |"
        for code, count in whole.most_common()
    )
    return "\n".join(rows)


def _findings(verdicts: list[dict[str, Any]]) -> str:
    found = [v for v in verdicts if v["verdict"] in ORDER[:4]]
    lines = (f"- {v['verdict']}: `{v['module']}.{v['name']}`, {v['way']}" for v in found)
    return "\n".join(sorted(set(lines))) or "None."
