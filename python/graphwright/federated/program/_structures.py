"""Structures of values that programs release and save: containers, and leaves with a path."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import structure

Path = tuple[str | int, ...]


def parts_of(value: Any) -> list[tuple[str | int, Any]] | None:
    """Returns the keys and elements of a container; None for a leaf."""
    if isinstance(value, structure.Struct):
        pairs = enumerate(structure.iter_elements(value))
        return [(at if name is None else name, part) for at, (name, part) in pairs]
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    fields = getattr(type(value), "__attrs_attrs__", None)
    return None if fields is None else [(field.name, getattr(value, field.name)) for field in fields]


def with_parts(value: Any, parts: list[Any]) -> Any:
    """Returns a container of the kind of another one, with other elements."""
    if isinstance(value, structure.Struct):
        names = [name for name, _ in structure.iter_elements(value)]
        return structure.Struct(list(zip(names, parts, strict=True)))
    if isinstance(value, Mapping):
        made: Any = type(value)
        return made(zip(value, parts, strict=True))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*parts)
    if isinstance(value, (list, tuple)):
        return type(value)(parts)
    return type(value)(
        **{str(name): part for (name, _), part in zip(parts_of(value) or [], parts, strict=True)}
    )


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yields the leaves of a structure in order, each with its path."""
    parts = parts_of(value)
    if parts is None:
        yield path, value
        return
    for key, part in parts:
        yield from leaves(part, (*path, key))


def mapped(func: Callable[[Any], Any], value: Any) -> Any:
    """Returns a structure of what a function gives of each leaf."""
    parts = parts_of(value)
    return func(value) if parts is None else with_parts(value, [mapped(func, part) for _, part in parts])


def named(value: Any) -> list[tuple[str, Any]]:
    """Returns the leaves with their paths as names, such as `train/loss`; an empty name for a lone leaf."""
    return [("/".join(map(str, path)), leaf) for path, leaf in leaves(value)]
