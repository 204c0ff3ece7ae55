"""Fixtures of all tests. No test reads code that another run of the tests kept on the disk."""

import gc
import os
import sys

os.environ["GRAPHWRIGHT_CACHE"] = "0"  # read once, when the first function is compiled

import pytest

import graphwright as gw

# Modules and tests live as long as the process: to look for garbage among them takes a fifth of all tests' time.
gc.disable()


def pytest_collection_finish():
    """Leaves all that was made for the tests out of later collections."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def strict_promotion():
    """Tensors of different dtypes do not meet."""
    gw.config.set_dtype_promotion("strict")
    yield
    gw.config.set_dtype_promotion("standard")


@pytest.fixture
def same_graphs(request):
    """A test that has a digest (`graph_digests.txt`) traces the same graphs; only CPython 3.11 is asked."""
    import graph_texts

    texts = []
    with graph_texts.listening(texts.append):
        yield
    recorder = request.config.pluginmanager.get_plugin(graph_texts.Recorder.NAME)
    name = graph_texts.name_of(request.node)
    if recorder is not None:
        recorder.take(name, texts)
    elif sys.version_info[:2] == (3, 11) and (expected := graph_texts.digests().get(name)):
        changed = "staging gives another graph; `make same-graphs` shows which"
        assert graph_texts.digest(texts) == expected, changed
