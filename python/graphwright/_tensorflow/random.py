"""Random numbers of more distributions, under TensorFlow's names, from seeds or without."""

from __future__ import annotations

import math
from typing import Any

from .. import _native
from .._arrays import lengths
from .._function import function
from .._native import Tensor
from .clipping import broadcast_static_shape
from .special import lgamma, ndtri

__all__ = [
    "categorical",
    "fold_in",
    "gamma",
    "poisson",
    "split",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_poisson",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "truncated_normal",
]


#: Words of seeds are drawn from half of the whole numbers of 64 bits.
_LEAST, _MOST = -(2**62), 2**62


def _drawn_seed(seed: int | None) -> Tensor:
    """A seed for functions without a state; another one at each call."""
    return _native.random_uniform([2], _LEAST, _MOST, _native.int64, seed)


def _shape(shape: Any, *parameters: Tensor) -> list[Any]:
    """A shape in front of the one to which parameters broadcast."""
    own: list[Any] = []
    for parameter in parameters:
        own = list(broadcast_static_shape(own, lengths(parameter)))
    front = (
        list(shape) if isinstance(shape, (list, tuple)) else _native.convert_to_tensor(shape).numpy().tolist()
    )
    return [*(front if isinstance(front, list) else [front]), *own]


def fold_in(seed: Any, data: Any, alg: str = "auto_select") -> Tensor:
    """Computes a seed from a seed and a number.

    Args:
      seed: two whole numbers.
      data: whole number.
      alg: accepted as in TensorFlow; has no effect.

    Returns:
      Two whole numbers.

    Example:
      >>> seed = gw.random.fold_in([1, 2], 7)
      >>> seed.shape, bool(gw.reduce_all(gw.equal(seed, gw.random.fold_in([1, 2], 7))))
      ((2,), True)
    """
    del alg
    first = _native.stateless_uniform([2], seed, _LEAST, _MOST, _native.int64)
    number = _native.reshape(_native.cast(data, _native.int64), [1])
    moved = _native.bitwise_xor(first, _native.concat([number, _native.zeros_like(number)], 0))
    return _native.stateless_uniform([2], moved, _LEAST, _MOST, _native.int64)


def split(seed: Any, num: Any = 2, alg: str = "auto_select") -> Tensor:
    """Computes several seeds from one.

    Args:
      seed: two whole numbers.
      num: number of seeds.
      alg: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(num, 2)`.

    Example:
      >>> first, second = gw.random.split([1, 2])
      >>> bool(gw.random.stateless_uniform([], seed=first) == gw.random.stateless_uniform([], seed=second))
      False
    """
    del alg
    return _native.stateless_uniform([num, 2], seed, _LEAST, _MOST, _native.int64)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = _native.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Draws from a normal distribution without numbers more than two standard deviations away.

    Args:
      shape: shape of the result.
      seed: two whole numbers.
      mean: mean.
      stddev: standard deviation.
      dtype: dtype of the result.
      alg: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the shape.

    Example:
      >>> x = gw.random.stateless_truncated_normal([1000], [1, 2])
      >>> bool(gw.reduce_all(gw.abs(x) <= 2.0))
      True
    """
    del name, alg
    below = 0.5 * math.erfc(math.sqrt(2.0))
    drawn = _native.stateless_uniform(shape, seed, below, 1.0 - below, _native.float64)
    result: Tensor = _native.cast(ndtri(drawn), dtype) * stddev + mean
    return result


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = _native.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from a normal distribution without numbers more than two standard deviations away.

    Args:
      shape: shape of the result.
      mean: mean.
      stddev: standard deviation.
      dtype: dtype of the result.
      seed: seed.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the shape.

    Example:
      >>> x = gw.random.truncated_normal([1000], seed=1)
      >>> bool(gw.reduce_all(gw.abs(x) <= 2.0))
      True
    """
    del name
    return stateless_truncated_normal(shape, _drawn_seed(seed), mean, stddev, dtype)


def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = _native.int64,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Draws class numbers by logits.

    Args:
      logits: tensor `(rows, classes)`, `float32` or `float64`.
      num_samples: number of draws for each row.
      seed: two whole numbers.
      dtype: dtype of the numbers.
      alg: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(rows, num_samples)`.

    Example:
      >>> gw.random.stateless_categorical(gw.constant([[0.0, 100.0]]), 3, [1, 2]).numpy().tolist()
      [[1, 1, 1]]
    """
    del name, alg
    x = _native.convert_to_tensor(logits)
    if x.ndim != 2:
        raise ValueError(f"`logits` has the shape {tuple(x.shape)}: it has two axes")
    rows, classes = lengths(x)
    drawn = _native.stateless_uniform([rows, num_samples, classes], seed, dtype=_native.float64)
    noise = -_native.log(-_native.log(drawn))
    return _native.cast(
        _native.argmax(_native.expand_dims(_native.cast(x, _native.float64), 1) + noise, -1), dtype
    )


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = _native.int64,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws class numbers by logits.

    Args:
      logits: tensor `(rows, classes)`, `float32` or `float64`.
      num_samples: number of draws for each row.
      dtype: dtype of the numbers.
      seed: seed.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(rows, num_samples)`.

    Example:
      >>> gw.random.categorical(gw.constant([[0.0, 100.0]]), 3, seed=1).numpy().tolist()
      [[1, 1, 1]]
    """
    del name
    return stateless_categorical(logits, num_samples, _drawn_seed(seed), dtype)


@function
def _gamma_draws(alpha: Tensor, seed: Tensor) -> Tensor:
    """Marsaglia's and Tsang's method; below 1 a draw of one more, times a power of a uniform one."""
    is_low = alpha < 1.0
    d = _native.where(is_low, alpha + 1.0, alpha) - 1.0 / 3.0
    c = 1.0 / _native.sqrt(9.0 * d)
    found, waits, turn = d, _native.ones_like(d, _native.bool), 0
    while _native.reduce_any(waits):
        key = fold_in(seed, turn)
        x = _native.stateless_normal(lengths(d), fold_in(key, 0), dtype=_native.float64)
        u = _native.stateless_uniform(lengths(d), fold_in(key, 1), dtype=_native.float64)
        v = _native.pow(1.0 + c * x, 3)
        some = v > 0.0
        log = _native.log(_native.where(some, v, 1.0))
        accepted = _native.logical_and(some, _native.log(u) < 0.5 * x * x + d - d * v + d * log)
        found = _native.where(_native.logical_and(waits, accepted), d * v, found)
        waits = _native.logical_and(waits, _native.logical_not(accepted))
        turn += 1
    power = _native.stateless_uniform(lengths(d), fold_in(seed, -1), dtype=_native.float64)
    return _native.where(is_low, found * _native.pow(power, 1.0 / _native.where(is_low, alpha, 1.0)), found)


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = _native.float32, name: str | None = None
) -> Tensor:
    """Draws from gamma distributions; there is a derivative by `beta` alone.

    Args:
      shape: shape in front of that of the parameters.
      seed: two whole numbers.
      alpha: positive shape parameters.
      beta: rates that broadcast against `alpha`; 1 if it is `None`.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*shape, *parameters)`.

    Example:
      >>> x = gw.random.stateless_gamma([1000], [1, 2], alpha=2.0)
      >>> bool(gw.reduce_all(x > 0.0)), 1.8 < float(gw.reduce_mean(x)) < 2.2
      (True, True)

    Source: Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000.
    """
    del name
    concentration = _native.cast(_native.convert_to_tensor(alpha), _native.float64)
    rate = _native.cast(1.0 if beta is None else _native.convert_to_tensor(beta), _native.float64)
    _native.require(
        _native.reduce_all(concentration > 0.0),
        ("`alpha` of a gamma distribution is not positive: ", concentration),
    )
    wide = _native.broadcast_to(concentration, _shape(shape, concentration, rate))
    return _native.cast(
        _gamma_draws(_native.stop_gradient(wide), _native.cast(seed, _native.int64)) / rate, dtype
    )


def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = _native.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from gamma distributions; there is a derivative by `beta` alone.

    Args:
      shape: shape in front of that of the parameters.
      alpha: positive shape parameters.
      beta: rates that broadcast against `alpha`; 1 if it is `None`.
      dtype: dtype of the result.
      seed: seed.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*shape, *parameters)`.

    Example:
      >>> x = gw.random.gamma([1000], alpha=2.0, seed=3)
      >>> bool(gw.reduce_all(x > 0.0)), 1.8 < float(gw.reduce_mean(x)) < 2.2
      (True, True)
    """
    del name
    return stateless_gamma(shape, _drawn_seed(seed), alpha, beta, dtype)


@function
def _poisson_draws(rate: Tensor, seed: Tensor) -> Tensor:
    """Counts of arrivals below a rate of 10, above Hörmann's transformed rejection, then normal numbers.

    Far above, the bounds of the rejection cancel to nothing, and at infinity to NaN.
    """
    is_low, is_far = rate < 10.0, rate > 1e12
    low = _native.where(is_low, rate, 1.0)
    count, time, turn = _native.zeros_like(rate), _native.zeros_like(rate), 0
    waits = is_low
    while _native.reduce_any(waits):
        drawn = _native.stateless_uniform(lengths(rate), fold_in(seed, turn), dtype=_native.float64)
        time = time - _native.log(1.0 - drawn)
        waits = _native.logical_and(waits, time <= low)
        count = count + _native.cast(waits, _native.float64)
        turn += 1
    is_high = _native.logical_not(_native.logical_or(is_low, is_far))
    high = _native.where(is_high, rate, 10.0)
    b = 0.931 + 2.53 * _native.sqrt(high)
    a = 0.02483 * b - 0.059
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    found, waits, turn = high, is_high, 0
    while _native.reduce_any(waits):
        key = fold_in(seed, -2 - turn)
        u = _native.stateless_uniform(lengths(rate), fold_in(key, 0), dtype=_native.float64) - 0.5
        v = _native.stateless_uniform(lengths(rate), fold_in(key, 1), dtype=_native.float64)
        us = 0.5 - _native.abs(u)
        k = _native.floor((2.0 * a / us + b) * u + high + 0.43)
        sound = _native.logical_and(k >= 0.0, _native.logical_or(us >= 0.013, v <= us))
        bound = k * _native.log(high) - high - lgamma(_native.maximum(k, 0.0) + 1.0)
        accepted = _native.logical_and(sound, _native.log(v * inverse / (a / (us * us) + b)) <= bound)
        found = _native.where(_native.logical_and(waits, accepted), k, found)
        waits = _native.logical_and(waits, _native.logical_not(accepted))
        turn += 1
    drawn = _native.stateless_normal(lengths(rate), fold_in(seed, -1), dtype=_native.float64)
    far = _native.where(rate == math.inf, rate, _native.floor(rate + _native.sqrt(rate) * drawn))
    return _native.where(is_low, count, _native.where(is_far, far, found))


def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = _native.int32, name: str | None = None
) -> Tensor:
    """Draws from Poisson distributions.

    Args:
      shape: shape in front of that of `lam`.
      seed: two whole numbers.
      lam: expected numbers, from 0 on.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*shape, *lam.shape)`.

    Example:
      >>> x = gw.random.stateless_poisson([1000], [1, 2], lam=3.0)
      >>> 2.7 < float(gw.reduce_mean(gw.cast(x, gw.float32))) < 3.3
      True

    Source: Hörmann, "The transformed rejection method for generating Poisson random variables", 1993.
    """
    del name
    rate = _native.stop_gradient(_native.cast(_native.convert_to_tensor(lam), _native.float64))
    _native.require(_native.reduce_all(rate >= 0.0), ("`lam` of a Poisson distribution is negative: ", rate))
    wide = _native.broadcast_to(rate, _shape(shape, rate))
    return _native.cast(_poisson_draws(wide, _native.cast(seed, _native.int64)), dtype)


def poisson(
    shape: Any, lam: Any, dtype: Any = _native.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Draws from Poisson distributions.

    Args:
      shape: shape in front of that of `lam`.
      lam: expected numbers, from 0 on.
      dtype: dtype of the result.
      seed: seed.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*shape, *lam.shape)`.

    Example:
      >>> x = gw.random.poisson([1000], lam=30.0, seed=3)
      >>> 29.0 < float(gw.reduce_mean(x)) < 31.0
      True
    """
    del name
    return stateless_poisson(shape, _drawn_seed(seed), lam, dtype)


def stateless_shuffle(value: Any, seed: Any, alg: str = "auto_select", name: str | None = None) -> Tensor:
    """Puts slices along the first axis into an order that a seed decides.

    Args:
      value: tensor with an axis at least.
      seed: two whole numbers.
      alg: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> sorted(gw.random.experimental.stateless_shuffle(gw.range(4), [1, 2]).numpy().tolist())
      [0, 1, 2, 3]
    """
    del alg, name
    x = _native.convert_to_tensor(value)
    return _native.gather(
        x, _native.argsort(_native.stateless_uniform(lengths(x)[:1], seed, dtype=_native.float64))
    )
