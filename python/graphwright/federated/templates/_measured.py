"""`MeasuredProcess`: an iterative process whose rounds give a state, a result and measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._iterative import IterativeProcess
from .errors import TemplateNotMeasuredProcessOutputError


@dataclass(frozen=True)
class MeasuredProcessOutput:
    """The result of a round.

    Args:
      state: the state behind a round.
      result: its result.
      measurements: measured values.

    Example:
      >>> import graphwright.federated as tff
      >>> tff.templates.MeasuredProcessOutput(state=1, result=2, measurements=()).result
      2
    """

    state: Any
    result: Any
    measurements: Any


class MeasuredProcess(IterativeProcess):
    """A process whose `next` returns a `MeasuredProcessOutput`.

    Args:
      initialize_fn: computation of the first state.
      next_fn: computation that returns a `MeasuredProcessOutput`.
      next_is_multi_arg: whether `next` takes more than the state; read off its type if it is `None`.

    Raises:
      TemplateNotMeasuredProcessOutputError: `next_fn` returns something else.
      TypeError: as for an `IterativeProcess`.

    Example:
      >>> import graphwright.federated as tff
      >>> process = tff.aggregators.SumFactory().create(tff.TensorType(np.float32))
      >>> isinstance(process, tff.templates.MeasuredProcess)
      True
    """

    def __init__(self, initialize_fn: Any, next_fn: Any, next_is_multi_arg: bool | None = None) -> None:
        super().__init__(initialize_fn, next_fn, next_is_multi_arg)
        result = next_fn.type_signature.result
        if getattr(result, "python_container", None) is not MeasuredProcessOutput:
            raise TemplateNotMeasuredProcessOutputError(
                f"next_fn of a MeasuredProcess returns a MeasuredProcessOutput, not {result}"
            )
