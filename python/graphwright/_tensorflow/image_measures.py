"""Colours of television, edges and measures of images, and boxes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from .._arrays import lengths, pad
from .._function import function
from .._native import Tensor
from .colours import _image, convert_image_dtype

__all__ = [
    "draw_bounding_boxes",
    "image_gradients",
    "non_max_suppression",
    "psnr",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "sobel_edges",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_RGB_OF_YIQ = [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_RGB_OF_YUV = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def _mixed(images: Any, matrix: list[list[float]]) -> Tensor:
    x = _native.convert_to_tensor(images)
    if not x.dtype.is_floating or x.shape[-1] not in (3, None):
        raise ValueError(f"three channels of floats are needed, not {tuple(x.shape)} of {x.dtype.name}")
    found = _native.matmul(_native.reshape(x, [-1, 3]), _native.constant(matrix, x.dtype))
    return _native.reshape(found, lengths(x))


def _converter(name: str, matrix: list[list[float]], told: str) -> Callable[[Any], Tensor]:
    def convert(images: Any) -> Tensor:
        return _mixed(images, matrix)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = (
        f"Turns colours from {told}.\n\n    Args:\n      images: tensor `(…, 3)` of floats.\n\n"
        "    Returns:\n      Tensor of the same shape and dtype.\n\n    Example:\n"
        f"      >>> gw.image.{name}(gw.zeros([1, 1, 3])).numpy().tolist()\n      [[[0.0, 0.0, 0.0]]]\n"
    )
    return convert


rgb_to_yiq = _converter("rgb_to_yiq", _YIQ, "red, green and blue to brightness and two differences, YIQ")
yiq_to_rgb = _converter(
    "yiq_to_rgb", _RGB_OF_YIQ, "brightness and two differences, YIQ, to red, green and blue"
)
rgb_to_yuv = _converter("rgb_to_yuv", _YUV, "red, green and blue to brightness and two differences, YUV")
yuv_to_rgb = _converter(
    "yuv_to_rgb", _RGB_OF_YUV, "brightness and two differences, YUV, to red, green and blue"
)


def psnr(a: Any, b: Any, max_val: float, name: str | None = None) -> Tensor:
    """Computes the ratio of signal to noise of two images, in decibels.

    Args:
      a: tensor `(…, height, width, channels)`.
      b: tensor of the same shape.
      max_val: distance of the least and the greatest value.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the last three axes, `float32`.

    Example:
      >>> float(gw.image.psnr(gw.zeros([1, 1, 1]), gw.ones([1, 1, 1]), 1.0))
      0.0
    """
    del name
    first, second = _native.convert_to_tensor(a), _native.convert_to_tensor(b)
    greatest = convert_image_dtype(_native.cast(max_val, first.dtype), _native.float32)
    first, second = (convert_image_dtype(one, _native.float32) for one in (first, second))
    error = _native.reduce_mean(_native.square(first - second), [-3, -2, -1])
    scale = 10.0 / math.log(10.0)
    return _native.subtract(2.0 * scale * _native.log(greatest), scale * _native.log(error))


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Computes the differences of each element and the next one below and beside it.

    Args:
      image: tensor `(batch, height, width, channels)`.

    Returns:
      Pair of tensors of the same shape, with zeros in the last row and column.

    Raises:
      ValueError: the image has other axes.

    Example:
      >>> below, beside = gw.image.image_gradients(gw.constant([[[[1.0], [3.0]]]]))
      >>> beside.numpy().ravel().tolist()
      [2.0, 0.0]
    """
    x = _native.convert_to_tensor(image)
    if x.ndim != 4:
        raise ValueError(f"a batch of images has 4 axes, not the shape {tuple(x.shape)}")
    below, beside = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
    none = [0, 0]
    return pad(below, [none, [0, 1], none, none]), pad(beside, [none, none, [0, 1], none])


def sobel_edges(image: Any) -> Tensor:
    """Computes differences of rows and of columns by Sobel's filters.

    Args:
      image: tensor `(batch, height, width, channels)` of floats.

    Returns:
      Tensor `(batch, height, width, channels, 2)`.

    Example:
      >>> gw.image.sobel_edges(gw.ones([1, 4, 4, 3])).shape
      (1, 4, 4, 3, 2)
    """
    x = _native.convert_to_tensor(image)
    wide = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    smooth_columns = wide[:, :, :-2] + 2.0 * wide[:, :, 1:-1] + wide[:, :, 2:]
    smooth_rows = wide[:, :-2] + 2.0 * wide[:, 1:-1] + wide[:, 2:]
    down = smooth_columns[:, 2:] - smooth_columns[:, :-2]
    along = smooth_rows[:, :, 2:] - smooth_rows[:, :, :-2]
    return _native.stack([down, along], -1)


#: TensorFlow's colours of boxes, one after the other.
_COLOURS = [
    [1, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 0, 0, 1],
    [0, 1, 0, 1],
    [0.5, 0, 0.5, 1],
    [0.5, 0.5, 0, 1],
    [0.5, 0, 0, 1],
    [0, 0, 0.5, 1],
    [0, 1, 1, 1],
    [1, 0, 1, 1],
]


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Draws the frames of boxes into images.

    Args:
      images: tensor `(batch, height, width, channels)` of floats, with 1, 3 or 4 channels.
      boxes: tensor `(batch, boxes, 4)` of the first row, the first column, the last row and the last
        column, as shares of the height and width.
      colors: list of colours, which boxes take in turn; TensorFlow's if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: the operands have other axes.

    Example:
      >>> x = gw.zeros([1, 3, 3, 1])
      >>> gw.image.draw_bounding_boxes(x, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])[0, :, :, 0].numpy().tolist()
      [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    del name
    x, frames = _image(images), _native.cast(_native.convert_to_tensor(boxes), _native.float32)
    if x.ndim != 4 or frames.ndim != 3 or frames.shape[1] is None:
        raise ValueError(
            f"images of 4 axes and boxes of 3 are needed, not {tuple(x.shape)} and {tuple(frames.shape)}"
        )
    _, high, wide, channels = lengths(x)
    shades = np.asarray(_COLOURS if colors is None else colors, np.float32)
    rows = _native.reshape(_native.range(high), [1, -1, 1])
    columns = _native.reshape(_native.range(wide), [1, 1, -1])
    for at in range(frames.shape[1]):
        limits = [_native.cast(high - 1, _native.float32), _native.cast(wide - 1, _native.float32)] * 2
        ends = [_native.cast(frames[:, at, k] * limits[k], _native.int32) for k in range(4)]
        top, left, bottom, right = (_native.reshape(one, [-1, 1, 1]) for one in ends)
        in_rows = _native.logical_and(rows >= top, rows <= bottom)
        in_columns = _native.logical_and(columns >= left, columns <= right)
        on_rows = _native.logical_or(_native.equal(rows, top), _native.equal(rows, bottom))
        on_columns = _native.logical_or(_native.equal(columns, left), _native.equal(columns, right))
        on = _native.logical_or(
            _native.logical_and(on_rows, in_columns), _native.logical_and(on_columns, in_rows)
        )
        is_box = _native.logical_and(top <= bottom, left <= right)
        shade = _native.constant(shades[at % len(shades)][:channels], x.dtype)
        x = _native.where(_native.expand_dims(_native.logical_and(on, is_box), -1), shade, x)
    return x


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Chooses boxes by their scores and leaves out those that overlap a chosen one.

    Args:
      boxes: tensor `(boxes, 4)` of two opposite corners.
      scores: tensor `(boxes,)`.
      max_output_size: number of boxes at most.
      iou_threshold: overlap over union above which a box is left out.
      score_threshold: score that a box has to be above.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Vector of the numbers of the chosen boxes, the best first.

    Raises:
      ValueError: `iou_threshold` is not between 0 and 1.

    Example:
      >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
      >>> gw.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], 3).numpy().tolist()
      [1, 2]
    """
    from .._masks import boolean_mask

    del name
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"`iou_threshold` is {iou_threshold}, not between 0 and 1")
    frames, marks = _native.convert_to_tensor(boxes), _native.convert_to_tensor(scores)
    order = _native.cast(_native.argsort(marks, direction="DESCENDING", stable=True), _native.int32)
    near = _overlaps(_native.gather(frames, order)) > iou_threshold
    kept = _alone(near, _native.gather(marks, order) > score_threshold)
    return boolean_mask(order, kept)[: _native.cast(max_output_size, _native.int32)]


@function
def _alone(near: Tensor, kept: Tensor) -> Tensor:
    """The boxes that no better one is near, which stays itself."""
    places = _native.range(_native.shape(kept)[0])
    for at in places:
        out = _native.logical_and(near[at], places > at)
        kept = _native.logical_and(kept, _native.logical_not(_native.logical_and(out, kept[at])))
    return kept


def _overlaps(frames: Tensor) -> Tensor:
    """Overlaps over unions of all pairs of boxes."""
    top, bottom = _native.minimum(frames[:, 0], frames[:, 2]), _native.maximum(frames[:, 0], frames[:, 2])
    left, right = _native.minimum(frames[:, 1], frames[:, 3]), _native.maximum(frames[:, 1], frames[:, 3])
    area = (bottom - top) * (right - left)
    high = _native.minimum(bottom[:, None], bottom) - _native.maximum(top[:, None], top)
    wide = _native.minimum(right[:, None], right) - _native.maximum(left[:, None], left)
    shared = _native.maximum(high, 0.0) * _native.maximum(wide, 0.0)
    union = area[:, None] + area - shared
    return _native.where(union > 0.0, shared / _native.where(union > 0.0, union, 1.0), 0.0)
