"""Code on the disk (`docs/guide/cache.md`): a second process takes it, and nothing that is wrong with the folder is seen."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import logging, sys
logging.basicConfig(stream=sys.stderr, format="%(message)s", level=logging.INFO)
import graphwright as gw

@gw.function
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    if steps > 1000:
        print("long", steps)
    return steps

@gw.function
def scaled(x, text):
    gw.print("scaled", text)
    return gw.reduce_sum(gw.exp(x) @ gw.transpose(x)) * 0.5 + gw.constant([1.0, 2.0, 3.0, 4.0])

@gw.function
def divided(x):
    return 1 // x

print(collatz(gw.constant(27)), scaled(gw.constant([[0.5, 0.25]] * 3), gw.constant("a string that is not short")))
print(len(collatz.get_concrete_function(gw.constant(27)).graph.as_graph_def().node))
try:
    divided(gw.constant(0))
except ZeroDivisionError as error:
    print(error, error.__traceback__.tb_next.tb_lineno)
"""

ALL = ["collatz", "scaled", "divided"]


def run(folder, tmp_path, program=PROGRAM, **environment):
    """What the program prints and whose code was kept before, and whose is kept now."""
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    environment = {"GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": str(folder), **environment}
    done = start(path, environment).communicate()
    return read(done)


def start(path, environment):
    return subprocess.Popen(
        [sys.executable, str(path)],
        env={**os.environ, "GRAPHWRIGHT_VERBOSITY": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read(done):
    printed, said = done
    assert "Error" not in said, said
    named = [line.split("`")[1] for line in said.splitlines() if line.endswith("was kept")]
    kept = [line.split("`")[1] for line in said.splitlines() if line.startswith("keeping")]
    return printed, named, kept


def test_a_second_process_takes_the_code(tmp_path):
    folder = tmp_path / "cache"
    first, taken, kept = run(folder, tmp_path)
    assert (taken, kept) == ([], ALL)
    second, taken, kept = run(folder, tmp_path)
    assert (taken, kept) == (ALL, [])
    assert second == first


def test_another_place_in_another_file_is_the_same_code_and_its_own_place(tmp_path):
    folder = tmp_path / "cache"
    first, _, _ = run(folder, tmp_path)
    (tmp_path / "elsewhere").mkdir()
    second, taken, _ = run(folder, tmp_path / "elsewhere", "\n\n\n" + PROGRAM)
    assert taken == ALL
    line = int(first.split()[-1])
    assert second.split()[-1] == str(line + 3)


def test_another_constant_is_other_code(tmp_path):
    folder = tmp_path / "cache"
    run(folder, tmp_path)
    _, taken, kept = run(folder, tmp_path, PROGRAM.replace("3.0, 4.0", "3.0, 5.0"))
    assert (taken, kept) == (["collatz", "divided"], ["scaled"])


def has_wide_registers():
    """Whether loops over arrays have code for 256 bits."""
    processors = pathlib.Path("/proc/cpuinfo")
    return processors.exists() and {"avx2", "fma"} <= set(processors.read_text().split())


@pytest.mark.skipif(not has_wide_registers(), reason="registers have 128 bits here")
def test_registers_of_another_width_are_other_code(tmp_path):
    folder = tmp_path / "cache"
    first, _, kept = run(folder, tmp_path, GRAPHWRIGHT_LANES="128")
    assert kept == ALL
    assert run(folder, tmp_path, GRAPHWRIGHT_LANES="256") == (first, [], ALL)
    assert run(folder, tmp_path, GRAPHWRIGHT_LANES="128") == (first, ALL, [])


def test_one_switch_turns_it_off(tmp_path):
    folder = tmp_path / "cache"
    assert run(folder, tmp_path, GRAPHWRIGHT_CACHE="0")[1:] == ([], [])
    assert not folder.exists()


def test_the_users_folder_is_the_default(tmp_path):
    environment = {
        "GRAPHWRIGHT_CACHE_DIR": "",
        "XDG_CACHE_HOME": str(tmp_path / "home"),
        "HOME": str(tmp_path),
    }
    assert run("", tmp_path, **environment)[2] == ALL
    assert len(list((tmp_path / "home" / "graphwright").iterdir())) == 3


def test_spoilt_files_are_replaced(tmp_path):
    folder = tmp_path / "cache"
    first, _, _ = run(folder, tmp_path)
    files = sorted(folder.iterdir())
    files[0].write_bytes(files[0].read_bytes()[:-100])
    files[1].write_bytes(b"")
    spoilt = bytearray(files[2].read_bytes())
    spoilt[len(spoilt) // 2] ^= 1
    files[2].write_bytes(bytes(spoilt))
    assert run(folder, tmp_path) == (first, [], ALL)
    assert run(folder, tmp_path) == (first, ALL, [])


def test_code_of_another_graph_under_the_name_is_not_run(tmp_path):
    folder = tmp_path / "cache"
    first, _, _ = run(folder, tmp_path)
    files = sorted(folder.iterdir())
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, [*contents[1:], contents[0]], strict=True):
        file.write_bytes(content)
    assert run(folder, tmp_path) == (first, [], ALL)


@pytest.mark.skipif(os.name != "posix", reason="folders have no such modes here")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    assert run(folder, tmp_path)[1:] == ([], [])
    assert not list(folder.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="folders have no such modes here")
def test_the_folder_is_the_users_alone(tmp_path):
    folder = tmp_path / "one" / "two"
    run(folder, tmp_path)
    assert folder.stat().st_mode & 0o777 == 0o700


def unwritable(tmp_path):
    """Places where no file can be made, whoever asks: those of a system that the kernel makes up, and a file."""
    file = tmp_path / "file"
    file.write_text("no folder", encoding="utf-8")
    places = [
        file,
        file / "inside",
        pathlib.Path("/proc/self"),
        pathlib.Path("/sys/kernel"),
        pathlib.Path("/dev/null"),
    ]
    return [place for place in places if place.parent.exists()]


def test_where_nothing_can_be_written_nothing_is(tmp_path):
    wanted, _, _ = run(tmp_path / "cache", tmp_path)
    for place in unwritable(tmp_path):
        assert run(place, tmp_path) == (wanted, [], [])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_read(tmp_path):
    folder = tmp_path / "cache"
    first, _, _ = run(folder, tmp_path)
    folder.chmod(0o500)
    try:
        assert run(folder, tmp_path) == (first, ALL, [])
        assert run(folder, tmp_path, PROGRAM.replace("1 // x", "2 // x"))[1:] == (["collatz", "scaled"], [])
    finally:
        folder.chmod(0o700)


def test_processes_at_once(tmp_path):
    folder = tmp_path / "cache"
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = {"GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": str(folder)}
    for _ in range(2):
        started = [start(path, environment) for _ in range(6)]
        answers = [read(process.communicate()) for process in started]
        assert len({printed for printed, _, _ in answers}) == 1
        assert all(sorted(taken + kept) == sorted(ALL) for _, taken, kept in answers)
    assert all(taken == ALL for _, taken, _ in answers)
    assert len(list(folder.iterdir())) == 3


def test_the_folder_holds_no_more_than_it_may(tmp_path):
    folder = tmp_path / "cache"
    program = """
import graphwright as gw
for by in range(40):
    gw.function(lambda x, by=by: x * 2 + by)(gw.constant(1))
"""
    run(folder, tmp_path, program, GRAPHWRIGHT_CACHE_BYTES="20000")
    held = [file.stat().st_size for file in folder.iterdir()]
    assert 0 < sum(held) <= 20000
