"""Checkpoints: variables of models, optimizers and generators in files, under TensorFlow's names."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import _native, _weights
from .._public import publish as _publish
from .._tensorflow.examples import BytesList, Example, Feature, Features, FloatList, Int64List
from ..errors import DataLossError

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "Example",
    "Feature",
    "Features",
    "FloatList",
    "Int64List",
    "latest_checkpoint",
    "list_variables",
    "load_variable",
]

_SUFFIX = ".safetensors"
_STATE = "checkpoint"


def _file(path: str | os.PathLike[str]) -> Path:
    """The file of a checkpoint, whose path may lack the suffix."""
    text = os.fspath(path)
    return Path(text if text.endswith(_SUFFIX) else text + _SUFFIX)


class _Restored:
    """Status of the values of a file: those that were restored and those that were not."""

    def __init__(self, checkpoint: Checkpoint, names: set[str], path: str) -> None:
        self._checkpoint, self._names, self._path = checkpoint, names, path

    def assert_consumed(self) -> _Restored:
        """Fails unless each value has a variable, and each variable a value."""
        own = set(self._checkpoint._variables())
        if left := sorted(self._names - own):
            raise AssertionError(f"{self._path} has values without a variable: {', '.join(left[:8])}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> _Restored:
        """Fails unless each variable has a value."""
        if left := sorted(set(self._checkpoint._variables()) - self._names):
            raise AssertionError(f"{self._path} lacks values of: {', '.join(left[:8])}")
        return self

    def expect_partial(self) -> _Restored:
        """Takes it that values are left over."""
        return self


class Checkpoint:
    """Variables of objects, which are written to a file and read from it.

    Variables are known by the attributes, keys and places that lead to them. Layers and optimizers that make
    their variables later get their values then.

    Args:
      root: object whose variables are kept, or `None`.
      kwargs: further objects by name.

    Raises:
      TypeError: an object has no variables to keep.

    Example:
      >>> import tempfile
      >>> step = gw.Variable(3)
      >>> path = gw.train.Checkpoint(step=step).save(tempfile.mkdtemp() + "/ckpt")
      >>> _ = step.assign(9)
      >>> _ = gw.train.Checkpoint(step=step).restore(path).assert_consumed()
      >>> int(step)
      3
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, thing in ([("root", root)] if root is not None else []) + list(kwargs.items()):
            if not _weights.is_tracked(thing):
                raise TypeError(f"`{name}` is a `{type(thing).__name__}`, which has no variables to keep")
        self._root, self._objects = root, kwargs
        self.save_counter = _native.Variable(0, dtype=_native.int64, trainable=False, name="save_counter")

    def __getattr__(self, name: str) -> Any:
        objects = self.__dict__.get("_objects", {})
        if name in objects:
            return objects[name]
        raise AttributeError(f"this checkpoint has no object `{name}`", name=name)

    def _whole(self) -> dict[str, Any]:
        root = {} if self._root is None else dict(_weights._parts(self._root, ""))
        if isinstance(self._root, _native.Variable):
            root = {"root": self._root}
        return {**root, **self._objects, "save_counter": self.save_counter}

    def _variables(self) -> dict[str, _native.Variable]:
        return _weights.named(self._whole())

    def write(self, file_prefix: str | os.PathLike[str], options: Any = None) -> str:
        """Writes the variables to a file.

        Args:
          file_prefix: path of the file, without its suffix.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          The path, for `read`.

        Example:
          >>> import tempfile
          >>> checkpoint = gw.train.Checkpoint(step=gw.Variable(1))
          >>> checkpoint.write(tempfile.mkdtemp() + "/a").endswith("/a")
          True
        """
        del options
        _weights.write(_file(file_prefix), self._variables())
        return os.fspath(file_prefix)

    def save(self, file_prefix: str | os.PathLike[str], options: Any = None) -> str:
        """Writes the variables to a file with a number, and notes it as the latest.

        Args:
          file_prefix: path of the file, without number and suffix.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          The path, for `restore`.

        Example:
          >>> import tempfile
          >>> checkpoint = gw.train.Checkpoint(step=gw.Variable(1))
          >>> checkpoint.save(tempfile.mkdtemp() + "/a").endswith("/a-1")
          True
        """
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}", options)
        _note(Path(path).parent, path, [path])
        return path

    def read(self, save_path: str | os.PathLike[str], options: Any = None) -> _Restored:
        """Reads the variables from a file that `write` wrote; all of them or, if it fails, none.

        Args:
          save_path: path of the file.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Status with `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.

        Raises:
          DataLossError: the file is damaged.
          ValueError: a variable has another shape or dtype.

        Example:
          >>> import tempfile
          >>> checkpoint = gw.train.Checkpoint(step=gw.Variable(1))
          >>> _ = checkpoint.read(checkpoint.write(tempfile.mkdtemp() + "/a")).assert_consumed()
        """
        del options
        file = _file(save_path)
        if not file.exists():
            raise FileNotFoundError(f"there is no checkpoint {os.fspath(save_path)!r}")
        values = _weights.read(file)
        variables = self._variables()
        _weights.assign(variables, values, str(file))
        left = {name: value for name, value in values.items() if name not in variables}
        _weights.wait(self._whole(), left, str(file))
        return _Restored(self, set(values), str(file))

    def restore(self, save_path: str | os.PathLike[str] | None, options: Any = None) -> _Restored:
        """Reads the variables from a file that `save` wrote; all of them or, if it fails, none.

        Args:
          save_path: path of the file; with `None` nothing is read.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          Status with `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.

        Raises:
          DataLossError: the file is damaged.

        Example:
          >>> import tempfile
          >>> checkpoint = gw.train.Checkpoint(step=gw.Variable(1))
          >>> _ = checkpoint.restore(gw.train.latest_checkpoint(tempfile.mkdtemp()))
        """
        if save_path is None:
            return _Restored(self, set(self._variables()), "nothing")
        return self.read(save_path, options)


def _note(folder: Path, latest: str, paths: list[str]) -> None:
    """Writes which checkpoints a folder has."""
    lines = [f'model_checkpoint_path: "{Path(latest).name}"']
    lines += [f'all_model_checkpoint_paths: "{Path(path).name}"' for path in paths]
    _weights._replace(folder / _STATE, ("\n".join(lines) + "\n").encode())


def _noted(folder: str | os.PathLike[str]) -> tuple[str | None, list[str]]:
    """The latest checkpoint of a folder and all of them that are still there."""
    try:
        text = Path(folder, _STATE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None, []
    except UnicodeDecodeError:
        raise DataLossError(f"{Path(folder, _STATE)} is damaged") from None
    found = re.findall(r'^(\w+): "(.*)"$', text, re.MULTILINE)
    paths = [os.fspath(Path(folder, name)) for key, name in found if key == "all_model_checkpoint_paths"]
    latest = [os.fspath(Path(folder, name)) for key, name in found if key == "model_checkpoint_path"]
    there = [path for path in paths if _file(path).exists()]
    return (latest[0] if latest and _file(latest[0]).exists() else there[-1] if there else None), there


def latest_checkpoint(
    checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None
) -> str | None:
    """Finds the latest checkpoint of a folder.

    Args:
      checkpoint_dir: the folder.
      latest_filename: accepted as in TensorFlow; has no effect.

    Returns:
      Path for `restore`, or `None`.

    Example:
      >>> import tempfile
      >>> print(gw.train.latest_checkpoint(tempfile.mkdtemp()))
      None
    """
    del latest_filename
    return _noted(checkpoint_dir)[0]


def list_variables(ckpt_dir_or_file: str | os.PathLike[str]) -> list[tuple[str, list[int]]]:
    """Lists names and shapes of the variables of a checkpoint.

    Args:
      ckpt_dir_or_file: path of a checkpoint, or a folder with one.

    Returns:
      List of pairs.

    Example:
      >>> import tempfile
      >>> path = gw.train.Checkpoint(step=gw.Variable([1, 2])).write(tempfile.mkdtemp() + "/a")
      >>> gw.train.list_variables(path)
      [('save_counter', []), ('step', [2])]
    """
    return [(name, list(value.shape)) for name, value in sorted(_values(ckpt_dir_or_file).items())]


def load_variable(ckpt_dir_or_file: str | os.PathLike[str], name: str) -> Any:
    """Reads the value of one variable of a checkpoint.

    Args:
      ckpt_dir_or_file: path of a checkpoint, or a folder with one.
      name: name of the variable.

    Returns:
      NumPy array.

    Example:
      >>> import tempfile
      >>> path = gw.train.Checkpoint(step=gw.Variable([1, 2])).write(tempfile.mkdtemp() + "/a")
      >>> gw.train.load_variable(path, "step").tolist()
      [1, 2]
    """
    values = _values(ckpt_dir_or_file)
    if name not in values:
        raise KeyError(f"the checkpoint has no variable {name!r}; it has {', '.join(sorted(values))}")
    return values[name]


def _values(path: str | os.PathLike[str]) -> dict[str, Any]:
    found = latest_checkpoint(path) if Path(path).is_dir() else path
    if found is None:
        raise FileNotFoundError(f"there is no checkpoint in {os.fspath(path)!r}")
    return _weights.read(_file(found))


class CheckpointManager:
    """The latest checkpoints of a folder; older ones are deleted.

    Args:
      checkpoint: `gw.train.Checkpoint`.
      directory: the folder.
      max_to_keep: number of checkpoints that are kept; `None` keeps all.
      keep_checkpoint_every_n_hours: keeps one of so many hours besides them.
      checkpoint_name: name of the files.
      step_counter: variable that counts steps, for `checkpoint_interval`.
      checkpoint_interval: the least number of steps between two checkpoints.
      init_fn: function that is called where there is no checkpoint to restore.

    Example:
      >>> import tempfile
      >>> manager = gw.train.CheckpointManager(
      ...     gw.train.Checkpoint(step=gw.Variable(1)), tempfile.mkdtemp(), max_to_keep=2
      ... )
      >>> _ = [manager.save() for _ in range(3)]
      >>> [path[-6:] for path in manager.checkpoints]
      ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: str | os.PathLike[str],
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep < 1:
            raise ValueError(f"`max_to_keep` is {max_to_keep}: one checkpoint is kept at least")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`checkpoint_interval` needs `step_counter`")
        self.checkpoint, self.directory = checkpoint, os.fspath(directory)
        self._most, self._name, self._hours = max_to_keep, checkpoint_name, keep_checkpoint_every_n_hours
        self._counter, self._interval, self._init = step_counter, checkpoint_interval, init_fn
        self._last_step: int | None = None
        self._last_kept = time.time()
        self._paths = _noted(directory)[1]

    @property
    def checkpoints(self) -> list[str]:
        """Paths of the checkpoints, the latest last."""
        return list(self._paths)

    @property
    def latest_checkpoint(self) -> str | None:
        """Path of the latest checkpoint, or `None`."""
        return self._paths[-1] if self._paths else None

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Writes a checkpoint and deletes those that are too many.

        Args:
          checkpoint_number: number of the checkpoint; the next one if it is `None`.
          check_interval: whether to wait for `checkpoint_interval`.
          options: accepted as in TensorFlow; has no effect.

        Returns:
          The path, or `None` if it is too early.

        Example:
          >>> import tempfile
          >>> checkpoint = gw.train.Checkpoint(step=gw.Variable(1))
          >>> gw.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), 3).save(7)[-6:]
          'ckpt-7'
        """
        if check_interval and self._is_early():
            return None
        self.checkpoint.save_counter.assign_add(1)
        number = int(self.checkpoint.save_counter if checkpoint_number is None else checkpoint_number)
        path = self.checkpoint.write(os.path.join(self.directory, f"{self._name}-{number}"), options)
        self._paths = [one for one in self._paths if one != path] + [path]
        late = [] if self._most is None else self._paths[: -self._most]
        self._paths = self._paths[len(late) :]
        _note(Path(self.directory), path, self._paths)
        for old in late:
            self._delete(old)
        return path

    def _is_early(self) -> bool:
        if self._interval is None:
            return False
        step, last = int(self._counter), self._last_step
        if last is not None and step - last < self._interval:
            return True
        self._last_step = step
        return False

    def _delete(self, path: str) -> None:
        now = time.time()
        if self._hours is not None and now - self._last_kept >= self._hours * 3600:
            self._last_kept = now
            return
        _file(path).unlink(missing_ok=True)

    def restore_or_initialize(self) -> str | None:
        """Reads the latest checkpoint, or calls `init_fn` where there is none.

        Returns:
          Path of the checkpoint, or `None`.

        Example:
          >>> import tempfile
          >>> checkpoint = gw.train.Checkpoint(step=gw.Variable(1))
          >>> print(gw.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), 3).restore_or_initialize())
          None
        """
        path = self.latest_checkpoint
        if path is not None:
            self.checkpoint.restore(path)
        elif self._init is not None:
            self._init()
        return path


_publish(__name__)
