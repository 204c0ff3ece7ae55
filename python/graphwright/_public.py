"""Gives public objects the names by which programs reach them, and modules a `dir` without their imports.

`help(gw.exp)` speaks of `graphwright`, not of the module in which `exp` is written. A name that a
module lacks is refused with what to write instead.
"""

from __future__ import annotations

import functools
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from ._tensorflow.absent import refuse

_PRIVATE = re.compile(r"graphwright\b.*\._")


def publish(name: str) -> None:
    """Names what a module offers after it, and does the same for the modules that it offers.

    An object that two modules offer is named after the first, which is the outer one. Modules that
    are imported when they are asked for publish themselves.
    """
    _publish(sys.modules[name], set())


def _publish(module: ModuleType, seen: set[int]) -> None:
    """Publishes a module that is not among those that were seen."""
    if id(module) in seen:
        return
    seen.add(id(module))
    there = vars(module)
    there.setdefault("__getattr__", functools.partial(refuse, module.__name__))
    offered = list(there.get("__all__", ()))
    inner = [value for name in offered if isinstance(value := there.get(name), ModuleType)]
    for name in offered:
        value = there.get(name)
        for path, found in vars(value).items() if isinstance(value, SimpleNamespace) else ():
            name_after(found, module.__name__, f"{name}.{path}")
        name_after(value, module.__name__, name)
    if offered:
        there["__dir__"] = lambda: _listed(module, offered)
    for part in inner:
        _publish(part, seen)


def name_after(value: Any, module: str, path: str) -> None:
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
