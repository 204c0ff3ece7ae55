"""Classes that belong to a class: those that derive from it, and those that `ABC.register` names."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable

from .. import _native


def derived(owner: type, function: Callable[[], list[type]]) -> Callable[[], list[type]]:
    """The meaning of `__subclasses__`: a new class makes another graph."""

    def meaning() -> list[type]:
        _native.guard_answer(lambda: _numbers(owner.__subclasses__()), f"{owner.__name__}.__subclasses__()")
        return function()

    return meaning


def registered(owner: abc.ABCMeta) -> None:
    """Guards which classes an abstract class counts as its own: one more makes another graph."""
    known = getattr(abc, "_get_dump", None)
    if known is not None:
        name = f"{owner.__name__}.register"
        _native.guard_answer(lambda: _numbers(found for one in known(owner)[0] if (found := one())), name)


def _numbers(classes: Iterable[type]) -> str:
    return " ".join(sorted(str(id(one)) for one in classes))
