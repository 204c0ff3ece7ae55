"""Parts of factories of aggregations: their interface, types of values, and structures of tensors."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from ... import _native
from .. import federated_computation, federated_value
from ..framework import CLIENTS, SERVER, FederatedType, StructType, TensorType
from ..program import _structures
from ..templates import AggregationProcess


class UnweightedAggregationFactory(abc.ABC):
    """Makes aggregations of values of a type.

    Example:
      >>> import graphwright.federated as tff
      >>> factory = tff.aggregators.SumFactory()
      >>> process = factory.create(tff.TensorType(np.float32))
      >>> state = process.initialize()
      >>> isinstance(factory, tff.aggregators.UnweightedAggregationFactory)
      True
      >>> float(process.next(state, [1.0, 2.0]).result)
      3.0
    """

    @abc.abstractmethod
    def create(self, value_type: Any) -> AggregationProcess:
        """Returns the aggregation of values of a type.

        Args:
          value_type: type of a client's value.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: it cannot be aggregated.

        Example:
          >>> import graphwright.federated as tff
          >>> process = tff.aggregators.SumFactory().create(tff.TensorType(np.float32))
          >>> str(process.next.type_signature.parameter)
          '<state=<>@SERVER,value={float32}@CLIENTS>'
        """


class WeightedAggregationFactory(abc.ABC):
    """Makes aggregations of values with weights.

    Example:
      >>> import graphwright.federated as tff
      >>> factory = tff.aggregators.MeanFactory()
      >>> process = factory.create(tff.TensorType(np.float32), tff.TensorType(np.float32))
      >>> state = process.initialize()
      >>> float(process.next(state, [1.0, 4.0], [2.0, 1.0]).result)
      2.0
    """

    @abc.abstractmethod
    def create(self, value_type: Any, weight_type: Any) -> AggregationProcess:
        """Returns the aggregation of values and weights of these types.

        Args:
          value_type: type of a client's value.
          weight_type: type of a client's weight.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: they cannot be aggregated.

        Example:
          >>> import graphwright.federated as tff
          >>> number = tff.TensorType(np.float32)
          >>> tff.aggregators.MeanFactory().create(number, number).is_weighted
          True
        """


@federated_computation
def no_state() -> Any:
    """The state of what has none."""
    return federated_value((), SERVER)


#: The type of the state of what has none.
NO_STATE = no_state.type_signature.result


def at_clients(type_spec: Any) -> Any:
    """Returns the type of a value of each client's own."""
    return FederatedType(type_spec, CLIENTS)


def leaves(type_spec: Any) -> list[Any]:
    """Returns the tensor types in a type; what is none comes as it is."""
    if isinstance(type_spec, StructType):
        return [leaf for _, part in type_spec.items() for leaf in leaves(part)]
    return [type_spec]


def check_numbers(name: str, type_spec: Any, kinds: str) -> None:
    """Raises `TypeError` if a type holds anything but tensors of these kinds of dtypes."""
    for leaf in leaves(type_spec):
        if not isinstance(leaf, TensorType) or np.dtype(leaf.dtype).kind not in kinds:
            wanted = {"f": "floats", "i": "integers", "if": "numbers", "iuf": "numbers", "iufc": "numbers"}[
                kinds
            ]
            raise TypeError(f"{name} are {wanted}, and this type is {type_spec}")


def mapped(func: Any, value: Any) -> Any:
    """Returns what a function gives of each tensor of a structure."""
    return _structures.mapped(func, value)


def tensors(value: Any) -> list[Any]:
    """Returns the tensors of a structure."""
    return [leaf for _, leaf in _structures.leaves(value)]


def global_norm(value: Any) -> Any:
    """Returns the L2 norm of all tensors of a structure together, as float32."""
    squares = [_native.reduce_sum(_native.cast(one, _native.float32) ** 2) for one in tensors(value)]
    total = squares[0]
    for one in squares[1:]:
        total = total + one
    return _native.sqrt(total)
