"""Results of `top_k`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ._native import Tensor


class TopK(NamedTuple):
    """The greatest elements along the last axis, from the greatest down, and where they are."""

    values: Tensor
    indices: Tensor
