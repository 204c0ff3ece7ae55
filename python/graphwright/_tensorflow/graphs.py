"""TensorFlow's names of devices, groups and dependencies; effects run in order without them."""

from __future__ import annotations

import builtins
import contextlib
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import _native
from .._native import Tensor

__all__ = [
    "control_dependencies",
    "device",
    "get_static_value",
    "group",
    "is_symbolic_tensor",
    "list_logical_devices",
    "list_physical_devices",
    "no_op",
    "timestamp",
    "tuple",
]


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that programs name."""

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices of a kind: there is one processor.

    Args:
      device_type: `"CPU"`, `"GPU"` or another kind; all if it is `None`.

    Returns:
      List of devices.

    Example:
      >>> [device.device_type for device in gw.config.list_physical_devices()]
      ['CPU']
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the devices of a kind: there is one processor.

    Args:
      device_type: `"CPU"`, `"GPU"` or another kind; all if it is `None`.

    Returns:
      List of devices.

    Example:
      >>> [device.name for device in gw.config.list_logical_devices("CPU")]
      ['/device:CPU:0']
    """
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


@contextlib.contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Says where operations run: there is one processor.

    Args:
      device_name: name of a device, or `None`.

    Returns:
      Context manager.

    Raises:
      InvalidArgumentError: there is no such device.

    Example:
      >>> with gw.device("/CPU:0"):
      ...     print(gw.constant(1).device)
      cpu
    """
    name = "" if device_name is None else str(device_name)
    kind = name.upper().replace("/DEVICE", "").rpartition("/")[2].strip(":").partition(":")[0]
    if kind not in ("", "CPU"):
        raise _native.InvalidArgumentError(
            f"there is no device {name!r}: `gw.config.list_logical_devices()` lists them"
        )
    yield


@contextlib.contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Runs operations behind others, which graphs do in the order of the program anyway.

    Args:
      control_inputs: list of tensors or operations, or `None`.

    Returns:
      Context manager.

    Example:
      >>> x = gw.constant(1)
      >>> with gw.control_dependencies([x]):
      ...     print(int(x + 1))
      2
    """
    if control_inputs is not None and not isinstance(control_inputs, (list, builtins.tuple)):
        raise TypeError(
            f"`control_inputs` is a list of tensors or operations, not a `{type(control_inputs).__name__}`"
        )
    yield


def group(*inputs: Any, name: str | None = None) -> None:
    """Joins operations, which have run already.

    Args:
      inputs: tensors or operations.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Example:
      >>> print(gw.group(gw.constant(1), gw.constant(2)))
      None
    """
    del name
    return None


def no_op(name: str | None = None) -> None:
    """Does nothing.

    Args:
      name: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Example:
      >>> print(gw.no_op())
      None
    """
    del name
    return None


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """Gives a list of tensors, behind others.

    Args:
      tensors: list of tensors; `None` stays.
      control_inputs: list of tensors or operations.
      name: accepted as in TensorFlow; has no effect.

    Returns:
      List of tensors.

    Example:
      >>> [int(x) for x in gw.tuple([gw.constant(1), gw.constant(2)])]
      [1, 2]
    """
    del control_inputs, name
    return [None if one is None else _native.convert_to_tensor(one) for one in tensors]


def timestamp(name: str | None = None) -> Tensor:
    """Tells the seconds since 1970, when it runs.

    Args:
      name: accepted as in TensorFlow; has no effect.

    Returns:
      `float64` scalar.

    Example:
      >>> float(gw.timestamp()) > 1e9
      True
    """
    del name
    if _native.executing_eagerly():
        return _native.constant(time.time(), _native.float64)
    import numpy as np

    result: Tensor = _native.numpy_function(
        lambda: np.float64(time.time()), [], _native.TensorSpec([], _native.float64)
    )
    return result


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Gives the elements of a tensor that are known now.

    Args:
      tensor: tensor.
      partial: accepted as in TensorFlow; has no effect.

    Returns:
      NumPy array, or `None` where they are known when the graph runs.

    Example:
      >>> gw.get_static_value(gw.constant([1, 2])).tolist()
      [1, 2]
    """
    del partial
    x = _native.convert_to_tensor(tensor)
    return None if _native.is_staged(x) else x.numpy()


def is_symbolic_tensor(tensor: Any) -> bool:
    """Tells if a tensor is part of a graph that is being built.

    Args:
      tensor: any object.

    Returns:
      `bool`.

    Example:
      >>> gw.is_symbolic_tensor(gw.constant(1))
      False
    """
    return isinstance(tensor, Tensor) and _native.is_staged(tensor)
