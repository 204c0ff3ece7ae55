"""Elements that a mask picks."""

from __future__ import annotations

from typing import Any

from . import _native
from ._arrays import axis_of
from ._function import function
from ._native import Tensor


@function
def boolean_mask(tensor: Any, mask: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """Picks the slices at which a mask is true.

    Args:
      tensor: tensor of any dtype.
      mask: `bool` tensor with the lengths of the axes that it covers, one at least.
      axis: the first axis that the mask covers.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with one axis in place of those that the mask covers; its length is known when the graph runs.

    Raises:
      ValueError: the mask has no axes, or lengths other than those of the axes (GW204).

    Example:
      >>> gw.boolean_mask(gw.constant([1, 2, 3]), [True, False, True]).numpy().tolist()
      [1, 3]
    """
    del name
    tensor, mask = _native.convert_to_tensor(tensor), _native.convert_to_tensor(mask)
    if not mask.ndim:
        raise _native.diagnosed("GW204", "a mask has one axis at least", "use `if` for a single bool")
    picked: Tensor = tensor[(slice(None),) * axis_of(tensor, axis) + (mask,)]
    return picked
