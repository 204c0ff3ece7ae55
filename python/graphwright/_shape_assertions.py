"""Assertions of the shapes of several tensors, with letters for lengths."""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import Tensor
from ._type_assertions import _judge_rank


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises an error unless tensors have given shapes, in which a letter stands for one length everywhere.

    Args:
      shapes: list of pairs of a tensor and a shape, or a dict: lengths, letters, and `None` for any length.
      data: accepted as in TensorFlow; has no effect.
      summarize: accepted as in TensorFlow; has no effect.
      message: text of the error.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      ValueError: a shape differs.
      InvalidArgumentError: a length differs that is known when the graph runs.

    Example:
      >>> gw.debugging.assert_shapes([(gw.ones([2, 3]), ("n", 3)), (gw.ones([4]), ("n",))])
      Traceback (most recent call last):
          ...
      ValueError: a tensor of shape (4,) must have the length n = 2 along axis 0
    """
    del data, summarize, name
    known: dict[Any, Any] = {}
    for x, shape in list(shapes.items() if isinstance(shapes, dict) else shapes):
        tensor = _native.convert_to_tensor(x)
        wanted = [shape] if isinstance(shape, (int, str)) else list(shape)
        _judge_rank(tensor, tensor.ndim == len(wanted), f"must have rank {len(wanted)}", message)
        for axis, letter in enumerate(wanted):
            _judge_length(tensor, axis, letter, known, message)


def _judge_length(tensor: Tensor, axis: int, letter: Any, known: dict[Any, Any], message: str | None) -> None:
    """One length: a number, or a letter that has had one before or gets this one."""
    if letter is None or letter == ".":
        return
    own: Any = tensor.shape[axis]
    own = _native.shape(tensor)[axis] if own is None else own
    wanted: Any = letter if isinstance(letter, int) else known.setdefault(letter, own)
    head = f"{message}\n" if message else ""
    said = "" if isinstance(letter, int) else f"{letter} = "
    if isinstance(own, int) and isinstance(wanted, int):
        if own != wanted:
            text = f"must have the length {said}{wanted} along axis {axis}"
            raise ValueError(f"{head}a tensor of shape {tuple(tensor.shape)} {text}")
        return
    text = f"{head}a tensor must have the length {said}"
    _native.require(_native.equal(own, wanted), (text, wanted, f" along axis {axis}, and has ", own))
