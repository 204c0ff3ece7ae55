"""Keys that hold texts, members and the like beside values of the graph."""

import enum

import pytest

import graphwright as gw


class Mode(enum.Enum):
    IDLE = "idle"
    BUSY = "busy"


STEPS = {(Mode.IDLE, 3): 1, (Mode.BUSY, 0): 2, (Mode.IDLE, 0): 7}


def mode(x):
    return Mode.IDLE if x > 0 else Mode.BUSY


def of_a_text(x):
    return {("a", 3): 1, ("b", 4): 2}.get(("a", x), -1)


def in_a_set(x):
    return (Mode.IDLE, x) in {(Mode.IDLE, 3), (Mode.BUSY, 4)}


def of_a_member(x):
    return STEPS.get((mode(x), x), -1), STEPS[mode(x), 0]


def of_nested_tuples(x):
    return ("q", (x, 4)) in {("q", (3, 4)), ("r", (4, 4))}


def of_other_things(x):
    return (None, x) in {(None, 3), (1, 4)}, (x, "k", 1.0) in {(3, "k", 1)}, (x, b"k") in {(4, "k")}


def of_a_missing_key(x):
    try:
        return {("a", 3): 5}["a", x]
    except KeyError:
        return -7


def alone(x):
    return mode(x) in {Mode.BUSY}, {Mode.IDLE: 3}.get(mode(x), 9)


def of_the_number_of_a_dtype(x):
    import numpy as np

    return ("a", x) in {("a", np.int64(3))}, ("a", x) in {("a", 2**70)}


def machine(x):
    now, n = Mode.IDLE, 0
    while n < 5:
        if STEPS.get((now, x), 0) > 0:
            now = Mode.BUSY
        else:
            now = Mode.IDLE
        x, n = x - 1, n + 1
    return STEPS.get((now, 0), -1), x


def plain(result):
    """Numbers for tensors."""
    if isinstance(result, tuple):
        return [plain(part) for part in result]
    return result.item() if isinstance(result, gw.Tensor) else result


@pytest.mark.parametrize(
    "function",
    [
        of_a_text,
        in_a_set,
        of_a_member,
        of_nested_tuples,
        of_other_things,
        of_a_missing_key,
        alone,
        of_the_number_of_a_dtype,
        machine,
    ],
)
def test_what_the_graph_does_not_decide_is_compared_now(function):
    staged = gw.function(function)
    for x in (3, 4, 0, -2, 3):
        assert plain(staged(gw.constant(x))) == plain(function(x)), x


def test_a_key_that_is_nowhere_raises():
    @gw.function
    def item(x):
        return {("a", 3): 5}["a", x]

    assert item(gw.constant(3)).item() == 5
    with pytest.raises(KeyError):
        item(gw.constant(4))
