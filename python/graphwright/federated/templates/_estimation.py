"""`EstimationProcess`: an iterative process with a report of its state."""

from __future__ import annotations

from typing import Any

from .. import framework
from ._iterative import IterativeProcess, _check_computation
from .errors import TemplateStateNotAssignableError


class EstimationProcess(IterativeProcess):
    """A process whose state holds an estimate, which `report` gives.

    Args:
      initialize_fn: a computation without a parameter that makes a state.
      next_fn: a computation that takes a state a round further.
      report_fn: a computation that gives the estimate in a state.
      next_is_multi_arg: as for an `IterativeProcess`.

    Raises:
      TemplateStateNotAssignableError: the state does not fit the parameter of `report_fn`.
      TypeError: as for an `IterativeProcess`.

    Example:
      >>> import graphwright.federated as tff
      >>> start = tff.federated_computation(lambda: tff.federated_value(0.0, tff.SERVER))
      >>> state = tff.FederatedType(np.float32, tff.SERVER)
      >>> half = tff.graph_computation(lambda x: x / 2 + 1, np.float32)
      >>> double = tff.graph_computation(lambda x: x * 2, np.float32)
      >>> step = tff.federated_computation(lambda x: tff.federated_map(half, x), state)
      >>> report = tff.federated_computation(lambda x: tff.federated_map(double, x), state)
      >>> process = tff.templates.EstimationProcess(start, step, report)
      >>> float(process.report(process.next(process.initialize())))
      2.0
    """

    def __init__(
        self, initialize_fn: Any, next_fn: Any, report_fn: Any, next_is_multi_arg: bool | None = None
    ) -> None:
        super().__init__(initialize_fn, next_fn, next_is_multi_arg)
        _check_computation("report_fn", report_fn)
        wanted = report_fn.type_signature.parameter
        if wanted is None or not wanted.is_assignable_from(self.state_type):
            raise TemplateStateNotAssignableError(
                f"the state, {self.state_type}, does not fit what report_fn takes, {wanted}"
            )
        self._report, self._is_multi_arg = report_fn, next_is_multi_arg

    @property
    def report(self) -> Any:
        """The computation that gives the estimate in a state."""
        return self._report

    def map(self, map_fn: Any) -> EstimationProcess:
        """Returns the process that reports the result of a computation on the estimate.

        Args:
          map_fn: computation of the estimate.

        Returns:
          `EstimationProcess`.

        Raises:
          TypeError: the estimate does not fit the parameter of `map_fn`.

        Example:
          >>> import graphwright.federated as tff
          >>> start = tff.federated_computation(lambda: tff.federated_value(0.0, tff.SERVER))
          >>> state = tff.FederatedType(np.float32, tff.SERVER)
          >>> half = tff.graph_computation(lambda x: x / 2 + 1, np.float32)
          >>> double = tff.graph_computation(lambda x: x * 2, np.float32)
          >>> step = tff.federated_computation(lambda x: tff.federated_map(half, x), state)
          >>> report = tff.federated_computation(lambda x: tff.federated_map(double, x), state)
          >>> process = tff.templates.EstimationProcess(start, step, report)
          >>> negated = process.map(tff.graph_computation(lambda x: -x, np.float32))
          >>> float(negated.report(process.next(process.initialize())))
          -2.0
        """
        _check_computation("map_fn", map_fn)
        wanted, estimate = map_fn.type_signature.parameter, self._report.type_signature.result
        report = self._report
        if wanted is not None and wanted.is_assignable_from(estimate):
            mapped = framework.federated_computation(lambda state: map_fn(report(state)), self.state_type)
        elif wanted is not None and wanted.is_assignable_from(getattr(estimate, "member", estimate)):
            from .. import federated_map

            mapped = framework.federated_computation(
                lambda state: federated_map(map_fn, report(state)), self.state_type
            )
        else:
            raise TypeError(f"what report gives, {estimate}, does not fit what map_fn takes, {wanted}")
        return EstimationProcess(self.initialize, self.next, mapped, self._is_multi_arg)
