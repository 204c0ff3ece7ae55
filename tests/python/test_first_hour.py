"""The runner of the first hour: it finds the tasks of the page, notices faults, and its transcript is of this page."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from website import first_hour

TASKS = dict(first_hour.tasks(first_hour.PAGE))


@pytest.fixture
def session(tmp_path):
    """A session whose environment is this one."""
    made = first_hour.Session(tmp_path)
    (Path(made.folder) / "env" / "bin").mkdir(parents=True)
    wrapper = Path(made.folder) / "env" / "bin" / "python"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    wrapper.chmod(0o755)
    yield made
    if made.python:
        made.python.kill()
        made.python.wait()


def run(text, session, tmp_path):
    """Runs the first task of a page."""
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    [(title, blocks)] = first_hour.tasks(page)
    return first_hour.run(title, blocks, session)


def test_the_page_has_ten_tasks():
    assert [title.split(".")[0] for title in TASKS] == [str(number) for number in range(1, 11)]
    assert all(TASKS.values())


def test_blocks_share_their_names(session, tmp_path):
    text = "## 1. Add\n\n```py\na = 1\n```\n\n```py\nprint(a + 1)\n```\n\n```text\n2\n```\n"
    done = run(text, session, tmp_path)
    assert done.faults == []
    assert done.lines == ["> a = 1", "> print(a + 1)", "2"]


def test_an_error_is_output(session, tmp_path):
    text = "## 1. Fail\n\n```py raises\nint('x')\n```\n\n```text\nValueError: invalid literal for int() with base 10: 'x'\n```\n"
    assert run(text, session, tmp_path).faults == []


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("```py\nprint(1)\n```\n\n```text\n2\n```", "the page shows '2"),
        ("```py\nprint(1)\n```", "printed was '1"),
        ("```sh\necho said; exit 3\n```", "status 3 of echo said"),
        ("```sh\nfalse\ntrue\n```", "status 1 of false"),
    ],
)
def test_faults_are_told(session, tmp_path, block, message):
    [fault] = run(f"## 1. Wrong\n\n{block}\n", session, tmp_path).faults
    assert message in fault


def test_long_output_is_cut_and_names_no_place():
    said = "Looking in links: /home/someone\nDownloading x.whl\n" + "line\n" * 30
    assert first_hour.abridged(said) == ["line"] * 14 + ["… 16 more lines"]


def test_the_page_shows_each_task_with_its_time():
    done = first_hour.Done("1. Add", ["> 1", "1"], 0.25, [])
    text = first_hour.page([done, done])
    assert "| 1. Add | 0.2 |" in text and "| all | 0.5 |" in text and "```console\n> 1\n1\n```" in text


def test_the_transcript_is_of_this_page():
    transcript = first_hour.TRANSCRIPT.read_text(encoding="utf-8")
    lines = transcript.splitlines()
    for title, blocks in TASKS.items():
        assert f"## {title}" in transcript
        for block in blocks:
            mark = "$" if block.language == "sh" else ">"
            for line in block.text.splitlines():
                assert f"{mark} {line}".rstrip() in lines, f"run `make first-hour`: {title} has another line"
    assert not re.search(r"/(root|home|tmp)/|https?://", transcript)
