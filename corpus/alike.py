"""Numbers that are of none of Python's types: they show what a function gives that asks for types."""

from __future__ import annotations

import operator
from typing import Any

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow"]
BINARY += ["lshift", "rshift", "and", "or", "xor"]
COMPARED = ["lt", "le", "gt", "ge", "eq", "ne"]
UNARY = ["neg", "pos", "abs", "invert", "round", "trunc", "floor", "ceil"]


class Number:
    """A number that computes as the one that it holds."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __getitem__(self, at: Any) -> Any:
        """Nothing: a tensor without axes has the method too."""
        raise TypeError("a number has no items")


def bare(value: Any) -> Any:
    """The number in a `Number`, and anything else itself."""
    return value.value if isinstance(value, Number) else value


def alike(value: Any) -> Any:
    """Numbers, and those in lists, as `Number`s."""
    if type(value) in (bool, int, float):
        return Number(value)
    return [alike(item) for item in value] if type(value) is list else value


def _defined(name: str, *, turned: bool = False) -> Any:
    def method(self: Number, *others: Any) -> Any:
        values = [self.value, *map(bare, others)]
        found: Any = NotImplemented
        left, *rest = values[::-1] if turned else values
        if hasattr(left, f"__{name}__"):
            found = getattr(type(left), f"__{name}__")(left, *rest)
        if found is NotImplemented and rest and hasattr(rest[0], f"__r{name}__"):
            found = getattr(type(rest[0]), f"__r{name}__")(rest[0], left)
        if isinstance(found, tuple):
            return tuple(map(Number, found))
        return found if found is NotImplemented else Number(found)

    return method


for _name in (*BINARY, *COMPARED, *UNARY):
    setattr(Number, f"__{_name}__", _defined(_name))
for _name in BINARY:
    setattr(Number, f"__r{_name}__", _defined(_name, turned=True))
