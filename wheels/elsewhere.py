"""A trial of a wheel for another machine: Debian's interpreter of that machine runs `smoke.py` in qemu."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import debian, interpreters, trial

#: The suite of Debian that has an interpreter, by the tag of a wheel.
SUITES = {"311": "bookworm", "313": "trixie", "314": "sid"}
MADE = Path("target", "elsewhere")


@dataclass(frozen=True)
class Machine:
    """A machine that is imitated."""

    debian: str
    emulator: str


MACHINES = {"aarch64": Machine("arm64", "qemu-aarch64-static")}


def can_try(tag: str, target: str) -> bool:
    """Tells whether an interpreter and an emulator for such a wheel can be had."""
    machine = MACHINES.get(target.partition("-")[0])
    return tag in SUITES and machine is not None and shutil.which(machine.emulator) is not None


def run(tag: str, wheel: Path, target: str) -> str:
    """Faults that were found; empty if there is none."""
    machine = MACHINES[target.partition("-")[0]]
    name = interpreters.dotted(tag)
    root = MADE / machine.debian / name
    if not (root / "usr" / "bin" / f"python{name}").exists():
        debian.unpacked([f"python{name}", "libstdc++6"], SUITES[tag], machine.debian, root)
    if not (root / "lib").exists():
        # Later suites have their libraries in /usr, and an installation puts a link where they were.
        (root / "lib").symlink_to("usr/lib")
    emulator = shutil.which(machine.emulator) or machine.emulator
    launcher = [emulator, "-L", str(root.resolve())]
    with tempfile.TemporaryDirectory() as folder:
        bare = f"{folder}/bare"
        python = f"{bare}/bin/python"
        site = f"{bare}/lib/python{name}/site-packages"
        base = str((root / "usr" / "bin" / f"python{name}").resolve())
        told = {"SMOKE_LAUNCHER": " ".join(launcher), "HOME": folder, "PATH": "/usr/bin:/bin"}
        for command in (
            [*launcher, base, "-m", "venv", "--without-pip", bare],
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                *options(tag, target),
                "--target",
                site,
                str(wheel.resolve()),
            ],
            [*launcher, python, "-I", str(trial.SMOKE.resolve()), f"{site}/bin"],
        ):
            settings = {**trial.proxies(), **told}
            done = subprocess.run(
                command, cwd=folder, env=settings, capture_output=True, text=True, check=False
            )
            if done.returncode:
                return f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
    return ""


def options(tag: str, target: str) -> list[str]:
    """Options by which pip installs packages for another machine."""
    machine = target.partition("-")[0]
    made = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--implementation", "cp"]
    made += ["--python-version", interpreters.dotted(tag).removesuffix("t"), "--abi", f"cp{tag}"]
    for minor in (17, 27, 28):
        made += ["--platform", f"manylinux_2_{minor}_{machine}"]
    return [*made, "--platform", f"manylinux2014_{machine}"]
