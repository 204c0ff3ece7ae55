"""Models by Keras's names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._composed import Sequential
from ._model import Model

__all__ = ["Model", "Sequential", "load_model", "save_model"]


def save_model(model: Model, filepath: str | os.PathLike[str], overwrite: bool = True) -> None:
    """Writes a whole model to a file.

    Args:
      model: the model.
      filepath: path of the file.
      overwrite: whether a file that is there is replaced; else it is an error.

    Returns:
      Nothing.

    Raises:
      FileExistsError: the file is there.
      ValueError: the model holds a function without a name, or a class in a function.

    Example:
      >>> import tempfile
      >>> path = tempfile.mkdtemp() + "/model.safetensors"
      >>> gw.keras.models.save_model(gw.keras.Sequential([gw.keras.layers.Dense(1)]), path)
      >>> gw.keras.models.load_model(path).layers[0].units
      1
    """
    model.save(filepath, overwrite)


def load_model(
    filepath: str | os.PathLike[str], custom_objects: Mapping[str, Any] | None = None, compile: bool = True
) -> Any:
    """Reads a model that `save` has written: all of it or, if that fails, nothing.

    Args:
      filepath: path of the file.
      custom_objects: dict of the classes and functions of your own that the model is made of, by name.
      compile: whether it is compiled as it was, with the state of its optimizer.

    Returns:
      Model.

    Raises:
      DataLossError: the file is damaged.
      ValueError: it holds no model, or one of another version, or a class that `custom_objects` lacks.

    Example:
      >>> import tempfile
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("adam", "mse")
      >>> history = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
      >>> path = tempfile.mkdtemp() + "/model.safetensors"
      >>> model.save(path)
      >>> again = gw.keras.models.load_model(path)
      >>> int(again.optimizer.iterations.numpy()), again.predict(np.ones((4, 2))).shape
      (1, (4, 1))
    """
    from ._saving import load

    return load(filepath, custom_objects or {}, compile)
