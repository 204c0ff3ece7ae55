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
      >>> class Length(gw.types.experimental.TraceType):
      ...     def __init__(self, n):
      ...         self.n = n
      ...     def __eq__(self, other):
      ...         return isinstance(other, Length) and self.n == other.n
      ...     def __hash__(self):
      ...         return hash(self.n)
      ...     def is_subtype_of(self, other):
      ...         return self == other
      ...     def most_specific_common_supertype(self, others):
      ...         return None
      ...     def placeholder_value(self, context):
      ...         return [0] * self.n
      >>> class Row:
      ...     def __init__(self, n):
      ...         self.n = n
      ...     def __tf_tracing_type__(self, context):
      ...         seen.append(isinstance(context, gw.types.experimental.TracingContext))
      ...         return Length(self.n)
      >>> seen = []
      >>> width = gw.function(lambda row: len(row))
      >>> int(width(Row(3))), all(seen)
      (3, True)
    """


class PlaceholderContext:
    """Given to `TraceType.placeholder_value`.

    Example:
      >>> class Length(gw.types.experimental.TraceType):
      ...     def __init__(self, n):
      ...         self.n = n
      ...     def __eq__(self, other):
      ...         return isinstance(other, Length) and self.n == other.n
      ...     def __hash__(self):
      ...         return hash(self.n)
      ...     def is_subtype_of(self, other):
      ...         return self == other
      ...     def most_specific_common_supertype(self, others):
      ...         return None
      ...     def placeholder_value(self, context):
      ...         seen.append(isinstance(context, gw.types.experimental.PlaceholderContext))
      ...         return [0] * self.n
      >>> class Row:
      ...     def __init__(self, n):
      ...         self.n = n
      ...     def __tf_tracing_type__(self, context):
      ...         return Length(self.n)
      >>> seen = []
      >>> width = gw.function(lambda row: len(row))
      >>> int(width(Row(3))), all(seen)
      (3, True)
    """


class TraceType(abc.ABC):
    """The type that an object counts by: two objects of equal trace types run the same graph.

    A class of trace types defines `__eq__` and `__hash__` too.

    Example:
      >>> class Length(gw.types.experimental.TraceType):
      ...     def __init__(self, n):
      ...         self.n = n
      ...     def __eq__(self, other):
      ...         return isinstance(other, Length) and self.n == other.n
      ...     def __hash__(self):
      ...         return hash(self.n)
      ...     def is_subtype_of(self, other):
      ...         return self == other
      ...     def most_specific_common_supertype(self, others):
      ...         return self if all(self == other for other in others) else None
      ...     def placeholder_value(self, placeholder_context):
      ...         return [0] * self.n
      >>> Length(3) == Length(3), Length(3) == Length(4)
      (True, False)
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Tells whether a graph made for `other` takes an object of this type.

        Args:
          other: trace type.

        Returns:
          bool.

        Example:
          >>> class Length(gw.types.experimental.TraceType):
          ...     def __init__(self, n):
          ...         self.n = n
          ...     def __eq__(self, other):
          ...         return isinstance(other, Length) and self.n == other.n
          ...     def __hash__(self):
          ...         return hash(self.n)
          ...     def is_subtype_of(self, other):
          ...         return self == other
          ...     def most_specific_common_supertype(self, others):
          ...         return self if all(self == other for other in others) else None
          ...     def placeholder_value(self, placeholder_context):
          ...         return [0] * self.n
          >>> Length(3).is_subtype_of(Length(3)), Length(3).is_subtype_of(Length(4))
          (True, False)
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """Returns the narrowest type that takes this one and others.

        Args:
          others: list of trace types.

        Returns:
          Trace type, or `None` if there is none.

        Example:
          >>> class Length(gw.types.experimental.TraceType):
          ...     def __init__(self, n):
          ...         self.n = n
          ...     def __eq__(self, other):
          ...         return isinstance(other, Length) and self.n == other.n
          ...     def __hash__(self):
          ...         return hash(self.n)
          ...     def is_subtype_of(self, other):
          ...         return self == other
          ...     def most_specific_common_supertype(self, others):
          ...         return self if all(self == other for other in others) else None
          ...     def placeholder_value(self, placeholder_context):
          ...         return [0] * self.n
          >>> Length(3).most_specific_common_supertype([Length(4)]) is None
          True
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: PlaceholderContext) -> Any:
        """Returns the value that the traced function gets in place of the object.

        Args:
          placeholder_context: `PlaceholderContext`.

        Returns:
          Any object.

        Example:
          >>> class Length(gw.types.experimental.TraceType):
          ...     def __init__(self, n):
          ...         self.n = n
          ...     def __eq__(self, other):
          ...         return isinstance(other, Length) and self.n == other.n
          ...     def __hash__(self):
          ...         return hash(self.n)
          ...     def is_subtype_of(self, other):
          ...         return self == other
          ...     def most_specific_common_supertype(self, others):
          ...         return self if all(self == other for other in others) else None
          ...     def placeholder_value(self, placeholder_context):
          ...         return [0] * self.n
          >>> Length(3).placeholder_value(gw.types.experimental.PlaceholderContext())
          [0, 0, 0]
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
