"""Clipping: values of clients are shortened to a norm before they are aggregated."""

from __future__ import annotations

from typing import Any

from ... import _native
from .. import federated_computation, federated_map, graph_computation
from ..templates import AggregationProcess
from ._factory import (
    UnweightedAggregationFactory,
    WeightedAggregationFactory,
    at_clients,
    check_numbers,
    global_norm,
    mapped,
)


def clipping_factory(
    norm: float, inner: UnweightedAggregationFactory | WeightedAggregationFactory
) -> UnweightedAggregationFactory | WeightedAggregationFactory:
    """Returns the factory of an aggregation of values whose L2 norm, of all tensors, is at most so great.

    Args:
      norm: the greatest norm; longer values are scaled down to it.
      inner: aggregates the clipped values.

    Returns:
      Factory.

    Raises:
      ValueError: the norm is not above zero.

    Example:
      >>> import graphwright.federated as tff
      >>> factory = tff.aggregators.clipping_factory(1.0, tff.aggregators.SumFactory())
      >>> process = factory.create(tff.TensorType(np.float32))
      >>> float(process.next(process.initialize(), [0.5, 3.0]).result)
      1.5
    """
    if not norm > 0:
        raise ValueError(f"norm is above zero, and not {norm}")
    if isinstance(inner, WeightedAggregationFactory):
        return _WeightedClippingFactory(norm, inner)
    return _ClippingFactory(norm, inner)


class _ClippingFactory(UnweightedAggregationFactory):
    def __init__(self, norm: float, inner: UnweightedAggregationFactory) -> None:
        self._norm, self._inner = norm, inner

    def create(self, value_type: Any) -> AggregationProcess:
        """Returns the aggregation of clipped values of a type; `TypeError` for other than floats."""
        check_numbers("values that are clipped", value_type, "f")
        inner, clip = self._inner.create(value_type), clipped(self._norm, value_type)

        def aggregated(state: Any, value: Any) -> Any:
            return inner.next(state, federated_map(clip, value))

        types = inner.state_type, at_clients(value_type)
        return AggregationProcess(inner.initialize, federated_computation(aggregated, *types))


class _WeightedClippingFactory(WeightedAggregationFactory):
    def __init__(self, norm: float, inner: WeightedAggregationFactory) -> None:
        self._norm, self._inner = norm, inner

    def create(self, value_type: Any, weight_type: Any) -> AggregationProcess:
        """Returns the aggregation of clipped values and weights; `TypeError` for other than floats."""
        check_numbers("values that are clipped", value_type, "f")
        inner, clip = self._inner.create(value_type, weight_type), clipped(self._norm, value_type)

        def aggregated(state: Any, value: Any, weight: Any) -> Any:
            return inner.next(state, federated_map(clip, value), weight)

        types = inner.state_type, at_clients(value_type), at_clients(weight_type)
        return AggregationProcess(inner.initialize, federated_computation(aggregated, *types))


def clipped(norm: float, value_type: Any) -> Any:
    """Returns the graph computation that scales a value down to a norm."""

    def clip(value: Any) -> Any:
        factor = norm / _native.maximum(global_norm(value), norm)
        return mapped(lambda leaf: leaf * _native.cast(factor, leaf.dtype), value)

    return graph_computation(clip, value_type)
