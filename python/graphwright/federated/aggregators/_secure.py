"""Secure sums: the server adds up masked values, and sees none of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _native
from .. import (
    federated_computation,
    federated_map,
    federated_secure_sum,
    federated_sum,
    federated_value,
    federated_zip,
    graph_computation,
)
from ..framework import CLIENTS, SERVER
from ..templates import AggregationProcess, MeasuredProcessOutput
from ._factory import (
    NO_STATE,
    UnweightedAggregationFactory,
    at_clients,
    check_numbers,
    leaves,
    mapped,
    no_state,
)

#: Floats become integers of so many steps.
_STEPS = 2**32 - 1


class SecureSumFactory(UnweightedAggregationFactory):
    """Secure sums of values that are clipped to a range.

    Floats are rounded to one of 2**32 steps of the range first.

    Args:
      upper_bound_threshold: the greatest value.
      lower_bound_threshold: the least value; minus the greatest, if not given.

    Raises:
      ValueError: the least value is not below the greatest.

    Example:
      >>> import graphwright.federated as tff
      >>> process = tff.aggregators.SecureSumFactory(100).create(tff.TensorType(np.int32))
      >>> int(process.next(process.initialize(), [1, 2]).result)
      3
    """

    def __init__(self, upper_bound_threshold: float, lower_bound_threshold: float | None = None) -> None:
        lower = -upper_bound_threshold if lower_bound_threshold is None else lower_bound_threshold
        if not lower < upper_bound_threshold:
            raise ValueError(f"the least value, {lower}, is not below the greatest, {upper_bound_threshold}")
        self._upper, self._lower = upper_bound_threshold, lower

    def create(self, value_type: Any) -> AggregationProcess:
        """Returns the secure sum of values of a type.

        Args:
          value_type: type of a client's value.

        Returns:
          `AggregationProcess`.

        Raises:
          TypeError: the type holds anything but integers, or anything but floats.

        Example:
          >>> import graphwright.federated as tff
          >>> process = tff.aggregators.SecureSumFactory(100).create(tff.TensorType(np.int32))
          >>> float(process.next(process.initialize(), [1, 2]).result)
          3.0
        """
        is_whole = np.dtype(leaves(value_type)[0].dtype).kind == "i"
        check_numbers("values of a secure sum", value_type, "i" if is_whole else "f")
        encode = graph_computation(self._encoder(is_whole), value_type)
        total_type, count_type = encode.type_signature.result, np.int64
        decode = graph_computation(self._decoder(is_whole), total_type, count_type)
        cast = graph_computation(_cast_like(value_type), decode.type_signature.result)
        bound = int(self._upper) - int(self._lower) if is_whole else _STEPS

        def summed(state: Any, value: Any) -> Any:
            count = federated_sum(federated_map(_one, federated_value(0, CLIENTS)))
            total = federated_secure_sum(federated_map(encode, value), bound)
            result = federated_map(cast, federated_map(decode, federated_zip((total, count))))
            return MeasuredProcessOutput(state, result, federated_value((), SERVER))

        return AggregationProcess(no_state, federated_computation(summed, NO_STATE, at_clients(value_type)))

    def _encoder(self, is_whole: bool) -> Any:
        """Returns the function that makes integers from zero on of a client's value."""

        def whole(leaf: Any) -> Any:
            wide = _native.cast(leaf, _native.int64)
            clipped = _native.minimum(_native.maximum(wide, int(self._lower)), int(self._upper))
            return clipped - int(self._lower)

        def steps(leaf: Any) -> Any:
            wide = _native.cast(leaf, _native.float64)
            clipped = _native.minimum(_native.maximum(wide, float(self._lower)), float(self._upper))
            scale = _STEPS / (self._upper - self._lower)
            return _native.cast(_native.round((clipped - float(self._lower)) * scale), _native.int64)

        return lambda value: mapped(whole if is_whole else steps, value)

    def _decoder(self, is_whole: bool) -> Any:
        """Returns the function that makes the sum of the values of the sum of integers, and their number."""

        def whole(leaf: Any, count: Any) -> Any:
            return leaf + count * int(self._lower)

        def steps(leaf: Any, count: Any) -> Any:
            scale = (self._upper - self._lower) / _STEPS
            return (
                _native.cast(leaf, _native.float64) * scale
                + _native.cast(count, _native.float64) * self._lower
            )

        one = whole if is_whole else steps
        return lambda total, count: mapped(lambda leaf: one(leaf, count), total)


_one = graph_computation(lambda zero: _native.cast(zero, _native.int64) + 1, np.int32)


def _cast_like(value_type: Any) -> Any:
    """Returns the function that gives each tensor the dtype that a type has in its place."""
    dtypes = [_native.as_dtype(np.dtype(leaf.dtype)) for leaf in leaves(value_type)]

    def cast(value: Any) -> Any:
        places = iter(dtypes)
        return mapped(lambda leaf: _native.cast(leaf, next(places)), value)

    return cast
