"""The grammar of ordinary statements: its programs are Python, and agree with plain Python or are refused."""

import ast

import pytest
from fuzz.ordinary.writer import program
from fuzz.second.run import verdicts_of


def test_programs_are_python_and_a_seed_makes_one():
    kinds = set()
    for seed in range(200):
        text = program(seed).text
        compile(text, "program", "exec")
        kinds |= {type(node).__name__ for node in ast.walk(ast.parse(text))}
        assert text == program(seed).text
    assert {
        "While",
        "For",
        "Try",
        "With",
        "Match",
        "AugAssign",
        "Lambda",
        "Break",
        "Continue",
        "Raise",
    } <= kinds


@pytest.mark.parametrize("seed", range(1, 25))
def test_programs_agree_or_are_refused(seed):
    text = program(seed).text
    found = [v for way in ("converted", "staged", "mixed") for v in verdicts_of(text, way, "ordinary")]
    assert {v["verdict"] for v in found if v["way"] == "converted"} <= {"agrees"}
    assert {v["verdict"] for v in found} <= {"agrees", "refused"}
