"""StableHLO as a target: functions run by any compiler of it, here the one that JAX brings.

    program = gw.stablehlo.Target().compile(f, x)
    program(x)     # the result of `f(x)`
    program.text   # the module

`graphwright[stablehlo]` installs JAX, which is imported when a program is first run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._function import function as make_function
from .._native import ConcreteFunction, Tensor
from .._public import publish as _publish
from .._target import Target as AnyTarget

__all__ = ["Program", "Target"]

Lengths = tuple[tuple[int, ...], ...]


class Target(AnyTarget):
    """StableHLO, compiled and run on the CPU by JAX's client.

    Example:
      >>> program = gw.stablehlo.Target().compile(lambda x: x * 2.0, gw.TensorSpec([2], gw.float32))
      >>> program(gw.constant([1.0, 2.0])).numpy().tolist()
      [2.0, 4.0]
    """

    name = "stablehlo"

    def compile(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Program:
        """A program that gives the results of `function`. Operations that StableHLO lacks are GW402 here.

        Lengths that the arguments leave open, as `gw.TensorSpec([None])` does, are those of each call: the
        program is compiled again for each row of lengths.

        Args:
          function: function of tensors, or a `gw.function`.
          args: arguments, or `gw.TensorSpec` in their place.
          kwargs: arguments by name.

        Returns:
          `Program` with the arguments of `function`.

        Raises:
          TypeError: GW402, an operation has no counterpart in StableHLO.

        Example:
          >>> program = gw.stablehlo.Target().compile(lambda x: x * 2.0, gw.TensorSpec([2], gw.float32))
          >>> program(gw.constant([1.0, 2.0])).numpy().tolist()
          [2.0, 4.0]
        """
        if isinstance(function, ConcreteFunction):
            return Program(function, function)
        own: Any = function if hasattr(function, "get_concrete_function") else make_function(function)
        return Program(own.get_concrete_function(*args, **kwargs), own)


class Program:
    """A function that StableHLO runs.

    Args:
      concrete: concrete function.
      function: the function that it was made of.

    Example:
      >>> program = gw.stablehlo.Target().compile(lambda x: x * 2.0, gw.TensorSpec([2], gw.float32))
      >>> "stablehlo.multiply" in program.text
      True
    """

    def __init__(self, concrete: ConcreteFunction, function: Callable[..., Any]) -> None:
        self.concrete, self.function = concrete, function
        self._runs: dict[Lengths, Run] = {}
        lengths = tuple(known(spec.shape.as_list()) for spec in concrete.inputs)
        if None in lengths:
            _native.stablehlo_module(concrete)
        else:
            self._run_of(tuple(row for row in lengths if row is not None))

    @property
    def text(self) -> str:
        """The module; of a program that leaves lengths open, that of the last call."""
        if not self._runs:
            raise ValueError("the lengths of the arguments are open: call the program first, or ask `lower`")
        return next(reversed(self._runs.values())).text

    def lower(self, lengths: Sequence[Sequence[int]]) -> str:
        """Writes the module for inputs of given lengths.

        Args:
          lengths: one row of lengths for each input.

        Returns:
          Text of the module.

        Example:
          >>> program = gw.stablehlo.Target().compile(lambda x: x * 2.0, gw.TensorSpec([None], gw.float32))
          >>> "tensor<5xf32>" in program.lower([[5]])
          True
        """
        return _native.stablehlo_module(self.concrete, [list(row) for row in lengths])[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Gives what the function gives, and fails where and as the function does, on the user's line."""
        try:
            return _native.run_by(self.concrete, self._results, *args, **kwargs)
        except Stopped as stopped:
            sites = stopped.sites
        # Nothing was written: the function itself fails at the same place, and knows how to say so.
        self.function(*args, **kwargs)
        raise RuntimeError(f"{sites} failed as StableHLO, but not as native code: their numbers differ")

    def _run_of(self, lengths: Lengths) -> Run:
        run = self._runs.pop(lengths, None) or Run(self.concrete, lengths)
        self._runs[lengths] = run
        return run

    def _results(self, inputs: list[Tensor]) -> list[Any]:
        return self._run_of(tuple(known(x.shape.as_list()) or () for x in inputs))(inputs)


def known(lengths: list[int | None]) -> tuple[int, ...] | None:
    """The lengths, if all are known."""
    found = tuple(n for n in lengths if n is not None)
    return found if len(found) == len(lengths) else None


class Stopped(Exception):  # noqa: N818
    """A check of a program is not true."""

    def __init__(self, sites: str) -> None:
        self.sites = sites


class Run:
    """The module for inputs of these lengths, compiled when it first runs."""

    def __init__(self, concrete: ConcreteFunction, lengths: Lengths) -> None:
        self.text, self.sites = _native.stablehlo_module(concrete, [list(row) for row in lengths])
        self._compiled: Callable[[Sequence[Any]], list[Any]] | None = None

    def __call__(self, inputs: Sequence[Tensor]) -> list[Any]:
        """The graph's results."""
        if self._compiled is None:
            from ._client import compiled  # imports JAX

            self._compiled = compiled(self.text)
        results = self._compiled([x.numpy() for x in inputs])
        if not self.sites:
            return results
        *results, status = results
        if status:
            raise Stopped(self.sites[int(status) - 1])
        return results


_publish(__name__)
