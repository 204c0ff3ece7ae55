"""Runs the ten tasks of `docs/start/first-hour.md` in a bare environment, and writes a transcript with times.

`python -m website.first_hour FOLDER` takes the wheel from a folder where pip is asked for `graphwright`. It fails where a
command fails, or where a block prints something else than the page shows.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "start" / "first-hour.md"
TRANSCRIPT = DOCS / "start" / "transcript.md"
HEAD = """# Transcript of the first hour

The ten tasks of [First hour](first-hour.md), run in a bare environment in the order of the page, with the output of each block.
The times are those of the machine, not of a reader: CPython {version}, {cores} cores, packages from a package index.

| task | seconds |
|---|---|
"""

#: Runs one block after another in one process; each is an escaped line, and is answered by a line of its own.
RUNNER = """
import sys, linecache
names = {"__name__": "first_hour"}
for number, line in enumerate(sys.stdin, 1):
    text = line.encode().decode("unicode_escape")
    file = f"<docs/start/first-hour.md, block {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    try:
        exec(compile(text, file, "exec"), names)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    print("\\0", flush=True)
"""


@dataclass(frozen=True)
class Block:
    """A block of shell or of Python, and the text that the page shows behind it."""

    language: str
    text: str
    shown: str


@dataclass(frozen=True)
class Done:
    """A task that was run: its lines in the transcript, its time, and its faults."""

    title: str
    lines: list[str]
    seconds: float
    faults: list[str]


def tasks(page: Path) -> Iterator[tuple[str, list[Block]]]:
    """Each heading with its blocks."""
    fence = r"^```(sh|py)(?: raises)?\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?"
    for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        found = re.findall(fence, section, re.MULTILINE | re.DOTALL)
        yield section.splitlines()[0], [Block(*parts) for parts in found]


class Session:
    """A folder with an environment, and a Python in it that is started when it is first needed."""

    def __init__(self, wheels: Path) -> None:
        self.folder = tempfile.mkdtemp(prefix="first-hour-")
        self.environment = {**os.environ, "PIP_FIND_LINKS": str(wheels.resolve()), "PYTHONPATH": ""}
        self.python: subprocess.Popen[str] | None = None

    def shell(self, text: str) -> tuple[str, int]:
        """The output of lines of shell, and their status."""
        done = subprocess.run(
            ["bash", "-ec", text],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout, done.returncode

    def block(self, text: str) -> str:
        """The output of a block of Python, which sees the names of those before."""
        if self.python is None:
            command = [f"{self.folder}/env/bin/python", "-c", RUNNER]
            self.python = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.python.stdin
        assert self.python.stdout
        self.python.stdin.write(text.encode("unicode_escape").decode() + "\n")
        self.python.stdin.flush()
        lines = []
        while (line := self.python.stdout.readline()) not in ("\0\n", ""):
            lines.append(line)
        return "".join(lines)


def run(title: str, blocks: list[Block], session: Session) -> Done:
    """Runs the blocks of a task."""
    lines: list[str] = []
    faults: list[str] = []
    started = time.perf_counter()
    for block in blocks:
        mark = "$" if block.language == "sh" else ">"
        lines += [f"{mark} {line}".rstrip() for line in block.text.splitlines()]
        if block.language == "sh":
            said, status = session.shell(block.text)
            # `check` reports the mistake of its example by the status 1.
            if status not in ((0, 1) if "graphwright check" in block.text else (0,)):
                faults.append(f"{title}: status {status} of {block.text.splitlines()[0]}: {said}")
        else:
            said = session.block(block.text)
            if said.split() != block.shown.split():
                faults.append(f"{title}: the page shows {block.shown!r}, printed was {said!r}")
        lines += abridged(said)
    return Done(title, lines, time.perf_counter() - started, faults)


def abridged(said: str) -> list[str]:
    """Lines of output without places of the machine, rows of pip's progress, and fences, which would end the block."""
    lines = [
        line.rstrip()
        for line in said.splitlines()
        if not re.match(
            r"\s*(```|Looking in|Requirement already|Processing|Collecting|Downloading|Using cached|Installing|━|\[notice\])",
            line,
        )
        and line.strip()
    ]
    return lines if len(lines) <= 16 else [*lines[:14], f"… {len(lines) - 14} more lines"]


def page(finished: list[Done]) -> str:
    """The transcript as a page."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    rows = "".join(f"| {done.title} | {done.seconds:.1f} |\n" for done in finished)
    rows += f"| all | {sum(done.seconds for done in finished):.1f} |\n"
    parts = [HEAD.format(version=version, cores=os.cpu_count()) + rows]
    for done in finished:
        body = "\n".join(done.lines) or "(reading)"
        parts.append(f"## {done.title}\n\n```console\n{body}\n```\n\n{done.seconds:.1f} s\n")
    return "\n".join(parts)


def main(wheels: str) -> int:
    """Runs the tasks, writes the transcript, and prints the faults."""
    session = Session(Path(wheels))
    finished = [run(title, blocks, session) for title, blocks in tasks(PAGE)]
    faults = [fault for done in finished for fault in done.faults]
    print("\n".join(faults), file=sys.stderr)
    if not faults:
        TRANSCRIPT.write_text(page(finished), encoding="utf-8")
    for done in finished:
        print(f"{done.seconds:8.1f} s  {done.title}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
