"""Derivatives of random programs over arrays, in each way in which they can be asked, against finite differences of plain
Python and against JAX.

A derivative is compared with finite differences where the program does not jump or bend; with JAX there too, to more digits.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import graphwright as gw

from . import array_ways, standins
from .arrays import SHAPES, ArrayProgram, array_program
from .oracle import REFUSAL, EndlessError, kind, limited, silent
from .writer import Choices

NEAR, FAR = 1e-6, 4e-6
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
        """The program with these functions, of which another call follows the first if it is to be called twice."""
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
                    fits = differences is None or math.isclose(
                        exact, differences, rel_tol=1e-3, abs_tol=1e-4
                    )
                    if fits and not math.isclose(got, exact, rel_tol=1e-6, abs_tol=1e-8):
                        raise self._wrong(at, index, got, exact, "JAX")
                compared += got != 0
        return compared

    def _wrong(self, at: int, index: tuple[int, ...], got: float, wanted: float, whose: str) -> WrongError:
        times = ", called twice" if self.twice else ""
        return WrongError(
            f"{self.way.__name__}{times}, by argument {at}, element {index}: {got}, not {wanted} as {whose} say, "
            f"n = {self.subject.turns}, at {self.floats}\n{self.subject.text}"
        )


def judge(subject: ArrayProgram, source: random.Random, jax: Any) -> Found:
    """Compares the derivatives of a program in one way; `WrongError` if one is wrong."""
    random_floats = lambda: [  # noqa: E731
        np.array([source.uniform(0.3, 1.7) for _ in range(math.prod(shape))]).reshape(shape) for shape in SHAPES
    ]
    ways = [*array_ways.WAYS, array_ways.captured_too, array_ways.along]
    ways += [array_ways.second] if jax else []
    way = source.choice(ways)
    twice = source.random() < 0.15 and way is not array_ways.second
    one = Judge(subject, way, twice, random_floats(), random_floats(), jax)
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
    return Found(name, compared, "" if compared else "nothing is smooth or depends on the floats")


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
    right: Counter[str] = field(default_factory=Counter)
    """Programs with derivatives, all of which are right, by way."""
    skipped: Counter[str] = field(default_factory=Counter)

    def merge(self, other: Record) -> None:
        """Adds another one."""
        self.made += other.made
        self.right.update(other.right)
        self.skipped.update(other.skipped)


def run(seed: int, most: int, jax: Any = None) -> Record:
    """Judges programs until so many have derivatives that were compared."""
    source = random.Random(seed)
    record = Record()
    while record.right.total() < most:
        subject = array_program(Choices(source.randint))
        found = judge(subject, source, jax)
        subject.forget()
        record.made += 1
        record.right.update([found.way] if found.compared else [])
        record.skipped.update([found.skipped] if found.skipped else [])
    return record
