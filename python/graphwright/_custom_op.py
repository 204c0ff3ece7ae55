"""Operations that a program adds: C functions of numbers, which graphs call, and functions of Python's."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from typing import Any

from . import _native

_Types = tuple[list[_native.DType], _native.DType]

#: Objects that are kept because graphs hold the addresses of its functions.
_KEPT: list[Any] = []

#: The class of all functions of `ctypes`.
_FUNCTION: Any = ctypes.CFUNCTYPE(None).__base__

_FLOATS = {4: _native.float32, 8: _native.float64}
_INTEGERS = {4: _native.int32, 8: _native.int64}


def custom_op(name: str, type_rule: Any, kernel: Any) -> Callable[..., _native.Tensor]:
    """Makes an operation of a C function of numbers, or of a function of Python's.

    A C function takes and gives `int32`, `int64`, `float32` or `float64`, and is applied to each element;
    operands broadcast. It is a `ctypes` function with `argtypes` and `restype`, a pointer of `cffi`, a
    `numba.cfunc`, or an address. Loops of a graph call it without Python and from several threads, so it must
    depend on its arguments alone.

    Args:
      name: The name in graphs and messages.
      type_rule: Of a C function the types that it takes and gives, `([gw.float64, gw.int32], gw.float64)`;
          `None` where the kernel says them. Of a function of Python's, a function that gives the
          `gw.TensorSpec` of the result (or a list of them) for those of the arguments.
      kernel: The function. The host calls a function of Python's when the graph runs, with NumPy arrays.

    Returns:
      A function of tensors. `gw.custom_gradient` around it says its derivative.

    Raises:
      ValueError: If the types are missing, others than the kernel's, or none of a C function of numbers.
      TypeError: If the kernel is no function.

    Example:
      >>> import ctypes
      >>> @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
      ... def twice(x):
      ...     return 2 * x
      >>> op = gw.custom_op("twice", ([gw.float64], gw.float64), twice)
      >>> op(gw.constant([1.0, 2.0], gw.float64))
      <gw.Tensor: shape=(2,), dtype=float64, numpy=array([2., 4.])>
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"the name of a custom op is an identifier, not {name!r}")
    found = _native_kernel(kernel)
    if found is None:
        return _of_python(name, type_rule, kernel)
    address, own = found
    takes, gives = _agreed(name, own, type_rule)
    function = _native.NativeFunction(name, takes, gives, address)
    _KEPT.append(kernel)

    def op(*args: Any) -> _native.Tensor:
        if len(args) != len(takes):
            raise TypeError(f"{name}() takes {len(takes)} arguments, but {len(args)} were given")
        return function(*args)

    return _named(op, name)


def _named(op: Callable[..., Any], name: str) -> Callable[..., Any]:
    op.__name__ = op.__qualname__ = name
    return op


def _of_python(name: str, type_rule: Any, kernel: Any) -> Callable[..., Any]:
    """The op of a function of Python's, which the host calls."""
    if not callable(kernel):
        raise TypeError(
            f"the kernel of `{name}` is a C function of ctypes, cffi or Numba, an address, or a function of "
            f"Python's, not a value of type `{type(kernel).__name__}`"
        )
    if not callable(type_rule):
        raise ValueError(
            f"`{name}` is a function of Python's: its type rule is a function of `gw.TensorSpec`s"
        )

    def op(*args: Any) -> Any:
        tensors = [_native.convert_to_tensor(arg) for arg in args]
        specs = [_native.TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
        return _native.numpy_function(kernel, tensors, type_rule(*specs), name=name)

    return _named(op, name)


def _agreed(name: str, own: _Types | None, said: Any) -> _Types:
    """The types of a C function, which it says or which are said of it."""
    if said is None:
        if own is None:
            raise ValueError(
                f"the kernel of `{name}` does not say its types: pass them, `([gw.float64], gw.float64)`"
            )
        return own
    try:
        takes, gives = said
        types = [_native.as_dtype(one) for one in takes], _native.as_dtype(gives)
    except (TypeError, ValueError) as error:
        message = f"the types of `{name}` are those that it takes and the one that it gives"
        raise ValueError(f"{message}, `([gw.float64], gw.float64)`") from error
    if own not in (None, types):
        raise ValueError(
            f"the kernel of `{name}` is declared with {_text(own)}, and the type rule says {_text(types)}"
        )
    return types


def _text(types: _Types | None) -> str:
    takes, gives = types or ([], None)
    return f"({', '.join(one.name for one in takes)}) -> {gives.name if gives else '?'}"


def _native_kernel(kernel: Any) -> tuple[int, _Types | None] | None:
    """The address of a C function, and its types if it says them."""
    if isinstance(kernel, int) and not isinstance(kernel, bool):
        return kernel, None
    if isinstance(kernel, _FUNCTION):
        return ctypes.cast(kernel, ctypes.c_void_p).value or 0, _of_ctypes(kernel)
    if hasattr(kernel, "address") and hasattr(kernel, "_sig"):
        return kernel.address, _of_numba(kernel._sig)
    if type(kernel).__module__ == "_cffi_backend":
        return _of_cffi(kernel)
    return None


def _of_ctypes(kernel: Any) -> _Types | None:
    if kernel.argtypes is None:
        return None
    return [_of_c(one) for one in kernel.argtypes], _of_c(kernel.restype)


def _of_c(kind: Any) -> _native.DType:
    code = getattr(kind, "_type_", None)
    known = _FLOATS if code in ("f", "d") else _INTEGERS if code in ("i", "l", "q") else {}
    return _known(known, ctypes.sizeof(kind) if known else 0, getattr(kind, "__name__", str(kind)))


def _of_numba(signature: Any) -> _Types:
    return [_of_name(str(one)) for one in signature.args], _of_name(str(signature.return_type))


def _of_name(name: str) -> _native.DType:
    known = {one.name: one for one in (*_FLOATS.values(), *_INTEGERS.values())}
    return _known(known, name, name)


def _of_cffi(kernel: Any) -> tuple[int, _Types] | None:
    cffi = importlib.import_module("_cffi_backend")

    kind = cffi.typeof(kernel)
    if kind.kind not in ("function", "pointer") or not hasattr(kind, "args"):
        return None
    address = int(cffi.cast(cffi.new_primitive_type("uintptr_t"), kernel))
    return address, ([_of_cffi_type(one) for one in kind.args], _of_cffi_type(kind.result))


def _of_cffi_type(kind: Any) -> _native.DType:
    cffi = importlib.import_module("_cffi_backend")

    floats = kind.cname in ("float", "double")
    signed = kind.kind == "primitive" and int(cffi.cast(kind, -1)) < 0 and "char" not in kind.cname
    return _known(_FLOATS if floats else _INTEGERS if signed else {}, cffi.sizeof(kind), kind.cname)


def _known(types: dict[Any, _native.DType], key: Any, name: str) -> _native.DType:
    if key not in types:
        raise ValueError(
            f"a C function of numbers takes and gives int32, int64, float32 or float64, not `{name}`"
        )
    return types[key]
