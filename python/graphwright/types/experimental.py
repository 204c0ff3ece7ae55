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
    """Given to `__tf_tracing_type__`."""


class PlaceholderContext:
    """Given to `TraceType.placeholder_value`."""


class TraceType(abc.ABC):
    """What an object counts by: two objects of equal trace types run the same graph.

    A class of trace types defines `__eq__` and `__hash__` too.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a graph made for `other` takes an object of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """Gives the narrowest type that takes this one and `others`; `None` if there is none."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: PlaceholderContext) -> Any:
        """Gives what the traced function gets in place of the object."""

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abc.abstractmethod
    def __hash__(self) -> int: ...


class SupportsTracingProtocol(abc.ABC):
    """An object that says what it counts by."""

    @abc.abstractmethod
    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """Gives the trace type."""
