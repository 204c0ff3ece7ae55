"""Applies a function to each row of its arguments, in one loop of native code."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from . import _native, autograph, debugging
from ._gradients import mapped_leaves, of_tensors


def vmap(
    fun: Callable[..., Any], in_axes: int | Sequence[int | None] | None = 0, out_axes: int = 0
) -> Callable[..., Any]:
    """A function that does the work of `fun` for each row of its arguments, as `jax.vmap`.

    It is one loop of native code: in branches and loops each row decides for itself.

    Args:
      fun: the function of one row.
      in_axes: the axis of the rows in every argument, or in each of them; an argument with `None` is the same
        for all rows. Tuples, lists and dicts of arrays have their rows along one axis.
      out_axes: the axis of the rows in its result.

    Returns:
      Function of stacked arguments that returns stacked results.

    Example:
      >>> gw.vmap(lambda x, y: x * y, in_axes=(0, None))(gw.constant([1.0, 2.0]), 3.0)
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([3., 6.], dtype=float32)>
    """

    def mapped(*args: Any) -> Any:
        axes = (in_axes,) * len(args) if isinstance(in_axes, int) or in_axes is None else tuple(in_axes)
        count = _count(args, axes)
        rows = _every_row if isinstance(count, int) and count > 0 else _any_rows
        first, columns = autograph.to_graph(rows)(fun, args, axes, count)
        stacks = iter(columns)
        return mapped_leaves(lambda _: _with_axis_at(next(stacks), out_axes), first)

    return of_tensors(mapped, fun)


def vectorized_map(
    fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Applies a function to each row of tensors and stacks the results.

    Args:
      fn: function of one row.
      elems: tensor, or structure of tensors of one length.
      fallback_to_while_loop: accepted as in TensorFlow; has no effect.
      warn: accepted as in TensorFlow; has no effect.

    Returns:
      Structure of tensors with one row for each row of `elems`.

    Example:
      >>> gw.vectorized_map(lambda row: gw.reduce_sum(row), gw.constant([[1.0, 2.0], [3.0, 4.0]]))
      <gw.Tensor: shape=(2,), dtype=float32, numpy=array([3., 7.], dtype=float32)>
    """
    del fallback_to_while_loop, warn
    return vmap(fn)(elems)


def _every_row(fun: Callable[..., Any], args: Any, axes: Any, count: Any) -> Any:
    """Result of `fun` for the first row, and the leaves of its results for all rows, stacked."""
    first = fun(*_row(args, axes, 0))
    columns = [[leaf] for leaf in _leaves(first)]
    for at in _native.range(1, count):
        for column, leaf in zip(columns, _leaves(fun(*_row(args, axes, at))), strict=True):
            column.append(leaf)
    return first, [_native.stack(column) for column in columns]


def _any_rows(fun: Callable[..., Any], args: Any, axes: Any, count: Any) -> Any:
    """The same of any number of rows, none among them: `fun` becomes part of the graph and need not run."""
    row, every_row = _RowResult(), autograph.to_graph(_every_row)
    if _native.convert_to_tensor(count) > 0:
        columns = row.note(*every_row(fun, args, axes, count))
    else:
        columns = row.none()
    return row.structure, columns


class _RowResult:
    """The structure that a function gives for one row, and the types of its leaves."""

    def __init__(self) -> None:
        self.structure: Any = None
        self.leaves: list[tuple[tuple[int, ...], Any]] = []

    @autograph.do_not_convert
    def note(self, first: Any, columns: list[Any]) -> tuple[Any, ...]:
        """Takes both from what it gives."""
        self.leaves = [(tuple(length or 0 for length in one.shape[1:]), one.dtype) for one in columns]
        self.structure = mapped_leaves(lambda _: 0, first)
        return tuple(columns)

    @autograph.do_not_convert
    def none(self) -> tuple[Any, ...]:
        """The leaves of no rows, stacked."""
        return tuple(_native.zeros((0, *shape), dtype) for shape, dtype in self.leaves)


def _row(args: Any, axes: Any, at: Any) -> list[Any]:
    def of(arg: Any, axis: int | None) -> Any:
        if axis is None:
            return arg
        return mapped_leaves(lambda leaf: _native.gather(leaf, at, axis=axis), arg)

    return [of(arg, axis) for arg, axis in zip(args, axes, strict=True)]


def _leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    mapped_leaves(found.append, value)
    return found


def _count(args: Sequence[Any], axes: Sequence[int | None]) -> Any:
    """The number of rows that all arguments have; a tensor where it is known only when the graph runs."""
    lengths = [_length(arg, axis) for arg, axis in zip(args, axes, strict=True) if axis is not None]
    known = {length for length in lengths if isinstance(length, int)}
    if len(known) > 1 or not lengths:
        raise ValueError(f"the mapped axes have lengths {sorted(known)}; they must have one")
    count = [*known, *lengths][0]
    for length in lengths:
        if not isinstance(length, int):
            debugging.assert_equal(length, count, "the mapped axes have several lengths; they must have one")
    return count


def _length(arg: Any, axis: int) -> Any:
    lengths = {leaf.shape[axis] for leaf in _leaves(arg)}
    (length, *others) = lengths - {None} or lengths
    if others:
        raise ValueError(f"arrays of one argument have {length} and {others[0]} rows")
    return _native.shape(_leaves(arg)[0])[axis] if length is None else length


def _with_axis_at(stacked: Any, axis: int) -> Any:
    if axis == 0:
        return stacked
    order = list(builtins.range(1, len(stacked.shape)))
    order.insert(axis if axis >= 0 else len(order) + 1 + axis, 0)
    return _native.transpose(stacked, order)
