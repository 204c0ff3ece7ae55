"""Changes of images at random: brightness, contrast, hue, saturation and parts."""

from __future__ import annotations

import math
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from .colours import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation

__all__ = [
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_hue",
    "random_saturation",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_hue",
    "stateless_random_saturation",
]


def _drawn(low: float, high: float, seed: Any, stateless: bool) -> Tensor:
    if not low < high:
        raise ValueError(f"the bounds {low} and {high} do not rise")
    if stateless:
        return _native.stateless_uniform([], seed, low, high, _native.float32)
    return _native.random_uniform([], low, high, _native.float32, seed=seed)


def _not_negative(value: float, name: str, most: float = math.inf) -> float:
    if not 0 <= value <= most:
        raise ValueError(
            f"`{name}` is {value}, not a number from 0" + (f" to {most}" if most < math.inf else " on")
        )
    return value


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Adds a number that is drawn.

    Args:
      image: tensor `(…, height, width, channels)`.
      max_delta: greatest number.
      seed: seed.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.random_brightness(gw.ones([2, 2, 3]), 0.2).shape
      (2, 2, 3)
    """
    delta = _not_negative(max_delta, "max_delta")
    return adjust_brightness(image, _drawn(-delta, delta, seed, False))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Adds a number that a seed decides.

    Args:
      image: tensor `(…, height, width, channels)`.
      max_delta: greatest number.
      seed: two whole numbers.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.stateless_random_brightness(gw.ones([2, 2, 3]), 0.2, (1, 2)).shape
      (2, 2, 3)
    """
    delta = _not_negative(max_delta, "max_delta")
    return adjust_brightness(image, _drawn(-delta, delta, seed, True))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Changes the contrast by a factor that is drawn.

    Args:
      image: tensor `(…, height, width, channels)`.
      lower: least factor.
      upper: greatest factor.
      seed: seed.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.random_contrast(gw.ones([2, 2, 3]), 0.2, 0.5).shape
      (2, 2, 3)
    """
    return adjust_contrast(image, _drawn(_not_negative(lower, "lower"), upper, seed, False))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """Changes the contrast by a factor that a seed decides.

    Args:
      image: tensor `(…, height, width, channels)`.
      lower: least factor.
      upper: greatest factor.
      seed: two whole numbers.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.stateless_random_contrast(gw.ones([2, 2, 3]), 0.2, 0.5, (1, 2)).shape
      (2, 2, 3)
    """
    return adjust_contrast(image, _drawn(_not_negative(lower, "lower"), upper, seed, True))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Changes the saturation by a factor that is drawn.

    Args:
      image: tensor `(…, height, width, 3)`.
      lower: least factor.
      upper: greatest factor.
      seed: seed.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.random_saturation(gw.ones([2, 2, 3]), 0.2, 0.5).shape
      (2, 2, 3)
    """
    return adjust_saturation(image, _drawn(_not_negative(lower, "lower"), upper, seed, False))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """Changes the saturation by a factor that a seed decides.

    Args:
      image: tensor `(…, height, width, 3)`.
      lower: least factor.
      upper: greatest factor.
      seed: two whole numbers.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.stateless_random_saturation(gw.ones([2, 2, 3]), 0.2, 0.5, (1, 2)).shape
      (2, 2, 3)
    """
    return adjust_saturation(image, _drawn(_not_negative(lower, "lower"), upper, seed, True))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Turns the hue by an angle that is drawn.

    Args:
      image: tensor `(…, height, width, 3)`.
      max_delta: greatest part of a turn, up to 0.5.
      seed: seed.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.random_hue(gw.ones([2, 2, 3]), 0.2).shape
      (2, 2, 3)
    """
    delta = _not_negative(max_delta, "max_delta", 0.5)
    return adjust_hue(image, _drawn(-delta, delta, seed, False))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Turns the hue by an angle that a seed decides.

    Args:
      image: tensor `(…, height, width, 3)`.
      max_delta: greatest part of a turn, up to 0.5.
      seed: two whole numbers.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.image.stateless_random_hue(gw.ones([2, 2, 3]), 0.2, (1, 2)).shape
      (2, 2, 3)
    """
    delta = _not_negative(max_delta, "max_delta", 0.5)
    return adjust_hue(image, _drawn(-delta, delta, seed, True))


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """Takes a part of a tensor at a place that is drawn.

    Args:
      value: tensor.
      size: lengths of the part.
      seed: seed.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of those lengths.

    Raises:
      ValueError: the part is longer than the tensor.

    Example:
      >>> gw.image.random_crop(gw.ones([4, 4, 3]), [2, 2, 3], seed=1).shape
      (2, 2, 3)
    """
    del name
    return _cropped(value, size, _native.random_uniform([_native.convert_to_tensor(value).ndim], seed=seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """Takes a part of a tensor at a place that a seed decides.

    Args:
      value: tensor.
      size: lengths of the part.
      seed: two whole numbers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of those lengths.

    Example:
      >>> gw.image.stateless_random_crop(gw.ones([4, 4, 3]), [2, 2, 3], [1, 2]).shape
      (2, 2, 3)
    """
    del name
    return _cropped(value, size, _native.stateless_uniform([_native.convert_to_tensor(value).ndim], seed))


def _cropped(value: Any, size: Any, drawn: Tensor) -> Tensor:
    x = _native.convert_to_tensor(value)
    key = []
    for at, (count, length) in enumerate(zip(list(size), lengths(x), strict=True)):
        if isinstance(length, int) and int(count) > length:
            raise ValueError(f"a part of length {int(count)} is longer than the axis, {length}")
        first = _native.cast(drawn[at] * _native.cast(length - count + 1, drawn.dtype), _native.int64)
        key.append(slice(first, first + int(count)))
    return _native.reshape(x[tuple(key)], [int(count) for count in size])
