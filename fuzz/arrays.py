"""Programs over NumPy arrays: views, stores, operators in place, aliases, loops over what they store into.

`program(random)` gives the text of a function `f(a, b, m, k, n, c)`, `arguments(random)` what it runs on.
Plain Python with NumPy is the judge: what is returned and what the arguments hold afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

PARAMETERS = "a, b, m, k, n, c"
ROWS, COLUMNS = 3, 4

PRELUDE = """\
class Box:
    pass


def bump(x, by):
    x += by


def fill(x, by):
    x[0] = by
    return x


def first(x):
    return x[:2]


def scaled(x, by):
    y = x * by
    y += 1.0
    return y
"""

Shape = tuple[int, ...]


@dataclass
class Names:
    """The names in scope, with the shapes of the arrays that they hold."""

    shapes: dict[str, Shape]
    count: int = 0
    kinds: dict[str, str] = field(default_factory=dict)

    def of(self, rank: int) -> list[str]:
        """Those of arrays with so many axes."""
        return [name for name, shape in self.shapes.items() if len(shape) == rank]

    def fresh(self) -> str:
        """A new name."""
        self.count += 1
        return f"v{self.count}"


def arguments(random: Random) -> tuple[Any, ...]:
    """Two vectors, a matrix, an index, a number of turns and a float."""
    real = lambda: random.randint(-8, 8) / 2  # noqa: E731
    return (
        np.array([real() for _ in range(ROWS)]),
        np.array([real() for _ in range(COLUMNS)]),
        np.array([[real() for _ in range(COLUMNS)] for _ in range(ROWS)]),
        random.randint(0, ROWS - 1),
        random.randint(0, 3),
        real(),
    )


def program(random: Random) -> str:
    """The text of a program."""
    writer = Writer(random)
    names = Names({"a": (ROWS,), "b": (COLUMNS,), "m": (ROWS, COLUMNS)})
    lines = ["s = 0.0", *writer.block(names, random.randint(3, 7), depth=0)]
    held = [name for name, shape in names.shapes.items() if shape]
    lines.append(f"return s, {', '.join(held)}")
    body = "\n".join("    " + line for line in lines)
    return f"{PRELUDE}\n\ndef f({PARAMETERS}):\n{body}\n"


class Writer:
    """Writes statements, each valid where it stands."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, choices: Any) -> Any:
        """One of several."""
        return self.random.choice(list(choices))

    def block(self, names: Names, count: int, depth: int) -> list[str]:
        """So many statements."""
        return [line for _ in range(count) for line in self.statement(names, depth)]

    def inner(self, names: Names, depth: int, **more: Shape) -> list[str]:
        """The block of a statement: what it binds for the first time is not read behind it."""
        inside = Names({**names.shapes, **more}, names.count)
        lines = self.block(inside, self.random.randint(1, 3), depth + 1)
        names.count = inside.count
        return ["    " + line for line in lines or ["pass"]]

    def statement(self, names: Names, depth: int) -> list[str]:
        """One statement."""
        plain = [self.bind, self.bind, self.store, self.store, self.change, self.change, self.sum]
        plain += [self.call, self.hold, self.unpack, self.rebind]
        nested = [self.count, self.rows, self.rows, self.branch, self.repeat, self.attempt, self.step]
        return self.one(plain + nested if depth < 2 else plain)(names, depth)

    def array(self, names: Names, rank: int | None = None) -> str:
        """The name of an array."""
        ranks = [rank] if rank else [1, 1, 2]
        found = names.of(self.one(ranks)) or names.of(1) or names.of(2)
        return self.one(found)

    def index(self, length: int) -> str:
        """A number of an axis; one that the graph decides now and then."""
        return self.one([str(self.random.randint(-length, length - 1)), f"k % {length}", "0"])

    def part(self, name: str, shape: Shape) -> tuple[str, Shape]:
        """A part of an array that NumPy gives as a view."""
        first, *rest = shape
        if len(shape) == 1:
            text, kept = self.one([(f"{name}[::-1]", first), (f"{name}[1:]", first - 1), (f"{name}[:2]", 2)])
            whole = [(f"{name}[...]", shape), (f"np.expand_dims({name}, 0)", (1, first))]
            choices = [(text, (kept,)), *whole] if first > 2 else whole
            return self.one([choices[0], choices[0], *choices])
        second = rest[0]
        return self.one(
            [
                (f"{name}[{self.index(first)}]", (second,)),
                (f"{name}[{self.index(first)}]", (second,)),
                (f"{name}[:, {self.index(second)}]", (first,)),
                (f"{name}[::-1]", shape),
                (f"{name}[{self.index(first)}:, :]", None),
                (f"np.transpose({name})", (second, first)),
            ][: 4 if first == 1 else None]
        )

    def bind(self, names: Names, depth: int) -> list[str]:
        """A name for a view, another name, or a new array."""
        source = self.array(names)
        shape = names.shapes[source]
        target = names.fresh()
        text, kept = self.one(
            [
                self.part(source, shape),
                self.part(source, shape),
                self.part(source, shape),
                (source, shape),
                (f"{source}.copy()", shape),
                (f"{source} * 2.0", shape),
                (f"scaled({source}, c)", shape),
                (f"first({source})", (min(2, shape[0]), *shape[1:])),
                (f"np.zeros({shape})", shape),
                (f"np.maximum({source}, c)", shape),
            ]
        )
        if kept is None:
            text, kept = f"{source}[1:]", (shape[0] - 1, *shape[1:])
        if 0 in kept:
            return []
        names.shapes[target] = kept
        return [f"{target} = {text}"]

    def rebind(self, names: Names, depth: int) -> list[str]:
        """A known name for something else of its shape."""
        target = self.array(names)
        shape = names.shapes[target]
        alike = [name for name, other in names.shapes.items() if other == shape]
        source = self.one(alike)
        choices = [f"{source} + 1.0", f"{source}.copy()", source, f"{source}[::-1]", f"{source} * c"]
        return [f"{target} = {self.one(choices)}"]

    def value(self, names: Names, shape: Shape) -> str:
        """What can be put into an array of a shape."""
        alike = [name for name, other in names.shapes.items() if shape and other == shape[-len(other) :]]
        choices = ["1.5", "c", "s * 0.5"]
        if alike:
            name = self.one(alike)
            choices += [name, f"{name} * 0.5", f"{name}[::-1]"]
        return self.one(choices)

    def place(self, name: str, shape: Shape) -> tuple[str, Shape]:
        """A place in an array."""
        first, *rest = shape
        choices: list[tuple[str, Shape]] = [
            (f"{name}[{self.index(first)}]", tuple(rest)),
            (f"{name}[:]", shape),
            (f"{name}[...]", shape),
            (f"{name}[:1]", (1, *rest)),
        ]
        if rest:
            choices += [
                (f"{name}[{self.index(first)}, {self.index(rest[0])}]", ()),
                (f"{name}[:, {self.index(rest[0])}]", (first,)),
                (f"{name}[{self.index(first)}][{self.index(rest[0])}]", ()),
            ]
        return self.one(choices)

    def store(self, names: Names, depth: int) -> list[str]:
        """A store into a part."""
        name = self.array(names)
        place, shape = self.place(name, names.shapes[name])
        operator = self.one(["=", "=", "+=", "*=", "-="])
        return [f"{place} {operator} {self.value(names, shape)}"]

    def change(self, names: Names, depth: int) -> list[str]:
        """An operator in place on a whole array."""
        name = self.array(names)
        value = self.value(names, names.shapes[name])
        operator = self.one(["+=", "-=", "*=", "+="])
        if self.random.random() < 0.1:
            return [f"np.add({name}, {value}, out={name})"]
        return [f"{name} {operator} {value}"]

    def sum(self, names: Names, depth: int) -> list[str]:
        """A number of an array."""
        name = self.array(names)
        part = "[0]" * len(names.shapes[name])
        return [self.one([f"s = s * 0.5 + {name}{part}", f"s += np.sum({name})"])]

    def call(self, names: Names, depth: int) -> list[str]:
        """A function that changes its argument."""
        name = self.array(names)
        alike = [other for other in names.shapes if names.shapes[other] == names.shapes[name]]
        return [self.one([f"bump({name}, c)", f"fill({name}, c)", f"{self.one(alike)} = fill({name}, 1.0)"])]

    def hold(self, names: Names, depth: int) -> list[str]:
        """An array in a list, a dict or an attribute that is changed there."""
        name, holder = self.array(names), names.fresh()
        made, held = self.one(
            [
                ([f"{holder} = [{name}, {name}]"], f"{holder}[0]"),
                ([f'{holder} = {{"x": {name}}}'], f'{holder}["x"]'),
                ([f"{holder} = Box()", f"{holder}.x = {name}"], f"{holder}.x"),
            ]
        )
        return [*made, f"{held} {self.one(['+=', '*='])} 2.0"]

    def unpack(self, names: Names, depth: int) -> list[str]:
        """The rows of a matrix by names."""
        matrices = [name for name in names.of(2) if names.shapes[name][0] <= ROWS]
        if not matrices:
            return []
        name = self.one(matrices)
        rows, *rest = names.shapes[name]
        made = [names.fresh() for _ in range(rows)]
        names.shapes.update((row, tuple(rest)) for row in made)
        return [f"{', '.join(made)}, = {name}"]

    def count(self, names: Names, depth: int) -> list[str]:
        """A loop of a number of turns."""
        return [f"for i{depth} in range(n):", *self.inner(names, depth)]

    def repeat(self, names: Names, depth: int) -> list[str]:
        """A `while`."""
        turn = names.fresh()
        lines = [f"    {turn} += 1", *self.inner(names, depth)]
        return [f"{turn} = 0", f"while {turn} < n:", *lines]

    def rows(self, names: Names, depth: int) -> list[str]:
        """A loop over an array."""
        name, row = self.array(names), names.fresh()
        rest = names.shapes[name][1:]
        more = {row: rest} if rest else {}
        use = [] if rest else [f"    s = s * 0.5 + {row}"]
        alike = [other for other in names.shapes if names.shapes[other] == names.shapes[name]]
        other = names.fresh()
        forms = [
            (f"for {row} in {name}:", {}),
            (f"for i{depth}, {row} in enumerate({name}):", {}),
            (f"for {row} in reversed({name}):", {}),
            (f"for {row} in ({row} * 2.0 for {row} in {name}):", {}),
            (f"for {row}, {other} in zip({name}, {self.one(alike)}):", {other: rest} if rest else {}),
        ]
        head, others = self.one(forms)
        return [head, *use, *self.inner(names, depth, **more, **others)]

    def step(self, names: Names, depth: int) -> list[str]:
        """Items of an iterator, one by one."""
        matrices = [name for name in names.of(2) if names.shapes[name][0] > 1]
        if not matrices or depth:
            return []
        name, over, one, two = self.one(matrices), *(names.fresh() for _ in range(3))
        between = self.store(names, depth)
        names.shapes[one] = names.shapes[two] = names.shapes[name][1:]
        return [f"{over} = iter({name})", f"{one} = next({over})", *between, f"{two} = next({over})"]

    def branch(self, names: Names, depth: int) -> list[str]:
        """An `if`."""
        test = self.one(["k > 0", "n % 2 == 0", "c > 0.0", "s > 1.0"])
        lines = [f"if {test}:", *self.inner(names, depth)]
        if self.random.random() < 0.5:
            lines += ["else:", *self.inner(names, depth)]
        return lines

    def attempt(self, names: Names, depth: int) -> list[str]:
        """A `try` whose body may fail."""
        name = self.one(names.of(1) or ["a"])
        lines = ["try:", *self.inner(names, depth), f"    {name}[n] = 2.5"]
        return [*lines, "except IndexError:", *self.inner(names, depth)]
