"""Processes: computations that make a state, and take it from one round to the next."""

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
