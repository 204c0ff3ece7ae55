"""Runs the ten tasks of `docs/start/first-hour.md` in a bare environment, and prints a transcript with times.

`python -m website.first_hour FOLDER` takes the wheel from a folder where pip is asked for `graphwright`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "start" / "first-hour.md"

#: Runs one block after another in one process; each is an escaped line, and is answered by a line of its own.
RUNNER = """
import sys, linecache
names = {"__name__": "first_hour"}
for number, line in enumerate(sys.stdin):
    text = line.encode().decode("unicode_escape")
    file = f"<block {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    try:
        exec(compile(text, file, "exec"), names)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    print("\\0", flush=True)
"""


def tasks() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each heading with its blocks of shell and of Python."""
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title = section.splitlines()[0]
        yield title, re.findall(r"^```(sh|py)(?: raises)?\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


class Session:
    """A folder with an environment, and a Python in it that is started when it is first needed."""

    def __init__(self, wheels: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="first-hour-")
        self.environment = {**os.environ, "PIP_FIND_LINKS": str(Path(wheels).resolve()), "PYTHONPATH": ""}
        self.python: subprocess.Popen[str] | None = None

    def shell(self, text: str) -> str:
        """The output of lines of shell."""
        done = subprocess.run(
            ["bash", "-c", text],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

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


def main(wheels: str) -> None:
    """Prints each task with its output and its time."""
    session = Session(wheels)
    for title, blocks in tasks():
        print(f"## {title}")
        started = time.perf_counter()
        for language, text in blocks:
            print("".join(f"  | {line}\n" for line in text.splitlines()), end="")
            said = session.shell(text) if language == "sh" else session.block(text)
            print("".join(f"  {line}\n" for line in said.splitlines()), end="")
        print(f"  -- {time.perf_counter() - started:.1f} s\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
