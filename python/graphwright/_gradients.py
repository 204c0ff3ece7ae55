"""Derivatives: the tape of TensorFlow, and functions of functions as JAX has them."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _native
from ._function import function

P = ParamSpec("P")
R = TypeVar("R")


class GradientTape(_native.GradientTape):
    """Records the operations of its `with`, so that derivatives can be asked for.

    In a graph that is being built the graph is the record; outside each call is taken down. A tape is
    entered and asked in one place: both in a function of the graph, or both outside.

    Args:
      persistent: whether it can be asked more than once.
      watch_accessed_variables: whether trainable variables are watched as soon as they are read.

    Example:
      >>> with gw.GradientTape() as tape:
      ...     x = gw.constant(3.0)
      ...     tape.watch(x)
      ...     y = x * x
      >>> tape.gradient(y, x)
      <gw.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Suspends recording inside of a `with`.

        Returns:
          Context manager.

        Example:
          >>> x = gw.constant(3.0)
          >>> with gw.GradientTape() as tape:
          ...     tape.watch(x)
          ...     y = x * x
          ...     with tape.stop_recording():
          ...         z = y * 2.0
          >>> print(tape.gradient(z, x))
          None
        """
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

        Args:
          target: tensor of floats.
          sources: tensor, variable, or structure of them.
          unconnected_gradients: `"none"` or `"zero"`: the result where they do not depend on each other.
          parallel_iterations: accepted as in TensorFlow; has no effect.
          experimental_use_pfor: accepted as in TensorFlow; has no effect.

        Returns:
          Tensors with the axes of the target, then those of the source.

        Example:
          >>> x = gw.constant([1.0, 2.0])
          >>> with gw.GradientTape(persistent=True) as tape:
          ...     tape.watch(x)
          ...     y = x * x
          >>> tape.jacobian(y, x).numpy().tolist()
          [[2.0, 0.0], [0.0, 4.0]]
        """
        del parallel_iterations, experimental_use_pfor
        shape = tuple(target.shape)
        if None in shape:
            raise _native.diagnosed(
                "GW204",
                "the tensor whose Jacobian is asked for has a length that the graph knows only when it runs",
                "give it a known one, `gw.ensure_shape(y, [n])`, or take `tape.jacobian` outside of a graph",
            )
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

        Args:
          target: tensor `(batch, …)`.
          source: tensor `(batch, …)`.
          unconnected_gradients: `"none"` or `"zero"`: the result where they do not depend on each other.
          parallel_iterations: accepted as in TensorFlow; has no effect.
          experimental_use_pfor: accepted as in TensorFlow; has no effect.

        Returns:
          Tensor `(batch, *target axes, *source axes)`.

        Example:
          >>> x = gw.constant([[1.0, 2.0]])
          >>> with gw.GradientTape(persistent=True) as tape:
          ...     tape.watch(x)
          ...     y = x * x
          >>> tape.batch_jacobian(y, x).numpy().tolist()
          [[[2.0, 0.0], [0.0, 4.0]]]
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
    """A function that gives the result of `fun` and its derivatives by the arguments `argnums`.

    It is one graph, made as `gw.function` makes it. `fun` gives one number, or with `has_aux` a pair of that
    and something else. The derivatives have the structure of the argument: arrays and variables, or tuples,
    lists, dicts and dataclasses of them. The names are those of `jax.value_and_grad`.

    Args:
      fun: function that returns one number, or a pair with `has_aux`.
      argnums: number of the argument to derive by, or several.
      has_aux: whether `fun` returns a pair whose second part has no derivative.

    Returns:
      Function that returns the value and the derivatives.

    Example:
      >>> value, slope = gw.value_and_grad(lambda x: x ** 3)(2.0)
      >>> float(value), float(slope)
      (8.0, 12.0)
    """

    def both(*args: Any, **kwargs: Any) -> Any:
        wanted = _chosen(args, argnums)
        with GradientTape() as tape:
            tape.watch(wanted)
            result = _native.operators.conv(fun)(*args, **kwargs)
            target = result[0] if has_aux else result
        _judge_number(target)
        return result, tape.gradient(target, wanted, unconnected_gradients="zero")

    return of_tensors(both, fun, argnums)


def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the derivatives of `fun` by the arguments `argnums`, as `jax.grad`.

    With `has_aux`, `fun` gives a pair and so does the function: the derivatives, and the second result.

    Args:
      fun: function that returns one number, or a pair of it and other values with `has_aux`.
      argnums: number of the argument to derive by, or several.
      has_aux: whether `fun` returns a pair whose second part has no derivative.

    Returns:
      Function with the arguments of `fun` that returns derivatives in the shapes of the arguments.

    Raises:
      TypeError: `fun` returns no single float.

    Example:
      >>> gw.grad(lambda x: x ** 3)(2.0)
      <gw.Tensor: shape=(), dtype=float32, numpy=12.0>
    """
    both = value_and_grad(fun, argnums, has_aux)

    def derivatives(*args: Any, **kwargs: Any) -> Any:
        result, found = both(*args, **kwargs)
        return (found, result[1]) if has_aux else found

    return _named(derivatives, fun)


def vjp(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The result of `fun`, and the function from a cotangent of it to those of the arguments, as `jax.vjp`.

    The cotangent has the structure of the result of `fun`.

    Args:
      fun: function of tensors.
      primals: arguments.

    Returns:
      Pair of the value and a function from a cotangent to those of the arguments (reverse mode).

    Example:
      >>> value, pull = gw.vjp(lambda x: x ** 2, 3.0)
      >>> [float(part) for part in pull(1.0)]
      [6.0]
    """

    def back(primals: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
        with GradientTape() as tape:
            tape.watch(primals)
            result = _native.operators.conv(fun)(*primals)
        found: tuple[Any, ...] = tape.gradient(result, primals, cotangent, "zero")
        return found

    way_back = of_tensors(back, fun)
    primals = tuple(_floats(primal) for primal in primals)
    # `fun` may store into its arguments, each time that it runs.
    before = mapped_leaves(_held, primals)
    return function(fun)(*primals), lambda cotangent: way_back(mapped_leaves(_held, before), cotangent)


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The result of `fun`, and its change when the arguments change by the tangents, as `jax.jvp`.

    The way back is linear in the cotangent: its derivative by that is the way forth.

    Args:
      fun: function of tensors.
      primals: tuple of arguments.
      tangents: tuple of directions, in the shapes of the arguments.

    Returns:
      Pair of the value and its change in that direction (forward mode).

    Example:
      >>> [float(part) for part in gw.jvp(lambda x: x ** 2, (3.0,), (1.0,))]
      [9.0, 6.0]
    """

    def both(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        with GradientTape() as along:
            with GradientTape() as tape:
                tape.watch(primals)
                result = _native.operators.conv(fun)(*primals)
            cotangent = mapped_leaves(_native.zeros_like, result)
            along.watch(cotangent)
            flows = tape.gradient(result, primals, cotangent, "zero")
        return result, along.gradient(flows, cotangent, tangents, "zero")

    transformed = of_tensors(both, fun)
    found: tuple[Any, Any] = transformed(tuple(map(_floats, primals)), tuple(map(_floats, tangents)))
    return found


def jacobian(fun: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """A function that gives the derivatives of each element of the result of `fun`, as `jax.jacrev`.

    Each has the shape of the result followed by that of the argument.

    Args:
      fun: function that returns a tensor of floats.
      argnums: number of the argument to derive by, or several.

    Returns:
      Function whose result has the axes of the value, then those of the argument.

    Example:
      >>> gw.jacobian(lambda x: x ** 2)(gw.constant([1.0, 2.0])).numpy().tolist()
      [[2.0, 0.0], [0.0, 4.0]]
    """

    def derivatives(*args: Any, **kwargs: Any) -> Any:
        wanted = _chosen(args, argnums)
        with GradientTape(persistent=True) as tape:
            tape.watch(wanted)
            result = _native.operators.conv(fun)(*args, **kwargs)
        return tape.jacobian(result, wanted, "zero")

    return of_tensors(derivatives, fun, argnums)


def hessian(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """Returns a function that computes the matrix of second derivatives, as `jax.hessian`.

    Args:
      fun: function that returns one number.
      argnums: number of the argument to derive by, or several.

    Returns:
      Function whose result has the axes of the argument twice.

    Example:
      >>> gw.hessian(lambda x: gw.reduce_sum(x ** 3))(gw.constant([1.0, 2.0])).numpy().tolist()
      [[6.0, 0.0], [0.0, 12.0]]
    """
    return jacobian(grad(fun, argnums), argnums)


def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]:
    """A function that says its own derivative.

    `f` returns its result and a function. That takes the cotangents of the result, one tensor for each
    tensor of the result, and returns those of the arguments: one gradient for each tensor of them,
    `None` where there is none. It may use values that `f` has computed, and has a derivative of its own, if
    one asks for the second.

    If `f` reads trainable variables, the gradient function takes `variables=`, the list of them, and returns
    a pair: the gradients of the arguments, and a list of those of the variables. Nothing flows back to
    tensors from around `f` that are not arguments.

    In a graph the gradient function is called as soon as `f` was, to become part of the graph.

    Args:
      f: function of tensors that returns its result and a function `grad(*upstream)`, which returns the
        gradient of each argument.

    Returns:
      Function whose derivative is the result of `grad`.

    Example:
      >>> @gw.custom_gradient
      ... def clipped(x):
      ...     return x, lambda upstream: gw.clip_by_value(upstream, -1.0, 1.0)
      >>> gw.grad(lambda x: 10.0 * clipped(x))(3.0)
      <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
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

    Args:
      f: function of tensors.

    Returns:
      Function with the same results, whose backward pass computes `f` again and keeps less memory.

    Example:
      >>> gw.grad(gw.recompute_grad(lambda x: x * x))(3.0)
      <gw.Tensor: shape=(), dtype=float32, numpy=6.0>
    """
    graph = function(f)

    @functools.wraps(f)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if _native.executing_eagerly():
            return graph(*args, **kwargs)
        result: R = _native.recomputed(f, args, kwargs)
        return result

    return call


def of_tensors(
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
    return mapped_leaves(lambda leaf: _native.constant(leaf) if isinstance(leaf, float) else leaf, value)


def _held(leaf: Any) -> Any:
    """A tensor of its own with the elements that an array holds now; a variable or number itself."""
    is_array = isinstance(leaf, (_native.Tensor, np.ndarray))
    return _native.convert_to_tensor(leaf) if is_array else leaf


def mapped_leaves(change: Callable[[Any], Any], value: Any) -> Any:
    """A structure with its leaves changed."""
    return _joined([value], lambda leaves: change(leaves[0]))


def _chosen(args: Sequence[Any], argnums: int | Sequence[int]) -> Any:
    return args[argnums] if isinstance(argnums, int) else tuple(args[at] for at in argnums)


def _judge_number(target: Any) -> None:
    shape = getattr(target, "shape", None)
    if shape is not None and len(shape) == 0 and target.dtype.is_floating:
        return
    if shape is not None and len(shape) != 0:
        found = f"a tensor of shape {shape}: sum it, or ask for `gw.jacobian` or `gw.vjp`"
    elif shape is not None or isinstance(target, int):
        kind = type(target).__name__ if shape is None else target.dtype.name
        found = f"`{kind}`, which has no derivative: compute with floats, such as `3.0` for `3`"
    else:
        found = f"a `{type(target).__name__}`"
    raise TypeError(f"a derivative is that of one number; the function gives {found}")
