"""Colours and brightness of images, under TensorFlow's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _native
from .._native import Tensor
from .clipping import saturate_cast

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "convert_image_dtype",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "per_image_standardization",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "total_variation",
]


def _image(image: Any) -> Tensor:
    x = _native.convert_to_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(f"an image has three axes, a batch four, not the shape {tuple(x.shape)}")
    return x


def _size(x: Tensor) -> tuple[int, int]:
    height, width = x.shape[-3], x.shape[-2]
    if height is None or width is None:
        raise ValueError("images whose height and width are known are needed: give them by `gw.ensure_shape`")
    return height, width


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """Casts images and scales them: the range of whole numbers becomes 0 to 1.

    Args:
      image: tensor of numbers.
      dtype: dtype of the result.
      saturate: whether numbers beyond the range become its ends.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape.

    Example:
      >>> gw.image.convert_image_dtype(gw.constant([0, 255], gw.uint8), gw.float32).numpy().tolist()
      [0.0, 1.0]
    """
    del name
    x, wanted = _native.convert_to_tensor(image), _native.as_dtype(dtype)
    if x.dtype == wanted:
        return x
    if x.dtype.is_floating and wanted.is_floating:
        return _native.cast(x, wanted)
    if x.dtype.is_floating:
        scaled = x * (float(wanted.max) + 0.5)
        return (
            saturate_cast(scaled, wanted)
            if saturate
            else _native.cast(_native.clip_by_value(scaled, float(wanted.min), float(wanted.max)), wanted)
        )
    if wanted.is_floating:
        return _native.cast(x, wanted) * (1.0 / float(x.dtype.max))
    factor = (int(wanted.max) + 1) / (int(x.dtype.max) + 1)
    if factor >= 1:
        return _native.cast(x, wanted) * _native.constant(int(factor), wanted)
    return saturate_cast(_native.floordiv(x, _native.constant(int(1 / factor), x.dtype)), wanted)


def _as_floats(image: Any, change: Callable[[Tensor], Tensor]) -> Tensor:
    """A change of floats, of whole numbers in their own dtype."""
    x = _native.convert_to_tensor(image)
    if x.dtype.is_floating:
        return change(x)
    return convert_image_dtype(change(convert_image_dtype(x, _native.float32)), x.dtype, saturate=True)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Adds to all elements.

    Args:
      image: tensor of numbers; whole numbers count as shares of their greatest.
      delta: number that is added.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.adjust_brightness(gw.constant([[[0.5]]]), 0.25).numpy().tolist()
      [[[0.75]]]
    """
    return _as_floats(image, lambda x: x + delta)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Scales the distance of elements from the mean of their channel.

    Args:
      images: tensor `(…, height, width, channels)`.
      contrast_factor: factor.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.adjust_contrast(gw.constant([[[0.0], [1.0]]]), 2.0).numpy().tolist()
      [[[-0.5], [1.5]]]
    """

    def change(x: Tensor) -> Tensor:
        mean = _native.reduce_mean(x, [-3, -2], keepdims=True)
        found: Tensor = (x - mean) * contrast_factor + mean
        return found

    return _as_floats(_image(images), change)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Computes `gain * x ** gamma`.

    Args:
      image: tensor of numbers; whole numbers count as shares of their greatest.
      gamma: exponent from 0 on.
      gain: factor.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.adjust_gamma(gw.constant([[[0.5]]]), 2).numpy().tolist()
      [[[0.25]]]
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError(f"`gamma` is {gamma}: it is 0 or more")
    return _as_floats(image, lambda x: gain * _native.pow(x, gamma))


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Turns the hue of colours.

    Args:
      image: tensor `(…, 3)`.
      delta: share of a whole turn.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.adjust_hue(gw.constant([[[1.0, 0.0, 0.0]]]), 1.0 / 3.0).numpy().round(3).tolist()
      [[[0.0, 1.0, 0.0]]]
    """
    del name

    def change(x: Tensor) -> Tensor:
        hsv = rgb_to_hsv(x)
        turned = _native.floormod(hsv[..., 0] + delta, 1.0)
        return hsv_to_rgb(_native.stack([turned, hsv[..., 1], hsv[..., 2]], -1))

    return _as_floats(image, change)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Scales the saturation of colours.

    Args:
      image: tensor `(…, 3)`.
      saturation_factor: factor.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.adjust_saturation(gw.constant([[[1.0, 0.5, 0.5]]]), 0.0).numpy().tolist()
      [[[1.0, 1.0, 1.0]]]
    """
    del name

    def change(x: Tensor) -> Tensor:
        hsv = rgb_to_hsv(x)
        scaled = _native.clip_by_value(hsv[..., 1] * saturation_factor, 0.0, 1.0)
        return hsv_to_rgb(_native.stack([hsv[..., 0], scaled, hsv[..., 2]], -1))

    return _as_floats(image, change)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Computes the brightness of colours.

    Args:
      images: tensor `(…, 3)`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, 1)` of the same dtype.

    Example:
      >>> gw.image.rgb_to_grayscale(gw.constant([[[1.0, 1.0, 1.0]]])).numpy().round(3).tolist()
      [[[1.0]]]
    """
    del name
    x = _native.convert_to_tensor(images)
    flat = convert_image_dtype(x, _native.float32) if not x.dtype.is_floating else x
    found = flat[..., :1] * 0.2989 + flat[..., 1:2] * 0.587 + flat[..., 2:] * 0.114
    return convert_image_dtype(found, x.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Repeats one channel three times.

    Args:
      images: tensor `(…, 1)`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(…, 3)` of the same dtype.

    Example:
      >>> gw.image.grayscale_to_rgb(gw.constant([[[0.5]]])).numpy().tolist()
      [[[0.5, 0.5, 0.5]]]
    """
    del name
    x = _native.convert_to_tensor(images)
    return _native.concat([x, x, x], -1)


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Computes hue, saturation and value of colours.

    Args:
      images: tensor `(…, 3)` of floats from 0 to 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.rgb_to_hsv(gw.constant([[[0.0, 1.0, 0.0]]])).numpy().round(3).tolist()
      [[[0.3330000042915344, 1.0, 1.0]]]
    """
    del name
    x = _native.convert_to_tensor(images)
    red, green, blue = (x[..., at] for at in range(3))
    most = _native.maximum(_native.maximum(red, green), blue)
    span = most - _native.minimum(_native.minimum(red, green), blue)
    some, one = span > 0.0, _native.ones_like(span)
    part = 1.0 / (6.0 * _native.where(some, span, one))
    hue = _native.where(
        _native.equal(green, most), part * (blue - red) + 2.0 / 6.0, part * (red - green) + 4.0 / 6.0
    )
    hue = _native.where(_native.equal(red, most), part * (green - blue), hue)
    hue = _native.where(some, _native.where(hue < 0.0, hue + 1.0, hue), _native.zeros_like(hue))
    bright = most > 0.0
    saturation = _native.where(bright, span / _native.where(bright, most, one), _native.zeros_like(span))
    return _native.stack([hue, saturation, most], -1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Computes colours of hue, saturation and value.

    Args:
      images: tensor `(…, 3)` of floats from 0 to 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.hsv_to_rgb(gw.constant([[[0.0, 1.0, 1.0]]])).numpy().tolist()
      [[[1.0, 0.0, 0.0]]]
    """
    del name
    x = _native.convert_to_tensor(images)
    hue, saturation, value = (x[..., at] for at in range(3))
    turns = [
        _native.abs(6.0 * hue - 3.0) - 1.0,
        2.0 - _native.abs(6.0 * hue - 2.0),
        2.0 - _native.abs(6.0 * hue - 4.0),
    ]
    parts = [_native.clip_by_value(turn, 0.0, 1.0) for turn in turns]
    return _native.stack([((part - 1.0) * saturation + 1.0) * value for part in parts], -1)


def per_image_standardization(image: Any) -> Tensor:
    """Scales each image to mean 0 and variance 1.

    Args:
      image: tensor `(…, height, width, channels)`.

    Returns:
      Tensor of the same shape, `float32` unless the image is of floats.

    Example:
      >>> gw.image.per_image_standardization(gw.constant([[[0.0], [2.0]]])).numpy().tolist()
      [[[-1.0], [1.0]]]
    """
    x = _image(image)
    x = x if x.dtype.is_floating else _native.cast(x, _native.float32)
    height, width = _size(x)
    axes = [-3, -2, -1]
    mean = _native.reduce_mean(x, axes, keepdims=True)
    deviation = _native.sqrt(_native.reduce_mean(_native.square(x - mean), axes, keepdims=True))
    return (x - mean) / _native.maximum(deviation, 1.0 / math.sqrt(height * width * (x.shape[-1] or 1)))


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Sums distances of neighbouring elements.

    Args:
      images: tensor `(…, height, width, channels)`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar, or a number for each image of a batch.

    Example:
      >>> gw.image.total_variation(gw.constant([[[0.0], [2.0]]]))
      <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
    """
    del name
    x = _image(images)
    down = _native.abs(x[..., 1:, :, :] - x[..., :-1, :, :])
    across = _native.abs(x[..., :, 1:, :] - x[..., :, :-1, :])
    return _native.reduce_sum(down, [-3, -2, -1]) + _native.reduce_sum(across, [-3, -2, -1])
