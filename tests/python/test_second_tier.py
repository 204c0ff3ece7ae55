"""The second tier: LLVM, where its library is, gives what the first gives; where it is not, nothing is lost."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from graphwright._second_tier import library

PROGRAM = """
import os, sys, threading, time
import numpy as np
import graphwright as gw

@gw.function
def collatz(limit):
    most = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        most = max(most, steps)
    return most

@gw.function
def softmax(x):
    e = gw.exp(x - gw.reduce_max(x, axis=1, keepdims=True))
    return gw.tanh(e / gw.reduce_sum(e, axis=1, keepdims=True))

@gw.function
def root(x):
    assert x >= 0.0, "negative"
    y = x
    while abs(y * y - x) > 1e-5:
        y = (y + x / y) / 2.0
    return y

x = np.sin(np.arange(40 * 300, dtype=np.float32)).reshape(40, 300)
given = []

def runs():
    for turn in range(int(sys.argv[1])):
        found = int(collatz(gw.constant(30000))), softmax(x).numpy().tobytes().hex()[:4000], float(root(gw.constant(2.0)))
        given.append(found)

threads = [threading.Thread(target=runs) for _ in range(int(sys.argv[2]))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(set(given)) == 1 and len(given) == int(sys.argv[1]) * int(sys.argv[2]), len(set(given))
try:
    root(gw.constant(-1.0))
except AssertionError as error:
    print(error)
print(given[0])
until = time.monotonic() + 60 * (os.environ.get("WAIT") == "1")
while not gw._native.improved_functions() and time.monotonic() < until:
    assert int(collatz(gw.constant(30000))) == given[0][0]
print(gw._native.improved_functions(), "improved", file=sys.stderr)
"""

needs_library = pytest.mark.skipif(
    library() is None, reason="llvmlite is not installed: the second tier is NOT tested"
)


def run(turns: int = 1, threads: int = 1, **environment: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM)
        return subprocess.run(
            [sys.executable, str(program), str(turns), str(threads)],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture(scope="module")
def wanted() -> str:
    first = run(GRAPHWRIGHT_TIER="1")
    assert first.returncode == 0, first.stderr
    return first.stdout


@needs_library
def test_both_tiers_give_the_same(wanted):
    second = run(GRAPHWRIGHT_TIER="2", GRAPHWRIGHT_VERBOSITY="1")
    assert (second.returncode, second.stdout) == (0, wanted), second.stderr
    assert "LLVM" not in second.stderr


@needs_library
@pytest.mark.parametrize("threads", [1, 4])
def test_code_changes_while_it_is_run(wanted, threads):
    swapped = run(60, threads, GRAPHWRIGHT_TIER="auto", WAIT="1")
    assert (swapped.returncode, swapped.stdout) == (0, wanted), swapped.stderr
    assert not swapped.stderr.startswith("0 improved")


@needs_library
def test_code_from_the_disk_changes_while_it_is_run(wanted, tmp_path):
    disk = {"GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        swapped = run(60, GRAPHWRIGHT_TIER="auto", WAIT="1", **disk)
        assert (swapped.returncode, swapped.stdout) == (0, wanted), swapped.stderr
        assert not swapped.stderr.startswith("0 improved")
    assert len(list(tmp_path.iterdir())) > 0


@needs_library
def test_the_process_may_end_while_code_is_made(wanted):
    for turns in range(3, 15, 3):
        ended = run(turns, GRAPHWRIGHT_TIER="auto")
        assert (ended.returncode, ended.stdout) == (0, wanted), ended.stderr


@needs_library
def test_the_second_tier_is_only_for_those_who_ask(wanted):
    first = run(60)
    assert (first.returncode, first.stdout, first.stderr) == (0, wanted, "0 improved\n")


def foreign() -> Path:
    """A library that is none of LLVM's."""
    import math

    return Path(getattr(math, "__file__", None) or sysconfig.get_config_var("LIBDIR") + "/libpython3.so")


@pytest.mark.parametrize("tier", ["2", "auto"])
@pytest.mark.parametrize("kind", ["no file", "a text", "another library", "a folder"])
def test_what_is_no_library_of_llvm_leaves_the_first_tier(wanted, tmp_path, kind, tier):
    text = tmp_path / "libllvmlite.so"
    text.write_text("this is no library")
    files = {
        "no file": tmp_path / "none.so",
        "a text": text,
        "another library": foreign(),
        "a folder": tmp_path,
    }
    found = run(
        turns=40 if tier == "auto" else 1,
        GRAPHWRIGHT_TIER=tier,
        GRAPHWRIGHT_LLVM=str(files[kind]),
        GRAPHWRIGHT_VERBOSITY="1",
    )
    assert (found.returncode, found.stdout) == (0, wanted), found.stderr
    if tier == "2":
        assert f"LLVM is not used: {files[kind]}: " in found.stderr


def test_without_the_package_there_is_the_first_tier(wanted, tmp_path):
    (tmp_path / "llvmlite").mkdir()
    (tmp_path / "llvmlite" / "__init__.py").write_text("raise ImportError('broken')\n")
    found = run(PYTHONPATH=str(tmp_path), GRAPHWRIGHT_TIER="2")
    assert (found.returncode, found.stdout) == (0, wanted), found.stderr
