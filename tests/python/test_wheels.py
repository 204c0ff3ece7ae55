"""The makers of wheels: which interpreters they find, and what they complain of in a wheel."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from wheels import build, interpreters, trial

INFO = "graphwright-0.1.0.dist-info"


def made(
    tmp_path, native=b"\0libgcc_s.so.1\0GLIBC_2.17", without=(), components=("pyo3", "cranelift-codegen")
):
    """A wheel with these symbols in its native module, and these components in its list."""
    path = tmp_path / "graphwright-0.1.0-cp311-cp311-manylinux_2_17_x86_64.whl"
    listed = {"components": [{"name": name, "bom-ref": Path.cwd().as_uri()} for name in components]}
    sbom = json.dumps(listed).encode()
    files = {
        "graphwright/_native.cpython-311-x86_64-linux-gnu.so": b"\x7fELF" + native,
        "graphwright/py.typed": b"",
        "graphwright/_native.pyi": b"",
        "graphwright/_report/page.html": b"",
        f"{INFO}/licenses/LICENSE-MIT": b"",
        f"{INFO}/licenses/LICENSE-APACHE": b"",
        f"{INFO}/sboms/gw_py.cyclonedx.json": sbom,
    }
    files = {name: content for name, content in files.items() if not name.endswith(without or "\0")}
    record = "".join(f"{name},sha256=old,1\n" for name in files) + f"{INFO}/RECORD,,\n"
    with zipfile.ZipFile(path, "w") as opened:
        for name, content in {**files, f"{INFO}/RECORD": record.encode()}.items():
            opened.writestr(name, content)
    return path


def test_this_interpreter_is_found():
    [found] = interpreters.found([sys.executable])
    assert found.tag.removesuffix("t") == f"{sys.version_info[0]}{sys.version_info[1]}"
    assert interpreters.found(["/no/such/python", "/bin/true"]) == []


def test_each_version_is_found_once():
    found = interpreters.found([sys.executable, sys.executable])
    assert len(found) == 1


def test_a_good_wheel_has_no_complaints(tmp_path):
    assert list(build.complaints(made(tmp_path), None)) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"native": b"\0libgcc_s.so.1\0GLIBC_2.2.5 GLIBC_2.34"}, "needs glibc 2.34"),
        ({"native": b"GLIBC_2.2.5"}, "an unwinder of its own"),
        ({"without": "py.typed"}, "has no graphwright/py.typed"),
        ({"without": "LICENSE-MIT"}, "LICENSE-MIT"),
        ({"components": ("pyo3",)}, "lists 1 components"),
    ],
)
def test_complaints(tmp_path, options, message):
    [complaint] = build.complaints(made(tmp_path, **options), None)
    assert message in complaint


def test_a_large_wheel_is_complained_of(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "MOST_BYTES", 10)
    assert "10 are allowed" in next(build.complaints(made(tmp_path), None))


def test_the_list_of_components_names_no_folder(tmp_path):
    wheel = made(tmp_path)
    build.without_paths(wheel)
    with zipfile.ZipFile(wheel) as opened:
        sbom = opened.read(f"{INFO}/sboms/gw_py.cyclonedx.json")
        record = opened.read(f"{INFO}/RECORD").decode()
    assert Path.cwd().as_uri().encode() not in sbom and b"file:///graphwright" in sbom
    digest = base64.urlsafe_b64encode(hashlib.sha256(sbom).digest()).rstrip(b"=").decode()
    assert f"gw_py.cyclonedx.json,sha256={digest},{len(sbom)}\n" in record
    assert "graphwright/py.typed,sha256=old,1\n" in record


@pytest.mark.parametrize("target", ["no-such-machine-at-all", "aarch64-unknown-linux-gnu"])
def test_a_machine_without_a_standard_library_is_refused(target, tmp_path, monkeypatch):
    rustc = tmp_path / "rustc"
    rustc.write_text(f"#!/bin/sh\necho {tmp_path}/lib\n", encoding="utf-8")
    rustc.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(SystemExit, match=f"rustup target add {target}"):
        build.has_std(target)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libstd-0.rlib").touch()
    build.has_std(target)


def test_sources_without_pages_are_complained_of(tmp_path):
    path = tmp_path / "graphwright-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as opened:
        for name in ("Cargo.lock", "LICENSE-MIT", "python/graphwright/py.typed"):
            opened.addfile(tarfile.TarInfo(f"graphwright-0.1.0/{name}"))
    assert list(build.sdist_complaints(path)) == [f"{path.name} has no docs/diagnostics/GW101.md"]


def test_a_wheel_that_cannot_be_installed_fails_its_trial(tmp_path):
    [here] = interpreters.found([sys.executable])
    assert "pip install" in trial.run(here, made(tmp_path))
