"""The name under which programs written for TFF find `graph_computation`; TensorFlow is not imported."""

from __future__ import annotations

from .. import _federated

computation = _federated.graph_computation

__all__ = ["computation"]
