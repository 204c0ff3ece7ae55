"""Targets: what compiles and runs the graphs of functions in place of the native code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

__all__ = ["Target"]


class Target(ABC):
    """A consumer of closed graphs, whose needs of the world are among their inputs.

    Its changes are among its results. A subclass has a name, and compiles. An operation that it cannot
    express is refused by name, before anything runs.

    Example:
      >>> class Listing(gw.Target):
      ...     name = "listing"
      ...     def compile(self, function, /, *args, **kwargs):
      ...         graph = gw.function(function).get_concrete_function(*args, **kwargs).graph
      ...         return lambda: [line.split()[2] for line in str(graph).splitlines() if " = " in line]
      >>> program = Listing().compile(lambda x: x * 2.0 + 1.0, gw.TensorSpec([2], gw.float32))
      >>> program()
      ['const', 'mul', 'const', 'add']
    """

    #: Its name in messages.
    name: str

    @abstractmethod
    def compile(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """A function that gives the results of `function` for arguments like these, run by the target.

        Args:
          function: a function, converted or not, or a concrete function.
          args: arguments, or `gw.TensorSpec` in place of tensors.
          kwargs: the same by name.

        Returns:
          Callable program with the arguments of `function`.

        Raises:
          NotImplementedError: the base class compiles nothing.

        Example:
          >>> program = gw.stablehlo.Target().compile(lambda x: x * 2.0, gw.TensorSpec([2], gw.float32))
          >>> "stablehlo.multiply" in program.text
          True
        """
