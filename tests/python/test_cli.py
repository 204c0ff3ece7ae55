"""The command line prints what it says it prints, and its errors say what to write instead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import graphwright as gw
from graphwright.__main__ import argument, main
from graphwright._native import Graph

PROGRAM = """
import graphwright as gw
from graphwright._native import Graph

def clip(x, limit):
    while gw.reduce_max(x) > limit:
        x = x / 2.0
    return x

def steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count

@gw.function
def decorated(x):
    if x > 0:
        return x
    return -x

class Model:
    @staticmethod
    def double(x):
        return x + x
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(capsys, *arguments):
    status = main(list(map(str, arguments)))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_to_code_prints_python(capsys, program):
    status, out, _ = run(capsys, "to-code", f"{program}:steps")
    assert status == 0
    assert "while_stmt" in out and "def steps(n):" in out
    compile(out, "lowered", "exec")


@pytest.mark.parametrize("name", ["decorated", "Model.double"])
def test_to_code_of_other_functions(capsys, program, name):
    status, out, _ = run(capsys, "to-code", f"{program}:{name}")
    assert status == 0
    assert f"def {name.split('.')[-1]}(" in out


def test_graph_prints_text_that_reads_back(capsys, program):
    status, out, _ = run(capsys, "graph", f"{program}:clip", "--arg", "f32[?,3]", "--arg", "f32")
    assert status == 0
    assert "while" in out and "reduce_max" in out and "f32[" in out
    assert str(Graph.parse(out)).strip() == out.strip()


def test_graph_takes_literals(capsys, program):
    status, out, _ = run(capsys, "graph", f"{program}:clip", "--arg", "f64[4]", "--arg", "2.5")
    assert status == 0
    assert "2.5" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["to-code", "nowhere.py:f"], "there is no file `nowhere.py`"),
        (["to-code", "nothing"], "is not FILE:FUNC"),
        (["to-code", "{program}:nothing"], "has no `nothing`"),
        (["graph", "{program}:clip", "--arg", "f99[?]"], "neither a type as `f32[?,3]`"),
        (["graph", "{program}:clip", "--arg", "f32[x]"], "an axis is a length or `?`"),
        (["demo", "nothing"], "no workload is called nothing"),
    ],
)
def test_errors_say_what_to_write(capsys, program, arguments, message):
    status, out, err = run(capsys, *[text.format(program=program) for text in arguments])
    assert (status, out) == (2, "")
    assert message in err


def test_arguments():
    assert argument("f32[?,3]") == gw.TensorSpec([None, 3], gw.float32)
    assert argument("i64") == gw.TensorSpec([], gw.int64)
    assert argument("(1, 'a')") == (1, "a")


def test_installed_as_a_module(program):
    done = subprocess.run(
        [sys.executable, "-m", "graphwright", "to-code", f"{program}:steps"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "while_stmt" in done.stdout


@pytest.mark.parametrize("code", ["GW203", "gw203", "203"])
def test_explain_prints_the_page_of_a_diagnostic(code, capsys):
    assert main(["explain", code]) == 0
    page = Path(__file__).parents[2] / "docs/diagnostics/GW203.md"
    assert capsys.readouterr().out == page.read_text()


@pytest.mark.parametrize("code", ["GW999", "", "203 ", "GW"])
def test_explain_says_what_a_code_is(code, capsys):
    assert main(["explain", code]) == 2
    assert "a code is `GW` and three digits, as `GW203`" in capsys.readouterr().err


def test_the_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"graphwright {gw.__version__}\n"
