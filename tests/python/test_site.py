"""The site: pictures are those that the scripts draw, pages hold no dead link, no picture without words, no inside word."""

from __future__ import annotations

import re
import sys

import pytest
from website import charts, checks, pictures, reference

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
    assert checks.words() == []


def test_sentences_begin_with_a_noun_or_a_verb():
    assert checks.style() == []


def test_sentences_that_begin_otherwise_are_found(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(
        "# Page\n\nA start. What follows is refused.\n", encoding="utf-8"
    )
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    assert len(checks.style()) == 1


@pytest.mark.parametrize("text", ["the lobby decides", "run `make test`", "see crates/ir/src"])
def test_words_of_the_sources_are_found(text):
    assert checks.HOUSE.search(text) or checks.INSIDE.search(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_links_lead_to_files_and_pictures_have_words(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    made = set(reference.pages()) | {"diagnostics/index.md"}
    for alt, link in re.findall(r"(!?\[[^\]]*\])\(([^)\s#]+)[^)]*\)", text):
        assert alt != "![]", f"{page}: {link} has no alternative text"
        if re.match(r"[a-z]+:", link) or link.startswith("%"):
            continue
        path = (page.parent / link).resolve()
        known = path.exists() or path.relative_to(ROOT / "docs").as_posix() in made
        assert known, f"{page}: {link} leads nowhere"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the builder of the site needs Python 3.11")
def test_the_site_builds_without_a_warning(tmp_path, monkeypatch):
    pytest.importorskip("material", reason="the package `mkdocs-material` is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    config = load_config(str(ROOT / "website" / "mkdocs.yml"), strict=True, site_dir=str(tmp_path / "site"))
    build(config)
    monkeypatch.setattr(checks, "SITE", tmp_path / "site")
    assert checks.findings() == []
