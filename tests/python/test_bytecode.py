"""Bytecode is read alike in each version of CPython, some of which put two instructions into one."""

import sys
import types

import pytest

from graphwright import _bytecode

HERE = types.SimpleNamespace(x=types.SimpleNamespace(y=1))
THERE = types.SimpleNamespace(z=2)


def through_locals():
    here = HERE
    there = THERE
    return here.x.y + there.z


def through_two_at_once():
    here, there = HERE, THERE
    return (here, there), there.z


def in_a_closure():
    def inside():
        return HERE.x

    return inside()


def test_chains_through_local_names():
    assert {("HERE", ("x", "y")), ("THERE", ("z",))} <= set(_bytecode.chains(through_locals))
    assert {("HERE", ()), ("THERE", ())} <= set(_bytecode.chains(through_two_at_once))
    assert ("HERE", ("x",)) in _bytecode.chains(in_a_closure)


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("LOAD_FAST", "a", [("LOAD_FAST", "a")]),
        ("LOAD_FAST_LOAD_FAST", ("a", "b"), [("LOAD_FAST", "a"), ("LOAD_FAST", "b")]),
        ("STORE_FAST_LOAD_FAST", ("a", "b"), [("STORE_FAST", "a"), ("LOAD_FAST", "b")]),
        (
            "LOAD_FAST_BORROW_LOAD_FAST_BORROW",
            ("a", "a"),
            [("LOAD_FAST_BORROW", "a"), ("LOAD_FAST_BORROW", "a")],
        ),
    ],
)
def test_parts_of_an_instruction(name, argument, expected):
    assert list(_bytecode.parts(name, argument)) == expected


class Asked:
    """Tells of each operator whether it changes its left operand."""

    def asked(self, other):
        return _bytecode.is_in_place(sys._getframe(1))

    __add__ = __mul__ = __xor__ = __iadd__ = __imul__ = __ixor__ = __getitem__ = asked


def test_operators_in_place():
    asked = Asked()
    assert [asked + 1, asked * 1, asked ^ 1, asked[1]] == [False] * 4
    one = two = three = asked
    one += 1
    two *= 1
    three ^= 1
    assert [one, two, three] == [True] * 3
