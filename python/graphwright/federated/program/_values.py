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
      >>> class Known(tff.program.MaterializableValueReference):
      ...     type_signature = tff.TensorType(np.int32)
      ...     async def get_value(self):
      ...         return 7
      >>> import asyncio
      >>> asyncio.run(tff.program.materialize_value([Known(), 8]))
      [7, 8]
    """

    @property
    @abc.abstractmethod
    def type_signature(self) -> Any:
        """The type of the value."""

    @abc.abstractmethod
    async def get_value(self) -> Any:
        """Returns the value when it is there; an exception of its computation is raised here.

        Returns:
          The value, when awaited.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio
          >>> async def main():
          ...     task = asyncio.ensure_future(asyncio.sleep(0, result=7))
          ...     return await tff.program.NativeValueReference(task, tff.TensorType(np.int32)).get_value()
          >>> asyncio.run(main())
          7
        """


class NativeValueReference(MaterializableValueReference):
    """A reference to a part of the result of a task of this process.

    Args:
      task: task that computes.
      type_signature: type of the value.

    Example:
      >>> import graphwright.federated as tff
      >>> import asyncio
      >>> async def main():
      ...     task = asyncio.ensure_future(asyncio.sleep(0, result=7))
      ...     reference = tff.program.NativeValueReference(task, tff.TensorType(np.int32))
      ...     return str(reference.type_signature)
      >>> asyncio.run(main())
      'int32'
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
          >>> import asyncio
          >>> async def main():
          ...     task = asyncio.ensure_future(asyncio.sleep(0, result=7))
          ...     return await tff.program.NativeValueReference(task, tff.TensorType(np.int32)).get_value()
          >>> asyncio.run(main())
          7
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
