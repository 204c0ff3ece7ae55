"""`gw.IndexedSlices`: rows of a tensor that is not there as a whole."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _native


@dataclasses.dataclass(eq=False)
class IndexedSlices:
    """Holds some rows of a tensor with their numbers; all other rows are zeros.

    Args:
      values: tensor `(n, …)` of rows.
      indices: `n` row numbers, `int32` or `int64`.
      dense_shape: shape of the whole tensor, if it is known.

    Example:
      >>> slices = gw.IndexedSlices(gw.constant([[1.0, 2.0]]), gw.constant([3]))
      >>> slices.values.shape, slices.indices.numpy().tolist()
      ((1, 2), [3])
    """

    values: _native.Tensor
    indices: _native.Tensor
    dense_shape: _native.Tensor | None = None

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = _native.convert_to_tensor(values)
        self.indices = _native.convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else _native.convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> _native.DType:
        """The element type of the rows."""
        return self.values.dtype
