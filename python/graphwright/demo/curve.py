"""Draws curves, such as the loss of a training epoch by epoch."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

WIDTH, HEIGHT, MARGIN = 480, 320, 40
COLOURS = [(200, 40, 40), (40, 80, 200), (40, 140, 60), (140, 100, 20)]


def draw_curves(curves: dict[str, np.ndarray], path: Path, logarithmic: bool = False) -> Path:
    """One line for each curve, the first in red; what is least and greatest stands at the left."""
    shown = {name: np.asarray(values, np.float64) for name, values in curves.items()}
    numbers = np.concatenate(list(shown.values()))
    low, high = numbers.min(), numbers.max()
    scale = np.log if logarithmic else np.asarray
    bottom, top = scale(low), scale(high)
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(picture)
    box = (MARGIN, MARGIN // 2, WIDTH - MARGIN // 2, HEIGHT - MARGIN // 2)
    pen.rectangle(box, outline=(180, 180, 180))
    pen.text((2, box[1]), f"{high:.3g}", fill="black")
    pen.text((2, box[3] - 12), f"{low:.3g}", fill="black")
    for at, (name, values) in enumerate(shown.items()):
        across = np.linspace(box[0], box[2], len(values))
        down = box[3] - (scale(values) - bottom) / max(top - bottom, 1e-12) * (box[3] - box[1])
        colour = COLOURS[at % len(COLOURS)]
        pen.line(list(zip(across, down, strict=True)), fill=colour, width=2)
        pen.text((box[2] - 130, box[1] + 6 + 14 * at), name, fill=colour)
    picture.save(path)
    return path
