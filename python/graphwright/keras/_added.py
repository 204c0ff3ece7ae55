"""Losses that layers add while they are called: which call is the outermost, and what it forgets.

What the calls of a layer have added is one sum, in an attribute: a graph stores it as any other attribute,
also in branches and loops.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterable
from typing import Any

from .. import _native, nest
from .._native import Tensor
from ..autograph import do_not_convert

#: Attribute of the objects of ours that graphs watch for changes, as they watch all objects of the user's.
_WATCHED = "_carried"

#: The file with the `__call__` of all layers.
_CALLS = str(pathlib.Path(__file__).with_name("_layer.py"))


class _Known:
    """True once a layer is watched: no other program looks for layers that may add losses."""

    is_watched = False


def watch(layer: Any) -> None:
    """Lets graphs watch a layer that may add losses, or holds one."""
    setattr(layer, _WATCHED, True)
    _Known.is_watched = True


def is_watching() -> bool:
    """True if a layer is watched."""
    return _Known.is_watched


def may_add(layer: Any) -> bool:
    """True of such a layer."""
    return hasattr(layer, _WATCHED)


def watch_like(layer: Any, parts: Iterable[Any]) -> None:
    """Lets graphs watch a layer of ours if one of those in it may add losses."""
    if any(map(may_add, parts)):
        watch(layer)


def is_named_in(cls: type) -> bool:
    """True if a method of a class of the user's names `add_loss`."""
    codes = [getattr(method, "__code__", None) for method in vars(cls).values()]
    return any(code is not None and "add_loss" in code.co_names for code in codes)


@do_not_convert
def is_outermost(layer: Any) -> bool:
    """True if the call of this layer, of which this is called, is in no call of another layer."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        # A converted method has frames of its text's name and file, as it has without a graph.
        is_call = frame.f_code.co_name == "__call__" and frame.f_code.co_filename == _CALLS
        if is_call and frame.f_locals.get("self", layer) is not layer:
            return False
        frame = frame.f_back
    return True


def penalty(regularizer: Any, outputs: Any) -> Any:
    """The penalties of all tensors of an output, each for one row of its batch."""
    total: Any = 0.0
    for output in nest.flatten(outputs):
        if isinstance(output, Tensor):
            found = regularizer(output)
            if output.ndim > 0:
                rows = _native.cast(_native.shape(output)[0], found.dtype)
                # A batch of no rows has no penalty, so the quotient is 0 and not NaN.
                found = found / _native.maximum(rows, 1.0)
            total = total + found
    return total


def summed(loss: Any) -> Any:
    """The sum of losses, each of which is one number."""
    total: Any = 0.0
    for one in nest.flatten(loss):
        found = _native.convert_to_tensor(one)
        if found.shape.rank != 0:
            raise ValueError(f"`add_loss` takes a scalar, not a tensor of shape {found.shape}")
        total = total + found
    return total
