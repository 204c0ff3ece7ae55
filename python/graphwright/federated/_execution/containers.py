"""Containers of structs: the elements of what a caller gives, and what a result comes back in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from .language import structure

#: The names of a struct's elements, None for those without.
Names = tuple[str | None, ...]


def maker(names: Names, container: Any) -> Callable[[Sequence[Any]], Any]:
    """Returns the function that puts elements, in order, into the container of a struct.

    Example: `maker(("a",), dict)([1])` is `{"a": 1}`; without a container it is a `structure.Struct`.
    """
    if container is None:
        return lambda items: structure.Struct(list(zip(names, items, strict=True)))
    if hasattr(container, "_make"):
        return lambda items: container._make(items)
    if issubclass(container, Mapping):
        return lambda items: container(zip(names, items, strict=True))
    if issubclass(container, (list, tuple)):
        return lambda items: container(items)
    return lambda items: container(**dict(zip(map(str, names), items, strict=True)))


def items_of(names: Names, value: Any, where: str) -> list[Any]:
    """Returns the elements of a value in the order of its type.

    Raises:
      TypeError: the value is no container, or has other names or another number of elements.
    """
    if isinstance(value, structure.Struct):
        return _elements(names, [name for name, _ in structure.iter_elements(value)], list(value), where)
    if isinstance(value, Mapping):
        return _fields(names, value, where)
    if isinstance(value, (list, tuple)):
        fields: list[Any] = list(getattr(value, "_fields", ())) or [None] * len(value)
        return _elements(names, fields, list(value), where)
    attributes = _attributes(value)
    if attributes is None:
        raise TypeError(f"{where}: expected {described(names)}, got a value of type {type(value).__name__}")
    return _elements(names, attributes, [getattr(value, name) for name in attributes], where)


def columns_of(names: Names, values: Sequence[Any], where: Callable[[int], str]) -> list[list[Any]]:
    """Returns, for each element of a struct, the list of that element of all values."""
    read = _reading(names, values)
    if read is not None:
        try:
            return [list(map(one, values)) for one in read]
        except (KeyError, AttributeError, IndexError):
            pass
    rows = [items_of(names, value, where(at)) for at, value in enumerate(values)]
    return [[row[at] for row in rows] for at in range(len(names))]


def _reading(names: Names, values: Sequence[Any]) -> list[Callable[[Any], Any]] | None:
    """Returns what takes each element out of a value, if all are of one class and have just these."""
    kinds, count = set(map(type, values)), len(names)
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    if kind in (tuple, list) or (hasattr(kind, "_fields") and kind._fields == names):
        read: list[Callable[[Any], Any]] = [itemgetter(at) for at in range(count)]
    elif issubclass(kind, dict):
        read = [itemgetter(name) for name in map(str, names)]
    elif dataclasses.is_dataclass(kind) and tuple(one.name for one in dataclasses.fields(kind)) == names:
        read = [attrgetter(name) for name in map(str, names)]
        count = -1
    else:
        return None
    if count >= 0 and any(length != count for length in set(map(len, values))):
        return None
    return read


def described(names: Names) -> str:
    """Returns a struct in the user's words, such as `a struct of x, y`."""
    if None in names:
        return f"a struct of {len(names)} elements"
    return "a struct of " + ", ".join(f"`{name}`" for name in names)


def _fields(names: Names, value: Mapping[Any, Any], where: str) -> list[Any]:
    missing = [name for name in names if name not in value]
    if missing or len(value) != len(names):
        found = ", ".join(f"`{name}`" for name in value)
        raise TypeError(f"{where}: expected {described(names)}, got a mapping of {found or 'nothing'}")
    return [value[name] for name in names]


def _elements(names: Names, own: list[Any], items: list[Any], where: str) -> list[Any]:
    if len(items) != len(names):
        raise TypeError(f"{where}: expected {described(names)}, got {len(items)} elements")
    for wanted, found in zip(names, own, strict=True):
        if wanted is not None and found is not None and wanted != found:
            raise TypeError(f"{where}: expected {described(names)}, got an element `{found}`")
    return items


def _attributes(value: Any) -> list[str] | None:
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    fields = getattr(type(value), "__attrs_attrs__", None)
    return None if fields is None else [field.name for field in fields]
