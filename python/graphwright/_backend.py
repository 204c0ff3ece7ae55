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

    Example:
      >>> gw.autograph.Refusal("cannot decide", "test a number")
      Refusal('cannot decide')
    """

    def __init__(self, message: str, help: str, code: str = "GW401") -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.code = code


class Backend:
    """The decisions of converted code on values of a registered type.

    A subclass defines the methods that its values can be asked for; the others refuse, at the user's line.
    Blocks and thunks are functions without parameters. A block gives variables of the function new values;
    `state` reads and sets those that flow through the statement, so that a block can be run any number of
    times:

        before = state.get()
        body()
        after = state.get()
        state.set(before)

    Example:
      >>> class Traced(gw.autograph.Backend):
      ...     def not_(self, operand):
      ...         return operand
      >>> isinstance(Traced(), gw.autograph.Backend)
      True
    """

    #: Names of packages whose functions are called as they stand: they are neither converted nor watched.
    packages: Sequence[str] = ()

    def if_stmt(self, test: Any, body: Callable[[], None], orelse: Callable[[], None], state: State) -> None:
        """Stages `if test: body() else: orelse()`.

        Args:
          test: value of a registered type.
          body: function of the branch where the test holds.
          orelse: function of the other branch.
          state: `gw.autograph.State` of the variables that the branches may give values to.

        Returns:
          Nothing.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def if_stmt(self, test, body, orelse, state):
          ...         body()
          >>> class Test:
          ...     pass
          >>> def chosen(test):
          ...     y = 1
          ...     if test:
          ...         y = 2
          ...     return y
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(chosen)(Test())
          2
        """
        self._lacks("if_stmt", "`if`")

    def while_stmt(self, go: Any, test: Callable[[], Any], body: Callable[[], None], state: State) -> None:
        """Stages `while test(): body()`, where the first test has been run.

        Args:
          go: result of the first test, a value of a registered type.
          test: function of the test.
          body: function of the body.
          state: `gw.autograph.State` of the variables that the loop may give values to.

        Returns:
          Nothing.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def while_stmt(self, go, test, body, state):
          ...         body()
          >>> class Test:
          ...     pass
          >>> def turns(test):
          ...     count = 0
          ...     while test:
          ...         count += 1
          ...     return count
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(turns)(Test())
          1
        """
        self._lacks("while_stmt", "`while`")

    def for_stmt(
        self,
        iterable: Any,
        extra_test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        state: State,
    ) -> None:
        """Stages `for item in iterable: body(item)`.

        Args:
          iterable: value of a registered type.
          extra_test: function that tells before each item whether to go on.
          body: function of the item.
          state: `gw.autograph.State` of the variables that the loop may give values to.

        Returns:
          Nothing.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def for_stmt(self, iterable, extra_test, body, state):
          ...         body(7)
          >>> class Test:
          ...     pass
          >>> def last(items):
          ...     found = 0
          ...     for item in items:
          ...         found = item
          ...     return found
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(last)(Test())
          7
        """
        self._lacks("for_stmt", "`for`")

    def if_exp(self, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """Stages `body() if test else orelse()`.

        Args:
          test: value of a registered type.
          body: function of the first value.
          orelse: function of the other value.

        Returns:
          Value of the backend.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def if_exp(self, test, body, orelse):
          ...         return body(), orelse()
          >>> class Test:
          ...     pass
          >>> def chosen(test):
          ...     return 1 if test else 2
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(chosen)(Test())
          (1, 2)
        """
        self._lacks("if_exp", "conditional expression")

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        """Stages `left and right()`.

        Args:
          left: value of a registered type.
          right: function that computes the other operand.

        Returns:
          Value of the backend.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def and_(self, left, right):
          ...         return right()
          >>> class Test:
          ...     pass
          >>> def both(left, right):
          ...     return left and right
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(both)(Test(), 3)
          3
        """
        return self.if_exp(left, right, lambda: left)

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        """Stages `left or right()`.

        Args:
          left: value of a registered type.
          right: function that computes the other operand.

        Returns:
          Value of the backend.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def or_(self, left, right):
          ...         return right()
          >>> class Test:
          ...     pass
          >>> def either(left, right):
          ...     return left or right
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(either)(Test(), 3)
          3
        """
        return self.if_exp(left, lambda: left, right)

    def not_(self, operand: Any) -> Any:
        """Stages `not operand`.

        Args:
          operand: value of a registered type.

        Returns:
          Value of the backend.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def not_(self, operand):
          ...         return "denied"
          >>> class Test:
          ...     pass
          >>> def denied(test):
          ...     return not test
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(denied)(Test())
          'denied'
        """
        self._lacks("not_", "`not`")

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        """Stages `assert test, message()`.

        Args:
          test: value of a registered type.
          message: function that computes the message.

        Returns:
          Nothing.

        Raises:
          Refusal: the backend does not define it.

        Example:
          >>> class Traced(gw.autograph.Backend):
          ...     def assert_(self, test, message):
          ...         print("asserted", message())
          >>> class Test:
          ...     pass
          >>> def checked(test):
          ...     assert test, "no"
          >>> with gw.autograph.register_backend(Test, Traced()):
          ...     gw.autograph.to_graph(checked)(Test())
          asserted no
        """
        self._lacks("assert_", "`assert`")

    def contains(self, item: Any, container: Any) -> Any:
        """Stages `item in container`; Python's own operator by default.

        Args:
          item: any value.
          container: any value.

        Returns:
          bool, or value of the backend.

        Example:
          >>> class Letters(gw.autograph.Backend):
          ...     def contains(self, item, container):
          ...         return item.lower() in container
          >>> Letters().contains("B", "abc")
          True
        """
        return item in container

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of Python's own, such as `len`, with a value of a registered type.

        Args:
          function: the function.
          args: its arguments.
          kwargs: its arguments by name.

        Returns:
          Result of the function.

        Example:
          >>> gw.autograph.Backend().call(len, ([1, 2],), {})
          2
        """
        return function(*args, **kwargs)

    def _lacks(self, method: str, statement: str) -> NoReturn:
        raise Refusal(
            f"a `{{type}}` decides this {statement}, but `{type(self).__name__}` has no `{method}`",
            f"write it without the {statement}, or define `{method}` in the backend of `{{type}}`",
        )


class Registration:
    """A registered backend; as a context manager, for the time of a `with`.

    Args:
      type: the registered type.

    Example:
      >>> class Traced:
      ...     pass
      >>> with gw.autograph.register_backend(Traced, gw.autograph.Backend()) as registration:
      ...     print(type(registration).__name__)
      Registration
    """

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
      backend: the backend that decides.

    Returns:
      A context manager that takes the backend back; it need not be used.

    Example:
      >>> class Traced:
      ...     pass
      >>> with gw.autograph.register_backend(Traced, gw.autograph.Backend()):
      ...     pass
    """
    _native.register_backend(type, backend)
    return Registration(type)


def unregister_backend(type: type) -> None:
    """Removes the backend of a type.

    Args:
      type: the registered type.

    Returns:
      Nothing.

    Example:
      >>> class Traced:
      ...     pass
      >>> registration = gw.autograph.register_backend(Traced, gw.autograph.Backend())
      >>> gw.autograph.unregister_backend(Traced)
    """
    _native.unregister_backend(type)
