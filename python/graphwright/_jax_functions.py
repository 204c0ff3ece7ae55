"""Meanings of Python's own functions for JAX's tracers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp

from . import _native
from .autograph import Refusal


class Range(NamedTuple):
    """A `range` with bounds that are not known yet."""

    start: Any
    stop: Any
    step: int


def span(*bounds: Any) -> Range:
    """`range(*bounds)`."""
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if not isinstance(step, int) or step == 0:
        raise Refusal("the step of this `range` is not a number other than 0", "use one for the step")
    return Range(start, stop, step)


def extreme(of_rows: Any, is_better: Any) -> Callable[..., Any]:
    """`min` or `max`: of the rows of an array, or of several values, the first of equal ones."""
    better = lambda best, x: jnp.where(is_better(x, best), x, best)  # noqa: E731
    return lambda *of: of_rows(of[0], axis=0) if len(of) == 1 else functools.reduce(better, of)


#: Functions that `math` and JAX have under one name.
SAME = [
    name
    for name in (*_native.REALS, "isnan", "isfinite", "hypot")
    if hasattr(math, name) and hasattr(jnp, name)
]

#: Others are called as they are.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{kind: functools.partial(jnp.asarray, dtype=kind) for kind in (bool, int, float)},
    **{getattr(math, name): getattr(jnp, name) for name in SAME},
    range: span,
    sum: lambda rows, start=0: jnp.sum(rows, axis=0) + start,
    any: jnp.any,
    all: jnp.all,
    min: extreme(jnp.min, jnp.less),
    max: extreme(jnp.max, jnp.greater),
}
