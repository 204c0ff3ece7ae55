"""Judges every function whose examples were collected; goes on where it was stopped, and shows findings."""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from graphwright import _native

from .judge import ORDER, judge
from .killable import Limits, pool
from .packages import ALL
from .report import reproducer, text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "limits.md"
WALL = 150
"""Seconds after which a process that waits is ended."""
FINDINGS = ORDER[:4]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m corpus", description=__doc__)
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "target" / "corpus", help="what is known so far"
    )
    parser.add_argument(
        "--packages", default="", help="only these, by commas; `standard` is the standard library"
    )
    parser.add_argument("--only", default="", help="only functions whose module and name contain this")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many run at once")
    parser.add_argument("--minutes", type=float, default=600.0, help="begin nothing after that")
    parser.add_argument("--again", action="store_true", help="forget the verdicts")
    parser.add_argument("--record", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    chosen = parser.parse_args()
    verdicts = run(chosen)
    page = text(verdicts, _versions({v["package"] for v in verdicts}))
    if chosen.record:
        PAGE.write_text(page)
    print(page)
    sys.exit(any(v["verdict"] in FINDINGS for v in verdicts))


def run(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Judges package by package; the verdicts of the functions that were asked for."""
    chosen.folder.mkdir(parents=True, exist_ok=True)
    kept = chosen.folder / "verdicts.jsonl"
    if chosen.again:
        kept.unlink(missing_ok=True)
    verdicts, asked = _known(kept), set()
    until = time.monotonic() + 60 * chosen.minutes
    with kept.open("a") as file:
        for name in chosen.packages.split(",") if chosen.packages else [p.name or "standard" for p in ALL]:
            functions = [
                f for f in examples(chosen.folder, name) if chosen.only in f"{f['module']}.{f['name']}"
            ]
            asked |= {(f["module"], f["name"]) for f in functions}
            for verdict in judged(functions, verdicts, chosen.processes, until):
                verdicts.append(verdict)
                file.write(json.dumps(verdict) + "\n")
                file.flush()
                if verdict["verdict"] in FINDINGS:
                    print(reproducer(verdict), flush=True)
    return [v for v in verdicts if (v["module"], v["name"]) in asked]


def examples(folder: Path, name: str) -> list[dict[str, Any]]:
    """The functions of a package with examples, which a process of its own collects once."""
    file = (folder / f"{name}.jsonl").resolve()
    if not file.exists():
        command = [sys.executable, "-m", "corpus.collect", "" if name == "standard" else name, str(file)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            found = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
            subprocess.run(
                command,
                cwd=scratch(),
                env=os.environ | {"PYTHONPATH": found},
                check=False,
                timeout=1200,
            )
    lines = file.read_text().split("\n") if file.exists() else []
    return [json.loads(line) for line in lines if line]


def _known(file: Path) -> list[dict[str, Any]]:
    """The verdicts of this version that an earlier run came to."""
    lines = map(json.loads, file.read_text().splitlines()) if file.exists() else iter(())
    return [verdict for verdict in lines if verdict["version"] == build()]


@functools.cache
def scratch() -> Path:
    """A folder for what functions write that are given names of files."""
    folder = ROOT / "target" / "corpus-scratch"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def build() -> str:
    """The digest of the native module that is judged."""
    return hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()[:16]


def judged(
    functions: list[dict[str, Any]], known: list[dict[str, Any]], processes: int, until: float
) -> Iterator[dict[str, Any]]:
    """The verdicts that are not known: one for each way, and `done` when all of a function's are."""
    over = {(v["module"], v["name"]) for v in known if v["verdict"] == "done"}
    waiting = [f for f in functions if (f["module"], f["name"]) not in over]
    done: dict[tuple[str, str], set[str]] = {}
    while waiting and time.monotonic() < until:
        batch, waiting = waiting[: 4 * processes], waiting[4 * processes :]
        work = [_work(f, done.setdefault((f["module"], f["name"]), set())) for f in batch]
        for at, said, ended in pool(work, Limits(cpu=40, wall=WALL), processes):
            function = batch[at]
            key = (function["module"], function["name"])
            named = {
                "package": function["package"],
                "module": key[0],
                "name": key[1],
                "version": build(),
            }
            verdicts = _ended(said, ended)
            done[key] |= {v["way"] for v in verdicts}
            yield from (named | v for v in verdicts)
            if ended and verdicts and verdicts[-1]["way"] != "native":
                waiting.append(function)
            else:
                yield named | {"way": "", "verdict": "done"}


def _work(function: dict[str, Any], done: set[str]) -> Any:
    texts = function["examples"] + function["guessed"]

    def work(send: Any) -> None:
        os.chdir(scratch())
        judge(function["module"], function["name"], texts, done, send)

    return work


def _ended(said: list[dict[str, Any]], ended: str) -> list[dict[str, Any]]:
    """The verdicts among what a process said, with what the way that it ended in came to."""
    verdicts = [one for one in said if "verdict" in one]
    if broken := next((one for one in said if "broken" in one), None):
        verdicts.append({"way": "native", "verdict": "broken", "ours": broken["broken"]})
    begun = next((one for one in reversed(said) if "begins" in one), {"begins": "native", "example": ""})
    if ended:
        verdict = "hangs" if ended in ("SIGXCPU", "SIGKILL") else "crashes"
        if begun["begins"] == "native":
            verdict = "broken"
        verdicts.append(
            {"way": begun["begins"], "verdict": verdict, "code": ended, "example": begun["example"]}
        )
    return verdicts


def _versions(packages: set[str]) -> dict[str, str]:
    return {name: version(name) for name in sorted(packages) if name}


if __name__ == "__main__":
    main()
