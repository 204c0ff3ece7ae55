"""Derivatives: the tape of TensorFlow, and functions of functions as JAX has them."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _native, autograph, debugging
from ._function import function

P = ParamSpec("P")
R = TypeVar("R")


class GradientTape(_native.GradientTape):
    """Takes down what is done in its `with`, so that derivatives can be asked for.

    In a graph that is being built the graph is the record; outside each call is taken down. A tape is
    entered and asked in one place: both in a function of the graph, or both outside.

    Args:
      persistent: whether it can be asked more than once.
      watch_accessed_variables: whether trainable variables are watched as soon as they are read.
    """

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Takes nothing down in a `with` of its own."""
        self._pause()
        try:
            yield
        finally:
            self._resume()

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: str = "none",
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of the target by the sources.

        Each has the shape of the target followed by that of its source. The tape must be persistent, unless
        the target has just one element.
        """
        del parallel_iterations, experimental_use_pfor
        shape = tuple(target.shape)
        seeds = list(_one_at_a_time(target.dtype, shape))
        # Without elements one row tells which sources the target depends on, and is left out.
        rows = [self.gradient(target, sources, seed, unconnected_gradients) for seed in seeds or [target]]

        def join(parts: list[Any]) -> Any:
            stacked = _native.stack(parts)
            return _native.reshape(stacked if seeds else stacked[:0], (*shape, *parts[0].shape))

        return _joined(rows, join)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: str = "none",
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each row of the target by the same row of the source.

        Its shape is `[batch, …target, …source]`. Each row of the target depends on its own row of the source
        alone. The tape must be persistent.
        """
        del parallel_iterations, experimental_use_pfor
        batch, *shape = target.shape
        ones = _one_at_a_time(target.dtype, tuple(shape))
        seeds = [_native.broadcast_to(one, (batch, *shape)) for one in ones]
        rows = [self.gradient(target, source, seed, unconnected_gradients) for seed in seeds or [target]]
        if rows[0] is None:
            return None
        own = tuple(source.shape)[1:]
        stacked = _native.stack(rows, axis=1)
        return _native.reshape(stacked if seeds else stacked[:, :0], (batch, *shape, *own))


def _one_at_a_time(dtype: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """Tensors of this type and shape with a 1 in one place, for each place in turn."""
    count = 1
    for length in shape:
        count *= length
    for at in builtins.range(count):
        row = _native.one_hot(at, count, dtype=dtype)
        yield _native.reshape(row, shape)


def _joined(rows: Sequence[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Structures of one kind as one structure of what their leaves are joined to; `None` stays."""
    first = rows[0]
    if first is None:
        return None
    if isinstance(first, dict):
        return {key: _joined([row[key] for row in rows], join) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(_joined(list(parts), join) for parts in zip(*rows, strict=True)))
    if isinstance(first, (list, tuple)):
        return type(first)(_joined(list(parts), join) for parts in zip(*rows, strict=True))
    return join(list(rows))


def value_and_grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives what `fun` gives and its derivatives by the arguments `argnums`.

    It is one graph, made as `gw.function` makes it. `fun` gives one number, or with `has_aux` a pair of that
    and something else. The derivatives have the structure of the argument: arrays and variables, or tuples,
    lists, dicts and dataclasses of them. The names are those of `jax.value_and_grad`.
    """

    def both(*args: Any, **kwargs: Any) -> Any:
        wanted = _chosen(args, argnums)
        with GradientTape() as tape:
            tape.watch(wanted)
            result = _native.operators.conv(fun)(*args, **kwargs)
            target = result[0] if has_aux else result
        _judge_number(target)
        return result, tape.gradient(target, wanted, unconnected_gradients="zero")

    return _of_tensors(both, fun, argnums)


def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the derivatives of `fun` by the arguments `argnums`, as `jax.grad`.

    With `has_aux`, `fun` gives a pair and so does the function: the derivatives, and what came second.
    """
    both = value_and_grad(fun, argnums, has_aux)

    def derivatives(*args: Any, **kwargs: Any) -> Any:
        result, found = both(*args, **kwargs)
        return (found, result[1]) if has_aux else found

    return _named(derivatives, fun)


def vjp(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """What `fun` gives, and the function from a cotangent of that to those of the arguments, as `jax.vjp`.

    The cotangent has the structure of what `fun` gives.
    """

    def back(primals: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
        with GradientTape() as tape:
            tape.watch(primals)
            result = _native.operators.conv(fun)(*primals)
        found: tuple[Any, ...] = tape.gradient(result, primals, cotangent, "zero")
        return found

    way_back = _of_tensors(back, fun)
    primals = tuple(_floats(primal) for primal in primals)
    # `fun` may store into its arguments, each time that it runs.
    before = _mapped(_held, primals)
    return function(fun)(*primals), lambda cotangent: way_back(_mapped(_held, before), cotangent)


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """What `fun` gives, and how much that changes when the arguments change by the tangents, as `jax.jvp`.

    The way back is linear in the cotangent: its derivative by that is the way forth.
    """

    def both(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        with GradientTape() as along:
            with GradientTape() as tape:
                tape.watch(primals)
                result = _native.operators.conv(fun)(*primals)
            cotangent = _mapped(_native.zeros_like, result)
            along.watch(cotangent)
            flows = tape.gradient(result, primals, cotangent, "zero")
        return result, along.gradient(flows, cotangent, tangents, "zero")

    of_tensors = _of_tensors(both, fun)
    found: tuple[Any, Any] = of_tensors(tuple(map(_floats, primals)), tuple(map(_floats, tangents)))
    return found


def jacobian(fun: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """A function that gives the derivatives of each element of what `fun` gives, as `jax.jacrev`.

    Each has the shape of the result followed by that of the argument.
    """

    def derivatives(*args: Any, **kwargs: Any) -> Any:
        wanted = _chosen(args, argnums)
        with GradientTape(persistent=True) as tape:
            tape.watch(wanted)
            result = _native.operators.conv(fun)(*args, **kwargs)
        return tape.jacobian(result, wanted, "zero")

    return _of_tensors(derivatives, fun, argnums)


def hessian(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives of `fun`, which gives one number, as `jax.hessian`."""
    return jacobian(grad(fun, argnums), argnums)


def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]:
    """A function that says its own derivative.

    `f` returns its result and a function. That takes what flows back to the result, one tensor for each
    tensor of the result, and returns what flows back to the arguments: one gradient for each tensor of them,
    `None` where there is none. It may use what `f` has computed, and has a derivative of its own, if one asks
    for the second.

    If `f` reads trainable variables, the gradient function takes `variables=`, the list of them, and returns
    a pair: the gradients of the arguments, and a list of those of the variables. Nothing flows back to
    tensors from around `f` that are not arguments.

    In a graph the gradient function is called as soon as `f` was, to become part of the graph.
    """

    @functools.wraps(f)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        result: R = _native.own_way(f, args, kwargs)
        return result

    return call


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """A function of which the way back keeps the arguments alone: it is computed again there.

    So the memory is that of one call at a time, for one more run of `f`. `f` is a function of the graph of
    its own, outside of graphs one made as `gw.function` makes it. The name is TensorFlow's.
    """
    graph = function(f)

    @functools.wraps(f)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if _native.executing_eagerly():
            return graph(*args, **kwargs)
        result: R = _native.recomputed(f, args, kwargs)
        return result

    return call


def _of_tensors(
    transformed: Callable[..., Any], fun: Callable[..., Any], argnums: int | Sequence[int] = ()
) -> Callable[..., Any]:
    """A graph function. Python's floats among these arguments are tensors: by them something is derived."""
    graph = function(_named(transformed, fun), autograph=False)
    chosen = {argnums} if isinstance(argnums, int) else set(argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        own = {at % len(args) for at in chosen} if args else set()
        given = (_floats(arg) if at in own else arg for at, arg in enumerate(args))
        return graph(*given, **kwargs)

    return _named(call, fun)


def _named(made: Callable[..., Any], fun: Callable[..., Any]) -> Callable[..., Any]:
    made.__name__ = getattr(fun, "__name__", "function")
    made.__doc__ = fun.__doc__
    return made


def _floats(value: Any) -> Any:
    return _mapped(lambda leaf: _native.constant(leaf) if isinstance(leaf, float) else leaf, value)


def _held(leaf: Any) -> Any:
    """A tensor of its own with the elements that an array holds now; a variable or number itself."""
    is_array = isinstance(leaf, (_native.Tensor, np.ndarray))
    return _native.convert_to_tensor(leaf) if is_array else leaf


def _mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """A structure with its leaves changed."""
    return _joined([value], lambda leaves: change(leaves[0]))


def _chosen(args: Sequence[Any], argnums: int | Sequence[int]) -> Any:
    return args[argnums] if isinstance(argnums, int) else tuple(args[at] for at in argnums)


def _judge_number(target: Any) -> None:
    shape = getattr(target, "shape", None)
    if shape is None or len(shape) != 0 or not target.dtype.is_floating:
        found = f"a tensor of shape {shape}" if shape is not None else f"a `{type(target).__name__}`"
        raise TypeError(
            f"a derivative is that of one number; the function gives {found}: "
            "sum it, or ask for `gw.jacobian` or `gw.vjp`"
        )


def vmap(
    fun: Callable[..., Any], in_axes: int | Sequence[int | None] | None = 0, out_axes: int = 0
) -> Callable[..., Any]:
    """A function that does for each row of its arguments what `fun` does for one, as `jax.vmap`.

    It is one loop of native code: what branches and loops decide, each row decides for itself.

    Args:
      fun: the function of one row.
      in_axes: the axis of the rows in every argument, or in each of them; an argument with `None` is the same
        for all rows. Tuples, lists and dicts of arrays have their rows along one axis.
      out_axes: the axis of the rows in what it gives.
    """

    def mapped(*args: Any) -> Any:
        axes = (in_axes,) * len(args) if isinstance(in_axes, int) or in_axes is None else tuple(in_axes)
        count = _count(args, axes)
        rows = _every_row if isinstance(count, int) and count > 0 else _any_rows
        first, columns = autograph.to_graph(rows)(fun, args, axes, count)
        stacks = iter(columns)
        return _mapped(lambda _: _with_axis_at(next(stacks), out_axes), first)

    return _of_tensors(mapped, fun)


def vectorized_map(
    fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """What `fn` gives for each row of `elems`, a tensor or a structure of tensors, stacked."""
    del fallback_to_while_loop, warn
    return vmap(fn)(elems)


def _every_row(fun: Callable[..., Any], args: Any, axes: Any, count: Any) -> Any:
    """What `fun` gives for the first row, and the leaves of what it gives for each row, stacked."""
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
        self.structure = _mapped(lambda _: 0, first)
        return tuple(columns)

    @autograph.do_not_convert
    def none(self) -> tuple[Any, ...]:
        """The leaves of no rows, stacked."""
        return tuple(_native.zeros((0, *shape), dtype) for shape, dtype in self.leaves)


def _row(args: Any, axes: Any, at: Any) -> list[Any]:
    def of(arg: Any, axis: int | None) -> Any:
        if axis is None:
            return arg
        return _mapped(lambda leaf: _native.gather(leaf, at, axis=axis), arg)

    return [of(arg, axis) for arg, axis in zip(args, axes, strict=True)]


def _leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    _mapped(found.append, value)
    return found


def _count(args: Sequence[Any], axes: Sequence[int | None]) -> Any:
    """The number of rows that all arguments have; a tensor where it is known only when the graph runs."""
    lengths = [_length(arg, axis) for arg, axis in zip(args, axes, strict=True) if axis is not None]
    known = {length for length in lengths if isinstance(length, int)}
    if len(known) > 1 or not lengths:
        raise ValueError(f"the mapped axes have lengths {sorted(known)}; they must have one")
    (count, *_) = [*known, *lengths]
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
