"""The makers of wheels: which interpreters they find, and what they complain of in a wheel."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from wheels import answers, build, debian, elsewhere, interpreters, pythons, std, trial

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


DEB822 = """Types: deb
# another/
URIs: http://one.invalid/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://one.invalid/security
Suites: bookworm-security
Components: main

Types: deb-src
URIs: http://two.invalid/debian
Suites: bookworm
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DEB822, ["http://one.invalid/debian"]),
        (
            "deb [signed-by=/k arch=amd64] http://a.invalid/debian bookworm main\n",
            ["http://a.invalid/debian"],
        ),
        ("deb http://a.invalid/x bookworm-updates main\n# deb http://b.invalid bookworm main\n", []),
        ("deb-src http://a.invalid/x bookworm main\n", []),
        ("", []),
    ],
)
def test_addresses_of_the_archive(text, expected):
    assert list(debian.addresses(text, "bookworm")) == expected


def test_settings_of_apt_know_one_suite(tmp_path, monkeypatch):
    monkeypatch.setattr(debian, "here", lambda: "http://one.invalid/debian")
    made = debian.settle(tmp_path / "apt", "deb", "sid", "arm64")
    text = made.read_text(encoding="utf-8")
    assert 'APT::Architecture "arm64";' in text and f'"{tmp_path}/apt/only.sources"' in text
    stanza = (tmp_path / "apt" / "only.sources").read_text(encoding="utf-8")
    assert "URIs: http://one.invalid/debian\nSuites: sid\n" in stanza
    assert "Architecture" not in debian.settle(tmp_path / "apt", "deb-src", "sid", None).read_text()


def test_a_source_has_the_digest_that_is_expected(tmp_path, monkeypatch):
    digest = hashlib.sha256(b"text").hexdigest()

    def apt(settings, folder, *arguments):
        if arguments[0] == "source":
            (folder / "thing_1.0.orig.tar.xz").write_bytes(b"text")

    monkeypatch.setattr(debian, "apt", apt)
    monkeypatch.setattr(debian, "HELPER", "/nowhere")
    monkeypatch.setattr(debian, "here", lambda: "http://one.invalid/debian")
    made = debian.source("thing", "1.0-2", digest, "sid", tmp_path)
    assert made.name == "thing_1.0.orig.tar.xz"
    made.write_bytes(b"another")
    assert debian.source("thing", "1.0-2", digest, "sid", tmp_path).read_bytes() == b"text"
    with pytest.raises(SystemExit, match=f"{digest}, 0000 is expected"):
        debian.source("thing", "1.0-2", "0000", "sid", tmp_path)


def test_the_pool_has_sources_that_no_suite_lists(tmp_path, monkeypatch):
    helper = tmp_path / "helper"
    helper.write_text('#!/bin/sh\necho "$2 $4" > "$3"\n', encoding="utf-8")
    helper.chmod(0o755)
    monkeypatch.setattr(debian, "apt", None)
    monkeypatch.setattr(debian, "HELPER", str(helper))
    monkeypatch.setattr(debian, "here", lambda: "http://one.invalid/debian")
    with pytest.raises(SystemExit, match="0000 is expected"):
        debian.source("thing", "1.0-2", "0000", "sid", tmp_path)
    asked = (tmp_path / "thing_1.0.orig.tar.xz").read_text(encoding="utf-8")
    assert asked == "http://one.invalid/debian/pool/main/t/thing/thing_1.0.orig.tar.xz SHA256:0000\n"


def test_a_source_that_is_here_is_not_asked_for(tmp_path, monkeypatch):
    (tmp_path / "thing_1.0.orig.tar.xz").write_bytes(b"text")
    monkeypatch.setattr(debian, "apt", None)
    debian.source("thing", "1.0-2", hashlib.sha256(b"text").hexdigest(), "sid", tmp_path)


def compiler(tmp_path, monkeypatch, release="1.95.0", commit="abc"):
    """A compiler whose toolchain has a folder for libraries of other machines."""
    rustc = tmp_path / "bin" / "rustc"
    rustc.parent.mkdir()
    told = f"release: {release}\ncommit-hash: {commit}"
    rustc.write_text(
        f"#!/bin/sh\ncase $1 in -vV) echo '{told}';; *) echo {tmp_path}/lib;; esac\n", encoding="utf-8"
    )
    rustc.chmod(0o755)
    monkeypatch.setenv("PATH", str(rustc.parent), prepend=":")
    monkeypatch.setattr(std, "MADE", tmp_path / "std")


def test_a_toolchain_with_the_standard_library_needs_no_settings(tmp_path, monkeypatch):
    compiler(tmp_path, monkeypatch)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libstd-0.rlib").touch()
    assert std.settings("aarch64-unknown-linux-gnu") == {}


def test_a_standard_library_that_was_made_is_used_again(tmp_path, monkeypatch):
    compiler(tmp_path, monkeypatch)
    target = "aarch64-unknown-linux-gnu"
    libraries = tmp_path / "std" / "1.95.0" / target / "lib" / "rustlib" / target / "lib"
    libraries.mkdir(parents=True)
    (libraries / "libstd-0.rlib").touch()
    expected = f"--sysroot={tmp_path}/std/1.95.0/{target}"
    assert std.settings(target) == {
        "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS": expected,
        "CARGO_PROFILE_RELEASE_LTO": "off",
    }


def test_a_compiler_without_known_source_is_refused(tmp_path, monkeypatch):
    compiler(tmp_path, monkeypatch, release="1.2.3")
    with pytest.raises(SystemExit, match=r"no source of rustc 1\.2\.3 .*rustup target add aarch64"):
        std.settings("aarch64-unknown-linux-gnu")


def test_a_machine_that_the_compiler_does_not_know_is_refused():
    with pytest.raises(SystemExit, match="knows no machine no-such-machine-at-all"):
        std.settings("no-such-machine-at-all")


def compiler_source(path, commit):
    """The source of a compiler of this commit."""
    with tarfile.open(path, "w:xz") as opened:
        for name, text in (("git-commit-hash", commit), ("library/std/lib.rs", "//"), ("src/main.rs", "//")):
            member = tarfile.TarInfo(f"rustc-1.95.0-src/{name}")
            member.size = len(text)
            opened.addfile(member, io.BytesIO(text.encode()))
    return path


def test_the_library_is_of_the_commit_of_the_compiler(tmp_path, monkeypatch):
    monkeypatch.setattr(std, "MADE", tmp_path / "std")
    archive = compiler_source(tmp_path / "rustc.tar.xz", "abc")
    place = std.library(archive, "abc")
    assert (place / "std" / "lib.rs").exists() and not (place.parent / "src").exists()
    with pytest.raises(SystemExit, match="is of commit abc, the compiler that is here of def"):
        std.library(archive, "def")


def test_versions_for_another_machine_need_no_interpreter():
    assert [one.tag for one in interpreters.elsewhere(None)] == [
        "310", "311", "312", "313", "314", "314t"
    ]  # fmt: skip
    [named] = interpreters.elsewhere(["/somewhere/python3.14t"])
    assert (named.path, named.tag) == ("python3.14t", "314t")


def test_interpreters_that_were_made_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(interpreters, "MADE", tmp_path)
    for place in ("3.14t/bin/python3.14t", "3.14/usr/bin/python3.14"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    made = [path for path in interpreters.candidates() if path.startswith(str(tmp_path))]
    assert [Path(path).name for path in made] == ["python3.14", "python3.14t"]


def test_pip_is_told_of_the_other_machine():
    told = elsewhere.options("314t", "aarch64-unknown-linux-gnu")
    assert told[told.index("--abi") + 1] == "cp314t" and told[told.index("--python-version") + 1] == "3.14"
    assert "manylinux_2_17_aarch64" in told
    assert not elsewhere.can_try("310", "aarch64-unknown-linux-gnu")
    assert not elsewhere.can_try("311", "riscv64gc-unknown-linux-gnu")


def test_an_unpacked_interpreter_is_told_where_it_lies(tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(debian, "run", lambda command, environment: ran.append(command))
    monkeypatch.setattr(pythons.shutil, "which", lambda name, path: "/bin/patchelf")
    for name in ("usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "usr/lib/python3.14/_sysconfigdata_x.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("{'WHEEL_PKG_DIR': '/usr/share/python-wheels/'}", encoding="utf-8")
    (tmp_path / "usr/lib/python3.14/_sysconfigdata_y.py").symlink_to("_sysconfigdata_x.py")
    pythons.settled("3.14", tmp_path)
    libraries = f"{tmp_path}/usr/lib/x86_64-linux-gnu"
    assert ran[0][:3] == ["/bin/patchelf", "--set-interpreter", f"{libraries}/ld-linux-x86-64.so.2"]
    assert ran[0][-2:] == [libraries, f"{tmp_path}/usr/bin/python3.14"]
    settings = (tmp_path / "usr/lib/python3.14/_sysconfigdata_x.py").read_text(encoding="utf-8")
    assert settings == f"{{'WHEEL_PKG_DIR': '{tmp_path}/usr/share/python-wheels/'}}"


def test_one_interpreter_that_cannot_be_had_leaves_the_others(tmp_path, monkeypatch, capsys):
    def of_source(wanted, place):
        raise SystemExit("not there")

    monkeypatch.setattr(pythons, "of_source", of_source)
    monkeypatch.setattr(pythons, "of_binaries", lambda name, place: place)
    monkeypatch.setattr(interpreters, "MADE", tmp_path)
    assert pythons.main(["3.14t", "3.14"]) == 1
    told = capsys.readouterr()
    assert told.out == f"made {tmp_path}/3.14\n" and told.err == "CPython 3.14t cannot be made: not there\n"
    # Interpreters of other versions, which are here, are none of these.
    assert pythons.main([]) == 1
    assert capsys.readouterr() == told


def test_answers_of_this_package():
    assert answers.main() > 35


def test_sources_without_pages_are_complained_of(tmp_path):
    path = tmp_path / "graphwright-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as opened:
        for name in ("Cargo.lock", "LICENSE-MIT", "python/graphwright/py.typed"):
            opened.addfile(tarfile.TarInfo(f"graphwright-0.1.0/{name}"))
    assert list(build.sdist_complaints(path)) == [f"{path.name} has no docs/diagnostics/GW101.md"]


def test_a_wheel_that_cannot_be_installed_fails_its_trial(tmp_path):
    [here] = interpreters.found([sys.executable])
    assert "pip install" in trial.run(here, made(tmp_path))
