"""TensorFlow's activations and losses of neural networks, and dropout."""

from __future__ import annotations

import math
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor

__all__ = [
    "compute_average_loss",
    "crelu",
    "dropout",
    "elu",
    "l2_loss",
    "leaky_relu",
    "log_poisson_loss",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softsign",
    "stateless_dropout",
    "weighted_cross_entropy_with_logits",
]


def relu6(features: Any, name: str | None = None) -> Tensor:
    """Computes `min(max(x, 0), 6)`.

    Args:
      features: tensor of numbers, of any shape.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.relu6(gw.constant([-1.0, 3.0, 7.0])).numpy().tolist()
      [0.0, 3.0, 6.0]
    """
    del name
    return _native.clip_by_value(features, 0, 6)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """Computes `x`, or `alpha * x` below 0.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      alpha: slope below 0.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.leaky_relu(gw.constant([-1.0, 3.0])).numpy().round(2).tolist()
      [-0.20000000298023224, 3.0]
    """
    del name
    x = _native.convert_to_tensor(features)
    return _native.where(x > 0.0, x, alpha * x)


def elu(features: Any, name: str | None = None) -> Tensor:
    """Computes `x`, or `exp(x) - 1` below 0.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.elu(gw.constant([-1.0, 3.0])).numpy().round(4).tolist()
      [-0.632099986076355, 3.0]
    """
    del name
    x = _native.convert_to_tensor(features)
    return _native.where(x > 0.0, x, _native.expm1(_native.minimum(x, 0.0)))


def selu(features: Any, name: str | None = None) -> Tensor:
    """Computes the scaled exponential linear unit, which keeps mean 0 and variance 1.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.selu(gw.constant([0.0, 1.0])).numpy().round(4).tolist()
      [0.0, 1.0506999492645264]

    Source: Klambauer and others, "Self-Normalizing Neural Networks", 2017.
    """
    del name
    x = _native.convert_to_tensor(features)
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return scale * _native.where(x > 0.0, x, alpha * _native.expm1(_native.minimum(x, 0.0)))


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """Computes `x * sigmoid(beta * x)`.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      beta: factor in the sigmoid.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.silu(gw.constant([0.0, 1.0])).numpy().round(4).tolist()
      [0.0, 0.7311000227928162]
    """
    x = _native.convert_to_tensor(features)
    return x * _native.sigmoid(beta * x)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """Computes `x / (1 + abs(x))`.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.softsign(gw.constant([-1.0, 3.0])).numpy().tolist()
      [-0.5, 0.75]
    """
    del name
    x = _native.convert_to_tensor(features)
    return x / (1.0 + _native.abs(x))


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Joins `relu(x)` and `relu(-x)`.

    Args:
      features: tensor of numbers.
      axis: axis along which both are joined.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor twice as long along the axis.

    Example:
      >>> gw.nn.crelu(gw.constant([-1.0, 3.0])).numpy().tolist()
      [0.0, 3.0, 1.0, 0.0]
    """
    del name
    x = _native.convert_to_tensor(features)
    return _native.relu(_native.concat([x, -x], axis))


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Computes half the sum of squares.

    Args:
      t: tensor of any shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar.

    Example:
      >>> gw.nn.l2_loss(gw.constant([3.0, 4.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=12.5>
    """
    del name
    return _native.reduce_sum(_native.square(t)) * 0.5


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Computes the cross-entropy of probabilities and the sigmoid of logits.

    Args:
      labels: tensor of probabilities.
      logits: tensor of the same shape, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that shape.

    Example:
      >>> gw.nn.sigmoid_cross_entropy_with_logits(gw.constant([1.0]), gw.constant([0.0]))
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([0.6931472], dtype=float32)>
    """
    del name
    x, z = _pair(labels, logits)
    return _native.relu(x) - x * z + _native.log1p(_native.exp(_minus_size(x)))


def _pair(labels: Any, logits: Any) -> tuple[Tensor, Tensor]:
    if labels is None or logits is None:
        raise ValueError("both `labels` and `logits` are needed")
    x, z = _native.convert_to_tensor(logits), _native.convert_to_tensor(labels)
    if x.ndim != z.ndim or any(None not in (m, n) and m != n for m, n in zip(x.shape, z.shape, strict=True)):
        raise ValueError(
            f"`logits` has the shape {tuple(x.shape)}, `labels` {tuple(z.shape)}: one shape is needed"
        )
    return x, z


def _minus_size(x: Tensor) -> Tensor:
    """`-abs(x)` with a derivative of one side at 0."""
    return _native.where(x >= 0.0, -x, x)


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None
) -> Tensor:
    """Computes the cross-entropy of probabilities and sigmoids, with a weight for positive labels.

    Args:
      labels: tensor of probabilities.
      logits: tensor of the same shape, `float32` or `float64`.
      pos_weight: the weight.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that shape.

    Example:
      >>> gw.nn.weighted_cross_entropy_with_logits(gw.constant([1.0]), gw.constant([0.0]), 2.0)
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([1.3862944], dtype=float32)>
    """
    del name
    x, z = _pair(labels, logits)
    weight = 1.0 + (pos_weight - 1.0) * z
    result: Tensor = (1.0 - z) * x + weight * (_native.log1p(_native.exp(_minus_size(x))) + _native.relu(-x))
    return result


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """Computes the negative log likelihood of a Poisson distribution.

    Args:
      targets: tensor of counts.
      log_input: logarithms of the expected counts, of the same shape.
      compute_full_loss: whether to add Stirling's approximation of the term without `log_input`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of that shape.

    Example:
      >>> gw.nn.log_poisson_loss(gw.constant([1.0]), gw.constant([0.0])).numpy().tolist()
      [1.0]
    """
    del name
    count, log = _native.convert_to_tensor(targets), _native.convert_to_tensor(log_input)
    loss = _native.exp(log) - log * count
    if not compute_full_loss:
        return loss
    some = count > 1.0
    safe = _native.where(some, count, _native.ones_like(count))
    stirling = safe * _native.log(safe) - safe + 0.5 * _native.log(2.0 * math.pi * safe)
    return loss + _native.where(some, stirling, _native.zeros_like(count))


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """Sums losses of examples and divides by the number of examples of all replicas.

    Args:
      per_example_loss: tensor of losses.
      sample_weight: weight of each example.
      global_batch_size: number of examples; that of `per_example_loss` if it is `None`.

    Returns:
      Scalar.

    Example:
      >>> gw.nn.compute_average_loss(gw.constant([1.0, 3.0]), global_batch_size=4)
      <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    losses = _native.convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * _native.cast(_native.convert_to_tensor(sample_weight), losses.dtype)
    count = lengths(losses)[0] if global_batch_size is None else global_batch_size
    return _native.reduce_sum(losses) / _native.cast(count, losses.dtype)


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Sums losses of weights; with one replica they are not scaled.

    Args:
      regularization_loss: tensor of losses.

    Returns:
      Scalar.

    Example:
      >>> gw.nn.scale_regularization_loss(gw.constant([1.0, 3.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=4.0>
    """
    return _native.reduce_sum(regularization_loss)


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Sets elements to zero at random and scales the others up.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      rate: the share of elements that become zero, from 0 up to 1.
      noise_shape: shape of the choice, which broadcasts against `x`.
      seed: seed of the choice.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: the rate is out of range.

    Example:
      >>> kept = gw.nn.dropout(gw.ones([1000]), 0.5, seed=1)
      >>> sorted(set(kept.numpy().tolist()))
      [0.0, 2.0]
    """
    del name
    x = _native.convert_to_tensor(x)
    if not _rate_is_sound(x, rate):
        result: Tensor = x
        return result
    return _dropped(x, rate, _native.random_uniform(_noise(x, noise_shape), dtype=x.dtype, seed=seed))


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = "auto_select",
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Sets elements to zero as a seed says and scales the others up.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      rate: the share of elements that become zero, from 0 up to 1.
      seed: two whole numbers.
      rng_alg: accepted as in TensorFlow; has no effect.
      noise_shape: shape of the choice, which broadcasts against `x`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      ValueError: the rate is out of range.

    Example:
      >>> kept = gw.nn.experimental.stateless_dropout(gw.ones([1000]), 0.5, [1, 2])
      >>> sorted(set(kept.numpy().tolist()))
      [0.0, 2.0]
    """
    del rng_alg, name
    x = _native.convert_to_tensor(x)
    if not _rate_is_sound(x, rate):
        result: Tensor = x
        return result
    return _dropped(x, rate, _native.stateless_uniform(_noise(x, noise_shape), seed, dtype=x.dtype))


def _rate_is_sound(x: Tensor, rate: Any) -> bool:
    """True if a rate above 0 is asked for."""
    if not x.dtype.is_floating:
        raise ValueError(f"`dropout` scales floats, not {x.dtype.name}")
    if isinstance(rate, (int, float)) and not 0 <= rate < 1:
        raise ValueError(f"`rate` is {rate}: it is a number from 0 up to 1, which is left out")
    return not (isinstance(rate, (int, float)) and rate == 0)


def _noise(x: Tensor, shape: Any) -> Any:
    if shape is None:
        return lengths(x)
    return [own if one is None else one for one, own in zip(list(shape), lengths(x), strict=True)]


def _dropped(x: Tensor, rate: Any, drawn: Tensor) -> Tensor:
    rate = _native.cast(rate, x.dtype)
    return _native.where(drawn >= rate, x / (1.0 - rate), _native.zeros_like(x))
