"""`AggregationProcess`: a measured process that makes one value at the server of the clients' values."""

from __future__ import annotations

from typing import Any

from ..framework import CLIENTS, SERVER, FederatedType, StructType
from ._measured import MeasuredProcess
from .errors import TemplateNextFnNumArgsError, TemplateNotFederatedError, TemplatePlacementError


class AggregationProcess(MeasuredProcess):
    """A process whose `next` takes a state at the server, values at the clients, and weights or none.

    Args:
      initialize_fn: computation of the first state.
      next_fn: computation of a state, values, and weights or none.

    Raises:
      TemplateNextFnNumArgsError: `next_fn` takes neither two nor three arguments.
      TemplateNotFederatedError: a state, value, result or measurement is not federated.
      TemplatePlacementError: one of them is at the wrong placement.
      TypeError: as for a `MeasuredProcess`.

    Example:
      >>> import graphwright.federated as tff
      >>> process = tff.aggregators.SumFactory().create(tff.TensorType(np.float32))
      >>> isinstance(process, tff.templates.AggregationProcess)
      True
    """

    def __init__(self, initialize_fn: Any, next_fn: Any) -> None:
        super().__init__(initialize_fn, next_fn, next_is_multi_arg=True)
        parameter, result = next_fn.type_signature.parameter, next_fn.type_signature.result
        if not isinstance(parameter, StructType) or len(parameter) not in (2, 3):
            raise TemplateNextFnNumArgsError(
                f"next_fn of an AggregationProcess takes a state, values and at most weights, not {parameter}"
            )
        _check_placement("the state", initialize_fn.type_signature.result, SERVER)
        for name, part in zip(
            ("the values", "the weights"), [part for _, part in parameter.items()][1:], strict=False
        ):
            _check_placement(name, part, CLIENTS)
        for name in ("result", "measurements"):
            _check_placement(f"`{name}`", dict(result.items())[name], SERVER)
        self._is_weighted = len(parameter) == 3

    @property
    def is_weighted(self) -> bool:
        """True if `next` takes weights."""
        return self._is_weighted


def _check_placement(name: str, type_spec: Any, placement: Any) -> None:
    if not isinstance(type_spec, FederatedType):
        raise TemplateNotFederatedError(f"{name} of an AggregationProcess is at {placement}, not {type_spec}")
    if type_spec.placement != placement:
        raise TemplatePlacementError(f"{name} of an AggregationProcess is at {placement}, not {type_spec}")
