"""Processes: computations that make a state, and take it from one round to the next."""

from ..._public import publish as _publish
from . import errors
from ._aggregation import AggregationProcess
from ._estimation import EstimationProcess
from ._iterative import IterativeProcess
from ._measured import MeasuredProcess, MeasuredProcessOutput

__all__ = [
    "AggregationProcess",
    "EstimationProcess",
    "IterativeProcess",
    "MeasuredProcess",
    "MeasuredProcessOutput",
    "errors",
]

_publish(__name__)
