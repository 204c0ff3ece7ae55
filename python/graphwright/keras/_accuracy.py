"""Functions that tell which predictions are right, and correlations, under Keras's names."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._native import Tensor
from .._tensorflow.sets import in_top_k
from ._more_losses import EPSILON, pair


def accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1.0 where labels and predictions are equal."""
    real, guess = pair(y_true, y_pred)
    return _native.cast(_native.equal(real, guess), _native.float32)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """Tells which probabilities are on the right side of a threshold.

    Args:
      y_true: tensor of zeros and ones.
      y_pred: tensor of probabilities of the same shape.
      threshold: the threshold.

    Returns:
      Tensor of zeros and ones, `float32`.

    Example:
      >>> gw.keras.metrics.binary_accuracy([1, 0], [0.9, 0.8]).numpy().tolist()
      [1.0, 0.0]
    """
    real, guess = pair(y_true, y_pred)
    right = _native.equal(real, _native.cast(guess > threshold, real.dtype))
    return _native.cast(right, _native.float32)


def _found(guess: Tensor, dtype: Any) -> Tensor:
    return _native.cast(_native.argmax(guess, -1), dtype)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Tells where the greatest prediction is at the place of the greatest label.

    Args:
      y_true: tensor of zeros, with a one at the class.
      y_pred: tensor of probabilities of the same shape.

    Returns:
      Tensor of zeros and ones without the last axis, `float32`.

    Example:
      >>> gw.keras.metrics.categorical_accuracy([[0, 1], [1, 0]], [[0.1, 0.9]] * 2).numpy().tolist()
      [1.0, 0.0]
    """
    right = _native.equal(_native.argmax(y_true, -1), _native.argmax(y_pred, -1))
    return _native.cast(right, _native.float32)


def _numbers(y_true: Any, guess: Tensor) -> Tensor:
    """Class numbers without a last axis of length 1."""
    real = _native.cast(_native.convert_to_tensor(y_true), _native.int64)
    return _native.squeeze(real, -1) if real.ndim == guess.ndim and real.shape[-1] == 1 else real


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """Tells where the greatest prediction is that of the class.

    Args:
      y_true: tensor of class numbers.
      y_pred: tensor of probabilities with one axis more.

    Returns:
      Tensor of zeros and ones in the shape of the labels, `float32`.

    Example:
      >>> gw.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.1, 0.9]] * 2).numpy().tolist()
      [1.0, 0.0]
    """
    guess = _native.convert_to_tensor(y_pred)
    right = _native.equal(_numbers(y_true, guess), _found(guess, _native.int64))
    return _native.cast(right, _native.float32)


def _among(numbers: Tensor, guess: Tensor, k: int) -> Tensor:
    flat = _native.reshape(guess, [-1, guess.shape[-1] or 1]) if guess.ndim > 2 else guess
    there = in_top_k(_native.reshape(numbers, [-1]) if numbers.ndim > 1 else numbers, flat, k)
    found = _native.cast(there, _native.float32)
    return _native.reshape(found, _native.shape(numbers)) if numbers.ndim > 1 else found


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """Tells where the class is among the `k` greatest predictions.

    Args:
      y_true: tensor of zeros, with a one at the class.
      y_pred: tensor of probabilities of the same shape.
      k: number of predictions.

    Returns:
      Tensor of zeros and ones without the last axis, `float32`.

    Example:
      >>> gw.keras.metrics.top_k_categorical_accuracy([[0, 0, 1]], [[0.1, 0.9, 0.8]], k=2).numpy().tolist()
      [1.0]
    """
    guess = _native.convert_to_tensor(y_pred)
    return _among(_found(_native.convert_to_tensor(y_true), _native.int32), guess, k)


def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Tensor:
    """Tells where the class is among the `k` greatest predictions.

    Args:
      y_true: tensor of class numbers.
      y_pred: tensor of probabilities with one axis more, or of class numbers from the best on.
      k: number of predictions.
      from_sorted_ids: whether `y_pred` holds class numbers.

    Returns:
      Tensor of zeros and ones in the shape of the labels, `float32`.

    Example:
      >>> gw.keras.metrics.sparse_top_k_categorical_accuracy([2], [[0.1, 0.9, 0.8]], k=2).numpy().tolist()
      [1.0]
    """
    guess = _native.convert_to_tensor(y_pred)
    numbers = _native.cast(_native.convert_to_tensor(y_true), _native.int32)
    if not from_sorted_ids:
        return _among(numbers, guess, k)
    same = _native.equal(_native.expand_dims(_native.cast(numbers, guess.dtype), -1), guess[..., :k])
    return _native.cast(_native.reduce_any(same, -1), _native.float32)


def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """Computes Pearson's correlation of labels and predictions.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.
      axis: axis of the samples.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.metrics.pearson_correlation([[0.0, 1.0]], [[1.0, 3.0]]).numpy().round(4).tolist()
      [1.0]
    """
    real, guess = (x - _native.reduce_mean(x, axis, keepdims=True) for x in pair(y_true, y_pred))
    real, guess = (
        x / _native.sqrt(_native.reduce_mean(_native.square(x), axis, keepdims=True)) for x in (real, guess)
    )
    return _native.reduce_mean(real * guess, axis)


def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """Computes the concordance of labels and predictions, which falls with their distance too.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.
      axis: axis of the samples.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.metrics.concordance_correlation([[0.0, 2.0]], [[0.0, 2.0]]).numpy().round(4).tolist()
      [1.0]
    """
    real, guess = pair(y_true, y_pred)
    first, second = (_native.reduce_mean(x, axis, keepdims=True) for x in (real, guess))
    variances = [
        _native.reduce_mean(_native.square(x - mean), axis, keepdims=True)
        for x, mean in ((real, first), (guess, second))
    ]
    product = (real - second) * (guess - second)
    whole = variances[0] + variances[1] + _native.square(first - second)
    return _native.reduce_mean(2.0 * product / (whole + EPSILON), axis)
