"""`gw.Module`: an object that knows its variables; and the scope outside of graphs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from . import _native


class Module:
    """An object with variables: its own, those in its lists, tuples and dicts, those of the modules in it.

    Example:
      >>> class Line(gw.Module):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.slope = gw.Variable(2.0)
      ...     def __call__(self, x):
      ...         return self.slope * x
      >>> len(Line().trainable_variables)
      1
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name if name is not None else _snake_case(type(self).__name__)

    @property
    def name(self) -> str:
        """The name given, or that of the class in lower case."""
        name: str | None = getattr(self, "_name", None)
        return _snake_case(type(self).__name__) if name is None else name

    @property
    def variables(self) -> tuple[_native.Variable, ...]:
        """Every variable, each once, by the names of the attributes that hold them."""
        return tuple(_inside(self, _native.Variable))

    @property
    def trainable_variables(self) -> tuple[_native.Variable, ...]:
        """The variables that a `GradientTape` watches."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> tuple[_native.Variable, ...]:
        """The variables that a `GradientTape` does not watch."""
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """Every module inside this one, each once."""
        return tuple(found for found in _inside(self, Module) if found is not self)

    def save_weights(self, filepath: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Writes the values of all variables to a file, in the format of safetensors.

        Args:
          filepath: path of the file.
          overwrite: whether a file that is there is replaced; else it is an error.

        Returns:
          Nothing.

        Raises:
          FileExistsError: the file is there.

        Example:
          >>> import tempfile
          >>> layer = gw.keras.layers.Dense(1, kernel_initializer="ones")
          >>> layer.build((None, 2))
          >>> path = tempfile.mkdtemp() + "/layer.safetensors"
          >>> layer.save_weights(path)
          >>> other = gw.keras.layers.Dense(1)
          >>> other.build((None, 2))
          >>> other.load_weights(path)
          >>> other(gw.constant([[1.0, 2.0]])).numpy().tolist()
          [[3.0]]
        """
        from . import _weights

        if not overwrite and os.path.exists(filepath):
            raise FileExistsError(f"{os.fspath(filepath)} is there already: give `overwrite=True`")
        _weights.write(filepath, _weights.named(self, with_optimizers=False))

    def load_weights(self, filepath: str | os.PathLike[str]) -> None:
        """Reads the values of all variables from a file; all of them or, if it fails, none.

        Args:
          filepath: path of the file.

        Returns:
          Nothing.

        Raises:
          DataLossError: the file is damaged.
          ValueError: a name, a shape or a dtype differs.

        Example:
          >>> import tempfile
          >>> layer, other = [gw.keras.layers.Dense(1, kernel_initializer=name) for name in ("ones", "zeros")]
          >>> for one in (layer, other):
          ...     one.build((None, 2))
          >>> path = tempfile.mkdtemp() + "/layer.safetensors"
          >>> layer.save_weights(path)
          >>> other.load_weights(path)
          >>> other.kernel.numpy().tolist()
          [[1.0], [1.0]]
        """
        from . import _weights

        own, values = _weights.named(self, with_optimizers=False), _weights.read(filepath)
        if own.keys() != values.keys():
            missing, left = sorted(own.keys() - values.keys()), sorted(values.keys() - own.keys())
            raise ValueError(f"the file lacks {missing or 'nothing'}, and has besides {left or 'nothing'}")
        _weights.assign(own, values, os.fspath(filepath))


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _inside(root: Module, kind: type) -> Iterator[Any]:
    """The objects of a kind that a module reaches, each once, those nearest to it first."""
    known: set[int] = set()
    level: list[Any] = [root]
    while level:
        following: list[Any] = []
        for thing in level:
            if id(thing) in known:
                continue
            known.add(id(thing))
            if isinstance(thing, kind):
                yield thing
            following.extend(_parts(thing))
        level = following


def _parts(thing: Any) -> Iterable[Any]:
    if isinstance(thing, Module):
        attributes = vars(thing)
        return [attributes[name] for name in sorted(attributes)]
    if isinstance(thing, Mapping):
        return list(thing.values())
    if isinstance(thing, (list, tuple)):
        return thing
    return ()


class init_scope:  # noqa: N801
    """Runs code outside of the graphs that are being built.

    Example:
      >>> @gw.function
      ... def f(x):
      ...     with gw.init_scope():
      ...         print(gw.executing_eagerly())
      ...     return x
      >>> f(gw.constant(1))
      True
      <gw.Tensor: shape=(), dtype=int32, numpy=1>
    """

    def __enter__(self) -> None:
        """Leaves the graphs."""
        _native.enter_init_scope()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Goes back to them."""
        _native.leave_init_scope()
