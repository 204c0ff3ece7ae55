"""Names of the package whose modules are imported when a program first asks for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._public import name_after
from ._tensorflow.absent import refuse

#: Subpackages that no other part of the package needs when it is imported.
PACKAGES = frozenset(
    {
        "array_api",
        "data",
        "distribute",
        "federated",
        "image",
        "keras",
        "lookup",
        "profiler",
        "signal",
        "stablehlo",
        "summary",
        "train",
    }
)

#: Namespaces of Keras that TensorFlow has at its top level too.
OF_KERAS = frozenset({"initializers", "losses", "metrics", "optimizers"})

#: The end of the names of initializers at the top level, which are made of Keras's.
INITIALIZER = "_initializer"


def find(name: str) -> Any:
    """Imports the object that the package offers under a name, and keeps it under that name.

    Raises:
      AttributeError: the package offers nothing of that name; says what to write instead, if that is known.
    """
    if name in PACKAGES:
        return import_module(f"graphwright.{name}")
    package = import_module("graphwright")
    if name in OF_KERAS:
        found: Any = import_module(f"graphwright.keras.{name}")
    elif name.endswith(INITIALIZER) and name in package.__all__:
        found = getattr(import_module("graphwright._tensorflow.initializers"), name)
        name_after(found, "graphwright", name)
    else:
        refuse("graphwright", name)
    vars(package)[name] = found
    return found
