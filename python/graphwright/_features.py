"""Choices of TensorFlow's users about conversion: optional features, and options of loops."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from . import _native


class Feature(enum.Enum):
    """TensorFlow's optional features of conversion. Here all are always on: naming one changes nothing.

    Example:
      >>> gw.autograph.experimental.Feature.LISTS.name
      'LISTS'
    """

    #: All of them.
    ALL = "ALL"
    #: Effects happen in the order of the program.
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    #: `assert` checks when the graph runs.
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    #: `len`, `range`, `min` and their like take tensors.
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    #: `==` and `!=` compare the elements of tensors.
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    #: Lists hold tensors.
    LISTS = "LISTS"
    #: The graph knows the names of functions.
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Returns every feature.

        Returns:
          Tuple of features.

        Example:
          >>> len(gw.autograph.experimental.Feature.all()) > 0
          True
        """
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Sequence[Feature]) -> tuple[Feature, ...]:
        """Returns every feature but some.

        Args:
          exclude: feature, or list of features.

        Returns:
          Tuple of features.

        Example:
          >>> Feature = gw.autograph.experimental.Feature
          >>> Feature.LISTS in Feature.all_but([Feature.LISTS])
          False
        """
        without = exclude if isinstance(exclude, Sequence) else (exclude,)
        return tuple(feature for feature in cls if feature not in without and feature is not cls.ALL)


def check(features: Feature | Sequence[Feature] | None) -> None:
    """Raises `TypeError` for anything but a feature, several, or `None`."""
    for feature in features if isinstance(features, Sequence) else (features,):
        if feature is not None and not isinstance(feature, Feature):
            raise TypeError(f"{feature!r} is not a `gw.autograph.experimental.Feature`")


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: int | None = None,
    shape_invariants: Sequence[tuple[Any, Any]] | None = None,
    *,
    checkpoint: str | None = None,
) -> None:
    """Sets options of the loop in whose body it is called, if that loop runs in the graph.

    Args:
      parallel_iterations: accepted, without effect: iterations run one after the other.
      swap_memory: accepted, without effect.
      maximum_iterations: the loop ends after this many iterations.
      checkpoint: what is kept for derivatives: of each turn what they need ("all", which is meant by `None`),
        or what segments of the loop begin with ("sqrt"): of N turns about √(2N), each of which runs again.
        With "log" segments are in segments, three levels deep: about four times the fourth root of 24 N, for
        three more runs of each turn.
      shape_invariants: accepted, without effect: lengths that change between iterations are found.

    Returns:
      Nothing.

    Example:
      >>> @gw.function
      ... def f(n):
      ...     x = 1
      ...     for _ in gw.range(n):
      ...         gw.autograph.experimental.set_loop_options(maximum_iterations=3)
      ...         x *= 2
      ...     return x
      >>> f(gw.constant(10))
      <gw.Tensor: shape=(), dtype=int64, numpy=8>
    """
    if maximum_iterations is not None:
        _native.set_maximum_iterations(maximum_iterations)
    if checkpoint is not None:
        _native.set_checkpoint(checkpoint)
