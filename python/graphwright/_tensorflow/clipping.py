"""TensorFlow's functions that clip tensors, and compute with shapes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import _native
from .._native import Tensor

__all__ = [
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "clip_by_global_norm",
    "clip_by_norm",
    "global_norm",
    "identity_n",
    "parallel_stack",
    "saturate_cast",
    "shape_n",
]


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scales a tensor down to a norm, if its own is greater.

    Args:
      t: tensor of any shape, `float32` or `float64`.
      clip_norm: the greatest norm.
      axes: axes of the norm; all of them if it is `None`.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.clip_by_norm(gw.constant([3.0, 4.0]), 1.0).numpy().round(3).tolist()
      [0.6000000238418579, 0.800000011920929]
    """
    del name
    x = _native.convert_to_tensor(t)
    squares = _native.reduce_sum(_native.square(x), axes, keepdims=True)
    some = squares > 0
    norm = _native.where(
        some, _native.sqrt(_native.where(some, squares, _native.ones_like(squares))), squares
    )
    result: Tensor = x * clip_norm / _native.maximum(norm, clip_norm)
    return result


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """Computes the Euclidean norm of all elements of several tensors.

    Args:
      t_list: list of tensors; `None` counts as nothing.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Scalar.

    Example:
      >>> gw.linalg.global_norm([gw.constant([3.0]), gw.constant([4.0])])
      <gw.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    del name
    parts = [_native.reduce_sum(_native.square(part)) for part in t_list if part is not None]
    if not parts:
        raise ValueError("`t_list` holds no tensor")
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return _native.sqrt(total)


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Scales several tensors down to a common norm, if their own is greater.

    Args:
      t_list: list of tensors; `None` stays.
      clip_norm: the greatest norm.
      use_norm: the norm, if it is known already.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors, and the norm that they had.

    Example:
      >>> clipped, norm = gw.clip_by_global_norm([gw.constant([3.0]), gw.constant([4.0])], 1.0)
      >>> [part.numpy().round(3).tolist() for part in clipped], float(norm)
      ([[0.6000000238418579], [0.800000011920929]], 5.0)
    """
    del name
    norm = global_norm(t_list) if use_norm is None else _native.convert_to_tensor(use_norm)
    # NaN where the norm is infinite, as the tensors would be no numbers either.
    scale = clip_norm * _native.minimum(1.0 / norm, 1.0 / _native.cast(clip_norm, norm.dtype)) + (norm - norm)
    return [None if part is None else part * scale for part in t_list], norm


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Casts numbers to a dtype; those beyond its range become its least or greatest number.

    Args:
      value: tensor of numbers, of any shape.
      dtype: dtype of the result.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor of the same shape.

    Example:
      >>> gw.saturate_cast(gw.constant([-5.0, 300.0]), gw.uint8).numpy().tolist()
      [0, 255]
    """
    del name
    x, wanted = _native.convert_to_tensor(value), _native.as_dtype(dtype)
    if (wanted.is_floating and x.dtype.is_integer) or wanted == x.dtype:
        return _native.cast(x, wanted)
    if x.dtype.is_floating and wanted.is_integer:
        low, high = float(wanted.min), float(wanted.max)
        # The greatest integer may be no float: what is not below it is not cast.
        inside = _native.logical_and(x > low, x < high)
        cast = _native.cast(_native.where(inside, x, _native.zeros_like(x)), wanted)
        ends = _native.where(
            x >= high, _native.constant(wanted.max, wanted), _native.constant(wanted.min, wanted)
        )
        ends = _native.where(_native.is_nan(x), _native.constant(0, wanted), ends)
        return _native.where(inside, cast, ends)
    low, high = max(wanted.min, x.dtype.min), min(wanted.max, x.dtype.max)
    return _native.cast(
        _native.clip_by_value(x, _native.constant(low, x.dtype), _native.constant(high, x.dtype)), wanted
    )


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """Computes the shape that two shapes broadcast to.

    Args:
      shape_x: `gw.TensorShape`, list or tuple.
      shape_y: another one.

    Returns:
      `gw.TensorShape`.

    Raises:
      ValueError: they do not broadcast.

    Example:
      >>> gw.broadcast_static_shape([2, 1], [3]).as_list()
      [2, 3]
    """
    from .._shape import TensorShape

    first, second = list(shape_x), list(shape_y)
    count = max(len(first), len(second))
    pairs = builtins.zip(
        [1] * (count - len(first)) + first, [1] * (count - len(second)) + second, strict=True
    )
    found = []
    for one, other in pairs:
        if 1 not in (one, other) and None not in (one, other) and one != other:
            raise ValueError(f"the shapes {tuple(shape_x)} and {tuple(shape_y)} do not broadcast")
        found.append(other if one == 1 or (one is None and other != 1) else one)
    return TensorShape(found)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Computes the shape that two shapes broadcast to, when the graph runs.

    Args:
      shape_x: `int32` or `int64` tensor of lengths.
      shape_y: another one.

    Returns:
      Tensor of lengths.

    Raises:
      InvalidArgumentError: they do not broadcast.

    Example:
      >>> gw.broadcast_dynamic_shape(gw.constant([2, 1]), gw.constant([3])).numpy().tolist()
      [2, 3]
    """
    first, second = _native.convert_to_tensor(shape_x), _native.convert_to_tensor(shape_y)
    count = max(first.shape[0] or 0, second.shape[0] or 0)
    one, other = (
        _native.concat([_native.ones([count - (x.shape[0] or 0)], x.dtype), x], 0) for x in (first, second)
    )
    fits = _native.logical_or(
        _native.equal(one, other), _native.logical_or(_native.equal(one, 1), _native.equal(other, 1))
    )
    _native.require(_native.reduce_all(fits), ("two shapes do not broadcast: ", first, " and ", second))
    return _native.where(_native.equal(one, 1), other, one)


def shape_n(input: Sequence[Any], out_type: Any = _native.int32, name: str | None = None) -> list[Tensor]:
    """Gives the shapes of several tensors.

    Args:
      input: list of tensors.
      out_type: dtype of the lengths.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors.

    Example:
      >>> [shape.numpy().tolist() for shape in gw.shape_n([gw.ones([2, 3]), gw.ones([4])])]
      [[2, 3], [4]]
    """
    del name
    return [_native.shape(one, out_type) for one in input]


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Gives tensors of their own with the same elements.

    Args:
      input: list of tensors.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors.

    Example:
      >>> [x.numpy().tolist() for x in gw.identity_n([gw.constant(1), gw.constant([2])])]
      [1, [2]]
    """
    del name
    from .._arrays import identity

    return [identity(one) for one in input]


def parallel_stack(values: Sequence[Any], name: str | None = "parallel_stack") -> Tensor:
    """Stacks tensors along a new first axis.

    Args:
      values: list of tensors of one shape and dtype.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor with one axis more.

    Example:
      >>> gw.parallel_stack([gw.constant([1]), gw.constant([2])]).numpy().tolist()
      [[1], [2]]
    """
    del name
    return _native.stack(values, 0)
