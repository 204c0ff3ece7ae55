"""Metrics by Keras's names: they gather values of batches in variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from . import losses
from ._areas import AUC
from ._metric import Metric

__all__ = [
    "AUC",
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanMetricWrapper",
    "MeanSquaredError",
    "Metric",
    "Precision",
    "Recall",
    "RootMeanSquaredError",
    "SparseCategoricalAccuracy",
    "Sum",
    "get",
]


class Sum(Metric):
    """Sums values.

    Args:
      name: its name.
      dtype: dtype of the sum.

    Example:
      >>> float(gw.keras.metrics.Sum()([1.0, 3.0]))
      4.0
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_variable("total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes the values of a batch.

        Args:
          values: tensor of numbers.
          sample_weight: weights that broadcast against them.

        Returns:
          Nothing.

        Example:
          >>> float(gw.keras.metrics.Sum()([1.0, 3.0], sample_weight=[1.0, 0.0]))
          1.0
        """
        self.total.assign_add(_weighted(values, sample_weight, self.dtype)[0])

    def result(self) -> Tensor:
        """Gives the sum.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.Sum().result())
          0.0
        """
        return self.total.value()


def _weighted(values: Any, sample_weight: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """The weighted sum, and the sum of the weights."""
    x = _native.cast(_native.convert_to_tensor(values), dtype)
    if sample_weight is None:
        return _native.reduce_sum(x), _native.cast(_native.size(x), dtype)
    weight = _native.cast(_native.convert_to_tensor(sample_weight), dtype)
    if weight.ndim < x.ndim:
        weight = _native.reshape(weight, lengths(weight) + [1] * (x.ndim - weight.ndim))
    weight = weight + _native.zeros_like(x)
    return _native.reduce_sum(x * weight), _native.reduce_sum(weight)


class Mean(Metric):
    """Averages values.

    Args:
      name: its name.
      dtype: dtype of the mean.

    Example:
      >>> float(gw.keras.metrics.Mean()([1.0, 3.0]))
      2.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total, self.count = self.add_variable("total"), self.add_variable("count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes the values of a batch.

        Args:
          values: tensor of numbers.
          sample_weight: weights that broadcast against them.

        Returns:
          Nothing.

        Example:
          >>> float(gw.keras.metrics.Mean()([1.0, 3.0], sample_weight=[3.0, 1.0]))
          1.5
        """
        total, count = _weighted(values, sample_weight, self.dtype)
        self.total.assign_add(total)
        self.count.assign_add(count)

    def result(self) -> Tensor:
        """Gives the mean; 0 of no values.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.Mean().result())
          0.0
        """
        some = self.count > 0.0
        return _native.where(some, self.total / _native.where(some, self.count, 1.0), 0.0)


class MeanMetricWrapper(Mean):
    """Averages a function of labels and predictions.

    Args:
      fn: function of labels and predictions.
      name: its name.
      dtype: dtype of the mean.
      options: further arguments of the function.

    Example:
      >>> metric = gw.keras.metrics.MeanMetricWrapper(gw.keras.losses.mean_squared_error)
      >>> float(metric([[0.0]], [[3.0]]))
      9.0
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **options: Any
    ) -> None:
        super().__init__(name or fn.__name__, dtype)
        self._fn, self._options = fn, options

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Takes the labels and predictions of a batch.

        Args:
          y_true: labels.
          y_pred: predictions.
          sample_weight: weight of each example.

        Returns:
          Nothing.

        Example:
          >>> float(gw.keras.metrics.MeanSquaredError()([[0.0]], [[3.0]]))
          9.0
        """
        super().update_state(self._fn(y_true, y_pred, **self._options), sample_weight)


def _equal(y_true: Any, y_pred: Any) -> Tensor:
    guess = _native.convert_to_tensor(y_pred)
    return _native.equal(_native.cast(_native.convert_to_tensor(y_true), guess.dtype), guess)


def _binary(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), guess.dtype)
    return _native.equal(real, _native.cast(guess > threshold, guess.dtype))


def _categorical(y_true: Any, y_pred: Any) -> Tensor:
    return _native.equal(_native.argmax(y_true, -1), _native.argmax(y_pred, -1))


def _sparse(y_true: Any, y_pred: Any) -> Tensor:
    guess = _native.convert_to_tensor(y_pred)
    real = _native.cast(_native.convert_to_tensor(y_true), _native.int64)
    if real.ndim == guess.ndim and real.shape[-1] == 1:
        real = _native.squeeze(real, -1)
    return _native.equal(real, _native.cast(_native.argmax(guess, -1), _native.int64))


def _named(name: str, usual: str, fn: Callable[..., Any], what: str, example: str) -> type[MeanMetricWrapper]:
    def initialize(
        self: MeanMetricWrapper, name: str | None = usual, dtype: Any = None, **options: Any
    ) -> None:
        MeanMetricWrapper.__init__(self, fn, name, dtype, **options)

    doc = (
        f"Averages {what}.\n\n    Args:\n      name: its name.\n      dtype: dtype of the mean.\n"
        f"      options: further arguments of the function.\n\n    Example:\n"
        f"      >>> float(gw.keras.metrics.{name}()({example}))\n      0.5\n"
    )
    return type(name, (MeanMetricWrapper,), {"__init__": initialize, "__doc__": doc, "__module__": __name__})


Accuracy = _named("Accuracy", "accuracy", _equal, "equal labels", "[1, 2], [1, 3]")
BinaryAccuracy = _named(
    "BinaryAccuracy", "binary_accuracy", _binary, "right truth values", "[1, 0], [0.9, 0.8]"
)
CategoricalAccuracy = _named(
    "CategoricalAccuracy",
    "categorical_accuracy",
    _categorical,
    "right classes",
    "[[0, 1], [1, 0]], [[0.1, 0.9]] * 2",
)
SparseCategoricalAccuracy = _named(
    "SparseCategoricalAccuracy",
    "sparse_categorical_accuracy",
    _sparse,
    "right classes",
    "[1, 0], [[0.1, 0.9]] * 2",
)
MeanSquaredError = _named(
    "MeanSquaredError",
    "mean_squared_error",
    losses.mean_squared_error,
    "squared differences",
    "[[0.0, 1.0]], [[0.0, 0.0]]",
)
MeanAbsoluteError = _named(
    "MeanAbsoluteError",
    "mean_absolute_error",
    losses.mean_absolute_error,
    "sizes of differences",
    "[[0.0]], [[0.5]]",
)


MeanAbsolutePercentageError = _named(
    "MeanAbsolutePercentageError",
    "mean_absolute_percentage_error",
    losses.mean_absolute_percentage_error,
    "differences in hundredths",
    "[[200.0]], [[199.0]]",
)


class _Share(Metric):
    """A share of right answers among those that are positive."""

    _of_labels: bool

    def __init__(self, thresholds: float = 0.5, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.thresholds = thresholds
        self.right, self.all = self.add_variable("true_positives"), self.add_variable("positives")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor of zeros and ones.
          y_pred: tensor of probabilities.
          sample_weight: weights that broadcast.

        Returns:
          Nothing.

        Example:
          >>> float(gw.keras.metrics.Recall()([1, 1], [0.9, 0.1]))
          0.5
        """
        real = _native.cast(_native.convert_to_tensor(y_true), _native.bool)
        guess = _native.reshape(_native.convert_to_tensor(y_pred) > self.thresholds, lengths(real))
        self.right.assign_add(_weighted(_native.logical_and(real, guess), sample_weight, self.dtype)[0])
        self.all.assign_add(_weighted(real if self._of_labels else guess, sample_weight, self.dtype)[0])

    def result(self) -> Tensor:
        """Gives the share; 0 where nothing is positive.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.Precision().result())
          0.0
        """
        some = self.all > 0.0
        return _native.where(some, self.right / _native.where(some, self.all, 1.0), 0.0)


class Precision(_Share):
    """Computes the share of right ones among positive predictions.

    Args:
      thresholds: probability above which a prediction is positive.
      name: its name.
      dtype: dtype of the share.

    Example:
      >>> float(gw.keras.metrics.Precision()([1, 0, 1], [0.9, 0.8, 0.1]))
      0.5
    """

    _of_labels = False


class Recall(_Share):
    """Computes the share of right predictions among positive labels.

    Args:
      thresholds: probability above which a prediction is positive.
      name: its name.
      dtype: dtype of the share.

    Example:
      >>> float(gw.keras.metrics.Recall()([1, 0, 1], [0.9, 0.8, 0.1]))
      0.5
    """

    _of_labels = True


class RootMeanSquaredError(MeanMetricWrapper):
    """Computes the root of averaged squared differences.

    Args:
      name: its name.
      dtype: dtype of the mean.

    Example:
      >>> float(gw.keras.metrics.RootMeanSquaredError()([[0.0]], [[3.0]]))
      3.0
    """

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)

    def result(self) -> Tensor:
        """Gives the root of the mean.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.RootMeanSquaredError().result())
          0.0
        """
        return _native.sqrt(super().result())


_KNOWN: dict[str, Callable[[], Metric]] = {
    "auc": AUC,
    "mse": MeanSquaredError,
    "mae": MeanAbsoluteError,
    "mean_squared_error": MeanSquaredError,
    "mean_absolute_error": MeanAbsoluteError,
    "root_mean_squared_error": RootMeanSquaredError,
    "binary_accuracy": BinaryAccuracy,
    "categorical_accuracy": CategoricalAccuracy,
    "sparse_categorical_accuracy": SparseCategoricalAccuracy,
}


def get(identifier: Any) -> Metric:
    """Looks up a metric.

    Args:
      identifier: name, function of labels and predictions, or metric.

    Returns:
      `Metric`.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> gw.keras.metrics.get("mse").name
      'mse'
    """
    if isinstance(identifier, Metric):
        return identifier
    if isinstance(identifier, str) and identifier in _KNOWN:
        made = _KNOWN[identifier]()
        made._name = identifier
        return made
    if callable(identifier):
        return MeanMetricWrapper(identifier)
    raise ValueError(f"there is no metric {identifier!r}; those with names are {', '.join(_KNOWN)}")
