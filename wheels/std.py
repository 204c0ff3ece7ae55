"""The standard library of Rust for another machine, compiled from the source of the compiler that is here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from . import debian

#: Debian's package of the compiler's source, by the compiler's release: version and SHA-256.
SOURCES = {"1.95.0": ("1.95.0+dfsg1-2", "fee0a232c32b6f919b2166efc441a7c37884905bdcc2170163579eeed5feee6b")}
SUITE = "forky"
MADE = Path("target", "std")

#: A crate of nothing: what is compiled for it is the standard library.
MANIFEST = """[package]
name = "nothing"
version = "0.0.0"
edition = "2024"
[lib]
path = "nothing.rs"
[workspace]
"""


def settings(target: str) -> dict[str, str]:
    """Variables by which cargo finds the standard library of a machine; none if the toolchain has it."""
    asked = ["rustc", "--print", "target-libdir", "--target", target]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the Rust toolchain knows no machine {target}\n{done.stderr}")
    if list(Path(done.stdout.strip()).glob("libstd-*.rlib")):
        return {}
    name = target.upper().replace("-", "_")
    return {
        f"CARGO_TARGET_{name}_RUSTFLAGS": f"--sysroot={sysroot(target).resolve()}",
        # Optimizing across crates wants bitcode in the standard library, which the one made here has none of.
        "CARGO_PROFILE_RELEASE_LTO": "off",
    }


def sysroot(target: str) -> Path:
    """The folder that stands for the toolchain's when code for this machine is compiled."""
    release, commit = compiler()
    place = MADE / release / target
    libraries = place / "lib" / "rustlib" / target / "lib"
    if list(libraries.glob("libstd-*.rlib")):
        return place
    if release not in SOURCES:
        known = ", ".join(SOURCES)
        raise SystemExit(f"no source of rustc {release} is known ({known} is); `rustup target add {target}`")
    version, digest = SOURCES[release]
    archive = debian.source("rustc", version, digest, SUITE, MADE / "sources")
    compiled = compile_library(library(archive, commit), target)
    shutil.rmtree(libraries, ignore_errors=True)
    libraries.mkdir(parents=True)
    # The last one is copied last: a folder that has it is whole.
    for path in sorted(compiled.glob("*.rlib"), key=lambda path: path.name.startswith("libstd-")):
        if not path.name.startswith("libnothing-"):
            shutil.copy(path, libraries)
    return place


def compiler() -> tuple[str, str]:
    """The release of the compiler that is here, and the commit that it was made from."""
    done = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True)
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    return told["release"], told["commit-hash"]


def library(archive: Path, commit: str) -> Path:
    """Takes the folder `library` out of the compiler's source, which has to be of the same commit."""
    place = MADE / commit
    with tarfile.open(archive) as opened:
        for member in opened:
            _, _, inside = member.name.partition("/")
            if inside == "git-commit-hash" or inside.startswith("library/"):
                member.name = inside
                opened.extract(member, place, filter="data")
    told = (place / "git-commit-hash").read_text(encoding="utf-8").strip()
    if told != commit:
        raise SystemExit(f"{archive.name} is of commit {told}, the compiler that is here of {commit}")
    return place / "library"


def compile_library(sources: Path, target: str) -> Path:
    """Compiles it; returns the folder of what was compiled."""
    folder = MADE / "build"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "nothing.rs").write_text("#![no_std]\n", encoding="utf-8")
    command = ["cargo", "build", "--quiet", "--release", "--target", target, "--target-dir", "out"]
    # The source of the library is where the toolchain has none: cargo has no other way to be told of it.
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CARGO_PROFILE_")},
        "RUSTC_BOOTSTRAP": "1",
        "__CARGO_TESTS_ONLY_SRC_ROOT": str(sources.resolve()),
    }
    debian.run([*command, "-Z", "build-std=std,panic_unwind"], environment, folder)
    return folder / "out" / target / "release" / "deps"
