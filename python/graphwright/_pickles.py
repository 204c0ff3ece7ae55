"""Pickling of what has no state that Python sees: specifications, generators, and functions by value."""

from __future__ import annotations

import copyreg
import linecache
import sys
from typing import Any

from . import _native
from ._function import function, options_of


def _spec(spec: Any) -> Any:
    known = None if spec.shape.rank is None else list(spec.shape)
    return _native.TensorSpec, (known, spec.dtype, spec.name)


def _generator_again(state: Any) -> Any:
    made = _native.RandomGenerator.from_seed(0)
    made.state.assign(state)
    return made


def _generator(generator: Any) -> Any:
    return _generator_again, (generator.state.numpy(),)


def _function_again(plain: Any, signature: Any, autograph: bool, options: dict[str, Any]) -> Any:
    return function(plain, signature, autograph, **options)


def _function(made: Any) -> Any:
    """By its name; by value where `cloudpickle` asks for one that other processes cannot import."""
    caller = sys._getframe(1).f_globals.get("__name__", "")
    plain = made.python_function
    is_local = plain.__module__ == "__main__" or "<" in plain.__qualname__
    if is_local and caller.endswith("cloudpickle.cloudpickle"):
        signature, autograph, options = options_of(made)
        text = "".join(linecache.getlines(plain.__code__.co_filename))
        return _function_again, (
            plain,
            signature,
            autograph,
            {**options, "source": options.get("source") or text or None},
        )
    return made.__reduce__()


copyreg.pickle(_native.TensorSpec, _spec)
copyreg.pickle(_native.RandomGenerator, _generator)
copyreg.pickle(_native.Function, _function)
