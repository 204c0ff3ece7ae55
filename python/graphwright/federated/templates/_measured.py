"""`MeasuredProcess`: an iterative process whose rounds give a state, a result and measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._iterative import IterativeProcess
from .errors import TemplateNotMeasuredProcessOutputError


@dataclass(frozen=True)
class MeasuredProcessOutput:
    """The result of a round.

    Example: `return MeasuredProcessOutput(state, total, measurements)` in a `federated_computation`.
    """

    state: Any
    result: Any
    measurements: Any


class MeasuredProcess(IterativeProcess):
    """A process whose `next` returns a `MeasuredProcessOutput`.

    Raises:
      TemplateNotMeasuredProcessOutputError: `next_fn` returns something else.
      TypeError: as for an `IterativeProcess`.

    Example: `MeasuredProcess(initialize, next).next(state, [1, 2]).measurements`.
    """

    def __init__(self, initialize_fn: Any, next_fn: Any, next_is_multi_arg: bool | None = None) -> None:
        super().__init__(initialize_fn, next_fn, next_is_multi_arg)
        result = next_fn.type_signature.result
        if getattr(result, "python_container", None) is not MeasuredProcessOutput:
            raise TemplateNotMeasuredProcessOutputError(
                f"next_fn of a MeasuredProcess returns a MeasuredProcessOutput, not {result}"
            )
