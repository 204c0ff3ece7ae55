"""Structures: tuples, lists, mappings and dataclasses of values, under TensorFlow's names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .autograph import do_not_convert

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


@do_not_convert
def is_nested(structure: Any) -> bool:
    """Whether a value is a structure, and no leaf."""
    return isinstance(structure, (tuple, list, Mapping)) or _is_dataclass(structure)


@do_not_convert
def flatten(structure: Any) -> list[Any]:
    """The leaves: of mappings in the order of sorted keys, of dataclasses in that of their fields."""
    if not is_nested(structure):
        return [structure]
    leaves: list[Any] = []
    for part in _parts(structure):
        leaves.extend(flatten(part))
    return leaves


@do_not_convert
def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """A structure like `structure` with the leaves of a sequence; `ValueError` if their numbers differ."""
    leaves = list(flat_sequence)
    wanted = len(flatten(structure))
    if wanted != len(leaves):
        message = f"the structure has {wanted} leaves, and the sequence {len(leaves)} elements"
        raise ValueError(message)
    return _packed(structure, iter(leaves))


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """A structure of what a function gives of the leaves that are at the same place of structures alike."""
    if not structure:
        raise ValueError("map_structure() needs a structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    rows = zip(*[flatten(one) for one in structure], strict=True)
    return _packed(structure[0], iter([func(*row) for row in rows]))


@do_not_convert
def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises `ValueError` if structures differ, `TypeError` if only their types do and types count."""
    if is_nested(nest1) != is_nested(nest2) or len(_parts(nest1)) != len(_parts(nest2)):
        raise ValueError(f"these are not structures alike: {nest1!r} and {nest2!r}")
    if check_types and is_nested(nest1) and type(nest1) is not type(nest2):
        message = (
            f"these are structures of different types: {type(nest1).__name__} and {type(nest2).__name__}"
        )
        raise TypeError(message)
    if isinstance(nest1, Mapping) and isinstance(nest2, Mapping) and set(nest1) != set(nest2):
        raise ValueError(f"these have different keys: {list(nest1)} and {list(nest2)}")
    for one, other in zip(_parts(nest1), _parts(nest2), strict=True):
        assert_same_structure(one, other, check_types)


def _is_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _parts(structure: Any) -> list[Any]:
    """What a structure consists of; nothing for a leaf."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    if isinstance(structure, (tuple, list)):
        return list(structure)
    if _is_dataclass(structure):
        return [getattr(structure, field.name) for field in dataclasses.fields(structure)]
    return []


@do_not_convert
def _packed(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    if isinstance(structure, Mapping):
        parts = {key: _packed(structure[key], leaves) for key in sorted(structure)}
        return type(structure)({key: parts[key] for key in structure})  # type: ignore[call-arg]
    packed = [_packed(part, leaves) for part in _parts(structure)]
    if isinstance(structure, (tuple, list)):
        return type(structure)(*packed) if hasattr(structure, "_fields") else type(structure)(packed)
    names = [field.name for field in dataclasses.fields(structure)]
    return dataclasses.replace(structure, **dict(zip(names, packed, strict=True)))
