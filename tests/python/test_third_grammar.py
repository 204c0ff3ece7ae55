"""The third grammar of the fuzzer: its programs are Python, and its judge compares what calls leave and print."""

import ast

import pytest
from fuzz.second.run import fewer, keep, stripped, verdicts_of
from fuzz.third import expressions, modules, statements
from fuzz.third.modules import Program, program

TAIL = """
CALLS = [lambda: (3, ), lambda: (3, ), lambda: (4, )]
STAGED = [True]
STATE = ['total', 'box']
"""


def told(text, way="staged"):
    """Verdicts of a program in one way, with their codes."""
    return [(v["verdict"], v["code"]) for v in verdicts_of(text + TAIL, way, "third")]


def test_programs_are_python_and_a_seed_makes_one():
    kinds = set()
    for seed in range(300):
        text = program(seed).text
        compile(text, "program", "exec")
        kinds |= {type(node).__name__ for node in ast.walk(ast.parse(text))}
        assert text == program(seed).text
    assert {"While", "For", "Try", "With", "Match", "NamedExpr", "AugAssign", "Lambda"} <= kinds
    assert {"GeneratorExp", "JoinedStr", "Nonlocal", "Global", "Raise", "Assert", "Delete"} <= kinds


def test_features_can_be_left_out():
    texts = [program(seed, ("print", "format", "object", "with")).text for seed in range(100)]
    bodies = [text.removeprefix(modules.HEADER).partition("\nCALLS")[0] for text in texts]
    assert not any("print(" in body or "box" in body for body in bodies)


def test_every_feature_has_templates_and_its_names_are_bound():
    rare = {name for table in expressions.RARE.values() for name in table}
    known = set(modules.FEATURES) | {"base"}
    assert rare | set(modules.BEGIN) | set(modules.RESULTS) | set(statements.SHOWN) <= known


@pytest.mark.parametrize("seed", range(1, 13))
def test_programs_agree_or_are_refused(seed):
    text = program(seed).text
    found = [v for way in ("converted", "staged", "mixed") for v in verdicts_of(text, way, "third")]
    assert {v["verdict"] for v in found if v["way"] == "converted"} <= {"agrees"}
    assert {v["verdict"] for v in found} <= {"agrees", "widened", "ieee", "refused"}


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("total = 0\ndef f(n):\n    global total\n    total += n\n    return total", "agrees", ""),
        ("def f(n):\n    print(n, n + 1)", "agrees", ""),
        ("total = 0\ndef f(n):\n    return isinstance(n, int)", "disagrees", ""),
        (
            "class P: pass\nbox = P()\ndef f(n):\n    box.x = 1 if type(n) is int else 2",
            "disagrees",
            "effects",
        ),
        (
            "total = 0\ndef f(n):\n    global total\n    total = type(n) is int\n    raise KeyError",
            "disagrees",
            "effects, KeyError",
        ),
        ("def f(n):\n    return chr(96 + n)", "refused", "GW108"),
    ],
)
def test_the_judge_tells(text, verdict, code):
    assert told(text) == [(verdict, code)]
    assert told(text, "converted") == [("agrees", "")]


def test_calls_go_on_from_what_the_ones_before_left():
    text = "total = 0\ndef f(n):\n    global total\n    total += 1\n    return total + (total > 2 and type(n) is not int)"
    assert told(text) == [("disagrees", "")]


def test_findings_become_small(tmp_path, monkeypatch):
    monkeypatch.setattr("fuzz.second.run.FOLDER", tmp_path)
    text = "total = 0\ndef f(n):\n    k = n + 1\n    for i in range(3):\n        k += i\n    return isinstance(n, int)"
    whole = Program(modules.HEADER + text + TAIL)

    def fails(one):
        return "disagrees" in [v["verdict"] for v in verdicts_of(one.text, "staged", "third")]

    assert len(stripped(whole, fails).text) < len(whole.text) / 3
    assert fewer(whole, fails).text.count("lambda: (") == 1
    shown = keep(1, whole, {"way": "staged", "verdict": "disagrees", "code": ""}, 15, "third")
    assert "isinstance" in shown
    assert "for i" not in shown
    assert (tmp_path / "disagrees-third-1.py").read_text() == shown
