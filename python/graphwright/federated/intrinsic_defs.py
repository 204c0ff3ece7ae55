"""The definitions of all intrinsics: uri, template, and the kind of aggregation or broadcast."""

from __future__ import annotations

import enum

from .. import _federated

__all__ = [
    "FEDERATED_AGGREGATE",
    "FEDERATED_APPLY",
    "FEDERATED_BROADCAST",
    "FEDERATED_EVAL_AT_CLIENTS",
    "FEDERATED_EVAL_AT_SERVER",
    "FEDERATED_MAP",
    "FEDERATED_MAP_ALL_EQUAL",
    "FEDERATED_MAX",
    "FEDERATED_MEAN",
    "FEDERATED_MIN",
    "FEDERATED_SECURE_SELECT",
    "FEDERATED_SECURE_SUM",
    "FEDERATED_SECURE_SUM_BITWIDTH",
    "FEDERATED_SELECT",
    "FEDERATED_SUM",
    "FEDERATED_VALUE_AT_CLIENTS",
    "FEDERATED_VALUE_AT_SERVER",
    "FEDERATED_WEIGHTED_MEAN",
    "FEDERATED_ZIP_AT_CLIENTS",
    "FEDERATED_ZIP_AT_SERVER",
    "GENERIC_DIVIDE",
    "GENERIC_MULTIPLY",
    "GENERIC_PLUS",
    "GENERIC_ZERO",
    "SEQUENCE_MAP",
    "SEQUENCE_REDUCE",
    "SEQUENCE_SUM",
    "AggregationKind",
    "BroadcastKind",
    "IntrinsicDef",
    "get_aggregation_intrinsics",
    "get_broadcast_intrinsics",
    "uri_to_intrinsic_def",
]

IntrinsicDef = _federated.IntrinsicDef
uri_to_intrinsic_def = _federated.uri_to_intrinsic_def


class AggregationKind(enum.Enum):
    """Who sees the clients' values of an aggregation: the aggregator, or nobody.

    Raises:
      ValueError: there is no such kind.

    Example:
      >>> from graphwright.federated.framework import intrinsic_defs
      >>> intrinsic_defs.FEDERATED_SUM.aggregation_kind.name
      'DEFAULT'
    """

    DEFAULT = 1
    SECURE = 2


class BroadcastKind(enum.Enum):
    """Who sees the keys of a selection: the server, or nobody.

    Raises:
      ValueError: there is no such kind.

    Example:
      >>> from graphwright.federated.framework import intrinsic_defs
      >>> intrinsic_defs.FEDERATED_BROADCAST.broadcast_kind.name
      'DEFAULT'
    """

    DEFAULT = 1
    SECURE = 2


_DEFINITIONS = {definition.name: definition for definition in _federated.intrinsic_definitions()}

FEDERATED_AGGREGATE = _DEFINITIONS["FEDERATED_AGGREGATE"]
FEDERATED_APPLY = _DEFINITIONS["FEDERATED_APPLY"]
FEDERATED_BROADCAST = _DEFINITIONS["FEDERATED_BROADCAST"]
FEDERATED_EVAL_AT_CLIENTS = _DEFINITIONS["FEDERATED_EVAL_AT_CLIENTS"]
FEDERATED_EVAL_AT_SERVER = _DEFINITIONS["FEDERATED_EVAL_AT_SERVER"]
FEDERATED_MAP = _DEFINITIONS["FEDERATED_MAP"]
FEDERATED_MAP_ALL_EQUAL = _DEFINITIONS["FEDERATED_MAP_ALL_EQUAL"]
FEDERATED_MAX = _DEFINITIONS["FEDERATED_MAX"]
FEDERATED_MEAN = _DEFINITIONS["FEDERATED_MEAN"]
FEDERATED_MIN = _DEFINITIONS["FEDERATED_MIN"]
FEDERATED_SECURE_SELECT = _DEFINITIONS["FEDERATED_SECURE_SELECT"]
FEDERATED_SECURE_SUM = _DEFINITIONS["FEDERATED_SECURE_SUM"]
FEDERATED_SECURE_SUM_BITWIDTH = _DEFINITIONS["FEDERATED_SECURE_SUM_BITWIDTH"]
FEDERATED_SELECT = _DEFINITIONS["FEDERATED_SELECT"]
FEDERATED_SUM = _DEFINITIONS["FEDERATED_SUM"]
FEDERATED_VALUE_AT_CLIENTS = _DEFINITIONS["FEDERATED_VALUE_AT_CLIENTS"]
FEDERATED_VALUE_AT_SERVER = _DEFINITIONS["FEDERATED_VALUE_AT_SERVER"]
FEDERATED_WEIGHTED_MEAN = _DEFINITIONS["FEDERATED_WEIGHTED_MEAN"]
FEDERATED_ZIP_AT_CLIENTS = _DEFINITIONS["FEDERATED_ZIP_AT_CLIENTS"]
FEDERATED_ZIP_AT_SERVER = _DEFINITIONS["FEDERATED_ZIP_AT_SERVER"]
GENERIC_DIVIDE = _DEFINITIONS["GENERIC_DIVIDE"]
GENERIC_MULTIPLY = _DEFINITIONS["GENERIC_MULTIPLY"]
GENERIC_PLUS = _DEFINITIONS["GENERIC_PLUS"]
GENERIC_ZERO = _DEFINITIONS["GENERIC_ZERO"]
SEQUENCE_MAP = _DEFINITIONS["SEQUENCE_MAP"]
SEQUENCE_REDUCE = _DEFINITIONS["SEQUENCE_REDUCE"]
SEQUENCE_SUM = _DEFINITIONS["SEQUENCE_SUM"]


def get_aggregation_intrinsics() -> list[IntrinsicDef]:
    """Returns the intrinsics that aggregate.

    Returns:
      List of `IntrinsicDef`.

    Example:
      >>> from graphwright.federated.framework import intrinsic_defs
      >>> intrinsic_defs.FEDERATED_SUM in intrinsic_defs.get_aggregation_intrinsics()
      True
    """
    return [definition for definition in _DEFINITIONS.values() if definition.aggregation_kind]


def get_broadcast_intrinsics() -> list[IntrinsicDef]:
    """Returns the intrinsics that send values of the server to clients.

    Returns:
      List of `IntrinsicDef`.

    Example:
      >>> from graphwright.federated.framework import intrinsic_defs
      >>> intrinsic_defs.FEDERATED_BROADCAST in intrinsic_defs.get_broadcast_intrinsics()
      True
    """
    return [definition for definition in _DEFINITIONS.values() if definition.broadcast_kind]
