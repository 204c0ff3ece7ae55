"""Arguments of computations: values of clients, and how many clients there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import _native
from .containers import items_of
from .language import CLIENTS, FederatedType, StructType


def at_clients(type_spec: Any) -> bool:
    """Returns True if each client has a value of its own of a type."""
    return isinstance(type_spec, FederatedType) and type_spec.placement == CLIENTS and not type_spec.all_equal


def client_values(type_spec: Any, value: Any) -> Any:
    """Returns the values of clients as a sequence.

    Raises:
      TypeError: it is no list, tuple, range, array or tensor.

    Example: `client_values(FederatedType(np.int32, CLIENTS), range(3))`.
    """
    if isinstance(value, (list, tuple, range)):
        return value
    if isinstance(value, _native.Tensor):
        value = value.numpy()
    if isinstance(value, np.ndarray) and value.ndim:
        return value
    raise TypeError(
        f"expected a list with a value for each client, for {type_spec}, got {value!r:.60} of type "
        f"{type(value).__name__}"
    )


def elements(type_spec: Any, value: Any, where: str = "the argument") -> list[Any]:
    """Returns the elements of a struct that holds placed values."""
    return items_of(tuple(name for name, _ in type_spec.items()), value, where)


def cardinality(type_spec: Any, value: Any, otherwise: int) -> int:
    """Returns how many clients the values of an argument are for; without such values, a default.

    Raises:
      ValueError: `Conflicting cardinalities for CLIENTS: 3 vs 2`.

    Example: `cardinality(FederatedType(np.int32, CLIENTS), [1, 2], 0)` is 2.
    """
    count: int | None = None
    for found in () if type_spec is None else _counts(type_spec, value):
        if count is not None and found != count:
            raise ValueError(f"Conflicting cardinalities for CLIENTS: {found} vs {count}")
        count = found
    return otherwise if count is None else count


def _counts(type_spec: Any, value: Any) -> Iterator[int]:
    if at_clients(type_spec):
        yield len(client_values(type_spec, value))
    elif isinstance(type_spec, StructType) and _holds_clients(type_spec):
        for (_, part), item in zip(type_spec.items(), elements(type_spec, value), strict=True):
            yield from _counts(part, item)


def _holds_clients(type_spec: Any) -> bool:
    if isinstance(type_spec, StructType):
        return any(_holds_clients(part) for _, part in type_spec.items())
    return at_clients(type_spec)
