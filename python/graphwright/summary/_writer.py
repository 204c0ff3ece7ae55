"""Writers of event files, and which of them is the default, for each thread."""

from __future__ import annotations

import itertools
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from .. import _native, io
from . import _events


class SummaryWriter:
    """Writes summaries to a file of its own in a folder; `gw.summary.create_file_writer` makes one.

    Args:
      logdir: folder.
      suffix: end of the file's name.

    Example:
      >>> import tempfile
      >>> with gw.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
      ...     gw.summary.scalar("loss", 0.5)
      True
    """

    _numbers = itertools.count()

    def __init__(self, logdir: str, suffix: str) -> None:
        os.makedirs(logdir, exist_ok=True)
        place = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(self._numbers)}"
        self._path = os.path.join(logdir, f"events.out.tfevents.{place}{suffix}")
        self._records = io.TFRecordWriter(self._path)
        self._lock = threading.Lock()
        self._closed = False
        self._put(_events.opening(time.time()))

    def __repr__(self) -> str:
        return f"<SummaryWriter {self._path!r}{', closed' if self._closed else ''}>"

    def as_default(self, step: Any = None) -> _AsDefault:
        """Makes this the default writer inside of a `with`.

        Args:
          step: step of the summaries, if it is given.

        Returns:
          Context manager.

        Example:
          >>> import tempfile
          >>> with gw.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
          ...     gw.summary.scalar("loss", 0.5)
          True
        """
        self._check_open()
        return _AsDefault(self, step)

    def set_as_default(self, step: Any = None) -> None:
        """Makes this the default writer of the thread from here on.

        Args:
          step: step of the summaries, if it is given.

        Returns:
          Nothing.

        Example:
          >>> import tempfile, threading
          >>> def log():
          ...     gw.summary.create_file_writer(tempfile.mkdtemp()).set_as_default(step=3)
          ...     print(gw.summary.scalar("loss", 0.5))
          >>> thread = threading.Thread(target=log)
          >>> thread.start(); thread.join()
          True
        """
        self._check_open()
        when_run(lambda given: defaults.become(self, given), step)

    def init(self) -> None:
        """Does nothing, since the file is there as soon as the writer is.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> folder = tempfile.mkdtemp()
          >>> gw.summary.create_file_writer(folder).init()
          >>> ["tfevents" in file.name for file in pathlib.Path(folder).iterdir()]
          [True]
        """

    def flush(self) -> None:
        """Does nothing, since records go to the system at once.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> folder = tempfile.mkdtemp()
          >>> writer = gw.summary.create_file_writer(folder)
          >>> with writer.as_default(step=0):
          ...     _ = gw.summary.scalar("loss", 0.5)
          >>> writer.flush()
          >>> [file.stat().st_size > 0 for file in pathlib.Path(folder).iterdir()]
          [True]
        """

    def close(self) -> None:
        """Closes the file; writing to it again is an error.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> folder = tempfile.mkdtemp()
          >>> writer = gw.summary.create_file_writer(folder)
          >>> with writer.as_default(step=0):
          ...     _ = gw.summary.scalar("loss", 0.5)
          >>> writer.close()
          >>> len(list(pathlib.Path(folder).iterdir()))
          1
        """
        with self._lock:
            self._closed = True
            self._records.close()

    def write(self, step: int, tag: str, value: Any, plugin: str, description: str) -> None:
        """Writes the event of one array.

        Args:
          step: number of the step.
          tag: name of the summary.
          value: NumPy array.
          plugin: name of TensorBoard's plugin.
          description: text, or `None`.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> folder = pathlib.Path(tempfile.mkdtemp())
          >>> writer = gw.summary.create_file_writer(folder)
          >>> writer.write(0, "loss", np.float32(0.5), "scalars", "")
          >>> b"loss" in next(folder.iterdir()).read_bytes()
          True
        """
        self._check_open()
        self._put(_events.summary(time.time(), step, tag, value, plugin, description))

    def write_graph(self, step: int, nodes: list[Any]) -> None:
        """Writes the event of a graph.

        Args:
          step: number of the step.
          nodes: nodes of the graph, as `gw.Graph.as_graph_def` lists them.

        Returns:
          Nothing.

        Example:
          >>> import pathlib, tempfile
          >>> folder = pathlib.Path(tempfile.mkdtemp())
          >>> double = gw.function(lambda x: x * 2.0).get_concrete_function(gw.TensorSpec([], gw.float32))
          >>> writer = gw.summary.create_file_writer(folder)
          >>> writer.write_graph(0, double.graph.as_graph_def().node)
          >>> b"Placeholder" in next(folder.iterdir()).read_bytes()
          True
        """
        self._check_open()
        self._put(_events.graph(time.time(), step, nodes))

    def _put(self, event: bytes) -> None:
        # Nothing waits here: a process that is killed loses nothing, one that forks doubles nothing.
        with self._lock:
            self._records.write(event)
            self._records.flush()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the SummaryWriter is already closed")


@dataclass
class Scope:
    """Where a writer is the default: a `with`, or what is outside of all."""

    writer: SummaryWriter | None = None
    #: The step before, which comes back behind a `with` that has a step of its own.
    before: tuple[Any] | None = None
    #: Where the graph was called that has the `with`: a frame of Python's and the place in its code.
    caller: Any = None
    place: int = 0

    def is_left(self) -> bool:
        """True if the run of the graph that has the `with` is over: an error ends it before the `with`."""
        frame = sys._getframe() if self.caller is not None else None
        while frame is not None and frame is not self.caller:
            frame = frame.f_back
        return self.caller is not None and (frame is None or frame.f_lasti != self.place)


class _Defaults(threading.local):
    """The step of a thread, and its scopes, the innermost last."""

    def __init__(self) -> None:
        self.step: Any = None
        self._scopes = [Scope()]

    @property
    def writer(self) -> SummaryWriter | None:
        """The default writer."""
        return self._innermost().writer

    def become(self, writer: SummaryWriter, step: Any) -> None:
        """Another writer takes the place of the default one."""
        self._innermost().writer = writer
        self.step = self.step if step is None else step

    def enter(self, writer: SummaryWriter, step: Any, caller: Any = None) -> None:
        """A `with` begins, in a graph if there is a frame that calls it."""
        self._innermost()
        before = None if step is None else (self.step,)
        self._scopes.append(Scope(writer, before, caller, caller.f_lasti if caller else 0))
        self.step = self.step if step is None else step

    def leave(self) -> None:
        """The innermost `with` ends."""
        self._innermost()
        self._drop()

    def _innermost(self) -> Scope:
        while self._scopes[-1].is_left():
            self._drop()
        return self._scopes[-1]

    def _drop(self) -> None:
        scope = self._scopes.pop()
        self.step = self.step if scope.before is None else scope.before[0]


defaults = _Defaults()


def when_run(action: Callable[[Any], None], value: Any) -> None:
    """Does something with a value now, or in a graph each time when it runs."""
    if _native.executing_eagerly():
        action(value)
    elif isinstance(value, _native.Tensor):
        _native.py_function(action, [value], [], name="summary")
    else:
        _native.py_function(lambda: action(value), [], [], name="summary")


class _AsDefault:
    """The `with` in which a writer is the default."""

    def __init__(self, writer: SummaryWriter, step: Any) -> None:
        self._writer, self._step = writer, step

    def __enter__(self) -> SummaryWriter:
        when_run(self._enter if _native.executing_eagerly() else self._enter_in_graph, self._step)
        return self._writer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        when_run(lambda _: defaults.leave(), None)

    def _enter(self, step: Any) -> None:
        defaults.enter(self._writer, step)

    def _enter_in_graph(self, step: Any) -> None:
        caller: Any = sys._getframe(1)
        while caller.f_code.co_filename == __file__ and caller.f_back is not None:
            caller = caller.f_back
        defaults.enter(self._writer, step, caller)
