"""Metrics of classes that are found and missed: overlaps of places, F-scores, and explained variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .._module import init_scope
from .._native import Tensor
from ._metric import Metric
from ._more_losses import EPSILON, pair


class IoU(Metric):
    """Computes the mean of overlaps over unions, class by class.

    Args:
      num_classes: number of classes.
      target_class_ids: classes whose mean is computed.
      name: its name.
      dtype: dtype of the counts.
      ignore_class: class of labels that do not count.
      sparse_y_true: whether labels are class numbers; rows of classes otherwise.
      sparse_y_pred: whether predictions are class numbers; rows of classes otherwise.
      axis: axis of the classes of rows.

    Raises:
      ValueError: a class is none of `num_classes`.

    Example:
      >>> metric = gw.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
      >>> round(float(metric([0, 0, 1, 1], [0, 1, 0, 1])), 4)
      0.3333
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name, dtype or _native.int32)
        if max(target_class_ids) >= num_classes:
            raise ValueError(f"class {max(target_class_ids)} is none of {num_classes}")
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        self.total_cm = self.add_variable("total_confusion_matrix", (num_classes, num_classes), 0)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor of class numbers, or of rows of classes.
          y_pred: tensor of class numbers, or of rows of classes.
          sample_weight: weights that broadcast against the labels.

        Returns:
          Nothing.

        Example:
          >>> metric = gw.keras.metrics.MeanIoU(num_classes=2)
          >>> metric.update_state([0, 1], [0, 1])
          >>> round(float(metric.result()), 4)
          1.0
        """
        real = self._numbers(y_true, self.sparse_y_true)
        guess = self._numbers(y_pred, self.sparse_y_pred)
        weight = _native.cast(1 if sample_weight is None else sample_weight, self.dtype)
        weight = _native.reshape(weight, [-1]) if weight.ndim > 1 else weight
        counts = _native.logical_and(self._is_class(real), self._is_class(guess))
        if self.ignore_class is not None:
            counts = _native.logical_and(counts, _native.not_equal(real, self.ignore_class))
        weight = weight * _native.cast(counts, self.dtype)
        marked = [_native.one_hot(one, self.num_classes, dtype=self.dtype) for one in (real, guess)]
        rows = _native.transpose(marked[0] * _native.expand_dims(weight, 1))
        self.total_cm.assign_add(_native.matmul(rows, marked[1]))

    def _numbers(self, given: Any, is_sparse: bool) -> Tensor:
        numbers = given if is_sparse else _native.argmax(given, self.axis)
        return _native.reshape(_native.cast(_native.convert_to_tensor(numbers), _native.int32), [-1])

    def _is_class(self, numbers: Tensor) -> Tensor:
        return _native.logical_and(numbers >= 0, numbers < self.num_classes)

    def result(self) -> Tensor:
        """Gives the mean over the classes that occur.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.MeanIoU(num_classes=2).result())
          0.0
        """
        matrix = _native.cast(self.total_cm.value(), _native.float32)
        diagonal = _native.reduce_sum(
            matrix * _native.one_hot(list(range(self.num_classes)), self.num_classes), 1
        )
        union = _native.reduce_sum(matrix, 0) + _native.reduce_sum(matrix, 1) - diagonal
        diagonal, union = (_native.gather(one, self.target_class_ids) for one in (diagonal, union))
        occurs = _native.cast(union > 1e-9, _native.float32)
        total = _native.reduce_sum(occurs * diagonal / (union + EPSILON))
        return total / (_native.reduce_sum(occurs) + EPSILON)


class BinaryIoU(IoU):
    """Computes the mean of overlaps over unions of probabilities above and below a threshold.

    Args:
      target_class_ids: classes whose mean is computed: 0 for below, 1 for above.
      threshold: the threshold, which belongs to class 1.
      name: its name.
      dtype: dtype of the counts.

    Example:
      >>> metric = gw.keras.metrics.BinaryIoU(target_class_ids=[0, 1], threshold=0.3)
      >>> round(float(metric([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])), 4)
      0.3333
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor of zeros and ones.
          y_pred: tensor of probabilities.
          sample_weight: weights that broadcast against the labels.

        Returns:
          Nothing.

        Example:
          >>> metric = gw.keras.metrics.BinaryIoU()
          >>> metric.update_state([0, 1], [0.1, 0.9])
          >>> round(float(metric.result()), 4)
          1.0
        """
        guess = _native.cast(_native.convert_to_tensor(y_pred), _native.float32) >= self.threshold
        super().update_state(y_true, _native.cast(guess, _native.int32), sample_weight)


class MeanIoU(IoU):
    """Computes the mean of overlaps over unions of all classes.

    Args:
      num_classes: number of classes.
      name: its name.
      dtype: dtype of the counts.
      others: further arguments of `IoU`.

    Example:
      >>> round(float(gw.keras.metrics.MeanIoU(num_classes=2)([0, 0, 1, 1], [0, 1, 0, 1])), 4)
      0.3333
    """

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None, **others: Any) -> None:
        super().__init__(num_classes, list(range(num_classes)), name, dtype, **others)


class OneHotIoU(IoU):
    """Computes the mean of overlaps over unions of rows of classes.

    Args:
      num_classes: number of classes.
      target_class_ids: classes whose mean is computed.
      name: its name.
      dtype: dtype of the counts.
      ignore_class: class of labels that do not count.
      sparse_y_pred: whether predictions are class numbers.
      axis: axis of the classes.

    Example:
      >>> metric = gw.keras.metrics.OneHotIoU(num_classes=2, target_class_ids=[0])
      >>> round(float(metric([[1, 0], [0, 1]], [[0.8, 0.2], [0.3, 0.7]])), 4)
      1.0
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)


class OneHotMeanIoU(OneHotIoU):
    """Computes the mean of overlaps over unions of rows of classes, over all classes.

    Args:
      num_classes: number of classes.
      name: its name.
      dtype: dtype of the counts.
      ignore_class: class of labels that do not count.
      sparse_y_pred: whether predictions are class numbers.
      axis: axis of the classes.

    Example:
      >>> metric = gw.keras.metrics.OneHotMeanIoU(num_classes=2)
      >>> round(float(metric([[1, 0], [0, 1]], [[0.8, 0.2], [0.3, 0.7]])), 4)
      1.0
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        every = list(range(num_classes))
        super().__init__(num_classes, every, name, dtype, ignore_class, sparse_y_pred, axis)


class _ByClass(Metric):
    """A metric with numbers for each class, of which the first batch tells the count."""

    _names: tuple[str, ...]
    _lengths: tuple[int, ...] | None = None

    def _make(self, real: Tensor, guess: Tensor, is_one: bool) -> None:
        if self._lengths is not None:
            return
        if real.ndim != 2 or guess.ndim != 2 or guess.shape[-1] is None:
            raise ValueError(
                f"`{self.name}` takes tensors of 2 axes, not {tuple(real.shape)} and {tuple(guess.shape)}"
            )
        self._lengths = () if is_one else (int(guess.shape[-1]),)
        with init_scope():
            for name in self._names:
                setattr(self, name, self.add_variable(name, self._lengths))


class FBetaScore(_ByClass):
    """Computes the weighted harmonic mean of precision and recall, class by class.

    Args:
      average: `"micro"` for one mean of all examples, `"macro"` or `"weighted"` for the mean of classes, or
        `None` for each class by itself.
      beta: weight of the recall.
      threshold: probability above which a prediction is positive; the greatest one is if it is `None`.
      name: its name.
      dtype: dtype of the score.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> metric = gw.keras.metrics.FBetaScore(beta=2.0, threshold=0.5)
      >>> metric([[1, 1], [1, 0]], [[0.2, 0.6], [0.7, 0.6]]).numpy().round(4).tolist()
      [0.5555999875068665, 0.833299994468689]
    """

    _names = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name, dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(f"`average` is {average!r}: it is None, 'micro', 'macro' or 'weighted'")
        if not isinstance(beta, float) or beta <= 0.0:
            raise ValueError(f"`beta` is {beta!r}, not a positive float")
        if threshold is not None and not (isinstance(threshold, float) and 0.0 < threshold <= 1.0):
            raise ValueError(f"`threshold` is {threshold!r}, not a float above 0 and up to 1")
        self.average, self.beta, self.threshold = average, beta, threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor of zeros and ones.
          y_pred: tensor of probabilities of the same shape.
          sample_weight: weight of each example.

        Returns:
          Nothing.

        Example:
          >>> metric = gw.keras.metrics.F1Score(average="micro")
          >>> metric.update_state([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]])
          >>> round(float(metric.result()), 4)
          1.0
        """
        real, guess = (_native.cast(_native.convert_to_tensor(one), self.dtype) for one in (y_true, y_pred))
        self._make(real, guess, self.average == "micro")
        if self.threshold is None:
            greatest = _native.reduce_max(guess, -1, keepdims=True)
            told = _native.logical_and(guess >= greatest, _native.abs(guess) > 1e-9)
        else:
            told = guess > self.threshold
        found = _native.cast(told, self.dtype)
        axis = None if self.average == "micro" else 0
        products = (found * real, found * (1.0 - real), (1.0 - found) * real, real)
        for name, product in zip(self._names, products, strict=True):
            if sample_weight is not None:
                product = product * _native.expand_dims(_native.cast(sample_weight, self.dtype), 1)
            getattr(self, name).assign_add(_native.reduce_sum(product, axis))

    def result(self) -> Tensor:
        """Gives the score.

        Returns:
          Scalar, or a vector of classes.

        Example:
          >>> metric = gw.keras.metrics.F1Score(average="macro")
          >>> round(float(metric([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.8]])), 4)
          1.0
        """
        if self._lengths is None:
            raise ValueError(f"`{self.name}` has no batch yet: call `update_state` first")
        right, wrong, missed, weight = (getattr(self, name).value() for name in self._names)
        precision, recall = right / (right + wrong + EPSILON), right / (right + missed + EPSILON)
        square = self.beta**2
        score = (1.0 + square) * precision * recall / (square * precision + recall + EPSILON)
        if self.average == "weighted":
            return _native.reduce_sum(score * weight / (_native.reduce_sum(weight) + EPSILON))
        return score if self.average is None else _native.reduce_mean(score)


class F1Score(FBetaScore):
    """Computes the harmonic mean of precision and recall, class by class.

    Args:
      average: as of `FBetaScore`.
      threshold: as of `FBetaScore`.
      name: its name.
      dtype: dtype of the score.

    Example:
      >>> metric = gw.keras.metrics.F1Score(average="micro", threshold=0.5)
      >>> round(float(metric([[1, 1], [1, 0]], [[0.2, 0.6], [0.2, 0.6]])), 4)
      0.4
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)


class R2Score(_ByClass):
    """Computes the share of the labels' variance that predictions explain.

    Args:
      class_aggregation: `"uniform_average"`, `"variance_weighted_average"`, or `None` for each by itself.
      num_regressors: number of regressors, by which the score is adjusted; 0 for no adjustment.
      name: its name.
      dtype: dtype of the score.

    Raises:
      ValueError: an argument is none of those.

    Example:
      >>> metric = gw.keras.metrics.R2Score()
      >>> round(float(metric([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])), 4)
      0.5714
    """

    _names = ("squared_sum", "sum", "residual", "count")

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name, dtype)
        if class_aggregation not in (None, "uniform_average", "variance_weighted_average"):
            raise ValueError(f"`class_aggregation` is {class_aggregation!r}, which is none of Keras's")
        if num_regressors < 0:
            raise ValueError(f"`num_regressors` is {num_regressors}, not a number from 0 on")
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_variable("num_samples")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor `(batch, outputs)`.
          y_pred: tensor of the same shape.
          sample_weight: weight of each example.

        Returns:
          Nothing.

        Example:
          >>> metric = gw.keras.metrics.R2Score()
          >>> metric.update_state([[1.0], [3.0]], [[1.0], [3.0]])
          >>> float(metric.result())
          1.0
        """
        real, guess = pair(
            _native.cast(_native.convert_to_tensor(y_true), self.dtype),
            _native.cast(_native.convert_to_tensor(y_pred), self.dtype),
        )
        self._make(real, guess, False)
        weight = _native.cast(1.0 if sample_weight is None else sample_weight, self.dtype)
        weight = _native.expand_dims(weight, 1) if weight.ndim == 1 else weight
        weight = weight + _native.zeros_like(real)
        sums = (real * real * weight, real * weight, _native.square(real - guess) * weight, weight)
        for name, part in zip(self._names, sums, strict=True):
            getattr(self, name).assign_add(_native.reduce_sum(part, 0))
        self.num_samples.assign_add(_native.cast(_native.size(real), self.dtype))

    def result(self) -> Tensor:
        """Gives the score.

        Returns:
          Scalar, or a vector of outputs.

        Example:
          >>> float(gw.keras.metrics.R2Score()([[1.0], [3.0]], [[1.0], [3.0]]))
          1.0
        """
        if self._lengths is None:
            raise ValueError(f"`{self.name}` has no batch yet: call `update_state` first")
        squares, total, residual, count = (getattr(self, name).value() for name in self._names)
        whole = squares - total * total / count
        scores = 1.0 - residual / whole
        scores = _native.where(
            _native.abs(scores) < float("inf"), scores, _native.where(scores != scores, scores, 0.0)
        )
        if self.class_aggregation == "uniform_average":
            score = _native.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            score = _native.reduce_sum(whole * scores) / _native.reduce_sum(whole)
        else:
            score = scores
        if self.num_regressors == 0:
            return score
        samples = self.num_samples.value()
        freedom = samples - self.num_regressors - 1.0
        is_enough = freedom > 0.0
        adjusted = 1.0 - (1.0 - score) * (samples - 1.0) / _native.where(is_enough, freedom, 1.0)
        return _native.where(is_enough, adjusted, score)
