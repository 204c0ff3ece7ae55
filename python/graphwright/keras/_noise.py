"""Layers that disturb their inputs while training."""

from __future__ import annotations

import math
from typing import Any

from .. import _native, random
from ._plain import Trained, is_first
from ._recurrent import _kept, _lengths


class _Random(Trained):
    """A layer with a source of random numbers."""

    def __init__(self, seed: int | None, **others: Any) -> None:
        super().__init__(**others)
        self.seed = seed
        self._random = None if seed is None else random.Generator.from_seed(seed)

    def _normal(self, x: Any, mean: float, deviation: float) -> Any:
        draw = random.normal if self._random is None else self._random.normal
        return draw(_lengths(x), mean, deviation, dtype=x.dtype)


def _share(rate: float) -> float:
    if not 0 <= rate <= 1:
        raise ValueError(f"`rate` is {rate}, not between 0 and 1")
    return rate


class _SpatialDropout(_Random):
    """A layer that drops channels."""

    def __init__(self, rate: float, data_format: str | None, seed: int | None, **others: Any) -> None:
        super().__init__(seed, **others)
        self.rate, self.data_format, self._first = _share(rate), data_format, is_first(data_format)

    def _trained(self, x: Any) -> Any:
        lengths = _lengths(x)
        channels = 1 if self._first else x.ndim - 1
        shape = [n if axis in (0, channels) else 1 for axis, n in enumerate(lengths)]
        return x * _kept(self._random, shape, self.rate, x.dtype) if self.rate > 0 else x


class SpatialDropout1D(_SpatialDropout):
    """Sets random features to zero at all steps while training and scales the others up.

    Args:
      rate: probability that a feature is zero.
      seed: seed of the numbers; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.SpatialDropout1D(0.5, seed=1)
      >>> layer(gw.ones([2, 4, 8]), training=True).shape
      (2, 4, 8)
    """

    def __init__(self, rate: float, seed: int | None = None, **others: Any) -> None:
        super().__init__(rate, None, seed, **others)


class SpatialDropout2D(_SpatialDropout):
    """Sets random channels of images to zero while training and scales the others up.

    Args:
      rate: probability that a channel is zero.
      data_format: `"channels_last"` or `"channels_first"`.
      seed: seed of the numbers; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.SpatialDropout2D(0.5, seed=1)
      >>> layer(gw.ones([2, 4, 4, 8]), training=True).shape
      (2, 4, 4, 8)
    """

    def __init__(
        self, rate: float, data_format: str | None = None, seed: int | None = None, **others: Any
    ) -> None:
        super().__init__(rate, data_format, seed, **others)


class SpatialDropout3D(_SpatialDropout):
    """Sets random channels of volumes to zero while training and scales the others up.

    Args:
      rate: probability that a channel is zero.
      data_format: `"channels_last"` or `"channels_first"`.
      seed: seed of the numbers; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.SpatialDropout3D(0.5, seed=1)
      >>> layer(gw.ones([2, 4, 4, 4, 8]), training=True).shape
      (2, 4, 4, 4, 8)
    """

    def __init__(
        self, rate: float, data_format: str | None = None, seed: int | None = None, **others: Any
    ) -> None:
        super().__init__(rate, data_format, seed, **others)


class GaussianNoise(_Random):
    """Adds normal numbers of mean 0 while training.

    Args:
      stddev: standard deviation.
      seed: seed of the numbers; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: `stddev` is not between 0 and 1.

    Example:
      >>> layer = gw.keras.layers.GaussianNoise(0.5, seed=1)
      >>> bool(gw.reduce_any(layer(gw.zeros([2, 4]), training=True) != 0.0))
      True
    """

    def __init__(self, stddev: float, seed: int | None = None, **others: Any) -> None:
        super().__init__(seed, **others)
        if not 0 <= stddev <= 1:
            raise ValueError(f"`stddev` is {stddev}, not between 0 and 1")
        self.stddev = stddev

    def _trained(self, x: Any) -> Any:
        return x + self._normal(x, 0.0, self.stddev) if self.stddev > 0 else x


class GaussianDropout(_Random):
    """Multiplies with normal numbers of mean 1 while training.

    Args:
      rate: share `p` of a dropout of the same variance: the deviation is `sqrt(p / (1 - p))`.
      seed: seed of the numbers; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.GaussianDropout(0.5, seed=1)
      >>> bool(gw.reduce_any(layer(gw.ones([2, 4]), training=True) != 1.0))
      True

    Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", 2014.
    """

    def __init__(self, rate: float, seed: int | None = None, **others: Any) -> None:
        super().__init__(seed, **others)
        self.rate = _share(rate)

    def _trained(self, x: Any) -> Any:
        if self.rate == 0:
            return x
        deviation = math.sqrt(self.rate / (1.0 - self.rate)) if self.rate < 1 else math.inf
        return x * self._normal(x, 1.0, deviation)


class AlphaDropout(_Random):
    """Sets random elements to the least value of `selu` while training, and keeps mean and variance.

    Args:
      rate: probability that an element is set.
      noise_shape: lengths that the random numbers have, 1 where they are the same along an axis.
      seed: seed of the numbers; without one they are those of `gw.random.set_seed`.
      others: the arguments of `Layer`.

    Example:
      >>> layer = gw.keras.layers.AlphaDropout(0.5, seed=1)
      >>> layer(gw.ones([2, 4]), training=True).shape
      (2, 4)

    Source: Klambauer et al., "Self-Normalizing Neural Networks", 2017.
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **others: Any) -> None:
        super().__init__(seed, **others)
        self.rate, self.noise_shape = _share(rate), noise_shape

    def _trained(self, x: Any) -> Any:
        if self.rate == 0:
            return x
        least = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
        draw = random.uniform if self._random is None else self._random.uniform
        shape = _lengths(x)
        if self.noise_shape is not None:
            shape = [
                n if wanted is None else wanted for n, wanted in zip(shape, self.noise_shape, strict=True)
            ]
        kept = _native.cast(draw(shape, dtype=x.dtype) >= self.rate, x.dtype)
        factor = ((1.0 - self.rate) * (1.0 + self.rate * least**2)) ** -0.5 if self.rate < 1 else 0.0
        offset = -factor * least * self.rate
        return factor * (x * kept + least * (1.0 - kept)) + offset
