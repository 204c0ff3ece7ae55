"""Names for parts of a program, as TensorFlow has them."""

from __future__ import annotations

import threading
from types import TracebackType

_open = threading.local()


class name_scope:  # noqa: N801
    """`with gw.name_scope("layer") as name:` gives `"layer/"`, or `"model/layer/"` in another one.

    The scopes are names alone: they change no result of a graph.

    Example:
      >>> with gw.name_scope("outer") as scope:
      ...     print(scope)
      outer/
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a `gw.name_scope` is a text, not a `{type(name).__name__}`")
        self._name = name

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    def __enter__(self) -> str:
        around = getattr(_open, "scopes", ())
        inside = (around[-1] if around else "") + self._name.rstrip("/") + "/" if self._name else ""
        _open.scopes = (*around, inside)
        return inside

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _open.scopes = _open.scopes[:-1]
