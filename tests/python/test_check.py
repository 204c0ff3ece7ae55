"""`graphwright check`: what it says is true of the library, and its forms, settings and exit statuses."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import warnings

import pytest

import graphwright as gw
from graphwright.__main__ import main
from pages import ROOT, blocks

RULES = {page.stem: page for page in sorted((ROOT / "crates" / "check" / "tests" / "rules").glob("GW*.md"))}
WRONG = "import graphwright as gw\n\n\n@gw.function\ndef f(x):\n    return gw.zeros([2]) + gw.zeros([3])\n"
DOUBTFUL = "import graphwright as gw\n\n\n@gw.function\ndef f(x):\n    if x > 0:\n        é, y = x, x\n    return y\n"
SECOND = "\n\n" + DOUBTFUL.split("\n", 3)[3].replace("def f", "def g")
FINE = "import graphwright as gw\n\n\n@gw.function\ndef f(x):\n    return x\n"

#: The exceptions that a rule's page is about, whose messages may come from Python itself and have no code.
RAISED = {
    "GW003": SyntaxError,
    "GW105": UnboundLocalError,
    "GW111": gw.errors.LeakedTensorError,
    "GW205": IndexError,
}


def check(capsys, *arguments):
    """Exit status, standard output, standard error."""
    status = main(["check", *map(str, arguments)])
    said = capsys.readouterr()
    return status, said.out, said.err


def codes(capsys, *arguments):
    return [found["code"] for found in json.loads(check(capsys, "--format", "json", *arguments)[1])]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the working directory."""
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def executed(block):
    """The exception that a block of a rule's page raises, if any."""
    text = block.text if "graphwright" in block.text else f"import graphwright as gw\n{block.text}"
    names = {"__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            type(block)(**{**vars(block), "text": text}).run(names)
        except (Exception, SystemExit) as error:
            return error
    return None


def programs(kind):
    found = [(code, block) for code, page in RULES.items() for block in blocks(page) if kind in block.marks]
    return [pytest.param(code, block, id=f"{code}:{block.line}") for code, block in found]


@pytest.mark.parametrize(("code", "block"), programs("true"))
def test_what_is_found_is_true(code, block):
    error = executed(block)
    if code in ("GW118", "GW505") or "called once" in block.text:
        assert error is None, repr(error)  # the block asserts it itself, or nothing fails
    elif code in RAISED:
        assert isinstance(error, RAISED[code]), repr(error)
    else:
        assert code in str(error), repr(error)


@pytest.mark.parametrize(("code", "block"), programs("false"))
def test_what_is_not_found_runs(code, block):
    error = executed(block)
    assert error is None, repr(error)


def test_each_rule_has_its_page():
    table = (ROOT / "crates" / "check" / "src" / "rule.rs").read_text(encoding="utf-8")
    rows = re.findall(r'^\s*"(GW\d{3})" \w+\s+\w+\s+(\w+)', table, re.MULTILINE)
    assert [code for code, _ in rows] == sorted(RULES)
    for code, where in rows:
        assert (ROOT / "docs" / where.lower() / f"{code}.md").is_file()


def test_exit_statuses(folder, capsys):
    for name, text in (("wrong", WRONG), ("doubtful", DOUBTFUL), ("fine", FINE)):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    assert check(capsys, "fine.py") == (0, "", "")
    assert check(capsys, "wrong.py")[0] == 1
    assert check(capsys, "doubtful.py")[0] == 0
    assert check(capsys, "--fail-on", "warning", "doubtful.py")[0] == 1
    assert check(capsys, "--fail-on", "never", "wrong.py")[0] == 0
    assert check(capsys, "--fail-on=warning", "fine.py")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "there is nothing to check"),
        (["gone.py"], "`gone.py` cannot be read"),
        (["--format", "xml", "fine.py"], "`xml` is not a format; there are text, json, sarif, github"),
        (["--fail-on", "hint", "fine.py"], "`hint` is not a severity to fail on"),
        (["--select", "XY1", "fine.py"], "no rule has a code that begins with `XY1`"),
        (["--fast", "fine.py"], "there is no option `--fast`"),
        (["--format"], "missing argument for option '--format'"),
        (["latin.py"], "`latin.py` is not UTF-8"),
    ],
)
def test_unusable_arguments(folder, capsys, arguments, complaint):
    (folder / "fine.py").write_text(FINE)
    (folder / "latin.py").write_bytes(b"x = '\xe9'\n")
    status, output, said = check(capsys, *arguments)
    assert (status, output) == (2, "")
    assert said.startswith("graphwright check: ")
    assert complaint in said


def test_help(capsys):
    status, output, _ = check(capsys, "--help")
    assert status == 0
    assert output.startswith("Finds mistakes in functions of the graph")


def test_text(folder, capsys):
    (folder / "doubtful.py").write_text(DOUBTFUL, encoding="utf-8")
    assert check(capsys, "doubtful.py")[1] == (
        "doubtful.py:8:12: GW105 `y` has no value on some of the paths that lead here\n"
        " --> doubtful.py:8:12\n"
        " 8 |     return y\n"
        "   |            ^ here\n"
        "help: give `y` a value on every path, before the branch or loop that does\n\n"
        "0 errors, 1 warning\n"
    )


def test_json(folder, capsys):
    (folder / "é.py").write_text("# ü\n" + WRONG.replace("x)", "ü)"), encoding="utf-8")
    (found,) = json.loads(check(capsys, "--format", "json", "é.py")[1])
    assert found == {
        "code": "GW202",
        "severity": "error",
        "message": "`gw.zeros([2])` has shape [2] and `gw.zeros([3])` has shape [3], which do not broadcast: "
        "2 and 3 differ",
        "help": "reshape, slice or transpose one of the operands",
        "path": "é.py",
        "line": 7,
        "column": 12,
        "end_line": 7,
        "end_column": 41,
        "url": "docs/diagnostics/GW202.md",
    }


def test_columns_count_characters(folder, capsys):
    text = WRONG.replace("return ", "é = 1; return ")
    (folder / "f.py").write_text(text, encoding="utf-8")
    (found,) = json.loads(check(capsys, "--format", "json", "f.py")[1])
    assert found["column"] == text.splitlines()[5].index("gw.") + 1


def test_github(folder, capsys):
    (folder / "a,b.py").write_text(WRONG)
    assert check(capsys, "--format", "github", "a,b.py")[1] == (
        "::error file=a%2Cb.py,line=6,col=12,endLine=6,endColumn=41,title=GW202::`gw.zeros([2])` has shape [2] and "
        "`gw.zeros([3])` has shape [3], which do not broadcast: 2 and 3 differ. "
        "reshape, slice or transpose one of the operands\n"
    )


def test_sarif(folder, capsys):
    """The required properties of SARIF 2.1.0 and their types, by hand: no package ships the schema."""
    (folder / "my model.py").write_text(WRONG + "\n\n@gw.function\ndef g(x):\n    return gw.zeros([3])[3]\n")
    log = json.loads(check(capsys, "--format", "sarif", "my model.py")[1])
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    driver = run["tool"]["driver"]
    assert driver["name"] == "graphwright"
    assert driver["version"] == gw.__version__
    assert [rule["id"] for rule in driver["rules"]] == ["GW202", "GW205"]
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert [result["ruleId"] for result in run["results"]] == ["GW202", "GW205"]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert isinstance(result["message"]["text"], str)
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "my%20model.py"
        region = place["region"]
        assert 1 <= region["startLine"] <= region["endLine"]
        assert region["startColumn"] >= 1
    (folder / "fine.py").write_text(FINE)
    (run,) = json.loads(check(capsys, "--format", "sarif", "fine.py")[1])["runs"]
    assert (run["tool"]["driver"]["rules"], run["results"]) == ([], [])


def test_rules_are_selected_and_ignored(folder, capsys):
    (folder / "f.py").write_text(WRONG + SECOND, encoding="utf-8")
    assert codes(capsys, "f.py") == ["GW202", "GW105"]
    assert codes(capsys, "--select", "GW2", "f.py") == ["GW202"]
    assert codes(capsys, "--select", "GW105,GW202", "f.py") == ["GW202", "GW105"]
    assert codes(capsys, "--ignore", "GW202", "f.py") == ["GW105"]
    assert codes(capsys, "--select", "GW", "--ignore", "GW1,GW2", "f.py") == []


def test_comments_ignore_findings(folder, capsys):
    for comment, found in (
        ("# gw: ignore[GW202]", []),
        ("# gw: ignore", []),
        ("# gw: ignore[GW105]", ["GW202"]),
    ):
        (folder / "f.py").write_text(WRONG.rstrip("\n") + f"  {comment}\n")
        assert codes(capsys, "f.py") == found, comment


def test_settings_of_a_project(folder, capsys):
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "deep" / "f.py").write_text(WRONG + SECOND, encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[tool.graphwright.check]\nignore = ["GW202"]\nfail-on = "warning"\nformat = "json"\n'
    )
    status, output, _ = check(capsys, "src/deep/f.py")
    assert (status, [found["code"] for found in json.loads(output)]) == (1, ["GW105"])
    assert check(capsys, "--ignore", "GW105", "--format", "github", "src")[1].startswith("::error")
    (folder / "pyproject.toml").write_text(
        '[tool.graphwright.check]\nexclude = ["src/deep"]\nformat = "json"\n'
    )
    assert codes(capsys, "src") == []
    assert codes(capsys, "src/deep/f.py") == ["GW202", "GW105"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[tool.graphwright.check]\nfast = true\n", "unknown field `fast`"),
        ('[tool.graphwright.check]\nformat = "xml"\n', "`xml` is not a format"),
        ("[tool.graphwright.check\n", "cannot be read"),
        ('[tool.graphwright.check]\nselect = "GW1"\n', "invalid type"),
    ],
)
def test_unusable_settings(folder, capsys, text, complaint):
    (folder / "fine.py").write_text(FINE)
    (folder / "pyproject.toml").write_text(text)
    status, _, said = check(capsys, "fine.py")
    assert status == 2
    assert complaint in said


def test_folders_are_walked(folder, capsys):
    for path in ("a.py", "b/c.py", "b/d.txt", ".hidden/e.py", "b/__pycache__/f.py", "env/lib/g.py"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(WRONG)
    (folder / "env" / "pyvenv.cfg").write_text("")
    found = json.loads(check(capsys, "--format", "json", ".")[1])
    assert [item["path"] for item in found] == ["./a.py", "./b/c.py"]


def test_standard_input(folder, capsys, monkeypatch):
    for name, path in (((), "<stdin>"), (("--stdin-filename", "src/f.py"), "src/f.py")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(WRONG))
        (found,) = json.loads(check(capsys, "--format", "json", *name, "-")[1])
        assert found["path"] == path


def test_nothing_is_imported_or_run(folder, capsys):
    (folder / "f.py").write_text("import not_there\nraise SystemExit(7)\n" + WRONG)
    assert codes(capsys, "f.py") == ["GW202"]
    assert "not_there" not in sys.modules


def test_as_a_program(folder):
    (folder / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "graphwright", "check", "wrong.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("wrong.py:6:12: GW202 ")
    assert done.stdout.endswith("1 error, 0 warnings\n")


def test_the_hook_runs_the_console_script():
    """What `.pre-commit-hooks.yaml` enters is the command that the package installs."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert "entry: graphwright check\n" in hook
    assert 'graphwright = "graphwright.__main__:main"' in (ROOT / "pyproject.toml").read_text(
        encoding="utf-8"
    )
