"""Meanings of Python's own functions while a graph is built: one row per function.

A row is the function, its meaning, and whether the meaning is asked even where no argument is a tensor: it
calls other functions, or looks into lists. Each gives what Python gives, or a diagnostic at the user's line.
"""

from __future__ import annotations

import builtins
import functools
import heapq
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from . import (
    arrays,
    complex_mathematics,
    heaps,
    impure,
    iterables,
    mathematics,
    numpy_scalars,
    scalars,
    streams,
    written_heaps,
)
from . import sets as sets  # which the first graph of a process asks for
from .refused import refused

Row = tuple[Any, Callable[..., Any], bool]

operators = _native.operators

NUMBERS: list[Row] = [
    (builtins.bool, scalars.bool, False),
    (builtins.complex, scalars.complex, False),
    (builtins.float, scalars.float, False),
    (builtins.int, scalars.int, False),
    (builtins.len, scalars.len, False),
    (builtins.pow, scalars.pow, False),
    (builtins.range, scalars.range, False),
    (builtins.round, scalars.round, False),
]

SHOWN = (
    "give it to `print`, which shows what it holds when the graph runs; its `shape` and `dtype` are known now"
)

#: Answered by the native module for what may be `None`, and for anything else as ever.
KINDS: list[Row] = [
    (builtins.id, builtins.id, False),
    (builtins.isinstance, builtins.isinstance, True),
    (builtins.type, builtins.type, False),
]

TEXTS: list[Row] = [
    (builtins.ascii, refused("ascii", SHOWN), False),
    (builtins.repr, refused("repr", SHOWN), False),
]

ITERABLES: list[Row] = [
    (builtins.all, iterables.all, True),
    (builtins.dict.fromkeys, streams.fromkeys, True),
    (builtins.any, iterables.any, True),
    (builtins.enumerate, iterables.enumerate, True),
    (builtins.filter, iterables.filter, True),
    (builtins.iter, iterables.iter, True),
    (builtins.list, iterables.list, True),
    (builtins.map, iterables.map, True),
    (builtins.max, iterables.max, True),
    (builtins.min, iterables.min, True),
    (builtins.next, iterables.next, True),
    (builtins.reversed, iterables.reversed, True),
    (builtins.sorted, iterables.sorted, True),
    (builtins.sum, iterables.sum, True),
    (builtins.tuple, iterables.tuple, True),
    (builtins.zip, iterables.zip, True),
    (functools.reduce, iterables.reduce, True),
    (math.prod, iterables.prod, True),
]

OPERATORS: list[Row] = [
    (operator.contains, lambda a, b, /: operators.contains(b, a), True),
    (operator.countOf, lambda a, b, /: iterables.sum(iterables.map(lambda x: x == b, a)), True),
    (operator.indexOf, refused("operator.indexOf", "write `gw.argmax(a == b)`"), False),
    (operator.is_, operators.is_, False),
    (operator.is_not, lambda a, b, /: operators.not_(operators.is_(a, b)), False),
    (operator.not_, operators.not_, False),
    (operator.pow, scalars.pow, False),
    (operator.truth, scalars.bool, False),
]

ARRAYS: list[Row] = [
    (np.empty, arrays.filled(np.empty, 0), True),
    (np.empty_like, arrays.like(np.empty_like), True),
    (np.full, arrays.full, True),
    (np.full_like, arrays.like(np.full_like), True),
    (np.ones, arrays.filled(np.ones, 1), True),
    (np.ones_like, arrays.like(np.ones_like), True),
    (np.zeros, arrays.filled(np.zeros, 0), True),
    (np.zeros_like, arrays.like(np.zeros_like), True),
    *arrays.made(),
    *arrays.of_one_array(),
    *numpy_scalars.rows(),
]


HEAPS: list[Row] = [
    (function, heaps.of_heap(function, written), True)
    for function, written in [
        (heapq.heapify, written_heaps.heapify),
        (heapq.heappop, written_heaps.pop),
        (heapq.heappush, written_heaps.push),
        (heapq.heappushpop, written_heaps.push_pop),
        (heapq.heapreplace, written_heaps.replace),
    ]
]


def of_numbers(meaning: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose results are Python's numbers."""

    def as_numbers(*args: Any, **kwargs: Any) -> Any:
        found = meaning(*args, **kwargs)
        return tuple(map(scalars.as_number, found)) if isinstance(found, tuple) else scalars.as_number(found)

    return as_numbers


def functions_of_math() -> list[Row]:
    """The functions of `math` that this Python has."""
    found: list[Row] = []
    for name in dir(math):
        if name in mathematics.MEANINGS:
            found.append((getattr(math, name), of_numbers(mathematics.MEANINGS[name]), False))
        elif name in mathematics.REFUSED:
            meaning = refused(f"math.{name}", mathematics.REFUSED[name])
            found.append((getattr(math, name), meaning, False))
    return found


STREAMS: list[Row] = [(function, meaning, True) for function, meaning in streams.MEANINGS]

TABLE: list[Row] = [
    *NUMBERS,
    *KINDS,
    *TEXTS,
    *ITERABLES,
    *OPERATORS,
    *ARRAYS,
    *HEAPS,
    *STREAMS,
    *functions_of_math(),
    *((function, of_numbers(meaning), False) for function, meaning in complex_mathematics.FUNCTIONS),
    *impure.functions(),
]
