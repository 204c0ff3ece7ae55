"""Contexts of this machine under the names that TFF's programs have for them."""

from .._execution import contexts

create_async_local_cpp_execution_context = contexts.create_async_local_execution_context
create_sync_local_cpp_execution_context = contexts.create_local_execution_context
set_async_local_cpp_execution_context = contexts.set_async_local_execution_context
set_sync_local_cpp_execution_context = contexts.set_local_execution_context

__all__ = [
    "create_async_local_cpp_execution_context",
    "create_sync_local_cpp_execution_context",
    "set_async_local_cpp_execution_context",
    "set_sync_local_cpp_execution_context",
]
