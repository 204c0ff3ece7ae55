"""Summaries of values of a program, in files that TensorBoard shows, under TensorFlow's names.

Nothing is written where there is no default writer. In a graph a summary is a call of Python, made when the
graph runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from .._native import TensorSpec, Variable
from .._public import publish as _publish
from ..autograph import do_not_convert
from . import experimental
from ._writer import SummaryWriter, defaults

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "scalar",
    "text",
]

#: Names of the summaries of each plugin in graphs.
_CALLED = {"scalars": "summary.scalar", "histograms": "summary.histogram", "text": "summary.text"}


@do_not_convert
def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """A writer of a new file in a folder, which is made where it is not there.

    `max_queue` and `flush_millis` are accepted: each summary is written at once.

    Args:
      logdir: folder, which is made if it is not there.
      max_queue: accepted as in TensorFlow; has no effect.
      flush_millis: accepted as in TensorFlow; has no effect.
      filename_suffix: end of the file's name.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `SummaryWriter`.

    Example:
      >>> import tempfile
      >>> writer = gw.summary.create_file_writer(tempfile.mkdtemp())
      >>> writer.close()
    """
    del max_queue, flush_millis, name
    if not _native.executing_eagerly():
        raise ValueError("create_file_writer() opens a file, once: call it outside of the function")
    return SummaryWriter(os.fspath(logdir), ".v2" if filename_suffix is None else filename_suffix)


@do_not_convert
def flush(writer: SummaryWriter | None = None) -> None:
    """Does nothing, since records go to the system at once.

    Args:
      writer: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Example:
      >>> import pathlib, tempfile
      >>> folder = tempfile.mkdtemp()
      >>> with gw.summary.create_file_writer(folder).as_default(step=0):
      ...     _ = gw.summary.scalar("loss", 0.5)
      ...     gw.summary.flush()
      >>> [file.stat().st_size > 0 for file in pathlib.Path(folder).iterdir()]
      [True]
    """
    del writer


@do_not_convert
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes one number, as `float32`; gives whether there was a writer to write it.

    Args:
      name: under which name TensorBoard shows it.
      data: a tensor without axes, or a number.
      step: where on the axis it stands; else that of `gw.summary.experimental.set_step`.
      description: text beside it in TensorBoard, in Markdown.

    Returns:
      True if there was a writer.

    Example:
      >>> import tempfile
      >>> with gw.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
      ...     gw.summary.scalar("loss", 0.5)
      True
    """
    value = _numbers(data, "scalar")
    if len(value.shape) != 0:
        raise ValueError(f"scalar() takes a number, and `{name}` is of shape {tuple(value.shape)}")
    return _write(name, "scalars", _native.cast(value, _native.float32), step, description, np.asarray)


@do_not_convert
def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> Any:
    """Writes a histogram of numbers.

    Args:
      data: tensor of numbers, of any shape.
      step: number of the step; the one that was set if it is `None`.
      buckets: number of equal parts of the range; 30 if it is `None`.
      description: text, or `None`.
      name: tag of the summary.

    Returns:
      True if there was a writer.

    Example:
      >>> import tempfile
      >>> with gw.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
      ...     gw.summary.histogram("weights", gw.ones([4]))
      True
    """
    parts = 30 if buckets is None else buckets
    value = _native.cast(_numbers(data, "histogram"), _native.float64)
    return _write(name, "histograms", value, step, description, lambda array: _counted(array.ravel(), parts))


@do_not_convert
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Writes texts, which TensorBoard shows as Markdown.

    Args:
      data: string tensor or text.
      step: number of the step; the one that was set if it is `None`.
      description: text, or `None`.
      name: tag of the summary.

    Returns:
      True if there was a writer.

    Example:
      >>> import tempfile
      >>> with gw.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
      ...     gw.summary.text("note", "**begun**")
      True
    """
    value = _native.convert_to_tensor(data)
    if value.dtype != _native.string:
        raise TypeError(f"text() takes strings, and `{name}` is of {value.dtype.name}")
    return _write(name, "text", value, step, description, lambda array: np.asarray(array, object))


def graph(graph_data: Any, step: Any = None) -> bool:
    """Writes a graph, which TensorBoard draws in its tab `Graphs`; gives whether there was a writer.

    Args:
      graph_data: a `gw.Graph`, or a concrete function, whose graph is taken.
      step: where on the axis it stands; 0 if it is left out.

    Returns:
      bool.

    Raises:
      TypeError: if it is neither.
      RuntimeError: in a graph: a graph is written once, from outside of it.

    Example:
      >>> import graphwright as gw, tempfile
      >>> double = gw.function(lambda x: x * 2.0).get_concrete_function(gw.TensorSpec([], gw.float32))
      >>> with gw.summary.create_file_writer(tempfile.mkdtemp()).as_default():
      ...     gw.summary.graph(double.graph)
      True
    """
    if not _native.executing_eagerly():
        raise RuntimeError("graph() writes a graph once: call it outside of the function")
    found = getattr(graph_data, "graph", graph_data)
    if not isinstance(found, _native.Graph):
        raise TypeError(f"graph() takes a `gw.Graph`, not `{type(graph_data).__name__}`")
    writer = defaults.writer
    if writer is None:
        return False
    writer.write_graph(0 if step is None else int(experimental.number(step)), found.as_graph_def().node)
    return True


def _write(
    name: str, plugin: str, value: Any, step: Any, description: str | None, made: Callable[[Any], Any]
) -> Any:
    def summary(array: Any, given: Any = None) -> Any:
        writer = defaults.writer
        if writer is None:
            return np.bool_(False)
        at = experimental.current() if given is None else given
        writer.write(int(at), name, made(array), plugin, description or "")
        return np.bool_(True)

    if _native.executing_eagerly():
        return bool(summary(value.numpy(), None if step is None else experimental.number(step)))
    operands = [_native.stop_gradient(value) if value.dtype.is_floating else value]
    if step is not None:
        operands.append(_native.cast(step.value() if isinstance(step, Variable) else step, _native.int64))
    return _native.numpy_function(summary, operands, TensorSpec([], _native.bool), name=_CALLED[plugin])


def _numbers(data: Any, function: str) -> Any:
    value = _native.convert_to_tensor(data)
    if value.dtype == _native.string:
        raise TypeError(f"{function}() takes numbers, and not strings")
    return value


def _counted(numbers: Any, buckets: int) -> Any:
    """Rows of `(left edge, right edge, how many)`; what is not finite has no place among them."""
    finite = numbers[np.isfinite(numbers)]
    if finite.size == 0:
        return np.zeros((0, 3))
    low, high = finite.min(), finite.max()
    if low == high:
        return np.array([[low, high, finite.size]], np.float64)
    counts, edges = np.histogram(finite, buckets, (low, high))
    return np.column_stack([edges[:-1], edges[1:], counts])


_publish(__name__)
