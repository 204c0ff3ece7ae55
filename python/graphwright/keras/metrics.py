"""Metrics by Keras's names: they gather values of batches in variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _accuracy, _more_losses
from ._accuracy import (
    binary_accuracy,
    categorical_accuracy,
    concordance_correlation,
    pearson_correlation,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from ._areas import AUC
from ._confusion import (
    FalseNegatives,
    FalsePositives,
    Precision,
    PrecisionAtRecall,
    Recall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    TrueNegatives,
    TruePositives,
)
from ._means import Mean, MeanMetricWrapper, RootMeanSquaredError, Sum
from ._metric import Metric
from ._overlaps import BinaryIoU, F1Score, FBetaScore, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU, R2Score
from .losses import (
    KLD,
    MAE,
    MAPE,
    MSE,
    MSLE,
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    hinge,
    huber,
    kl_divergence,
    kld,
    kullback_leibler_divergence,
    log_cosh,
    logcosh,
    mae,
    mape,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    mse,
    msle,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)

__all__ = [
    "AUC",
    "KLD",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "Accuracy",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "BinaryIoU",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "ConcordanceCorrelation",
    "CosineSimilarity",
    "F1Score",
    "FBetaScore",
    "FalseNegatives",
    "FalsePositives",
    "Hinge",
    "IoU",
    "KLDivergence",
    "LogCoshError",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanIoU",
    "MeanMetricWrapper",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Metric",
    "OneHotIoU",
    "OneHotMeanIoU",
    "PearsonCorrelation",
    "Poisson",
    "Precision",
    "PrecisionAtRecall",
    "R2Score",
    "Recall",
    "RecallAtPrecision",
    "RootMeanSquaredError",
    "SensitivityAtSpecificity",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "SpecificityAtSensitivity",
    "SquaredHinge",
    "Sum",
    "TopKCategoricalAccuracy",
    "TrueNegatives",
    "TruePositives",
    "binary_accuracy",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_hinge",
    "concordance_correlation",
    "deserialize",
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
    "pearson_correlation",
    "poisson",
    "serialize",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "squared_hinge",
    "top_k_categorical_accuracy",
]


def _named(
    name: str,
    usual: str,
    fn: Callable[..., Any],
    told: str,
    example: str,
    expected: str,
    options: tuple[str, ...] = (),
    first: bool = False,
) -> type[MeanMetricWrapper]:
    """A class of means whose options are arguments behind `name` and `dtype`, or before them."""
    order = (*options, "name", "dtype") if first else ("name", "dtype", *options)

    def initialize(self: MeanMetricWrapper, *values: Any, **more: Any) -> None:
        given = {"name": usual, "dtype": None} | dict(zip(order, values, strict=False)) | more
        MeanMetricWrapper.__init__(self, fn, **given)

    listed = "".join(f"      {one}: as of the function of that name.\n" for one in options)
    doc = (
        f"Averages {told}.\n\n    Args:\n      name: its name.\n      dtype: dtype of the mean.\n"
        f"{listed}\n    Example:\n"
        f"      >>> round(float(gw.keras.metrics.{name}()({example})), 4)\n      {expected}\n"
    )
    return type(name, (MeanMetricWrapper,), {"__init__": initialize, "__doc__": doc, "__module__": __name__})


Accuracy = _named("Accuracy", "accuracy", _accuracy.accuracy, "equal labels", "[1, 2], [1, 3]", "0.5")
BinaryAccuracy = _named(
    "BinaryAccuracy",
    "binary_accuracy",
    binary_accuracy,
    "right truth values",
    "[1, 0], [0.9, 0.8]",
    "0.5",
    ("threshold",),
)
CategoricalAccuracy = _named(
    "CategoricalAccuracy",
    "categorical_accuracy",
    categorical_accuracy,
    "right classes",
    "[[0, 1], [1, 0]], [[0.1, 0.9]] * 2",
    "0.5",
)
SparseCategoricalAccuracy = _named(
    "SparseCategoricalAccuracy",
    "sparse_categorical_accuracy",
    sparse_categorical_accuracy,
    "right classes",
    "[1, 0], [[0.1, 0.9]] * 2",
    "0.5",
)
MeanSquaredError = _named(
    "MeanSquaredError",
    "mean_squared_error",
    mean_squared_error,
    "squared differences",
    "[[0.0, 1.0]], [[0.0, 0.0]]",
    "0.5",
)
MeanAbsoluteError = _named(
    "MeanAbsoluteError",
    "mean_absolute_error",
    mean_absolute_error,
    "sizes of differences",
    "[[0.0]], [[0.5]]",
    "0.5",
)
MeanAbsolutePercentageError = _named(
    "MeanAbsolutePercentageError",
    "mean_absolute_percentage_error",
    mean_absolute_percentage_error,
    "differences in hundredths",
    "[[200.0]], [[199.0]]",
    "0.5",
)
MeanSquaredLogarithmicError = _named(
    "MeanSquaredLogarithmicError",
    "mean_squared_logarithmic_error",
    mean_squared_logarithmic_error,
    "squared differences of logarithms",
    "[[1.0]], [[1.0]]",
    "0.0",
)
LogCoshError = _named(
    "LogCoshError",
    "logcosh",
    log_cosh,
    "logarithms of the hyperbolic cosine of differences",
    "[[1.0]], [[1.0]]",
    "0.0",
)
Poisson = _named("Poisson", "poisson", poisson, "losses of counts", "[[2.0]], [[1.0]]", "1.0")
KLDivergence = _named(
    "KLDivergence",
    "kl_divergence",
    kl_divergence,
    "divergences of probabilities",
    "[[0.5, 0.5]], [[0.5, 0.5]]",
    "0.0",
)
Hinge = _named("Hinge", "hinge", hinge, "margins", "[[0.0, 1.0]], [[0.5, 0.5]]", "1.0")
SquaredHinge = _named(
    "SquaredHinge", "squared_hinge", squared_hinge, "squared margins", "[[0.0, 1.0]], [[0.5, 0.5]]", "1.25"
)
CategoricalHinge = _named(
    "CategoricalHinge",
    "categorical_hinge",
    categorical_hinge,
    "margins between classes",
    "[[0.0, 1.0]], [[0.25, 0.5]]",
    "0.75",
)
CosineSimilarity = _named(
    "CosineSimilarity",
    "cosine_similarity",
    _more_losses.cosines,
    "cosines of angles",
    "[[0.0, 1.0]], [[0.0, 4.0]]",
    "1.0",
    ("axis",),
)
BinaryCrossentropy = _named(
    "BinaryCrossentropy",
    "binary_crossentropy",
    binary_crossentropy,
    "cross-entropies of truth values",
    "[[1.0]], [[0.5]]",
    "0.6931",
    ("from_logits", "label_smoothing"),
)
CategoricalCrossentropy = _named(
    "CategoricalCrossentropy",
    "categorical_crossentropy",
    categorical_crossentropy,
    "cross-entropies of probabilities",
    "[[0.0, 1.0]], [[0.5, 0.5]]",
    "0.6931",
    ("from_logits", "label_smoothing", "axis"),
)
SparseCategoricalCrossentropy = _named(
    "SparseCategoricalCrossentropy",
    "sparse_categorical_crossentropy",
    sparse_categorical_crossentropy,
    "cross-entropies of class numbers",
    "[1], [[0.5, 0.5]]",
    "0.6931",
    ("from_logits", "ignore_class", "axis"),
)
PearsonCorrelation = _named(
    "PearsonCorrelation",
    "pearson_correlation",
    pearson_correlation,
    "correlations",
    "[[0.0, 1.0]], [[1.0, 3.0]]",
    "1.0",
    ("axis",),
)
ConcordanceCorrelation = _named(
    "ConcordanceCorrelation",
    "concordance_correlation",
    concordance_correlation,
    "concordances",
    "[[0.0, 2.0]], [[0.0, 2.0]]",
    "1.0",
    ("axis",),
)
TopKCategoricalAccuracy = _named(
    "TopKCategoricalAccuracy",
    "top_k_categorical_accuracy",
    top_k_categorical_accuracy,
    "right classes among the greatest predictions",
    "[[0, 0, 1]], [[0.1, 0.9, 0.8]]",
    "1.0",
    ("k",),
    True,
)
SparseTopKCategoricalAccuracy = _named(
    "SparseTopKCategoricalAccuracy",
    "sparse_top_k_categorical_accuracy",
    sparse_top_k_categorical_accuracy,
    "right classes among the greatest predictions",
    "[2], [[0.1, 0.9, 0.8]]",
    "1.0",
    ("k", "from_sorted_ids"),
    True,
)

_KNOWN: dict[str, Callable[[], Metric]] = {
    "auc": AUC,
    "root_mean_squared_error": RootMeanSquaredError,
    "mse": MeanSquaredError,
    "mae": MeanAbsoluteError,
    "mape": MeanAbsolutePercentageError,
    "msle": MeanSquaredLogarithmicError,
    "binary_accuracy": BinaryAccuracy,
    "categorical_accuracy": CategoricalAccuracy,
    "sparse_categorical_accuracy": SparseCategoricalAccuracy,
    "mean_squared_error": MeanSquaredError,
    "mean_absolute_error": MeanAbsoluteError,
    "mean_absolute_percentage_error": MeanAbsolutePercentageError,
    "mean_squared_logarithmic_error": MeanSquaredLogarithmicError,
    "logcosh": LogCoshError,
    "poisson": Poisson,
    "kl_divergence": KLDivergence,
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "categorical_hinge": CategoricalHinge,
    "cosine_similarity": CosineSimilarity,
    "binary_crossentropy": BinaryCrossentropy,
    "categorical_crossentropy": CategoricalCrossentropy,
    "sparse_categorical_crossentropy": SparseCategoricalCrossentropy,
    "pearson_correlation": PearsonCorrelation,
    "concordance_correlation": ConcordanceCorrelation,
    "top_k_categorical_accuracy": TopKCategoricalAccuracy,
    "sparse_top_k_categorical_accuracy": SparseTopKCategoricalAccuracy,
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
    if isinstance(identifier, str) and isinstance(globals().get(identifier), type):
        found: Metric = globals()[identifier]()
        return found
    if callable(identifier):
        return MeanMetricWrapper(identifier)
    raise ValueError(f"there is no metric {identifier!r}; those with names are {', '.join(_KNOWN)}")


def serialize(metric: Any) -> str:
    """Names a metric of this module.

    Args:
      metric: function, or metric with its usual arguments.

    Returns:
      Name.

    Raises:
      ValueError: the metric is another one.

    Example:
      >>> gw.keras.metrics.serialize(gw.keras.metrics.Mean())
      'Mean'
    """
    name = getattr(metric, "__name__", type(metric).__name__)
    given = getattr(metric, "_given", None)
    if name not in __all__ or (given is not None and (given.args or given.kwargs)):
        raise ValueError(f"`{metric}` is no metric with a name")
    return str(name)


deserialize = get
