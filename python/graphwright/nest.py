"""Structures: tuples, lists, mappings and dataclasses of values, under TensorFlow's names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .autograph import do_not_convert

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


@do_not_convert
def is_nested(structure: Any) -> bool:
    """Tells whether a value is a structure and no leaf.

    Args:
      structure: any object.

    Returns:
      bool.

    Example:
      >>> gw.nest.is_nested([1]), gw.nest.is_nested(1)
      (True, False)
    """
    return isinstance(structure, (tuple, list, Mapping)) or _is_dataclass(structure)


@do_not_convert
def flatten(structure: Any) -> list[Any]:
    """Lists the leaves of a structure.

    Those of mappings come in the order of sorted keys, those of dataclasses in that of their fields.

    Args:
      structure: nested lists, tuples, dicts and dataclasses; anything else is a leaf.

    Returns:
      List.

    Example:
      >>> gw.nest.flatten({"b": [1, 2], "a": 3})
      [3, 1, 2]
    """
    if not is_nested(structure):
        return [structure]
    leaves: list[Any] = []
    for part in _parts(structure):
        leaves.extend(flatten(part))
    return leaves


@do_not_convert
def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Fills a structure with new leaves.

    Args:
      structure: structure whose form is taken.
      flat_sequence: leaves in the order of `flatten`.

    Returns:
      Structure.

    Raises:
      ValueError: the numbers of leaves differ.

    Example:
      >>> gw.nest.pack_sequence_as([0, (0, 0)], [1, 2, 3])
      [1, (2, 3)]
    """
    leaves = list(flat_sequence)
    wanted = len(flatten(structure))
    if wanted != len(leaves):
        message = f"the structure has {wanted} leaves, and the sequence {len(leaves)} elements"
        raise ValueError(message)
    return _packed(structure, iter(leaves))


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """Applies a function to the leaves of structures of one form.

    Args:
      func: function of as many leaves as there are structures.
      structure: one structure or several.

    Returns:
      Structure of the results.

    Raises:
      ValueError: the structures differ.

    Example:
      >>> gw.nest.map_structure(lambda x, y: x + y, [1, (2, 3)], [10, (20, 30)])
      [11, (22, 33)]
    """
    if not structure:
        raise ValueError("map_structure() needs a structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    rows = zip(*[flatten(one) for one in structure], strict=True)
    return _packed(structure[0], iter([func(*row) for row in rows]))


@do_not_convert
def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that two structures have the same form.

    Args:
      nest1: structure.
      nest2: structure.
      check_types: whether the types of containers have to agree too.

    Returns:
      Nothing.

    Raises:
      ValueError: the structures differ.
      TypeError: only the types of containers differ.

    Example:
      >>> gw.nest.assert_same_structure([1, (2, 3)], [4, (5, 6)])
      >>> gw.nest.assert_same_structure([1, (2, 3)], [4, [5, 6]])
      Traceback (most recent call last):
          ...
      TypeError: these are structures of different types: tuple and list
    """
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
    """The items of a structure; nothing for a leaf."""
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
