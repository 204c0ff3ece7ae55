"""A partition as a picture: the user's lines in two lanes, with what crosses between them."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import _texts
from ._program import Call, Transfer, calls_of

#: Sizes in pixels, of a font whose letters are `LETTER` wide.
ROW, LETTER, MARGIN, GAP = 24, 7.3, 16, 240

_STYLE = (
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2933}"
    ".head{font-weight:bold;fill:#52606d}.number{fill:#9aa5b1}.label{font-size:10.5px;fill:#7b3f00}"
    ".graph{fill:#e6f0fa}.host{fill:#fdf0dc}line{stroke:#b4652a;stroke-width:1.3}"
    "polygon{fill:#b4652a}"
)


class Row(NamedTuple):
    """A line of the user's with the calls of the host that stand in it."""

    number: int
    text: str
    calls: list[Call]

    @property
    def transfers(self) -> list[Transfer]:
        """The transfers of the calls."""
        return [transfer for call in self.calls for _, transfer, _ in (*call.sent, *call.received)]


def rows(lines: list[str], first: int, file: str, steps: list[Any]) -> Iterator[Row]:
    """The lines of a function's body that say something."""
    at: dict[int, list[Call]] = {}
    for call in calls_of(steps):
        if call.place and call.place[0] == file:
            at.setdefault(call.place[1], []).append(call)
    for number, line in enumerate(lines, first):
        text = line.rstrip()
        if text.strip() and not text.strip().startswith(("#", "@", "def ", '"""')):
            yield Row(number, text, at.get(number, []))


def svg(name: str, shown: list[Row]) -> str:
    """The picture."""
    indent = min((len(row.text) - len(row.text.lstrip()) for row in shown), default=0)
    lane = max([len(row.text) - indent for row in shown] + [24]) * LETTER + 50
    left, right = MARGIN, MARGIN + lane + GAP
    width = right + lane + MARGIN
    parts, y = [], MARGIN + ROW * 1.5
    parts.append(words(left + 8, MARGIN + 12, f"graph of {name}", "head"))
    parts.append(words(right + 8, MARGIN + 12, "host", "head"))
    for row in shown:
        height = ROW * max(1, len(row.transfers))
        x, side = (right, "host") if row.calls else (left, "graph")
        parts.append(
            f'<rect class="{side}" x="{x}" y="{y}" width="{lane:.0f}" height="{height - 4}" rx="4"/>'
        )
        parts.append(words(x + 8, y + 14, f"{row.number:>3}", "number"))
        parts.append(words(x + 40, y + 14, row.text[indent:], ""))
        for k, transfer in enumerate(row.transfers):
            parts.append(arrow(left + lane, right, y + 10 + k * ROW, transfer))
        y += height
    size = f'width="{width:.0f}" height="{y + MARGIN:.0f}" viewBox="0 0 {width:.0f} {y + MARGIN:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>{"".join(parts)}</svg>\n'


def words(x: float, y: float, text: str, kind: str) -> str:
    """A text at a place."""
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}" xml:space="preserve">{html.escape(text)}</text>'


def arrow(left: float, right: float, y: float, transfer: Transfer) -> str:
    """A transfer, from lane to lane."""
    size = _texts.bytes_text(transfer.nbytes)
    name = transfer.name if len(transfer.name) < 20 else transfer.name[:18] + "…"
    begin, end = left + 6, right - 6
    tip, base = (end, end - 7) if transfer.kind == "send" else (begin, begin + 7)
    return (
        f'<line x1="{begin:.0f}" y1="{y:.0f}" x2="{end:.0f}" y2="{y:.0f}"/>'
        f'<polygon points="{tip:.0f},{y:.0f} {base:.0f},{y - 4:.0f} {base:.0f},{y + 4:.0f}"/>'
        + words(begin + 12, y - 3, f"{name}, {size}", "label")
    )
