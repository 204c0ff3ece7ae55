"""Tests of membership in Python's containers cost converted code what they cost Python."""

import gc
import itertools

import pytest

import graphwright as gw


def has(container, item):
    return item in container, item not in container


CONTAINERS = [list(range(9)), tuple(range(9)), set(range(9)), dict.fromkeys(range(9)), "0123456789", range(9)]


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda c: type(c).__name__)
def test_in_does_not_visit_what_a_container_refers_to(monkeypatch, container):
    item = "5" if isinstance(container, str) else 5
    visited = []
    monkeypatch.setattr(gc, "get_referents", lambda *objects: visited.append(objects) or [])
    assert gw.autograph.to_graph(has)(container, item) == (True, False)
    assert not visited


def test_in_an_endless_iterator_stops_where_the_item_is():
    def found(iterator):
        return 7 in iterator, next(iterator)

    assert gw.autograph.to_graph(found)(itertools.count(3)) == (True, 8)
    assert gw.function(lambda: found(itertools.count(3)))() == (True, 8)
