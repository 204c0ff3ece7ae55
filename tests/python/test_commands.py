"""The commands `doctor`, `bench` and `report`, and mistakes on the command line: a sentence and a status, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import graphwright as gw
from graphwright.__main__ import main
from graphwright._command import bench, doctor

PROGRAM = """
import graphwright as gw

def clip(x, limit):
    while gw.reduce_max(x) > limit:
        x = x / 2.0
    return x

def mistaken(x):
    if x > 0:
        y = x
    else:
        y = gw.zeros([3])
    return y

number = 3
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "commanded.py"
    path.write_text(PROGRAM)
    return path


def run(capsys, *arguments):
    status = main(list(map(str, arguments)))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_doctor_says_what_is_here(capsys):
    status, out, _ = run(capsys, "doctor")
    assert status == 0
    for word in ("version", "numpy", "processor", "vector registers", "threads", "cache", "matplotlib"):
        assert word in out
    assert out.rstrip().endswith("gives what plain Python gives")


def test_doctor_as_json(capsys):
    status, out, _ = run(capsys, "doctor", "--json")
    found = json.loads(out)
    assert status == 0 and found["problems"] == []
    assert found["graphwright"]["native module"].endswith(".so")
    assert int(found["machine"]["vector registers"].split()[0]) in (128, 256, 512)


def test_doctor_complains_of_a_wrong_result(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "wrong_result", lambda: "a graph gives 1 where plain Python gives 2")
    status, out, _ = run(capsys, "doctor")
    assert status == 1 and "a graph gives 1" in out


def test_doctor_complains_of_a_graph_that_fails(capsys, monkeypatch):
    def fails():
        raise RuntimeError("no memory for code")

    monkeypatch.setattr(doctor, "wrong_result", fails)
    assert run(capsys, "doctor")[0] == 1


def test_doctor_names_the_folder_of_the_cache(tmp_path):
    settings = {**os.environ, "GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": str(tmp_path / "kept")}
    command = [sys.executable, "-m", "graphwright", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=settings, check=True)
    found = json.loads(done.stdout)
    assert found["cache"]["folder"].startswith(str(tmp_path / "kept"))
    assert "GRAPHWRIGHT_CACHE_DIR=" in found["machine"]["environment"]


def test_bench_of_a_function(capsys, program):
    arguments = ["--arg", "f32[?,3]", "--arg", "0.01", "--seconds", "0.01"]
    status, out, _ = run(capsys, "bench", f"{program}:clip", *arguments)
    assert status == 0
    assert "first call" in out and "plain Python" in out and " x" in out


def test_bench_of_the_machine(capsys):
    status, out, _ = run(capsys, "bench", "--seconds", "0.001")
    assert status == 0 and len(out.splitlines()) == 6


def test_times_have_units():
    found = [bench.text_of(seconds) for seconds in (2.0, 0.0125, 3e-6, 4.5e-8)]
    assert found == ["2 s", "12.5 ms", "3 µs", "45 ns"]


def test_report_writes_a_page(capsys, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, _ = run(capsys, "report", f"{program}:clip", "--arg", "f32[4]", "--arg", "0.1")
    assert status == 0 and out.startswith("clip.html: ")
    assert "<title>clip" in (tmp_path / "clip.html").read_text()


def test_report_without_a_run(capsys, program, tmp_path):
    out = tmp_path / "page.html"
    arguments = ["--arg", "f32[?]", "--arg", "f32", "--no-run", "--out", out]
    assert run(capsys, "report", f"{program}:clip", *arguments)[0] == 0
    assert "no times: the arguments are types" in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["graph", "{program}:number"], 2, "is not a function, but of type `int`"),
        (["graph", "{program}:mistaken", "--arg", "f32"], 1, "graphwright explain GW101"),
        (["graph", "{program}:clip"], 2, "missing a required argument: 'x'"),
        (["to-code", "{program}:number"], 2, "is not a function"),
        (["report", "{program}:mistaken", "--arg", "f32"], 1, "GW101"),
        (
            ["report", "{program}:clip", "--arg", "f32[2]", "--arg", "1.0", "--out", "/nowhere/x.html"],
            2,
            "written",
        ),
        (["bench", "{program}:mistaken", "--arg", "f32"], 1, "GW101"),
        (["bench", "--arg", "f32"], 2, "--arg belongs to a function"),
        (["bench", "--seconds", "0"], 2, "a time above zero"),
        (["partition", "{program}:mistaken", "--arg", "f32"], 1, "GW101"),
    ],
)
def test_mistakes_are_sentences(capsys, program, arguments, status, message):
    found = run(capsys, *[text.format(program=program) for text in arguments])
    assert found[0] == status
    assert message in found[2] and found[2].startswith("graphwright: ")


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["graph"], ["bench", "--seconds", "x"], ["doctor", "x"]]
)
def test_wrong_usage_is_a_usage_message(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("usage: graphwright")


@pytest.mark.parametrize("command", ["graph", "partition", "report", "bench"])
def test_missing_arguments_are_wrong_usage(capsys, program, command):
    status, _, err = run(capsys, command, f"{program}:clip", "--arg", "2.0")
    assert status == 2
    assert "`clip` takes other arguments: missing a required argument: 'limit'; each is an --arg" in err


def test_report_of_a_function_that_raises_shows_its_lines(capsys, tmp_path):
    file = tmp_path / "raising.py"
    file.write_text("def raises(x):\n    if x > 0:\n        raise ValueError('above')\n    return x\n")
    status, out, err = run(
        capsys, "report", f"{file}:raises", "--arg", "i32[]", "--out", f"{tmp_path}/page.html"
    )
    assert status == 0 and "page.html" in out
    assert "the page has no times, as the call raises" in err and "raise ValueError('above')" in err


def test_a_file_that_raises_shows_the_users_lines(capsys, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import graphwright\n1 / 0\n")
    status, out, err = run(capsys, "graph", f"{path}:f")
    assert (status, out) == (1, "")
    assert "cannot be run" in err and "ZeroDivisionError" in err and f'"{path}", line 2' in err
    assert "__main__" not in err and "importlib" not in err


def test_a_reader_that_has_enough_is_no_error(program):
    command = f"{sys.executable} -m graphwright to-code {program}:clip | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("def clip") and "Traceback" not in done.stderr


def test_diagnostics_say_how_to_read_more():
    with pytest.raises(ValueError, match="GW202") as caught:
        gw.constant([[1.0, 2.0]]) @ gw.constant([[1.0]])
    assert caught.value.__notes__ == ["more: graphwright explain GW202"]
