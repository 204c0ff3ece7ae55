"""The harness that runs the functions of others tells apart what comes of them."""

import time

import corpus.judge
import pytest
from corpus.collect import collect
from corpus.judge import Outcome, compared
from corpus.packages import Package
from corpus.report import text
from corpus.run import judged


@pytest.fixture(scope="module")
def functions():
    """The functions with their examples."""
    return {one["name"]: one for one in collect(Package("strangers", ("strangers",)))}


def verdicts(functions, known=()):
    """Verdicts by function and way."""
    found = judged(functions, list(known), 2, time.monotonic() + 100)
    return {(v["name"], v["way"]): v["verdict"] for v in found if v["verdict"] != "done"}


def test_examples_come_from_doctests_and_from_guesses(functions):
    assert functions["agrees"]["examples"] == ["([3], {})"]
    assert functions["agrees"]["guessed"]
    assert functions["prints"]["examples"] == ["([[1, 2]], {})"]


def test_each_class_is_told(functions, monkeypatch):
    monkeypatch.setattr(corpus.judge, "LIMIT", 1)
    told = verdicts([dict(one, guessed=[]) for one in functions.values()])
    assert all(told[name, "converted"] == "agrees" for name in functions)
    kinds = {
        "agrees": "agrees",
        "refused": "refused",
        "disagrees": "disagrees",
        "hangs": "hangs",
        "ends": "crashes",
    }
    kinds |= {"guards": "guarded", "many": "agrees", "asks": "apart", "divides": "ieee"}
    assert {name: told[name, "scalars"] for name in kinds} == kinds
    assert (told["prints", "arrays"], told["prints", "lists"]) == ("agrees", "agrees")


def test_an_error_without_a_line_is_unlocated():
    native = Outcome(4, [3])
    nowhere = Outcome(None, None, raised="ValueError", message="no")
    somewhere = Outcome(None, None, raised="ValueError", message="GW103: no", where="x.py:3")
    assert compared("scalars", "", nowhere, [native]).verdict == "unlocated"
    assert compared("scalars", "", somewhere, [native]).verdict == "refused"


def test_a_run_goes_on_where_it_was_stopped(functions):
    known = list(judged([functions["agrees"]], [], 1, time.monotonic() + 100))
    assert verdicts([functions["agrees"], functions["many"]], known).keys() == {
        ("many", "converted"),
        ("many", "scalars"),
    }


def test_the_page_counts(functions):
    known = list(judged([functions["agrees"]], [], 1, time.monotonic() + 100))
    page = text(known, {"strangers": "1.0"})
    assert "Of 1 staged functions 1 (100.0 %) agree with Python." in page
