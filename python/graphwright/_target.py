"""Targets: what compiles and runs the graphs of functions in place of the native code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

__all__ = ["Target"]


class Target(ABC):
    """A consumer of closed graphs: what a graph needs of the world is among its inputs.

    What it changes is among its results. A subclass says what it is called, and compiles. What it cannot
    express it refuses by name, before anything runs.

    Example:
      >>> issubclass(gw.stablehlo.Target, gw.Target)
      True
    """

    #: What it is called in messages.
    name: str

    @abstractmethod
    def compile(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """A function that gives what `function` gives for arguments like these, run by the target.

        Args:
          function: a function, converted or not, or a concrete function.
          args: arguments, or `gw.TensorSpec` in place of tensors.
          kwargs: the same by name.

        Returns:
          Callable program with the arguments of `function`.

        Raises:
          NotImplementedError: the base class compiles nothing.

        Example:
          >>> issubclass(gw.stablehlo.Target, gw.Target) and callable(gw.Target.compile)
          True
        """
