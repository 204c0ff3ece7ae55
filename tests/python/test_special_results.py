"""Special methods that give a value of the graph where Python wants one of its own: refused, in a `try` as well."""

from __future__ import annotations

import contextlib

import pytest

import graphwright as gw


class Number:
    def __init__(self, w):
        self.w = w

    def __hash__(self):
        return self.w

    def __index__(self):
        return self.w

    def __complex__(self):
        return self.w


USES = {
    "hash": lambda n: hash(Number(n)),
    "index": lambda n: [1, 2, 3][Number(n)],
    "slice": lambda n: len([1, 2, 3][: Number(n)]),
    "key": lambda n: len({Number(n): 1}),
    "element": lambda n: len({Number(n)}),
    "in": lambda n: int(Number(n) in {1: 2}),
    "text": lambda n: len("a" * Number(n)),
    "list": lambda n: len([1] * Number(n)),
    "range": lambda n: len(range(Number(n))),
    "bin": lambda n: len(bin(Number(n))),
}


def directly(use):
    return use


def in_a_try(use):
    def function(n):
        try:
            found = use(n)
        except TypeError:
            found = -7
        return found

    return function


def in_a_bare_try(use):
    def function(n):
        found = 0
        try:
            found = use(n)
        except Exception:
            found = -7
        finally:
            found += 1
        return found

    return function


def suppressed(use):
    def function(n):
        found = -7
        with contextlib.suppress(TypeError):
            found = use(n)
        return found

    return function


@pytest.mark.parametrize("around", [directly, in_a_try, in_a_bare_try, suppressed])
@pytest.mark.parametrize("name", USES)
def test_no_handler_takes_it_for_the_programs(name, around):
    function = around(USES[name])
    native = function(2)
    try:
        ours = gw.function(function)(gw.constant(2, gw.int64))
    except TypeError as error:
        refusal = str(error)
    else:
        refusal = None
        assert int(ours) == native
    assert refusal is None or (refusal.startswith("GW") and "test_special_results" in refusal), refusal
