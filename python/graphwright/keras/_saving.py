"""Models in files: how they are made, their weights, and how they were trained so far."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from .. import _weights
from ..errors import DataLossError
from ._described import Reader, Writer

_MODEL, _FORMAT = "model", "format"

#: The number of what is written here; a file with another one is refused.
_NUMBER = "1"


def save(model: Any, path: str | os.PathLike[str], overwrite: bool) -> None:
    """Writes a model."""
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{os.fspath(path)} is there already: give `overwrite=True`")
    writer = Writer()
    root = writer.layer(model)
    parts = [[writer.value(one._made.shape), one.trainable, type(one).__name__] for one in model._within()]
    told: dict[str, Any] = {"root": root, "parts": parts, "compiled": _compiled(model, writer)}
    told["layers"] = writer.layers
    metadata = {_MODEL: json.dumps(told), _FORMAT: _NUMBER}
    _weights.write(path, _weights.named(model), metadata)


def _compiled(model: Any, writer: Writer) -> Any:
    if model.optimizer is None:
        return None
    optimizer = model.optimizer
    rate = optimizer.get_config()["learning_rate"]
    if callable(rate) and not hasattr(rate, "__dict__"):
        raise ValueError("an optimizer with a function as its rate cannot be saved: give a schedule")
    loss, metrics = model._given_to_compile
    return {
        "optimizer": writer.value(optimizer),
        "built": optimizer.built,
        "loss": writer.value(loss),
        "metrics": writer.value(metrics),
    }


def load(path: str | os.PathLike[str], custom: Mapping[str, Any], is_compiled: bool) -> Any:
    """Reads a model: all of it, or nothing."""
    values, metadata = _weights.read_with_metadata(path)
    if _MODEL not in metadata:
        raise ValueError(f"{os.fspath(path)} holds values, but no model: read it with `load_weights`")
    if _weights.CHECKSUM not in metadata:
        raise DataLossError(f"{os.fspath(path)} is damaged: it has no check sum")
    if metadata.get(_FORMAT) != _NUMBER:
        raise ValueError(
            f"{os.fspath(path)} has the format {metadata.get(_FORMAT)}, and this version reads {_NUMBER}"
        )
    try:
        model = _made(json.loads(metadata[_MODEL]), custom, is_compiled)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"{os.fspath(path)} describes no model of this version: {error!r}") from error
    own = _weights.named(model, with_optimizers=is_compiled)
    wanted = values if is_compiled else {name: values[name] for name in values if name in own}
    if own.keys() != wanted.keys():
        missing, left = sorted(own.keys() - wanted.keys()), sorted(wanted.keys() - own.keys())
        raise ValueError(
            f"{os.fspath(path)} lacks {missing or 'nothing'}, and has besides {left or 'nothing'}"
        )
    _weights.assign(own, wanted, os.fspath(path))
    return model


def _made(told: dict[str, Any], custom: Mapping[str, Any], is_compiled: bool) -> Any:
    reader = Reader(told["layers"], custom)
    model = reader.layers[told["root"]]
    for at, (shape, trainable, name) in enumerate(told["parts"]):
        # To build a layer may make layers within it, which come behind it.
        layer = model._within()[at]
        if type(layer).__name__ != name:
            raise TypeError(f"a {name} is a {type(layer).__name__}")
        layer.trainable = trainable
        if shape is not None and not layer.built:
            layer.build(reader.value(shape))
            layer.built = True
    compiled = told["compiled"]
    if compiled is None or not is_compiled:
        return model
    parts = {name: reader.value(compiled[name]) for name in ("optimizer", "loss", "metrics")}
    model.compile(**parts)
    if compiled["built"]:
        model.optimizer.build(model.trainable_variables)
    return model
