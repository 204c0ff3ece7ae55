"""Layers that scale: by moments, by root mean squares, by groups of channels, and to norm 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import _native
from . import initializers
from ._plain import Computed
from ._recurrent import _lengths

Initializer = str | initializers.Initializer


class Normalization(Computed):
    """Subtracts means and divides by deviations, which are given or measured by `adapt`.

    Args:
      axis: axis, or axes, along which each place has moments of its own; `None` for one mean of all.
      mean: the means, if they are known.
      variance: the variances, if they are known.
      invert: whether to multiply and add instead.
      others: the arguments of `Layer`.

    Raises:
      ValueError: one of `mean` and `variance` alone is given, or their shapes differ.

    Example:
      >>> layer = gw.keras.layers.Normalization(axis=None)
      >>> layer.adapt(np.array([1.0, 3.0], np.float32))
      >>> layer(gw.constant([1.0, 5.0])).numpy().tolist()
      [-1.0, 3.0]
    """

    def __init__(
        self,
        axis: int | Sequence[int] | None = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        if (mean is None) != (variance is None):
            raise ValueError("`mean` and `variance` are given both or not at all")
        if mean is not None and np.shape(mean) != np.shape(variance):
            raise ValueError(f"`mean` has the shape {np.shape(mean)}, `variance` {np.shape(variance)}")
        self.input_mean, self.input_variance, self.invert = mean, variance, invert

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the moments.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Normalization()
          >>> layer.build((None, 3))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(3,), (3,), ()]
        """
        axes = len(input_shape)
        if any(not -axes <= axis < axes for axis in self.axis):
            raise ValueError(f"`axis` {self.axis} is none of the {axes} axes")
        self._kept = sorted(axis % axes for axis in self.axis)
        self._wide = [n or 1 if axis in self._kept else 1 for axis, n in enumerate(input_shape)]
        shape = tuple(input_shape[axis] for axis in self._kept)
        if self.input_mean is None:
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            self.count = self.add_weight((), "zeros", _native.int32, trainable=False, name="count")

    def _moments(self) -> list[Any]:
        if self.input_mean is None:
            return [_native.reshape(one, self._wide) for one in (self.adapt_mean, self.adapt_variance)]
        given = (np.asarray(one, np.float32) for one in (self.input_mean, self.input_variance))
        return [_native.cast(_native.constant(self._placed(one)), self.dtype) for one in given]

    def _placed(self, given: Any) -> Any:
        """Given moments at the axes that are kept, the last at the last."""
        shape = [1] * len(self._wide)
        for at, length in enumerate(reversed(given.shape), 1):
            shape[self._kept[-at]] = length
        return np.broadcast_to(given.reshape(shape), self._wide)

    def adapt(self, data: Any) -> None:
        """Measures means and variances.

        Args:
          data: array, tensor, `gw.data.Dataset` of batches, or iterable of batches.

        Returns:
          Nothing.

        Raises:
          ValueError: there is no batch, or batches have different lengths along a kept axis.

        Example:
          >>> layer = gw.keras.layers.Normalization()
          >>> layer.adapt(np.array([[0.0, 7.0], [2.0, 9.0]], np.float32))
          >>> layer(gw.constant([[2.0, 8.0]])).numpy().tolist()
          [[1.0, 0.0]]
        """
        mean, variance, count = 0.0, 0.0, 0
        for batch in _batches(data):
            if not self.built:
                self.build(batch.shape)
            around = tuple(axis for axis in range(batch.ndim) if axis not in self._kept)
            more = max(1, int(np.prod([batch.shape[axis] for axis in around])))
            count += more
            share = more / count
            own, spread = batch.mean(around, dtype=np.float64), batch.var(around, dtype=np.float64)
            if count > more and np.shape(own) != np.shape(mean):
                raise ValueError(f"batches have moments of the shapes {np.shape(mean)} and {np.shape(own)}")
            variance = variance * (1 - share) + spread * share + (own - mean) ** 2 * share * (1 - share)
            mean = mean + (own - mean) * share
        if count == 0:
            raise ValueError("`adapt` was given no batch")
        if self.input_mean is None:
            self.adapt_mean.assign(np.asarray(mean, np.float32))
            self.adapt_variance.assign(np.asarray(variance, np.float32))

    def _compute(self, x: Any) -> Any:
        mean, variance = self._moments()
        deviation = _native.maximum(_native.sqrt(variance), 1e-7)
        x = _native.cast(x, self.dtype)
        return mean + x * deviation if self.invert else (x - mean) / deviation


def _batches(data: Any) -> Iterable[Any]:
    """Batches as arrays."""
    is_one = hasattr(data, "__array__") or hasattr(data, "numpy")
    for batch in [data] if is_one else data:
        yield np.asarray(batch[0] if isinstance(batch, tuple) else batch)


class RMSNormalization(Computed):
    """Divides by the root of the mean square along axes, then scales.

    Args:
      axis: the axis, or a list of axes.
      epsilon: number added to the mean square.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.RMSNormalization()(gw.constant([[3.0, 3.0]])).numpy().round(3).tolist()
      [[1.0, 1.0]]

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
    """

    def __init__(self, axis: int | Sequence[int] = -1, epsilon: float = 1e-6, **others: Any) -> None:
        super().__init__(**others)
        self.axis, self.epsilon = axis if isinstance(axis, int) else list(axis), epsilon

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the scale.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.RMSNormalization()
          >>> layer.build((None, 3))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(3,)]
        """
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        shape = tuple(input_shape[axis] for axis in axes)
        self.scale = self.add_weight(shape, "ones", name="scale")
        kept = [axis % len(input_shape) for axis in axes]
        self._wide = [n or 1 if axis in kept else 1 for axis, n in enumerate(input_shape)]

    def _compute(self, x: Any) -> Any:
        mean = _native.reduce_mean(_native.square(x), self.axis, keepdims=True)
        return x * _native.rsqrt(mean + self.epsilon) * _native.reshape(self.scale, self._wide)


class GroupNormalization(Computed):
    """Normalizes groups of channels to mean 0 and variance 1, example by example, then scales and shifts.

    Args:
      groups: number of groups; -1 for one of each channel.
      axis: axis of the channels.
      epsilon: number added to the variance.
      center: whether `beta` is added.
      scale: whether `gamma` is a factor.
      beta_initializer: initializer of `beta`.
      gamma_initializer: initializer of `gamma`.
      others: the arguments of `Layer`.

    Raises:
      ValueError: the channels are no multiple of the groups.

    Example:
      >>> layer = gw.keras.layers.GroupNormalization(2)
      >>> layer(gw.constant([[1.0, 3.0, 5.0, 9.0]])).numpy().round(2).tolist()
      [[-1.0, 1.0, -1.0, 1.0]]

    Source: Wu and He, "Group Normalization", 2018.
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Initializer = "zeros",
        gamma_initializer: Initializer = "ones",
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes gamma and beta.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.GroupNormalization(2)
          >>> layer.build((None, 4))
          >>> [tuple(weight.shape) for weight in layer.weights]
          [(4,), (4,)]
        """
        channels = input_shape[self.axis]
        if channels is None:
            raise ValueError(f"`{self.name}` needs the number of channels, not {tuple(input_shape)}")
        self.groups = channels if self.groups == -1 else self.groups
        if channels % self.groups or channels < self.groups:
            raise ValueError(f"{channels} channels are not a multiple of the {self.groups} groups")
        self.gamma = (
            self.add_weight((channels,), self.gamma_initializer, name="gamma") if self.scale else None
        )
        self.beta = self.add_weight((channels,), self.beta_initializer, name="beta") if self.center else None

    def _compute(self, x: Any) -> Any:
        at, shape = self.axis % x.ndim, _lengths(x)
        inner = shape[at] // self.groups
        parted = _native.reshape(x, [*shape[:at], self.groups, inner, *shape[at + 1 :]])
        axes = [axis for axis in range(1, parted.ndim) if axis != at]
        centred = parted - _native.reduce_mean(parted, axes, keepdims=True)
        variance = _native.reduce_mean(_native.square(centred), axes, keepdims=True)
        found = _native.reshape(centred * _native.rsqrt(variance + self.epsilon), shape)
        wide = [-1 if axis == at else 1 for axis in range(x.ndim)]
        if self.gamma is not None:
            found = found * _native.reshape(self.gamma, wide)
        return found if self.beta is None else found + _native.reshape(self.beta, wide)


class UnitNormalization(Computed):
    """Scales to the Euclidean norm 1 along axes.

    Args:
      axis: the axis, or a list of axes.
      others: the arguments of `Layer`.

    Example:
      >>> gw.keras.layers.UnitNormalization()(gw.constant([[3.0, 4.0]])).numpy().round(3).tolist()
      [[0.6000000238418579, 0.800000011920929]]
    """

    def __init__(self, axis: int | Sequence[int] = -1, **others: Any) -> None:
        super().__init__(**others)
        self.axis = axis if isinstance(axis, int) else list(axis)

    def _compute(self, x: Any) -> Any:
        total = _native.reduce_sum(_native.square(x), self.axis, keepdims=True)
        return x * _native.rsqrt(_native.maximum(total, 1e-24))
