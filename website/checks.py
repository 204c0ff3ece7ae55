"""Checks the built site without a network: links, foreign hosts, alternative texts, labels, skip links, and the English of its pages.

`python -m website.checks` prints each finding and fails if there is one.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

from website import prose

ROOT = Path(__file__).parents[1]
SITE = ROOT / "target" / "site"
#: Elements that load what they name when a page is opened.
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


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


@functools.cache
def named(folder: Path, target: str) -> Path | None:
    """The file that a link in a folder names; the navigation of each page has the same links."""
    path = (folder / target).resolve()
    path = path / "index.html" if path.is_dir() else path
    return path if path.exists() else None


def dead(page: Page, listed: dict[Path, Page]) -> list[str]:
    """Links within the site that lead nowhere."""
    found = []
    for link in [*page.links, *page.loads]:
        target, fragment = urldefrag(unquote(link))
        if re.match(r"[a-z]+:|//", target):
            continue
        path = named(page.path.parent, target) if target else page.path
        if path is None:
            found.append(f"the link {link} leads nowhere")
        elif fragment and path in listed and fragment not in listed[path].ids:
            found.append(f"the link {link} leads to no heading")
    return found


def main() -> int:
    """Prints the findings."""
    found = [*findings(), *prose.findings()]
    print("\n".join(found), file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
