"""Random programs over arrays of all integer dtypes and halves: NumPy, eagerly, and in graphs that run twice."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import graphwright as gw

PROGRAMS = int(os.environ.get("NARROW_PROGRAMS", "160"))
GROUPS = 8
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
STATEMENTS = (
    "{a} = {a} + {b}",
    "{a} = {a} - {b}",
    "{a} = {a} * {b}",
    "{a} = {a} // np.where({b} == 0, np.ones_like({b}), {b})",
    "{a} = {a} % np.where({b} == 0, np.ones_like({b}), {b})",
    "{a} = {a} & {b}",
    "{a} = {a} | {b}",
    "{a} = {a} ^ {b}",
    "{a} = ~{a}",
    "{a} = -{a}",
    "{a} = abs({a})",
    "{a} = abs(-{b})",
    "{a} = {a} << 3",
    "{a} = {a} >> 2",
    "{a} = np.minimum({a}, {b})",
    "{a} = np.maximum({a}, {b})",
    "{a} = np.where({a} < {b}, {b}, {a})",
    "{a} = np.sort({a})",
    "{a} = {a}[np.argsort({b}, kind='stable')]",
    "{a} = {a}.astype(np.{dtype})",
    "{a} = {a} + 1",
    "{a} = {a} * 3",
    "{a}[{a} > {b}] = 7",
    "{a}[{a} != {b}] += 1",
    "{a}[1:3] = {b}[2:4]",
    "t = t + np.sum({a})",
    "t = t + np.count_nonzero({a} > {b})",
    "t = t + np.sum({a}[{b} > 1])",
    "t = t + np.max({a}).astype(np.int64)",
    "t = t + np.argmin({a})",
    "{a} = np.concatenate([{a}[2:], {b}[:2]])",
)


class Writer:
    """Writes programs of stores, loops and branches over three arrays of one length."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def statement(self, signed: bool) -> str:
        """One line; without `uint64` where a sign may meet it."""
        a, b = self.random.choice("xyz"), self.random.choice("xyz")
        dtypes = [name for name in INTEGERS if name.startswith("u") != signed]
        line = self.random.choice(STATEMENTS)
        return line.format(a=a, b=b, dtype=self.random.choice(dtypes))

    def block(self, depth: int, signed: bool) -> list[str]:
        """Lines, with a loop or a branch among them."""
        lines = [self.statement(signed) for _ in range(self.random.randint(1, 4))]
        if depth and self.random.random() < 0.8:
            head = self.random.choice(["for i in range(n):", "if t % 2 == 0:", "for i in range(n + 1):"])
            inner = ["    " + line for line in self.block(depth - 1, signed) if "astype" not in line]
            lines += [head, *inner, "    t = t - 1"]
        return lines

    def program(self) -> str:
        """The text of a function of three arrays and a number."""
        lines = self.block(2, self.random.random() < 0.5)
        return (
            "def program(x, y, z, n):\n    t = 0\n    " + "\n    ".join(lines) + "\n    return x, y, z, t\n"
        )


def arrays(seed: int, text: str) -> tuple[np.ndarray, ...]:
    """Three arrays of one dtype: arrays of several would change their dtype in loops."""
    numbers = np.random.default_rng(seed)
    signs = [name for name in INTEGERS if f"np.{name}" in text or not seed % 3] or list(INTEGERS)
    dtype = np.dtype(signs[seed % len(signs)])
    ends = np.iinfo(dtype)
    low, high = (ends.min, ends.max) if seed % 2 else (max(-9, ends.min), 9)
    return tuple(numbers.integers(low, high, 6, dtype=dtype, endpoint=True) for _ in range(3))


def loaded(text: str, name: str, folder) -> Callable:
    """The function of a file of its own, as a user's is."""
    path = folder / f"{name}.py"
    path.write_text(f"import numpy as np\n\n{text}")
    namespace: dict = {"__name__": name}
    exec(compile(path.read_text(), str(path), "exec"), namespace)  # noqa: S102 - a program of ours
    return namespace["program"]


def outcome(run: Callable) -> object:
    """Results as arrays, or the error."""
    try:
        return [np.asarray(one) for one in run()]
    except Exception as error:
        return error


def compare(seed: int, folder, refused: list[int] | None = None) -> str:
    """The difference of three executions of a program, nothing if there is none; `refused` counts refusals."""
    text = Writer(seed).program()
    program = loaded(text, f"narrow_{seed}", folder)
    given = arrays(seed, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = outcome(lambda: program(*(one.copy() for one in given), 2))
        staged = gw.function(program)
        for _ in range(2):
            found = outcome(lambda: staged(*map(gw.constant, given), 2))
            if refused is not None and isinstance(found, Exception):
                refused.append(seed)
            if difference(wanted, found):
                return f"seed {seed}, {given[0].dtype}: {difference(wanted, found)}\n{text}{given}"
    return ""


def difference(wanted: object, found: object) -> str:
    """Where results differ; a refusal by its code is no result, and single integers raise where they overflow."""
    if isinstance(found, Exception) and ("GW" in str(found) or "integer overflow" in str(found)):
        return ""
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        return "" if type(wanted) is type(found) else f"{wanted!r}, not {found!r}"
    for one, other in zip(wanted, found, strict=True):
        if not np.array_equal(one, other):
            return f"{one!r}, not {other!r}"
    return ""


@pytest.mark.parametrize("group", range(GROUPS))
def test_narrow_programs_are_numpys(group, tmp_path):
    refused: list[int] = []
    seeds = range(group, PROGRAMS, GROUPS)
    differences = [compare(seed, tmp_path, refused) for seed in seeds]
    assert not any(differences), "\n\n".join(filter(None, differences))
    assert len(set(refused)) <= len(seeds) // 3, f"too few programs gave results: {refused} were refused"
