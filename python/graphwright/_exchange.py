"""Exchange of elements with other libraries: arrays lent by DLPack, columns of tables, Arrow's arrays."""

from __future__ import annotations

import array
import sys
import warnings
from typing import Any

import numpy as np

from . import _native
from ._native import Tensor

#: Names of DLPack's numbers of devices.
_DEVICES = {
    2: "CUDA",
    4: "OpenCL",
    7: "Vulkan",
    8: "Metal",
    10: "ROCm",
    13: "CUDA managed memory",
    14: "oneAPI",
    15: "WebGPU",
    16: "Hexagon",
}
#: Memory of the processor, its own and what a GPU sees too.
_OF_PROCESSOR = (1, 3, 11)

#: Attributes by which an object gives a NumPy array of itself.
_GIVES_ARRAYS = ("__array__", "__array_interface__", "__array_struct__")


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """Makes a tensor over the elements of another library's array, where they lie.

    The tensor reads the array's memory: do not change the array while the tensor is in use. Bools, and
    elements that do not stand row by row, are copied.

    Args:
      x: array that has `__dlpack__`, of NumPy, torch, JAX or another library, on the processor.
      device: `"cpu"`, where all tensors are.
      copy: `True` copies, `False` fails where a copy is needed, `None` copies where it is needed.

    Returns:
      Tensor of the same shape and dtype.

    Raises:
      TypeError: the array is on another device, or no tensor has its dtype (GW301).
      ValueError: `copy` is `False` and the elements have to be copied.

    Example:
      >>> array = np.arange(3.0)
      >>> gw.from_dlpack(array)
      <gw.Tensor: shape=(3,), dtype=float64, numpy=array([0., 1., 2.])>
    """
    if device not in (None, "cpu"):
        raise ValueError(f"tensors are on the device 'cpu', not on {device!r}")
    if isinstance(x, Tensor):
        return _native.reshape(x, _native.shape(x)) if copy else x
    if not hasattr(type(x), "__dlpack__"):
        raise _native.diagnosed(
            "GW301",
            f"a value of type `{type(x).__name__}` has no `__dlpack__`",
            "use `gw.constant(x)`, which copies",
        )
    if isinstance(x, np.ma.MaskedArray | np.matrix):
        # Refused: their operators are not those of arrays.
        return _native.constant(x)
    # In a graph the elements are constants, which a guard compares at each call.
    shared = None if copy or _native.is_tracing() else _native.over_elements(borrowed(x))
    if shared is not None:
        return shared
    if copy is False:
        raise ValueError("`copy` is `False`, but these elements have to be copied")
    return _native.constant(x)


def borrowed(x: Any) -> Any:
    """A NumPy array over the elements of another library's array; `None` for a value that JAX traces."""
    if isinstance(x, Tensor) or _is_traced(x):
        return None
    kind = type(x).__name__
    try:
        number = int(x.__dlpack_device__()[0]) if hasattr(type(x), "__dlpack_device__") else 1
    except Exception as error:
        # A tensor without elements, such as torch's of the device `meta`.
        return _as_array(x, error)
    if number not in _OF_PROCESSOR:
        where = _DEVICES.get(number, f"a device of number {number}")
        raise _native.diagnosed(
            "GW301",
            f"the elements of this `{kind}` lie in memory of {where}, and tensors lie in the processor's",
            "copy the array there first: `x.cpu()` in torch, `jax.device_put(x, jax.devices('cpu')[0])`",
        )
    if kind == "Tensor" and getattr(x, "is_neg", bool)():
        # A view of torch's whose elements are the negatives of those in memory.
        x = x.resolve_neg()
    try:
        with warnings.catch_warnings():
            # Libraries that know no versions of the protocol are no concern of the user's.
            warnings.simplefilter("ignore", DeprecationWarning)
            return np.from_dlpack(x)
    except Exception as error:
        return _as_array(x, error)


def array_of(x: Any) -> Any:
    """A NumPy array of anything that gives one of itself; `None` of anything else."""
    gives = any(hasattr(type(x), name) for name in _GIVES_ARRAYS)
    gives = gives or "__array_interface__" in getattr(x, "__dict__", {})
    if not (gives or isinstance(x, memoryview | array.array)) or _is_traced(x):
        return None
    return _as_array(x, None)


def _as_array(x: Any, reason: Exception | None) -> Any:
    """The array that NumPy makes of an object, or the reason why it cannot."""
    try:
        found = np.asarray(x)
        if found.dtype != object or not found.size or reason is None:
            return found
    except Exception as error:
        reason = reason or error
    is_bfloat16 = str(getattr(x, "dtype", "")).endswith("bfloat16")
    raise _native.diagnosed(
        "GW301",
        f"a `{type(x).__name__}` cannot become a tensor: {reason}",
        "NumPy has no `bfloat16`: give `x.float()`, and cast it to `gw.bfloat16`"
        if is_bfloat16
        else "give a NumPy array of its elements",
    )


def _is_traced(x: Any) -> bool:
    """True of a value that JAX has no elements for yet."""
    core = sys.modules.get("jax.core")
    return core is not None and isinstance(x, core.Tracer)


def arrow_array(tensor: Any, type: Any = None) -> Any:
    """`pa.array(tensor)`: an array of Arrow's of one axis."""
    arrow = _arrow()
    if tensor.ndim != 1:
        raise arrow.ArrowInvalid(f"an array of Arrow's has one axis, and this tensor has {tensor.ndim}")
    if tensor.dtype == _native.string:
        return arrow.array(tensor.tolist(), type=type)
    return arrow.array(np.asarray(tensor), type=type)


def arrow_capsule(tensor: Any, schema: Any = None) -> Any:
    """Arrow's pair of capsules, by which polars and others take a tensor of one axis."""
    return arrow_array(tensor).__arrow_c_array__(schema)


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        message = (
            "tensors become columns of Arrow's by the package `pyarrow`; install it, or give `x.numpy()`"
        )
        raise ImportError(message) from error
    return pyarrow
