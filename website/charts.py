"""Draws the charts of `docs/benchmarks.md` from its tables: `python -m website.charts` writes them anew."""

from __future__ import annotations

import math
import re
from pathlib import Path

from website.drawing import Drawing

DOCS = Path(__file__).parents[1] / "docs"
COLORS = {
    "JAX": "#2856a3",
    "TensorFlow": "#b35309",
    "Numba": "#22723a",
    "NumPy": "#6a3fa0",
    "Python": "#9a6400",
    "plain": "#9a6400",
}
RIGHT, ROW = 90, 17
#: Pixels that a letter of a label takes.
LETTER = 6.9
TICKS = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000)

Table = list[tuple[str, float, dict[str, float]]]


def tables() -> dict[str, Table]:
    """Tables behind a mark `<!-- chart: name -->`: a label, our figure, and those of others."""
    found: dict[str, Table] = {}
    text = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    for name, table in re.findall(r"<!-- chart: ([\w-]+) -->\n((?:\|.*\n)+)", text):
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
        peers, rows = lines[0][2:], lines[2:]
        found[name] = [
            (
                row[0].replace("`", ""),
                float(row[1]),
                {
                    peer: float(cell)
                    for peer, cell in zip(peers, row[2:], strict=True)
                    if peer in COLORS and cell
                },
            )
            for row in rows
        ]
    return found


def chart(name: str, rows: Table) -> Drawing:
    """Bars of ratios on a logarithmic axis; the line is where both are equal."""
    ratios = [other / ours for _, ours, others in rows for other in others.values()]
    low, high = min(0.8, min(ratios)) * 0.8, max(ratios) * 1.25
    height = sum(ROW * len(others) + 14 for _, _, others in rows) + 84
    left = max(240, 20 + round(LETTER * max(len(label) for label, _, _ in rows)))
    width = left + 570
    said = "; ".join(
        f"{label}: " + ", ".join(f"{peer} {other / ours:.3g} times" for peer, other in others.items())
        for label, ours, others in rows
    )
    drawing = Drawing(width, height, f"Time as a multiple of Graphwright's ({name})", said)

    def at(ratio: float) -> float:
        return left + math.log(ratio / low) / math.log(high / low) * (width - left - RIGHT)

    for tick in TICKS:
        if low <= tick <= high:
            drawing.rule(at(tick), 30, at(tick), height - 46, "#1b1f27" if tick == 1 else "#d3d8e0")
            drawing.text(round(at(tick), 1), height - 30, f"{tick:g}×", size=12)
    drawing.text(
        (left + width - RIGHT) / 2, height - 10, "time, as a multiple of Graphwright's (logarithmic)", size=12
    )
    legend = dict.fromkeys(peer for _, _, others in rows for peer in others)
    for number, peer in enumerate(legend):
        drawing.bar(left + number * 105, 10, 12, 12, COLORS[peer])
        drawing.text(left + 17 + number * 105, 20, peer, size=12, anchor="start")
    top = 36
    for label, ours, others in rows:
        middle = top + ROW * len(others) / 2 + 4
        drawing.text(left - 10, middle, label, size=12, anchor="end")
        for peer, other in others.items():
            begin, end = sorted((at(1), at(other / ours)))
            drawing.bar(begin, top, end - begin, ROW - 4, COLORS[peer])
            drawing.text(
                round(end + 5, 1),
                top + 10,
                f"{other / ours:.2g}×" if other / ours < 10 else f"{other / ours:,.0f}×",
                size=11,
                anchor="start",
            )
            top += ROW
        top += 14
    return drawing


def charts() -> dict[str, str]:
    """Texts of all charts by their names."""
    return {name: chart(name, rows).svg() for name, rows in tables().items()}


def main() -> None:
    """Writes each chart."""
    for name, text in charts().items():
        (DOCS / "pictures" / f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
