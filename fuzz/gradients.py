"""Derivatives of random programs against finite differences of plain Python: `python -m fuzz.gradients`.

The programs are the fuzzer's own, with every argument a tensor: one that is given, one that a graph closes
over, or a variable, with the tape in the graph or around it. What they give that is a float is summed with
weights. A derivative is compared where two steps of different length, and both sides, say the same: elsewhere
the program jumps. With `--arrays` they are those of `array_gradients`, which store into arrays.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import graphwright as gw

from . import array_gradients
from .oracle import EndlessError, kind, limited, silent, tensor
from .programs import Program, program
from .writer import Choices

FLOATS = (3, 4, 7, 8)
"""The parameters that are floats: `g`, `h`, `ws`, `grid`."""
NEAR, FAR = 1e-6, 4e-6
RECORD = Path(__file__).parent / "GRADIENTS.md"
Arguments = list[Any]


def smooth(source: random.Random, arguments: tuple[Any, ...]) -> Arguments:
    """The arguments with ordinary floats in place of infinities and the like."""
    chosen = list(arguments)
    for at in FLOATS:
        shape = np.shape(chosen[at])
        numbers = np.array([source.uniform(0.3, 1.7) for _ in range(math.prod(shape))]).reshape(shape)
        chosen[at] = numbers if shape else float(numbers)
    return chosen


def floats(result: Any) -> Iterator[Any]:
    """The floats among what a program gives, in order."""
    if isinstance(result, (tuple, list)):
        for item in result:
            yield from floats(item)
    elif isinstance(result, float) or getattr(result, "dtype", None) in (gw.float64, np.float64):
        yield result


def total(result: Any, add: Callable[[Any], Any]) -> Any:
    """The floats that a program gives, summed with weights."""
    return sum(add(one) * (0.5 + 0.25 * at) for at, one in enumerate(floats(result)))


def natively(call: Callable[..., Any], subject: Program, arguments: Arguments) -> float:
    """What plain Python gives."""
    with np.errstate(all="ignore"), silent(), limited():
        return float(total(call(*subject.fresh(tuple(arguments))), np.sum))


def moved(arguments: Arguments, at: int, index: tuple[int, ...], by: float) -> Arguments:
    """The arguments with one float changed."""
    changed = list(arguments)
    if index:
        changed[at] = changed[at].copy()
        changed[at][index] += by
    else:
        changed[at] = float(changed[at] + by)
    return changed


def slope(value: Callable[[Arguments], float], arguments: Arguments, at: int, index: Any) -> float | None:
    """The derivative by one float; none where the program jumps or bends."""
    here = value(arguments)
    ends = {by: value(moved(arguments, at, index, by)) for by in (-FAR, -NEAR, NEAR, FAR)}
    near = (ends[NEAR] - ends[-NEAR]) / (2 * NEAR)
    others = [(ends[FAR] - ends[-FAR]) / (2 * FAR), (ends[NEAR] - here) / NEAR, (here - ends[-NEAR]) / NEAR]
    scale = max(1.0, abs(near))
    is_smooth = math.isfinite(near) and all(abs(near - other) <= 1e-3 * scale for other in others)
    return others[0] if is_smooth and abs(here) < 1e6 else None


def _summed(call: Callable[..., Any], given: Arguments) -> Any:
    return total(gw.autograph.to_graph(call)(*given), gw.reduce_sum)


def _slopes(tape: gw.GradientTape, summed: Any, sources: Arguments) -> Any:
    return tape.gradient(summed, sources, unconnected_gradients="zero")


def _others(given: Arguments) -> Arguments:
    """The arguments that have no derivatives."""
    return [one for at, one in enumerate(given) if at not in FLOATS]


def _with(others: Any, floats: Arguments) -> Arguments:
    """All arguments, in order."""
    rest, own = iter(others), iter(floats)
    return [next(own) if at in FLOATS else next(rest) for at in range(len(others) + len(floats))]


def given_inside(call: Callable[..., Any], given: Arguments) -> Any:
    """A graph with a tape, which is given the floats."""

    @gw.function(autograph=False)
    def whole(*given: Any) -> Any:
        watched = [given[at] for at in FLOATS]
        with gw.GradientTape() as tape:
            tape.watch(watched)
            summed = _summed(call, list(given))
        return _slopes(tape, summed, watched)

    return whole(*given)


def closed_around(call: Callable[..., Any], given: Arguments) -> Any:
    """A tape around a graph that closes over the floats."""
    floats = [given[at] for at in FLOATS]
    whole = gw.function(lambda *others: _summed(call, _with(others, floats)), autograph=False)
    with gw.GradientTape() as tape:
        tape.watch(floats)
        summed = whole(*_others(given))
    return _slopes(tape, summed, floats)


def closed_inside(call: Callable[..., Any], given: Arguments) -> Any:
    """A graph with a tape that closes over the floats."""
    floats = [given[at] for at in FLOATS]

    @gw.function(autograph=False)
    def whole(*others: Any) -> Any:
        with gw.GradientTape() as tape:
            tape.watch(floats)
            summed = _summed(call, _with(others, floats))
        return _slopes(tape, summed, floats)

    return whole(*_others(given))


def variables_around(call: Callable[..., Any], given: Arguments) -> Any:
    """A tape around a graph that reads variables, wherever it uses them."""
    floats = [gw.Variable(given[at]) for at in FLOATS]
    whole = gw.function(lambda *others: _summed(call, _with(others, floats)), autograph=False)
    with gw.GradientTape() as tape:
        summed = whole(*_others(given))
    return _slopes(tape, summed, floats)


def variables_inside(call: Callable[..., Any], given: Arguments) -> Any:
    """A graph with a tape that reads variables, wherever it uses them."""
    floats = [gw.Variable(given[at]) for at in FLOATS]

    @gw.function(autograph=False)
    def whole(*others: Any) -> Any:
        with gw.GradientTape() as tape:
            summed = _summed(call, _with(others, floats))
        return _slopes(tape, summed, floats)

    return whole(*_others(given))


def called_inside(call: Callable[..., Any], given: Arguments) -> Any:
    """A tape around a branch in a loop that calls another graph, which closes over the floats."""
    floats = [given[at] for at in FLOATS]
    inner = gw.function(lambda *others: _summed(call, _with(others, floats)), autograph=False)

    @gw.function
    def whole(*others: Any) -> Any:
        summed = gw.zeros([], gw.float64)
        with gw.GradientTape() as tape:
            tape.watch(floats)
            for turn in gw.range(2):
                if turn > 0:
                    summed = summed + inner(*others)
        return _slopes(tape, summed, floats)

    return whole(*_others(given))


WAYS = (given_inside, closed_around, closed_inside, variables_around, variables_inside, called_inside)


def turned(value: Any) -> Any:
    """An array as the transposed one of another."""
    return np.ascontiguousarray(value.T).T if isinstance(value, np.ndarray) and value.ndim == 2 else value


def derivatives(way: Callable[..., Any], call: Callable[..., Any], arguments: Arguments) -> list[Any]:
    """The derivatives by the floats that one way gives."""
    with silent(), limited():
        return [found.numpy() for found in way(call, [tensor(turned(one)) for one in arguments])]


class WrongError(AssertionError):
    """A derivative is not that of the program."""


@dataclass
class Found:
    """What came of one program."""

    compared: int = 0
    """Derivatives that were compared and are not zero."""
    skipped: str = ""
    """Why none were."""


def judge(subject: Program, source: random.Random) -> Found:
    """Compares the derivatives of a program; `WrongError` if one is wrong."""
    arguments = smooth(source, subject.arguments)
    call = subject.function()
    try:
        natively(call, subject, arguments)
    except (Exception, EndlessError) as error:
        return Found(skipped=f"Python raises {kind(error)}")
    way = source.choice(WAYS)
    try:
        ours = derivatives(way, call, arguments)
    except (Exception, EndlessError) as error:
        return Found(skipped=f"refused: {str(error)[:5]}")
    compared = 0
    for at, slopes in zip(FLOATS, ours, strict=True):
        for index in np.ndindex(np.shape(slopes)):
            wanted = slope(lambda a: natively(call, subject, a), arguments, at, index)
            got = float(slopes[index])
            if wanted is None:
                continue
            if not math.isclose(got, wanted, rel_tol=1e-3, abs_tol=1e-4):
                raise WrongError(
                    f"{way.__name__}, by argument {at}, element {index}: {got}, not {wanted}, "
                    f"at {arguments}\n{subject.text}"
                )
            compared += wanted != 0
    return Found(compared, "" if compared else "nothing depends on the floats")


def run(seed: int, most: int) -> tuple[int, Counter[str]]:
    """Compares the derivatives of so many programs.

    Gives how many were made, and why the others were not compared.
    """
    source = random.Random(seed)
    made, done, skipped = 0, 0, Counter[str]()
    while done < most:
        subject = program(Choices(source.randint))
        found = judge(subject, source)
        subject.forget()
        made += 1
        done += found.compared > 0
        skipped.update([found.skipped] if found.skipped else [])
    return made, skipped


def main() -> None:
    """Prints what was compared."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.gradients", description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arrays", action="store_true", help="programs that store into arrays")
    parser.add_argument("--processes", type=int, default=1, help="how many run at once, of those")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}, of those")
    chosen = parser.parse_args()
    if chosen.arrays:
        return of_arrays(chosen)
    made, skipped = run(chosen.seed, chosen.programs)
    print(f"{chosen.programs} of {made} programs have derivatives, and all of them are right")
    for reason, count in skipped.most_common():
        print(f"{count:6} {reason}")


def of_arrays(chosen: argparse.Namespace) -> None:
    """The same of programs that store into arrays."""
    for record in array_gradients.run_in_batches(chosen.seed, chosen.programs, chosen.processes):
        if chosen.record:
            RECORD.write_text(record.text(chosen.seed))
    if not chosen.record:
        print(record.text(chosen.seed))
    sys.exit(bool(record.wrong))


if __name__ == "__main__":
    main()
