"""Functions of neural networks, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from . import _native
from ._native import Tensor, relu, sigmoid, softmax, tanh, top_k
from ._reductions import l2_normalize
from ._tensorflow.activations import (
    compute_average_loss,
    crelu,
    dropout,
    elu,
    l2_loss,
    leaky_relu,
    log_poisson_loss,
    relu6,
    scale_regularization_loss,
    selu,
    sigmoid_cross_entropy_with_logits,
    silu,
    softsign,
    weighted_cross_entropy_with_logits,
)
from ._tensorflow.activations import (
    stateless_dropout as _stateless_dropout,
)
from ._tensorflow.blocks import space_to_batch
from ._tensorflow.connectionist import ctc_loss
from ._tensorflow.convolutions import (
    atrous_conv2d,
    conv1d,
    conv2d,
    conv3d,
    convolution,
    depth_to_space,
    depthwise_conv2d,
    separable_conv2d,
    space_to_depth,
)
from ._tensorflow.elementwise import log_sigmoid
from ._tensorflow.normalization import (
    batch_normalization,
    bias_add,
    local_response_normalization,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from ._tensorflow.sets import in_top_k, zero_fraction
from ._tensorflow.transposed import conv1d_transpose, conv2d_transpose, conv3d_transpose, conv_transpose
from ._tensorflow.windows import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    pool,
)
from .math import softplus

__all__ = [
    "atrous_conv2d",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_normalization",
    "bias_add",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_loss",
    "depth_to_space",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "experimental",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_sigmoid",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "moments",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]

swish = silu
lrn = local_response_normalization

#: TensorFlow's namespace of the same name.
experimental = SimpleNamespace(stateless_dropout=_stateless_dropout)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Computes the Gaussian error linear unit, `x P(X <= x)` for a normal `X`.

    Args:
      features: tensor of any shape, `float32` or `float64`.
      approximate: whether to use the formula with `tanh`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.gelu(gw.constant(0.0))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.0>

    Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
    """
    del name
    return _native.gelu(_native.convert_to_tensor(features), approximate)


def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Computes logarithms of softmax without underflow.

    Args:
      logits: tensor of any shape, `float32` or `float64`.
      axis: axis of the classes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.nn.log_softmax(gw.constant([0.0, 0.0])).numpy().round(4).tolist()
      [-0.6930999755859375, -0.6930999755859375]
    """
    del name
    return _native.log_softmax(_native.convert_to_tensor(logits), axis)


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """Computes the cross-entropy of probabilities and logits.

    Args:
      labels: tensor of probabilities, in the shape of `logits`.
      logits: tensor of any shape, `float32` or `float64`.
      axis: axis of the classes.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor without the axis.

    Example:
      >>> gw.nn.softmax_cross_entropy_with_logits(gw.constant([0.0, 1.0]), gw.constant([0.0, 0.0]))
      <gw.Tensor: shape=(), dtype=float32, numpy=0.6931471824645996>
    """
    del name
    return _native.cross_entropy(labels, _native.convert_to_tensor(logits), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """Computes the cross-entropy of class numbers and logits.

    Labels are whole numbers of shape `(…)`, logits floats of shape `(…, classes)`.

    Args:
      labels: tensor of class numbers, `int32` or `int64`.
      logits: tensor `(*labels.shape, classes)`, `float32` or `float64`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor in the shape of `labels`.

    Raises:
      ValueError: a label is negative, or not below the number of classes.

    Example:
      >>> gw.nn.sparse_softmax_cross_entropy_with_logits(gw.constant([1]), gw.constant([[0.0, 0.0]]))
      <gw.Tensor: shape=(1,), dtype=float32, numpy=array([0.6931472], dtype=float32)>
    """
    from ._numpy.meant import fails

    del name
    found = log_softmax(logits)
    numbers = _native.convert_to_tensor(labels)
    count = _native.cast(_native.shape(found)[-1], numbers.dtype)
    is_class = (numbers >= 0) & (numbers < count)
    fails(_native.reduce_all(is_class), "ValueError", "a label is no number of a class")
    classes = _native.range(count)
    chosen = _native.equal(_native.expand_dims(numbers, -1), classes)
    return -_native.reduce_sum(_native.where(chosen, found, _native.zeros_like(found)), -1)


def embedding_lookup(params: Any, ids: Any, max_norm: float | None = None, name: str | None = None) -> Tensor:
    """Looks up rows of a table.

    Args:
      params: tensor `(rows, …)`.
      ids: tensor of row numbers.
      max_norm: greatest Euclidean norm of a row; longer ones are scaled down.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor `(*ids.shape, …)`.

    Example:
      >>> gw.nn.embedding_lookup(gw.constant([[1.0], [2.0]]), gw.constant([1, 0, 1])).numpy().tolist()
      [[2.0], [1.0], [2.0]]
    """
    del name
    return _native.embedding(params, ids, max_norm)


def moments(
    x: Any, axes: int | Sequence[int], shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes means and variances along axes.

    Args:
      x: tensor of any shape, `float32` or `float64`.
      axes: axis or list of axes.
      shift: accepted as in TensorFlow; has no effect.
      keepdims: whether the axes stay, with length 1.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Pair of tensors without the axes.

    Example:
      >>> [float(part) for part in gw.nn.moments(gw.constant([1.0, 5.0]), [0])]
      [3.0, 4.0]
    """
    del shift, name
    mean = _native.reduce_mean(x, axes, keepdims=True)
    variance = _native.reduce_mean(_native.square(x - mean), axes, keepdims=keepdims)
    return (mean if keepdims else _native.squeeze(mean, axes)), variance
