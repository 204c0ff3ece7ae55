"""Reads around a function through something else are compared again at each call."""

from __future__ import annotations

import getopt
import linecache
import warnings

import pytest

import graphwright as gw
from read_through import CHANGES, READS, WORLD, differs, programs


@pytest.mark.parametrize("read", READS)
def test_each_way_to_read_sees_each_change(read):
    assert differs("direct", read, CHANGES) is None


@pytest.mark.parametrize("seed", range(8))
def test_programs_that_read_through_something_agree(seed):
    found = [differs(*program) for program in programs(seed, 25)]
    assert [one for one in found if one] == []


def test_what_is_refused_is_little():
    from read_through import calls

    refused = [read for read in READS if "refused" in calls("direct", read, [], True)]
    assert refused == []


FILLED = {
    "measured": ("log = [0]", "log.append(5)\n    return len(log) * x"),
    "measured before": ("log = [0]", "n = len(log)\n    log.append(5)\n    return n * x"),
    "an item": ("log = [0]", "log.append(log[-1] + 1)\n    return log[-1] * x"),
    "a set": ("log = {0}", "log.add(len(log))\n    return len(log) * x"),
    "a dict": ("log = {}", "log[len(log)] = 1\n    return len(log) * x"),
    "asked": ("log = [0]", "log.append(5)\n    return (log.count(5) if 5 in log else 0) * x"),
    "by another name": ("log = [0]", "own = log\n    own.append(5)\n    return len(own) * x"),
    "by a helper": (
        "log = [0]\ndef helper(x):\n    return len(log) * x",
        "log.append(5)\n    return helper(x)",
    ),
    "given to a helper": (
        "log = [0]\ndef helper(log, x):\n    return sum(log) * x",
        "log.append(5)\n    return helper(log, x)",
    ),
    "filled by a helper": (
        "log = [0]\ndef helper(log):\n    log.append(5)",
        "helper(log)\n    return len(log) * x",
    ),
    "in an object": (
        "class Own:\n    def __init__(self):\n        self.log = [0]\nown = Own()",
        "own.log.append(5)\n    return len(own.log) * x",
    ),
    "until it is full": (
        "log = [0]",
        "if len(log) < 3:\n        log.append(5)\n    return len(log) * x",
    ),
}


def made(world, body, name):
    text = f"{world}\ndef f(x):\n    {body}\n"
    file = f"<filled {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "a_program_that_fills"}
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("name", FILLED)
def test_a_list_that_a_function_fills_and_reads_counts_as_in_python(name):
    native, staged = made(*FILLED[name], name), gw.function(made(*FILLED[name], name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [staged(gw.constant(1)).item() for _ in range(4)]
    assert found == [native(1) for _ in range(4)]


HANDED_ON = {
    "appended": ("log = []", "log.append('traced')\n    return x"),
    "by another name": ("log = []", "own = log\n    own.append('traced')\n    return x"),
    "by a helper": (
        "log = []\ndef helper(log):\n    log.append('traced')",
        "helper(log)\n    return x",
    ),
    "if it is there": ("log = []", "if log is not None:\n        log.append('traced')\n    return x"),
}


@pytest.mark.parametrize("name", HANDED_ON)
def test_a_list_that_a_function_fills_alone_counts_its_tracings(name):
    staged = gw.function(made(*HANDED_ON[name], name))
    assert [staged(gw.constant(n)).item() for n in range(4)] == [0, 1, 2, 3]
    assert staged.experimental_get_tracing_count() == 1


def test_a_function_that_looks_at_its_frame_keeps_its_graph():
    names = {}
    text = WORLD + "def f(x):\n    return x * len(locals()) * config.k * caller(config) * sum(values)\n"
    linecache.cache["<kept>"] = (len(text), None, text.splitlines(keepends=True), "<kept>")
    exec(compile(text, "<kept>", "exec"), names)
    staged = gw.function(names["f"])
    assert [staged(gw.constant(n)).item() for n in range(4)] == [0, 1, 2, 3]
    assert staged.experimental_get_tracing_count() == 1


class Setting:
    s = 1

    def get(self):
        return self.s


setting, other = Setting(), Setting()


def pick(x):
    return x


HANDED = {
    "a list that is written out": lambda n: n + [setting, other][0].s,
    "a dict that is written out": lambda n: n + {"k": setting}["k"].s,
    "a choice": lambda n: n + (setting if setting else other).s,
    "or": lambda n: n + (None or setting).s,
    "what a function gives back": lambda n: n + pick(setting).s,
    "a method of what a function gives back": lambda n: n + pick(setting).get(),
    "what two functions give back": lambda n: n + pick(pick(setting)).s,
    "an item of sorted objects": lambda n: n + sorted([setting], key=id)[0].s,
    "the greatest": lambda n: n + max([setting], key=id).s,
}


@pytest.mark.parametrize("way", HANDED)
def test_what_is_read_through_what_has_no_name_is_compared(way):
    staged = gw.function(HANDED[way])
    for value in (1, 10, 10, 4):
        setting.s = value
        assert int(staged(gw.constant(1))) == value + 1


def test_a_name_for_what_was_handed_on_is_read_through():
    def named(n):
        one = pick(setting)
        for two in sorted([one], key=id):
            n = n + two.s
        return n + one.s

    staged = gw.function(named)
    for value in (1, 10, 4):
        setting.s = value
        assert int(staged(gw.constant(1))) == 2 * value + 1


@pytest.mark.parametrize("call", [getopt.getopt, getopt.gnu_getopt])
def test_calls_that_are_given_results_of_one_another_are_followed_in_bounds(call):
    with pytest.raises((IndexError, AttributeError)):
        gw.function(call)(gw.constant(0), gw.constant(3))
