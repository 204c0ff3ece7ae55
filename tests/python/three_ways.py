"""The three ways that must agree: plain Python, converted with Python values, staged with tensors."""

from __future__ import annotations

import contextlib
import io

import numpy as np

import graphwright as gw


def outcome(call, args):
    """What a call gives: its value, or the type of its exception."""
    try:
        return "gives", plain(call(*args))
    except Exception as error:
        return "raises", error_kind(error), str(error)


def error_kind(error):
    """The public built-in type that a user would catch."""
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def plain(value):
    """Tensors as arrays, containers kept."""
    if isinstance(value, (tuple, list)):
        return type(value)(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.numpy() if isinstance(value, gw.Tensor) else value


def tensor(value):
    """A number or an array as a tensor as wide as Python computes; anything else as it is."""
    wide = {bool: gw.bool, int: gw.int64, float: gw.float64}
    if type(value) in wide:
        return gw.constant(value, wide[type(value)])
    return gw.constant(value) if isinstance(value, np.ndarray) else value


def agree(ours, native):
    """The same structure, and the same kind and value of each number in it."""
    if isinstance(native, (tuple, list)):
        return len(ours) == len(native) and all(agree(a, b) for a, b in zip(ours, native))
    if isinstance(native, dict):
        return ours.keys() == native.keys() and all(agree(ours[key], native[key]) for key in native)
    if isinstance(native, int) and not -(2**63) <= native < 2**63:
        return isinstance(ours, int) and ours == native
    if isinstance(native, (bool, int, float, np.ndarray, np.generic)):
        ours, native = np.asarray(ours), np.asarray(native)
        same_kind = ours.dtype.kind == native.dtype.kind
        return (
            same_kind and ours.shape == native.shape and np.allclose(ours, native, rtol=1e-12, equal_nan=True)
        )
    return ours == native


def printed(action):
    """What an action gives and what it prints, wherever it prints it."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        result = action()
    return result, stream.getvalue()


def check(function, *args, refusal=False, messages=lambda ours, native: True):
    """Runs `function` in the three ways; they must give, raise and print the same.

    With `refusal`, staging may instead be refused by a diagnostic, which is then returned. What
    is raised says what `messages` takes for the same.
    """
    native, native_text = printed(lambda: outcome(function, args))
    ways = {
        "converted": lambda: outcome(gw.autograph.to_graph(function), args),
        "staged": lambda: outcome(gw.function(function), [tensor(arg) for arg in args]),
    }
    for way, action in ways.items():
        ours, text = printed(action)
        if refusal and way == "staged" and ours[0] == "raises" and ours[2].startswith("GW"):
            return ours[2]
        same = (
            ours[:2] == native[:2] and messages(ours[2], native[2])
            if native[0] == "raises"
            else ours[0] == "gives" and agree(ours[1], native[1])
        )
        assert same, f"{function.__name__}{args}: native {native}, {way} {ours}"
        assert text == native_text, (
            f"{function.__name__}{args}: native prints {native_text!r}, {way} {text!r}"
        )
    return None
