"""The protocol by which an object says what a function counts it by."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from .._native import BoundFunction, ConcreteFunction, Function

__all__ = [
    "BoundFunction",
    "ConcreteFunction",
    "Function",
    "PlaceholderContext",
    "SupportsTracingProtocol",
    "TraceType",
    "TracingContext",
]


class TracingContext:
    """Given to `__tf_tracing_type__`.

    Example:
      >>> gw.types.experimental.TracingContext.__name__
      'TracingContext'
    """


class PlaceholderContext:
    """Given to `TraceType.placeholder_value`.

    Example:
      >>> gw.types.experimental.PlaceholderContext.__name__
      'PlaceholderContext'
    """


class TraceType(abc.ABC):
    """What an object counts by: two objects of equal trace types run the same graph.

    A class of trace types defines `__eq__` and `__hash__` too.

    Example:
      >>> gw.types.experimental.TraceType.__name__
      'TraceType'
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Tells whether a graph made for `other` takes an object of this type.

        Args:
          other: trace type.

        Returns:
          bool.

        Example:
          >>> callable(gw.types.experimental.TraceType.is_subtype_of)
          True
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """Returns the narrowest type that takes this one and others.

        Args:
          others: list of trace types.

        Returns:
          Trace type, or `None` if there is none.

        Example:
          >>> callable(gw.types.experimental.TraceType.most_specific_common_supertype)
          True
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: PlaceholderContext) -> Any:
        """Returns what the traced function gets in place of the object.

        Args:
          placeholder_context: `PlaceholderContext`.

        Returns:
          Any object.

        Example:
          >>> callable(gw.types.experimental.TraceType.placeholder_value)
          True
        """

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abc.abstractmethod
    def __hash__(self) -> int: ...


class SupportsTracingProtocol(abc.ABC):
    """An object that says what it counts by.

    Example:
      >>> class Grid:
      ...     def __tf_tracing_type__(self, context):
      ...         return None
      >>> isinstance(Grid(), gw.types.experimental.SupportsTracingProtocol)
      False
    """

    @abc.abstractmethod
    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """Gives the trace type."""
