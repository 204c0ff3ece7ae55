"""Losses by Keras's names: functions of labels and predictions, and objects that average them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native, nn
from .._arrays import lengths
from .._native import Tensor

__all__ = [
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "Huber",
    "KLDivergence",
    "Loss",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "SparseCategoricalCrossentropy",
    "binary_crossentropy",
    "categorical_crossentropy",
    "get",
    "huber",
    "kl_divergence",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "sparse_categorical_crossentropy",
]

#: Probabilities are kept so far from 0 and 1.
_EPSILON = 1e-7


def _pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """Both as floats of one dtype and shape; a last axis of length 1 is joined where only one has it."""
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    if guess.ndim == real.ndim + 1 and guess.shape[-1] == 1:
        real = _native.expand_dims(real, -1)
    elif real.ndim == guess.ndim + 1 and real.shape[-1] == 1:
        real = _native.squeeze(real, -1)
    return real, guess


def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """Averages squared differences along the last axis.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy().tolist()
      [2.5]
    """
    real, guess = _pair(y_true, y_pred)
    return _native.reduce_mean(_native.square(guess - real), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Tensor:
    """Averages sizes of differences along the last axis.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.mean_absolute_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy().tolist()
      [1.5]
    """
    real, guess = _pair(y_true, y_pred)
    return _native.reduce_mean(_native.abs(guess - real), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Tensor:
    """Averages sizes of differences in hundredths of the labels along the last axis.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.mean_absolute_percentage_error([[2.0, 4.0]], [[1.0, 4.0]]).numpy().tolist()
      [25.0]
    """
    real, guess = _pair(y_true, y_pred)
    return 100.0 * _native.reduce_mean(
        _native.abs((real - guess) / _native.maximum(_native.abs(real), _EPSILON)), -1
    )


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Tensor:
    """Averages halves of squares, beyond a distance lines, along the last axis.

    Args:
      y_true: tensor of numbers.
      y_pred: tensor of floats of the same shape.
      delta: the distance.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.huber([[0.0, 1.0]], [[1.0, 3.0]]).numpy().tolist()
      [1.0]
    """
    real, guess = _pair(y_true, y_pred)
    size = _native.abs(guess - real)
    parts = _native.where(size <= delta, 0.5 * size * size, delta * size - 0.5 * delta * delta)
    return _native.reduce_mean(parts, -1)


def kl_divergence(y_true: Any, y_pred: Any) -> Tensor:
    """Computes the divergence of probabilities along the last axis.

    Args:
      y_true: tensor of probabilities.
      y_pred: tensor of probabilities of the same shape.

    Returns:
      Tensor without the last axis.

    Example:
      >>> gw.keras.losses.kl_divergence([[0.5, 0.5]], [[0.5, 0.5]]).numpy().tolist()
      [0.0]
    """
    real, guess = (_native.clip_by_value(one, _EPSILON, 1.0) for one in _pair(y_true, y_pred))
    return _native.reduce_sum(real * _native.log(real / guess), -1)


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
    real, guess = _pair(y_true, y_pred)
    real = real * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return _native.reduce_mean(nn.sigmoid_cross_entropy_with_logits(real, guess), axis)
    guess = _native.clip_by_value(guess, _EPSILON, 1.0 - _EPSILON)
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
    return -_native.reduce_sum(
        real * _native.log(_native.clip_by_value(guess, _EPSILON, 1.0 - _EPSILON)), axis
    )


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
        guess = _native.log(_native.clip_by_value(guess, _EPSILON, 1.0 - _EPSILON))
        marked = _native.one_hot(numbers, guess.shape[-1] or 1, dtype=guess.dtype)
        loss = -_native.reduce_sum(marked * guess, -1)
    else:
        loss = nn.sparse_softmax_cross_entropy_with_logits(numbers, guess)
    return loss if kept is None else _native.where(kept, loss, _native.zeros_like(loss))


class Loss:
    """Averages a function of labels and predictions over a batch.

    Args:
      fn: function of labels, predictions and options.
      reduction: `"sum_over_batch_size"`, `"sum"`, or `None` for each example by itself.
      name: its name.
      options: further arguments of the function.

    Example:
      >>> float(gw.keras.losses.Loss(gw.keras.losses.mean_squared_error)([[0.0]], [[3.0]]))
      9.0
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: str | None = "sum_over_batch_size",
        name: str | None = None,
        **options: Any,
    ) -> None:
        if reduction not in ("sum_over_batch_size", "sum", "mean", "none", None):
            raise ValueError(f"`reduction` is {reduction!r}: it is 'sum_over_batch_size', 'sum' or None")
        self._fn, self._options = fn, options
        self.reduction, self.name = reduction, name or fn.__name__

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The loss of a batch."""
        losses = self._fn(y_true, y_pred, **self._options)
        if sample_weight is not None:
            weight = _native.cast(_native.convert_to_tensor(sample_weight), losses.dtype)
            losses = losses * _native.reshape(weight, lengths(weight) + [1] * (losses.ndim - weight.ndim))
        if self.reduction in (None, "none"):
            return losses  # type: ignore[no-any-return]
        return _native.reduce_sum(losses) if self.reduction == "sum" else _native.reduce_mean(losses)


def _named(name: str, fn: Callable[..., Any], what: str, *options: str) -> type[Loss]:
    """A class of losses whose options are arguments."""

    def initialize(
        self: Loss,
        *values: Any,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = None,
        **more: Any,
    ) -> None:
        given = dict(zip(options, values, strict=False)) | more
        if unknown := [one for one in given if one not in options]:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{unknown[0]}'")
        Loss.__init__(self, fn, reduction, name, **given)

    listed = "".join(f"      {one}: as of `{fn.__name__}`.\n" for one in options)
    doc = (
        f"Averages {what} over a batch.\n\n    Args:\n{listed}"
        '      reduction: `"sum_over_batch_size"`, `"sum"`, or `None`.\n      name: its name.\n\n'
        "    Example:\n"
        f"      >>> float(gw.keras.losses.{name}()([[1.0, 0.0]], [[1.0, 0.0]])) < 1e-3\n"
        "      True\n"
    )
    if fn is sparse_categorical_crossentropy:
        doc = doc.replace("([[1.0, 0.0]], [[1.0, 0.0]])", "([0], [[1.0, 0.0]])")
    return type(name, (Loss,), {"__init__": initialize, "__doc__": doc, "__module__": __name__})


_ENTROPY = ("from_logits", "label_smoothing", "axis")
MeanSquaredError = _named("MeanSquaredError", mean_squared_error, "squared differences")
MeanAbsoluteError = _named("MeanAbsoluteError", mean_absolute_error, "sizes of differences")
Huber = _named("Huber", huber, "Huber's loss", "delta")
KLDivergence = _named("KLDivergence", kl_divergence, "divergences")
BinaryCrossentropy = _named(
    "BinaryCrossentropy", binary_crossentropy, "cross-entropies of truth values", *_ENTROPY
)
CategoricalCrossentropy = _named(
    "CategoricalCrossentropy", categorical_crossentropy, "cross-entropies of probabilities", *_ENTROPY
)
SparseCategoricalCrossentropy = _named(
    "SparseCategoricalCrossentropy",
    sparse_categorical_crossentropy,
    "cross-entropies of class numbers",
    "from_logits",
    "ignore_class",
    "axis",
)

_KNOWN: dict[str, Callable[..., Any]] = {
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "mean_squared_error": mean_squared_error,
    "mean_absolute_error": mean_absolute_error,
    "mape": mean_absolute_percentage_error,
    "huber": huber,
    "kl_divergence": kl_divergence,
    "binary_crossentropy": binary_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
}


def get(identifier: Any) -> Any:
    """Looks up a loss.

    Args:
      identifier: name, function, or loss.

    Returns:
      `Loss` of a name or a function.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> gw.keras.losses.get("mse").name
      'mean_squared_error'
    """
    if isinstance(identifier, Loss):
        return identifier
    if isinstance(identifier, str):
        if identifier not in _KNOWN:
            raise ValueError(f"there is no loss {identifier!r}; those with names are {', '.join(_KNOWN)}")
        return Loss(_KNOWN[identifier])
    if callable(identifier):
        return Loss(identifier, name=getattr(identifier, "__name__", "loss"))
    raise ValueError(f"a loss is a name or a function, not {identifier!r}")
