"""Files that a function opens for writing: each call does so, or is refused."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import graphwright as gw


def opened_in_a_loop(n, path):
    while n > 0:
        open(path, "a").write("x")
        n -= 1
    return n


def opened_by_a_with_in_a_loop(n, path):
    while n > 0:
        with open(path, "a") as file:
            file.write("y")
        n -= 1
    return n


def opened_in_a_branch(n, path):
    if n > 2:
        open(path, mode="a").write("x")
    return n


def opened_in_front_of_a_loop(n, path):
    file = open(path, "a")
    while n > 0:
        file.write("y")
        n -= 1
    file.close()
    return n


@pytest.mark.parametrize(
    "plain",
    [opened_in_a_loop, opened_by_a_with_in_a_loop, opened_in_a_branch, opened_in_front_of_a_loop],
)
def test_a_file_is_not_written_once_for_all_turns(plain, tmp_path):
    path = tmp_path / "written.txt"
    path.write_text("")
    with pytest.raises(ValueError, match=r"GW503(?s:.)*test_files_opened\.py:\d+"):
        gw.function(plain)(gw.constant(3), str(path))
    assert path.read_text() == ""


def test_a_file_that_a_function_opens_is_written_by_each_call(tmp_path):
    path = str(tmp_path / "written.txt")

    @gw.function
    def note(n):
        with open(path, "a") as file:
            file.write("s")
        return n + 1

    for calls in (1, 2, 3):
        assert note(gw.constant(calls)).item() == calls + 1
        with open(path) as file:
            assert file.read() == "s" * calls
    assert "open(…, 'a')" in str(note.explain_retraces())


def read_by_open(path):
    with open(path) as file:
        return int(file.read())


READS = {
    "open": read_by_open,
    "Path.open": lambda path: int(pathlib.Path(path).open().read()),
    "Path.read_text": lambda path: int(pathlib.Path(path).read_text()),
    "Path.read_bytes": lambda path: int(pathlib.Path(path).read_bytes()),
    "np.loadtxt": lambda path: int(np.loadtxt(path)),
    "Path.exists": lambda path: 1 if pathlib.Path(path).exists() else 0,
}


@pytest.mark.parametrize("way", READS)
def test_a_file_that_holds_something_else_is_read_again(way, tmp_path):
    read, path = READS[way], tmp_path / "read.txt"
    path.write_text("12")
    function = gw.function(lambda n: n + read(str(path)))
    assert function(gw.constant(1)).item() == 1 + read(path)
    assert function(gw.constant(2)).item() == 2 + read(path)
    assert function.experimental_get_tracing_count() == 1
    if way == "Path.exists":
        path.unlink()
    else:
        path.write_text("345")
    assert function(gw.constant(1)).item() == 1 + read(path)
    assert function.experimental_get_tracing_count() == 2
    assert "read.txt" in str(function.explain_retraces())
