"""The programs that ways of running once disagreed on, as small as they were found; the tests judge them again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..programs import Program

FOLDER = Path(__file__).parent
HEADER = "import math\n\nimport numpy as np\nfrom numpy import array, inf, nan\n\n"


def keep(program: Program, error: Exception) -> str:
    """Writes a program into the corpus, with what it showed; its name."""
    name = f"found_{hashlib.sha256(program.text.encode()).hexdigest()[:8]}"
    said = str(error).replace("\\", "\\\\").replace('"""', "'''")
    text = (
        f'"""{said}\n"""\n\n{HEADER}{program.text}\n\nARGUMENTS = {program.arguments!r}\n'
        f"OTHERS = {program.others!r}\nSTAGED = {program.staged!r}\n"
    )
    (FOLDER / f"{name}.py").write_text(text)
    return name


def kept() -> Iterator[tuple[str, Program]]:
    """The programs of the corpus, by name."""
    for path in sorted(FOLDER.glob("[!_]*.py")):
        text = path.read_text()
        names: dict[str, Any] = {}
        exec(compile(text, path, "exec"), names)
        yield path.stem, Program(text, names["ARGUMENTS"], names["OTHERS"], names["STAGED"], str(path))
