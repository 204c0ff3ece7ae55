"""Conversions on the disk (`docs/guide/cache.md`): what another process converted is not converted again, and nobody can tell."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import contextlib
import graphwright as gw

def helper(x, by=2):
    while x > 10:
        x = x // by
    return x

class Model:
    __secret = 3

    def __init__(self):
        self.rates = {"a": 0.5}
        self.layers = [1.0, 2.0]

    @gw.function
    def step(self, x, rate="a"):
        for layer in self.layers:
            if x > layer:
                x = x * self.rates[rate] + layer
        return x, self.__secret

class Same(Model):
    def step(self, x):
        return super().step(x)[0] + 1

def numbers(n):
    for number in gw.range(n):
        if number % 2:
            yield number

@contextlib.contextmanager
def noted(kept):
    kept.append(1)
    yield
    kept.append(2)

@gw.function
def total(n):
    kept = []
    result = 0
    with noted(kept):
        for number in numbers(n):
            result += number
    return result, kept

def made(scale):
    offset = 7
    def inner(x):
        nonlocal offset
        offset += 1
        return helper(x) * scale + offset if x > 0 else -x
    return gw.function(inner)

@gw.function
def wrong(x):
    if x > 0:
        return 1 // (x - x)
    return x

settings = {"by": 2, "of": [5, 7]}

def given(table, key="by"):
    return table[key] + table["of"][1]

@gw.function
def guarded(x):
    return x * given(settings) if x > 0 else x

two, three = gw.function(lambda x: x if x > 2 else 2), gw.function(lambda x: x if x > 3 else 3)

print(made(2)(gw.constant(25)), made(3)(gw.constant(25)), made(2)(gw.constant(-4)))
print(Model().step(gw.constant(3.0)), Same().step(gw.constant(3.0)), total(gw.constant(9)))
print(two(gw.constant(1)), three(gw.constant(1)), guarded(gw.constant(3)))
settings["by"] = 4
print(guarded(gw.constant(3)))
settings["of"][1] = 8
print(guarded(gw.constant(3)))
try:
    wrong(gw.constant(1))
except ZeroDivisionError as error:
    print(error, error.__traceback__.tb_next.tb_lineno, error.__traceback__.tb_next.tb_frame.f_code.co_name)
print(made(1).python_function.__qualname__, gw.autograph.to_graph(helper).__name__)
"""

WITHOUT_A_COMPILER = """
import ast, builtins, contextlib, graphwright

own = builtins.compile

def compile(source, filename, *args, **kwargs):
    if isinstance(source, ast.AST):
        made = [node for node in ast.walk(source) if isinstance(node, ast.FunctionDef | ast.Lambda)]
        assert not made, f"a function of {filename} is converted"
    return own(source, filename, *args, **kwargs)

builtins.compile = compile
"""


def run(folder, path, program=PROGRAM, **environment):
    """What a program says."""
    path.write_text(program, encoding="utf-8")
    kept = {"GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": str(folder), "GRAPHWRIGHT_VERBOSITY": "0"}
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, **kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(name="wanted")
def _wanted(tmp_path):
    return run(tmp_path / "none", tmp_path / "program.py", GRAPHWRIGHT_CACHE="0")


def test_what_was_converted_is_not_converted_again(tmp_path, wanted):
    folder, path = tmp_path / "cache", tmp_path / "program.py"
    (tmp_path / "without_a_compiler.py").write_text(WITHOUT_A_COMPILER, encoding="utf-8")
    assert run(folder, path) == wanted
    assert run(folder, path, "import without_a_compiler" + PROGRAM) == wanted
    with pytest.raises(AssertionError, match="is converted"):
        run(tmp_path / "none", path, "import without_a_compiler" + PROGRAM)


def test_another_text_is_converted_anew(tmp_path, wanted):
    folder, path = tmp_path / "cache", tmp_path / "program.py"
    run(folder, path)
    other = PROGRAM.replace("x > 10", "x > 20").replace("* scale + offset", "* scale - offset")
    assert run(folder, path, other) == run(folder, path, other, GRAPHWRIGHT_CACHE="0") != wanted
    moved = "\n\n" + PROGRAM
    lines = [
        int(text.split()[-2]) for text in (wanted.splitlines()[5], run(folder, path, moved).splitlines()[5])
    ]
    assert lines[1] == lines[0] + 2


def test_spoilt_files_are_converted_anew(tmp_path, wanted):
    folder, path = tmp_path / "cache", tmp_path / "program.py"
    run(folder, path)
    files = sorted(folder.iterdir())
    for at, file in enumerate(files):
        spoilt = bytearray(file.read_bytes())
        spoilt[at * 97 % len(spoilt)] ^= 1
        file.write_bytes(bytes(spoilt))
    assert run(folder, path) == wanted
    assert run(folder, path) == wanted


def test_a_text_that_changed_after_it_was_run_is_refused_all_the_same(tmp_path):
    module = tmp_path / "changing.py"
    text = "def f(x):\n    while x > 3:\n        x = x - 2\n    return x\n"
    program = f"""
import pathlib, graphwright as gw
import changing
if {{changed}}:
    pathlib.Path({str(module)!r}).write_text({text.replace("- 2", "- 3")!r})
try:
    print(gw.function(changing.f)(gw.constant(9)))
except Exception as error:
    print(type(error).__name__, error)
"""
    folder, path = tmp_path / "cache", tmp_path / "program.py"
    for changed in (False, True):
        module.write_text(text, encoding="utf-8")
        said = run(folder, path, program.format(changed=changed), PYTHONDONTWRITEBYTECODE="1")
        assert ("GW002" in said) == changed, said


def test_optimized_code_has_conversions_of_its_own(tmp_path):
    program = """
import graphwright as gw
@gw.function
def f(x):
    assert x > 3, "small"
    return x
try:
    print(f(gw.constant(1)))
except AssertionError as error:
    print(error)
"""
    folder, path = tmp_path / "cache", tmp_path / "program.py"
    assert "small" in run(folder, path, program)
    assert "small" not in run(folder, path, program, PYTHONOPTIMIZE="1")
    assert "small" in run(folder, path, program)
