"""Random numbers by Keras 3's names, from a number as seed, a `SeedGenerator`, or those of `gw.random`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native, nn
from .. import random as _random
from .._native import Tensor, Variable
from .._tensorflow.random import stateless_shuffle

__all__ = [
    "SeedGenerator",
    "categorical",
    "dropout",
    "normal",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]


class SeedGenerator:
    """Gives the seeds of calls one after the other.

    Args:
      seed: number that decides all of them; one of the clock if it is `None`.
      name: accepted as in Keras; has no effect.

    Example:
      >>> seeds = gw.keras.random.SeedGenerator(seed=3)
      >>> first, second = (gw.keras.random.normal([2], seed=seeds) for _ in range(2))
      >>> bool(gw.reduce_all(first == second))
      False
    """

    def __init__(self, seed: int | None = None, name: str | None = None) -> None:
        del name
        if seed is None:
            seed = int(_native.random_uniform([], 0, 2**31 - 1, _native.int32))
        self.state = Variable([seed, 0], dtype=_native.int64, trainable=False)

    def next(self) -> Tensor:
        """Gives the next seed.

        Returns:
          Tensor of two whole numbers.

        Example:
          >>> gw.keras.random.SeedGenerator(seed=3).next().numpy().tolist()
          [3, 0]
        """
        found = self.state.value() + 0
        self.state.assign(found + _native.constant([0, 1], _native.int64))
        return found


def _seeded(seed: Any) -> Any:
    return seed.next() if isinstance(seed, SeedGenerator) else [int(seed), 0]


def normal(
    shape: Sequence[Any], mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Draws from a normal distribution.

    Args:
      shape: lengths of the result.
      mean: mean.
      stddev: standard deviation.
      dtype: floating dtype; `float32` if it is `None`.
      seed: seed of the numbers.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.random.normal((2, 3), seed=1).shape
      (2, 3)
    """
    dtype = _native.as_dtype(dtype or _native.float32)
    if seed is None:
        return _random.normal(shape, mean, stddev, dtype)
    return _random.stateless_normal(shape, _seeded(seed), mean, stddev, dtype)


def truncated_normal(
    shape: Sequence[Any], mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Draws from a normal distribution that is cut off at two deviations.

    Args:
      shape: lengths of the result.
      mean: mean.
      stddev: standard deviation before it is cut off.
      dtype: floating dtype; `float32` if it is `None`.
      seed: seed of the numbers.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.random.truncated_normal((2, 3), seed=1).shape
      (2, 3)
    """
    dtype = _native.as_dtype(dtype or _native.float32)
    if seed is None:
        return _random.truncated_normal(shape, mean, stddev, dtype)
    return _random.stateless_truncated_normal(shape, _seeded(seed), mean, stddev, dtype)


def uniform(
    shape: Sequence[Any], minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Draws uniformly from `[minval, maxval)`.

    Args:
      shape: lengths of the result.
      minval: least value.
      maxval: bound that is not reached.
      dtype: floating dtype; `float32` if it is `None`.
      seed: seed of the numbers.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.random.uniform((2, 3), seed=1).shape
      (2, 3)
    """
    dtype = _native.as_dtype(dtype or _native.float32)
    if seed is None:
        return _random.uniform(shape, minval, maxval, dtype)
    return _random.stateless_uniform(shape, _seeded(seed), minval, maxval, dtype)


def randint(shape: Sequence[Any], minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Draws whole numbers from `minval` up to `maxval`, which is none of them.

    Args:
      shape: lengths of the result.
      minval: least value.
      maxval: bound that is not reached.
      dtype: dtype of whole numbers.
      seed: seed of the numbers.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.random.randint((2,), 5, 6).numpy().tolist()
      [5, 5]
    """
    return uniform(shape, minval, maxval, dtype, seed)


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Draws class numbers.

    Args:
      logits: tensor `(batch, classes)`.
      num_samples: number of draws for each row.
      dtype: dtype of whole numbers.
      seed: seed of the numbers.

    Returns:
      Tensor `(batch, num_samples)`.

    Example:
      >>> gw.keras.random.categorical(gw.constant([[0.0, 99.0]]), 2).numpy().tolist()
      [[1, 1]]
    """
    dtype = _native.as_dtype(dtype)
    if seed is None:
        return _random.categorical(logits, num_samples, dtype)
    return _random.stateless_categorical(logits, num_samples, _seeded(seed), dtype)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Tensor:
    """Sets random elements to zero and scales the others up.

    Args:
      inputs: tensor of floats.
      rate: probability that an element is zero.
      noise_shape: lengths that the random numbers have, 1 where they are the same along an axis.
      seed: seed of the numbers.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.random.dropout(gw.ones([3]), 0.0).numpy().tolist()
      [1.0, 1.0, 1.0]
    """
    if seed is None:
        return nn.dropout(inputs, rate, noise_shape)
    return nn.experimental.stateless_dropout(inputs, rate, _seeded(seed), noise_shape=noise_shape)  # type: ignore[no-any-return]


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Tensor:
    """Puts the rows of a tensor in a random order.

    Args:
      x: tensor.
      axis: 0.
      seed: seed of the numbers.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: `axis` is another one.

    Example:
      >>> sorted(gw.keras.random.shuffle(gw.constant([1, 2, 3])).numpy().tolist())
      [1, 2, 3]
    """
    value = _native.convert_to_tensor(x)
    if axis != 0:
        raise ValueError(f"`axis` is {axis}: rows are shuffled, along axis 0")
    if seed is None:
        return _random.shuffle(value)
    return stateless_shuffle(value, _seeded(seed))
