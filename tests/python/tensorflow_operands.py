"""Operands of calls of functions under TensorFlow's names."""

from __future__ import annotations

ROW = [-2.5, -1.0, -0.25, 0.0, 0.5, 1.0, 3.0]
UNIT = [-0.99, -0.5, -0.001, 0.0, 0.3, 0.75, 0.999]
POSITIVE = [0.01, 0.4, 0.6, 1.0, 1.5, 2.0, 7.5, 40.0, 300.0]
SHARE = [0.0005, 0.02, 0.3, 0.5, 0.8, 0.999]
GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.5]]
NUMBERS = [[3, 1, 2], [0, 5, 4]]
NONE: list = []


def images(height, width, channels, batch=2):
    """Numbers that differ from each other, in the shape of images."""
    count = batch * height * width * channels
    flat = [((at * 37) % 101) / 50.0 - 1.0 for at in range(count)]
    return shaped(flat, (batch, height, width, channels))


def shaped(flat, shape):
    """A flat list as nested lists."""
    if len(shape) == 1:
        return flat
    size = len(flat) // shape[0]
    return [shaped(flat[at * size : (at + 1) * size], shape[1:]) for at in range(shape[0])]


def ramp(*shape):
    """Small numbers in a shape."""
    count = 1
    for length in shape:
        count *= length
    return shaped([((at * 29) % 23) / 10.0 - 1.0 for at in range(count)], shape)
