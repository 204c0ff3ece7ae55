"""Finds what a function reads of names in its bytecode, where its text cannot be read."""

from __future__ import annotations

import dis
import functools
import itertools
import opcode
import re
import types
from collections.abc import Iterator
from typing import Any

Chain = tuple[str, tuple[str, ...]]

_LOADS = frozenset(
    {
        "LOAD_GLOBAL",
        "LOAD_NAME",
        "LOAD_DEREF",
        "LOAD_CLASSDEREF",
        "LOAD_FAST",
        "LOAD_FAST_CHECK",
        "LOAD_FAST_BORROW",
        "LOAD_FROM_DICT_OR_DEREF",
        "LOAD_FROM_DICT_OR_GLOBALS",
    }
)
#: Two instructions in one, from 3.13 on; the argument is the pair of their names.
_PAIRS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST_BORROW", "LOAD_FAST_BORROW"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_LOOK_AT_FRAME = frozenset({"locals", "vars", "dir", "eval", "exec"})
_EVALUATE = frozenset({"eval", "exec"})
_NAME = re.compile(r"[^\W\d]\w*")
_BETWEEN = frozenset({"CACHE", "PRECALL", "PUSH_NULL", "COPY_FREE_VARS", "EXTENDED_ARG", "NOT_TAKEN"})


def parts(name: str, argument: Any) -> Iterator[tuple[str, Any]]:
    """The names and arguments of the instructions that one stands for, mostly of itself."""
    if name in _PAIRS:
        yield from zip(_PAIRS[name], argument, strict=True)
    else:
        yield name, argument


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
    for name, argument in (
        part for one in dis.get_instructions(code) for part in parts(one.opname, one.argval)
    ):
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


def is_caught(code: types.CodeType, offset: int) -> bool:
    """True if an exception at an instruction comes to an `except` or `finally` of the same code."""
    handlers = _handlers(code)
    waiting, seen = [offset], set[int]()
    while waiting:
        at = waiting.pop()
        seen.add(at)
        for start, end, target, is_try in handlers:
            if start <= at < end:
                if is_try:
                    return True
                # A `with`, or what ends a handler: what it raises again may be caught further out.
                waiting.extend({target} - seen)
    return False


@functools.lru_cache(maxsize=256)
def _handlers(code: types.CodeType) -> list[tuple[int, int, int, bool]]:
    """Each handler: the range of offsets that it stands for, where it begins, and true for one of a `try`."""
    read = dis.Bytecode(code)
    instructions = list(read)
    entries = getattr(read, "exception_entries", None)
    if entries is None:
        # Before 3.11 a block ends at its handler at the latest.
        tries = (one for one in instructions if one.opname == "SETUP_FINALLY")
        return [(one.offset + 2, one.argval, one.argval, True) for one in tries]
    names = {one.offset: (one.opname, after.opname) for one, after in itertools.pairwise(instructions)}
    found = []
    for entry in entries:
        first, second = names[entry.target]
        is_try = first == "PUSH_EXC_INFO" and second != "WITH_EXCEPT_START"
        found.append((entry.start, entry.end, entry.target, is_try))
    return found


def compared_with_truth(code: types.CodeType) -> int | None:
    """The first line on which code, or code inside it, compares by `is` with `True` or `False`."""
    instructions = list(dis.get_instructions(code))
    for at, one in enumerate(instructions):
        if one.opname == "IS_OP":
            right = _beginning(instructions, at - 1)
            left = _beginning(instructions, right - 1)
            if _is_truth(instructions[right:at]) or _is_truth(instructions[left:right]):
                return _line(code, one.offset)
    inside = (inner for inner in code.co_consts if isinstance(inner, types.CodeType))
    return next((line for line in map(compared_with_truth, inside) if line is not None), None)


def _is_truth(expression: list[dis.Instruction]) -> bool:
    loaded = [one for one in expression if one.opname not in _BETWEEN]
    return len(loaded) == 1 and loaded[0].opname.startswith("LOAD_") and isinstance(loaded[0].argval, bool)


def _beginning(instructions: list[dis.Instruction], at: int) -> int:
    """Where the expression begins that ends at an instruction: it leaves one value on the stack."""
    depth = 0
    for first in range(at, -1, -1):
        one = instructions[first]
        if one.opname != "CACHE":
            depth += dis.stack_effect(one.opcode, one.arg, jump=False)
        if depth == 1:
            return first
    return 0


def _line(code: types.CodeType, offset: int) -> int:
    lines = (line for start, end, line in code.co_lines() if start <= offset < end and line is not None)
    return next(lines, code.co_firstlineno)


def evaluated(function: types.FunctionType) -> tuple[list[str], str | None] | None:
    """The names in the texts of a function that looks at its frame, and what evaluates others.

    Nothing for a function that neither looks at its frame nor evaluates a text; others may read anything.
    """
    texts, own, unknown, looks = [], set[str](), None, False
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        own.update(code.co_varnames, code.co_cellvars)
        waiting.extend(inner for inner in code.co_consts if isinstance(inner, types.CodeType))
        texts += [text for text in code.co_consts if isinstance(text, str) and text.isidentifier()]
        loaded = [one for one in dis.get_instructions(code) if one.opname not in _BETWEEN]
        for one, after in itertools.pairwise(loaded):
            if one.opname not in {"LOAD_GLOBAL", "LOAD_NAME"} or one.argval not in _LOOK_AT_FRAME:
                continue
            looks = True
            if one.argval in _EVALUATE and after.opname == "LOAD_CONST" and isinstance(after.argval, str):
                texts.append(after.argval)
            elif one.argval in _EVALUATE:
                unknown = one.argval
    if not looks:
        return None
    names = {name for text in texts for name in _NAME.findall(text)}
    # A text that evaluates another may read anything.
    inside = min(names & _EVALUATE, default=None)
    return sorted(names - own), unknown or inside


def is_in_place(frame: types.FrameType) -> bool:
    """True where a frame runs an operator that changes its left operand, such as `*=`."""
    code = frame.f_code.co_code
    name, argument = opcode.opname[code[frame.f_lasti]], code[frame.f_lasti + 1]
    return name.startswith("INPLACE_") or (name == "BINARY_OP" and argument in _IN_PLACE)


#: The arguments of `BINARY_OP` from `+=` to `^=`; that of `a[i]` comes behind them.
_IN_PLACE = range(13, 26)


#: The operators that Python's `%` is, as the arguments of the instruction that computes with two operands.
_REMAINDERS = {at for at, (_, symbol) in enumerate(getattr(opcode, "_nb_ops", ())) if symbol in ("%", "%=")}
_FORMATTING = {"BINARY_MODULO", "INPLACE_MODULO", "CONVERT_VALUE", "FORMAT_SIMPLE", "FORMAT_VALUE"}


def is_formatting(frame: types.FrameType) -> bool:
    """True if a frame makes a text now, by `x % y` or as f-strings do."""
    code, at = frame.f_code.co_code, frame.f_lasti
    name = opcode.opname[code[at]]
    return name in _FORMATTING or (name == "BINARY_OP" and code[at + 1] in _REMAINDERS)
