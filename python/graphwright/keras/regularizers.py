"""Penalties of weights under Keras's names, which models add to their losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native
from .._native import Tensor

__all__ = ["L1", "L1L2", "L2", "Regularizer", "get", "l1", "l1_l2", "l2"]


class Regularizer:
    """Computes a penalty of a weight. One of your own has `__call__`.

    Example:
      >>> class Half(gw.keras.regularizers.Regularizer):
      ...     def __call__(self, x):
      ...         return gw.reduce_sum(x) / 2.0
      >>> layer = gw.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer=Half())
      >>> layer.build((None, 4))
      >>> [float(one) for one in layer.losses]
      [2.0]
    """

    def __call__(self, x: Any) -> Any:
        """The penalty of a weight."""
        raise NotImplementedError


class L1L2(Regularizer):
    """Computes `l1` times the sum of sizes and `l2` times the sum of squares.

    Args:
      l1: factor of the sizes.
      l2: factor of the squares.

    Example:
      >>> float(gw.keras.regularizers.L1L2(1.0, 2.0)(gw.constant([1.0, -2.0])))
      13.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = 0.0 if l1 is None else float(l1), 0.0 if l2 is None else float(l2)

    def __call__(self, x: Any) -> Tensor:
        """The penalty of a weight."""
        x = _native.convert_to_tensor(x)
        total = _native.zeros([], x.dtype)
        if self.l1:
            total = total + self.l1 * _native.reduce_sum(_native.abs(x))
        if self.l2:
            total = total + self.l2 * _native.reduce_sum(x * x)
        return total


class L1(L1L2):
    """Computes `l1` times the sum of sizes.

    Args:
      l1: factor of the sizes.

    Example:
      >>> float(gw.keras.regularizers.L1(0.5)(gw.constant([1.0, -3.0])))
      2.0
    """

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1=l1)


class L2(L1L2):
    """Computes `l2` times the sum of squares.

    Args:
      l2: factor of the squares.

    Example:
      >>> float(gw.keras.regularizers.L2(0.5)(gw.constant([1.0, -3.0])))
      5.0
    """

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(l2=l2)


l1, l2, l1_l2 = L1, L2, L1L2

_KNOWN: dict[str, Callable[[], Regularizer]] = {
    "l1": L1,
    "l2": L2,
    "l1_l2": lambda: L1L2(0.01, 0.01),
    "L1": L1,
    "L2": L2,
    "L1L2": L1L2,
}


def get(identifier: Any) -> Any:
    """Looks up a regularizer.

    Args:
      identifier: name, function of a weight, regularizer, or `None`.

    Returns:
      Regularizer or function; `None` for `None`.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> gw.keras.regularizers.get("l2").l2
      0.01
    """
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, str) and identifier in _KNOWN:
        return _KNOWN[identifier]()
    raise ValueError(f"there is no regularizer {identifier!r}; those with names are {', '.join(_KNOWN)}")
