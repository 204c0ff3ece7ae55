"""`gw.nest`: leaves of structures, and structures of leaves."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import pytest

import graphwright as gw


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Point:
    x: object
    y: object


def test_nest() -> None:
    structure = {"b": (1, [2]), "a": 0}
    assert gw.nest.flatten(structure) == [0, 1, 2]
    assert gw.nest.pack_sequence_as(structure, [5, 6, 7]) == {"b": (6, [7]), "a": 5}
    assert gw.nest.map_structure(lambda x, y: x + y, structure, structure) == {"b": (2, [4]), "a": 0}
    assert gw.nest.is_nested([]) and not gw.nest.is_nested("text")
    with pytest.raises(ValueError, match="2 leaves"):
        gw.nest.pack_sequence_as((1, 2), [1])
    with pytest.raises(ValueError):
        gw.nest.assert_same_structure((1, 2), (1, (2,)))
    with pytest.raises(TypeError):
        gw.nest.assert_same_structure((1, 2), [1, 2])


def test_classes_are_structures() -> None:
    structure = [Pair(1, Point(2, 3)), {"k": (4,)}]
    assert gw.nest.flatten(structure) == [1, 2, 3, 4]
    doubled = gw.nest.map_structure(lambda x: 2 * x, structure)
    assert doubled == [Pair(2, Point(4, 6)), {"k": (8,)}]
    assert isinstance(doubled[0], Pair)


def test_structures_in_graphs() -> None:
    @gw.function
    def halved(structure: object) -> object:
        return gw.nest.map_structure(lambda x: x // 2 if x % 2 == 0 else -x, structure)

    found = halved({"a": gw.constant(4), "b": [gw.constant(3)]})
    assert gw.nest.map_structure(int, found) == {"a": 2, "b": [-3]}
