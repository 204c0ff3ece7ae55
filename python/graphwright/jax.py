"""JAX: where its tracers decide, `if`, `while` and `for` are `lax.cond`, `lax.while_loop` and `lax.scan`.

Importing this module registers the backend. `convert` converts a function, which `jax.jit`, `jax.grad` and
`jax.vmap` then take as any other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, tree_util
from jax.extend.core import jaxpr_as_fun

from ._jax_functions import FUNCTIONS, Range
from ._public import publish as _publish
from .autograph import Backend, Possible, Refusal, State, register_backend, to_graph

__all__ = ["JaxBackend", "convert"]

#: Converts the control flow of a function, for `jax.jit`, `jax.grad` and `jax.vmap` to take.
convert = to_graph

NUMBERS = (bool, int, float, complex)
ABSENT = object()


class Type(NamedTuple):
    """Facts of JAX's about an array; `weak` is a Python number, which adapts to the array that it meets."""

    shape: tuple[int, ...]
    dtype: Any
    weak: bool = False

    def joined(self, other: Type) -> Type | None:
        """The type of what has either type, if none but Python numbers have to adapt."""
        if self.shape != other.shape:
            return None
        if self.dtype == other.dtype:
            return self if other.weak else other
        if self.weak and other.weak:
            return Type(self.shape, jnp.promote_types(self.dtype, other.dtype), True)
        number, array = (self, other) if self.weak else (other, self)
        fits = jnp.result_type(array.dtype, number.dtype.type(0).item()) == array.dtype
        return array if number.weak and array.dtype != bool and fits else None


def is_array(leaf: Any) -> bool:
    """True if JAX computes with it."""
    if isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.dtype.kind not in "OSUMmT"
    return isinstance(leaf, (*NUMBERS, jax.Array))


def type_of(leaf: Any) -> Any:
    """The type of an array; anything else as it is."""
    known = jax.typeof(leaf) if is_array(leaf) else None
    return leaf if known is None else Type(known.shape, known.dtype, known.weak_type)


def cast(leaf: Any, to: Type) -> Any:
    """An array with the element type of `to`; one that stays weak is multiplied, which keeps it so."""
    array = jnp.zeros(to.shape, to.dtype) if leaf is ABSENT else jnp.asarray(leaf)
    if to.weak and array.dtype != to.dtype:
        return array * to.dtype.type(1).item()
    return array if to.weak else lax.convert_element_type(array, to.dtype)


@dataclass(frozen=True)
class Variable:
    """A variable's value taken apart, if it has one. Its *form* has types in the place of arrays."""

    tree: Any = None
    leaves: tuple[Any, ...] = ()
    possible: bool = False

    @classmethod
    def of(cls, value: Any) -> Variable:
        """Takes a value apart."""
        if State.is_unbound(value):
            return cls()
        leaves, tree = tree_util.tree_flatten(value.value if isinstance(value, Possible) else value)
        return cls(tree, tuple(leaves), isinstance(value, Possible))

    @property
    def form(self) -> Variable:
        """Facts about it that are known while a branch or body is traced."""
        return replace(self, leaves=tuple(map(type_of, self.leaves)))

    @property
    def types(self) -> list[Type]:
        """The types in a form."""
        return [leaf for leaf in self.leaves if isinstance(leaf, Type)]

    def filled(self, arrays: Iterator[Any]) -> Variable:
        """A form with the next of these arrays for each type."""
        leaves = (next(arrays) if isinstance(leaf, Type) else leaf for leaf in self.leaves)
        return replace(self, leaves=tuple(leaves))

    def value(self, unbound: Any) -> Any:
        """Put together again."""
        value = unbound if self.tree is None else tree_util.tree_unflatten(self.tree, self.leaves)
        return Possible(value) if self.possible else value


class Paths(NamedTuple):
    """Names of two paths that leave different things in a variable; codes for types and objects."""

    first: str
    second: str
    help: str
    codes: tuple[str, str]

    def join(self, name: str, a: Variable, b: Variable) -> Variable:
        """The form of what is `a` or `b`."""
        if a.tree is None or b.tree is None:
            known = b if a.tree is None else a
            return replace(known.form, possible=known.tree is not None)
        if a.tree != b.tree:
            raise self.differ(name, a.form.value(None), b.form.value(None))
        leaves = (self.leaf(name, x, y) for x, y in zip(a.leaves, b.leaves, strict=True))
        return Variable(a.tree, tuple(leaves), a.possible or b.possible)

    def leaf(self, name: str, a: Any, b: Any) -> Any:
        """The type of what is `a` or `b`, or the object that both are."""
        if a is b or (type(a) in NUMBERS and type(a) is type(b) and repr(a) == repr(b)):
            return a
        a, b = type_of(a), type_of(b)
        joined = a.joined(b) if isinstance(a, Type) and isinstance(b, Type) else None
        if joined is None:
            raise self.differ(name, a, b)
        return joined

    def differ(self, name: str, a: Any, b: Any) -> Refusal:
        """The diagnostic that describes both."""
        code = self.codes[not (isinstance(a, Type) and isinstance(b, Type))]
        name = name if " " in name else f"`{name}`"
        message = f"{name} is {described(a)} {self.first} and {described(b)} {self.second}"
        return Refusal(message, f"give it one dtype, shape and structure {self.help}", code)


def described(value: Any) -> str:
    """A type, or what kind of object it is."""
    value = value.value if isinstance(value, Possible) else value
    if isinstance(value, Type):
        return f"`{value.dtype}[{','.join(map(str, value.shape))}]`"
    kind = f"a `{type(value).__name__}`" if value is not None else "`None`"
    return f"{kind} of {len(value)}" if isinstance(value, (tuple, list, dict)) else kind


BRANCHES = Paths("after one branch", "after the other", "in both branches", ("GW101", "GW103"))
ITERATIONS = Paths("before an iteration", "after it", "before the loop and in it", ("GW102", "GW104"))


class Traced:
    """A branch or body, run once: a jaxpr, and what it leaves in the variables."""

    def __init__(self, step: Callable[..., Iterable[Any]], types: Sequence[Type] = ()) -> None:
        def run(*arrays: Any) -> list[Any]:
            self.after = [Variable.of(value) for value in step(*arrays)]
            return [leaf for variable in self.after for leaf in variable.leaves if is_array(leaf)]

        given = [jax.ShapeDtypeStruct(t.shape, t.dtype, weak_type=t.weak) for t in types]
        self.jaxpr = jax.make_jaxpr(run)(*given)

    def __call__(self, forms: Sequence[Variable], arrays: Sequence[Any] = (), *item: Any) -> list[Any]:
        """The arrays that it leaves, fitted to these forms."""
        results = iter(jaxpr_as_fun(self.jaxpr)(*arrays, *item))
        return fit([variable.form.filled(results) for variable in self.after], forms)


def fit(variables: Sequence[Variable], forms: Sequence[Variable]) -> list[Any]:
    """The arrays of variables, cast to the types of these forms; zeros for those without a value."""
    arrays = []
    for variable, form in zip(variables, forms, strict=True):
        leaves = variable.leaves if variable.tree else [ABSENT] * len(form.leaves)
        pairs = zip(leaves, form.leaves, strict=True)
        arrays += [cast(leaf, to) for leaf, to in pairs if isinstance(to, Type)]
    return arrays


def values(forms: Sequence[Variable], arrays: Iterator[Any], unbound: Any) -> list[Any]:
    """The values of these forms that hold the arrays."""
    return [form.filled(arrays).value(unbound) for form in forms]


def choose(test: Any, names: Sequence[str], branches: Sequence[Callable[[], Any]], unbound: Any) -> list[Any]:
    """The values that one of two branches gives."""
    sides = [Traced(branch) for branch in branches]
    columns = zip(names, *(side.after for side in sides), strict=True)
    forms = [BRANCHES.join(*column) for column in columns]
    return values(forms, iter(lax.cond(truth(test), *(functools.partial(s, forms) for s in sides))), unbound)


def truth(value: Any) -> Any:
    """The truth of a value, as JAX's bool."""
    array = jnp.asarray(value if is_array(value) else bool(value))
    if array.shape:
        message = f"a condition must be one element, but this is {described(type_of(array))}"
        raise Refusal(message, "say what is meant with `jnp.any` or `jnp.all`", "GW202")
    return array.astype(bool)


class Loop:
    """Carries of a loop: values of its own, and the variables; `step` gives the next of the former."""

    def __init__(self, state: State, own: Sequence[Any], step: Callable[..., Any], *item: Type) -> None:
        self.state, self.own = state, len(own)
        before = [Variable.of(value) for value in (*own, *state.get())]
        self.forms = [variable.form for variable in before]
        names = [*["the loop's own"] * self.own, *state.names]

        def run(*arrays: Any) -> Iterable[Any]:
            rest = iter(arrays)
            threaded = values(self.forms, rest, state.unbound)
            state.set(threaded[self.own :])
            return [*step(*threaded[: self.own], *rest), *state.get()]

        settled = None
        while settled != (settled := [(form.types, form.possible) for form in self.forms]):
            body = Traced(run, [*(type for form in self.forms for type in form.types), *item])
            columns = zip(names, self.forms, body.after, strict=True)
            self.forms = [ITERATIONS.join(*column) for column in columns]
        self.start = fit(before, self.forms)
        self.turn = functools.partial(body, self.forms)
        self.doubts = [variable.possible for variable in body.after]

    def end(self, arrays: Sequence[Any], sure: bool = False) -> None:
        """Sets the variables; after a loop that surely ran, what its body surely binds is bound."""
        pairs = zip(self.forms, self.doubts, strict=True)
        forms = [replace(form, possible=form.possible and (doubt or not sure)) for form, doubt in pairs]
        self.state.set(values(forms, iter(arrays), self.state.unbound)[self.own :])


def always() -> bool:
    """The test of a loop that nothing stops."""
    return True


class JaxBackend(Backend):
    """Stages control flow that depends on JAX's tracers into a jaxpr.

    Example:
      >>> import jax, graphwright.jax
      >>> def size(x):
      ...     return x if x > 0 else -x
      >>> float(jax.jit(gw.autograph.to_graph(size))(-3.0))
      3.0
    """

    packages = ("jax", "jaxlib")

    def if_stmt(self, test: Any, body: Any, orelse: Any, state: State) -> None:
        """`lax.cond`.

        Args:
          test: traced array of one bool.
          body: function of the branch where the test holds.
          orelse: function of the other branch.
          state: `gw.autograph.State` of the variables that the statement may give values to.

        Returns:
          Nothing.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def size(x):
          ...     if x > 0:
          ...         y = x
          ...     else:
          ...         y = -x
          ...     return y
          >>> float(jax.jit(gw.autograph.to_graph(size))(-3.0))
          3.0
        """
        before = state.get()

        def after(block: Any) -> Any:
            state.set(before)
            block()
            return state.get()

        sides = [functools.partial(after, block) for block in (body, orelse)]
        state.set(choose(test, state.names, sides, state.unbound))

    def if_exp(self, test: Any, body: Any, orelse: Any) -> Any:
        """`lax.cond`.

        Args:
          test: traced array of one bool.
          body: function of the value where the test holds.
          orelse: function of the other value.

        Returns:
          Traced array.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def size(x):
          ...     return x if x > 0 else -x
          >>> float(jax.jit(gw.autograph.to_graph(size))(-3.0))
          3.0
        """
        return choose(test, ["the result"], [lambda: [body()], lambda: [orelse()]], None)[0]

    def not_(self, operand: Any) -> Any:
        """`jnp.logical_not`.

        Args:
          operand: traced array of one element.

        Returns:
          Traced array of one bool.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def is_zero(x):
          ...     return not x
          >>> bool(jax.jit(gw.autograph.to_graph(is_zero))(0))
          True
        """
        return ~truth(operand)

    def contains(self, item: Any, container: Any) -> Any:
        """`jnp.any` of the comparisons.

        Args:
          item: value to look for.
          container: traced array.

        Returns:
          Traced array of one bool.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def has(rows, x):
          ...     return x in rows
          >>> bool(jax.jit(gw.autograph.to_graph(has))(jnp.arange(3), 2))
          True
        """
        return jnp.any(container == item)

    def call(self, function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A row of `FUNCTIONS`: JAX's function in the place of Python's or NumPy's.

        Args:
          function: the called function.
          args: arguments by position.
          kwargs: arguments by name.

        Returns:
          Result of the call.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def largest(x, y):
          ...     return max(x, y)
          >>> int(jax.jit(gw.autograph.to_graph(largest))(2, 5))
          5
        """
        return FUNCTIONS.get(function, function)(*args, **kwargs)

    def while_stmt(self, go: Any, test: Any, body: Any, state: State) -> None:
        """`lax.while_loop`.

        Args:
          go: result of the first test.
          test: function of the test.
          body: function of the body.
          state: `gw.autograph.State` of the variables that the statement may give values to.

        Returns:
          Nothing.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def halvings(n):
          ...     count = 0
          ...     while n > 1:
          ...         n, count = n // 2, count + 1
          ...     return count
          >>> int(jax.jit(gw.autograph.to_graph(halvings))(40))
          5
        """

        def step(_: Any) -> Any:
            body()
            return [truth(test())]

        loop = Loop(state, [truth(go)], step)
        loop.end(lax.while_loop(lambda arrays: arrays[0], loop.turn, loop.start))

    def for_stmt(self, iterable: Any, extra_test: Any, body: Any, state: State) -> None:
        """`lax.scan` over the rows of an array, `lax.while_loop` over a range.

        Args:
          iterable: traced array, or a range with a traced bound.
          extra_test: function that tells before each item whether to go on, or `None`.
          body: function of the item.
          state: `gw.autograph.State` of the variables that the statement may give values to.

        Returns:
          Nothing.

        Example:
          >>> import jax, jax.numpy as jnp
          >>> def total(rows):
          ...     found = 0
          ...     for row in rows:
          ...         found = found + row
          ...     return found
          >>> int(jax.jit(gw.autograph.to_graph(total))(jnp.arange(5)))
          10
        """
        more = extra_test or always
        go = more()
        if isinstance(iterable, Range):
            self._count(iterable, go, more, body, state)
        elif not iterable.shape:
            raise Refusal("an array without axes cannot be iterated", "use `range`", "GW202")
        elif len(iterable) and (isinstance(go, jax.Array) or go):
            self._scan(iterable, go, more, body, state)

    def _count(self, over: Range, go: Any, more: Any, body: Any, state: State) -> None:
        """`for` over a range."""
        length = -((over.start - over.stop) // over.step)

        def step(index: Any, _: Any) -> Any:
            body(over.start + index * over.step)
            return [index + 1, truth(more()) & (index + 1 < length)]

        loop = Loop(state, [jnp.zeros_like(length), truth(go) & (length > 0)], step)
        loop.end(lax.while_loop(lambda arrays: arrays[1], loop.turn, loop.start))

    def _scan(self, rows: Any, go: Any, more: Any, body: Any, state: State, first: bool = True) -> None:
        """`for` over rows; the first runs by itself if the variables settle only after it."""
        before, sure = state.get(), not isinstance(go, jax.Array)

        def step(_: Any, row: Any) -> Any:
            body(row)
            return [truth(more())]

        def turn(arrays: Any, row: Any) -> Any:
            if more is always:
                return loop.turn(arrays, row), None
            return lax.cond(arrays[0], loop.turn, lambda arrays, _: arrays, arrays, row), None

        try:
            loop = Loop(state, [truth(go)], step, Type(rows.shape[1:], rows.dtype))
        except Refusal:
            if not (first and sure):
                raise
            state.set(before)
            body(rows[0])
            return self._scan(rows[1:], more(), more, body, state, first=False)
        loop.end(lax.scan(turn, loop.start, rows)[0], sure)


register_backend(jax.core.Tracer, JaxBackend())
register_backend(Range, JaxBackend())

_publish(__name__)
