"""README's code blocks run, and print what the block after them says. `make bless` rewrites what they say."""

from __future__ import annotations

import contextlib
import io
import re

from pages import ROOT, blocks

README = ROOT / "README.md"


def printed():
    """Each block of output, with what the code before it prints now."""
    names = {"__name__": "readme"}
    found = blocks(README)
    for block, following in zip(found, [*found[1:], None]):
        if block.language != "python":
            continue
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            block.run(names)
        if following is not None and following.language == "text":
            yield following, stream.getvalue().strip() + "\n"


def test_readme_prints_what_it_says():
    checked = 0
    for block, text in printed():
        assert text == block.text, f"README.md:{block.line}"
        checked += 1
    assert checked > 0


def test_readme_opens_with_the_installation_and_names_the_two_commands():
    shell = [block for block in blocks(README) if block.language == "sh"]
    assert shell[0] == blocks(README)[0]
    commands = [[line.split("#")[0].strip() for line in block.text.splitlines()] for block in shell]
    assert commands == [["pip install graphwright"], ["make demo", "make test"]]


def test_figures_of_the_readme_are_those_of_the_benchmarks():
    figures = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (.+?) \| ([\d.]+) (µs|ms) \| (.+) \|$", README.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) == 5
    for name, ours, unit, others in rows:
        scale = {"µs": 1, "ms": 1000}[unit]
        numbers = [ours, *re.findall(r"\d[\d,.]*\d", others)]
        wanted = {f"{float(number.replace(',', '')) * scale:g}" for number in numbers}
        lines = [{cell.strip() for cell in line.split("|")} for line in figures.splitlines()]
        assert any(wanted <= line for line in lines), name


def bless():
    """Rewrites the blocks of output."""
    page = README.read_text(encoding="utf-8")
    for block, text in list(printed()):
        page = page.replace(f"```text\n{block.text}```", f"```text\n{text}```")
    README.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    bless()
