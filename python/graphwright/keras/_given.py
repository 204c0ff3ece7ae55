"""The arguments that layers and metrics are made with, which descriptions of them hold."""

from __future__ import annotations

from typing import Any


class Given:
    """The arguments that an object was made with. Nothing looks for variables in it."""

    __slots__ = ("args", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
