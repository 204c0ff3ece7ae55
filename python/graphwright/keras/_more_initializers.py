"""Initializers with variances of their own, from truncated normal distributions, and identity matrices."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from .. import _native, random
from .._arrays import eye

#: The deviation of a normal distribution that is cut off at two deviations.
_CUT = 0.87962566103423978
_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("truncated_normal", "untruncated_normal", "uniform")


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Numbers of operands of a result, and of results of an operand; kernels end in both."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


def _truncated(shape: Sequence[int], mean: float, deviation: float, dtype: Any, seed: int | None) -> Any:
    dtype = dtype or _native.float32
    if seed is None:
        return random.truncated_normal(shape, mean, deviation, dtype)
    return random.stateless_truncated_normal(shape, [seed, 0], mean, deviation, dtype)


@dataclasses.dataclass(frozen=True)
class TruncatedNormal:
    """Draws from a normal distribution that is cut off at two deviations.

    Args:
      mean: mean.
      stddev: standard deviation before it is cut off.
      seed: seed of the numbers.

    Example:
      >>> gw.keras.initializers.TruncatedNormal(seed=1)([2, 3]).shape
      (2, 3)
    """

    mean: float = 0.0
    stddev: float = 0.05
    seed: int | None = None

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        return _truncated(shape, self.mean, self.stddev, dtype, self.seed)


@dataclasses.dataclass(frozen=True)
class VarianceScaling:
    """Draws with the variance `scale / n`, where `n` counts operands or results of the shape.

    Args:
      scale: factor of the variance.
      mode: `"fan_in"` for operands, `"fan_out"` for results, `"fan_avg"` for their mean.
      distribution: `"truncated_normal"`, `"untruncated_normal"` or `"uniform"`.
      seed: seed of the numbers.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> gw.keras.initializers.VarianceScaling(2.0, "fan_out", seed=1)([2, 3]).shape
      (2, 3)
    """

    scale: float = 1.0
    mode: str = "fan_in"
    distribution: str = "truncated_normal"
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.scale <= 0.0:
            raise ValueError(f"`scale` is {self.scale}, not positive")
        if self.mode not in _MODES:
            raise ValueError(f"`mode` is {self.mode!r}: it is one of {', '.join(_MODES)}")
        # TensorFlow calls one of them `normal`.
        if self.distribution not in (*_DISTRIBUTIONS, "normal"):
            raise ValueError(
                f"`distribution` is {self.distribution!r}: it is one of {', '.join(_DISTRIBUTIONS)}"
            )

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        first, second = fans(shape)
        count = {"fan_in": first, "fan_out": second, "fan_avg": (first + second) / 2.0}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return _uniform(shape, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return _normal(shape, math.sqrt(variance), dtype, self.seed)
        return _truncated(shape, 0.0, math.sqrt(variance) / _CUT, dtype, self.seed)


def _uniform(shape: Sequence[int], limit: float, dtype: Any, seed: int | None) -> Any:
    dtype = dtype or _native.float32
    if seed is None:
        return _native.random_uniform(shape, -limit, limit, dtype)
    return _native.stateless_uniform(shape, [seed, 0], -limit, limit, dtype)


def _normal(shape: Sequence[int], deviation: float, dtype: Any, seed: int | None) -> Any:
    dtype = dtype or _native.float32
    if seed is None:
        return _native.random_normal(shape, 0.0, deviation, dtype)
    return _native.stateless_normal(shape, [seed, 0], 0.0, deviation, dtype)


def _scaled(name: str, scale: float, mode: str, distribution: str, told: str, source: str) -> Any:
    """A class of one variance."""

    def initialize(self: VarianceScaling, seed: int | None = None) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    doc = (
        f"Draws {told}.\n\n    Args:\n      seed: seed of the numbers.\n\n    Example:\n"
        f"      >>> gw.keras.initializers.{name}(seed=1)([2, 3]).shape\n      (2, 3)\n\n"
        f"    Source: {source}\n"
    )
    return type(name, (VarianceScaling,), {"__init__": initialize, "__doc__": doc, "__module__": __name__})


_GLOROT = (
    'Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.'
)
_HE = 'He et al., "Delving Deep into Rectifiers", 2015.'
_LECUN = 'LeCun et al., "Efficient BackProp", 1998.'
_CUT_OFF = "from a normal distribution, cut off, of the variance"
GlorotNormal = _scaled(
    "GlorotNormal", 1.0, "fan_avg", "truncated_normal", f"{_CUT_OFF} `2 / (fan_in + fan_out)`", _GLOROT
)
HeNormal = _scaled("HeNormal", 2.0, "fan_in", "truncated_normal", f"{_CUT_OFF} `2 / fan_in`", _HE)
LecunNormal = _scaled("LecunNormal", 1.0, "fan_in", "truncated_normal", f"{_CUT_OFF} `1 / fan_in`", _LECUN)
LecunUniform = _scaled(
    "LecunUniform", 1.0, "fan_in", "uniform", "uniformly within `sqrt(3 / fan_in)` of zero", _LECUN
)


@dataclasses.dataclass(frozen=True)
class Identity:
    """A matrix with a number on its diagonal and zeros elsewhere.

    Args:
      gain: the number.

    Example:
      >>> gw.keras.initializers.Identity(2.0)([2, 2]).numpy().tolist()
      [[2.0, 0.0], [0.0, 2.0]]
    """

    gain: float = 1.0

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """A tensor of that shape."""
        if len(shape) != 2:
            raise ValueError(f"an identity matrix has two axes, not the shape {tuple(shape)}")
        return self.gain * eye(shape[0], shape[1], dtype=dtype or _native.float32)
