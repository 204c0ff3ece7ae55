"""Random types and blocks print, compare and fail as those of `federated-language`."""

from __future__ import annotations

import random

import pytest

import federated_pairs as pairs

pytestmark = pytest.mark.skipif(pairs.theirs is None, reason="federated-language is not installed")


QUESTIONS = [
    "contains_federated_types",
    "is_structure_of_floats",
    "is_structure_of_integers",
    "is_structure_of_tensors",
]


def made(kind, count, seed, depth):
    """Descriptions and what both languages make of them: until `count` of them are allowed."""
    describe = pairs.random_type if kind == "type" else pairs.random_block
    make = pairs.make_type if kind == "type" else pairs.make_block
    rng = random.Random(seed)
    allowed = 0
    while allowed < count:
        description = describe(rng, depth)
        mine, theirs = pairs.both(lambda lib, description=description: make(lib, description))
        allowed += theirs[0] == "made"
        yield description, mine, theirs


def test_random_types_print_and_fail_alike():
    refused = 0
    for description, (mine, ours), (judged, theirs) in made("type", 300, 1, 4):
        assert mine == judged, (description, ours, theirs)
        if judged != "made":
            refused += 1
            continue
        assert str(ours) == str(theirs)
        assert repr(ours) == repr(theirs)
        assert ours.formatted_representation() == theirs.formatted_representation()
        assert [str(child) for child in ours.children()] == [str(child) for child in theirs.children()]
        assert type(ours).__name__ == type(theirs).__name__
        for question in QUESTIONS:
            ask = getattr(pairs.Ours.blocks, question), getattr(pairs.Theirs.blocks, question)
            assert bool(ask[0](ours)) == bool(ask[1](theirs)), (question, str(ours))
    assert refused > 30


def test_random_types_compare_alike():
    rng = random.Random(2)
    answers = {}
    for description, ours, theirs in made("type", 300, 2, 3):
        if theirs[0] != "made":
            continue
        other = pairs.near(rng, description)
        our_other, their_other = pairs.both(lambda lib, other=other: pairs.make_type(lib, other))
        if their_other[0] != "made":
            continue
        one, another, judged, judged_other = ours[1], our_other[1], theirs[1], their_other[1]
        for method in (
            "is_assignable_from",
            "is_equivalent_to",
            "check_assignable_from",
            "check_equivalent_to",
        ):
            mine = pairs.outcome(lambda: getattr(one, method)(another))
            judge = pairs.outcome(lambda: getattr(judged, method)(judged_other))
            assert mine[0] == judge[0], (method, description, other, mine, judge)
            if judge[0] != "AttributeError":
                assert mine[1] == judge[1]
            answers[method, judge[0], str(judge[1])[:5]] = True
        assert (one == another) == (judged == judged_other)
        assert (one is another) == (one == another)
        assert (hash(one) == hash(another)) or one != another
    assert {key[:2] for key in answers} >= {("check_assignable_from", "TypeNotAssignableError")}
    assert ("is_assignable_from", "made", "True") in answers
    assert ("is_assignable_from", "made", "False") in answers


def test_random_blocks_print_and_fail_alike():
    refused = 0
    for description, (mine, ours), (judged, theirs) in made("block", 300, 3, 4):
        assert mine == judged, (description, ours, theirs)
        if judged != "made":
            refused += 1
            continue
        assert ours.compact_representation() == theirs.compact_representation()
        assert ours.formatted_representation() == theirs.formatted_representation()
        assert ours.structural_representation() == theirs.structural_representation()
        assert str(ours.type_signature) == str(theirs.type_signature)
        assert [str(child) for child in ours.children()] == [str(child) for child in theirs.children()]
    assert refused > 30


def test_random_blocks_compare_alike():
    equal = 0
    for description, ours, theirs in made("block", 300, 4, 2):
        if theirs[0] != "made":
            continue
        again, judged_again = pairs.both(
            lambda lib, description=description: pairs.make_block(lib, description)
        )
        assert (ours[1] == again[1]) == (theirs[1] == judged_again[1]), description
        assert hash(ours[1]) == hash(again[1])
        equal += ours[1] == again[1]
    assert equal > 20
