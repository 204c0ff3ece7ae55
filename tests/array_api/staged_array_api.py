"""The namespace of the Array API standard, each of whose functions runs in a graph of its own.

The standard's test suite takes it as `ARRAY_API_TESTS_MODULE=staged_array_api`, see `make array-api`.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import graphwright as gw

#: Functions of dtypes, of lengths and of other libraries' arrays, whose answers no graph holds.
OF_THE_HOST = frozenset(
    {
        "__array_namespace_info__",
        "broadcast_shapes",
        "can_cast",
        "finfo",
        "from_dlpack",
        "iinfo",
        "isdtype",
        "result_type",
    }
)


def staged(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in a graph that each call makes anew."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return gw.function(function)(*args, **kwargs)

    return called


def namespace(module: types.ModuleType) -> dict[str, Any]:
    """The names of a module, functions staged."""
    found: dict[str, Any] = {}
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            value = types.SimpleNamespace(**namespace(value))
        elif isinstance(value, types.FunctionType | types.BuiltinFunctionType) and name not in OF_THE_HOST:
            value = staged(value)
        found[name] = value
    return found


globals().update(namespace(gw.array_api))
