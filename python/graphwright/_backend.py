"""Backends: what Python's statements mean for values of a type that is not Graphwright's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn

from . import _native
from ._native import Possible, State

__all__ = [
    "Backend",
    "Possible",
    "Refusal",
    "Registration",
    "State",
    "register_backend",
    "unregister_backend",
]


class Refusal(Exception):  # noqa: N818
    """Raised by a backend: the user sees the diagnostic `code`, at the statement that was to be done.

    Args:
      message: one line that names the user's own variables; `{type}` is the type of the deciding value.
      help: what to write instead.
      code: a row of Graphwright's table of diagnostics.
    """

    def __init__(self, message: str, help: str, code: str = "GW401") -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.code = code


class Backend:
    """What converted code does where a value of a registered type decides it.

    A subclass defines the methods that its values can be asked for; the others refuse, at the user's line.
    Blocks and thunks are functions without parameters. A block gives variables of the function new values;
    `state` reads and sets those that flow through the statement, so that a block can be run any number of
    times:

        before = state.get()
        body()
        after = state.get()
        state.set(before)
    """

    #: Names of packages whose functions are called as they stand: they are neither converted nor watched.
    packages: Sequence[str] = ()

    def if_stmt(self, test: Any, body: Callable[[], None], orelse: Callable[[], None], state: State) -> None:
        """`if test: body() else: orelse()`."""
        self._lacks("if_stmt", "`if`")

    def while_stmt(self, go: Any, test: Callable[[], Any], body: Callable[[], None], state: State) -> None:
        """`while test(): body()`, where the first `test()` has been run and gave `go`."""
        self._lacks("while_stmt", "`while`")

    def for_stmt(
        self,
        iterable: Any,
        extra_test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        state: State,
    ) -> None:
        """`for item in iterable: body(item)`; before each item `extra_test()` says whether to go on."""
        self._lacks("for_stmt", "`for`")

    def if_exp(self, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """`body() if test else orelse()`."""
        self._lacks("if_exp", "conditional expression")

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        """`left and right()`."""
        return self.if_exp(left, right, lambda: left)

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        """`left or right()`."""
        return self.if_exp(left, lambda: left, right)

    def not_(self, operand: Any) -> Any:
        """`not operand`."""
        self._lacks("not_", "`not`")

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        """`assert test, message()`."""
        self._lacks("assert_", "`assert`")

    def contains(self, item: Any, container: Any) -> Any:
        """`item in container`; Python's own unless defined."""
        return item in container

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """`function(*args, **kwargs)` for a function of Python's own, such as `len`; called by default."""
        return function(*args, **kwargs)

    def _lacks(self, method: str, statement: str) -> NoReturn:
        raise Refusal(
            f"a `{{type}}` decides this {statement}, but `{type(self).__name__}` has no `{method}`",
            f"write it without the {statement}, or define `{method}` in the backend of `{{type}}`",
        )


class Registration:
    """A registered backend; as a context manager, for the time of a `with`."""

    def __init__(self, type: type) -> None:
        self.type = type

    def __enter__(self) -> Registration:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        unregister_backend(self.type)


def register_backend(type: type, backend: Backend) -> Registration:
    """Lets a backend decide what converted code does with values of a type.

    A value's own type is looked up first, then its bases, the nearest first, then abstract classes.

    Args:
      type: the type; not one of Python's numbers, `str` or `object`, and not one that has a backend already.
      backend: what decides.

    Returns:
      A context manager that takes the backend back; it need not be used.
    """
    _native.register_backend(type, backend)
    return Registration(type)


def unregister_backend(type: type) -> None:
    """Takes the backend of a type back."""
    _native.unregister_backend(type)
