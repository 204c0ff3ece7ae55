"""Texts of the graphs that pages, examples and random programs trace, before any pass: what staging makes of a program.

`graph_digests.txt` has a line for each test of `CORPUS` that traces and one for each fifty random programs. A change of staging
shows there as a diff; `make bless` rewrites it. `python tests/python/graph_texts.py --out FILE` writes a line per graph, its
digest and its name, and the texts to `FILE.texts`; `--compare BASE` shows the first graph that differs from the one in such a
file of another commit, and gives status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import conftest  # noqa: F401  (turns the cache on disk off)
import graphwright as gw
from pages import ROOT

sys.path.insert(0, str(ROOT))
from fuzz.oracle import kind, silent, tensor
from fuzz.programs import Program, program
from fuzz.writer import Choices

#: The tests that run the pages, the examples, the seed programs, and random programs of other grammars.
CORPUS = [
    "test_docs.py",
    "test_examples.py",
    "test_generated.py",
    "test_guide.py",
    "test_mixed_programs.py",
    "test_seed_programs.py",
]

#: The number of random programs, and of those that share a line.
PROGRAMS, TOGETHER = 1000, 50

#: Tests whose graphs depend on other files' tests: a process numbers custom ops in the order in which it makes them, and traces
#: functions of the package once.
SHARED = {"test_guide.py::test_page[guide-custom-ops]", "test_guide.py::test_page[guide-federated]"}

#: The digests that are checked in, by name.
DIGESTS = Path(__file__).with_name("graph_digests.txt")

#: A line between two texts in a file of texts.
RULE = "==== "


class EnoughError(Exception):
    """Ends a trace whose graph is known, before the graph is compiled."""


@contextlib.contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Tells a listener of each graph that is traced."""
    gw._native.listen_to_graphs(listener)
    try:
        yield
    finally:
        gw._native.listen_to_graphs(None)


class Recorder:
    """A plugin of pytest that keeps the graphs of each test under its name; tests compare nothing then."""

    #: Its name among the plugins.
    NAME = "recorder of graphs"

    def __init__(self, is_backward: bool = False) -> None:
        self.__name__ = self.NAME
        self.texts: dict[str, list[str]] = {}
        self.is_backward = is_backward

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Runs the last test first, if that is asked."""
        if self.is_backward:
            items.reverse()

    def take(self, test: str, texts: list[str]) -> None:
        """Keeps what a test traced."""
        if texts:
            self.texts[test] = texts


def name_of(test: pytest.Item) -> str:
    """The name of a test, with that of its file."""
    return test.nodeid.rpartition("/")[2]


def of_tests(tests: list[str], is_backward: bool = False) -> dict[str, list[str]]:
    """Runs test files; the graphs of each test by its name, whether it passes or not."""
    recorder, folder = Recorder(is_backward), Path(__file__).parent
    options = ["-q", "--tb=short", "--disable-warnings", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    recorded = pytest.main([*options, *(str(folder / name) for name in tests)], plugins=[recorder])
    print("passed" if recorded == 0 else "a test FAILED")
    return recorder.texts


def of_programs(numbers: range, seed: int = 1) -> dict[str, list[str]]:
    """The graphs of random programs by their names, with every argument a tensor and with some of them tensors."""
    found = {}
    for number in numbers:
        one = program(Choices(random.Random(f"{seed} {number}").randint))
        found[f"program {number}"] = of_program(one)
        one.forget()
    return found


def of_program(one: Program) -> list[str]:
    """The graphs of one program, or the types of the exceptions that refuse it."""
    function, texts = one.function(), []

    def keep(text: str) -> None:
        texts.append(text)
        raise EnoughError

    for staged in ((True,) * len(one.staged), one.staged):
        fresh = one.fresh(one.arguments)
        arguments = [tensor(a) if is_staged else a for a, is_staged in zip(fresh, staged, strict=True)]
        with contextlib.redirect_stdout(None), listening(keep), silent():
            try:
                gw.function(function).get_concrete_function(*arguments)
            except EnoughError:
                pass
            except Exception as error:
                texts.append(f"raises {kind(error)}\n")
    return texts


def of_together(first: int) -> tuple[str, str]:
    """The name and the digest of as many random programs as share a line."""
    numbers = range(first, first + TOGETHER)
    texts = [text for texts in of_programs(numbers).values() for text in texts]
    return name_of_programs(numbers), digest(texts)


def name_of_programs(numbers: range) -> str:
    """The name of a line of random programs."""
    return f"programs {numbers.start} to {numbers.stop - 1}"


def digest(texts: list[str]) -> str:
    """A short hash of texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def digests() -> dict[str, str]:
    """The digests that are checked in, by name."""
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    return {name: value for value, _, name in (line.partition(" ") for line in lines)}


def digests_of_tests(is_backward: bool) -> dict[str, str]:
    """The digests of the graphs of the tests, run from the first on or from the last."""
    return {name: digest(texts) for name, texts in sorted(of_tests(CORPUS, is_backward).items())}


def bless() -> None:
    """Writes the digests of now; a test whose graphs depend on what ran before it in its process has none."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        forward, backward = pool.map(digests_of_tests, (False, True))
    same = set(forward.items()) & set(backward.items())
    found = {name: value for name, value in sorted(same) if name not in SHARED}
    found |= dict(of_together(first) for first in range(0, PROGRAMS, TOGETHER))
    DIGESTS.write_text("".join(f"{value} {name}\n" for name, value in found.items()), encoding="utf-8")


def write(texts: dict[str, str], out: Path) -> None:
    """Writes the list of digests and, beside it, the texts."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(f"{digest([text])} {name}\n" for name, text in texts.items()), encoding="utf-8")
    beside(out).write_text(
        "".join(f"{RULE}{name}\n{text.rstrip()}\n" for name, text in texts.items()), encoding="utf-8"
    )


def beside(out: Path) -> Path:
    """The file of the texts of a list."""
    return out.with_name(out.name + ".texts")


def read(listed: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The digests and the texts by name, as `write` wrote them; no texts if their file is not there."""
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
    differ = [name for name in names if name not in texts or hashes.get(name) != digest([texts[name]])]
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
    parser.add_argument("--bless", action="store_true", help="write the digests that are checked in")
    parser.add_argument(
        "--first", type=int, help="print the digest of the random programs from this number on"
    )
    parser.add_argument("--out", type=Path, help="where the list of graphs is written")
    parser.add_argument("--compare", type=Path, help="the list of the commit to compare with")
    parser.add_argument("--programs", type=int, default=PROGRAMS, help="how many random programs")
    parser.add_argument("--seed", type=int, default=1, help="which random programs")
    parser.add_argument("tests", nargs="*", default=CORPUS, help="files of tests, if not those of the pages")
    chosen = parser.parse_args()
    if chosen.bless:
        bless()
        return 0
    if chosen.first is not None:
        print(of_together(chosen.first)[1])
        return 0
    found = {**of_tests(chosen.tests), **of_programs(range(chosen.programs), chosen.seed)}
    texts = {f"{name} #{at}": text for name, several in found.items() for at, text in enumerate(several, 1)}
    if chosen.out:
        write(texts, chosen.out)
        print(f"{len(texts)} graphs in {chosen.out}")
    different = chosen.compare and difference(texts, chosen.compare)
    if different:
        print(different)
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
