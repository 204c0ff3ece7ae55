"""Einstein's sums: each axis has a letter, and where the letters stand says what is multiplied and added."""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import Tensor


def einsum(equation: str, *inputs: Any, name: str | None = None) -> Tensor:
    """Evaluates an Einstein summation.

    `"ij,jk->ik"` multiplies matrices, `"ii->"` is a trace, `"...ij->...ji"` turns matrices. Without `->` the
    result has the letters that stand once, by the alphabet. Two inputs at a time are one product of matrices.

    Args:
      equation: letters for the axes of each input and of the result, such as `"ij,jk->ik"`.
      inputs: one tensor of numbers for each group of letters.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with the axes behind `->`; letters that are not there are summed over.

    Raises:
      ValueError: If the letters do not fit the inputs.

    Example:
      >>> gw.einsum("ij,j->i", gw.constant([[1.0, 2.0], [3.0, 4.0]]), gw.constant([1.0, 1.0]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([3., 7.], dtype=float32)>
    """
    del name
    return _native.einsum(equation, inputs)
