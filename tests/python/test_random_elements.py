"""Random programs that change objects in lists give what Python gives, or are refused."""

from __future__ import annotations

import os

import pytest

import random_elements

COUNT = int(os.environ.get("ELEMENT_PROGRAMS", "120"))
"""So many programs are compared."""


@pytest.mark.parametrize("seed", range(0, COUNT, 10))
def test_random_programs_agree(seed):
    found = [(one, random_elements.differs(one)) for one in range(seed, seed + 10)]
    assert not [(one, random_elements.text_of(one), how) for one, how in found if how]


def test_many_programs_are_not_refused():
    programs = [random_elements.program_of(random_elements.text_of(seed)) for seed in range(60)]
    outcomes = [random_elements.staged_outcome(program, 4, 2) for program in programs]
    assert sum(outcome is not None for outcome in outcomes) >= 20
