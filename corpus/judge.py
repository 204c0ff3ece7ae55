"""The judge is plain Python: what came of a function's examples in each way of staging them.

Classes, the worst first:

- `disagrees`: another value, exception or text than plain Python's;
- `hangs`: plain Python has an answer at once, and this way has none in time;
- `crashes`: the process ends, or an error is Graphwright's own;
- `unlocated`: an error without a line of the program;
- `refused`: a diagnostic with its code and line, or `OverflowError` where an integer leaves its dtype;
- `uncoded`: an error with a line of the program, without a code;
- `guarded`: the program's own `raise` refuses a tensor;
- `ieee`: a float is divided by zero, which gives an infinity or NaN (`docs/design/011-…`);
- `apart`: the function looks at what its argument is, and answers for a tensor;
- `widened`: the same numbers, but a bool or int of one branch of the wider type that the other gives;
- `agrees`.
"""

from __future__ import annotations

import contextlib
import copy
import io
import linecache
import random
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import graphwright as gw

from .alike import alike
from .killable import Send, allow
from .packages import load
from .takes import taken
from .values import WAYS, plain, read, same, ways

ORDER = (
    "disagrees",
    "hangs",
    "crashes",
    "unlocated",
    "refused",
    "uncoded",
    "guarded",
    "ieee",
    "apart",
    "widened",
    "agrees",
)
LIMIT = 8
"""Seconds of computing for one call in one way; plain Python gets two."""
STEADY = 6
"""Calls that have to give the same: what draws from the system's randomness cannot be compared."""
LOTS = 16
"""Calls among which an answer has to be that plain Python did not give at first."""
REFUSAL = re.compile(r"(GW\d\d\d):")
OURS = (str(Path(gw.__file__).parent), str(Path(__file__).parent / "judge.py"))


@dataclass(frozen=True)
class Outcome:
    """The value or exception of a call, with its effects."""

    value: Any
    arguments: Any
    """The arguments after the call."""
    raised: str | None = None
    message: str = ""
    where: str | None = None
    """File and line of the program's innermost frame."""
    own: bool = False
    """True where that line is a `raise` or `assert` of the program."""
    printed: str = ""
    left: Any = None
    """The state around the function after the call."""
    cached: bool = False
    """True where an earlier trace answered: constant effects happen only while tracing."""

    def brief(self) -> str:
        """One line for a report."""
        done = f"{self.raised} at {self.where}: {self.message}" if self.raised else repr(self.value)
        return f"{done}, prints {self.printed!r}" if self.printed else done


@dataclass(frozen=True)
class Verdict:
    """The class of a function in one way, with the example that shows it."""

    way: str
    verdict: str
    code: str = ""
    where: str = ""
    example: str = ""
    native: str = ""
    ours: str = ""


def call(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Outcome:
    """Calls and looks; what is random begins alike each time."""
    random.seed(7)
    np.random.seed(7)
    stream = io.StringIO()
    with (
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            value = plain(function(*arguments, **keywords))
        except (Exception, SystemExit) as error:
            return failed(error, stream.getvalue())
        except BaseException as error:
            return Outcome(None, None, type(error).__name__, f"GW-PANIC {error}"[:600])
    return Outcome(value, plain(arguments), printed=stream.getvalue())


def failed(error: BaseException, printed: str) -> Outcome:
    """The outcome of an exception."""
    base = next(b.__name__ for b in type(error).__mro__ if b.__module__ == "builtins")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((*OURS, "<"))]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else None
    message = "\n".join([str(error), *getattr(error, "__notes__", ())])
    if where is None and (found := re.search(r"--> (.*?:\d+)", message)):
        where = found[1]
    source = linecache.getline(frames[-1].filename, frames[-1].lineno or 0) if frames else ""
    return Outcome(
        None, None, base, message[:600], where, source.strip().startswith(("raise", "assert")), printed
    )


def looked(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Outcome:
    """Calls a function of Graphwright, and looks whether it is traced."""
    count = getattr(function, "experimental_get_tracing_count", lambda: 0)
    before = count()
    outcome = call(function, arguments, keywords)
    return replace(outcome, cached=before == count() and before > 0)


def staged(way: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as this way calls it."""
    return gw.autograph.to_graph(function) if way == "converted" else gw.function(function)


def judge(module: str, name: str, examples: list[str], done: set[str], send: Send) -> None:
    """Sends a verdict for each way that is not done yet, before it `{"begins": way}`."""
    allow(2 * LIMIT)
    function = getattr(load(module), name)
    function = taken(function, iterator=_gives_iterator(function, examples))
    natives = {}
    for text in examples:
        allow(2)
        send({"begins": "native", "example": text})
        arguments, keywords = read(text)
        found = [call(function, *copy.deepcopy((arguments, keywords))) for _ in range(STEADY)]
        if len(set(map(repr, found))) == 1 and _comparable(found[0]):
            natives[text] = (arguments, keywords, found[0])
    wanted = {way for arguments, _, _ in natives.values() for way in ways(arguments)}
    for way in (w for w in WAYS if w in wanted and w not in done):
        send(asdict(_worst(_verdicts(way, function, natives, send))))


def _gives_iterator(function: Callable[..., Any], examples: list[str]) -> bool:
    with contextlib.suppress(Exception, SystemExit), contextlib.redirect_stdout(io.StringIO()):
        arguments, keywords = read(examples[0])
        return isinstance(function(*arguments, **keywords), Iterator)
    return False


def _comparable(outcome: Outcome) -> bool:
    """Objects are told apart by their address, which says nothing."""
    return outcome.raised is not None or not re.search(r" at 0x|id=\d", repr(outcome.value))


def _worst(verdicts: Iterator[Verdict]) -> Verdict:
    return min(verdicts, key=lambda v: ORDER.index(v.verdict))


def _verdicts(
    way: str, function: Callable[..., Any], natives: dict[str, Any], send: Send
) -> Iterator[Verdict]:
    call_staged = None
    for text, (arguments, keywords, native) in natives.items():
        if way not in ways(arguments):
            continue
        send({"begins": way, "example": text})
        allow(LIMIT)
        if call_staged is None:
            try:
                call_staged = staged(way, function)
            except Exception as error:
                yield compared(way, text, failed(error, ""), [native])
                return
        expected = [native]
        if way == "arrays":
            with np.errstate(all="ignore"):
                expected.append(call(function, _as_arrays(arguments), copy.deepcopy(keywords)))
        for _ in range(2):
            given, given_keywords = copy.deepcopy((arguments, keywords))
            ours = looked(call_staged, WAYS[way](given), given_keywords)
            verdict = compared(way, text, ours, expected)
            if verdict.verdict == "disagrees":
                # State that a function keeps may differ by now, and lots that it drew may all be the same.
                again = [call(function, *copy.deepcopy((arguments, keywords))) for _ in range(LOTS)]
                verdict = compared(way, text, ours, [*expected, *again])
            if (
                verdict.verdict == "disagrees"
                and way != "converted"
                and _apart(way, function, ours, natives[text])
            ):
                verdict = replace(verdict, verdict="apart")
            yield verdict


def _apart(way: str, function: Callable[..., Any], ours: Outcome, asked: Any) -> bool:
    """True where Python answers so for numbers not of its types, or for tensors outside of arithmetic.

    Numbers that are wrong without a graph too are not apart.
    """
    arguments, keywords, native = copy.deepcopy(asked)
    if "Tensor" in repr(ours.value) + ours.printed:
        return True
    allow(4)
    if agrees(ours, call(function, [alike(a, way) for a in arguments], keywords), way):
        return True
    eager = call(function, WAYS[way](arguments), copy.deepcopy(keywords))
    asks = way == "texts" or isinstance(native.value, str) or native.raised in ("TypeError", "AttributeError")
    return asks and agrees(ours, eager, way)


def _as_arrays(arguments: list[Any]) -> list[Any]:
    return [np.array(a) if way_is_array(a) else copy.deepcopy(a) for a in arguments]


def way_is_array(value: Any) -> bool:
    """True where the way `arrays` stages this argument."""
    return "arrays" in ways([value])


def compared(way: str, example: str, ours: Outcome, expected: list[Outcome]) -> Verdict:
    """The class of one call; plain Python may do any of what is expected."""
    told = {
        "example": example,
        "native": " or ".join(e.brief() for e in expected)[:800],
        "ours": ours.brief()[:800],
    }
    if any(agrees(ours, native, way) for native in expected):
        return Verdict(way, "agrees")
    where = ours.where or ""
    if ours.raised is None and any(widened(ours, native, way) for native in expected):
        return Verdict(way, "widened", **told)
    if ours.raised is None and any(map(divides, expected)):
        return Verdict(way, "ieee", **told)
    if ours.raised is None:
        return Verdict(way, "disagrees", **told)
    if "GW-PANIC" in ours.message or "InternalError" in ours.message or "broke a rule" in ours.message:
        return Verdict(way, "crashes", where=where, **told)
    code = REFUSAL.match(ours.message)
    if ours.where is None:
        return Verdict(way, "unlocated", code[1] if code else ours.raised, **told)
    if code or ours.raised == "OverflowError":
        return Verdict(way, "refused", code[1] if code else ours.raised, where, **told)
    if way == "converted":
        return Verdict(way, "disagrees", ours.raised, where, **told)
    if ours.own:
        return Verdict(way, "guarded", ours.raised, where, **told)
    return Verdict(way, "uncoded", ours.raised, where, **told)


def _printed(ours: Outcome, native: Outcome) -> bool:
    """The same lines: what no tensor is in is printed earlier, and only while a call is traced."""
    left = _to_fifteen(native.printed).split("\n")
    for line in _to_fifteen(ours.printed).split("\n"):
        if line not in left:
            return False
        left.remove(line)
    return ours.cached or not left


def _to_fifteen(text: str) -> str:
    """A text with its floats to fifteen digits: the last bit of `exp` is no library's promise."""
    return re.sub(r"\d+\.\d{14,}(e[-+]?\d+)?", lambda found: f"{float(found[0]):.15g}", text)


def divides(native: Outcome) -> bool:
    """True where Python divides a float by zero."""
    return native.raised == "ZeroDivisionError" and native.message.startswith("float")


def widened(ours: Outcome, native: Outcome, way: str) -> bool:
    """The same but for the types of numbers."""
    return agrees(_widest(ours), _widest(native), way, types=False)


def _widest(outcome: Outcome) -> Outcome:
    """The outcome with texts of numbers as their widest type prints them."""
    printed = re.sub(r"(\d)\.0\b", r"\1", outcome.printed.replace("True", "1").replace("False", "0"))
    return replace(outcome, printed=printed)


def agrees(ours: Outcome, native: Outcome, way: str, *, types: bool = True) -> bool:
    """The same value or exception, the same text, and the same left of the arguments."""
    printed = _printed(ours, native)
    if native.raised is not None or ours.raised is not None:
        return ours.raised == native.raised and printed
    return (
        printed
        and (ours.cached or same(ours.left, native.left, types=types))
        and same(ours.value, native.value, types=types)
        and (way == "arrays" or same(ours.arguments, native.arguments, types=types))
    )
