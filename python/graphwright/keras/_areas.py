"""Areas below curves of how well truths are told apart, over many thresholds."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._native import Tensor
from .._tensorflow.elementwise import divide_no_nan
from ._metric import Metric

#: Below 0 and above 1 by so much are the first threshold and the last one.
_EDGE = 1e-7


class AUC(Metric):
    """Computes the area below the curve of true and false positives, or of precision and recall.

    Args:
      num_thresholds: number of thresholds from 0 to 1.
      curve: `"ROC"` or `"PR"`.
      summation_method: `"interpolation"`, `"minoring"` or `"majoring"`.
      name: its name.
      dtype: dtype of the area.
      thresholds: list of thresholds between 0 and 1, in place of those at equal distances.
      multi_label: accepted if it is false.
      num_labels: accepted as in Keras; has no effect.
      label_weights: accepted if it is `None`.
      from_logits: whether predictions are logits, of which the probability is `sigmoid`.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> auc = gw.keras.metrics.AUC()
      >>> round(float(auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 4)
      0.75
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = "auc",
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(name, dtype)
        if curve not in ("ROC", "PR"):
            raise ValueError(f'`curve` is "ROC" or "PR", not {curve!r}')
        if summation_method not in ("interpolation", "minoring", "majoring"):
            raise ValueError(f"`summation_method` is none of Keras's: {summation_method!r}")
        if multi_label or label_weights is not None:
            raise ValueError("one area for each label is not computed: make a metric for each")
        del num_labels
        inner = _between(num_thresholds, thresholds)
        self.thresholds = [-_EDGE, *inner, 1.0 + _EDGE]
        self.num_thresholds = len(self.thresholds)
        self.curve, self.summation_method, self._from_logits = curve, summation_method, from_logits
        shape = (self.num_thresholds,)
        self.true_positives = self.add_variable("true_positives", shape)
        self.true_negatives = self.add_variable("true_negatives", shape)
        self.false_positives = self.add_variable("false_positives", shape)
        self.false_negatives = self.add_variable("false_negatives", shape)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor of 0 and 1.
          y_pred: tensor of probabilities, or of logits.
          sample_weight: weights that broadcast against them.

        Returns:
          Nothing.

        Example:
          >>> auc = gw.keras.metrics.AUC()
          >>> auc.update_state([0, 1], [0.3, 0.6])
          >>> float(auc.result())
          1.0
        """
        found = _native.cast(_native.convert_to_tensor(y_pred), self.dtype)
        found = _native.sigmoid(found) if self._from_logits else found
        truth = _native.cast(_native.convert_to_tensor(y_true), self.dtype) > 0.5
        weight = _native.ones_like(found)
        if sample_weight is not None:
            given = _native.cast(_native.convert_to_tensor(sample_weight), self.dtype)
            while given.ndim < found.ndim:
                given = _native.expand_dims(given, -1)
            weight = weight * given
        found, weight = (_native.reshape(one, [1, -1]) for one in (found, weight))
        truth = _native.reshape(truth, [1, -1])
        limits = _native.expand_dims(_native.constant(self.thresholds, self.dtype), 1)
        above, below = found > limits, found <= limits
        others = _native.logical_not(truth)
        for variable, told, kind in (
            (self.true_positives, above, truth),
            (self.false_positives, above, others),
            (self.true_negatives, below, others),
            (self.false_negatives, below, truth),
        ):
            there = _native.cast(_native.logical_and(told, kind), self.dtype)
            variable.assign_add(_native.reduce_sum(there * weight, 1))

    def result(self) -> Tensor:
        """Gives the area of all batches.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.AUC().result())
          0.0
        """
        tp, fn = self.true_positives.value(), self.false_negatives.value()
        fp, tn = self.false_positives.value(), self.true_negatives.value()
        if self.curve == "PR" and self.summation_method == "interpolation":
            return _area_of_precision(tp, fp, fn)
        recall = divide_no_nan(tp, tp + fn)
        if self.curve == "ROC":
            x, y = divide_no_nan(fp, fp + tn), recall
        else:
            x, y = recall, divide_no_nan(tp, tp + fp)
        if self.summation_method == "interpolation":
            heights = (y[:-1] + y[1:]) / 2.0
        elif self.summation_method == "minoring":
            heights = _native.minimum(y[:-1], y[1:])
        else:
            heights = _native.maximum(y[:-1], y[1:])
        return _native.reduce_sum((x[:-1] - x[1:]) * heights)


def _between(count: int, thresholds: Any) -> list[float]:
    if thresholds is not None:
        found = sorted(float(one) for one in thresholds)
        if not found or found[0] < 0.0 or found[-1] > 1.0:
            raise ValueError("`thresholds` are numbers from 0 to 1")
        return [one for one in found if 0.0 < one < 1.0]
    if count <= 1:
        raise ValueError(f"`num_thresholds` is {count}: an area needs 2 or more")
    return [(at + 1) / (count - 1) for at in range(count - 2)]


def _area_of_precision(tp: Tensor, fp: Tensor, fn: Tensor) -> Tensor:
    """The area below the curve of precision, by the formula of Davis and Goadrich, 2006."""
    apart = tp[:-1] - tp[1:]
    p = tp + fp
    slope = divide_no_nan(apart, _native.maximum(p[:-1] - p[1:], 0.0))
    start = tp[1:] - slope * p[1:]
    both = _native.logical_and(p[:-1] > 0.0, p[1:] > 0.0)
    ratio = _native.where(both, divide_no_nan(p[:-1], _native.maximum(p[1:], 0.0)), 1.0)
    part = slope * (apart + start * _native.log(ratio))
    return _native.reduce_sum(divide_no_nan(part, _native.maximum(tp[1:] + fn[1:], 0.0)))
