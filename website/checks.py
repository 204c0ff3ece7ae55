"""Checks the built site without a network: links, foreign hosts, alternative texts, labels, skip links, words.

`python -m website.checks` prints each finding and fails if there is one.
"""

from __future__ import annotations

import itertools
import re
import statistics
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

ROOT = Path(__file__).parents[1]
SITE = ROOT / "target" / "site"
#: Elements that load what they name when a page is opened.
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
#: Pages that are about the project itself, where its own commands and words may stand.
PROJECT = ("project/", "design/")
#: Words of the sources that no user has to know.
HOUSE = re.compile(
    r"\b(lobby|gardens?|doors?|rooms|floors|upstairs|the room|the house|this house)\b", re.IGNORECASE
)
#: Commands and paths of the repository.
INSIDE = re.compile(
    r"\b(crates/|tests/python|testkit|xtask|make (?:test|corpus|fuzz|bless|graphs|rust|python)\b)"
)


@dataclass
class Page(HTMLParser):
    """Facts of a page that the checks ask for."""

    path: Path
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    language: str | None = None
    viewport: bool = False

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes links, loads, ids, and elements that say nothing to those who do not see them."""
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(str(given["id"]))
        self.classes |= set((given.get("class") or "").split())
        if tag == "html":
            self.language = given.get("lang")
        if tag == "meta" and given.get("name") == "viewport":
            self.viewport = True
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if (
            tag in LOADING
            and given.get(LOADING[tag])
            and given.get("rel") not in ("canonical", "prev", "next")
        ):
            self.loads.append(str(given[LOADING[tag]]))
        if tag == "img" and not (given.get("alt") or "").strip():
            self.findings.append(f"a picture without an alternative text: {given.get('src')}")
        if tag == "input" and given.get("type") == "text" and not given.get("aria-label"):
            self.findings.append("a field without a label")
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))


def pages() -> dict[Path, Page]:
    """All pages of the site."""
    return {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


def findings() -> list[str]:
    """One line for each thing that is wrong."""
    found: list[str] = []
    listed = pages()
    for path, page in listed.items():
        name = path.relative_to(SITE).as_posix()
        found += [f"{name}: {text}" for text in [*page.findings, *shape(page)]]
        found += [f"{name}: loads {url}" for url in page.loads if re.match(r"(https?:)?//", url)]
        if name != "404.html":
            found += [f"{name}: {text}" for text in dead(page, listed)]
    for path in [*SITE.rglob("*.css"), *SITE.rglob("*.js")]:
        text = path.read_text(encoding="utf-8")
        for url in re.findall(r"(?:url\(|@import )['\"]?(https?://[^'\")]+)", text):
            found.append(f"{path.relative_to(SITE)}: loads {url}")
    return found


def shape(page: Page) -> list[str]:
    """Faults of a page's frame: language, narrow screens, keyboard, headings."""
    found = []
    if not page.language:
        found.append("no language is given")
    if not page.viewport:
        found.append("no width for narrow screens is given")
    if "md-skip" not in page.classes and page.path.name != "404.html":
        found.append("no link that skips to the content")
    if page.levels.count(1) != 1:
        found.append(f"{page.levels.count(1)} headings of the first level")
    for before, after in itertools.pairwise(page.levels):
        if after > before + 1:
            found.append(f"a heading of level {after} follows one of level {before}")
    return found


def dead(page: Page, listed: dict[Path, Page]) -> list[str]:
    """Links within the site that lead nowhere."""
    found = []
    for link in [*page.links, *page.loads]:
        target, fragment = urldefrag(unquote(link))
        if re.match(r"[a-z]+:|//", target):
            continue
        path = (page.path.parent / target).resolve() if target else page.path
        if path.is_dir():
            path = path / "index.html"
        if not path.exists():
            found.append(f"the link {link} leads nowhere")
        elif fragment and path in listed and fragment not in listed[path].ids:
            found.append(f"the link {link} leads to no heading")
    return found


def words() -> list[str]:
    """Words and paths of the sources that stand on pages for users."""
    found = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT / "docs").as_posix()
        if name.startswith(PROJECT) or name == "README.md" or "notebooks" in name:
            continue
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            if fenced:
                continue
            for rule in (HOUSE, INSIDE):
                if match := rule.search(line):
                    found.append(f"docs/{name}:{number}: `{match[0]}` is a word of the sources")
    return found


def sentences(path: Path) -> list[str]:
    """The sentences of a page, without code, tables, headings and pictures."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    prose = "\n".join(line for line in text.splitlines() if not re.match(r"\s*(\||#|!\[|<!--)", line))
    prose = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", prose)
    parts = re.split(r"\n\s*\n|\n\s*- |\n\d+\. |\n:   ", prose)
    return [one.strip() for part in parts for one in re.split(r"(?<=[.!?:])\s+", part) if one.strip()]


def style() -> list[str]:
    """Sentences on pages for users that begin with "What", "Whether" or "How", and pages whose sentences are long."""
    found = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT / "docs").as_posix()
        if name.startswith(PROJECT) or name == "README.md" or "notebooks" in name:
            continue
        listed = sentences(path)
        found += [
            f"docs/{name}: begin with a noun or a verb: {one[:60]}"
            for one in listed
            if re.match(r"\W*(What|Whether|How)\b", one)
        ]
        if listed and (median := statistics.median(len(one.split()) for one in listed)) > 28:
            found.append(f"docs/{name}: the median sentence has {median} words")
    return found


def main() -> int:
    """Prints the findings."""
    found = [*findings(), *words(), *style()]
    print("\n".join(found), file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
