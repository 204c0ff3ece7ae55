"""Texts of clocks and what folders hold: a graph asks each time, is made anew where a folder changed, or says GW503."""

from __future__ import annotations

import os
import pathlib
import random
import secrets
import time

import pytest

import graphwright as gw

FOLDER = pathlib.Path("somewhere")


def listed(n):
    return sorted(os.listdir(FOLDER))


def scanned(n):
    return sorted(entry.name for entry in os.scandir(FOLDER))


def iterated(n):
    return sorted(path.name for path in FOLDER.iterdir())


def is_there(n):
    return os.path.isdir(FOLDER / "b"), os.path.isfile(FOLDER / "a"), (FOLDER / "b").is_dir()


def here(n):
    return len(os.listdir())


def plain(value):
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    return value.item() if isinstance(value, gw.Tensor) else value


@pytest.mark.parametrize("function", [listed, scanned, iterated, is_there, here], ids=lambda f: f.__name__)
def test_folders_are_looked_at_again(function, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    staged = gw.function(function)
    for change in (
        lambda: None,
        lambda: (tmp_path / "a").write_text("x"),
        lambda: (tmp_path / "b").mkdir(),
        lambda: None,
        lambda: (tmp_path / "a").unlink(),
    ):
        change()
        assert plain(staged(gw.constant(1))) == function(1)


def written_now(n):
    return time.strftime("%Y"), time.ctime(), time.asctime()


def test_texts_of_clocks_are_asked_in_each_call():
    staged = gw.function(written_now)
    for _ in range(2):
        for found in staged(gw.constant(1)):
            assert str(time.localtime().tm_year) in found.item().decode()
    graph = str(staged.get_concrete_function(gw.constant(1)).graph)
    assert graph.count("host") >= 3


def of_a_time(n):
    return time.ctime(0)[-4:], time.gmtime(0).tm_year, time.strftime("%Y", time.gmtime(0))


def test_texts_of_a_time_that_is_given_are_pythons():
    assert plain(gw.function(of_a_time)(gw.constant(1))) == of_a_time(1)


@pytest.mark.parametrize("name", ["localtime", "gmtime"])
def test_times_of_now_that_no_graph_holds_are_refused(name):
    def now(n):
        return getattr(time, name)().tm_hour + n

    with pytest.raises(ValueError, match=rf"GW503: `time\.{name}`(.|\n)*-->"):
        gw.function(now)(gw.constant(1))


def bits(n):
    return secrets.randbits(40)


def chosen(n):
    return secrets.choice(range(10**9))


def of_the_system(n):
    return random.SystemRandom().random()


def summed(n):
    total = 0
    for _ in range(n):
        total += secrets.randbelow(10**9)
    return total


@pytest.mark.parametrize("function", [bits, chosen, of_the_system, summed], ids=lambda f: f.__name__)
def test_the_systems_randomness_is_asked_in_each_call(function):
    staged = gw.function(function)
    assert len({staged(gw.constant(3)).item() for _ in range(4)}) == 4
