"""Sums and means."""

from __future__ import annotations

from typing import Any

from .. import federated_computation, federated_mean, federated_sum, federated_value
from ..framework import SERVER
from ..templates import AggregationProcess, MeasuredProcessOutput
from ._factory import (
    NO_STATE,
    UnweightedAggregationFactory,
    WeightedAggregationFactory,
    at_clients,
    check_numbers,
    no_state,
)


class SumFactory(UnweightedAggregationFactory):
    """Sums of numbers.

    Example:
      >>> import graphwright.federated as tff
      >>> process = tff.aggregators.SumFactory().create(tff.TensorType(np.float32))
      >>> float(process.next(process.initialize(), [1.0, 2.0]).result)
      3.0
    """

    def create(self, value_type: Any) -> AggregationProcess:
        """Returns the sum of values of a type.

        Args:
          value_type: type of a client's value.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: the type holds anything but numbers.

        Example:
          >>> import graphwright.federated as tff
          >>> process = tff.aggregators.SumFactory().create(tff.TensorType(np.float32))
          >>> float(process.next(process.initialize(), [1.0, 2.0]).result)
          3.0
        """
        check_numbers("values that are summed", value_type, "iufc")
        return _process(lambda value: federated_sum(value), value_type)


class UnweightedMeanFactory(UnweightedAggregationFactory):
    """Means of floats, NaN without clients.

    Example:
      >>> import graphwright.federated as tff
      >>> process = tff.aggregators.UnweightedMeanFactory().create(tff.TensorType(np.float32))
      >>> float(process.next(process.initialize(), [1.0, 4.0]).result)
      2.5
    """

    def create(self, value_type: Any) -> AggregationProcess:
        """Returns the mean of values of a type.

        Args:
          value_type: type of a client's value.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: the type holds anything but floats.

        Example:
          >>> import graphwright.federated as tff
          >>> process = tff.aggregators.UnweightedMeanFactory().create(tff.TensorType(np.float32))
          >>> float(process.next(process.initialize(), [1.0, 2.0]).result)
          1.5
        """
        check_numbers("values of which there is a mean", value_type, "f")
        return _process(lambda value: federated_mean(value), value_type)


class MeanFactory(WeightedAggregationFactory):
    """Weighted means of floats, NaN where the weights are all zero.

    Example:
      >>> import graphwright.federated as tff
      >>> number = tff.TensorType(np.float32)
      >>> process = tff.aggregators.MeanFactory().create(number, number)
      >>> float(process.next(process.initialize(), [1.0, 4.0], [1.0, 2.0]).result)
      3.0
    """

    def create(self, value_type: Any, weight_type: Any) -> AggregationProcess:
        """Returns the weighted mean of values of a type.

        Args:
          value_type: type of a client's value.
          weight_type: type of a client's weight.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: the type holds anything but floats, or weights are no numbers.

        Example:
          >>> import graphwright.federated as tff
          >>> number = tff.TensorType(np.float32)
          >>> tff.aggregators.MeanFactory().create(number, number).is_weighted
          True
        """
        check_numbers("values of which there is a mean", value_type, "f")
        check_numbers("weights", weight_type, "if")
        return _process(federated_mean, value_type, weight_type)


def _process(aggregate: Any, *types: Any) -> AggregationProcess:
    placed = [at_clients(one) for one in types]

    def summed(state: Any, value: Any) -> Any:
        return MeasuredProcessOutput(state, aggregate(value), federated_value((), SERVER))

    def weighted(state: Any, value: Any, weight: Any) -> Any:
        return MeasuredProcessOutput(state, aggregate(value, weight), federated_value((), SERVER))

    body = summed if len(types) == 1 else weighted
    return AggregationProcess(no_state, federated_computation(body, NO_STATE, *placed))
