"""The two programs of a partition, and what crosses between them, as text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from .. import _native
from . import _calls

_HOST_CALL = re.compile(
    r"^(?P<indent>\s*)(?:(?P<results>%[^=]*?) = )?host_call (?P<args>.*?)"
    r'name="(?P<name>[^"]*)" number=(?P<number>\d+) gives=\[.*?\](?: : (?P<types>.*))?$'
)


def type_of(spec: _native.TensorSpec) -> str:
    """A type in short: `float32 [84, 84]`, with `?` for a length that is not known."""
    lengths = ", ".join("?" if length is None else str(length) for length in spec.shape)
    return f"{spec.dtype.name} [{lengths}]"


def bytes_text(size: int | None) -> str:
    """A size in words."""
    if size is None:
        return "an unknown number of bytes"
    return f"{size:,} byte{'' if size == 1 else 's'}"


def graph(text: str, calls: list[Any]) -> str:
    """The text of a graph with what it sends and receives in place of its calls of the host."""
    known = {call.number: call for call in calls}
    lines = text.splitlines()
    found = {at: match for at, line in enumerate(lines) if (match := _HOST_CALL.match(line))}
    behind: dict[int, list[str]] = {}
    before: dict[int, list[str]] = {}
    for at, match in found.items():
        call = known.get(int(match["number"]))
        args = [arg for arg in match["args"].strip().split(", ") if arg]
        for position, _, _ in call.sent if call else []:
            value = args[position] if position < len(args) else "?"
            defined = defined_at(lines, value, at)
            place = behind.setdefault(defined, []) if defined is not None else before.setdefault(at, [])
            line = lines[at if defined is None else defined]
            indent = line[: len(line) - len(line.lstrip())]
            place.append(f'{indent}send_to_host {value} call="{match["name"]}"')
    made: list[str] = []
    for at, line in enumerate(lines):
        made += before.get(at, [])
        made += received(found[at], known) if at in found else [line]
        made += behind.get(at, [])
    return "\n".join(made) + "\n"


def received(match: re.Match[str], known: dict[int, Any]) -> list[str]:
    """The lines of what the graph receives of a call."""
    call = known.get(int(match["number"]))
    names = (match["results"] or "").split(", ")
    types = (match["types"] or "").split(", ")
    wanted = [at for at, _, _ in call.received if at < len(names)] if call else []
    line = '{}{} = receive_from_host call="{}" : {}'
    return [line.format(match["indent"], names[at], match["name"], types[at]) for at in wanted]


def defined_at(lines: list[str], value: str, until: int) -> int | None:
    """The last line of the operation that defines a value; none for a parameter."""
    for at in range(until):
        names, sign, _ = lines[at].strip().partition(" = ")
        if not sign or value not in names.split(", "):
            continue
        indent = len(lines[at]) - len(lines[at].lstrip())
        while lines[at].endswith("{"):
            closes = (k for k in range(at + 1, len(lines)) if lines[k].startswith(" " * indent + "}"))
            at = next(closes)
        return at
    return None


def host(arguments: list[str], steps: list[Any]) -> str:
    """The user's lines that the host runs, around the values that it receives and sends."""
    names = (f"value_{at}" for at in itertools.count(1))
    lines = [f"run = start({', '.join(arguments)})", *block(steps, 0, names)]
    return "\n".join([*lines, "return run.finish()"]) + "\n"


def block(steps: list[Any], depth: int, names: Iterator[str]) -> list[str]:
    """The lines of a block in so many loops; `names` are those of values that the user has no name for."""
    lines: list[str] = []
    for step in steps:
        if hasattr(step, "number"):
            lines += of_call(step, depth, names)
        elif hasattr(step, "body"):
            lines += [f"{name} = run.receive()" for name in hoisted(step.body, depth)]
            lines += [
                header(step.place, "while run.goes_on():"),
                *indented(block(step.body, depth + 1, names)),
            ]
        else:
            then, orelse = (block(inner, depth, names) for inner in step.blocks)
            lines += [header(step.place, "if run.decides():"), *indented(then or ["pass"])]
            lines += ["else:", *indented(orelse)] if orelse else []
    return lines


def of_call(call: Any, depth: int, names: Iterator[str]) -> list[str]:
    """A call with what it receives from the graph and sends to it."""
    text, lines = call.text, []
    for _, transfer, loops in call.sent:
        name = transfer.name if is_name(transfer.name) else next(names)
        text = text if name == transfer.name else text.replace(transfer.name, name, 1)
        lines += [f"{name} = run.receive()"] if len(loops) == depth else []
    if not call.received:
        return [*lines, text if call.assigned is None else f"{call.assigned} = {text}"]
    result = call.assigned or next(names)
    answered = [transfer.name for _, transfer, _ in call.received if is_name(transfer.name)]
    return [*lines, f"{result} = {text}", f"run.send({', '.join(answered) or result})"]


def is_name(text: str) -> bool:
    """True of a name or an attribute of one, to which something can be assigned."""
    return all(part.isidentifier() for part in text.split("."))


def hoisted(steps: list[Any], depth: int) -> list[str]:
    """The values that the host receives in front of a loop for the calls in it."""
    found: list[str] = []
    for step in steps:
        if hasattr(step, "number"):
            found += [transfer.name for _, transfer, loops in step.sent if len(loops) == depth]
        else:
            blocks = [step.body] if hasattr(step, "body") else step.blocks
            found += [name for inner in blocks for name in hoisted(inner, depth)]
    return found


def header(place: Any, otherwise: str) -> str:
    """The user's line at a place, up to its colon: what stands behind it is a block of its own."""
    line = _calls.line_of(place)
    depth = 0
    for at, letter in enumerate(line):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == ":" and depth == 0 and line[at + 1 : at + 2] != "=" and "lambda" not in line[:at]:
            return line[: at + 1]
    return line if line.endswith(":") else otherwise


def indented(lines: list[str]) -> list[str]:
    """The lines of an inner block."""
    return ["    " + line for line in lines]


def table(transfers: tuple[Any, ...]) -> str:
    """The transfers, one to a line; a sentence if there are none."""
    if not transfers:
        return "nothing crosses"
    rows = [("", "call", "value", "type", "bytes", "line", "loops", "")]
    for t in transfers:
        size = "?" if t.nbytes is None else f"{t.nbytes:,}"
        asked = "implicit" if t.implicit else ""
        rows.append((t.kind, t.call, t.name, type_of(t.spec), size, str(t.lineno), str(t.loop_depth), asked))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )
