"""TensorFlow's initializers at the top level."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _native
from ..keras.initializers import Ones, RandomNormal, RandomUniform, Zeros

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]


@dataclasses.dataclass(frozen=True)
class constant_initializer:  # noqa: N801 - TensorFlow's name
    """Fills with one number, or with the elements of a list in their order.

    Args:
      value: number, list or array.
      support_partition: accepted as in TensorFlow; has no effect.

    Example:
      >>> gw.constant_initializer([1.0, 2.0, 3.0, 4.0])([2, 2]).numpy().tolist()
      [[1.0, 2.0], [3.0, 4.0]]
    """

    value: Any = 0
    support_partition: bool = False

    def __call__(self, shape: Sequence[int], dtype: Any = None, **others: Any) -> Any:
        """A tensor of that shape."""
        del others
        dtype = _native.as_dtype(dtype or _native.float32)
        if np.ndim(self.value) == 0:
            return _native.fill(list(shape), _native.cast(self.value, dtype))
        array = np.asarray(self.value)
        if array.size != int(np.prod(shape)):
            raise TypeError(f"{array.size} elements do not fill the shape {tuple(shape)}")
        return _native.cast(_native.constant(array.reshape(shape)), dtype)


class zeros_initializer(Zeros):  # noqa: N801 - TensorFlow's name
    """Fills with zeros.

    Example:
      >>> gw.zeros_initializer()([2]).numpy().tolist()
      [0.0, 0.0]
    """


class ones_initializer(Ones):  # noqa: N801 - TensorFlow's name
    """Fills with ones.

    Example:
      >>> gw.ones_initializer()([2]).numpy().tolist()
      [1.0, 1.0]
    """


class random_normal_initializer(RandomNormal):  # noqa: N801 - TensorFlow's name
    """Draws from a normal distribution.

    Args:
      mean: mean.
      stddev: standard deviation.
      seed: seed of the numbers.

    Example:
      >>> gw.random_normal_initializer(seed=1)([2, 3]).shape
      (2, 3)
    """


class random_uniform_initializer(RandomUniform):  # noqa: N801 - TensorFlow's name
    """Draws uniformly from `[minval, maxval)`.

    Args:
      minval: least value.
      maxval: bound that is not reached.
      seed: seed of the numbers.

    Example:
      >>> gw.random_uniform_initializer(seed=1)([2, 3]).shape
      (2, 3)
    """
