"""Structs of named and unnamed elements, and functions over them."""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping
from typing import Any

from .. import _federated

Struct = _federated.StructureStruct
iter_elements = _federated.iter_elements
name_list = _federated.name_list
name_list_with_nones = _federated.name_list_with_nones
to_elements = _federated.to_elements

__all__ = [
    "Struct",
    "flatten",
    "from_container",
    "has_field",
    "iter_elements",
    "map_structure",
    "name_list",
    "name_list_with_nones",
    "pack_sequence_as",
    "to_elements",
    "to_odict",
    "to_odict_or_tuple",
    "update_struct",
]


def to_odict(struct: Any, recursive: bool = False) -> collections.OrderedDict[str, Any]:
    """Converts a struct to an ordered mapping.

    Args:
      struct: `Struct` whose elements are all named.
      recursive: whether to convert inner structs too.

    Returns:
      `OrderedDict`.

    Raises:
      ValueError: an element has no name.

    Example:
      >>> from graphwright.federated import structure
      >>> dict(structure.to_odict(structure.Struct.named(a=1)))
      {'a': 1}
    """

    def convert(elements: list[tuple[str | None, Any]]) -> collections.OrderedDict[str, Any]:
        if any(name is None for name, _ in elements):
            message = f"Cannot convert a `Struct` with unnamed entries to an `OrderedDict`: {struct}"
            raise ValueError(message)
        return collections.OrderedDict((str(name), value) for name, value in elements)

    return convert(_converted(struct, convert) if recursive else to_elements(struct))


def to_odict_or_tuple(struct: Any, recursive: bool = True) -> Any:
    """Converts a struct to an ordered mapping if all elements are named, and to a tuple if none is.

    Args:
      struct: `Struct`.
      recursive: whether to convert inner structs too.

    Returns:
      `OrderedDict` or tuple.

    Raises:
      ValueError: some elements are named and some are not.

    Example:
      >>> from graphwright.federated import structure
      >>> structure.to_odict_or_tuple(structure.Struct.unnamed(1, 2))
      (1, 2)
    """

    def convert(elements: list[tuple[str | None, Any]]) -> Any:
        named = [name is not None for name, _ in elements]
        if any(named) and not all(named):
            message = f"Cannot convert a `Struct` with both named and unnamed entries: {struct!r}"
            raise ValueError(message)
        if any(named):
            return collections.OrderedDict(elements)
        return tuple(value for _, value in elements)

    return convert(_converted(struct, convert) if recursive else to_elements(struct))


def _converted(struct: Any, convert: Callable[[list[Any]], Any]) -> list[tuple[str | None, Any]]:
    def value_of(value: Any) -> Any:
        return convert(_converted(value, convert)) if isinstance(value, Struct) else value

    return [(name, value_of(value)) for name, value in iter_elements(struct)]


def flatten(struct: Any) -> list[Any]:
    """Lists the leaves of nested structs and containers, those of mappings by their keys.

    Args:
      struct: struct or container.

    Returns:
      List.

    Example:
      >>> from graphwright.federated import structure
      >>> list(structure.flatten(structure.Struct([("a", 1), ("b", structure.Struct.unnamed(2, 3))])))
      [1, 2, 3]
    """
    if isinstance(struct, Mapping):
        values = [struct[key] for key in sorted(struct)]
    elif _is_container(struct):
        values = [value for _, value in _items(struct)]
    else:
        return [struct]
    return [leaf for value in values for leaf in flatten(value)]


def pack_sequence_as(structure: Any, flat_sequence: list[Any]) -> Any:
    """Fills a struct with the values of a flat list.

    Args:
      structure: `Struct` whose form is taken.
      flat_sequence: list of values.

    Returns:
      `Struct`.

    Raises:
      ValueError: the numbers differ.

    Example:
      >>> from graphwright.federated import structure
      >>> structure.pack_sequence_as(structure.Struct.named(a=0, b=0), [1, 2])
      Struct([('a', 1), ('b', 2)])
    """
    values = iter(flat_sequence)

    def pack(part: Any) -> Any:
        if isinstance(part, Struct):
            return Struct([(name, pack(value)) for name, value in iter_elements(part)])
        if (
            isinstance(part, (list, dict))
            or hasattr(part, "_asdict")
            or hasattr(type(part), "__attrs_attrs__")
        ):
            message = (
                f"Cannot pack sequence into type {type(part)}, only structures of `Struct` are supported."
            )
            raise TypeError(message)
        return next(values)

    return pack(structure)


def _same_structure(one: Any, other: Any) -> bool:
    if not (isinstance(one, Struct) and isinstance(other, Struct)):
        return not isinstance(one, Struct) and not isinstance(other, Struct)
    ones, others = to_elements(one), to_elements(other)
    return len(ones) == len(others) and all(
        name == other_name and _same_structure(value, other_value)
        for (name, value), (other_name, other_value) in zip(ones, others, strict=True)
    )


def map_structure(fn: Callable[..., Any], *structures: Any) -> Any:
    """Applies a function to the leaves of structs of one structure.

    Args:
      fn: function of as many leaves as there are structs.
      structures: one struct or several.

    Returns:
      `Struct`.

    Raises:
      TypeError: the structures differ.

    Example:
      >>> from graphwright.federated import structure
      >>> first, second = structure.Struct.named(a=1), structure.Struct.named(a=2)
      >>> structure.map_structure(lambda x, y: x + y, first, second)
      Struct([('a', 3)])
    """
    if not callable(fn):
        message = f"Expected `fn` to be callable, found {fn!r}."
        raise TypeError(message)
    if not structures:
        raise ValueError("Must provide at least one structure")
    if any(not _same_structure(structures[0], other) for other in structures[1:]):
        raise TypeError("Structures do not have the same nested structure.")
    return _mapped(fn, structures)


def _mapped(fn: Callable[..., Any], parts: tuple[Any, ...]) -> Any:
    if not isinstance(parts[0], Struct):
        return fn(*parts)
    names = [name for name, _ in iter_elements(parts[0])]
    columns = zip(*([value for _, value in iter_elements(part)] for part in parts), strict=True)
    return Struct([(name, _mapped(fn, values)) for name, values in zip(names, columns, strict=True)])


def from_container(value: Any, recursive: bool = False) -> Any:
    """Converts a container to a `Struct`.

    Args:
      value: list, tuple, dict, named tuple, dataclass or attrs object.
      recursive: whether to convert inner containers too.

    Returns:
      `Struct`.

    Raises:
      TypeError: the value is no container.

    Example:
      >>> from graphwright.federated import structure
      >>> structure.from_container({"a": 1})
      Struct([('a', 1)])
    """

    def inner(part: Any) -> Any:
        return from_container(part, recursive=True) if recursive and _is_container(part) else part

    if not _is_container(value):
        message = f"Unable to convert a Python object of type {type(value)} into a `Struct`."
        raise TypeError(message)
    return Struct([(name, inner(part)) for name, part in _items(value)])


def _is_container(value: Any) -> bool:
    return isinstance(value, (Struct, Mapping, list, tuple)) or _declares_fields(value)


def _declares_fields(value: Any) -> bool:
    kind = type(value)
    return (
        hasattr(kind, "__attrs_attrs__") or hasattr(kind, "__dataclass_fields__") or hasattr(kind, "_asdict")
    )


def _items(value: Any) -> list[tuple[str | None, Any]]:
    kind = type(value)
    if isinstance(value, Struct):
        return to_elements(value)
    if hasattr(kind, "__attrs_attrs__"):
        return [(field.name, getattr(value, field.name)) for field in kind.__attrs_attrs__]
    if hasattr(kind, "__dataclass_fields__"):
        return [(name, getattr(value, name)) for name in kind.__dataclass_fields__]
    if hasattr(kind, "_asdict"):
        return list(value._asdict().items())
    if isinstance(value, Mapping):
        return list(value.items())
    return [(None, part) for part in value]


def has_field(structure: Any, field: str) -> bool:
    """Tells whether a struct has an element of a name.

    Args:
      structure: `Struct`.
      field: name.

    Returns:
      bool.

    Example:
      >>> from graphwright.federated import structure
      >>> structure.has_field(structure.Struct.named(a=1), "a")
      True
    """
    return field in name_list(structure)


def update_struct(structure: Any, **kwargs: Any) -> Any:
    """Returns a struct with other values for some of its named elements.

    Args:
      structure: `Struct`.
      kwargs: new values by name.

    Returns:
      `Struct`.

    Raises:
      KeyError: there is no element of a name.

    Example:
      >>> from graphwright.federated import structure
      >>> structure.update_struct(structure.Struct.named(a=1, b=2), a=9)
      Struct([('a', 9), ('b', 2)])
    """
    unknown = [name for name in kwargs if not has_field(structure, name)]
    if unknown:
        message = f"The struct has no field `{unknown[0]}`."
        raise KeyError(message)
    return Struct(
        [(name, kwargs.get(name, value) if name else value) for name, value in iter_elements(structure)]
    )
