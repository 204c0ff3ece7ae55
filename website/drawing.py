"""Draws boxes, arrows, code and bars as SVG; pictures of the documentation are made of nothing else."""

from __future__ import annotations

from html import escape

#: Fill, edge and text of each kind of box. Text on fill has a contrast of at least 7 to 1.
KINDS = {
    "plain": ("#ffffff", "#5b6472", "#1b1f27"),
    "host": ("#fdf1dc", "#9a6400", "#4a3000"),
    "graph": ("#e3ecfb", "#2856a3", "#12305f"),
    "native": ("#e2f3e6", "#22723a", "#0f3d1d"),
    "question": ("#f0e9fa", "#6a3fa0", "#3a1d60"),
    "stop": ("#fbe5e5", "#a32828", "#5f1212"),
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
INK = "#1b1f27"
LINE = 19


class Drawing:
    """A picture with a title and a description for those who do not see it."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        self.width, self.height = width, height
        self.title, self.description = title, description
        self.parts: list[str] = []

    def text(self, x, y, text, *, size=14, anchor="middle", color=INK, weight="400", mono=False) -> None:
        """One line of text; `y` is its base line."""
        family = MONO if mono else FONT
        self.parts.append(
            f'<text x="{x}" y="{y}" font-family="{family}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}" fill="{color}" xml:space="preserve">{escape(text)}</text>'
        )

    def box(self, x, y, width, height, text, kind="plain", *, mono=False, size=14) -> None:
        """A box around lines of text in its middle."""
        fill, edge, ink = KINDS[kind]
        radius = 16 if kind == "question" else 7
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}" '
            f'stroke="{edge}" stroke-width="1.6"/>'
        )
        lines = text.split("\n")
        top = y + height / 2 - (len(lines) - 1) * LINE / 2 + size * 0.36
        for number, line in enumerate(lines):
            self.text(x + width / 2, round(top + number * LINE, 1), line, color=ink, mono=mono, size=size)

    def area(self, x, y, width, height, label, kind="plain") -> None:
        """A large box with a label at its top."""
        fill, edge, ink = KINDS[kind]
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="10" fill="{fill}" '
            f'stroke="{edge}" stroke-width="1.2" stroke-dasharray="5 4"/>'
        )
        self.text(x + 12, y + 21, label, anchor="start", color=ink, weight="600")

    def code(self, x, y, lines, *, marks=(), size=13) -> None:
        """Lines of code from a base line on; `marks` gives (line, kind) of those behind which a colour lies."""
        for line, kind in marks:
            fill, edge, _ = KINDS[kind]
            self.parts.append(
                f'<rect x="{x - 8}" y="{y + line * LINE - 14}" width="4" height="{LINE - 1}" fill="{edge}"/>'
            )
            self.parts.append(
                f'<rect x="{x - 4}" y="{y + line * LINE - 14}" width="{8 + 7.9 * len(lines[line])}" '
                f'height="{LINE - 1}" fill="{fill}"/>'
            )
        for number, line in enumerate(lines):
            self.text(x, y + number * LINE, line, anchor="start", mono=True, size=size)

    def arrow(self, *points, label="", at=None, anchor="middle") -> None:
        """A line through points that ends in a head; the label stands at `at` or above the middle."""
        path = " ".join(f"{x},{y}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="#404858" stroke-width="1.7" '
            'marker-end="url(#head)"/>'
        )
        if label:
            (x1, y1), (x2, y2) = points[0], points[1]
            x, y = at or ((x1 + x2) / 2, (y1 + y2) / 2 - 7)
            self.text(x, y, label, size=13, anchor=anchor)

    def bar(self, x, y, width, height, color) -> None:
        """A bar of a chart."""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1.5):.1f}" height="{height}" fill="{color}"/>'
        )

    def rule(self, x1, y1, x2, y2, color="#c4cad4") -> None:
        """A thin line."""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}" stroke="{color}"/>')

    def svg(self) -> str:
        """The picture's text; a light ground lets it be read on dark pages too."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-labelledby="title desc">'
        )
        marker = (
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#404858"/></marker></defs>'
        )
        ground = f'<rect width="{self.width}" height="{self.height}" rx="12" fill="#fbfcfe"/>'
        named = (
            f'<title id="title">{escape(self.title)}</title><desc id="desc">{escape(self.description)}</desc>'
        )
        return "\n".join([head, named, marker, ground, *self.parts, "</svg>"]) + "\n"
