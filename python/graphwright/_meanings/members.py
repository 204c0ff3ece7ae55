"""Attributes of a member of an enumeration of which the graph decides which one it is."""

from __future__ import annotations

import inspect
import types
from typing import Any

from .. import _native

operators = _native.operators


def attribute(member: Any, enumeration: type, members: tuple[Any, ...], position: Any, name: str) -> Any:
    """`member.name`: a method or property of the class, or what the member at that position has."""
    own = inspect.getattr_static(enumeration, name, None)
    if isinstance(own, types.FunctionType):
        return types.MethodType(own, member)
    if type(own) is property and own.fget is not None:
        return operators.conv(own.fget)(member)
    values = tuple(getattr(one, name) for one in members)
    if all(value is values[0] for value in values):
        return values[0]
    if any(isinstance(value, str) for value in values):
        message = (
            f"`{name}` of a member of `{enumeration.__name__}` is a text, and which one the graph decides"
        )
        raise _native.diagnosed(
            "GW116", message, "return the member, and ask for its text outside the function"
        )
    return operators.items(values)[position]


def item(table: Any, members: tuple[Any, ...], position: Any) -> Any:
    """`table[member]` of a dict whose keys are members: the item for the one at a position."""
    found = [member in table for member in members]
    if not any(found):
        message = "no member of the enumeration is a key of this dict"
        raise _native.diagnosed("GW120", message, "give the dict an item for each member")
    for at, (member, has) in enumerate(zip(members, found, strict=True)):
        if not has:
            _native.check(position != at, "KeyError", repr(member))
    some = next(table[member] for member in members if member in table)
    return operators.items(tuple(table.get(member, some) for member in members))[position]
