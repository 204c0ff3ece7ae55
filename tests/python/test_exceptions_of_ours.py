"""Exceptions and warnings of Graphwright are found where they say that they are, so that they pass between processes."""

import importlib
import pickle

import pytest

import graphwright as gw

CLASSES = [one for one in vars(gw.errors).values() if isinstance(one, type)]


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__name__)
def test_a_class_is_where_it_says(one):
    assert getattr(importlib.import_module(one.__module__), one.__name__) is one
    assert pickle.loads(pickle.dumps(one)) is one


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__name__)
def test_an_exception_passes_between_processes(one):
    again = pickle.loads(pickle.dumps(one("a message")))
    assert type(again) is one
    assert str(again) == "a message"
