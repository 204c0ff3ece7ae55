"""The site: pictures are those that the scripts draw, pages hold no dead link, no picture without words, no inside word."""

from __future__ import annotations

import functools
import re
import sys

import pytest
from website import browser, charts, checks, pictures, prose, reference

from pages import ROOT

PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "notebooks" not in page.parts]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_are_as_drawn(name):
    assert (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8") == pictures.PICTURES[name]().svg()


@pytest.mark.parametrize("name", charts.tables())
def test_charts_show_the_tables(name):
    assert (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8") == charts.charts()[name]


def test_a_chart_has_a_bar_for_each_figure():
    rows = [("a", 2.0, {"JAX": 4.0, "NumPy": 1.0}), ("b", 1.0, {"NumPy": 3.0})]
    drawn = charts.chart("test", rows).svg()
    assert [drawn.count(f">{label}<") for label in ("2×", "0.5×", "3×")] == [1, 1, 2]  # one of them a tick


def test_user_pages_hold_no_word_of_the_sources():
    assert prose.words() == []


def test_user_pages_are_plain_english():
    assert prose.style() == []


def test_user_pages_are_spelt_as_codespell_knows():
    pytest.importorskip("codespell_lib", reason="the package `codespell` is not installed")
    assert prose.spelling() == []


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Writes a page into a folder of pages of its own."""
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    return lambda text: (tmp_path / "docs" / "page.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A start. What follows is refused.", "begin with a noun or a verb"),
        ("## How it works", "docs/page.md: begin with a noun or a verb"),
        ("Floats become integers; what is too large is cut.", "say which noun is meant"),
        ("A graph gives what\nthe function gives.", "docs/page.md:3: say which noun is meant"),
        ("A sentence of many words " + "and more " * 13 + "ends.", "has 32 words"),
    ],
)
def test_style_is_complained_of(page, text, message):
    page(f"# Page\n\n{text}\n")
    assert any(message in found for found in prose.style())


@pytest.mark.parametrize(
    "text",
    [
        "The message says what is wrong, and what to write instead.",
        "The result depends on what the caller gives.",
        "```py\nwhat = 1\n```",
        "A word `what` of code.",
    ],
)
def test_questions_and_code_are_no_relative_clauses(page, text):
    page(f"# Page\n\n{text}\n")
    assert prose.style() == []


def test_mistakes_of_spelling_are_found(page, tmp_path, monkeypatch):
    pytest.importorskip("codespell_lib", reason="the package `codespell` is not installed")
    page("# Page\n\nThe seperate graph.\n")
    monkeypatch.setattr(prose, "OF_ROOT", ())
    assert ["seperate ==> separate" in line for line in prose.spelling() if "page.md" in line] == [True]


@pytest.mark.parametrize("text", ["the lobby decides", "run `make test`", "see crates/ir/src"])
def test_words_of_the_sources_are_found(text):
    assert prose.HOUSE.search(text) or prose.INSIDE.search(text)


def test_walks_of_contributing_lead_through_this_tree():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:crates|docs|python|tests)/[\w./-]+)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []
    rust = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "crates").rglob("*.rs"))
    lines = {" ".join(line.split()) for line in rust.splitlines()}
    added = [" ".join(line.split()) for line in re.findall(r"^ {4}\+(.*)$", text, re.MULTILINE)]
    assert len(added) > 5
    assert [line for line in added if line not in lines] == []


@functools.cache
def made() -> frozenset[str]:
    """Pages that the builder makes."""
    return frozenset({*reference.pages(), "diagnostics/index.md"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_links_lead_to_files_and_pictures_have_words(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for alt, link in re.findall(r"(!?\[[^\]]*\])\(([^)\s#]+)[^)]*\)", text):
        assert alt != "![]", f"{page}: {link} has no alternative text"
        if re.match(r"[a-z]+:", link) or link.startswith("%"):
            continue
        path = (page.parent / link).resolve()
        known = path.exists() or path.relative_to(ROOT / "docs").as_posix() in made()
        assert known, f"{page}: {link} leads nowhere"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; a warning of the builder is an error."""
    if sys.version_info < (3, 11):
        pytest.skip("the builder of the site needs Python 3.11")
    pytest.importorskip("material", reason="the package `mkdocs-material` is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("built") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        build(load_config(str(ROOT / "website" / "mkdocs.yml"), strict=True, site_dir=str(folder)))
    return folder


def test_the_site_builds_without_a_warning(site, monkeypatch):
    monkeypatch.setattr(checks, "SITE", site)
    assert checks.findings() == []


def test_users_pages_come_before_decisions_in_the_search():
    pytest.importorskip("mkdocs", reason="the package `mkdocs-material` is not installed")
    from website import hooks

    pages = ["start/quickstart.md", "guide/profiler.md", "python/if.md", "start/transcript.md"]
    assert sorted(pages, key=hooks.rank, reverse=True) == pages
    assert hooks.rank("design/001-effects-by-position.md") < hooks.rank("python/if.md")


def test_the_site_in_a_browser(site, monkeypatch):
    if browser.CHROMIUM is None:
        pytest.skip("the site is NOT checked in a browser: it takes Chromium (Debian: chromium)")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the package `playwright` is not installed"
    )
    monkeypatch.setattr(browser, "SITE", site)
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=browser.CHROMIUM, args=["--no-sandbox"])
        assert browser.findings(opened) == []
        opened.close()


def test_faults_are_seen_in_a_browser(tmp_path, monkeypatch):
    if browser.CHROMIUM is None:
        pytest.skip("the site is NOT checked in a browser: it takes Chromium (Debian: chromium)")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the package `playwright` is not installed"
    )
    wide = '<html><body style="color: #aaa"><p>pale</p><div style="width: 900px">wide</div></body></html>'
    (tmp_path / "index.html").write_text(wide, encoding="utf-8")
    monkeypatch.setattr(browser, "SITE", tmp_path)
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=browser.CHROMIUM, args=["--no-sandbox"])
        page = browser.opened(opened.new_context(viewport={"width": 360, "height": 740}), "index.html", [])
        assert page.evaluate(browser.WIDE) > 0
        assert "P.: 2.32" in page.evaluate(browser.CONTRAST)[0]
        opened.close()
