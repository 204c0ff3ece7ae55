"""Leaves as bytes: the function with the text of its file, which is traced again where it is read."""

from __future__ import annotations

import importlib
import linecache
from collections.abc import Callable
from typing import Any

from .language import unpack_arg

#: Modules that pickle functions of any kind, each of them enough.
_PICKLERS = ("cloudpickle", "ray.cloudpickle", "joblib.externals.cloudpickle")


def packed(fn: Callable[..., Any]) -> tuple[bytes, str, str]:
    """Returns a function as bytes, the name of its file and the text of that.

    Raises:
      TypeError: no package that pickles functions is installed.
    """
    file = getattr(getattr(fn, "__code__", None), "co_filename", "")
    return _pickler().dumps(fn), file, "".join(linecache.getlines(file))


def restored(content: bytes, file: str, text: str, parameter: Any, name: str) -> Any:
    """Returns the leaf of a function that `packed` made bytes of."""
    from .leaf import trace

    if text and not linecache.getlines(file):
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return trace(_pickler().loads(content), parameter, unpacker(parameter), name)


def unpacker(parameter: Any) -> Callable[[Callable[..., Any], Any], Any]:
    """Returns what calls a function with an argument of a type, unpacked."""

    def unpack(called: Callable[..., Any], argument: Any) -> Any:
        if parameter is None:
            return called()
        args, kwargs = unpack_arg(called, parameter, argument)
        return called(*args, **kwargs)

    return unpack


def _pickler() -> Any:
    for name in _PICKLERS:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise TypeError("functions of graph computations are pickled by `cloudpickle`: pip install cloudpickle")
