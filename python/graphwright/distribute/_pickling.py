"""Messages to workers, as bytes: functions with their texts; objects that every process has, by a name."""

from __future__ import annotations

import hashlib
import io
import linecache
import pickle
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from ray import cloudpickle

from .. import _native
from .._function import function, options_of
from .._host import host
from .._native import BoundFunction, Function, HostFunction, TensorSpec


class Packed(NamedTuple):
    """An object as bytes, and the texts of the files that its functions are written in."""

    content: bytes
    texts: dict[str, str]

    @property
    def digest(self) -> str:
        """The same for the same bytes and texts, and for no others."""
        hashed = hashlib.blake2b(self.content, digest_size=16)
        for name in sorted(self.texts):
            hashed.update(f"{name}\0{self.texts[name]}\0".encode(errors="surrogatepass"))
        return hashed.hexdigest()


def pack(value: Any, named: Callable[[Any], Any]) -> Packed:
    """An object as bytes; `named` gives a name for what is not to be copied, `None` for all else."""
    file = io.BytesIO()
    pickler = _Pickler(file, named)
    pickler.dump(value)
    return Packed(
        file.getvalue(), {name: "".join(linecache.getlines(name)) for name in sorted(pickler.files)}
    )


def unpack(packed: Packed, found: Callable[[Any], Any]) -> Any:
    """The object; `found` gives what a name stands for."""
    for name, text in packed.texts.items():
        if text:
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    unpickler = pickle.Unpickler(io.BytesIO(packed.content))
    unpickler.persistent_load = found  # type: ignore[method-assign]
    return unpickler.load()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, file: Any, named: Callable[[Any], Any]) -> None:
        super().__init__(file)
        self._named = named
        self.files: set[str] = set()

    def persistent_id(self, value: Any) -> Any:
        """The name of an object, if it has one."""
        return self._named(value)

    def reducer_override(self, value: Any) -> Any:
        """The call that makes an object again."""
        if isinstance(value, types.FunctionType):
            self.files.add(value.__code__.co_filename)
        make = _AGAIN.get(type(value))
        return super().reducer_override(value) if make is None else make(value)


def _function_again(plain: Any, signature: Any, autograph: bool, options: dict[str, Any]) -> Any:
    return function(plain, signature, autograph, **options)


def _of_function(value: Any) -> Any:
    return _function_again, (value.python_function, *options_of(value))


def _of_spec(value: Any) -> Any:
    return TensorSpec, (list(value.shape), value.dtype, value.name)


#: Makers of objects that Python does not pickle, or only by the place where it finds them.
_AGAIN: dict[type, Callable[[Any], Any]] = {
    Function: _of_function,
    BoundFunction: lambda value: (getattr, (value.__self__, value.python_function.__name__)),
    HostFunction: lambda value: (host, (value.__wrapped__,)),
    TensorSpec: _of_spec,
}


def leaf_sent(leaf: Any) -> Any:
    """A leaf of a result as other processes can have it: tensors and variables as arrays."""
    return array_of(leaf) if isinstance(leaf, (_native.Tensor, _native.Variable)) else leaf


def array_of(tensor: Any) -> Any:
    """The elements of a tensor or variable as an array, also where it is a single text."""
    value = tensor.numpy()
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)
