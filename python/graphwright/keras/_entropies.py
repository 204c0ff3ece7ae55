"""Cross-entropies of truth values, of probabilities of classes, and of class numbers."""

from __future__ import annotations

from typing import Any

from .. import _native, nn
from .._native import Tensor
from ._more_losses import EPSILON, pair


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:
    """Averages the cross-entropy of truth values along an axis.

    Args:
      y_true: tensor of zeros and ones.
      y_pred: tensor of probabilities, or of logits, of the same shape.
      from_logits: whether `y_pred` holds logits.
      label_smoothing: how far labels are moved towards one half.
      axis: the axis.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.losses.binary_crossentropy([[1.0]], [[0.0]], from_logits=True).numpy().round(4).tolist()
      [0.6930999755859375]
    """
    real, guess = pair(y_true, y_pred)
    real = real * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return _native.reduce_mean(nn.sigmoid_cross_entropy_with_logits(real, guess), axis)
    guess = _native.clip_by_value(guess, EPSILON, 1.0 - EPSILON)
    return -_native.reduce_mean(real * _native.log(guess) + (1.0 - real) * _native.log(1.0 - guess), axis)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:
    """Computes the cross-entropy of probabilities of classes along an axis.

    Args:
      y_true: tensor of probabilities.
      y_pred: tensor of probabilities, or of logits, of the same shape.
      from_logits: whether `y_pred` holds logits.
      label_smoothing: how far labels are moved towards equal probabilities.
      axis: the axis.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4).tolist()
      [0.6930999755859375]
    """
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    real = real * (1.0 - label_smoothing) + label_smoothing / (guess.shape[axis] or 1)
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(real, guess, axis)
    guess = guess / _native.reduce_sum(guess, axis, keepdims=True)
    return -_native.reduce_sum(real * _native.log(_native.clip_by_value(guess, EPSILON, 1.0 - EPSILON)), axis)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Tensor:
    """Computes the cross-entropy of class numbers along the last axis.

    Args:
      y_true: tensor of class numbers.
      y_pred: tensor of probabilities, or of logits, with one axis more.
      from_logits: whether `y_pred` holds logits.
      ignore_class: number whose loss is 0.
      axis: the last axis.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy().round(4).tolist()
      [0.6930999755859375]
    """
    guess = _native.convert_to_tensor(y_pred)
    if axis not in (-1, guess.ndim - 1):
        raise ValueError(f"`axis` is {axis}: classes are the last axis")
    numbers = _native.cast(_native.convert_to_tensor(y_true), _native.int64)
    if numbers.ndim == guess.ndim and numbers.shape[-1] == 1:
        numbers = _native.squeeze(numbers, -1)
    kept = None if ignore_class is None else _native.not_equal(numbers, ignore_class)
    numbers = numbers if kept is None else _native.where(kept, numbers, _native.zeros_like(numbers))
    if not from_logits:
        guess = guess / _native.reduce_sum(guess, -1, keepdims=True)
        guess = _native.log(_native.clip_by_value(guess, EPSILON, 1.0 - EPSILON))
        marked = _native.one_hot(numbers, guess.shape[-1] or 1, dtype=guess.dtype)
        loss = -_native.reduce_sum(marked * guess, -1)
    else:
        loss = nn.sparse_softmax_cross_entropy_with_logits(numbers, guess)
    return loss if kept is None else _native.where(kept, loss, _native.zeros_like(loss))
