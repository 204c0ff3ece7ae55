"""Random programs and those that once disagreed: native, converted and staged agree on each."""

from __future__ import annotations

import sys

import pytest
from fuzz import corpus
from fuzz.oracle import DisagreementError, judge
from fuzz.programs import programs
from hypothesis import HealthCheck, Phase, given, settings


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="what stops in a branch is told by a note, from 3.11 on"
)
def test_three_ways():
    """Python's answer or a located error, never a third outcome; and the answer for most programs."""
    refused = []

    @settings(
        max_examples=300,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        phases=[Phase.generate, Phase.shrink],
    )
    @given(programs())
    def agree(program):
        try:
            refused.append(judge(program).refused)
        except DisagreementError as error:
            raise DisagreementError(f"{error}\n{program.text}") from None

    agree()
    answered = refused.count([]) / len(refused)
    assert answered > 0.85, f"only {answered:.0%} of the programs are staged: {[r for r in refused if r]}"


@pytest.mark.parametrize("program", [pytest.param(program, id=name) for name, program in corpus.kept()])
def test_what_disagreed_agrees(program):
    assert judge(program).refused == []


def test_a_disagreement_is_told():
    """The judge does not take a wrong answer for a right one."""
    program = next(program for name, program in corpus.kept() if name == "or_of_bits")
    wrong = program.text.replace("return a | c", "return (a | c) + hasattr(a, 'numpy')")
    assert wrong != program.text
    broken = type(program)(wrong, program.arguments, program.others, program.staged)
    with pytest.raises(DisagreementError, match="staged"):
        judge(broken)
