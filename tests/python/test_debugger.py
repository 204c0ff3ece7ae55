"""`pdb` itself, in a process of its own: breakpoints inside branches and loops of a function that is being traced."""

import re
import subprocess
import sys

import pytest

PROGRAM = """\
import graphwright as gw


def helper(v):
    w = v + 1
    return w


@gw.function
def f(x):
    total = 0
    if x > 0:
        y = x + 1
        total = helper(y)
    else:
        y = x
    for i in gw.range(3):
        total += i
    return total + y


print("result", f(gw.constant(2)).item())
"""


def stops(path, text, *commands, debugger=()):
    """Runs a program with commands on pdb's input; gives the places where pdb stops, and all that it says."""
    path.write_text(text, encoding="utf-8")
    lines = "".join(f"{command}\n" for command in commands)
    ran = subprocess.run(
        [sys.executable, *debugger, str(path)], input=lines, capture_output=True, text=True, timeout=120
    )
    places = re.findall(r"^(?:\(Pdb\) )*> (\S+)\((\d+)\)(\w+|<module>)\(\)", ran.stdout, re.MULTILINE)
    return [(file, int(line), function) for file, line, function in places], ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("line", "function", "look", "shown"),
    [
        (13, "f", "p x", "in the graph of `f`"),
        (16, "f", "p x", "in the graph of `f`"),
        (18, "f", "p total", "in the graph"),
    ],
    ids=["branch", "else", "loop"],
)
def test_python_m_pdb_stops_inside(tmp_path, line, function, look, shown):
    path = tmp_path / "program.py"
    found, said = stops(path, PROGRAM, f"b {line}", "c", look, "q", debugger=["-m", "pdb"])
    assert (str(path), line, function) in found, said
    assert f"-> {PROGRAM.splitlines()[line - 1].strip()}" in said
    assert shown in said
    assert "gw__" not in said and "if_body" not in said and "loop_body" not in said


def test_python_m_pdb_stops_in_a_helper(tmp_path):
    path = tmp_path / "program.py"
    found, said = stops(path, PROGRAM, "b 5", "c", "w", "n", "p w", "q", debugger=["-m", "pdb"])
    assert (str(path), 5, "helper") in found, said
    assert (str(path), 6, "helper") in found, said
    assert f"{path}(14)f()" in said, "`where` shows the line in the branch that calls"


@pytest.mark.parametrize("statement", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_a_breakpoint_in_the_text_stops_inside_the_branch(tmp_path, statement):
    path = tmp_path / "program.py"
    text = PROGRAM.replace("        y = x + 1\n", f"        {statement}\n        y = x + 1\n")
    found, said = stops(path, text, "p x", "n", "n", "p y", "c")
    first = (13, 14) if sys.version_info >= (3, 13) else (14, 15)
    assert found[:2] == [(str(path), line, "f") for line in first], said
    assert said.count("in the graph of `f`") == 2
    assert "result 10" in said
