"""TensorFlow's settings of devices, which there is one of, and its global generator."""

from __future__ import annotations

from typing import Any

from .. import _native
from .graphs import PhysicalDevice

__all__ = [
    "get_global_generator",
    "set_global_generator",
    "set_log_device_placement",
    "set_memory_growth",
    "set_visible_devices",
]


def _known(device: Any) -> None:
    """Refuses a device that is not there."""
    if not isinstance(device, PhysicalDevice) or device.device_type != "CPU":
        raise ValueError(f"{device!r} is no device: `gw.config.list_physical_devices()` lists them")


def set_memory_growth(device: Any, enable: bool) -> None:
    """Accepts the setting of a device, which takes memory as it needs it.

    Args:
      device: device of `gw.config.list_physical_devices`.
      enable: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Raises:
      ValueError: there is no such device.

    Example:
      >>> for device in gw.config.list_physical_devices():
      ...     gw.config.experimental.set_memory_growth(device, True)
    """
    del enable
    _known(device)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Accepts the only device.

    Args:
      devices: device or list of devices.
      device_type: kind of the devices.

    Returns:
      Nothing.

    Raises:
      ValueError: there is no such device.

    Example:
      >>> gw.config.set_visible_devices([], "GPU")
      >>> gw.config.set_visible_devices(gw.config.list_physical_devices("CPU"))
    """
    for device in devices if isinstance(devices, list) else [devices]:
        _known(device)
    if device_type == "CPU" and not devices:
        raise ValueError("the only device cannot be hidden")


def set_log_device_placement(enabled: bool) -> None:
    """Accepts the setting: all operations run on one device.

    Args:
      enabled: accepted as in TensorFlow; has no effect.

    Returns:
      Nothing.

    Example:
      >>> gw.debugging.set_log_device_placement(True)
      >>> gw.constant(1).device
      'cpu'
    """
    del enabled
    return None


_global: dict[str, Any] = {}


def get_global_generator() -> Any:
    """Gives the generator that programs share; it begins at a random state.

    Returns:
      `gw.random.Generator`.

    Example:
      >>> gw.random.set_global_generator(gw.random.Generator.from_seed(3))
      >>> gw.random.get_global_generator().normal([2]).shape
      (2,)
    """
    if "generator" not in _global:
        _global["generator"] = _native.RandomGenerator.from_non_deterministic_state()
    return _global["generator"]


def set_global_generator(generator: Any) -> None:
    """Replaces the generator that programs share.

    Args:
      generator: `gw.random.Generator`.

    Returns:
      Nothing.

    Raises:
      TypeError: it is no generator.

    Example:
      >>> generator = gw.random.Generator.from_seed(3)
      >>> gw.random.set_global_generator(generator)
      >>> gw.random.get_global_generator() is generator
      True
    """
    if not isinstance(generator, _native.RandomGenerator):
        raise TypeError(f"a `gw.random.Generator` is wanted, not a `{type(generator).__name__}`")
    _global["generator"] = generator
