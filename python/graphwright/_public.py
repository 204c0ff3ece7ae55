"""Gives public objects the names by which programs reach them, and modules a `dir` without their imports.

`help(gw.exp)` speaks of `graphwright`, not of the module in which `exp` is written.
"""

from __future__ import annotations

import re
from types import ModuleType, SimpleNamespace
from typing import Any

_PRIVATE = re.compile(r"graphwright\b.*\._")


def publish(module: ModuleType, _seen: set[int] | None = None) -> None:
    """Names what a module offers after it, and does the same for the modules that it offers.

    An object that two modules offer is named after the first, which is the outer one. Modules that
    are imported when they are asked for publish themselves.
    """
    seen = set() if _seen is None else _seen
    if id(module) in seen:
        return
    seen.add(id(module))
    offered = list(getattr(module, "__all__", ()))
    there = vars(module)
    inner = [value for name in offered if isinstance(value := there.get(name), ModuleType)]
    for name in offered:
        value = there.get(name)
        for path, found in vars(value).items() if isinstance(value, SimpleNamespace) else ():
            _name(found, module.__name__, f"{name}.{path}")
        _name(value, module.__name__, name)
    if offered:
        vars(module)["__dir__"] = lambda: _listed(module, offered)
    for part in inner:
        publish(part, seen)


def _name(value: Any, module: str, path: str) -> None:
    """Replaces the name of a private module on a function or class, which can be imported by the new name."""
    if not callable(value) or not _PRIVATE.match(str(getattr(value, "__module__", None))):
        return
    if getattr(value, "__name__", None) != path.rpartition(".")[2]:
        return
    try:
        if getattr(value, "__qualname__", path) != path:
            value.__qualname__ = path
        value.__module__ = module
    except (AttributeError, TypeError):
        return


def _listed(module: ModuleType, offered: list[str]) -> list[str]:
    """Names for `dir`: those that are offered, public modules that were imported, and Python's own."""
    inner = [
        name
        for name, value in vars(module).items()
        if isinstance(value, ModuleType) and value.__name__ == f"{module.__name__}.{name}" and name[0] != "_"
    ]
    own = [name for name in vars(module) if name.startswith("__")]
    return sorted({*offered, *inner, *own})
