"""Contexts of programs: calls give references at once, and clients' values stay where they are."""

from __future__ import annotations

import abc
import asyncio
from collections.abc import Awaitable
from typing import Any

from ... import _native
from ..framework import (
    SERVER,
    FederatedType,
    SequenceType,
    StructType,
    TensorType,
    get_context_stack,
)
from . import _structures
from ._values import NativeValueReference, materialize_value


class FederatedContext(abc.ABC):
    """A context whose `invoke` gives a structure of `MaterializableValueReference` at once.

    Example:
      >>> import graphwright.federated as tff
      >>> import asyncio
      >>> six = tff.graph_computation(lambda: 6)
      >>> async def main():
      ...     context = tff.program.NativeFederatedContext(tff.create_async_local_execution_context())
      ...     return isinstance(context, tff.program.FederatedContext)
      >>> asyncio.run(main())
      True
    """

    @abc.abstractmethod
    def invoke(self, comp: Any, arg: Any) -> Any:
        """Returns references to the result of a computation.

        Args:
          comp: computation.
          arg: argument, which may hold references.

        Returns:
          Structure of references.

        Raises:
          ValueError: the result holds values of clients.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio
          >>> six = tff.graph_computation(lambda: 6)
          >>> async def main():
          ...     context = tff.program.NativeFederatedContext(tff.create_async_local_execution_context())
          ...     reference = context.invoke(six, None)
          ...     return str(reference.type_signature), int(await reference.get_value())
          >>> asyncio.run(main())
          ('int32', 6)
        """


class NativeFederatedContext(FederatedContext):
    """A context of programs on top of an asynchronous context, in a running event loop.

    Args:
      ctx: the context that computes, such as `create_async_local_execution_context()`.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> six = tff.graph_computation(lambda: 6)
      >>> async def main():
      ...     context = tff.program.NativeFederatedContext(tff.create_async_local_execution_context())
      ...     with tff.framework.get_context_stack().install(context):
      ...         return int(await tff.program.materialize_value(six()))
      >>> asyncio.run(main())
      6
    """

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    def invoke(self, comp: Any, arg: Any) -> Any:
        """Returns references to the result; arguments may hold references too.

        While a graph is traced, the computation becomes part of it, and its value there is returned.

        Args:
          comp: computation.
          arg: argument, which may hold references.

        Returns:
          Structure of references.

        Example:
          >>> import graphwright.federated as tff
          >>> import asyncio
          >>> six = tff.graph_computation(lambda: 6)
          >>> async def main():
          ...     context = tff.program.NativeFederatedContext(tff.create_async_local_execution_context())
          ...     reference = context.invoke(six, None)
          ...     return str(reference.type_signature), int(await reference.get_value())
          >>> asyncio.run(main())
          ('int32', 6)
        """
        if not _native.executing_eagerly():
            return self._ctx.invoke(comp, arg)
        result = comp.type_signature.result
        if not contains_only_server_placed_data(result):
            raise ValueError(
                "a program gets structures, values at the server and tensors, and this computation gives "
                f"{result}"
            )
        return _references(asyncio.ensure_future(self._run(comp, arg)), result)

    async def _run(self, comp: Any, arg: Any) -> Any:
        return await self._ctx.invoke(comp, await materialize_value(arg))


def contains_only_server_placed_data(type_spec: Any) -> bool:
    """Returns True if a value of a type holds nothing of clients, and no functions.

    Args:
      type_spec: `tff.Type`.

    Returns:
      bool.

    Example:
      >>> import graphwright.federated as tff
      >>> tff.program.contains_only_server_placed_data(tff.FederatedType(np.int32, tff.SERVER))
      True
    """
    if isinstance(type_spec, StructType):
        return all(contains_only_server_placed_data(part) for _, part in type_spec.items())
    if isinstance(type_spec, FederatedType):
        return bool(type_spec.placement == SERVER)
    return isinstance(type_spec, (TensorType, SequenceType))


def check_in_federated_context() -> None:
    """Raises `ValueError` if the current context is none of programs.

    Returns:
      Nothing.

    Raises:
      ValueError: the context is none of programs.

    Example:
      >>> import graphwright.federated as tff
      >>> try:
      ...     tff.program.check_in_federated_context()
      ... except ValueError:
      ...     print("no context of programs")
      no context of programs
    """
    if not isinstance(get_context_stack().current, FederatedContext):
        raise ValueError("the current context is no `FederatedContext`: install one, or make it the default")


def _references(task: Awaitable[Any], type_spec: Any) -> Any:
    if isinstance(type_spec, FederatedType):
        return _references(task, type_spec.member)
    if not isinstance(type_spec, StructType):
        return NativeValueReference(task, type_spec)
    from .._execution.containers import maker

    pairs = list(type_spec.items())
    items = [_references(asyncio.ensure_future(_part(task, at)), part) for at, (_, part) in enumerate(pairs)]
    names = tuple(name for name, _ in pairs)
    container = getattr(type_spec, "python_container", None)
    return maker(names, container)(items)


async def _part(task: Awaitable[Any], at: int) -> Any:
    parts = _structures.parts_of(await task)
    assert parts is not None
    return parts[at][1]
