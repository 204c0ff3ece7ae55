"""Factories of aggregation processes: sums, means, secure sums, clipping and differential privacy."""

from ..._public import publish as _publish
from ._clipping import clipping_factory
from ._factory import UnweightedAggregationFactory, WeightedAggregationFactory
from ._means import MeanFactory, SumFactory, UnweightedMeanFactory
from ._privacy import DifferentiallyPrivateFactory
from ._secure import SecureSumFactory

__all__ = [
    "DifferentiallyPrivateFactory",
    "MeanFactory",
    "SecureSumFactory",
    "SumFactory",
    "UnweightedAggregationFactory",
    "UnweightedMeanFactory",
    "WeightedAggregationFactory",
    "clipping_factory",
]

_publish(__name__)
