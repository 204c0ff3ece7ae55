"""Reads a docstring: its sentence, its text, and its sections `Args`, `Returns`, `Raises`, `Example`, `Source`."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field

#: Sections by the heading that begins them.
HEADINGS = {
    "Args": "Arguments",
    "Yields": "Yields",
    "Returns": "Returns",
    "Raises": "Raises",
    "Example": "Example",
    "Examples": "Example",
    "Source": "Source",
    "Note": "Note",
}


@dataclass
class Docstring:
    """The parts of a docstring; a section is the text below its heading."""

    summary: str = ""
    text: str = ""
    sections: dict[str, str] = field(default_factory=dict)


def parse(doc: str) -> Docstring:
    """The parts of a docstring whose indentation is gone."""
    found = Docstring()
    heading, lines = None, []

    def close() -> None:
        body = dedent(lines) if heading else "\n".join(lines).strip()
        if heading:
            found.sections[heading] = body
        else:
            found.summary, _, rest = body.partition("\n\n")
            found.summary, found.text = " ".join(found.summary.split()), rest.strip()

    for line in doc.splitlines():
        opening = re.fullmatch(r"(\w+):(?: (.+))?", line)
        if opening and opening[1] in HEADINGS and (opening[2] is None or opening[1] in ("Source", "Returns")):
            close()
            heading, lines = HEADINGS[opening[1]], [f"    {opening[2]}"] if opening[2] else []
        elif heading and line and not line.startswith(" "):
            close()
            heading, lines = None, [found.summary, "", found.text, "", line]
        else:
            lines.append(line)
    close()
    return found


def dedent(lines: list[str]) -> str:
    """Lines of a section without its indentation."""
    return textwrap.dedent("\n".join(lines)).strip("\n")


def markdown(doc: Docstring) -> str:
    """The docstring as a part of a page."""
    parts = [doc.summary, doc.text]
    for heading, body in doc.sections.items():
        if heading == "Example":
            parts.append(f"```pycon\n{body}\n```")
        elif heading in ("Arguments", "Raises"):
            parts.append(f"**{heading}**\n\n{items(body)}")
        else:
            parts.append(f"**{heading}** {body}")
    return "\n\n".join(part for part in parts if part)


def items(body: str) -> str:
    """Lines `name: text` as a list."""
    found: list[str] = []
    for line in body.splitlines():
        start = re.match(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): (.*)", line)
        if start:
            found.append(f"- `{start[1]}`: {start[2]}")
        elif found and line.strip():
            found[-1] += " " + line.strip()
        elif line.strip():
            found.append(f"- {line.strip()}")
    return "\n".join(found)
