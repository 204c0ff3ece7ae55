"""A trial of a wheel: it is installed into a bare environment, where `smoke.py` runs."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from .interpreters import Interpreter

SMOKE = Path(__file__).with_name("smoke.py")


def run(python: Interpreter, wheel: Path) -> str:
    """Faults that were found; empty if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        inside = f"{folder}/bare/bin"
        quiet = ["--quiet", "--disable-pip-version-check"]
        for command in (
            [python.path, "-m", "venv", f"{folder}/bare"],
            [
                f"{inside}/python",
                "-m",
                "pip",
                "install",
                *quiet,
                "--only-binary",
                ":all:",
                str(wheel.resolve()),
            ],
            [f"{inside}/python", "-I", str(SMOKE.resolve()), inside],
        ):
            settings = {"PATH": "/usr/bin:/bin", "HOME": folder}
            inherited = proxies()
            done = subprocess.run(
                command,
                cwd=folder,
                env={**inherited, **settings},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                return f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
    return ""


def proxies() -> dict[str, str]:
    """The variables of the environment that say how pip reaches packages."""
    return {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))
    }
