"""Random programs and those that once disagreed: native, converted and staged agree on each."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest
from fuzz import corpus
from fuzz.oracle import DisagreementError, judge
from fuzz.programs import program, programs
from fuzz.smaller import smaller
from fuzz.writer import Choices
from hypothesis import HealthCheck, Phase, given, settings

pytestmark = pytest.mark.usefixtures("same_graphs")


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
    def agree(one):
        try:
            refused.append(judge(one).refused)
        except DisagreementError as error:
            raise DisagreementError(f"{error}\n{one.text}") from None

    agree()
    answered = refused.count([]) / len(refused)
    assert answered > 0.85, f"only {answered:.0%} of the programs are staged: {[r for r in refused if r]}"


@pytest.mark.parametrize("kept", [pytest.param(kept, id=name) for name, kept in corpus.kept()])
def test_what_disagreed_agrees(kept):
    assert judge(kept).refused == []


def test_a_disagreement_is_told():
    """The judge does not take a wrong answer for a right one."""
    right = next(right for name, right in corpus.kept() if name == "or_of_bits")
    wrong = right.text.replace("return a | c", "return (a | c) + hasattr(a, 'numpy')")
    assert wrong != right.text
    with pytest.raises(DisagreementError, match="staged"):
        judge(replace(right, text=wrong))


def test_a_program_is_made_smaller():
    """Whatever the failure does not need goes."""
    long = program(Choices(random.Random(4).randint))
    lines = [line for line in long.text.splitlines() if not line.startswith("    return (")]
    wrong = "    return [h + hasattr(a, 'numpy') for h in (a, b)]"
    longest = replace(long, text="\n".join([*lines, wrong, ""]))

    def fails(one):
        try:
            compile(one.text, one.file, "exec")
        except SyntaxError:
            return False
        return "hasattr(" in one.text

    found = smaller(longest, fails)
    assert found.text == "def f(a, b, c, g, h, p, xs, ws, grid, fuel):\n    return hasattr(a, 'numpy')"
