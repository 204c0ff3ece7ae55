"""Contexts of this machine under the names that TFF's programs have for them."""

from .._execution.contexts import create_async_local_execution_context as create_async_local_cpp_execution_context
from .._execution.contexts import create_local_execution_context as create_sync_local_cpp_execution_context
from .._execution.contexts import set_async_local_execution_context as set_async_local_cpp_execution_context
from .._execution.contexts import set_local_execution_context as set_sync_local_cpp_execution_context

__all__ = [
    "create_async_local_cpp_execution_context",
    "create_sync_local_cpp_execution_context",
    "set_async_local_cpp_execution_context",
    "set_sync_local_cpp_execution_context",
]
