"""Names what the user wrote, and what to write instead, where Python wants a value of the graph.

Python says only that it wants a number, a text or an array. The text of the expression says what for. Each
function gives a code, a message and a remedy, or `None` where the general words are as good.
"""

from __future__ import annotations

import ast
from typing import Any

import graphwright as gw

from . import _trees

_Found = tuple[str, str, str] | None

_LONGEST = 60

# NumPy's names of what graphwright has under another one.
_OTHER_NAMES = {
    "amax": "reduce_max",
    "amin": "reduce_min",
    "append": "concat",
    "arctan": "atan",
    "average": "reduce_mean",
    "count_nonzero": "reduce_sum",
    "cumprod": "math.cumprod",
    "diag": "linalg.diag",
    "dot": "tensordot",
    "flip": "reverse",
    "hstack": "concat",
    "norm": "norm",
    "std": "math.reduce_std",
    "take": "gather",
    "var": "math.reduce_variance",
    "vstack": "concat",
}


def _parsed(text: str) -> ast.expr | None:
    try:
        return _trees.expression(text.strip())
    except (SyntaxError, ValueError):
        return None


def _quoted(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LONGEST else one_line[: _LONGEST - 1] + "…"


def value_wanted(text: str, wanted: str, line: str) -> _Found:
    """Where a number, a list or an array is wanted of a tensor of the graph."""
    if (array := _stored_into(text, line)) is not None:
        message = (
            f"`{_quoted(array)}` is no array of the graph, so it cannot take a tensor that has no value yet"
        )
        help_ = (
            "give it to the function as an argument, which takes what is stored, or store into a copy and "
            f"return it: `new = {array}.copy()`"
        )
        return "GW108", message, help_
    match _parsed(text):
        case ast.BinOp(op=ast.Mod()):
            return into_text(text)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _repeated(text, left, right)
        case ast.Subscript(value=base, slice=key):
            return _item(text, base, key)
        case ast.Call(func=function) if wanted == "a NumPy array":
            return _of_numpy(text, function)
    return None


def _stored_into(text: str, line: str) -> str | None:
    """The array that a line stores into by `text`; `None` where it stores into none."""
    try:
        nodes = list(ast.walk(_trees.module(line.strip())))
    except SyntaxError:
        return None
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AugAssign):
            targets = [node.target]
        for target in targets:
            if text.strip() not in (ast.get_source_segment(line.strip(), part) for part in (target, node)):
                continue
            if isinstance(target, ast.Subscript):
                return ast.unparse(target.value)
            if isinstance(node, ast.AugAssign) and isinstance(target, ast.Name):
                return target.id
    return None


def into_text(text: str) -> _Found:
    """Where a tensor of the graph is put into a text."""
    message = f"`{_quoted(text)}` puts a tensor into a text, but it has a value only when the graph runs"
    help_ = (
        "give the tensor itself to `gw.print` or as the message of `assert`, or return it and make the text "
        "outside the function; `repr` shows its type"
    )
    return "GW116", message, help_


def truth_wanted(text: str) -> _Found:
    """Where Python wants a bool of a tensor of the graph."""
    match _parsed(text):
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            message = (
                f"`{_quoted(text)}` compares tuples, lists or objects part by part in Python itself, which "
                "takes a tensor of the graph for a Python `bool`"
            )
            help_ = "compare the parts that are tensors, `a.x == b.x` or `a[0] == b[0]`, joined by `and`"
            return "GW106", message, help_
    return None


def _repeated(text: str, left: ast.expr, right: ast.expr) -> _Found:
    is_literal = isinstance(right, ast.List | ast.Tuple | ast.Constant)
    repeated, times = (right, left) if is_literal else (left, right)
    count = ast.unparse(times)
    message = (
        f"`{_quoted(text)}` repeats a sequence as often as a tensor says, which only the running graph knows"
    )
    match repeated:
        case ast.Constant(value=str() | bytes()):
            help_ = f"return `{count}` and make the text outside the function"
        case ast.List(elts=[one]) | ast.Tuple(elts=[one]):
            element = ast.unparse(one)
            help_ = (
                f"make a tensor, `gw.fill([{count}], {element})`, or a list that grows: `xs = []`, then "
                f"`for _ in gw.range({count}): xs.append({element})`"
            )
        case _:
            help_ = f"make a tensor: `gw.tile({ast.unparse(repeated)}, [{count}])`"
    return "GW108", message, help_


def _item(text: str, base: ast.expr, key: ast.expr) -> _Found:
    message = (
        f"`{_quoted(text)}` takes an item of a Python sequence or array by a tensor, which has no value yet"
    )
    if isinstance(base, ast.Constant):
        position = ast.unparse(key)
        return "GW108", message, f"choose by conditions: `if {position} == 0: …`, `elif {position} == 1: …`"
    return (
        "GW108",
        message,
        f"make a tensor of it first: `gw.constant({ast.unparse(base)})[{ast.unparse(key)}]`",
    )


def _of_tensor(base: ast.expr, key: ast.expr) -> str:
    return f"gw.constant({ast.unparse(base)})[{ast.unparse(key)}]"


def _of_numpy(text: str, function: ast.expr) -> _Found:
    name = ast.unparse(function)
    if name.endswith(".numpy"):
        return None
    message = (
        f"`{name}` computes on NumPy arrays, and a tensor of the graph has no elements before the graph runs"
    )
    counterpart = _counterpart(name.rpartition(".")[2])
    if counterpart is not None:
        return "GW108", message, f"use `gw.{counterpart}`"
    help_ = f"call it when the graph runs: `gw.numpy_function({name}, [x], gw.TensorSpec(shape, dtype))`"
    return "GW108", message, help_


def instead_of(name: str) -> str | None:
    """Our function of the meaning of one of NumPy's, without `gw.`."""
    return _counterpart(name)


def _counterpart(name: str) -> str | None:
    candidates = [name, f"math.{name}", f"linalg.{name}", f"reduce_{name}", _OTHER_NAMES.get(name, "")]
    return next((path for path in candidates if path and _exists(path)), None)


def _exists(path: str) -> bool:
    found: Any = gw
    for name in path.split("."):
        found = getattr(found, name, None)
    return callable(found)


def attribute(name: str) -> str | None:
    """Advice for a method of arrays that tensors lack."""
    counterpart = _counterpart(name)
    return None if counterpart is None else f"use `gw.{counterpart}(x, …)`"


def chosen(text: str, held: Any, kind: str) -> _Found:
    """Where a tensor chooses among objects of a list or dict that a graph cannot choose among."""
    what = "dict" if isinstance(held, dict) else "tuple" if isinstance(held, tuple) else "list"
    by = "looks a tensor up in a dict" if what == "dict" else f"takes an item of a {what} by a tensor"
    message = (
        f"`{_quoted(text)}` {by}, and the {what} holds a `{kind}`; a graph chooses among numbers and tensors"
    )
    values = list(held.values() if isinstance(held, dict) else held)
    texts = all(isinstance(value, str | bytes) for value in values)
    match _parsed(text):
        case ast.Subscript(value=base, slice=key) if texts and what != "dict":
            return (
                "GW130",
                message,
                f"make a tensor of texts: `{_of_tensor(base, key)}`",
            )
        case ast.Subscript(slice=key) if texts and len(values) > 1:
            first, last = next(iter(held)), values[-1]
            condition = f"{values[0]!r} if {ast.unparse(key)} == {first!r} else {last!r}"
            return "GW130", message, f"choose by conditions: `{condition}`"
        case ast.Subscript(slice=key):
            return "GW130", message, f"use it where it is chosen: `if {ast.unparse(key)} == …:` and `elif`"
    return None
