"""A bar that shows first calls which take longer than a second: tracing, compiling, running."""

from __future__ import annotations

import html
import importlib
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from .. import _native

#: Seconds after which a first call is shown.
PATIENCE = 1.0
#: Seconds between two looks of the thread that shows.
PACE = 0.1


class Shows(Protocol):
    """A place to show a bar in: `text` changes while the call goes on, and is last when it has ended."""

    def show(self, text: str, ended: bool) -> None:
        """Shows a text in the place of the one before."""


class Terminal:
    """A line of the error stream, which is written over."""

    def show(self, text: str, ended: bool) -> None:
        """Writes the line again."""
        sys.stderr.write(f"\r\x1b[K{text}" + ("\n" if ended else ""))
        sys.stderr.flush()


class Notebook:
    """A bar in the output of a cell."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str, ended: bool) -> None:
        """Puts the bar into the output, or changes it."""
        pages: Any = importlib.import_module("IPython.display")
        bar = "<progress value='1' max='1'></progress>" if ended else "<progress></progress>"
        shown = pages.HTML(f"<div>{bar} <code>{html.escape(text)}</code></div>")
        if self._handle is None:
            self._handle = pages.display(shown, display_id=True)
        else:
            self._handle.update(shown)


class Watch:
    """The first calls that are under way, and the thread that shows them while there are some."""

    def __init__(self, place: Callable[[], Shows]) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._stages: list[tuple[str, str, float]] = []
        self._spent: dict[str, float] = {}
        self._name = ""
        self._begun = self._idle_since = 0.0
        self._thread: threading.Thread | None = None

    def __call__(self, function: str, stage: str | None) -> None:
        """Hears that work on a function begins, or that the work that began last ends."""
        now = time.monotonic()
        with self._lock:
            if stage is None:
                if self._stages:
                    _, ended, begun = self._stages.pop()
                    self._spent[ended] = self._spent.get(ended, 0.0) + now - begun
                self._idle_since = now
                return
            self._stages.append((function, stage, now))
            if self._thread is None:
                self._name, self._begun, self._spent = function, now, {}
                self._thread = threading.Thread(target=self._look, name="graphwright-progress", daemon=True)
                self._thread.start()

    def _look(self) -> None:
        """Shows the call once it has taken long enough, until it has ended."""
        place: Shows | None = None
        while True:
            time.sleep(PACE)
            now = time.monotonic()
            with self._lock:
                ended = not self._stages and now - self._idle_since >= PACE
                if ended:
                    self._thread = None
                text = self._last() if ended else self._text(now)
                is_long = (self._idle_since if ended else now) - self._begun >= PATIENCE
            if is_long:
                place = place or self._place()
                place.show(text, ended)
            if ended:
                return

    def _text(self, now: float) -> str:
        stage = self._stages[-1][1] if self._stages else "preparing"
        return f"{self._name}: {stage}, {now - self._begun:.0f} s"

    def _last(self) -> str:
        parts = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in self._spent.items())
        return f"{self._name}: first call {self._idle_since - self._begun:.1f} s ({parts})"


def is_notebook() -> bool:
    """True in the kernel of a notebook."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None and hasattr(found, "get_ipython") else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Setting:
    """The setting of the process."""

    mode = "auto"


def choose(mode: str) -> None:
    """Listens to first calls as the mode says."""
    Setting.mode = mode
    if mode == "off" or (mode == "auto" and not is_notebook()):
        _native.listen_to_first_calls(None)
    else:
        _native.listen_to_first_calls(Watch(Notebook if is_notebook() else Terminal))
