"""The report of a graph function: one page with its source, graph, loops, times, copies and retraces."""

from __future__ import annotations

import html
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

from .. import _native
from .._partition import Partition
from . import _measure, _nodes, _source

#: The greatest size of a page, in bytes; graphs and loops of more are cut, and the page says so.
MOST = 290_000

#: The reason for which arrays are copied that a call might lend.
BY_TYPES = "the call finds its graph by types"


class Report:
    """The page of a graph function for arguments of one trace type; `f.report(…)` makes it.

    Attributes:
      data: the content of the page, as lists, dicts, numbers and strings.

    Example:
      >>> @gw.function
      ... def double(x):
      ...     return x * 2.0
      >>> page = double.report(gw.TensorSpec([3], gw.float32))
      >>> page.data["inputs"], page.data["outputs"]
      ([['x', 'float32[3]']], ['float32[3]'])
    """

    def __init__(self, data: dict[str, Any], raised: Exception | None = None) -> None:
        self.data = data
        self._raised = raised

    @property
    def html(self) -> str:
        """The page: it holds all that it needs, and loads nothing."""
        data, page = self.data, _page(self.data)
        while len(page.encode()) > MOST and (data["loops"] or data["graph"]):
            data = _shorter(data)
            page = _page(data)
        return page

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file.

        Args:
          path: the file, which is replaced if it is there.

        Returns:
          The path.

        Example:
          >>> import graphwright as gw, tempfile
          >>> page = gw.function(lambda x: x * 2.0).report(gw.constant(1.0))
          >>> page.save(tempfile.mkdtemp() + "/double.html").name
          'double.html'
        """
        made = Path(path)
        made.write_text(self.html, encoding="utf-8")
        return made

    def _repr_html_(self) -> str:
        """The page in a frame; notebooks show it."""
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #8884"></iframe>'

    def __str__(self) -> str:
        lines = [f"{self.data['name']}{self.data['signature']}"]
        for place, seconds in self.data["times"]["lines"].items():
            file, _, lineno = place.rpartition(":")
            name = self.data["files"][int(file)]["name"]
            lines.append(f"{seconds * 1e6:10.2f} µs  {os.path.basename(name)}:{lineno}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Report of {self.data['name']}: {len(self.data['nodes'])} operations>"


def report(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Report:
    """The report of a function; it is called some times if no argument is a mere type."""
    named = kwargs or {}
    concrete = function.get_concrete_function(*args, **named)
    partition = Partition(function.python_function, concrete)
    lines = concrete.graph._lines()
    nodes = _nodes.nodes(lines)
    files, places = _source.files(function.python_function, lines)
    times = _measure.times(function, args, named, concrete, partition, nodes, places)
    raised = times.pop("raised")
    data = {
        "name": concrete.name,
        "signature": _nodes.signature(lines),
        "version": _native.__version__,
        "inputs": [[str(spec.name), _type(spec)] for spec in concrete.inputs],
        "outputs": [_type(spec) for spec in concrete.outputs],
        "files": files,
        "graph": [[text, node, places.get(place[:2]) if place else None] for text, node, place in lines],
        "nodes": nodes,
        "spans": _source.spans(lines, places),
        "loops": [[text, node] for node, text in concrete._loops()],
        "times": times,
        "transfers": [_transfer(transfer, files) for transfer in partition.transfers],
        "copies": _copies(partition.transfers, places),
        "arrays": _arrays(function, concrete, args, named),
        "warnings": [str(warning) for warning in partition.warnings],
        "retraces": function.explain_retraces(),
        "traces": function.experimental_get_tracing_count(),
    }
    return Report(data, raised)


def _type(spec: Any) -> str:
    axes = ",".join("?" if axis is None else str(axis) for axis in spec.shape)
    return f"{spec.dtype.name}[{axes}]"


def _transfer(transfer: Any, files: list[dict[str, Any]]) -> list[Any]:
    size = "?" if transfer.nbytes is None else f"{transfer.nbytes:,}"
    asked = "implicit" if transfer.implicit else "asked for"
    kind = {"send": "to the host", "receive": "to the graph"}.get(transfer.kind, transfer.kind)
    return [
        kind,
        transfer.call,
        transfer.name,
        _type(transfer.spec),
        size,
        transfer.lineno,
        transfer.loop_depth,
        asked,
    ]


def _arrays(
    function: Any, concrete: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> list[list[str]] | None:
    """The memory that each array of the caller is worked on in; `None` if the arguments are types."""
    if _measure.has_types(args, named):
        return None
    found = []
    places = concrete._memory(function, args, named)
    arrays = [place for place in places if not isinstance(place[1], _native.Tensor)]
    own = any(reason not in (None, BY_TYPES) for *_, reason in arrays)
    for number, given, is_stored, reason in arrays:
        reason = "another array of the call is copied" if own and reason == BY_TYPES else reason
        done = "stored into" if is_stored else "read"
        both = "copied in and back" if is_stored else "copied"
        where = f"{done} where it is" if reason is None else f"{both} by each call: {reason}"
        spec = concrete.inputs[number]
        size = f"{given.nbytes:,}" if hasattr(given, "nbytes") else "?"
        found.append([str(spec.name), _type(spec), size, where])
    return found


def _copies(transfers: Any, places: Any) -> dict[str, list[str]]:
    """The copies of each line, in words."""
    found: dict[str, list[str]] = {}
    for transfer in transfers:
        key = places.get((transfer.filename, transfer.lineno))
        size = "an unknown number of" if transfer.nbytes is None else f"{transfer.nbytes:,}"
        where = "to the host" if transfer.kind == "send" else "into the graph"
        found.setdefault(key or "", []).append(f"{transfer.name}: {size} bytes {where}")
    return found


def _page(data: dict[str, Any]) -> str:
    """The page of some data: the script reads it out of an element that no browser runs."""
    folder = resources.files(__package__)
    page = folder.joinpath("page.html").read_text(encoding="utf-8")
    # No `<` stands in the data: `</script>` ends its element, and `<!--<script>` keeps it from ending.
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    for mark, part in (
        ("/*STYLE*/", folder.joinpath("page.css").read_text(encoding="utf-8")),
        ("/*PICTURE*/", folder.joinpath("picture.js").read_text(encoding="utf-8")),
        ("/*SCRIPT*/", folder.joinpath("page.js").read_text(encoding="utf-8")),
        ("TITLE", html.escape(data["name"])),
        ("/*DATA*/", text),
    ):
        page = page.replace(mark, part)
    return page


def _shorter(data: dict[str, Any]) -> dict[str, Any]:
    """The data with fewer loops, or if there are none left with fewer lines of the graph and their nodes."""
    if data["loops"]:
        rows = data["loops"]
        kept = rows[: len(rows) // 2] if len(rows) > 100 else []
        return {**data, "loops": kept, "cut": ["loops"]}
    lines = data["graph"][: len(data["graph"]) * 3 // 4]
    nodes = [node for node in data["nodes"] if node["line"] < len(lines)]
    known = {node["id"] for node in nodes}
    spans = {node: span for node, span in data["spans"].items() if node in known}
    return {**data, "graph": lines, "nodes": nodes, "spans": spans, "cut": ["loops", "graph"]}
