"""The judge is plain Python, and its globals go on from call to call: values, effects and texts are compared.

Verdicts are those of the second grammar's judge; `effects` is the code of a call that returns or raises what
Python does, and prints something else or leaves other arguments or globals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from corpus.judge import Outcome, Verdict, agrees, divides, looked
from corpus.killable import Send, allow
from corpus.values import plain, same, scalars, tensor

import graphwright as gw

from ..second.judge import LIMIT, WAYS, compared, module, python_items

LONGER = 30
"""Times as long for a way, which traces, as for plain Python."""


def outcomes(text: str, way: str) -> Iterator[Outcome]:
    """The outcome of each call of the program."""
    names = module(text)
    function = names["f"]
    if way == "converted":
        function = gw.autograph.to_graph(function)
    elif way in WAYS:
        function = gw.function(function)
    for each in names["CALLS"]:
        done = looked(function, _arguments(way, each(), names["STAGED"]), {})
        # Each call has all its effects, whether it is traced or not.
        cached = done.cached and done.raised is not None
        yield replace(done, cached=cached, value=plain(_attributes(done.value)), left=_left(names))


def _arguments(way: str, arguments: tuple[Any, ...], masks: list[bool]) -> list[Any]:
    """The arguments of a call: numbers and numbers in lists are staged, arrays stay NumPy's."""
    if way == "items":
        return [python_items(value) for value in arguments]
    if way not in ("staged", "mixed"):
        return list(arguments)
    chosen = [True] * len(arguments) if way == "staged" else masks
    return [tensor(scalars(a)) if s else a for a, s in zip(arguments, chosen, strict=True)]


def _left(names: dict[str, Any]) -> Any:
    """The globals that functions change; objects as their attributes."""
    return plain([_attributes(names.get(name)) for name in names["STATE"]])


def _attributes(value: Any) -> Any:
    """Objects, and those in a tuple, as their attributes."""
    if type(value) is tuple:
        return tuple(map(_attributes, value))
    if isinstance(value, type):
        return value.__name__
    return sorted(vars(value).items()) if hasattr(value, "__dict__") else value


def judge(text: str, done: set[str], send: Send) -> None:
    """Sends the verdict of each way that is not done."""
    with np.errstate(all="ignore"):
        send({"begins": "native"})
        allow(LIMIT)
        native, again = list(outcomes(text, "native")), list(outcomes(text, "native"))
        if not all(agrees(o, one, "native") for o, one in zip(again, native, strict=True)):
            return
        other = list(outcomes(text, "items"))
        for way in WAYS:
            if way not in done:
                send({"begins": way})
                allow(LONGER * LIMIT)
                send(asdict(_verdict(way, outcomes(text, way), native, other)))


def _verdict(way: str, ours: Iterator[Outcome], native: list[Outcome], other: list[Outcome]) -> Verdict:
    """That of the first call that does not agree; the calls after it go on from another state."""
    best = Verdict(way, "agrees")
    for one, *expected in zip(ours, native, other, strict=True):
        verdict = _with_effects(way, one, *expected)
        if verdict.verdict == "widened":
            best = verdict
        elif verdict.verdict != "agrees":
            return verdict
    return best


def _with_effects(way: str, ours: Outcome, native: Outcome, other: Outcome) -> Verdict:
    verdict = compared(way, ours, native, other)
    if verdict.verdict == "disagrees" and divides(native):
        # The infinity or NaN may lead to another exception.
        return replace(verdict, verdict="ieee")
    exact = verdict.verdict != "widened"
    ends_alike = any(
        ours.raised == one.raised and same(ours.value, one.value, types=exact) for one in (native, other)
    )
    if verdict.verdict not in ("agrees", "widened", "disagrees") or not ends_alike:
        return verdict
    if any(_same_effects(ours, one, exact=exact) for one in (native, other)):
        return verdict
    code = f"effects, {ours.raised}" if ours.raised else "effects"
    native_told, ours_told = (
        f"{o.brief()[:400]}, leaves {o.arguments} {o.left}"[:900] for o in (native, ours)
    )
    return Verdict(way, "disagrees", code, native=native_told, ours=ours_told)


def _same_effects(ours: Outcome, native: Outcome, *, exact: bool) -> bool:
    """The same lines in the same order, and the same globals, after an exception too."""
    if exact and ours.printed != native.printed:
        return False
    as_many = len(ours.printed.split("\n")) == len(native.printed.split("\n"))
    return as_many and same(ours.left, native.left, types=exact)
