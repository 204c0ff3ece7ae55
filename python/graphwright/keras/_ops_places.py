"""Functions of `keras.ops` that make tensors, move elements, call functions and join rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._arrays import meshgrid
from .._arrays import unstack as _unstack
from .._native import Tensor
from .._tensorflow import bits, choices, control, moves, segments


def array(x: Any, dtype: Any = None) -> Tensor:
    """Makes a tensor.

    Args:
      x: number, nested sequence, array or tensor.
      dtype: dtype of the result; that of `x` if it is `None`.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.ops.array([1, 2]).numpy().tolist()
      [1, 2]
    """
    found = _native.convert_to_tensor(x)
    return found if dtype is None else _native.cast(found, dtype)


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Tensor:
    """Makes a tensor.

    Args:
      x: number, nested sequence, array or tensor.
      dtype: dtype of the result; that of `x` if it is `None`.
      sparse: `None` or `False`.
      ragged: `None` or `False`.

    Returns:
      Tensor.

    Raises:
      ValueError: a sparse or ragged tensor is asked for.

    Example:
      >>> gw.keras.ops.convert_to_tensor([1, 2]).numpy().tolist()
      [1, 2]
    """
    if sparse or ragged:
        raise ValueError("`sparse=True` and `ragged=True` are absent: use `gw.SparseTensor` or `gw.ragged`")
    return array(x, dtype)


def convert_to_numpy(x: Any) -> Any:
    """Makes an array of NumPy's.

    Args:
      x: tensor with values, or anything that `convert_to_tensor` takes.

    Returns:
      Array.

    Example:
      >>> gw.keras.ops.convert_to_numpy([1, 2]).tolist()
      [1, 2]
    """
    return _native.convert_to_tensor(x).numpy()


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Counts from a number up to another one.

    Args:
      start: first number, or the number behind the last where `stop` is `None`.
      stop: number behind the last.
      step: distance of two numbers; 1 if it is `None`.
      dtype: dtype of the result.

    Returns:
      Vector.

    Example:
      >>> gw.keras.ops.arange(1, 6, 2).numpy().tolist()
      [1, 3, 5]
    """
    first, last = (0, start) if stop is None else (start, stop)
    found = _native.range(first, last, 1 if step is None else step)
    return found if dtype is None else _native.cast(found, dtype)


def shape(x: Any) -> tuple[Any, ...]:
    """Gives the lengths of the axes.

    Args:
      x: tensor.

    Returns:
      Tuple of numbers, with tensors where the graph alone knows the length.

    Example:
      >>> gw.keras.ops.shape(gw.ones([2, 3]))
      (2, 3)
    """
    value = _native.convert_to_tensor(x)
    return tuple(n if n is not None else _native.shape(value)[at] for at, n in enumerate(value.shape))


def dtype(x: Any) -> str:
    """Names the dtype of a tensor.

    Args:
      x: tensor.

    Returns:
      Name.

    Example:
      >>> gw.keras.ops.dtype(gw.ones([2]))
      'float32'
    """
    return str(_native.convert_to_tensor(x).dtype.name)


def erf(x: Any) -> Tensor:
    """Computes the error function.

    Args:
      x: tensor of floats.

    Returns:
      Tensor of the same shape and dtype.

    Example:
      >>> gw.keras.ops.erf(gw.constant([0.0])).numpy().tolist()
      [0.0]
    """
    return _native.erf(x)


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Tensor:
    """Makes rows of zeros, with a one at each number.

    Args:
      x: tensor of whole numbers.
      num_classes: length of the rows.
      axis: place of the new axis.
      dtype: dtype of the result; `float32` if it is `None`.
      sparse: `False`.

    Returns:
      Tensor with one axis more.

    Example:
      >>> gw.keras.ops.one_hot(gw.constant([1, 0]), 2).numpy().tolist()
      [[0.0, 1.0], [1.0, 0.0]]
    """
    if sparse:
        raise ValueError("`sparse=True` is absent: rows are dense")
    return choices.one_hot(x, num_classes, axis=axis, dtype=dtype or _native.float32)


def multi_hot(
    inputs: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Tensor:
    """Makes rows of zeros, with ones at the numbers along an axis.

    Args:
      inputs: tensor of whole numbers.
      num_classes: length of the rows.
      axis: axis of the numbers, counted as of the result.
      dtype: dtype of the result; `float32` if it is `None`.
      sparse: `False`.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.ops.multi_hot(gw.constant([[0, 2]]), 3).numpy().tolist()
      [[1.0, 0.0, 1.0]]
    """
    x = _native.convert_to_tensor(inputs)
    rows = one_hot(x, num_classes, axis, dtype, sparse)
    return _native.reduce_max(rows, 1 if x.ndim > 1 else 0)


def slice(inputs: Any, start_indices: Any, shape: Any) -> Tensor:
    """Takes a block out of a tensor.

    Args:
      inputs: tensor.
      start_indices: place of the block along each axis.
      shape: lengths of the block.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.ops.slice(gw.constant([1, 2, 3]), [1], [2]).numpy().tolist()
      [2, 3]
    """
    return moves.slice(inputs, start_indices, shape)


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Tensor:
    """Puts a block into a tensor.

    Args:
      inputs: tensor.
      start_indices: place of the block along each axis.
      updates: the block.

    Returns:
      Tensor of the shape of `inputs`.

    Example:
      >>> gw.keras.ops.slice_update(gw.constant([1, 2, 3]), [1], [7]).numpy().tolist()
      [1, 7, 3]
    """
    found = _native.convert_to_tensor(inputs)
    block = _native.cast(_native.convert_to_tensor(updates), found.dtype)
    starts = _native.convert_to_tensor(start_indices)
    places = [
        _native.range(length) + _native.cast(starts[at], _native.int32)
        for at, length in enumerate(shape(block))
    ]
    grid = _native.stack(meshgrid(*places, indexing="ij"), -1) if len(places) > 1 else places[0][:, None]
    return _native.tensor_scatter_nd_update(found, grid, block)


def scatter(indices: Any, values: Any, shape: Any) -> Tensor:
    """Adds values at places of zeros.

    Args:
      indices: tensor of places, along the last axis.
      values: tensor of the values.
      shape: lengths of the result.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.ops.scatter([[0], [2]], [1.0, 2.0], [3]).numpy().tolist()
      [1.0, 0.0, 2.0]
    """
    return moves.scatter_nd(indices, values, shape)


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Tensor:
    """Stores, adds or compares values at places.

    Args:
      inputs: tensor.
      indices: tensor of places, along the last axis.
      updates: tensor of values.
      reduction: `None` to store, or `"add"`, `"max"` or `"min"`.

    Returns:
      Tensor of the shape of `inputs`.

    Raises:
      ValueError: `reduction` is another one.

    Example:
      >>> gw.keras.ops.scatter_update(gw.constant([1, 2, 3]), [[1]], [7]).numpy().tolist()
      [1, 7, 3]
    """
    kinds = {
        None: _native.tensor_scatter_nd_update,
        "add": _native.tensor_scatter_nd_add,
        "max": _native.tensor_scatter_nd_max,
        "min": _native.tensor_scatter_nd_min,
    }
    if reduction not in kinds:
        raise ValueError(f"`reduction` is {reduction!r}: it is None, 'add', 'max' or 'min'")
    value = _native.convert_to_tensor(inputs)
    return kinds[reduction](value, indices, _native.cast(_native.convert_to_tensor(updates), value.dtype))


def view(x: Any, dtype: Any = None) -> Tensor:
    """Reads the bits of a tensor as another dtype.

    Args:
      x: tensor.
      dtype: the dtype; that of `x` if it is `None`.

    Returns:
      Tensor.

    Example:
      >>> gw.keras.ops.view(gw.constant([1.0]), "int32").numpy().tolist()
      [1065353216]
    """
    value = _native.convert_to_tensor(x)
    return value if dtype is None else bits.bitcast(value, _native.as_dtype(dtype))


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: int | None = None) -> Any:
    """Calls a function as long as a condition holds.

    Args:
      cond: function of the values that gives a bool.
      body: function of the values that gives the next ones.
      loop_vars: tuple of values, or one value.
      maximum_iterations: number of calls at most.

    Returns:
      The last values.

    Example:
      >>> int(gw.keras.ops.while_loop(lambda i: i < 5, lambda i: i + 1, gw.constant(0)))
      5
    """
    is_many = isinstance(loop_vars, (list, tuple))
    found = control.while_loop(
        cond, body, loop_vars if is_many else (loop_vars,), maximum_iterations=maximum_iterations
    )
    return tuple(found) if is_many else found[0] if isinstance(found, (list, tuple)) else found


def fori_loop(lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
    """Calls a function for each number of a range.

    Args:
      lower: first number.
      upper: number behind the last.
      body_fun: function of the number and the value that gives the next value.
      init_val: first value.

    Returns:
      The last value.

    Example:
      >>> int(gw.keras.ops.fori_loop(0, 4, lambda i, x: x + i, gw.constant(0)))
      6
    """
    value = init_val
    for at in _native.range(lower, upper):
        value = body_fun(at, value)
    return value


def map(f: Callable[..., Any], xs: Any) -> Any:
    """Calls a function with each row.

    Args:
      f: function of a row.
      xs: tensor.

    Returns:
      Tensor of the results.

    Example:
      >>> gw.keras.ops.map(lambda x: x + 1, gw.constant([1, 2])).numpy().tolist()
      [2, 3]
    """
    return control.map_fn(f, xs)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Calls one of several functions.

    Args:
      index: number of the function; numbers out of range are those of the ends.
      branches: list of functions.
      operands: operands of the function.

    Returns:
      The result of the function.

    Example:
      >>> int(gw.keras.ops.switch(1, [lambda x: x, lambda x: x * 2], gw.constant(3)))
      6
    """
    at = _native.clip_by_value(_native.convert_to_tensor(index), 0, len(branches) - 1)
    return control.switch_case(at, [lambda one=one: one(*operands) for one in branches])


def unstack(x: Any, num: int | None = None, axis: int = 0) -> list[Tensor]:
    """Takes a tensor apart along an axis.

    Args:
      x: tensor.
      num: length of the axis, which is known.
      axis: the axis.

    Returns:
      List of tensors without the axis.

    Example:
      >>> [int(one) for one in gw.keras.ops.unstack(gw.constant([1, 2]))]
      [1, 2]
    """
    return _unstack(x, num, axis)


def _segments(data: Any, ids: Any, count: Any, compute: Callable[..., Any]) -> Any:
    numbers = _native.convert_to_tensor(ids)
    total = _native.reduce_max(numbers) + 1 if count is None else count
    return compute(data, numbers, total)


def segment_sum(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Tensor:
    """Adds rows with the same number.

    Args:
      data: tensor of rows.
      segment_ids: number of each row.
      num_segments: number of results; one more than the greatest if it is `None`.
      sorted: accepted as in Keras; has no effect.

    Returns:
      Tensor with a row for each number.

    Example:
      >>> gw.keras.ops.segment_sum(gw.constant([1.0, 2.0, 5.0]), gw.constant([0, 0, 1])).numpy().tolist()
      [3.0, 5.0]
    """
    del sorted
    return _segments(data, segment_ids, num_segments, segments.unsorted_segment_sum)  # type: ignore[no-any-return]


def segment_max(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Tensor:
    """Takes the greatest of rows with the same number.

    Args:
      data: tensor of rows.
      segment_ids: number of each row.
      num_segments: number of results; one more than the greatest if it is `None`.
      sorted: accepted as in Keras; has no effect.

    Returns:
      Tensor with a row for each number.

    Example:
      >>> gw.keras.ops.segment_max(gw.constant([1.0, 2.0, 5.0]), gw.constant([0, 0, 1])).numpy().tolist()
      [2.0, 5.0]
    """
    del sorted
    return _segments(data, segment_ids, num_segments, segments.unsorted_segment_max)  # type: ignore[no-any-return]


def segment_min(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Tensor:
    """Takes the least of rows with the same number.

    Args:
      data: tensor of rows.
      segment_ids: number of each row.
      num_segments: number of results; one more than the greatest if it is `None`.
      sorted: accepted as in Keras; has no effect.

    Returns:
      Tensor with a row for each number.

    Example:
      >>> gw.keras.ops.segment_min(gw.constant([1.0, 2.0, 5.0]), gw.constant([0, 0, 1])).numpy().tolist()
      [1.0, 5.0]
    """
    del sorted
    return _segments(data, segment_ids, num_segments, segments.unsorted_segment_min)  # type: ignore[no-any-return]


def segment_prod(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Tensor:
    """Multiplies rows with the same number.

    Args:
      data: tensor of rows.
      segment_ids: number of each row.
      num_segments: number of results; one more than the greatest if it is `None`.
      sorted: accepted as in Keras; has no effect.

    Returns:
      Tensor with a row for each number.

    Example:
      >>> gw.keras.ops.segment_prod(gw.constant([3.0, 2.0, 5.0]), gw.constant([0, 0, 1])).numpy().tolist()
      [6.0, 5.0]
    """
    del sorted
    return _segments(data, segment_ids, num_segments, segments.unsorted_segment_prod)  # type: ignore[no-any-return]
