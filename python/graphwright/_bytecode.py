"""Finds what a function reads of names in its bytecode, where its text cannot be read."""

from __future__ import annotations

import dis
import types

Chain = tuple[str, tuple[str, ...]]

_LOADS = frozenset(
    {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST", "LOAD_FAST_CHECK"}
)
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_BETWEEN = frozenset({"CACHE", "PRECALL", "PUSH_NULL", "COPY_FREE_VARS", "EXTENDED_ARG"})


def chains(function: types.FunctionType) -> list[Chain]:
    """`a.b.c` as `("a", ("b", "c"))`, for each name that the function and those inside it read."""
    found: list[Chain] = []
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        waiting.extend(inner for inner in code.co_consts if isinstance(inner, types.CodeType))
        found.extend(_in_code(code))
    return sorted(set(found))


def _in_code(code: types.CodeType) -> list[Chain]:
    found: list[Chain] = []
    others: dict[str, Chain] = {}
    open_: Chain | None = None
    for instruction in dis.get_instructions(code):
        name, argument = instruction.opname, instruction.argval
        if name in _BETWEEN:
            continue
        if name in _ATTRIBUTES and open_ is not None:
            open_ = (open_[0], (*open_[1], argument))
            continue
        if open_ is not None:
            found.append(open_)
            if name == "STORE_FAST" and isinstance(argument, str):
                others[argument] = open_
        open_ = None
        if name in _LOADS and isinstance(argument, str):
            open_ = others.get(argument, (argument, ()))
    return found if open_ is None else [*found, open_]
