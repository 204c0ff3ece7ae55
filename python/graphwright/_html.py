"""HTML of tensors, variables, functions, graphs, datasets and profiles, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _native

#: Rows and columns of a tensor that are shown at its beginning and at its end.
SHOWN = 4
#: Characters of a text that are shown.
MOST = 20_000

STYLE = "border-collapse:collapse;font-size:90%"
CODE = "font-family:monospace;white-space:pre;overflow:auto;max-height:30em;text-align:left"


def attach() -> None:
    """Gives the native classes their `_repr_html_`."""
    shows: list[tuple[type, Callable[[Any], str]]] = [
        (_native.Tensor, tensor),
        (_native.Variable, variable),
        (_native.Function, function),
        (_native.ConcreteFunction, concrete_function),
        (_native.Graph, graph),
    ]
    for shown, show in shows:
        shown._repr_html_ = show  # type: ignore[attr-defined]


def tensor(x: Any) -> str:
    """The type of a tensor, its range, and its first and last elements as a table."""
    if not is_eager(x):
        return block("Tensor of a graph", type_of(x), "")
    return block("Tensor", type_of(x), body(x.numpy()))


def variable(x: Any) -> str:
    """The same of the value of a variable, with its name."""
    return block(f"Variable {x.name}", type_of(x), body(x.numpy()) if is_eager(x) else "")


def function(f: Any) -> str:
    """The trace types that a function has graphs for, its calls, and why it was traced again."""
    info = f.cache_info()
    name = getattr(f, "__name__", "function")
    calls = f"{info.hits + info.misses:,} calls, {info.currsize} graphs, {info.bytes / 1000:,.0f} kB"
    parts = [code(f.pretty_printed_concrete_signatures())] if info.currsize else []
    again = f.explain_retraces()
    parts += [f"<b>Retraces</b>{code(chr(10).join(again))}"] if again else []
    return block(f"Function {name}", calls, "".join(parts))


def concrete_function(f: Any) -> str:
    """The signature of a concrete function, and its graph."""
    return block(f"ConcreteFunction {f.name}", "", code(f.pretty_printed_signature()) + graph(f.graph))


def graph(g: Any) -> str:
    """The text of a graph, folded if it is long."""
    text = str(g)
    count = text.count("\n")
    unfolded = " open" if count <= 40 else ""
    head = f"<summary>Graph {html.escape(g.name)}: {count} lines</summary>"
    return f"<details{unfolded}>{head}{code(text)}</details>"


def elements(dataset: Any) -> str:
    """The elements of a dataset by name, dtype and shape, and how many there are."""
    try:
        count = int(dataset.cardinality().numpy())
    except Exception:
        count = -2
    many = {-1: "without end", -2: "as many as there turn out to be"}.get(count, f"{count:,} elements")
    rows = [(name, type_of(spec)) for name, spec in leaves("", dataset.element_spec)]
    return block("Dataset", many, table([("component", "type"), *rows]))


def profile(found: Any) -> str:
    """The lines that take longest, with their shares."""
    inside = max(found.seconds - found.outside, 1e-12)
    rows: list[tuple[Any, ...]] = [("share", "seconds", "line", "")]
    for line in found.lines[:20]:
        place = f"{line.file.rpartition('/')[2]}:{line.lineno}"
        rows.append((f"{line.seconds / inside:.1%}", f"{line.seconds:.4g}", place, line.text))
    return block("Profile", found._head(), table(rows) if found.lines else "")


def is_eager(x: Any) -> bool:
    """True of a tensor that has its elements now."""
    if not _native.executing_eagerly():
        return False
    try:
        x.numpy()
    except Exception:
        return False
    return True


def type_of(x: Any) -> str:
    """The dtype and shape of a tensor or spec."""
    if not hasattr(x, "dtype"):
        return repr(x)
    axes = getattr(x, "shape", ())
    try:
        lengths = ", ".join("?" if axis is None else str(axis) for axis in axes)
    except (TypeError, ValueError):
        return f"{x.dtype.name}, of any rank"
    return f"{x.dtype.name} [{lengths}]" if lengths else f"{x.dtype.name}, a scalar"


def leaves(name: str, spec: Any) -> Iterable[tuple[str, Any]]:
    """The tensors of a structure, each with the way to it."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            yield from leaves(f"{name}[{key!r}]", value)
    elif isinstance(spec, tuple | list):
        for at, value in enumerate(spec):
            yield from leaves(f"{name}[{at}]", value)
    else:
        yield name or "element", spec


def body(array: Any) -> str:
    """The numbers of an array: a summary of many, and a table of up to two axes."""
    array = np.asarray(array)
    numbers = array.dtype.kind in "iufb"
    summary = ""
    if numbers and array.size > 1:
        told = array.astype(np.float64)
        finite = told[np.isfinite(told)]
        if finite.size:
            summary = f"<div>min {finite.min():.4g}, mean {finite.mean():.4g}, max {finite.max():.4g}"
            summary += (
                f", {told.size - finite.size:,} not finite</div>" if finite.size < told.size else "</div>"
            )
    if array.ndim == 0:
        return f"<div style='{CODE}'>{html.escape(word(array.item()))}</div>"
    if array.ndim > 2:
        return summary + code(np.array2string(array, threshold=64, edgeitems=2))
    rows = array[np.newaxis, :] if array.ndim == 1 else array
    picked = [edges(rows.shape[0]), edges(rows.shape[1])]
    cells = [
        ["⋮" if r is None else "…" if c is None else word(rows[r, c]) for c in picked[1]] for r in picked[0]
    ]
    return summary + table(cells, has_head=False)


def edges(length: int) -> list[int | None]:
    """The positions that are shown of an axis, with `None` for those between."""
    if length <= 2 * SHOWN + 1:
        return list(range(length))
    return [*range(SHOWN), None, *range(length - SHOWN, length)]


def word(value: Any) -> str:
    """One element."""
    if isinstance(value, float | np.floating):
        return f"{float(value):.5g}"
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)


def table(rows: Iterable[Iterable[Any]], has_head: bool = True) -> str:
    """Rows of cells."""
    made = []
    for at, row in enumerate(rows):
        tag = "th" if has_head and at == 0 else "td"
        cells = "".join(f"<{tag} style='text-align:right'>{html.escape(str(cell))}</{tag}>" for cell in row)
        made.append(f"<tr>{cells}</tr>")
    return f"<table style='{STYLE}'>{''.join(made)}</table>"


def code(text: str) -> str:
    """A text as it stands."""
    cut = text if len(text) <= MOST else text[:MOST] + "\n…"
    return f"<div style='{CODE}'>{html.escape(cut)}</div>"


def block(name: str, what: str, inside: str) -> str:
    """A heading over something."""
    return f"<div><b>{html.escape(name)}</b> <span>{html.escape(what)}</span>{inside}</div>"
