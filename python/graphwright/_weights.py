"""Variables by the names of the places that hold them, and files with their values."""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._module import Module, init_scope
from ._native import Variable
from .errors import DataLossError

#: Values that objects take when they make their variables: prefix and values, by object.
_waiting: weakref.WeakKeyDictionary[Any, list[tuple[str, dict[str, Any]]]] = weakref.WeakKeyDictionary()

#: The text beside the values of a file that says their check sum.
CHECKSUM = "checksum"


def named(root: Any, with_optimizers: bool = True) -> dict[str, Variable]:
    """The variables that an object reaches, each once, by the attributes, keys and places on the way."""
    found: dict[str, Variable] = {}
    seen: set[int] = set()
    for name, variable in _walk(root, "", set(), with_optimizers):
        if id(variable) not in seen:
            seen.add(id(variable))
            found[name] = variable
    return found


def owners(root: Any) -> Iterator[tuple[str, Any]]:
    """Objects that may still make variables, by name."""
    known: set[int] = set()
    waiting = [("", root)]
    while waiting:
        name, thing = waiting.pop(0)
        if id(thing) in known:
            continue
        known.add(id(thing))
        if hasattr(thing, "built") and hasattr(thing, "build"):
            yield name, thing
        waiting.extend(_parts(thing, name))


def _walk(thing: Any, name: str, known: set[int], with_optimizers: bool) -> Iterator[tuple[str, Variable]]:
    if isinstance(thing, Variable):
        yield name, thing
        return
    if id(thing) in known or (not with_optimizers and _is_optimizer(thing)):
        return
    known.add(id(thing))
    for inner, part in _parts(thing, name):
        yield from _walk(part, inner, known, with_optimizers)


def _parts(thing: Any, name: str) -> list[tuple[str, Any]]:
    """The attributes and items of an object, with names."""
    inside = f"{name}/" if name else ""
    if isinstance(thing, _native.RandomGenerator):
        return [(f"{inside}state", thing.state)]
    if _is_optimizer(thing):
        return [(f"{inside}{at}", variable) for at, variable in enumerate(thing.variables)]
    if isinstance(thing, Mapping):
        return [(f"{inside}{key}", thing[key]) for key in thing]
    if isinstance(thing, (list, tuple)):
        return [(f"{inside}{at}", part) for at, part in enumerate(thing)]
    if isinstance(thing, Module) or getattr(thing, "_tracks_variables", False):
        left_out = getattr(type(thing), "_untracked", ())
        held = {attribute: part for attribute, part in vars(thing).items() if attribute not in left_out}
        parts = [(f"{inside}{attribute}", held[attribute]) for attribute in sorted(held)]
        made = getattr(held.get("_made"), "weights", ())
        return parts + [(f"{inside}weights/{at}", variable) for at, variable in enumerate(made)]
    return []


def _is_optimizer(thing: Any) -> bool:
    from .keras._optimizer import Optimizer

    return isinstance(thing, Optimizer)


def is_tracked(thing: Any) -> bool:
    """True of objects in which variables are looked for."""
    kinds = (Variable, Module, Mapping, list, tuple, _native.RandomGenerator)
    return isinstance(thing, kinds) or _is_optimizer(thing) or getattr(thing, "_tracks_variables", False)


def write(
    path: str | os.PathLike[str], values: Mapping[str, Any], metadata: Mapping[str, str] | None = None
) -> None:
    """Writes values by name, and texts; the file has its old content until the new one is complete."""
    entries = []
    for name, value in values.items():
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        if array.dtype.kind not in "biufV" or array.dtype.names:
            raise TypeError(f"`{name}` has the dtype {array.dtype}, which a file of weights does not hold")
        content = np.ascontiguousarray(array).tobytes()
        entries.append((name, array.dtype.name, list(array.shape), content))
    texts = dict(metadata or {})
    texts[CHECKSUM] = _checksum(entries, texts)
    _replace(Path(path), _native.write_safetensors(entries, texts))


def _checksum(entries: list[tuple[str, str, list[int], bytes]], texts: Mapping[str, str]) -> str:
    """The check sum of texts, and of names, dtypes, shapes and elements."""
    found = hashlib.blake2b(digest_size=16)
    for name in sorted(texts.keys() - {CHECKSUM}):
        found.update(f"{name}\0{texts[name]}\0".encode())
    for name, dtype, shape, content in sorted(entries):
        found.update(f"{name}\0{dtype}\0{shape}\0".encode())
        found.update(content)
    return found.hexdigest()


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Values by name; `DataLossError` where the file is damaged."""
    return read_with_metadata(path)[0]


def read_with_metadata(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Values by name, and the texts beside them; `DataLossError` where the file is damaged."""
    try:
        entries, metadata = _native.read_safetensors(Path(path).read_bytes())
    except ValueError as error:
        raise DataLossError(f"{os.fspath(path)} is damaged or no file of weights: {error}") from None
    if metadata.get(CHECKSUM, "") not in ("", _checksum(entries, metadata)):
        raise DataLossError(f"{os.fspath(path)} is damaged: its check sum is another")
    values = {}
    for name, dtype, shape, content in entries:
        kind = np.dtype(_native.as_dtype(dtype).as_numpy_dtype)
        values[name] = np.frombuffer(content, kind).reshape(shape)
    return values, metadata


def assign(variables: Mapping[str, Variable], values: Mapping[str, Any], where: str) -> None:
    """Assigns all values, or none: shapes and dtypes are compared first."""
    pairs = [(variables[name], value, name) for name, value in values.items() if name in variables]
    for variable, value, name in pairs:
        own = tuple(variable.shape)
        fits = len(own) == value.ndim and all(n in (None, m) for n, m in zip(own, value.shape, strict=True))
        if not fits:
            raise ValueError(f"`{name}` has the shape {own}, and {value.shape} in {where}")
        if variable.dtype != _native.as_dtype(value.dtype.name):
            raise ValueError(
                f"`{name}` has the dtype {variable.dtype.name}, and {value.dtype.name} in {where}"
            )
    with init_scope():
        for variable, value, _ in pairs:
            variable.assign(value.copy())


def wait(root: Any, values: Mapping[str, Any], where: str) -> None:
    """Keeps values for objects that make their variables later."""
    for name, thing in owners(root):
        prefix = f"{name}/" if name else ""
        inner = {key[len(prefix) :]: value for key, value in values.items() if key.startswith(prefix)}
        if inner:
            _waiting.setdefault(thing, []).append((where, inner))


def made(thing: Any) -> None:
    """Gives an object that has made its variables the values that wait for it."""
    try:
        waiting = _waiting.pop(thing, [])
    except TypeError:
        return
    for where, values in waiting:
        assign(named(thing), values, where)
