"""The partition of a graph function: the program of the graph, that of the host, and what crosses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .. import _native
from . import _picture, _texts
from ._copies import (
    ImplicitCopyWarning,
    get_implicit_copies,
    implicit,
    judge_copies,
    set_implicit_copies,
)
from ._program import Transfer, calls_of, steps_of, without_first_turns
from ._run import Run

__all__ = [
    "ImplicitCopyWarning",
    "Partition",
    "Run",
    "Transfer",
    "get_implicit_copies",
    "judge_copies",
    "set_implicit_copies",
    "to_accelerator",
    "to_host",
]


def to_host(x: Any) -> Any:
    """The same tensor, of which the program says that it is meant to be copied to the host.

    In a graph, calls of the host that get it give no `gw.ImplicitCopyWarning` for it.

    Args:
      x: tensor or array of any shape and dtype.

    Returns:
      The same tensor; no warning is given where it crosses to the host.

    Example:
      >>> gw.to_host(gw.constant(2.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    return _native.copied(x)


def to_accelerator(value: Any) -> Any:
    """A value as a tensor, of which the program says that it is meant to be copied into the graph.

    Outside of graphs it makes a tensor of an array. In a graph, the call of the host that gave it gives no
    `gw.ImplicitCopyWarning` for it.

    Args:
      value: tensor, array or number.

    Returns:
      Tensor with the same elements.

    Example:
      >>> gw.to_accelerator(np.float32(2.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    return _native.copied(value)


class Partition:
    """A graph function in two programs, that of the graph and that of the host; `f.partition(…)` makes it.

    Attributes:
      graph: the text of the graph, with `send_to_host` and `receive_from_host` in place of the calls.
      host: the user's lines that the host runs, around the values that it receives and sends.
      transfers: a tuple of `gw.Transfer`, in the order of the program.
      is_closed: whether the graph never calls the host.
      warnings: the `gw.ImplicitCopyWarning`s of the graph.

    Example:
      >>> @gw.host
      ... def answer(x) -> float:
      ...     return x.item() + 1.0
      >>> f = gw.function(lambda x: answer(x * 2) * 3)
      >>> partition = f.partition(gw.TensorSpec([], gw.float32))
      >>> partition.is_closed, [(t.kind, t.call, t.nbytes) for t in partition.transfers]
      (False, [('send', 'answer', 4), ('receive', 'answer', 8)])
    """

    def __init__(self, function: Callable[..., Any], concrete: _native.ConcreteFunction) -> None:
        self._function, self._concrete = function, concrete
        all_steps = steps_of(concrete._crossings())
        self._calls = list(calls_of(all_steps))
        self._steps = without_first_turns(all_steps)

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """The transfers, in the order of the program."""
        found = [t for call in calls_of(self._steps) for _, t, _ in (*call.sent, *call.received)]
        return tuple(found)

    @property
    def is_closed(self) -> bool:
        """True if the graph never calls the host."""
        return not self._steps

    @property
    def warnings(self) -> tuple[ImplicitCopyWarning, ...]:
        """The copies that nobody asked for."""
        return tuple(ImplicitCopyWarning(transfer, line) for transfer, _, line in implicit(self._steps))

    @property
    def graph(self) -> str:
        """The program of the graph."""
        return _texts.graph(str(self._concrete.graph), self._calls)

    @property
    def host(self) -> str:
        """The program of the host."""
        names = [str(spec.name) for spec in self._concrete.inputs if spec.name]
        return _texts.host(names, self._steps)

    def __str__(self) -> str:
        parts = [self.graph.rstrip(), self.host.rstrip(), _texts.table(self.transfers)]
        return "\n\n".join(parts) + "\n"

    def _repr_svg_(self) -> str:
        """The user's lines in two lanes, with what crosses between them: notebooks show it."""
        try:
            lines, first = inspect.getsourcelines(self._function)
        except (OSError, TypeError):
            lines, first = [], 1
        file = getattr(getattr(self._function, "__code__", None), "co_filename", "")
        return _picture.svg(self._concrete.name, list(_picture.rows(lines, first, file, self._steps)))

    def __repr__(self) -> str:
        return f"<Partition of {self._concrete.name}: {len(self.transfers)} transfers>"

    def start(self, *args: Any, **kwargs: Any) -> Run:
        """Starts the graph, whose calls of the host are then answered by hand.

        Args:
          args: arguments as in a call of the function.
          kwargs: arguments by name.

        Returns:
          Run with `receive`, `send` and `finish`.

        Example:
          >>> f = gw.function(lambda x: x * 2)
          >>> run = f.partition(gw.constant(2)).start(gw.constant(2))
          >>> run.finish()
          <gw.Tensor: shape=(), dtype=int32, numpy=4>
        """
        return Run(self._concrete, args, kwargs)
