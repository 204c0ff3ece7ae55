"""The bar of first calls: after a second, with the function and its work; never for calls that are quick or known."""

from __future__ import annotations

import time

import pytest

import graphwright as gw
from graphwright.config import _progress


class Seen:
    """A place that keeps what is shown."""

    def __init__(self):
        self.rows = []

    def __call__(self):
        return self

    def show(self, text, ended):
        self.rows.append((text, ended))


@pytest.fixture
def seen(monkeypatch):
    place = Seen()
    monkeypatch.setattr(_progress, "PATIENCE", 0.2)
    gw._native.listen_to_first_calls(_progress.Watch(place))
    yield place
    gw.config.set_progress("auto")


def settled():
    time.sleep(5 * _progress.PACE)


def slow(x):
    time.sleep(0.6)
    return x + 1.0


def test_a_slow_first_call_is_shown(seen):
    function = gw.function(slow, host_code="trace")
    function(gw.constant(1.0))
    settled()
    texts = [text for text, _ in seen.rows]
    assert any(text.startswith("slow: tracing, ") for text in texts)
    assert texts[-1].startswith("slow: first call 0.") and "compiling" in texts[-1] and "running" in texts[-1]
    assert [ended for _, ended in seen.rows].count(True) == 1 and seen.rows[-1][1]
    before = len(seen.rows)
    function(gw.constant(2.0))
    settled()
    assert len(seen.rows) == before


def test_a_long_loop_is_running(seen):
    @gw.function
    def counts(n):
        i, total = 0, 0.0
        while i < n:
            total = gw.sin(total + 1.0)
            i += 1
        return total

    counts(gw.constant(40_000_000))
    settled()
    assert any(text.startswith("counts: running, ") for text, _ in seen.rows)


def test_a_quick_call_is_not_shown(seen):
    gw.function(lambda x: x * 2.0)(gw.constant(1.0))
    settled()
    assert seen.rows == []


def test_a_call_that_fails_ends_the_bar(seen):
    def fails(x):
        time.sleep(0.5)
        raise KeyError("nothing")

    with pytest.raises(KeyError):
        gw.function(fails, host_code="trace")(gw.constant(1.0))
    settled()
    assert seen.rows[-1][1]


def test_the_modes():
    assert gw.config.get_progress() == "auto"
    gw.config.set_progress("on")
    assert gw.config.get_progress() == "on"
    gw.config.set_progress("off")
    gw.config.set_progress("auto")
    with pytest.raises(ValueError, match="the mode is 'sometimes'"):
        gw.config.set_progress("sometimes")


def test_a_terminal_is_written_over(capsys):
    place = _progress.Terminal()
    place.show("step: tracing, 1 s", False)
    place.show("step: first call 2.0 s", True)
    assert capsys.readouterr().err == "\r\x1b[Kstep: tracing, 1 s\r\x1b[Kstep: first call 2.0 s\n"
