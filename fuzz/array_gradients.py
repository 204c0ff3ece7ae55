"""Derivatives of random programs over arrays against finite differences of plain Python and against JAX.

A derivative is asked in one of many ways. It is compared with finite differences where the program does not
jump or bend; for some programs with JAX, too, to more digits, and so are second derivatives.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np

import graphwright as gw

from . import array_ways, standins
from .array_stores import SHAPES, ArrayProgram, array_program
from .oracle import REFUSAL, EndlessError, kind, limited, silent
from .writer import Choices

NEAR, FAR = 1e-6, 4e-6
BATCH = 200
"""Programs per process: each leaves its graphs behind."""
JAX_SHARE = 0.1
"""So many of the programs are run by JAX, which takes most of the time."""
Floats = list[Any]
Call = Callable[..., Any]


class WrongError(AssertionError):
    """A derivative is not that of the program."""


@dataclass
class Found:
    """What came of one program."""

    way: str
    compared: int = 0
    """Derivatives that were compared and are not zero."""
    by_jax: bool = False
    """Whether JAX was asked."""
    skipped: str = ""
    """Why none were."""


@dataclass
class Judge:
    """One program, one way, and the right answers."""

    subject: ArrayProgram
    way: Callable[..., Any]
    twice: bool
    floats: Floats
    tangents: Floats
    jax: Any = None
    """JAX's functions; none where it is not there."""
    _calls: dict[str, Call] = field(default_factory=dict)

    def call(self, name: str, functions: Any) -> Call:
        """The program with these functions, called once or twice."""
        if name not in self._calls:
            call = self.subject.function(functions)
            self._calls[name] = array_ways.called_twice(call) if self.twice else call
        return self._calls[name]

    def value(self, floats: Floats) -> float:
        """What plain Python gives."""
        given = [np.array(one) if np.ndim(one) else np.float64(one) for one in floats]
        with np.errstate(all="ignore"):
            total = self.call("numpy", standins.NUMPY)(*given, self.subject.turns)
            if self.way is array_ways.captured_too:
                total = total + np.sum(np.cumsum(floats[0]) * floats[1])
        return float(total)

    def slope(self, at: int, index: tuple[int, ...]) -> float | None:
        """The derivative by one float by finite differences; none where the program jumps or bends."""
        here = self.value(self.floats)

        def end(by: float) -> float:
            moved = list(self.floats)
            moved[at] = np.array(moved[at], np.float64)
            moved[at][index] += by
            return self.value(moved)

        ends = {by: end(by) for by in (-FAR, -NEAR, NEAR, FAR)}
        near = (ends[NEAR] - ends[-NEAR]) / (2 * NEAR)
        others = [
            (ends[FAR] - ends[-FAR]) / (2 * FAR),
            (ends[NEAR] - here) / NEAR,
            (here - ends[-NEAR]) / NEAR,
        ]
        scale = max(1.0, abs(near))
        is_smooth = math.isfinite(near) and all(abs(near - other) <= 1e-3 * scale for other in others)
        return others[0] if is_smooth and abs(here) < 1e6 else None

    def by_jax(self) -> list[Any] | None:
        """The derivatives that JAX gives; none where it is not there."""
        if self.jax is None:
            return None
        import jax

        def total(*floats: Any) -> Any:
            boxes = [standins.Box(one) for one in floats]
            found = self.call("jax", self.jax)(*boxes, self.subject.turns)
            found = standins.unboxed(found)
            if self.way is array_ways.captured_too:
                found = found + jax.numpy.sum(jax.numpy.cumsum(floats[0]) * floats[1])
            return found

        given = [jax.numpy.asarray(one) for one in self.floats]
        if self.way is array_ways.second:
            tangents = [jax.numpy.asarray(one) for one in self.tangents]
            return list(jax.grad(lambda *f: jax.jvp(total, f, tuple(tangents))[1], (0, 1, 2, 3))(*given))
        return list(jax.grad(total, (0, 1, 2, 3))(*given))

    def ours(self) -> Any:
        """The derivatives by the way that is judged."""
        wide = lambda floats: [gw.constant(one, gw.float64) for one in floats]  # noqa: E731
        call, turns = self.call("gw", gw), gw.constant(self.subject.turns, gw.int64)
        more = [wide(self.tangents)] if self.way in (array_ways.along, array_ways.second) else []
        found = self.way(call, wide(self.floats), turns, *more)
        return found.numpy() if isinstance(found, gw.Tensor) else [one.numpy() for one in found]

    def compare(self, ours: Any) -> int:
        """How many of the derivatives are right and not zero; `WrongError` if one is wrong."""
        theirs = self.by_jax()
        if self.way is array_ways.second:
            return self._compare_all(ours, theirs, None) if theirs else 0
        wanted = [np.full(shape, np.nan) for shape in SHAPES]
        for at, shape in enumerate(SHAPES):
            for index in np.ndindex(shape):
                slope = self.slope(at, index)
                wanted[at][index] = np.nan if slope is None else slope
        if self.way is array_ways.along:
            wanted = [np.asarray(sum(np.sum(w * t) for w, t in zip(wanted, self.tangents, strict=True)))]
            if theirs:
                theirs = [sum(np.sum(j * t) for j, t in zip(theirs, self.tangents, strict=True))]
            ours = [ours]
        return self._compare_all(ours, theirs, wanted)

    def _compare_all(self, ours: Any, theirs: Any, wanted: Any) -> int:
        compared = 0
        for at, found in enumerate(ours):
            for index in np.ndindex(np.shape(found)):
                got, differences = float(found[index]), None
                if wanted is not None:
                    differences = float(wanted[at][index])
                    if math.isnan(differences):
                        continue
                    if not math.isclose(got, differences, rel_tol=1e-3, abs_tol=1e-4):
                        raise self._wrong(at, index, got, differences, "finite differences")
                if theirs is not None:
                    exact = float(theirs[at][index])
                    # JAX shares a derivative among equal operands of `maximum`: differences say who is right.
                    fits = differences is None or math.isclose(exact, differences, rel_tol=1e-3, abs_tol=1e-4)
                    if fits and not math.isclose(got, exact, rel_tol=1e-6, abs_tol=1e-8):
                        raise self._wrong(at, index, got, exact, "JAX")
                compared += got != 0
        return compared

    def _wrong(self, at: int, index: tuple[int, ...], got: float, wanted: float, whose: str) -> WrongError:
        times = ", called twice" if self.twice else ""
        return WrongError(
            f"{self.way.__name__}{times}, by element {index} of argument {at}: {got}, not {wanted} "
            f"as {whose} say, n = {self.subject.turns}, at {self.floats}\n{self.subject.text}"
        )


def judge(subject: ArrayProgram, source: random.Random, jax: Any) -> Found:
    """Compares the derivatives of a program in one way; `WrongError` if one is wrong."""
    random_floats = lambda: [  # noqa: E731
        np.array([source.uniform(0.3, 1.7) for _ in range(math.prod(shape))]).reshape(shape)
        for shape in SHAPES
    ]
    ways = [*array_ways.WAYS, array_ways.captured_too, array_ways.along]
    ways += [array_ways.second] if jax else []
    way = source.choice(ways)
    twice = source.random() < 0.15 and way is not array_ways.second
    asks_jax = source.random() < JAX_SHARE or way is array_ways.second
    one = Judge(subject, way, twice, random_floats(), random_floats(), jax if asks_jax else None)
    name = way.__name__
    try:
        with limited():
            one.value(one.floats)
    except (Exception, EndlessError) as error:
        return Found(name, skipped=f"Python raises {kind(error)}")
    try:
        with silent(), limited():
            ours = one.ours()
    except (Exception, EndlessError) as error:
        return Found(name, skipped=_refusal(subject, error))
    with silent():
        compared = one.compare(ours)
    skipped = "" if compared else "nothing is smooth or depends on the floats"
    return Found(name, compared, one.jax is not None, skipped)


def _refusal(subject: ArrayProgram, error: BaseException) -> str:
    """How the program was refused; an error without code and line is none."""
    code = REFUSAL.search(str(error))
    if code is None and not isinstance(error, EndlessError):
        raise WrongError(f"{kind(error)}: {error}\n{subject.text}") from error
    return f"refused: {code[0]}" if code else "took too long"


@dataclass
class Record:
    """What was judged and what came of it."""

    made: int = 0
    by_jax: int = 0
    """Programs whose derivatives were compared with JAX's, too."""
    right: Counter[str] = field(default_factory=Counter)
    """Programs with derivatives, all of which are right, by way."""
    skipped: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, found: Found) -> None:
        """Counts a program."""
        self.right.update([found.way] if found.compared else [])
        self.by_jax += found.compared > 0 and found.by_jax
        self.skipped.update([found.skipped] if found.skipped else [])

    def merge(self, other: Record) -> None:
        """Adds another one."""
        self.made += other.made
        self.by_jax += other.by_jax
        self.right.update(other.right)
        self.skipped.update(other.skipped)
        self.wrong += other.wrong

    def text(self, seed: int) -> str:
        """The record, as Markdown."""
        command = f"python -m fuzz.gradients --arrays --programs {self.made} --seed {seed}"
        wrong = "\n".join(f"```\n{one}\n```" for one in self.wrong) or "None."
        return f"""\
# The recorded run of derivatives

`{command}` with graphwright {gw.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}:
{self.made:,} programs that store into arrays, each derived in one way at random floats.

Where plain Python does not jump or bend, each derivative has to be that of finite differences, to a
thousandth; {self.by_jax:,} programs were run by JAX, too, and have to agree to a millionth. Or the program is
refused with its line.

- {self.right.total():,} programs have derivatives, and all of them are right.
- {self.skipped.total():,} were not compared.
- {len(self.wrong)} are wrong.

## Wrong derivatives

{wrong}

## Right ones, by the way in which they were asked

{_table("way", self.right)}

## Why the others were not compared

{_table("reason", self.skipped)}
"""


def _table(head: str, counts: Counter[str]) -> str:
    rows = "\n".join(f"| {name} | {count:,} |" for name, count in counts.most_common())
    return f"| {head} | programs |\n|---|---|\n{rows}"


def run(seed: int, most: int, jax: Any = None) -> Record:
    """Judges so many programs; `WrongError` if a derivative is wrong."""
    record = Record()
    for number in range(most):
        record.made += 1
        record.add(judged(seed + number, jax))
    return record


def judged(seed: int, jax: Any) -> Found:
    """Judges the program of this seed."""
    source = random.Random(seed)
    subject = array_program(Choices(source.randint))
    try:
        return judge(subject, source, jax)
    finally:
        subject.forget()


def batch(seed: int, most: int) -> Record:
    """Judges so many programs, with JAX, and goes on after one that is wrong."""
    import jax

    jax.config.update("jax_enable_x64", True)
    functions, record = standins.of_jax(), Record(most)
    for number in range(most):
        try:
            record.add(judged(seed + number, functions))
        except WrongError as error:
            record.wrong.append(f"seed {seed + number}: {error}")
            print(record.wrong[-1], flush=True)
    return record


def run_in_batches(seed: int, most: int, processes: int) -> Iterator[Record]:
    """Judges so many programs in several processes at once; gives the record so far after each batch."""
    record = Record()
    with ProcessPoolExecutor(processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        begun = [
            pool.submit(batch, seed + first, min(BATCH, most - first)) for first in range(0, most, BATCH)
        ]
        for done in as_completed(begun):
            record.merge(done.result())
            right, wrong = record.right.total(), len(record.wrong)
            print(f"{record.made} programs, {right} right, {wrong} wrong", flush=True)
            yield record
