"""The program of the host beside a graph: calls, loops and branches, with what crosses for each call."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, Literal

from .. import _native
from ._calls import Place, Texts

#: Copies of up to so many bytes are control, not data: nobody is warned of them.
QUIET_BYTES = 64


@dataclasses.dataclass(frozen=True)
class Transfer:
    """A value that crosses between the graph and the host.

    Attributes:
      kind: `"send"` from the graph to the host, `"receive"` from the host into the graph.
      call: the function of the host's that it crosses for.
      name: the user's name for it: a variable, or the text of an expression.
      spec: its dtype and shape, a `gw.TensorSpec`.
      nbytes: its size in bytes; `None` for texts, and where a length is known only when the graph runs.
      implicit: whether nobody asked for the copy: no `py_function`, no `to_host` or `to_accelerator`, and
        more than 64 bytes.
      filename: the file of the call.
      lineno: the line of the call, from 1.
      loop_depth: the number of loops in each turn of which it crosses.

    Example:
      >>> f = gw.function(lambda x: gw.py_function(lambda v: v, [x], gw.TensorSpec([], gw.float32)))
      >>> [(t.kind, t.nbytes) for t in f.partition(gw.TensorSpec([], gw.float32)).transfers]
      []
    """

    kind: Literal["send", "receive"]
    call: str
    name: str
    spec: _native.TensorSpec
    nbytes: int | None
    implicit: bool
    filename: str
    lineno: int
    loop_depth: int


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a function of the host's, with what crosses for it."""

    number: int
    name: str
    place: Place
    depth: int
    #: The user's text of the call, and of what its result is assigned to.
    text: str
    assigned: str | None
    #: Position among the arguments or results, with the loops around the transfer, outermost first.
    sent: list[tuple[int, Transfer, tuple[Place, ...]]]
    received: list[tuple[int, Transfer, tuple[Place, ...]]]

    @classmethod
    def of(cls, step: tuple[Any, ...], loops: tuple[Place, ...]) -> Call:
        """The call that the native half describes, in these loops."""
        _, number, name, is_explicit, place, depth, arguments, sent, received = step
        texts = Texts.of(place, name)

        def transfer(kind: Literal["send", "receive"], text: str, value: tuple[Any, ...]) -> Transfer:
            _, spec, loop_depth, is_marked = value
            size = bytes_of(spec)
            implicit = not is_explicit and not is_marked and (size is None or size > QUIET_BYTES)
            file, line = (place[0], place[1]) if place else ("", 0)
            return Transfer(kind, name, text, spec, size, implicit, file, line, loop_depth)

        given = texts.arguments(arguments, is_explicit)
        sends = [(v[0], transfer("send", given.get(v[0], name), v), loops[: v[2]]) for v in sent]
        receives = [(v[0], transfer("receive", texts.result(v[0]), v), loops[: v[2]]) for v in received]
        text = f"{name}({', '.join(given.values())})" if is_explicit else texts.whole
        return cls(number, name, place, depth, text, texts.assigned, sends, receives)


@dataclasses.dataclass(frozen=True)
class Loop:
    """A loop of the graph in which the host is called."""

    place: Place
    body: list[Any]


@dataclasses.dataclass(frozen=True)
class Branch:
    """A branch of the graph in which the host is called."""

    place: Place
    blocks: tuple[list[Any], list[Any]]


def steps_of(described: list[tuple[Any, ...]], loops: tuple[Place, ...] = ()) -> list[Any]:
    """The host's program of what the native half describes."""
    made: list[Any] = []
    for step in described:
        if step[0] == "call":
            made.append(Call.of(step, loops))
        elif step[0] == "loop":
            made.append(Loop(step[1], steps_of(step[2], (*loops, step[1]))))
        else:
            made.append(Branch(step[1], (steps_of(step[2], loops), steps_of(step[3], loops))))
    return made


def without_first_turns(steps: list[Any]) -> list[Any]:
    """The program without the turns of loops that the graph has in front of them: they are the same calls."""
    made: list[Any] = []
    for step in steps:
        if isinstance(step, Loop):
            inside = {call.place for call in calls_of(step.body)}
            made = [one for one in made if not is_inside(one, inside)]
            made.append(Loop(step.place, without_first_turns(step.body)))
        elif isinstance(step, Branch):
            then, orelse = map(without_first_turns, step.blocks)
            made.append(Branch(step.place, (then, orelse)))
        else:
            made.append(step)
    return made


def is_inside(step: Any, places: set[Place]) -> bool:
    """True if all calls of a step stand at these places."""
    return None not in places and all(call.place in places for call in calls_of([step]))


def calls_of(steps: list[Any]) -> Iterator[Call]:
    """All calls in the order of the program."""
    for step in steps:
        if isinstance(step, Call):
            yield step
        else:
            blocks = [step.body] if isinstance(step, Loop) else step.blocks
            for block in blocks:
                yield from calls_of(block)


def bytes_of(spec: _native.TensorSpec) -> int | None:
    """The size of a tensor, where it is known before the graph runs."""
    lengths = [length for length in spec.shape if length is not None]
    if spec.dtype == _native.string or len(lengths) < len(spec.shape):
        return None
    return math.prod(lengths) * spec.dtype.size
