"""Metrics of right and wrong answers to yes-or-no questions: counts, shares, and shares at a bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .._native import Tensor
from .._tensorflow.elementwise import divide_no_nan
from ._metric import Metric
from ._more_losses import pair

_KINDS = ("true_positives", "true_negatives", "false_positives", "false_negatives")
#: Predictions that are not among the greatest.
_NEVER = -1e10


class _Counting(Metric):
    """Counts answers of some kinds over thresholds."""

    _kinds: tuple[str, ...] = _KINDS

    def __init__(
        self,
        thresholds: Sequence[float],
        name: str | None,
        dtype: Any,
        top_k: int | None = None,
        class_id: int | None = None,
    ) -> None:
        super().__init__(name, dtype)
        self.thresholds, self.top_k, self.class_id = list(thresholds), top_k, class_id
        shape = (len(self.thresholds),)
        self._counts = [self.add_variable(kind, shape) for kind in self._kinds]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes the labels and predictions of a batch.

        Args:
          y_true: tensor of zeros and ones.
          y_pred: tensor of probabilities.
          sample_weight: weight of each example.

        Returns:
          Nothing.

        Example:
          >>> metric = gw.keras.metrics.TruePositives()
          >>> metric.update_state([1, 1], [0.9, 0.1])
          >>> float(metric.result())
          1.0
        """
        real, guess, weight = self._chosen(y_true, y_pred, sample_weight)
        limits = _native.expand_dims(_native.constant(self.thresholds, self.dtype), 1)
        above = self._above(guess, limits)
        for kind, count in zip(self._kinds, self._counts, strict=True):
            told = above if kind.endswith("positives") else _native.logical_not(above)
            is_one = kind in ("true_positives", "false_negatives")
            there = _native.logical_and(told, real if is_one else _native.logical_not(real))
            count.assign_add(_native.reduce_sum(_native.cast(there, self.dtype) * weight, 1))

    def _above(self, guess: Tensor, limits: Tensor) -> Tensor:
        return guess > limits

    def _chosen(self, y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Rows of labels, predictions and weights."""
        real, guess = pair(y_true, _native.cast(_native.convert_to_tensor(y_pred), self.dtype))
        if self.top_k is not None:
            guess = _greatest(guess, self.top_k)
        if self.class_id is not None:
            real, guess = real[..., self.class_id], guess[..., self.class_id]
        weight = _native.ones_like(guess)
        if sample_weight is not None:
            given = _native.cast(_native.convert_to_tensor(sample_weight), self.dtype)
            if given.ndim == guess.ndim + 1 and given.shape[-1] == 1:
                given = _native.squeeze(given, -1)
            while given.ndim < guess.ndim:
                given = _native.expand_dims(given, -1)
            weight = weight * given
        flat = [_native.reshape(one, [1, -1]) for one in (real, guess, weight)]
        return _native.cast(flat[0], _native.bool), flat[1], flat[2]


def _greatest(guess: Tensor, k: int) -> Tensor:
    """Predictions that are among the `k` greatest, and a number below all of them elsewhere."""
    places = _native.top_k(guess, k)[1]
    there = _native.reduce_max(_native.one_hot(places, guess.shape[-1] or 1, dtype=guess.dtype), -2)
    return guess * there + _NEVER * (1.0 - there)


def _listed(thresholds: Any, usual: float = 0.5) -> list[float]:
    if thresholds is None:
        return [usual]
    return (
        [float(one) for one in thresholds] if isinstance(thresholds, (list, tuple)) else [float(thresholds)]
    )


class _Count(_Counting):
    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(_listed(thresholds), name or self._kinds[0], dtype)
        self.accumulator = self._counts[0]

    def result(self) -> Tensor:
        """Gives the number of answers.

        Returns:
          Scalar, or a vector of more than one threshold.

        Example:
          >>> float(gw.keras.metrics.FalsePositives()([0, 1], [0.9, 0.8]))
          1.0
        """
        return self.accumulator[0] if len(self.thresholds) == 1 else self.accumulator.value()


def _count(name: str, kind: str, told: str) -> type[_Count]:
    doc = (
        f"Counts {told}.\n\n    Args:\n"
        "      thresholds: probability above which a prediction is positive, or a list; 0.5 if it is "
        "`None`.\n"
        "      name: its name.\n      dtype: dtype of the count.\n\n    Example:\n"
        f"      >>> float(gw.keras.metrics.{name}()([0, 0, 1, 1], [0.2, 0.9, 0.1, 0.8]))\n      1.0\n"
    )
    return type(name, (_Count,), {"__doc__": doc, "__module__": __name__, "_kinds": (kind,)})


TruePositives = _count("TruePositives", "true_positives", "positive predictions that are right")
TrueNegatives = _count("TrueNegatives", "true_negatives", "negative predictions that are right")
FalsePositives = _count("FalsePositives", "false_positives", "positive predictions that are wrong")
FalseNegatives = _count("FalseNegatives", "false_negatives", "negative predictions that are wrong")


class _Share(_Counting):
    """A share of right answers among those that are positive."""

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        usual = 0.5 if top_k is None else _NEVER
        super().__init__(
            _listed(thresholds, usual), name or type(self).__name__.lower(), dtype, top_k, class_id
        )

    def result(self) -> Tensor:
        """Gives the share; 0 where nothing is positive.

        Returns:
          Scalar, or a vector of more than one threshold.

        Example:
          >>> float(gw.keras.metrics.Precision().result())
          0.0
        """
        right, wrong = (one.value() for one in self._counts)
        found = divide_no_nan(right, right + wrong)
        return found[0] if len(self.thresholds) == 1 else found


class Precision(_Share):
    """Computes the share of right ones among positive predictions.

    Args:
      thresholds: probability above which a prediction is positive, or a list; 0.5 if it is `None`.
      top_k: number of the greatest predictions of an example that are positive.
      class_id: number of the class whose predictions count; all count if it is `None`.
      name: its name.
      dtype: dtype of the share.

    Example:
      >>> float(gw.keras.metrics.Precision()([1, 0, 1], [0.9, 0.8, 0.1]))
      0.5
    """

    _kinds = ("true_positives", "false_positives")


class Recall(_Share):
    """Computes the share of right predictions among positive labels.

    Args:
      thresholds: probability above which a prediction is positive, or a list; 0.5 if it is `None`.
      top_k: number of the greatest predictions of an example that are positive.
      class_id: number of the class whose predictions count; all count if it is `None`.
      name: its name.
      dtype: dtype of the share.

    Example:
      >>> float(gw.keras.metrics.Recall()([1, 0, 1], [0.9, 0.8, 0.1]))
      0.5
    """

    _kinds = ("true_positives", "false_negatives")


class _AtBound(_Counting):
    """The greatest of one share over all thresholds at which another one reaches a bound."""

    #: The bounded share and the greatest one: each is one kind over itself and another.
    _bounded: tuple[str, str]
    _greatest: tuple[str, str]
    _argument: str

    def __init__(
        self,
        bound: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        if not 0 <= bound <= 1:
            raise ValueError(f"`{self._argument}` is {bound}, not between 0 and 1")
        if num_thresholds <= 0:
            raise ValueError(f"`num_thresholds` is {num_thresholds}, not positive")
        last = num_thresholds - 1
        limits = [0.5] if last == 0 else [at / last for at in range(num_thresholds)]
        super().__init__(limits, name, dtype, None, class_id)
        self.value, self.num_thresholds = bound, num_thresholds
        setattr(self, self._argument, bound)

    def _above(self, guess: Tensor, limits: Tensor) -> Tensor:
        # Each prediction is above the first of many thresholds, 0 too, as in Keras.
        if len(self.thresholds) == 1:
            return guess > limits
        return _native.logical_or(guess > limits, _native.equal(limits, 0.0))

    def _shared(self, kinds: tuple[str, str]) -> Tensor:
        first, second = (self._counts[self._kinds.index(kind)].value() for kind in kinds)
        return divide_no_nan(first, first + second)

    def result(self) -> Tensor:
        """Gives the greatest share; 0 where no threshold reaches the bound.

        Returns:
          Scalar.

        Example:
          >>> float(gw.keras.metrics.PrecisionAtRecall(0.5)([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]))
          1.0
        """
        reaches = self._shared(self._bounded) >= self.value
        found = self._shared(self._greatest)
        return _native.reduce_max(_native.where(reaches, found, _native.zeros_like(found)))


_SHARES = {
    "sensitivity": ("true_positives", "false_negatives"),
    "recall": ("true_positives", "false_negatives"),
    "specificity": ("true_negatives", "false_positives"),
    "precision": ("true_positives", "false_positives"),
}


def _at(name: str, greatest: str, bounded: str) -> Any:
    """A class of the greatest share at a bound on another one."""

    def initialize(self: _AtBound, *args: Any, **kwargs: Any) -> None:
        if bounded in kwargs:
            args = (kwargs.pop(bounded), *args)
        kwargs.setdefault("name", None)
        _AtBound.__init__(self, *args, **kwargs)

    doc = (
        f"Computes the greatest {greatest} over the thresholds at which the {bounded} reaches a bound.\n\n"
        f"    Args:\n      {bounded}: the bound, from 0 to 1.\n"
        "      num_thresholds: number of thresholds from 0 to 1.\n"
        "      class_id: number of the class whose predictions count; all count if it is `None`.\n"
        "      name: its name.\n      dtype: dtype of the share.\n\n    Example:\n"
        f"      >>> float(gw.keras.metrics.{name}(0.5)([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]))\n      1.0\n"
    )
    attributes = {
        "__init__": initialize,
        "__doc__": doc,
        "__module__": __name__,
        "_bounded": _SHARES[bounded],
        "_greatest": _SHARES[greatest],
        "_argument": bounded,
    }
    return type(name, (_AtBound,), attributes)


SensitivityAtSpecificity = _at("SensitivityAtSpecificity", "sensitivity", "specificity")
SpecificityAtSensitivity = _at("SpecificityAtSensitivity", "specificity", "sensitivity")
PrecisionAtRecall = _at("PrecisionAtRecall", "precision", "recall")
RecallAtPrecision = _at("RecallAtPrecision", "recall", "precision")
