"""The nodes of a graph in a report, with what they take and give, read from the lines of its text.

The text form is a language of its own, which `gw.Graph.parse` reads: a statement a line, regions in braces.
"""

from __future__ import annotations

import re
from typing import Any

#: A value, as `%12` or `%total`.
VALUE = re.compile(r"%[\w.]+")
#: A carry of a loop with where it begins, as `%16 = %9` or `%16: f32[] = %9`.
CARRY = re.compile(r"(%[\w.]+)(?:: [^=]*?)? = (%[\w.]+)")


def signature(lines: list[Any]) -> str:
    """The types of the function: its first line, from the parameters on."""
    head = lines[0][0] if lines else ""
    return head[head.index("(") :].removesuffix(" {") if "(" in head else ""


def nodes(lines: list[Any]) -> list[dict[str, Any]]:
    """The nodes in the order of the text, each with the node that it is inside of.

    Keys: `id`, `op`, `results` and `operands` (values), `type`, `attr` (all else of the statement), `parent`
    (a node or none), `part` (the region of the parent) and `line` (in the text). A loop has `carries`:
    `[value, from where]`. Results of a region are a node `yield` or `return`, parameters of a function nodes
    `param`, all with negative numbers.
    """
    found: list[dict[str, Any]] = []
    around: list[list[Any]] = []
    for at, (text, number, _) in enumerate(lines):
        line = text.strip()
        if line.startswith("func "):
            found += parameters(line, at)
            around = []
            continue
        if line.startswith("}"):
            if around and line.endswith("{"):
                around[-1][1] += 1
            elif around:
                around.pop()
            continue
        parent, part = around[-1] if around else (None, 0)
        node = given(line, at) if number is None else statement(line, number, at)
        found.append({**node, "parent": parent, "part": part})
        if line.endswith("{"):
            around.append([number, 0])
    return found


def parameters(line: str, at: int) -> list[dict[str, Any]]:
    """The parameters of a function, from its first line."""
    inside = line[line.index("(") + 1 : line.rindex(") -> ")] if ") -> " in line else ""
    typed = re.findall(r"(%[\w.]+): (\w+\[[^\]]*\])", inside)
    return [
        {
            **plain(-1000 - at * 1000 - k, "param", at),
            "results": [name],
            "type": ty,
            "parent": None,
            "part": 0,
        }
        for k, (name, ty) in enumerate(typed)
    ]


def given(line: str, at: int) -> dict[str, Any]:
    """Results of a region or of the function."""
    return {**plain(-1 - at, line.split()[0] if line else "", at), "operands": VALUE.findall(line)}


def statement(line: str, number: int, at: int) -> dict[str, Any]:
    """One statement."""
    defined, sign, call = line.partition(" = ")
    if not sign or not defined.startswith("%") or "(" in defined:
        defined, call = "", line
    node = {**plain(number, call.split()[0], at), "results": VALUE.findall(defined)}
    call, _, types = call.partition(" : ")
    node["type"] = types.removesuffix(" {")
    if node["op"] == "while":
        node["carries"] = [list(pair) for pair in CARRY.findall(call)]
        node["operands"] = [start for _, start in node["carries"]]
    else:
        node["operands"] = VALUE.findall(call)
        node["attr"] = VALUE.sub("", call.removeprefix(node["op"])).strip(" ,{")
    return node


def plain(number: int, op: str, at: int) -> dict[str, Any]:
    """A node that takes and gives nothing."""
    return {"id": number, "op": op, "results": [], "operands": [], "type": "", "attr": "", "line": at}
