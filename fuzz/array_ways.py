"""The ways in which a derivative of a program over arrays may be asked.

They are tapes in and around functions, of arguments, captured tensors and variables, and `gw.grad` and its
kin. Each is a function of the program, tensors for its floats, and the number of turns, and gives the
derivatives by the floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphwright as gw

Call = Callable[..., Any]
Tensors = list[Any]
POSITIONS = (0, 1, 2, 3)


def _asked(tape: gw.GradientTape, target: Any, sources: Any) -> Any:
    return tape.gradient(target, sources, unconnected_gradients="zero")


def _copies(floats: Tensors) -> Tensors:
    """Arrays of the graph's own: one copy by each of the functions that make one."""
    v, w, m, c = floats
    return [v.copy(), gw.identity(w), gw.convert_to_tensor(m) * 1.0, c * 1.0]


def by_grad(call: Call, floats: Tensors, turns: Any) -> Any:
    """`gw.grad`, whose function stores into its arguments."""
    return gw.grad(call, POSITIONS)(*floats, turns)


def by_vjp(call: Call, floats: Tensors, turns: Any) -> Any:
    """`gw.vjp`."""
    _, back = gw.vjp(lambda *floats: gw.autograph.to_graph(call)(*floats, turns), *floats)
    return back(gw.constant(1.0, gw.float64))


def of_rows(call: Call, floats: Tensors, turns: Any) -> Any:
    """`gw.vmap` of `gw.grad`: the derivatives of the second of two rows."""
    rows = [gw.stack([one * 0.5, one]) for one in floats]
    each = gw.vmap(gw.grad(lambda *floats: call(*floats, turns), POSITIONS))
    return [found[1] for found in each(*rows)]


def recomputed(call: Call, floats: Tensors, turns: Any) -> Any:
    """`gw.grad` of `gw.recompute_grad`, of copies: its function may not store into its arguments."""
    inner = gw.recompute_grad(lambda *floats: call(*_copies(floats), turns))
    return gw.grad(inner, POSITIONS)(*floats)


def inside(call: Call, floats: Tensors, turns: Any) -> Any:
    """A tape in a function, of its arguments."""

    @gw.function(autograph=False)
    def whole(floats: Tensors, turns: Any) -> Any:
        with gw.GradientTape() as tape:
            tape.watch(floats)
            target = gw.autograph.to_graph(call)(*floats, turns)
        return _asked(tape, target, floats)

    return whole(floats, turns)


def of_any_length(call: Call, floats: Tensors, turns: Any) -> Any:
    """A tape in a function of arrays of any lengths."""
    specs = [gw.TensorSpec([None] * one.ndim, one.dtype) for one in floats]

    @gw.function(autograph=False, input_signature=[specs, gw.TensorSpec([], gw.int64)])
    def whole(floats: Tensors, turns: Any) -> Any:
        with gw.GradientTape() as tape:
            tape.watch(floats)
            target = gw.autograph.to_graph(call)(*floats, turns)
        return _asked(tape, target, floats)

    return whole(floats, turns)


def in_a_loop(call: Call, floats: Tensors, turns: Any) -> Any:
    """A tape in a branch of a loop: the mean of three times the derivatives."""

    @gw.function
    def whole(floats: Tensors, turns: Any) -> Any:
        total = [one * 0.0 for one in floats]
        for turn in gw.range(4):
            if turn > 0:
                with gw.GradientTape() as tape:
                    tape.watch(floats)
                    target = call(*_copies(floats), turns)
                found = _asked(tape, target, floats)
                total = [one + another / 3.0 for one, another in zip(total, found, strict=True)]
        return total

    return whole(floats, turns)


def eagerly(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape around the program as Python runs it."""
    with gw.GradientTape() as tape:
        tape.watch(floats)
        target = call(*floats, int(turns))
    return _asked(tape, target, floats)


def around(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape around a function that stores into its arguments."""
    whole = gw.function(call)
    with gw.GradientTape() as tape:
        tape.watch(floats)
        target = whole(*floats, turns)
    return _asked(tape, target, floats)


def around_captured(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape around the second call of a function that captures all floats."""
    whole = gw.function(lambda turns: call(*_copies(floats), turns))
    whole(turns)
    with gw.GradientTape() as tape:
        tape.watch(floats)
        target = whole(turns)
    return _asked(tape, target, floats)


def inside_captured(call: Call, floats: Tensors, turns: Any) -> Any:
    """A tape in a function that captures all floats."""

    @gw.function(autograph=False)
    def whole(turns: Any) -> Any:
        with gw.GradientTape() as tape:
            tape.watch(floats)
            target = gw.autograph.to_graph(lambda turns: call(*_copies(floats), turns))(turns)
        return _asked(tape, target, floats)

    return whole(turns)


def around_variables(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape around a function that reads variables."""
    variables = [gw.Variable(one) for one in floats]
    whole = gw.function(lambda turns: call(*[one * 1.0 for one in variables], turns))
    with gw.GradientTape() as tape:
        target = whole(turns)
    return _asked(tape, target, variables)


def around_rows(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape around `gw.vmap`."""
    with gw.GradientTape() as tape:
        tape.watch(floats)
        rows = [gw.stack([one, one]) for one in floats]
        each = gw.vmap(lambda *floats: call(*floats, turns))(*rows)
        target = 0.25 * each[0] + 0.75 * each[1]
    return _asked(tape, target, floats)


def persistently(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape that is asked twice."""
    whole = gw.function(call)
    with gw.GradientTape(persistent=True) as tape:
        tape.watch(floats)
        target = whole(*floats, turns)
    _asked(tape, target * 2.0, floats)
    return _asked(tape, target, floats)


WAYS = (
    by_grad,
    by_vjp,
    of_rows,
    recomputed,
    inside,
    of_any_length,
    in_a_loop,
    eagerly,
    around,
    around_captured,
    inside_captured,
    around_variables,
    around_rows,
    persistently,
)


def called_twice(call: Call) -> Call:
    """The sum of two calls with the same arrays, the second of which finds what the first stored."""
    return lambda *given: call(*given) * 0.5 + call(*given)


def captured_too(call: Call, floats: Tensors, turns: Any) -> Any:
    """An eager tape around a function of arguments that it captures, too."""

    def both(*given: Any) -> Any:
        return call(*given) + gw.reduce_sum(gw.cumsum(floats[0]) * floats[1])

    whole = gw.function(both)
    with gw.GradientTape() as tape:
        tape.watch(floats)
        target = whole(*_copies(floats), turns)
    return _asked(tape, target, floats)


def along(call: Call, floats: Tensors, turns: Any, tangents: Tensors) -> Any:
    """`gw.jvp`: the change along the tangents."""
    return gw.jvp(lambda *floats: gw.autograph.to_graph(call)(*floats, turns), floats, tangents)[1]


def second(call: Call, floats: Tensors, turns: Any, tangents: Tensors) -> Any:
    """The derivatives of the change along the tangents."""

    def slope(*floats: Any) -> Any:
        found = gw.grad(call, POSITIONS)(*_copies(list(floats)), turns)
        return sum(gw.reduce_sum(one * other) for one, other in zip(found, tangents, strict=True))

    return gw.grad(slope, POSITIONS)(*floats)
