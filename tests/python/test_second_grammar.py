"""The second grammar of the fuzzer: its programs are Python, and its judge tells apart what comes of them."""

import ast

import pytest
from fuzz.second import changes, expressions, judge, modules, statements
from fuzz.second.modules import Program, program
from fuzz.second.run import fewer, keep, stripped, verdicts_of

TAIL = "CALLS = [lambda: (3, ), lambda: (3, ), lambda: (4, )]\nSTAGED = [True]\nTEXTLESS = False\n"


def told(text, way="staged"):
    """Verdicts of a program in one way."""
    return [v["verdict"] for v in verdicts_of(text + TAIL, way)]


def test_programs_are_python_and_a_seed_makes_one():
    kinds = set()
    for seed in range(300):
        text = program(seed).text
        tree = ast.parse(text)
        kinds |= {type(node).__name__ for node in ast.walk(tree)}
        assert text == program(seed).text
    assert {
        "While",
        "For",
        "Try",
        "With",
        "Match",
        "NamedExpr",
        "AugAssign",
        "Lambda",
        "GeneratorExp",
    } <= kinds
    assert {"Nonlocal", "Raise", "Assert", "Delete", "Starred", "Is", "Pow", "IfExp"} <= kinds


def test_themes_can_be_left_out():
    texts = [program(seed, ("random", "iterators", "changes", "textless")).text for seed in range(100)]
    bodies = [text.removeprefix(modules.HEADER) for text in texts]
    assert not any("random." in body or "itertools." in body.split("return")[0] for body in bodies)
    assert not any("def change" in body or "TEXTLESS = True" in body for body in bodies)


def test_every_theme_has_templates():
    known = {theme for table in (*expressions.TABLES.values(), statements.TABLE) for theme in table}
    assert set(statements.THEMES) | {"base"} == known


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("def f(n):\n    return n + 1\n", "agrees"),
        ("def f(n):\n    return [n, (n, 1)]\n", "agrees"),
        ("def f(n):\n    return isinstance(n, int)\n", "disagrees"),
        ("def f(n):\n    return chr(96 + n)\n", "refused"),
        ("def f(n):\n    return n.bit_length()\n", "refused"),
        (
            "import math\ndef f(n):\n    x = 0.0\n    for _ in range(n * 3):\n        x = math.exp(x % 3.0)\n    print(x)\n",
            "ieee",
        ),
        ("import os\ndef f(n):\n    if type(n) is not int:\n        os.abort()\n", "crashes"),
        ("def f(n):\n    return n + 1 if type(n) is int else n + 1.0\n", "widened"),
    ],
)
def test_the_judge_tells(text, verdict):
    assert told(text) == [verdict]


def test_a_run_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(judge, "LIMIT", 1)
    monkeypatch.setattr(judge, "TRACED", 3)
    text = "import itertools\ndef f(n):\n    if type(n) is not int:\n        sum(0 for _ in itertools.repeat(0))\n"
    assert told(text) == ["hangs"]
    assert told(text, "converted") == ["agrees"]


def test_what_a_call_leaves_is_judged():
    assert told("LIST = [1]\ndef f(n):\n    LIST[0] = 1 if type(n) is int else 2\n") == ["disagrees"]
    assert told("G = 4\ndef f(n):\n    global G\n    G = n\n") == ["agrees"]


def test_findings_become_small(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzz.second.run.FOLDER", tmp_path)
    text = "def f(n):\n    k = n + 1\n    for i in range(3):\n        k += i\n    return isinstance(n, int)\n"
    whole = Program(modules.HEADER + text + TAIL)

    def fails(one):
        return "disagrees" in [v["verdict"] for v in verdicts_of(one.text, "staged")]

    assert len(stripped(whole, fails).text) < len(whole.text) / 4
    assert fewer(whole, fails).text.count("lambda: (") == 1
    shown = keep(1, whole, {"way": "staged", "verdict": "disagrees", "code": ""}, seconds=20)
    assert "isinstance" in shown
    assert "for i" not in shown
    assert (tmp_path / "disagrees-1.py").read_text() == shown


def test_changes_between_calls_are_programs():
    assert len(changes.pairs()) > 100
    texts = [changes.program(number).text for number in range(len(changes.pairs()))]
    assert len(set(texts)) == len(texts)
    assert verdicts_of(texts[0], "converted")[0]["verdict"] == "agrees"
