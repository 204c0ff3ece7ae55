"""README's code blocks run, and print what the block after them says."""

from __future__ import annotations

import contextlib
import io

from pages import ROOT, blocks


def test_readme_prints_what_it_says():
    names = {"__name__": "readme"}
    checked = 0
    found = blocks(ROOT / "README.md")
    for block, following in zip(found, [*found[1:], None]):
        if block.language != "python":
            continue
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            block.run(names)
        if following is not None and following.language == "text":
            assert stream.getvalue().strip() == following.text.strip(), f"README.md:{block.line}"
            checked += 1
    assert checked > 0


def test_readme_opens_with_the_two_commands():
    first = blocks(ROOT / "README.md")[0]
    assert first.language == "sh"
    assert [line.split("#")[0].strip() for line in first.text.splitlines()] == ["make demo", "make test"]
