"""Further functions of labels and predictions: margins, logarithms, angles, overlaps and focal entropies."""

from __future__ import annotations

import math
from typing import Any

from .. import _native, nn
from .._native import Tensor
from .._reductions import reduce_logsumexp

#: Probabilities are kept so far from 0 and 1.
EPSILON = 1e-7


def pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """Both as floats of one dtype and shape; a last axis of length 1 is joined where only one has it."""
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    if guess.ndim == real.ndim + 1 and guess.shape[-1] == 1:
        real = _native.expand_dims(real, -1)
    elif real.ndim == guess.ndim + 1 and real.shape[-1] == 1:
        real = _native.squeeze(real, -1)
    return real, guess


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Tensor:
    """Averages squared differences of `log(x + 1)` along the last axis.

    Args:
      y_true: tensor of numbers; negative ones count as 0.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.mean_squared_logarithmic_error([[0.0, 1.0]], [[0.0, 1.0]]).numpy().tolist()
      [0.0]
    """
    real, guess = pair(y_true, y_pred)
    first, second = (_native.log(_native.maximum(one, EPSILON) + 1.0) for one in (guess, real))
    return _native.reduce_mean(_native.square(first - second), -1)


def poisson(y_true: Any, y_pred: Any) -> Tensor:
    """Averages `y_pred - y_true * log(y_pred)` along the last axis.

    Args:
      y_true: tensor of counts.
      y_pred: tensor of positive floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.poisson([[2.0]], [[1.0]]).numpy().round(4).tolist()
      [1.0]
    """
    real, guess = pair(y_true, y_pred)
    return _native.reduce_mean(guess - real * _native.log(guess + EPSILON), -1)


def log_cosh(y_true: Any, y_pred: Any) -> Tensor:
    """Averages logarithms of the hyperbolic cosine of differences along the last axis.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.log_cosh([[0.0, 1.0]], [[0.0, 1.0]]).numpy().tolist()
      [0.0]
    """
    real, guess = pair(y_true, y_pred)
    apart = guess - real
    return _native.reduce_mean(apart + nn.softplus(-2.0 * apart) - math.log(2.0), -1)


def _signs(real: Tensor) -> Tensor:
    """Labels of -1 and 1; those of 0 and 1 are turned into them."""
    is_binary = _native.reduce_all(_native.logical_or(_native.equal(real, 0.0), _native.equal(real, 1.0)))
    return _native.where(is_binary, 2.0 * real - 1.0, real)


def hinge(y_true: Any, y_pred: Any) -> Tensor:
    """Averages `max(1 - y_true * y_pred, 0)` along the last axis.

    Args:
      y_true: tensor of -1 and 1, or of 0 and 1.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy().tolist()
      [1.0]
    """
    guess = _native.convert_to_tensor(y_pred)
    real = _signs(_native.cast(_native.convert_to_tensor(y_true), guess.dtype))
    return _native.reduce_mean(_native.maximum(1.0 - real * guess, 0.0), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """Averages `max(1 - y_true * y_pred, 0) ** 2` along the last axis.

    Args:
      y_true: tensor of -1 and 1, or of 0 and 1.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.squared_hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy().tolist()
      [1.25]
    """
    guess = _native.convert_to_tensor(y_pred)
    real = _signs(_native.cast(_native.convert_to_tensor(y_true), guess.dtype))
    return _native.reduce_mean(_native.square(_native.maximum(1.0 - real * guess, 0.0)), -1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """Computes the margin between the right class and the best other one, `max(neg - pos + 1, 0)`.

    Args:
      y_true: tensor of zeros, with a one at the class.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.25, 0.5]]).numpy().tolist()
      [0.75]
    """
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    right = _native.reduce_sum(real * guess, -1)
    other = _native.reduce_max((1.0 - real) * guess, -1)
    return _native.maximum(other - right + 1.0, 0.0)


def cosines(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """The cosine of the angle between labels and predictions."""
    real, guess = pair(y_true, y_pred)
    real, guess = (
        x * _native.rsqrt(_native.maximum(_native.reduce_sum(x * x, axis, keepdims=True), 1e-24))
        for x in (real, guess)
    )
    return _native.reduce_sum(real * guess, axis)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """Computes the negative cosine of the angle between labels and predictions.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.
      axis: axis of the vectors.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.losses.cosine_similarity([[0.0, 1.0]], [[0.0, 4.0]]).numpy().tolist()
      [-1.0]
    """
    return -cosines(y_true, y_pred, axis)


def _both(y_true: Any, y_pred: Any, label_smoothing: float, usual: float | None) -> tuple[Tensor, Tensor]:
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    share = 1.0 / (real.shape[-1] or 1) if usual is None else usual
    return real * (1.0 - label_smoothing) + share * label_smoothing, guess


def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """Averages the cross-entropy of truth values, with less weight where predictions are right.

    Args:
      y_true: tensor of zeros and ones.
      y_pred: tensor of probabilities, or of logits, of the same shape.
      apply_class_balancing: whether ones have the weight `alpha` and zeros `1 - alpha`.
      alpha: the weight.
      gamma: power of the probability of the wrong answer, which is the weight.
      from_logits: whether `y_pred` holds logits.
      label_smoothing: share by which labels are moved towards one half.
      axis: the axis.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.losses.binary_focal_crossentropy([[1.0]], [[0.5]]).numpy().round(4).tolist()
      [0.17329999804496765]

    Source: Lin et al., "Focal Loss for Dense Object Detection", 2018.
    """
    real, guess = _both(y_true, y_pred, label_smoothing, 0.5)
    guess = _native.sigmoid(guess) if from_logits else guess
    kept = _native.clip_by_value(guess, EPSILON, 1.0 - EPSILON)
    entropy = -(real * _native.log(kept) + (1.0 - real) * _native.log(1.0 - kept))
    right = real * guess + (1.0 - real) * (1.0 - guess)
    entropy = _native.pow(1.0 - right, _native.cast(gamma, guess.dtype)) * entropy
    if apply_class_balancing:
        entropy = (real * alpha + (1.0 - real) * (1.0 - alpha)) * entropy
    return _native.reduce_mean(entropy, axis)


def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """Computes the cross-entropy of probabilities of classes, with less weight where predictions are right.

    Args:
      y_true: tensor of probabilities.
      y_pred: tensor of probabilities, or of logits, of the same shape.
      alpha: factor of all classes.
      gamma: power of the probability of the wrong answer, which is the weight.
      from_logits: whether `y_pred` holds logits.
      label_smoothing: share by which labels are moved towards equal probabilities.
      axis: the axis.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4).tolist()
      [0.043299999088048935]

    Source: Lin et al., "Focal Loss for Dense Object Detection", 2018.
    """
    real, guess = _both(y_true, y_pred, label_smoothing, None)
    guess = _native.softmax(guess, axis) if from_logits else guess
    guess = guess / _native.reduce_sum(guess, axis, keepdims=True)
    guess = _native.clip_by_value(guess, EPSILON, 1.0 - EPSILON)
    weight = alpha * _native.pow(1.0 - guess, _native.cast(gamma, guess.dtype))
    return -_native.reduce_sum(weight * real * _native.log(guess), axis)


def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Tensor:
    """Computes `(1 - p ** q) / q` of the probability of the right class.

    Args:
      y_true: tensor of class numbers.
      y_pred: tensor of probabilities with one axis more.
      q: number between 0, which is the cross-entropy, and 1, which is the error.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.categorical_generalized_cross_entropy([1], [[0.75, 0.25]], 0.5).numpy().tolist()
      [1.0]

    Source: Zhang and Sabuncu, "Generalized Cross Entropy Loss", 2018.
    """
    guess = _native.convert_to_tensor(y_pred)
    numbers = _native.cast(_native.convert_to_tensor(y_true), _native.int32)
    chosen = _native.one_hot(numbers, guess.shape[-1] or 1, dtype=guess.dtype)
    p = _native.reduce_sum(guess * chosen, -1)
    return (1.0 - _native.pow(p, _native.cast(q, p.dtype))) / q


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Tensor:
    """Computes 1 less twice the overlap over the sum of sizes.

    Args:
      y_true: tensor of zeros and ones.
      y_pred: tensor of probabilities of the same shape.
      axis: axes of a figure; all of them if it is `None`.

    Returns:
      Tensor without the axes.

    Example:
      >>> round(float(gw.keras.losses.dice([[1.0, 0.0]], [[1.0, 1.0]])), 4)
      0.3333
    """
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    overlap = _native.reduce_sum(real * guess, axis)
    sizes = _native.reduce_sum(real, axis) + _native.reduce_sum(guess, axis)
    return 1.0 - 2.0 * overlap / (sizes + EPSILON)


def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Tensor:
    """Computes 1 less the overlap over itself and weighted errors.

    Args:
      y_true: tensor of zeros and ones.
      y_pred: tensor of probabilities of the same shape.
      alpha: weight of labels that predictions lack.
      beta: weight of predictions that are no labels.
      axis: axes of a figure; all of them if it is `None`.

    Returns:
      Tensor without the axes.

    Example:
      >>> round(float(gw.keras.losses.tversky([[1.0, 0.0]], [[1.0, 1.0]])), 4)
      0.3333

    Source: Salehi, Erdogmus and Gholipour, "Tversky loss function for image segmentation", 2017.
    """
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    overlap = _native.reduce_sum(real * guess, axis)
    lacking = _native.reduce_sum((1.0 - guess) * real, axis)
    wrong = _native.reduce_sum(guess * (1.0 - real), axis)
    return 1.0 - overlap / (overlap + lacking * alpha + wrong * beta + EPSILON)


def circle(
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Tensor:
    """Computes how near embeddings of one class are and how far those of others.

    Args:
      y_true: tensor of class numbers.
      y_pred: tensor `(batch, n)` of embeddings of norm 1.
      ref_labels: class numbers of the embeddings to compare with; `y_true` if it is `None`.
      ref_embeddings: embeddings to compare with; `y_pred` if it is `None`.
      remove_diagonal: whether no embedding is compared with itself.
      gamma: scale of similarities.
      margin: distance that classes are to keep.

    Returns:
      Tensor `(batch,)`.

    Example:
      >>> gw.keras.losses.circle([0, 1], [[1.0, 0.0], [0.0, 1.0]]).shape
      (2,)

    Source: Sun et al., "Circle Loss", 2020.
    """
    guess = _native.convert_to_tensor(y_pred)
    numbers = _native.reshape(_native.cast(_native.convert_to_tensor(y_true), _native.int32), [-1])
    others = numbers if ref_labels is None else _native.reshape(_native.cast(ref_labels, _native.int32), [-1])
    known = guess if ref_embeddings is None else _native.convert_to_tensor(ref_embeddings)
    apart = _native.maximum(1.0 - _native.matmul(guess, known, transpose_b=True), 0.0)
    same = _native.equal(_native.expand_dims(numbers, 1), others)
    different = _native.logical_not(same)
    if remove_diagonal:
        rows, columns = _native.range(_native.shape(apart)[0]), _native.range(_native.shape(apart)[1])
        same = _native.logical_and(same, _native.not_equal(_native.expand_dims(rows, 1), columns))
    near = _native.maximum(margin + apart, 0.0) * (margin - apart) * -gamma
    far = _native.maximum(1.0 + margin - apart, 0.0) * (1.0 - margin - apart) * gamma
    never = -math.inf * _native.ones_like(apart)
    first = reduce_logsumexp(_native.where(same, near, never), 1)
    second = reduce_logsumexp(_native.where(different, far, never), 1)
    return nn.softplus(first + second)


def ctc(y_true: Any, y_pred: Any) -> Tensor:
    """Computes negative logarithms of the probabilities of labels whose places in time are not known.

    Args:
      y_true: tensor `(batch, labels)` of class numbers, padded with 0.
      y_pred: tensor `(batch, frames, classes)` of logits; class 0 stands for no label.

    Returns:
      Tensor `(batch,)`.

    Raises:
      ValueError: the operands have other axes.

    Example:
      >>> round(float(gw.keras.losses.ctc([[1, 2]], gw.zeros([1, 3, 3]))[0]), 3)
      1.686
    """
    numbers = _native.cast(_native.convert_to_tensor(y_true), _native.int32)
    logits = _native.convert_to_tensor(y_pred)
    if numbers.ndim != 2 or logits.ndim != 3:
        raise ValueError("`ctc` takes labels of 2 axes and logits of 3 axes")
    sizes = _native.reduce_sum(_native.cast(_native.not_equal(numbers, 0), _native.int32), 1)
    frames = _native.zeros_like(sizes) + _native.shape(logits)[1]
    return nn.ctc_loss(numbers, logits, sizes, frames, logits_time_major=False, blank_index=0)
