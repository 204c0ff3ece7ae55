"""Wheels by maturin and zig, which links against the glibc of 2012, and the source distribution."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from . import std
from .interpreters import Interpreter

#: The oldest glibc that wheels run on.
GLIBC = (2, 17)
MOST_BYTES = 15_000_000
HERE = "x86_64-unknown-linux-gnu"
FILES = (
    "graphwright/py.typed",
    "graphwright/_native.pyi",
    "graphwright/_report/page.html",
    "*.dist-info/licenses/LICENSE-MIT",
    "*.dist-info/licenses/LICENSE-APACHE",
    "*.dist-info/sboms/gw_py.cyclonedx.json",
)


def environment(target: str | None = None) -> dict[str, str]:
    """The environment of a build: maturin finds zig beside this Python, and chooses the interpreter."""
    folder = str(Path(sys.executable).parent)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYO3_")}
    elsewhere = {} if target is None else std.settings(target)
    return {**kept, **elsewhere, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def maturin(*arguments: str, target: str | None = None) -> None:
    """Runs maturin, whose messages are shown if it fails."""
    command = [str(Path(sys.executable).parent / "maturin"), *arguments]
    done = subprocess.run(command, env=environment(target), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def sdist(out: Path) -> Path:
    """The source distribution."""
    before = set(out.glob("*.tar.gz"))
    maturin("sdist", "--out", str(out))
    made = set(out.glob("*.tar.gz"))
    return next(iter(made - before), max(made, key=lambda path: path.stat().st_mtime))


def wheel(python: Interpreter, out: Path, target: str | None) -> Path:
    """A wheel for an interpreter, for this machine or for another one."""
    where = ["--zig", "--target", target or HERE, "--compatibility", f"manylinux_{GLIBC[0]}_{GLIBC[1]}"]
    with tempfile.TemporaryDirectory() as folder:
        unwinder = ["--", "-L", f"native={folder}", "-l", "dylib=gcc_unwind"]
        Path(folder, "libgcc_unwind.so").symlink_to(libgcc(target or HERE))
        maturin(
            "build",
            "--release",
            *where,
            "--interpreter",
            python.path,
            "--out",
            str(out),
            *unwinder,
            target=target,
        )
    number = python.tag.removesuffix("t")
    machine = (target or HERE).partition("-")[0]
    found = out.glob(f"*-cp{number}-cp{python.tag}-*_{machine}.whl")
    made = max(found, key=lambda path: path.stat().st_mtime)
    without_paths(made)
    return made


def libgcc(target: str) -> Path:
    """The unwinder of the system, which zig would replace by one of its own.

    Where the interpreter ends a thread, glibc unwinds it by `libgcc_s.so.1`; an unwinder of another make in
    the native module cannot read the state of that one, and the process ends by a segmentation fault.
    """
    machine = target.partition("-")[0]
    for folder in (f"/lib/{machine}-linux-gnu", f"/usr/{machine}-linux-gnu/lib", "/lib64", "/usr/lib64"):
        if (found := Path(folder, "libgcc_s.so.1")).exists():
            return found
    debian = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
    raise SystemExit(f"libgcc_s.so.1 for {machine} is not here (Debian: libgcc-s1-{debian}-cross)")


def without_paths(made: Path) -> None:
    """Takes the folder of the build out of the list of components, which names our crates by their places."""
    root = Path.cwd().as_uri()
    again = made.with_suffix(".again")
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as new:
        changed: dict[str, bytes] = {}
        for entry in old.infolist():
            if entry.filename.endswith(".cyclonedx.json"):
                changed[entry.filename] = old.read(entry).replace(root.encode(), b"file:///graphwright")
        for entry in old.infolist():
            content = changed.get(entry.filename, old.read(entry))
            if entry.filename.endswith(".dist-info/RECORD"):
                content = recorded(content.decode(), changed).encode()
            new.writestr(entry, content, zipfile.ZIP_DEFLATED)
    again.replace(made)


def recorded(record: str, changed: dict[str, bytes]) -> str:
    """The record of a wheel, with the digests and sizes of files that were changed."""
    lines = []
    for line in record.splitlines():
        name = line.split(",")[0]
        if name in changed:
            digest = base64.urlsafe_b64encode(hashlib.sha256(changed[name]).digest()).rstrip(b"=").decode()
            line = f"{name},sha256={digest},{len(changed[name])}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def sdist_complaints(made: Path) -> Iterator[str]:
    """Faults of a source distribution: files that the native module is made of, and licences."""
    with tarfile.open(made) as opened:
        names = opened.getnames()
    for wanted in ("Cargo.lock", "docs/diagnostics/GW101.md", "LICENSE-MIT", "python/graphwright/py.typed"):
        if not any(name.endswith(f"/{wanted}") for name in names):
            yield f"{made.name} has no {wanted}"


def complaints(made: Path, target: str | None) -> Iterator[str]:
    """Faults of a wheel, as seen from the outside."""
    if made.stat().st_size > MOST_BYTES:
        yield f"{made.name} has {made.stat().st_size:,} bytes, {MOST_BYTES:,} are allowed"
    with zipfile.ZipFile(made) as opened:
        names = opened.namelist()
        for wanted in FILES:
            if not any(Path(name).match(wanted) for name in names):
                yield f"{made.name} has no {wanted}"
        [native] = [
            name for name in names if name.startswith("graphwright/_native.") and name.endswith(".so")
        ]
        content = opened.read(native)
        if b"\0libgcc_s.so.1\0" not in content:
            yield f"{made.name} has an unwinder of its own: it does not load libgcc_s.so.1"
        wanted_glibc = re.findall(rb"GLIBC_(\d+)\.(\d+)", content)
        newest = max((int(major), int(minor)) for major, minor in wanted_glibc)
        if newest > GLIBC:
            yield f"{made.name} needs glibc {newest[0]}.{newest[1]}"
        [listed] = [name for name in names if name.endswith(".cyclonedx.json")]
        components = json.loads(opened.read(listed))["components"]
        if not {"pyo3", "cranelift-codegen"} <= {component["name"] for component in components}:
            yield f"{made.name} lists {len(components)} components, and not all that are linked in"
    if target is not None and target.partition("-")[0] not in made.name:
        yield f"{made.name} is not for {target}"
