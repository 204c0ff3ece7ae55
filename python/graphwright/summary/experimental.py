"""The step of summaries that are given none."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._native import TensorSpec, Variable
from ..autograph import do_not_convert
from ._writer import defaults, when_run

__all__ = ["get_step", "set_step"]


@do_not_convert
def set_step(step: Any) -> None:
    """Makes a number, a tensor or a variable the step of the thread's summaries; `None`: there is none.

    A variable is read when a summary is written. In a graph this is done when the graph runs.

    Args:
      step: number, tensor or variable; `None` for none.

    Returns:
      Nothing.

    Example:
      >>> gw.summary.experimental.set_step(7)
      >>> gw.summary.experimental.get_step()
      7
      >>> gw.summary.experimental.set_step(None)
    """
    when_run(_set, step)


@do_not_convert
def get_step() -> Any:
    """Returns the step that was set; in a graph a tensor of it.

    Returns:
      The step, or `None`.

    Example:
      >>> gw.summary.experimental.set_step(3)
      >>> gw.summary.experimental.get_step()
      3
      >>> gw.summary.experimental.set_step(None)
    """
    if _native.executing_eagerly():
        return defaults.step
    return _native.numpy_function(current, [], TensorSpec([], _native.int64), name="get_step")


def _set(step: Any) -> None:
    defaults.step = step


def current() -> Any:
    """The step as a number, `ValueError` if none was set."""
    return number(defaults.step)


def number(step: Any) -> Any:
    """A step as NumPy's number."""
    if step is None:
        raise ValueError("no step is set: give one as `step`, or call gw.summary.experimental.set_step()")
    return _native.cast(step.value() if isinstance(step, Variable) else step, _native.int64).numpy()
