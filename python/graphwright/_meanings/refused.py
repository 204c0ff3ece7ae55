"""Messages where a function of Python's own cannot take a tensor of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .. import _native


def refuse(message: str, help: str) -> NoReturn:
    """Raises GW120 at the user's line."""
    raise _native.diagnosed("GW120", message, help)


def refused(name: str, help: str) -> Callable[..., Any]:
    """The meaning of a function that has none for a tensor."""

    def meaning(*inputs: Any, **named: Any) -> NoReturn:
        refuse(f"`{name}` has no meaning for a tensor of the graph", help)

    return meaning
