"""Differential privacy: clipped values are summed, and noise is added to the sum."""

from __future__ import annotations

from typing import Any

from ... import _native, random
from .. import federated_computation, federated_map, federated_sum, federated_value, graph_computation
from ..framework import SERVER
from ..templates import AggregationProcess, MeasuredProcessOutput
from ._clipping import clipped
from ._factory import NO_STATE, UnweightedAggregationFactory, at_clients, check_numbers, mapped, no_state


class DifferentiallyPrivateFactory(UnweightedAggregationFactory):
    """Means with Gaussian noise: clipped sums with noise, divided by a number of clients that is fixed.

    The accounting of privacy is not done here; the package `dp_accounting` does it for a noise multiplier,
    the number of clients and that of rounds.

    Example:
      >>> import graphwright.federated as tff
      >>> factory = tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(1.0, 10, 1.0)
      >>> factory.create(tff.TensorType(np.float32)).is_weighted
      False

    Source: McMahan et al., "Learning Differentially Private Recurrent Language Models", 2018.
    """

    def __init__(self, noise_multiplier: float, clients_per_round: float, clip: float) -> None:
        if noise_multiplier < 0:
            raise ValueError(f"noise_multiplier is not negative, and not {noise_multiplier}")
        for name, value in (("clients_per_round", clients_per_round), ("clip", clip)):
            if not value > 0:
                raise ValueError(f"{name} is above zero, and not {value}")
        self._deviation, self._count, self._clip = noise_multiplier * clip, clients_per_round, clip

    @classmethod
    def gaussian_fixed(
        cls, noise_multiplier: float, clients_per_round: float, clip: float
    ) -> DifferentiallyPrivateFactory:
        """Returns the factory for a fixed norm.

        Args:
          noise_multiplier: the standard deviation of the noise over the norm.
          clients_per_round: divisor of the sum.
          clip: the greatest norm of a client's value.

        Returns:
          Factory.

        Raises:
          ValueError: the first is negative, or another one is not above zero.

        Example:
          >>> import graphwright.federated as tff
          >>> factory = tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(1.0, 10, 1.0)
          >>> factory.create(tff.TensorType(np.float32)).is_weighted
          False
        """
        return cls(noise_multiplier, clients_per_round, clip)

    def create(self, value_type: Any) -> AggregationProcess:
        """Returns the mean with noise of values of a type.

        Args:
          value_type: type of a client's value.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: the type holds anything but floats.

        Example:
          >>> import graphwright.federated as tff
          >>> factory = tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(1.0, 10, 1.0)
          >>> factory.create(tff.TensorType(np.float32)).is_weighted
          False
        """
        check_numbers("values with noise", value_type, "f")
        clip = clipped(self._clip, value_type)
        noisy = graph_computation(lambda total: mapped(self._noisy, total), value_type)

        def aggregated(state: Any, value: Any) -> Any:
            total = federated_sum(federated_map(clip, value))
            return MeasuredProcessOutput(state, federated_map(noisy, total), federated_value((), SERVER))

        return AggregationProcess(
            no_state, federated_computation(aggregated, NO_STATE, at_clients(value_type))
        )

    def _noisy(self, leaf: Any) -> Any:
        noise = random.normal(list(leaf.shape), 0.0, self._deviation, leaf.dtype)
        return (leaf + noise) / _native.cast(self._count, leaf.dtype)
