"""References to values that are being computed, and the values themselves."""

from __future__ import annotations

import abc
import asyncio
from collections.abc import Awaitable
from typing import Any

from . import _structures


class MaterializableValueReference(abc.ABC):
    """A reference to a value that may not be there yet.

    Example:
      >>> import graphwright.federated as tff
      >>> issubclass(tff.program.NativeValueReference, tff.program.MaterializableValueReference)
      True
    """

    @property
    @abc.abstractmethod
    def type_signature(self) -> Any:
        """The type of the value."""

    @abc.abstractmethod
    async def get_value(self) -> Any:
        """Returns the value when it is there; what computing it raises is raised here.

        Returns:
          The value, when awaited.

        Example:
          >>> import graphwright.federated as tff
          >>> callable(tff.program.MaterializableValueReference.get_value)
          True
        """


class NativeValueReference(MaterializableValueReference):
    """A reference to a part of what a task of this process gives.

    Args:
      task: task that computes.
      type_signature: type of the value.

    Example:
      >>> import graphwright.federated as tff
      >>> tff.program.NativeValueReference.__name__
      'NativeValueReference'
    """

    def __init__(self, task: Awaitable[Any], type_signature: Any) -> None:
        self._task, self._type_signature = task, type_signature

    @property
    def type_signature(self) -> Any:
        """The type of the value."""
        return self._type_signature

    async def get_value(self) -> Any:
        """Returns the value when it is there.

        Returns:
          The value, when awaited.

        Example:
          >>> import graphwright.federated as tff
          >>> callable(tff.program.NativeValueReference.get_value)
          True
        """
        return await self._task


async def materialize_value(value: Any) -> Any:
    """Returns a structure with the values of the references in it.

    Args:
      value: structure of values and references.

    Returns:
      Structure of values, when awaited.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> asyncio.run(tff.program.materialize_value([1, 2]))
      [1, 2]
    """
    references = [
        leaf for _, leaf in _structures.leaves(value) if isinstance(leaf, MaterializableValueReference)
    ]
    found = await asyncio.gather(*[reference.get_value() for reference in references])
    by_reference = {id(reference): one for reference, one in zip(references, found, strict=True)}
    return _structures.mapped(lambda leaf: by_reference.get(id(leaf), leaf), value)
