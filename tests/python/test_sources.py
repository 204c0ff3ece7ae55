"""Where functions may come from: each is found in the text that it was compiled from, or refused."""

import contextlib
import doctest
import importlib
import importlib.util
import linecache
import os
import py_compile
import subprocess
import sys
import textwrap
import zipfile

import pytest

import graphwright as gw
from doubling import SOURCE, staged, works


def executed(source, name="<string>"):
    names = {"__name__": "executed", "gw": gw}
    exec(compile(source, name, "exec"), names)
    return names


@contextlib.contextmanager
def imported(folder, name, source):
    (folder / f"{name}.py").write_bytes(source if isinstance(source, bytes) else source.encode())
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)


def test_a_file(tmp_path):
    with imported(tmp_path, "in_a_file", SOURCE) as module:
        assert works(module.f)


@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: latin-1 -*-\nword = '\xe9'\n" + SOURCE.encode(),
        b"\xef\xbb\xbf" + SOURCE.encode(),
        SOURCE.replace("\n", "\r\n").encode(),
        SOURCE.replace("    ", "\t").encode(),
        ("word = 'é'\n" + SOURCE).encode(),
    ],
    ids=["latin-1", "byte order mark", "carriage returns", "tabs", "utf-8"],
)
def test_texts_of_every_encoding(tmp_path, source):
    with imported(tmp_path, "in_another_encoding", source) as module:
        assert works(module.f)


def test_a_zip_archive(tmp_path):
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("in_an_archive.py", SOURCE)
    sys.path.insert(0, str(archive))
    try:
        assert works(importlib.import_module("in_an_archive").f)
    finally:
        sys.path.remove(str(archive))
        sys.modules.pop("in_an_archive", None)


def test_compiled_files_alone(tmp_path):
    file = tmp_path / "only_compiled.py"
    file.write_text(SOURCE)
    py_compile.compile(str(file), cfile=str(tmp_path / "only_compiled.pyc"))
    file.unlink()
    sys.path.insert(0, str(tmp_path))
    try:
        f = importlib.import_module("only_compiled").f
        with (
            pytest.raises(gw.errors.ConversionError, match="GW001"),
            pytest.warns(UserWarning, match="traced as it stands"),
        ):
            gw.function(f)(gw.constant(1))
        assert f(3) == 6
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("only_compiled", None)


def test_a_notebook_cell():
    """What IPython leaves in `linecache` for a cell."""
    name = "/tmp/ipykernel_1/123456.py"
    linecache.cache[name] = (len(SOURCE), None, SOURCE.splitlines(True), name)
    assert works(executed(SOURCE, name)["f"])


def test_two_notebook_cells_of_one_name():
    for text, expected in ((SOURCE, 6), (SOURCE.replace("2", "5"), 15)):
        name = "<ipython-input-1>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        assert staged(executed(text, name)["f"], 3) == expected


def test_doctest():
    def example():
        """Twice a number above zero.

        >>> import graphwright as gw
        >>> def f(x):
        ...     if x > 0:
        ...         return x * 2
        ...     return -x
        >>> gw.function(f)(gw.constant(3)).item(), gw.function(f)(gw.constant(-3)).item()
        (6, 3)
        """

    runner = doctest.DocTestRunner(verbose=False)
    (test,) = doctest.DocTestFinder().find(example, "example", globs={})
    assert runner.run(test) == (0, 3)


class TestSource:
    """`source=` for what `exec` made."""

    def test_without_it(self):
        with (
            pytest.raises(gw.errors.ConversionError, match=r"(?s)GW001.*source="),
            pytest.warns(UserWarning, match="traced as it stands"),
        ):
            staged(executed(SOURCE, "<nowhere 1>")["f"], 1)

    def test_function(self):
        f = gw.function(executed(SOURCE, "<nowhere 2>")["f"], source=SOURCE)
        assert (f(gw.constant(3)).item(), f(gw.constant(-3)).item()) == (6, 3)

    def test_decorator(self):
        assert gw.function(source=SOURCE)(executed(SOURCE, "<nowhere 3>")["f"])(gw.constant(3)).item() == 6

    def test_to_graph_and_to_code(self):
        f = executed(SOURCE, "<nowhere 4>")["f"]
        assert works(gw.autograph.to_graph(f, source=SOURCE))
        assert "if_stmt" in gw.autograph.to_code(f, source=SOURCE)

    def test_what_it_calls_is_found_too(self):
        text = SOURCE + "def g(x):\n    return f(x) + 1\n"
        names = executed(text, "<nowhere 5>")
        assert gw.function(names["g"], source=text)(gw.constant(3)).item() == 7

    def test_several_texts_of_one_name(self):
        other = SOURCE.replace("2", "5")
        one, two = executed(SOURCE)["f"], executed(other)["f"]
        one, two = gw.function(one, source=SOURCE), gw.function(two, source=other)
        assert (one(gw.constant(3)).item(), two(gw.constant(3)).item()) == (6, 15)

    def test_another_text(self):
        f = executed(SOURCE, "<nowhere 6>")["f"]
        with pytest.raises(gw.errors.ConversionError, match="GW002"):
            gw.function(f, source=SOURCE.replace("2", "5"))
        with pytest.raises(gw.errors.ConversionError, match="GW003"):
            gw.function(f, source="def f(x:\n    return\n")

    def test_diagnostics_show_its_lines(self):
        text = "def f(x):\n    return x + [1, 2, 3]\n"
        f = gw.function(executed(text, "<nowhere 7>")["f"], source=text)
        with pytest.raises(ValueError, match=r"(?s)GW202.*return x \+ \[1, 2, 3\]\n.*\^"):
            f(gw.constant([1, 2]))


def test_an_edited_file_is_refused_until_it_is_imported_again(tmp_path):
    with imported(tmp_path, "edited", SOURCE) as module:
        old = module.f
        (tmp_path / "edited.py").write_text("# a line more\n" + SOURCE.replace("2", "5"))
        for _ in range(2):
            with pytest.raises(gw.errors.ConversionError, match="GW002"):
                staged(old, 3)
        (tmp_path / "edited.py").write_text("def f(x:\n    return x\n")
        with pytest.raises(gw.errors.ConversionError, match="GW00[23]"):
            staged(old, 3)
        (tmp_path / "edited.py").write_text("# a line more, and another\n" + SOURCE.replace("2", "5"))
        importlib.reload(module)
        assert staged(module.f, 3) == 15
        with pytest.raises(gw.errors.ConversionError, match="GW002"):
            staged(old, 3)


def run(arguments, **options):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, **options
    )
    return done.stdout.strip(), done.stderr


MAIN = "import graphwright as gw\n" + SOURCE + "print(gw.function(f)(gw.constant(3)).item())\n"


@pytest.mark.parametrize("flags", [[], ["-O"], ["-OO"], ["-X", "importtime"], ["-B"]], ids=" ".join)
def test_scripts(tmp_path, flags):
    (tmp_path / "script.py").write_text(MAIN)
    assert run([*flags, "script.py"], cwd=tmp_path)[0] == "6"


def test_python_optimize(tmp_path):
    (tmp_path / "script.py").write_text(MAIN)
    assert run(["script.py"], cwd=tmp_path, env=dict(os.environ, PYTHONOPTIMIZE="2"))[0] == "6"


def test_python_m(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(MAIN)
    assert run(["-m", "package"], cwd=tmp_path)[0] == "6"


def test_python_c():
    """Python 3.13 keeps the text of `-c` under the name of a file."""
    out, error = run(["-c", MAIN])
    if sys.version_info[:2] == (3, 13):
        assert out == "6"
    else:
        assert "GW001: a tensor decides control flow in `f`, whose source cannot be found" in error


def test_standard_input():
    out, error = run(["-"], input=MAIN)
    assert out == "6" or "GW001" in error


def test_tracing_and_profiling_do_not_matter():
    lines = []

    def follow(frame, event, argument):
        lines.append(event)
        return follow

    def f(x):
        if x > 0:
            return x * 2
        return -x

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        assert works(f)
    finally:
        sys.settrace(before)
    assert "line" in lines


def test_a_module_that_pytest_rewrote():
    """Its assertions are other code than its text says; it is found all the same."""

    def f(x):
        assert isinstance(x, gw.Tensor), "a message"
        return x * 2 if x > 0 else -x

    assert works(f)


def test_text_dedented():
    source = textwrap.dedent(
        """
        def f(x):
            def g(y):
                return y * 2 if y > 0 else -y
            return g(x)
        """
    )
    f = gw.function(executed(source, "<nowhere 8>")["f"], source=source)
    assert f(gw.constant(3)).item() == 6


COMPILING = """
HELPERS = 3

def compiled(text, file):
    names = globals()
    exec(compile(text, file, "exec"), names)
    return names["made"]
"""


@pytest.mark.parametrize("is_shown", [False, True])
def test_a_module_is_not_the_text_of_what_it_compiles(tmp_path, monkeypatch, is_shown):
    """`linecache` takes the module for it, since the code has the names of the module (networkx's decorators)."""
    (tmp_path / "compiling_module.py").write_text(COMPILING)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("compiling_module")
    made = module.compiled("def made(x):\n    return x * HELPERS\n", f"<class 'made'> compilation {is_shown}")
    if is_shown:
        assert linecache.getlines(made.__code__.co_filename, vars(module)) == COMPILING.splitlines(
            keepends=True
        )
    with pytest.raises(gw.errors.ConversionError, match="GW001"):
        gw.autograph.to_graph(made)
    f = gw.function(lambda x: made(x) + 1 if x > 0 else x)
    assert [f(gw.constant(n)).item() for n in (2, -2)] == [7, -2]
    with pytest.warns(UserWarning, match="traced as it stands"):
        assert gw.function(made)(gw.constant(2)).item() == 6
