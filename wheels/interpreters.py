"""The interpreters that wheels are made for: CPython from 3.10 on, and from 3.14 on without the GIL."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

#: The names that are looked for, in the path and among pyenv's.
NAMES = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.14t")

#: The folder of interpreters that `wheels.pythons` makes.
MADE = Path("target", "pythons")

ASKED = """
import json, platform, sys, sysconfig
print(json.dumps([platform.python_implementation(), sys.version_info[:2], platform.python_version(),
                  bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))
"""


@dataclass(frozen=True)
class Interpreter:
    """One interpreter."""

    path: str
    version: str
    #: As in the tag of a wheel: `311`, or `314t` without the GIL.
    tag: str


def found(named: list[str] | None) -> list[Interpreter]:
    """The interpreters that were named, or the first of each version that is here."""
    by_tag: dict[str, Interpreter] = {}
    for path in named or candidates():
        interpreter = asked(path)
        if interpreter is not None:
            by_tag.setdefault(interpreter.tag, interpreter)
    return [by_tag[tag] for tag in sorted(by_tag)]


def candidates() -> list[str]:
    """Files that may be interpreters."""
    in_path = [shutil.which(f"python{name}") for name in NAMES]
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    of_pyenv = [str(path) for path in sorted(root.glob("3.*/bin/python"))]
    made_here = [str(path) for name in NAMES for path in inside(MADE / name)]
    return [*of_pyenv, *(path for path in in_path if path), *made_here]


def inside(place: Path) -> list[Path]:
    """The interpreter in a folder of `wheels.pythons`, at most one."""
    names = (place / "bin" / f"python{place.name}", place / "usr" / "bin" / f"python{place.name}")
    return [name.resolve() for name in names if name.exists()][:1]


def dotted(tag: str) -> str:
    """A version as the name of a command has it: `3.14t` for the tag `314t`."""
    return f"{tag[0]}.{tag[1:]}"


def elsewhere(named: list[str] | None) -> list[Interpreter]:
    """The versions named, or all: wheels for another machine need no interpreter here."""
    names = [Path(name).name.removeprefix("python") for name in named or NAMES]
    return [Interpreter(f"python{name}", name, name.replace(".", "")) for name in names]


def asked(path: str) -> Interpreter | None:
    """An interpreter of this file; none if it does not run, or is another one."""
    try:
        done = subprocess.run([path, "-c", ASKED], capture_output=True, text=True, timeout=60, check=True)
        name, version, full, is_free = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    # PyO3 supports interpreters without the GIL from 3.14 on.
    if name != "CPython" or tuple(version) < ((3, 14) if is_free else (3, 10)):
        return None
    return Interpreter(path, full, f"{version[0]}{version[1]}{'t' if is_free else ''}")
