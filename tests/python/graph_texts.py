"""Writes the text of every graph that the pages, the examples and random programs trace, to compare two commits.

`python tests/python/graph_texts.py --out FILE` writes a line per graph, its hash and its name, and the texts to
`FILE.texts`. `--compare BASE` then shows the first graph that differs from the one in such a file, and gives status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import conftest  # noqa: F401  (turns the cache on disk off)
import graphwright as gw
from pages import ROOT

sys.path.insert(0, str(ROOT))
from fuzz.oracle import kind, silent, tensor
from fuzz.programs import Program, program
from fuzz.writer import Choices

#: The tests that run the pages, the examples and the seed programs.
CORPUS = ["test_docs.py", "test_examples.py", "test_guide.py", "test_seed_programs.py"]

#: Classes of functions that run as graphs.
CALLABLES = [gw._native.Function, gw._native.BoundFunction]

#: A line between two texts in a file of texts.
RULE = "==== "


class Recorder:
    """Keeps the text of each graph under the name of the test that traces it; a plugin of pytest."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.place = "outside of tests"
        self.seen: set[str] = set()

    def enter(self, place: str) -> None:
        """Names what is traced from here on."""
        self.place, self.seen = place, set()

    def take(self, text: str) -> None:
        """Keeps a text that the place has not had."""
        if text not in self.seen:
            self.seen.add(text)
            self.texts[f"{self.place} #{len(self.seen)}"] = text

    def trace(self, function: Any, *args: Any, **kwargs: Any) -> None:
        """Keeps the graph of a function for these arguments, or the type of the exception that refuses it."""
        with silent():
            try:
                self.take(str(function.get_concrete_function(*args, **kwargs).graph))
            except Exception as error:
                self.refuse(error)

    def refuse(self, error: Exception) -> None:
        """Keeps the type of an exception in the place of a graph."""
        self.take(f"raises {kind(error)}\n")

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Names the graphs after the test that is about to run."""
        self.enter(item.nodeid.rpartition("/")[2])


@contextlib.contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Calls of functions outside of graphs are recorded where they trace."""
    originals = [vars(cls)["__call__"] for cls in CALLABLES]
    for cls, original in zip(CALLABLES, originals):

        def call(self, *args, _original=original, **kwargs):
            before = self.experimental_get_tracing_count()
            try:
                result = _original(self, *args, **kwargs)
            except Exception as error:
                recorder.refuse(error)
                raise
            if gw.executing_eagerly() and self.experimental_get_tracing_count() != before:
                recorder.trace(self, *args, **kwargs)
            return result

        # Messages name the user's line, which is the first that is outside of the package.
        call.__code__ = call.__code__.replace(co_filename=gw.__file__)
        cls.__call__ = call
    try:
        yield
    finally:
        for cls, original in zip(CALLABLES, originals):
            cls.__call__ = original


def record_tests(recorder: Recorder, tests: list[str]) -> None:
    """Runs test files; the graphs of each test are recorded under its name, whether it passes or not."""
    folder = Path(__file__).parent
    files = [str(folder / name) for name in tests]
    with recording(recorder):
        options = ["-q", "--tb=no", "--disable-warnings", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
        pytest.main([*options, *files], plugins=[recorder])


def record_programs(recorder: Recorder, count: int, seed: int) -> None:
    """Traces random programs, with every argument a tensor and with some of them tensors."""
    for number in range(count):
        one = program(Choices(random.Random(f"{seed} {number}").randint))
        recorder.enter(f"program {number}")
        record_program(recorder, one)
        one.forget()


def record_program(recorder: Recorder, one: Program) -> None:
    """Traces one program."""
    function = one.function()
    for staged in ((True,) * len(one.staged), one.staged):
        fresh = one.fresh(one.arguments)
        arguments = [tensor(a) if is_staged else a for a, is_staged in zip(fresh, staged, strict=True)]
        with contextlib.redirect_stdout(None):
            recorder.trace(gw.function(function), *arguments)


def digest(text: str) -> str:
    """A short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write(texts: dict[str, str], out: Path) -> None:
    """Writes the list of hashes and, beside it, the texts."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(f"{digest(text)} {name}\n" for name, text in texts.items()), encoding="utf-8")
    beside(out).write_text(
        "".join(f"{RULE}{name}\n{text.rstrip()}\n" for name, text in texts.items()), encoding="utf-8"
    )


def beside(out: Path) -> Path:
    """The file of the texts of a list."""
    return out.with_name(out.name + ".texts")


def read(listed: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The hashes and the texts by name, as `write` wrote them; no texts if their file is not there."""
    lines = listed.read_text(encoding="utf-8").splitlines()
    hashes = {name: value for value, _, name in (line.partition(" ") for line in lines)}
    texts = {}
    if beside(listed).exists():
        for part in beside(listed).read_text(encoding="utf-8").split(RULE)[1:]:
            name, _, text = part.partition("\n")
            texts[name] = text
    return hashes, texts


def difference(texts: dict[str, str], base: Path) -> str | None:
    """Counts the graphs that differ from those of a file, and shows the first; `None` if none does."""
    hashes, before = read(base)
    names = [*texts, *(name for name in hashes if name not in texts)]
    differ = [name for name in names if name not in texts or hashes.get(name) != digest(texts[name])]
    if not differ:
        return None
    first = differ[0]
    old = before.get(first, "")
    diff = difflib.unified_diff(
        old.splitlines(), texts.get(first, "").splitlines(), f"{first} (base)", f"{first} (now)", lineterm=""
    )
    return "\n".join([f"{len(differ)} of {len(names)} graphs differ, the first is {first}:", *diff])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the list of graphs is written")
    parser.add_argument("--compare", type=Path, help="the list of the commit to compare with")
    parser.add_argument("--programs", type=int, default=1000, help="how many random programs")
    parser.add_argument("--seed", type=int, default=1, help="which random programs")
    parser.add_argument("tests", nargs="*", default=CORPUS, help="files of tests, if not those of the pages")
    chosen = parser.parse_args()
    recorder = Recorder()
    record_tests(recorder, chosen.tests)
    record_programs(recorder, chosen.programs, chosen.seed)
    write(recorder.texts, chosen.out)
    print(f"{len(recorder.texts)} graphs in {chosen.out}")
    found = chosen.compare and difference(recorder.texts, chosen.compare)
    if found:
        print(found)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
