"""Packages of Debian for another suite or machine, by apt with its own settings: this system is kept."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
#: The program of apt that takes single files, as apt is told to reach the archive.
HELPER = "/usr/lib/apt/apt-helper"


def source(package: str, version: str, digest: str, suite: str, folder: Path) -> Path:
    """The text of a program as its authors publish it, of one version.

    Ends the process if the archive does not have that version, or if its SHA-256 is not `digest`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = next((path for path in folder.glob(f"{package}_*.orig.tar.xz") if digest_of(path) == digest), None)
    if kept is not None:
        return kept
    stem = version.rpartition("-")[0]
    made = folder / f"{package}_{stem}.orig.tar.xz"
    if not pooled(package, made, digest):
        settings = settle(folder / "apt", "deb-src", suite, None)
        apt(settings, folder, "update")
        apt(settings, folder, "source", "--download-only", "--tar-only", f"{package}={version}")
    if digest_of(made) != digest:
        raise SystemExit(f"{made.name} has the SHA-256 {digest_of(made)}, {digest} is expected")
    return made


def pooled(package: str, made: Path, digest: str) -> bool:
    """Takes a source from the archive's pool, which keeps more than suites list; whether it is there."""
    address = f"{here()}/pool/main/{package[0]}/{package}/{made.name}"
    command = [HELPER, "download-file", address, str(made), f"SHA256:{digest}"]
    return Path(HELPER).exists() and not subprocess.run(command, capture_output=True, check=False).returncode


def unpacked(packages: Iterable[str], suite: str, machine: str, root: Path) -> None:
    """Unpacks binary packages of a suite, and all that they depend on, into a folder that is their root."""
    settings = settle(root.with_name(f"{root.name}.apt"), "deb", suite, machine)
    apt(settings, root, "update")
    apt(settings, root, "install", "--download-only", "--yes", "--no-install-recommends", *packages)
    root.mkdir(parents=True, exist_ok=True)
    for package in sorted((settings.parent / "cache" / "archives").glob("*.deb")):
        run(["dpkg-deb", "--extract", str(package), str(root)], None)


def settle(folder: Path, kind: str, suite: str, machine: str | None) -> Path:
    """Writes settings of apt that know one suite, with no package installed; returns their file."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    stanza = {"Types": kind, "URIs": here(), "Suites": suite, "Components": "main", "Signed-By": KEYS}
    text = "".join(f"{name}: {value}\n" for name, value in stanza.items())
    (folder / "only.sources").write_text(text, encoding="utf-8")
    inside = folder.resolve()
    lines = [
        f'Dir::State "{inside}/state";',
        f'Dir::State::status "{inside}/status";',
        f'Dir::Cache "{inside}/cache";',
        f'Dir::Etc::SourceList "{inside}/only.sources";',
        'Dir::Etc::SourceParts "-";',
        'APT::Sandbox::User "root";',
    ]
    lines += [f'APT::Architecture "{machine}";', f'APT::Architectures {{"{machine}";}};'] if machine else []
    made = folder / "apt.conf"
    made.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def here() -> str:
    """The address of the archive that this machine takes its own packages from."""
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    etc = Path("/etc/apt")
    files = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]
    texts = [path.read_text(encoding="utf-8") for path in files if path.is_file()]
    found = next((uri for text in texts for uri in addresses(text, codename)), None)
    if found is None:
        raise SystemExit(
            f"no archive of packages for {codename or 'this system'} is in {etc} (this needs Debian)"
        )
    return found


def addresses(text: str, codename: str) -> Iterator[str]:
    """The addresses in a file of sources, of either form, that serve the suite."""
    for paragraph in text.split("\n\n"):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        for line in lines:
            words = [word for word in line.split() if not word.startswith("[") and not word.endswith("]")]
            if words[:1] == ["deb"] and words[2:3] == [codename]:
                yield words[1]
        fields = {name.lower(): value.split() for name, _, value in (line.partition(":") for line in lines)}
        if "deb" in fields.get("types", []) and codename in fields.get("suites", []):
            yield from fields.get("uris", [])[:1]


def apt(settings: Path, folder: Path, *arguments: str) -> None:
    """Runs apt with these settings in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "APT_CONFIG": str(settings.resolve())}
    run(["apt-get", "--quiet", *arguments], environment, folder)


def run(command: list[str], environment: dict[str, str] | None, folder: Path | None = None) -> None:
    """Runs a command, whose messages are shown if it fails."""
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; empty if it is not there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
