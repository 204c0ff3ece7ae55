"""Reads the pages of `docs/`: their headings and fenced blocks; runs a block with its source known."""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `marks` are the words behind its language, `number` counts those of its language."""

    page: Path
    heading: str
    language: str
    marks: frozenset[str]
    text: str
    line: int
    number: int

    @property
    def file(self) -> str:
        """The name under which the block's source can be found."""
        return f"<{self.page.relative_to(ROOT)}, block {self.number}>"

    def run(self, names: dict) -> dict:
        """Executes the block; `names` are its globals, and are returned."""
        lines = self.text.splitlines(keepends=True)
        linecache.cache[self.file] = (len(self.text), None, lines, self.file)
        exec(compile(self.text, self.file, "exec", dont_inherit=True), names)
        return names


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order, each with the heading that it stands under."""
    found, heading, fence, marks, start = [], "", None, frozenset(), 0
    for at, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence is None and line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif fence is None and (opening := re.fullmatch(r"```(\w+)((?: \w+)*)", line)):
            fence, marks, start, body = opening[1], frozenset(opening[2].split()), at, []
        elif fence is not None and line == "```":
            number = 1 + sum(block.language == fence for block in found)
            found.append(Block(page, heading, fence, marks, "".join(body), start, number))
            fence = None
        elif fence is not None:
            body.append(line + "\n")
    assert fence is None, f"{page}:{start}: the block is not closed"
    return found
