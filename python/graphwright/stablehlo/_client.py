"""JAX's CPU client: from the text of a module to a function on NumPy arrays.

Of JAX this file alone names what is not public: there is no public way to run a module that JAX has not made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

try:
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] not in {"jax", "jaxlib"}:
        raise
    message = "StableHLO is run by JAX, which is not installed: `pip install graphwright[stablehlo]`"
    raise ModuleNotFoundError(message, name=error.name) from None

__all__ = ["compiled"]


def compiled(text: str) -> Callable[[Sequence[Any]], list[Any]]:
    """The module's `@main`, on arrays of just its types."""
    client = xla_bridge.get_backend("cpu")
    devices = client.local_devices()[:1]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        executable = executable_of(client, devices, module)

    def run(arrays: Sequence[Any]) -> list[Any]:
        with wide():
            inputs = [jax.device_put(array, devices[0]) for array in arrays]
        return [np.asarray(result) for result in executable.execute(inputs)]

    return run


def executable_of(client: Any, devices: list[Any], module: Any) -> Any:
    """The executable; older clients take a module as its bytes."""
    options, where = xla_client.CompileOptions(), xla_client.DeviceList(tuple(devices))
    try:
        return client.compile_and_load(module, where, options)
    except TypeError:
        return client.compile_and_load(mlir.module_to_bytecode(module), where, options)


def wide() -> Any:
    """Arrays of 64 bits stay as they are."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()
