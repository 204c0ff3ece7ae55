"""einops's functions on tensors: the backend that einops asks, defined when a program imports einops."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from . import _native
from ._arrays import lengths, tile
from ._einsum import einsum

#: The module that has the base class of backends: einops asks its subclasses whose packages are imported.
_BACKENDS = "einops._backends"


class _Backend:
    """The operations of einops on tensors, under its names."""

    framework_name = "graphwright"

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, _native.Tensor | _native.Variable)

    def from_numpy(self, x: Any) -> Any:
        return _native.constant(x)

    def to_numpy(self, x: Any) -> Any:
        return x.numpy()

    def shape(self, x: Any) -> Any:
        return tuple(lengths(_native.convert_to_tensor(x)))

    def reshape(self, x: Any, shape: Any) -> Any:
        return _native.reshape(x, list(shape))

    def transpose(self, x: Any, axes: Any) -> Any:
        return _native.transpose(x, list(axes))

    def reduce(self, x: Any, operation: str, axes: Any) -> Any:
        return getattr(_native, f"reduce_{operation}")(x, list(axes))

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        return _native.stack(tensors)

    def add_axis(self, x: Any, new_position: int) -> Any:
        return _native.expand_dims(x, new_position)

    def tile(self, x: Any, repeats: Any) -> Any:
        return tile(x, list(repeats))

    def concat(self, tensors: list[Any], axis: int) -> Any:
        return _native.concat(list(tensors), axis)

    def is_float_type(self, x: Any) -> bool:
        return bool(x.dtype.is_floating)

    def einsum(self, pattern: str, *x: Any) -> Any:
        return einsum(pattern, *x)


def _define(backends: ModuleType) -> None:
    """Makes einops's subclass, which it finds by itself."""
    if (base := getattr(backends, "AbstractBackend", None)) is not None:
        backends.__dict__["GraphwrightBackend"] = type("GraphwrightBackend", (_Backend, base), {})


class _WhenImported:
    """Finds no module but the one of einops's backends, and defines ours behind it."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if fullname != _BACKENDS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and (loader := spec.loader) is not None:
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _define(module)

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if _BACKENDS in sys.modules:
    _define(sys.modules[_BACKENDS])
else:
    sys.meta_path.insert(0, _WhenImported())
