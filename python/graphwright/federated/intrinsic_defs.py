"""The definitions of all intrinsics: uri, template, and the kind of aggregation or broadcast."""

from __future__ import annotations

import enum

from .._native import _federated

IntrinsicDef = _federated.IntrinsicDef


class AggregationKind(enum.Enum):
    """Who sees the clients' values of an aggregation.

    Example: `AGGREGATION_KINDS["federated_sum"] is AggregationKind.DEFAULT`.
    """

    DEFAULT = 1
    SECURE = 2


class BroadcastKind(enum.Enum):
    """Who sees the keys of a selection.

    Example: `BROADCAST_KINDS["federated_broadcast"] is BroadcastKind.DEFAULT`.
    """

    DEFAULT = 1
    SECURE = 2
