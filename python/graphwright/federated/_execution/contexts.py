"""Contexts that execute computations where they are called; importing this module installs the local one."""

from __future__ import annotations

import contextvars
from typing import Any

from ... import _native
from .executors import threads
from .factories import ExecutorFactory, local_executor_factory
from .inlining import inlined
from .language import set_default_context
from .notes import without_ours
from .values import cardinality


class SyncExecutionContext:
    """Executes a computation at its call, and gives the result.

    Args:
      executor_fn: the factory of the executor, such as `local_executor_factory()`.
      default_num_clients: how many clients there are where no argument says it.

    Example:
      `with get_context_stack().install(SyncExecutionContext(reference_executor_factory())): total([1, 2])`
    """

    def __init__(self, executor_fn: ExecutorFactory, default_num_clients: int = 0) -> None:
        if default_num_clients < 0:
            raise ValueError(f"default_num_clients is not negative, as {default_num_clients} is")
        self._factory, self._default = executor_fn, default_num_clients
        self._execute = executor_fn.create_executor().execute

    @property
    def executor_factory(self) -> ExecutorFactory:
        """The factory of the executor."""
        return self._factory

    def invoke(self, comp: Any, arg: Any) -> Any:
        """Returns the result of a computation for a packed argument, None if it has no parameter.

        Raises:
          NotImplementedError: the executor lacks an intrinsic; nothing has run then.
          TypeError: the argument is not of the parameter's type.
          ValueError: arguments are for different numbers of clients.
        """
        if not _native.executing_eagerly():
            return inlined(comp, arg)
        try:
            count = cardinality(comp.type_signature.parameter, arg, self._default)
            return self._execute(comp, arg, count)
        except Exception as error:
            raise without_ours(error)  # noqa: B904


class AsyncExecutionContext:
    """Executes computations on threads: a call gives an awaitable, and many may run at once.

    Args:
      executor_fn: the factory of the executor.
      default_num_clients: how many clients there are where no argument says it.
      max_workers: how many computations run at once; None for as many as `ThreadPoolExecutor` takes.

    Example: `AsyncExecutionContext(local_executor_factory(), max_workers=4)`.
    """

    def __init__(
        self, executor_fn: ExecutorFactory, default_num_clients: int = 0, max_workers: int | None = None
    ) -> None:
        self._context = SyncExecutionContext(executor_fn, default_num_clients)
        self._threads = threads(max_workers)

    @property
    def executor_factory(self) -> ExecutorFactory:
        """The factory of the executor."""
        return self._context.executor_factory

    def invoke(self, comp: Any, arg: Any) -> Any:
        """Returns an awaitable of the result of a computation, which raises what the other context does.

        While a graph is traced, the computation becomes part of it, and its value there is returned.
        """
        if not _native.executing_eagerly():
            return inlined(comp, arg)
        return self._run(comp, arg)

    async def _run(self, comp: Any, arg: Any) -> Any:
        import asyncio

        running, variables = asyncio.get_running_loop(), contextvars.copy_context()
        return await running.run_in_executor(self._threads, variables.run, self._context.invoke, comp, arg)


def create_local_execution_context(
    default_num_clients: int = 0, max_workers: int | None = None, **unused: Any
) -> SyncExecutionContext:
    """Returns a context that executes on this machine, all clients of a step in one loop.

    Args:
      default_num_clients: number of clients where no argument tells it.
      max_workers: greatest number of threads; as many as there are processors if it is `None`.
      unused: accepted as in TFF; has no effect.

    Returns:
      Context.

    Example:
      >>> import graphwright.federated as tff
      >>> context = tff.create_local_execution_context(default_num_clients=3)
      >>> six = tff.graph_computation(lambda: 6)
      >>> everywhere = tff.federated_computation(lambda: tff.federated_eval(six, tff.CLIENTS))
      >>> with tff.framework.get_context_stack().install(context):
      ...     print([int(x) for x in everywhere()])
      [6, 6, 6]
    """
    return SyncExecutionContext(local_executor_factory(max_workers=max_workers), default_num_clients)


def create_async_local_execution_context(
    default_num_clients: int = 0, max_workers: int | None = None, **unused: Any
) -> AsyncExecutionContext:
    """Returns a context whose calls give awaitables; many may run at once.

    Args:
      default_num_clients: number of clients where no argument tells it.
      max_workers: greatest number of threads; as many as there are processors if it is `None`.
      unused: accepted as in TFF; has no effect.

    Returns:
      Context whose calls give awaitables.

    Example:
      >>> import asyncio
      >>> import graphwright.federated as tff
      >>> six = tff.graph_computation(lambda: 6)
      >>> async def main():
      ...     with tff.framework.get_context_stack().install(tff.create_async_local_execution_context()):
      ...         return int(await six())
      >>> asyncio.run(main())
      6
    """
    return AsyncExecutionContext(local_executor_factory(), default_num_clients, max_workers)


def set_local_execution_context(
    default_num_clients: int = 0, max_workers: int | None = None, **unused: Any
) -> None:
    """Makes a local context the default one.

    Args:
      default_num_clients: number of clients where no argument tells it.
      max_workers: greatest number of threads; as many as there are processors if it is `None`.
      unused: accepted as in TFF; has no effect.

    Returns:
      Nothing.

    Example:
      >>> import graphwright.federated as tff
      >>> tff.set_local_execution_context()
      >>> int(tff.graph_computation(lambda x: x + 1, np.int32)(4))
      5
    """
    set_default_context(create_local_execution_context(default_num_clients, max_workers))


def set_async_local_execution_context(
    default_num_clients: int = 0, max_workers: int | None = None, **unused: Any
) -> None:
    """Makes an asynchronous local context the default one.

    Args:
      default_num_clients: number of clients where no argument tells it.
      max_workers: greatest number of threads; as many as there are processors if it is `None`.
      unused: accepted as in TFF; has no effect.

    Returns:
      Nothing.

    Example:
      >>> import graphwright.federated as tff
      >>> tff.set_async_local_execution_context()
      >>> tff.set_local_execution_context()
    """
    set_default_context(create_async_local_execution_context(default_num_clients, max_workers))


set_local_execution_context()
