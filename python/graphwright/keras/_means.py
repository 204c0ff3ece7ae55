"""Metrics that add and average values, and functions of labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native
from .._arrays import lengths
from .._native import Tensor
from ._metric import Metric
from ._more_losses import pair


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


def _squares(y_true: Any, y_pred: Any) -> Tensor:
    real, guess = pair(y_true, y_pred)
    return _native.reduce_mean(_native.square(guess - real), -1)


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
        super().__init__(_squares, name, dtype)

    def result(self) -> Tensor:
        """Gives the root of the mean.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.RootMeanSquaredError().result())
          0.0
        """
        return _native.sqrt(super().result())
