"""The judge is plain Python: every call of a program, with what it leaves behind, in each way of running it.

Verdicts are those of `corpus.judge`; a program's in a way is that of the first call that does not agree.
"""

from __future__ import annotations

import copy
import linecache
import math
import random
import re
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any
from unittest import mock

import numpy as np
from corpus.judge import REFUSAL, Outcome, Verdict, agrees, divides, failed, looked, widened
from corpus.killable import Send, allow
from corpus.values import plain, tensor

import graphwright as gw

LIMIT = 1
"""Seconds of computing for the calls in plain Python."""
TRACED = 200
"""Those for the calls of one way: each call refuses (GW118) a trace without end after some seconds."""
FLOOR = math.floor
NUMBER = re.compile(r"-?\d+\.\d+(e[+-]\d+)?")
"""A float as `print` shows it."""
WAYS = ("converted", "staged", "mixed")
LIMITS = ("integers to negative integer powers are not allowed", "maximum recursion depth exceeded")
"""What a graph says of its limits, which no handler sees: integers stay integers, calls have an end."""
BUILT = ("raised while the graph was built", "all of it was traced", "Tensor", "tensor")


if sys.version_info >= (3, 11):
    # Powers of integers have any number of digits, and what a call leaves is compared as a text.
    sys.set_int_max_str_digits(0)


class Items(np.ndarray[Any, Any]):
    """An array whose elements are Python's numbers: a tensor's scalars follow Python where NumPy's do not."""

    def __getitem__(self, at: Any) -> Any:
        """The element as Python's, or the part."""
        value = super().__getitem__(at)
        return value.item() if isinstance(value, np.generic) else value

    def __iter__(self) -> Iterator[Any]:
        """The elements as Python's, or the rows."""
        return (self[at] for at in range(len(self)))


def module(text: str) -> dict[str, Any]:
    """The names that a text defines; its lines are found unless it is textless."""
    file = f"/second/program{random.Random().getrandbits(60)}.py"
    found = types.ModuleType("program")
    code = compile(text, file, "exec")
    # A program before it may have put another function there.
    math.floor = FLOOR
    # `inspect` and `mock` look a module up by its name.
    sys.modules["program"] = found
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(code, vars(found))
    if vars(found).get("TEXTLESS"):
        del linecache.cache[file]
    return vars(found)


def outcomes(text: str, way: str, given: Callable[[Any], Any]) -> Iterator[Outcome]:
    """The outcome of each call of the program."""
    names = module(text)
    function = names["f"]
    if way == "converted":
        function = gw.autograph.to_graph(function)
    elif way != "native":
        function = gw.function(function)
    begun = _state(names)
    masks = names["STAGED"] if isinstance(names["STAGED"], list) else []
    for each in names["CALLS"]:
        arguments = each()
        if each.__name__ == "<lambda>":
            masked = way != "mixed" or len(masks) != len(arguments)
            chosen = [True] * len(arguments) if masked else masks
            ready = [given(a) if s else a for a, s in zip(arguments, chosen, strict=True)]
            random.seed(5)
            _restore(names, begun)
            done = looked(function, ready, {})
            yield replace(done, left=_left(names))
        else:
            _restore(names, begun)
            begun = _state(names)


def _state(names: dict[str, Any]) -> list[Any]:
    """The part of a module's state that calls change."""
    box = names.get("BOX")
    kept = [copy.deepcopy(names.get(name)) for name in ("G", "LIST", "TABLE")]
    return [*kept, dict(vars(box), items=list(vars(box).get("items", []))) if box else {}]


def _restore(names: dict[str, Any], state: list[Any]) -> None:
    """Every call begins with the same, since what Python does on the way it does only while it is traced."""
    number, items, table, box = copy.deepcopy(state)
    names.pop("NEW", None)
    if "G" in names:
        names["G"] = number
    if "LIST" in names:
        names["LIST"][:] = items
    if "TABLE" in names:
        names["TABLE"].clear()
        names["TABLE"].update(table)
    if names.get("BOX"):
        vars(names["BOX"]).clear()
        vars(names["BOX"]).update(box)
    if "append" in names:
        names["append"].__defaults__[0].clear()
    if cells := getattr(names.get("counted"), "__closure__", None):
        cells[0].cell_contents = 0


def _left(names: dict[str, Any]) -> Any:
    """The state of the module."""
    kept = [names.get(name) for name in ("G", "LIST", "TABLE", "NEW")]
    box = vars(names["BOX"]) if "BOX" in names else {}
    return plain([*kept, sorted(box.items())])


def _staged(value: Any) -> Any:
    if isinstance(value, list):
        return [tensor(item) for item in value]
    # A NumPy array is staged as it is; a tensor in its place would not change for the caller.
    return value if isinstance(value, np.ndarray) else tensor(value)


def python_items(value: Any) -> Any:
    """An array whose elements are Python's numbers, anything else as it is."""
    return value.view(Items) if isinstance(value, np.ndarray) else value


def judge(text: str, done: set[str], send: Send) -> None:
    """Sends the verdict of each way that is not done."""
    with np.errstate(all="ignore"):
        send({"begins": "native"})
        allow(LIMIT)
        native = list(outcomes(text, "native", lambda value: value))
        again = list(outcomes(text, "native", lambda value: value))
        if not all(agrees(o, one, "native") for o, one in zip(again, native, strict=True)):
            return
        other = list(outcomes(text, "native", python_items)) if "np." in text else native
        for way in WAYS:
            if way not in done:
                # A graph divides floats by zero and goes on, for as long as the loops behind take.
                send({"begins": way, "divides": any(map(divides, [*native, *other]))})
                allow(TRACED)
                send(asdict(_verdict(text, way, native, other)))


def _verdict(text: str, way: str, native: list[Outcome], other: list[Outcome]) -> Verdict:
    best = Verdict(way, "agrees")
    given = (lambda value: value) if way == "converted" else _staged
    try:
        for at, (ours, one, two) in enumerate(zip(outcomes(text, way, given), native, other, strict=True)):
            verdict = compared(way, ours, one, two)
            if verdict.verdict == "disagrees" and is_of_floats(text, at, way, ours, one):
                verdict = replace(verdict, verdict="ieee")
            if verdict.verdict in ("widened", "ieee"):
                best = verdict
            elif verdict.verdict != "agrees":
                return verdict
    except Exception as error:
        return compared(way, failed(error, ""), native[0], other[0])
    return best


def told(ours: Outcome, native: Outcome) -> dict[str, str]:
    """Both outcomes for a report, with what they leave where neither is an exception of ours."""
    texts = {"native": native.brief()[:400], "ours": ours.brief()[:900]}
    if ours.raised is not None:
        return texts
    return {
        name: f"{text}, leaves {o.arguments} {o.left}"[:900]
        for (name, text), o in zip(texts.items(), (native, ours), strict=True)
    }


def is_rounded(native: Outcome) -> bool:
    """True where arrays hold floats beyond the exact integers: the order of a sum decides on `x % 10`."""
    if native.raised is not None or not isinstance(native.arguments, (list, tuple)):
        return False
    floats = [np.asarray(one) for one in native.arguments if isinstance(one, list) and one]
    return any(one.dtype.kind == "f" and np.max(np.abs(one)) > 2.0**53 for one in floats)


def is_of_floats(text: str, at: int, way: str, ours: Outcome, native: Outcome) -> bool:
    """True where last bits of floats, or a graph's quotients by zero, make the difference."""
    return is_unstable(text, at, ours, native) or (way != "converted" and handles_division(text, at))


def is_unstable(text: str, at: int, ours: Outcome, native: Outcome) -> bool:
    """True where four digits agree and last bits of an argument or of `math.exp` change more than that."""
    if not agrees(_to_four(ours), _to_four(native), "native"):
        return False
    with mock.patch.object(math, "exp", lambda x, exp=math.exp: _moved(exp(x))):
        moved = list(outcomes(text, "native", _moved))[at]
    return agrees(_to_four(moved), _to_four(native), "native") and not agrees(moved, native, "native")


def handles_division(text: str, at: int) -> bool:
    """True where Python divides a float by zero in a call, under a handler of the program or not."""
    divided: list[bool] = []

    def trace(_frame: types.FrameType, event: str, raised: Any) -> Any:
        if event == "exception":
            divided.append(issubclass(raised[0], ZeroDivisionError) and str(raised[1]).startswith("float"))
        return trace

    sys.settrace(trace)
    try:
        calls = outcomes(text, "native", lambda value: value)
        for _ in range(at + 1):
            divided.clear()
            next(calls)
    finally:
        sys.settrace(None)
    return any(divided)


def _moved(value: Any) -> Any:
    """The floats in a value, some last bits further."""
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(item) for item in value)
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value * (1 + 2.0**-50) if is_array or isinstance(value, float) else value


def _to_four(value: Any) -> Any:
    """An outcome, or a value of one, with its floats to four digits."""
    if isinstance(value, Outcome):
        parts = [_to_four(part) for part in (value.value, value.arguments, value.left)]
        printed = NUMBER.sub(lambda number: str(_to_four(float(number[0]))), value.printed)
        return replace(value, value=parts[0], arguments=parts[1], left=parts[2], printed=printed)
    if isinstance(value, (list, tuple)):
        return type(value)(_to_four(item) for item in value)
    if isinstance(value, dict):
        return {key: _to_four(item) for key, item in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def compared(way: str, ours: Outcome, native: Outcome, other: Outcome) -> Verdict:
    """The verdict of one call."""
    report = told(ours, native)
    for one in (native, other):
        if agrees(ours, one, way):
            return Verdict(way, "agrees")
    if ours.raised is None and any(widened(ours, one, way) for one in (native, other)):
        return Verdict(way, "widened", **report)
    if ours.raised is None and (divides(native) or is_rounded(native)):
        return Verdict(way, "ieee", **report)
    if ours.raised is None and native.raised == "RecursionError":
        # Calls of the graph go as deep as memory allows, and those whose result nobody reads are not made.
        return Verdict(way, "ieee", **report)
    if ours.raised is None:
        return Verdict(way, "disagrees", **report)
    if "GW-PANIC" in ours.message or "InternalError" in ours.message or "broke a rule" in ours.message:
        return Verdict(way, "crashes", where=ours.where or "", **report)
    code = REFUSAL.match(ours.message)
    if ours.where is None:
        return Verdict(way, "unlocated", code[1] if code else ours.raised, **report)
    if way == "converted" and not (code and code[1] == "GW001"):
        return Verdict(way, "disagrees", ours.raised, **report)
    if divides(native):
        # A graph's quotient is not a number, and what comes behind it may raise.
        return Verdict(way, "ieee", ours.raised, **report)
    if code or ours.raised == "OverflowError" or any(limit in ours.message for limit in LIMITS):
        return Verdict(way, "refused", code[1] if code else ours.raised, **report)
    # An error that is known while tracing is raised before those of the graph.
    first = native.raised is not None and not ours.cached
    if first or any(part in ours.message for part in BUILT) or "an int is needed" in ours.message:
        return Verdict(way, "uncoded", ours.raised, **report)
    return Verdict(way, "disagrees", ours.raised, **report)
