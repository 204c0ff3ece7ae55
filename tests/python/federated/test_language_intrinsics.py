"""Intrinsics of random types: the text, the type and the errors of `federated-language`."""

from __future__ import annotations

import random

import numpy as np
import pytest

import federated_pairs as pairs

pytestmark = pytest.mark.skipif(pairs.theirs is None, reason="federated-language is not installed")

DTYPES = [np.int32, np.int64, np.float32, np.float64, np.bool_, np.str_, np.complex64]


def leaf(rng):
    shape = rng.choice([(), (), (), (2,), (None,), (3,)])
    return "tensor", rng.choice(DTYPES), shape


def member(rng, depth=2):
    if depth and rng.random() < 0.35:
        elements = [
            (rng.choice([None, "a", "b", "c"]), member(rng, depth - 1)) for _ in range(rng.randrange(3))
        ]
        return rng.choice(["struct", "python"]), elements, tuple
    return leaf(rng)


def placed(rng, inner=None, placement=None):
    inner = member(rng) if inner is None else inner
    where = placement or rng.choice(["clients", "clients", "clients", "server"])
    equal = rng.choice([None, None, None, True]) if where == "clients" else None
    made = "federated", inner, where, equal
    if rng.random() < 0.04:
        return inner
    if rng.random() < 0.1:
        return "struct", [("a", made), (None, placed(rng, placement=where))], None
    return made


def near_member(rng, inner):
    return inner if rng.random() < 0.85 else member(rng)


def zipped_member(description):
    """The member of what `placed` describes, once it is zipped."""
    kind, *parts = description
    if kind == "federated":
        return parts[0]
    if kind in ("struct", "python"):
        return "struct", [(name, zipped_member(part)) for name, part in parts[0]], None
    return description


def function(rng, parameter, result=None):
    if rng.random() < 0.04:
        return leaf(rng)
    return "function", near_member(rng, parameter), member(rng) if result is None else result


def pair(one, other, names=(None, None)):
    return "struct", [(names[0], one), (names[1], other)], None


def mapped(rng):
    value = placed(rng)
    return [function(rng, zipped_member(value)), value]


def aggregated(rng):
    value = placed(rng, placement="clients")
    zero = member(rng)
    accumulator = near_member(rng, zero)
    names = rng.choice([(None, None), (None, None), ("a", "b")])
    accumulate = "function", pair(near_member(rng, accumulator), zipped_member(value), names), accumulator
    merge = "function", pair(accumulator, near_member(rng, accumulator), names), accumulator
    report = function(rng, accumulator)
    return [value, zero, accumulate, merge, report]


def selected(rng):
    keys = (
        "tensor",
        rng.choice([np.int32, np.int32, np.int32, np.int64]),
        rng.choice([(3,), (3,), (3,), (None,), ()]),
    )
    held = placed(rng, placement=rng.choice(["server", "server", "server", "clients"]))
    most = "federated", ("tensor", np.int32, ()), rng.choice(["server", "server", "server", "clients"]), None
    look_up = function(
        rng, pair(zipped_member(held), ("tensor", np.int32, ()), rng.choice([(None, None), ("a", "b")]))
    )
    where = rng.choice(["clients"] * 9 + ["server"])
    return [("federated", keys, where, None), most, held, look_up]


def bounded(rng):
    value = placed(rng)
    inner = zipped_member(value)
    scalar = "tensor", rng.choice([np.int32, np.int64, np.float32]), ()
    return [value, rng.choice([scalar, bounds_like(inner, rng)])]


def bounds_like(description, rng):
    kind, *parts = description
    if kind in ("struct", "python"):
        return kind, [(name, bounds_like(part, rng)) for name, part in parts[0]], tuple
    return "tensor", np.int32, rng.choice([(), (), (1,), (2,)])


def sequence(rng, inner):
    made = "sequence", inner
    kind = rng.choice(["plain", "plain", "clients", "server"])
    return made if kind == "plain" else ("federated", made, kind, None)


def sequence_mapped(rng):
    inner = member(rng)
    return [function(rng, inner), sequence(rng, inner)]


def sequence_reduced(rng):
    inner, zero = member(rng), member(rng)
    folded = sequence(rng, inner)
    start = (*folded[:1], zero, *folded[2:]) if folded[0] == "federated" else zero
    op = "function", pair(near_member(rng, zero), inner, rng.choice([(None, None), ("a", "b")])), zero
    return [folded, start, op]


def weighted(rng):
    weight = "tensor", rng.choice([np.int32, np.float32, np.float32, np.bool_]), rng.choice([(), (), (2,)])
    floating = "tensor", rng.choice([np.float32, np.float64, np.complex64, np.int32]), ()
    return [placed(rng, rng.choice([floating, member(rng)])), placed(rng, weight)]


def zipped(rng):
    where = rng.choice(["clients", "server"])
    elements = [(rng.choice([None, "a", "b"]), placed(rng, placement=where)) for _ in range(rng.randrange(4))]
    return [rng.choice([("struct", elements, None), placed(rng), member(rng)])]


# The parameters of each intrinsic.
PARAMETERS = {
    "federated_aggregate": aggregated,
    "federated_broadcast": lambda rng: [placed(rng)],
    "federated_map": mapped,
    "federated_max": lambda rng: [placed(rng)],
    "federated_mean": lambda rng: weighted(rng)[: rng.randrange(1, 3)],
    "federated_min": lambda rng: [placed(rng)],
    "federated_secure_select": selected,
    "federated_secure_sum": bounded,
    "federated_secure_sum_bitwidth": bounded,
    "federated_select": selected,
    "federated_sum": lambda rng: [placed(rng)],
    "federated_zip": zipped,
    "sequence_map": sequence_mapped,
    "sequence_reduce": sequence_reduced,
    "sequence_sum": lambda rng: [sequence(rng, member(rng))],
}
PLACED = {
    "federated_eval": lambda rng: [("function", rng.choice([None, None, member(rng)]), member(rng))],
    "federated_value": lambda rng: [rng.choice([member(rng), member(rng), placed(rng)])],
}


def traced(lib, name, descriptions, placement):
    """The computation that calls one intrinsic with its parameters."""
    intrinsic = getattr(lib.types, name)
    parameter = lib.types.StructType([pairs.make_type(lib, description) for description in descriptions])

    def body(arg):
        arguments = [arg[index] for index in range(len(descriptions))]
        return intrinsic(*arguments, *([] if placement is None else [lib.placements[placement]]))

    return lib.types.federated_computation(parameter)(body)


# Two answers in a row are one call and a reference: the judge binds `sequence_map` over federated sequences in two steps.
TWO_STEPS = ("sequence_map",)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(PARAMETERS | PLACED))
def test_intrinsics_have_the_types_and_texts_of_the_judge(name):
    rng = random.Random(name)
    answers = {"made": 0, "refused": 0}
    for _ in range(150):
        descriptions = (PARAMETERS | PLACED)[name](rng)
        placement = rng.choice(["clients", "server"]) if name in PLACED else None
        mine, judged = pairs.both(
            lambda lib, descriptions=descriptions, placement=placement: traced(
                lib, name, descriptions, placement
            )
        )
        assert mine[0] == judged[0], (descriptions, mine, judged)
        answers["made" if judged[0] == "made" else "refused"] += 1
        if judged[0] == "made":
            assert str(mine[1].type_signature) == str(judged[1].type_signature)
            if name not in TWO_STEPS:
                assert str(mine[1].to_building_block()) == str(judged[1].to_building_block())
    assert answers["made"] >= 20, answers
    assert answers["refused"] >= 5, answers


def test_the_definitions_are_the_judges():
    from federated_language.compiler import intrinsic_defs as judges

    from graphwright.federated import intrinsic_defs

    constants = [
        getattr(intrinsic_defs, name) for name in dir(intrinsic_defs) if name.isupper() and name[0] != "_"
    ]
    ours = {one.uri: one for one in constants}
    theirs = dict(judges._intrinsic_registry)
    assert sorted(ours) == sorted(theirs)
    assert len(ours) == 27
    for uri, judged in theirs.items():
        assert str(ours[uri].type_signature) == str(judged.type_signature)
        assert ours[uri].name == judged.name
        for attribute in ("aggregation_kind", "broadcast_kind"):
            kind, judged_kind = getattr(ours[uri], attribute), getattr(judged, attribute)
            assert (kind and kind.name) == (judged_kind and judged_kind.name)
