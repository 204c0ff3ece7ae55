"""Functions that give an iterator, as functions that give what is in it: a graph returns no iterator."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import islice
from typing import Any

from .values import MOST


def taken(function: Callable[..., Any], *, iterator: bool = False) -> Callable[..., Any]:
    """The function, or one that takes the items of the generator or iterator that it gives."""
    if not iterator and not inspect.isgeneratorfunction(inspect.unwrap(function)):
        return function

    def take(*arguments, **keywords):  # type: ignore[no-untyped-def]
        return list(islice(function(*arguments, **keywords), MOST))

    return take
