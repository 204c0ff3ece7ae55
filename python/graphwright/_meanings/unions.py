"""`a | b` and `a |= b` of two dicts of which the graph holds one."""

from __future__ import annotations

from typing import Any

from .. import _native

conv = _native.operators.conv


def joined(a: Any, b: Any) -> Any:
    """`a | b`"""
    return joined_in_place(conv(a.copy)(), b)


def joined_in_place(a: Any, b: Any) -> Any:
    """`a |= b`"""
    conv(a.update)(b)
    return a
