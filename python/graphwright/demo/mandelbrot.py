"""Mandelbrot: for each pixel a loop that stops as soon as its point has escaped."""

from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm

import graphwright as gw
from graphwright.demo import figures
from graphwright.demo.workload import Workload

STEPS = 200


def escape_steps(cx, cy):
    """The number of steps until the point leaves the circle of radius 2; at most STEPS."""
    x, y, steps = cx, cy, 0
    while steps < STEPS:
        if x * x + y * y > 4.0:
            break
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        steps += 1
    return steps


def row_of_steps(xs, cy):
    """One row of the picture. Each pixel stops on its own."""
    row = gw.zeros(len(xs), gw.int64)
    for column in gw.range(len(xs)):
        row[column] = escape_steps(xs[column], cy)
    return row


def workload(small: bool) -> Workload:
    """The pixel's function is the same in both; plain Python collects the row in a list."""
    width, height = (40, 30) if small else (480, 320)
    xs, ys = np.linspace(-2.2, 0.8, width), np.linspace(-1.0, 1.0, height)
    plain_xs, plain_ys = xs.tolist(), ys.tolist()
    staged, row_xs = gw.function(row_of_steps), gw.constant(xs)
    row_ys = [gw.constant(y, gw.float64) for y in plain_ys]
    return Workload(
        title=f"Mandelbrot, {width}×{height} pixels",
        plain="Python",
        python=lambda: np.array([[escape_steps(x, y) for x in plain_xs] for y in plain_ys]),
        graph=lambda: np.array([staged(row_xs, y).numpy() for y in row_ys]),
        same=np.array_equal,
        draw=draw,
        repeat=2,
    )


def draw(steps: np.ndarray, folder: Path) -> Path:
    """Colours by the logarithm of the steps; what never escapes is black."""
    made, [axes] = figures.figure(f"Mandelbrot's set, {steps.shape[1]}×{steps.shape[0]} points")
    escaped = np.ma.masked_where(steps == STEPS, steps + 1)
    axes.set_facecolor("black")
    norm = LogNorm(1, STEPS)
    shown = axes.imshow(escaped, extent=(-2.2, 0.8, -1.0, 1.0), origin="lower", cmap="viridis", norm=norm)
    axes.set(xlabel="real part", ylabel="imaginary part")
    made.colorbar(shown, ax=axes, label="steps until a point escapes (black: never)")
    return figures.save(made, folder / "mandelbrot.png")
