"""TensorFlow's functions of control flow: branches, loops, maps, folds and scans, eagerly and in graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _native, nest
from .._function import function
from .._ragged import RaggedTensor
from ..autograph import to_graph
from . import _statements

__all__ = ["case", "cond", "foldl", "foldr", "map_fn", "scan", "switch_case", "while_loop"]


@functools.cache
def _staged(statement: Callable[..., Any]) -> Callable[..., Any]:
    return to_graph(statement)


def _called(fn: Any, name: str) -> Callable[..., Any]:
    if not callable(fn):
        raise TypeError(f"`{name}` is a function, not a `{type(fn).__name__}`")
    found: Callable[..., Any] = fn
    return found


def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Calls one of two functions without arguments.

    Args:
      pred: `bool` scalar, or a Python truth value.
      true_fn: function that is called where it holds.
      false_fn: function that is called where it does not; both give the same structure.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The result of the function.

    Raises:
      TypeError: an argument is no function.

    Example:
      >>> x = gw.constant(3)
      >>> gw.cond(x > 2, lambda: x * 2, lambda: x)
      <gw.Tensor: shape=(), dtype=int32, numpy=6>
    """
    del name
    return _staged(_statements.branch)(pred, _called(true_fn, "true_fn"), _called(false_fn, "false_fn"))


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first condition that holds.

    Args:
      pred_fn_pairs: list of pairs of a `bool` scalar and a function without arguments.
      default: function that is called where no condition holds; without it the last pair's is.
      exclusive: whether more than one condition that holds is an error.
      strict: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The result of the function.

    Raises:
      InvalidArgumentError: `exclusive`, and several conditions hold; no `default`, and none holds.

    Example:
      >>> x = gw.constant(5)
      >>> gw.case([(x < 3, lambda: x), (x < 9, lambda: x * 10)], default=lambda: x - 1)
      <gw.Tensor: shape=(), dtype=int32, numpy=50>
    """
    del strict, name
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs)
    if not pairs:
        raise ValueError("`pred_fn_pairs` is empty: give a pair of a condition and a function")
    conditions = [_native.convert_to_tensor(pred) for pred, _ in pairs]
    true = _native.reduce_sum(_native.cast(_native.stack(conditions), _native.int32))
    if exclusive:
        _native.require(true <= 1, ("more than one condition of `gw.case` holds",))
    if default is None:
        _native.require(true >= 1, ("no condition of `gw.case` holds, and there is no `default`",))
        default = pairs.pop()[1]
    call = _called(default, "default")
    for pred, fn in reversed(pairs):
        call = functools.partial(cond, pred, _called(fn, "a function of `pred_fn_pairs`"), call)
    return call()


def switch_case(
    branch_index: Any,
    branch_fns: Mapping[int, Callable[[], Any]] | Sequence[Any],
    default: Callable[[], Any] | None = None,
    name: str = "switch_case",
) -> Any:
    """Calls the function of a number.

    Args:
      branch_index: `int32` scalar.
      branch_fns: list of functions without arguments, list of pairs of a number and a function, or a dict.
      default: function of all other numbers; without it that of the greatest number.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The result of the function.

    Example:
      >>> gw.switch_case(gw.constant(1), [lambda: gw.constant(10), lambda: gw.constant(20)])
      <gw.Tensor: shape=(), dtype=int32, numpy=20>
    """
    del name
    if isinstance(branch_fns, Mapping):
        pairs = list(branch_fns.items())
    else:
        pairs = [one if isinstance(one, tuple) else (at, one) for at, one in enumerate(branch_fns)]
    if not pairs:
        raise ValueError("`branch_fns` is empty: give a function")
    pairs.sort(key=lambda pair: pair[0])
    call = _called(pairs.pop()[1] if default is None else default, "default")
    for number, fn in reversed(pairs):
        is_it = _native.equal(branch_index, number)
        call = functools.partial(cond, is_it, _called(fn, "a function of `branch_fns`"), call)
    return call()


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls a function again and again for as long as a condition holds.

    Args:
      cond: function of the loop variables that gives a `bool` scalar.
      body: function of the loop variables that gives their next values.
      loop_vars: list or tuple of tensors or structures.
      shape_invariants: accepted as in TensorFlow; lengths may vary by themselves.
      parallel_iterations: accepted as in TensorFlow; has no effect.
      back_prop: accepted as in TensorFlow; has no effect.
      swap_memory: accepted as in TensorFlow; has no effect.
      maximum_iterations: the most iterations; `None` for no bound.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The loop variables after the last iteration, in the structure of `loop_vars`.

    Raises:
      ValueError: the body gives more or fewer values.

    Example:
      >>> i, total = gw.while_loop(
      ...     lambda i, total: i < 5, lambda i, total: (i + 1, total + i), (gw.constant(0), gw.constant(0))
      ... )
      >>> int(total)
      10
    """
    del shape_invariants, parallel_iterations, back_prop, swap_memory, name
    is_sequence = isinstance(loop_vars, (list, tuple))
    values = tuple(nest.map_structure(_tensor, one) for one in (loop_vars if is_sequence else [loop_vars]))
    found = _staged(_statements.loop)(
        _called(cond, "cond"), _called(body, "body"), values, maximum_iterations
    )
    if not is_sequence:
        return found[0]
    if isinstance(loop_vars, list):
        return list(found)
    return type(loop_vars)(*found) if hasattr(loop_vars, "_fields") else found


def _tensor(value: Any) -> Any:
    is_value = isinstance(value, (_native.Tensor, _native.TensorArray))
    return value if is_value else _native.convert_to_tensor(value)


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Calls a function with each slice along the first axis and stacks its results.

    Args:
      fn: function of a slice, or of a structure of slices.
      elems: tensor, or a structure of tensors of one first length.
      dtype: as `fn_output_signature`, the older name.
      parallel_iterations: accepted as in TensorFlow; has no effect.
      back_prop: accepted as in TensorFlow; has no effect.
      swap_memory: accepted as in TensorFlow; has no effect.
      infer_shape: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.
      fn_output_signature: dtype or `gw.TensorSpec` of results, or a structure of them.

    Returns:
      Tensor, or a structure of tensors, with the first axis of `elems`.

    Raises:
      InvalidArgumentError: a result has another dtype than the signature.

    Example:
      >>> gw.map_fn(lambda row: gw.reduce_sum(row), gw.constant([[1, 2], [3, 4]]))
      <gw.Tensor: shape=(2,), dtype=int32, numpy=array([3, 7], dtype=int32)>
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape, name
    values, count = _sliced(elems)
    found = (
        _empty(fn, values)
        if isinstance(count, int) and count == 0
        else _staged(_statements.mapped)(_called(fn, "fn"), values, count)
    )
    return _as_said(found, dtype if fn_output_signature is None else fn_output_signature)


def _is_ragged(elems: Any) -> bool:
    """True of a structure with a ragged tensor in it."""
    if isinstance(elems, Mapping):
        return any(map(_is_ragged, elems.values()))
    return isinstance(elems, RaggedTensor) or (
        isinstance(elems, (list, tuple)) and any(map(_is_ragged, elems))
    )


def _sliced(elems: Any) -> tuple[Any, Any]:
    """Tensors and the length of their first axis."""
    if _is_ragged(elems):
        raise _native.diagnosed(
            "GW301",
            "`elems` holds a ragged tensor, whose rows differ in length, and slices of one length are mapped",
            "fill the rows up, `elems.to_tensor()`, or call the function with each row of `elems.to_list()`",
        )
    values = nest.map_structure(_native.convert_to_tensor, elems)
    leaves = nest.flatten(values)
    if not leaves:
        raise ValueError("`elems` holds no tensor")
    if any(leaf.ndim == 0 for leaf in leaves):
        raise ValueError("`elems` holds a scalar, which has no slices")
    known = {leaf.shape[0] for leaf in leaves} - {None}
    if len(known) > 1:
        raise ValueError(f"the tensors of `elems` have the lengths {sorted(known)}; one length is needed")
    return values, known.pop() if known else _native.shape(leaves[0])[0]


def _spec(leaf: Any) -> Any:
    return _native.TensorSpec(leaf.shape, leaf.dtype)


def _specs(values: Any) -> Any:
    return nest.map_structure(lambda leaf: _native.TensorSpec(leaf.shape[1:], leaf.dtype), values)


def _empty(fn: Callable[..., Any], values: Any, *more: Any) -> Any:
    """No results, in the shapes and dtypes that the function gives."""
    structure = function(fn).get_concrete_function(*more, _specs(values)).structured_outputs
    return nest.map_structure(lambda spec: _native.zeros([0, *_known(spec.shape)], spec.dtype), structure)


def _known(shape: Any) -> list[int]:
    return [0 if length is None else length for length in shape]


def _as_said(found: Any, signature: Any) -> Any:
    if signature is None:
        return found
    leaves, said = nest.flatten(found), nest.flatten(signature)
    for leaf, spec in zip(leaves, said, strict=True):
        dtype = _native.as_dtype(getattr(spec, "dtype", spec))
        if leaf.dtype != dtype:
            raise _native.InvalidArgumentError(
                f"`fn` gives {leaf.dtype.name}, and the signature says {dtype.name}: give "
                f"`fn_output_signature=gw.{leaf.dtype.name}`, or `gw.cast` in `fn`"
            )
    return found


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Joins the slices along the first axis into one value, from the first on.

    Args:
      fn: function of the value so far and a slice.
      elems: tensor, or a structure of tensors of one first length.
      initializer: the first value; the first slice if it is `None`.
      parallel_iterations: accepted as in TensorFlow; has no effect.
      back_prop: accepted as in TensorFlow; has no effect.
      swap_memory: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The last value.

    Example:
      >>> gw.foldl(lambda total, x: total * 10 + x, gw.constant([1, 2, 3]))
      <gw.Tensor: shape=(), dtype=int32, numpy=123>
    """
    del parallel_iterations, back_prop, swap_memory, name
    return _over(_statements.folded, fn, elems, initializer, False)


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Joins the slices along the first axis into one value, from the last on.

    Args:
      fn: function of the value so far and a slice.
      elems: tensor, or a structure of tensors of one first length.
      initializer: the first value; the last slice if it is `None`.
      parallel_iterations: accepted as in TensorFlow; has no effect.
      back_prop: accepted as in TensorFlow; has no effect.
      swap_memory: accepted as in TensorFlow; has no effect.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      The last value.

    Example:
      >>> gw.foldr(lambda total, x: total * 10 + x, gw.constant([1, 2, 3]))
      <gw.Tensor: shape=(), dtype=int32, numpy=321>
    """
    del parallel_iterations, back_prop, swap_memory, name
    return _over(_statements.folded, fn, elems, initializer, True)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Joins the slices along the first axis and keeps each value on the way.

    Args:
      fn: function of the value so far and a slice.
      elems: tensor, or a structure of tensors of one first length.
      initializer: the first value, which is not kept; the first slice, which is, if it is `None`.
      parallel_iterations: accepted as in TensorFlow; has no effect.
      back_prop: accepted as in TensorFlow; has no effect.
      swap_memory: accepted as in TensorFlow; has no effect.
      infer_shape: accepted as in TensorFlow; has no effect.
      reverse: whether to go from the last slice to the first.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Tensor, or a structure of tensors, with the first axis of `elems`.

    Example:
      >>> gw.scan(lambda total, x: total + x, gw.constant([1, 2, 3]))
      <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 3, 6], dtype=int32)>
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape, name
    return _over(_statements.scanned, fn, elems, initializer, reverse)


def _over(statement: Callable[..., Any], fn: Any, elems: Any, initializer: Any, reverse: bool) -> Any:
    values, count = _sliced(elems)
    if initializer is not None:
        state, first = nest.map_structure(_native.convert_to_tensor, initializer), 0
        if isinstance(count, int) and count == 0 and statement is _statements.scanned:
            return _empty(fn, values, nest.map_structure(_spec, state))
    elif isinstance(count, int) and count == 0:
        raise ValueError("`elems` has no slices, so `initializer` is needed")
    else:
        state, first = _statements.at(values, count - 1 if reverse else 0), 1
    return _staged(statement)(_called(fn, "fn"), state, values, first, count, reverse)
