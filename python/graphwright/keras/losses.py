"""Losses by Keras's names: functions of labels and predictions, and objects that average them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from ._entropies import binary_crossentropy, categorical_crossentropy, sparse_categorical_crossentropy
from ._more_losses import (
    EPSILON,
    binary_focal_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    categorical_hinge,
    circle,
    cosine_similarity,
    ctc,
    dice,
    hinge,
    log_cosh,
    mean_squared_logarithmic_error,
    pair,
    poisson,
    squared_hinge,
    tversky,
)

__all__ = [
    "CTC",
    "KLD",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
    "CategoricalHinge",
    "Circle",
    "CosineSimilarity",
    "Dice",
    "Hinge",
    "Huber",
    "KLDivergence",
    "LogCosh",
    "Loss",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Poisson",
    "Reduction",
    "SparseCategoricalCrossentropy",
    "SquaredHinge",
    "Tversky",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy",
    "categorical_hinge",
    "circle",
    "cosine_similarity",
    "ctc",
    "deserialize",
    "dice",
    "get",
    "hinge",
    "huber",
    "kl_divergence",
    "kld",
    "kullback_leibler_divergence",
    "log_cosh",
    "logcosh",
    "mae",
    "mape",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "mse",
    "msle",
    "poisson",
    "serialize",
    "sparse_categorical_crossentropy",
    "squared_hinge",
    "tversky",
]

#: Keras's namespace of the same name.
Reduction = SimpleNamespace(AUTO="auto", NONE="none", SUM="sum", SUM_OVER_BATCH_SIZE="sum_over_batch_size")


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
    real, guess = pair(y_true, y_pred)
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
    real, guess = pair(y_true, y_pred)
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
    real, guess = pair(y_true, y_pred)
    return 100.0 * _native.reduce_mean(
        _native.abs((real - guess) / _native.maximum(_native.abs(real), EPSILON)), -1
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
    real, guess = pair(y_true, y_pred)
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
    real, guess = (_native.clip_by_value(one, EPSILON, 1.0) for one in pair(y_true, y_pred))
    return _native.reduce_sum(real * _native.log(real / guess), -1)


class Loss:
    """Averages a function of labels and predictions over a batch. One of your own has `call`.

    Args:
      fn: function of labels, predictions and options; `call` is computed if it is `None`.
      reduction: `"sum_over_batch_size"`, `"sum"`, or `None` for each example by itself.
      name: its name.
      dtype: dtype of the predictions; their own if it is `None`.
      options: further arguments of the function.

    Example:
      >>> float(gw.keras.losses.Loss(gw.keras.losses.mean_squared_error)([[0.0]], [[3.0]]))
      9.0
    """

    def __init__(
        self,
        fn: Callable[..., Any] | str | None = None,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        if isinstance(fn, str):
            # Keras's first argument is the name.
            fn, name = None, fn
        if reduction not in ("sum_over_batch_size", "sum", "mean", "none", "auto", None):
            raise ValueError(f"`reduction` is {reduction!r}: it is 'sum_over_batch_size', 'sum' or None")
        self._fn, self._options, self.dtype = fn, options, dtype
        self.reduction, self.name = reduction, name or getattr(fn, "__name__", type(self).__name__)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Computes the loss of each example.

        Args:
          y_true: labels.
          y_pred: predictions.

        Returns:
          Tensor.

        Example:
          >>> gw.keras.losses.MeanSquaredError().call([[0.0]], [[3.0]]).numpy().tolist()
          [9.0]
        """
        if self._fn is None:
            raise NotImplementedError(f"`{type(self).__name__}` has no `call`")
        return self._fn(y_true, y_pred, **self._options)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The loss of a batch."""
        losses = self.call(y_true, y_pred if self.dtype is None else _native.cast(y_pred, self.dtype))
        if sample_weight is not None:
            weight = _native.cast(_native.convert_to_tensor(sample_weight), losses.dtype)
            losses = losses * _native.reshape(weight, lengths(weight) + [1] * (losses.ndim - weight.ndim))
        if self.reduction in (None, "none"):
            return losses  # type: ignore[no-any-return]
        if self.reduction == "sum":
            return _native.reduce_sum(losses)
        counted = self._counted(y_true, losses)
        if counted is None:
            return _native.reduce_mean(losses)
        count = _native.reduce_sum(_native.cast(counted, losses.dtype))
        return _native.reduce_sum(losses) / _native.maximum(count, EPSILON)

    def _counted(self, y_true: Any, losses: Tensor) -> Tensor | None:
        """True at the examples that a mean counts; all count if it is `None`."""
        if self._options.get("ignore_class") is not None:
            numbers = _native.reshape(_native.convert_to_tensor(y_true), _native.shape(losses))
            return _native.not_equal(numbers, self._options["ignore_class"])
        return losses > 0.0 if self._fn is circle else None


_ENDS = ("reduction", "name", "dtype")


def _named(
    name: str,
    fn: Callable[..., Any],
    told: str,
    *options: str,
    order: tuple[str, ...] | None = None,
    given: str = "[[1.0, 0.0]], [[1.0, 0.0]]",
    usual: dict[str, Any] | None = None,
) -> type[Loss]:
    """A class of losses whose options are arguments, in an order of their own or before the others."""

    def initialize(self: Loss, *values: Any, **more: Any) -> None:
        taken = dict(zip(order or (*options, *_ENDS), values, strict=False)) | more
        if unknown := [one for one in taken if one not in (*options, *_ENDS)]:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{unknown[0]}'")
        Loss.__init__(self, fn, **((usual or {}) | taken))

    listed = "".join(f"      {one}: as of `{fn.__name__}`.\n" for one in options)
    doc = (
        f"Averages {told} over a batch.\n\n    Args:\n{listed}"
        '      reduction: `"sum_over_batch_size"`, `"sum"`, or `None`.\n      name: its name.\n'
        "      dtype: dtype of the predictions; their own if it is `None`.\n\n"
        "    Example:\n"
        f"      >>> float(gw.keras.losses.{name}()({given})) < 1e-3\n"
        "      True\n"
    )
    return type(name, (Loss,), {"__init__": initialize, "__doc__": doc, "__module__": __name__})


_ENTROPY = ("from_logits", "label_smoothing", "axis")
_FOCUS = ("alpha", "gamma")
MeanSquaredError = _named("MeanSquaredError", mean_squared_error, "squared differences")
MeanAbsoluteError = _named("MeanAbsoluteError", mean_absolute_error, "sizes of differences")
MeanAbsolutePercentageError = _named(
    "MeanAbsolutePercentageError", mean_absolute_percentage_error, "differences in hundredths of the labels"
)
MeanSquaredLogarithmicError = _named(
    "MeanSquaredLogarithmicError", mean_squared_logarithmic_error, "squared differences of logarithms"
)
Huber = _named("Huber", huber, "Huber's loss", "delta")
LogCosh = _named("LogCosh", log_cosh, "logarithms of the hyperbolic cosine of differences")
Poisson = _named("Poisson", poisson, "losses of counts", given="[[0.0, 0.0]], [[1e-4, 0.0]]")
Hinge = _named("Hinge", hinge, "margins", given="[[1.0, 0.0]], [[1.0, -1.0]]")
SquaredHinge = _named("SquaredHinge", squared_hinge, "squared margins", given="[[1.0, 0.0]], [[1.0, -1.0]]")
CategoricalHinge = _named("CategoricalHinge", categorical_hinge, "margins between classes")
CosineSimilarity = _named("CosineSimilarity", cosine_similarity, "negative cosines of angles", "axis")
KLDivergence = _named("KLDivergence", kl_divergence, "divergences")
Dice = _named("Dice", dice, "overlaps", "axis", order=("reduction", "name", "axis", "dtype"))
Tversky = _named(
    "Tversky",
    tversky,
    "weighted overlaps",
    "alpha",
    "beta",
    "axis",
    order=("alpha", "beta", "reduction", "name", "axis", "dtype"),
)
Circle = _named(
    "Circle",
    circle,
    "similarities of embeddings",
    "gamma",
    "margin",
    "remove_diagonal",
    given="[0, 1], [[1.0, 0.0], [0.0, 1.0]]",
)
CTC = _named("CTC", ctc, "losses of labels without places", given="[[1]], [[[0.0, 99.0]]]")
BinaryCrossentropy = _named(
    "BinaryCrossentropy", binary_crossentropy, "cross-entropies of truth values", *_ENTROPY
)
BinaryFocalCrossentropy = _named(
    "BinaryFocalCrossentropy",
    binary_focal_crossentropy,
    "weighted cross-entropies of truth values",
    "apply_class_balancing",
    *_FOCUS,
    *_ENTROPY,
)
CategoricalCrossentropy = _named(
    "CategoricalCrossentropy", categorical_crossentropy, "cross-entropies of probabilities", *_ENTROPY
)
CategoricalFocalCrossentropy = _named(
    "CategoricalFocalCrossentropy",
    categorical_focal_crossentropy,
    "weighted cross-entropies of probabilities",
    *_FOCUS,
    *_ENTROPY,
)
CategoricalGeneralizedCrossEntropy = _named(
    "CategoricalGeneralizedCrossEntropy",
    categorical_generalized_cross_entropy,
    "losses between the cross-entropy and the error",
    "q",
    given="[0], [[1.0, 0.0]]",
    usual={"q": 0.5},
)
SparseCategoricalCrossentropy = _named(
    "SparseCategoricalCrossentropy",
    sparse_categorical_crossentropy,
    "cross-entropies of class numbers",
    "from_logits",
    "ignore_class",
    "axis",
    order=("from_logits", "ignore_class", "reduction", "axis", "name", "dtype"),
    given="[0], [[1.0, 0.0]]",
)

#: Keras's other names.
KLD = kl_divergence
MAE = mean_absolute_error
MAPE = mean_absolute_percentage_error
MSE = mean_squared_error
MSLE = mean_squared_logarithmic_error
kld = kl_divergence
kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
mae = mean_absolute_error
mape = mean_absolute_percentage_error
mse = mean_squared_error
msle = mean_squared_logarithmic_error

_KNOWN: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (
        binary_crossentropy,
        binary_focal_crossentropy,
        categorical_crossentropy,
        categorical_focal_crossentropy,
        categorical_generalized_cross_entropy,
        categorical_hinge,
        circle,
        cosine_similarity,
        ctc,
        dice,
        hinge,
        huber,
        kl_divergence,
        log_cosh,
        mean_absolute_error,
        mean_absolute_percentage_error,
        mean_squared_error,
        mean_squared_logarithmic_error,
        poisson,
        sparse_categorical_crossentropy,
        squared_hinge,
        tversky,
    )
}
_KNOWN |= {
    name: globals()[name]
    for name in ("mse", "mae", "mape", "msle", "kld", "logcosh", "MSE", "MAE", "MAPE", "MSLE")
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
        if identifier in __all__ and isinstance(globals()[identifier], type):
            return globals()[identifier]()
        if identifier not in _KNOWN:
            raise ValueError(f"there is no loss {identifier!r}; those with names are {', '.join(_KNOWN)}")
        return Loss(_KNOWN[identifier])
    if callable(identifier):
        return Loss(identifier, name=getattr(identifier, "__name__", "loss"))
    raise ValueError(f"a loss is a name or a function, not {identifier!r}")


def serialize(loss: Any) -> str:
    """Names a loss of this module.

    Args:
      loss: function, or loss with its usual arguments.

    Returns:
      Name.

    Raises:
      ValueError: the loss is another one.

    Example:
      >>> gw.keras.losses.serialize(gw.keras.losses.mean_squared_error)
      'mean_squared_error'
    """
    name = getattr(loss, "__name__", type(loss).__name__)
    if name not in __all__ or (isinstance(loss, Loss) and loss._options):
        raise ValueError(f"`{loss}` is no loss with a name")
    return str(name)


deserialize = get
