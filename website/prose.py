"""Checks the English of pages for users: words of the sources, spelling, beginnings, length and relative clauses."""

from __future__ import annotations

import importlib.util
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Pages of the project itself, where its own commands and words may stand.
PROJECT = ("project/", "design/")
#: Pages beside `docs/` that users read.
OF_ROOT = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md")
#: Words that codespell knows as mistakes and that are meant, one a line.
SPELLED = Path(__file__).with_name("spelling.txt")
#: Most words of the sentence in the middle of a page.
MOST_WORDS = 28

#: Words of the sources that no user has to know.
HOUSE = re.compile(
    r"\b(lobby|gardens?|doors?|rooms|floors|upstairs|the room|the house|this house)\b", re.IGNORECASE
)
#: Commands and paths of the repository.
INSIDE = re.compile(
    r"\b(crates/|tests/python|testkit|xtask|make (?:test|corpus|fuzz|bless|graphs|rust|python)\b)"
)
#: A clause with `what` for its noun ("what is too large becomes …").
RELATIVE = re.compile(r"\bwhat\b(?! to\b)", re.IGNORECASE)
#: Words before an indirect question, which needs no noun ("says what is wrong").
ASKING = re.compile(
    r"\b(?:say|show|know|tell|ask|see|explain|decide)s?(?: (?:you|whether|by|for|in|of|on))?\s+$"
    r"|\b(?:said|saying|shown|asked|known|knowing|decided|depends on)\s+$"
)


def pages() -> Iterator[tuple[str, str]]:
    """Pages that users read, by name, with their text; those that docstrings make are among them."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT / "docs").as_posix()
        if not name.startswith(PROJECT) and name != "README.md" and "notebooks" not in name:
            yield f"docs/{name}", path.read_text(encoding="utf-8")


def without_code(text: str) -> str:
    """The text with its blocks of code emptied, line by line."""
    return re.sub(
        r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL
    )


def words() -> list[str]:
    """Words and paths of the sources that stand on pages for users."""
    found = []
    for name, text in pages():
        for number, line in enumerate(without_code(text).splitlines(), 1):
            for rule in (HOUSE, INSIDE):
                if match := rule.search(line):
                    found.append(f"{name}:{number}: `{match[0]}` is a word of the sources")
    return found


def sentences(text: str) -> list[str]:
    """The sentences of a page, without code, tables, headings and pictures."""
    lines = without_code(text).splitlines()
    prose = "\n".join(line for line in lines if not re.match(r"\s*(\||#|!\[|<!--)", line))
    prose = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", prose)
    parts = re.split(r"\n\s*\n|\n\s*- |\n\d+\. |\n:   ", prose)
    return [one.strip() for part in parts for one in re.split(r"(?<=[.!?:])\s+", part) if one.strip()]


def style() -> list[str]:
    """Pages with long sentences, with sentences that begin with "What", "Whether" or "How", or with noun-less clauses."""
    found = []
    for name, text in pages():
        listed = sentences(text)
        found += [
            f"{name}: begin with a noun or a verb: {one[:60]}"
            for one in listed
            if re.match(r"\W*(What|Whether|How)\b", one)
        ]
        if listed and (median := statistics.median(len(one.split()) for one in listed)) > MOST_WORDS:
            found.append(f"{name}: the median sentence has {median} words")
        found += [
            f"{name}: begin with a noun or a verb: {title}"
            for title in re.findall(r"^#+ ((?:What|Whether|How)\b.*)", without_code(text), re.MULTILINE)
        ]
        found += [f"{name}:{number}: say which noun is meant: {part}" for number, part in nounless(text)]
    return found


def nounless(text: str) -> Iterator[tuple[int, str]]:
    """Lines and texts of relative clauses without a noun; the names of diagnostics are those of messages."""
    prose = re.sub(
        r"`[^`\n]*`|\]\([^)]*\)|^# GW.*",
        lambda span: "`" * len(span[0]),
        without_code(text),
        flags=re.MULTILINE,
    )
    for match in RELATIVE.finditer(prose):
        before = prose[max(0, match.start() - 30) : match.start()]
        if not ASKING.search(before.replace("\n", " ")):
            around = text_around(prose, match)
            yield prose.count("\n", 0, match.start()) + 1, around


def text_around(prose: str, match: re.Match[str]) -> str:
    """A piece of text about a match, on one line."""
    return " ".join(prose[max(0, match.start() - 40) : match.end() + 40].split())


def spelling() -> list[str]:
    """Mistakes that codespell finds in pages, docstrings, comments and cells of notebooks."""
    if importlib.util.find_spec("codespell_lib") is None:
        return ["the spelling is NOT checked: `pip install codespell`"]
    with tempfile.TemporaryDirectory() as folder:
        cells = Path(folder, "notebooks")
        cells.mkdir()
        for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            text = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"])
            (cells / f"{path.stem}.txt").write_text(text, encoding="utf-8")
        read = [*OF_ROOT, "docs", "python", "examples", "website", str(cells)]
        command = [sys.executable, "-m", "codespell_lib", "--ignore-words", str(SPELLED)]
        command += ["--skip", "*.ipynb,*.svg,*.js,*.so", *read]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() + done.stderr.splitlines()


def findings() -> list[str]:
    """One line for each thing that is wrong."""
    return [*words(), *style(), *spelling()]
