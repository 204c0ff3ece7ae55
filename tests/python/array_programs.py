"""Judges programs over NumPy arrays: plain Python's answer and arrays, or a located error."""

from __future__ import annotations

import copy
import linecache
import re
from random import Random

import numpy as np
from fuzz.arrays import arguments, program

import graphwright as gw

REFUSAL = re.compile(r"GW\d\d\d(?=:)")


def function_of(text, number):
    """The program's function, whose source can be found."""
    file = f"<array program {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"np": np, "__name__": "program"}
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names["f"], file


def outcome(call, given):
    """What a call gives or raises, and what its arguments hold then."""
    arrays = [value for value in given if isinstance(value, np.ndarray)]
    try:
        with np.errstate(all="ignore"):
            result = call(*given)
    except Exception as error:
        kind = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
        return kind, str(error), arrays
    return None, [np.asarray(value) for value in result], arrays


def staged(given):
    """Numbers as tensors, arrays as they are."""
    wide = {int: gw.int64, float: gw.float64}
    return [gw.constant(value, wide[type(value)]) if type(value) in wide else value for value in given]


def agree(ours, native):
    """The same exception or the same numbers, and the same in the arguments."""
    if ours[0] is not native[0]:
        return False
    pairs = list(zip(ours[2], native[2]))
    if native[0] is None:
        pairs += zip(ours[1], native[1])
    return all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True) for a, b in pairs
    )


def judge(seed):
    """The code that refuses the program of a seed, if one does; an `AssertionError` if the ways disagree."""
    random = Random(seed)
    text = program(random)
    function, file = function_of(text, seed)
    sets = [arguments(random) for _ in range(2)]
    natives = [outcome(function, copy.deepcopy(given)) for given in sets]
    ways = [
        ("converted", gw.autograph.to_graph(function), lambda given: given),
        ("staged", gw.function(function), staged),
    ]
    for way, call, prepared in ways:
        for given, native in [*zip(sets, natives), (sets[0], natives[0])]:
            ours = outcome(call, prepared(copy.deepcopy(given)))
            if agree(ours, native):
                continue
            code = REFUSAL.match(ours[1]) if ours[0] else None
            if way == "staged" and code and file in ours[1]:
                return code[0]
            raise AssertionError(f"{seed} {way} {given}:\n{native}\n{ours}\n{text}")
    return None
