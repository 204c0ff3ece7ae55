"""The sets that functions make while a graph is built, whose operators see what the graph holds."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from .. import _native


class Set(builtins.set[Any]):
    """A set of Python's that may come into the graph."""

    __slots__ = ()

    # It passes for what it stands for.
    __class__ = builtins.property(lambda self: builtins.set)


def operation(name: str) -> Callable[..., Any]:
    """One of Python's operators, asked of the native half."""

    def operate(self: Set, *others: Any) -> Any:
        return _native.set_operation(name, self, *others)

    operate.__name__ = name
    return operate


ALONE = ["__iter__", "__len__", "__repr__"]
COMPARED = ["__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"]
NEW = ["__and__", "__or__", "__rand__", "__ror__", "__rsub__", "__rxor__", "__sub__", "__xor__"]
CHANGED = ["__iand__", "__ior__", "__isub__", "__ixor__"]

for name in [*ALONE, *COMPARED, *NEW, *CHANGED, "__contains__"]:
    setattr(Set, name, operation(name))
Set.__name__ = Set.__qualname__ = "set"
Set.__hash__ = None
