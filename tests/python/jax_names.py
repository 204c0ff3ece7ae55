"""The names of `jax.numpy`, each with the function of NumPy's or ours that computes the same, and the page of them.

`python jax_names.py` writes the page.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np

import graphwright as gw
from graphwright._numpy import fourier
from numpy_calls import CALLS, REFUSED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "from" / "jax-names.md"
SPACES = ("", "linalg.", "fft.")
#: Our namespaces in which a name is looked for.
OURS = ("gw", "gw.math", "gw.linalg", "gw.signal", "gw.nn", "gw.array_api")
#: Names of JAX's for what other names of ours do.
OTHER = {
    "acos": "gw.acos",
    "array": "gw.constant",
    "asarray": "gw.convert_to_tensor",
    "astype": "gw.cast",
    "from_dlpack": "gw.from_dlpack",
    "ndarray": "gw.Tensor",
    "permute_dims": "np.transpose",
    "promote_types": "gw.result_type",
    "vectorize": "gw.vectorized_map",
}
#: Names that are absent, with what to write instead.
ABSENT = {
    "ComplexWarning": "a cast of complex numbers to real ones is an error",
    "array_repr": "`repr(x)`",
    "array_str": "`str(x)`",
    "c_": "`np.stack` along the last axis",
    "complex_": "`gw.complex128`",
    "dtype": "`gw.as_dtype`",
    "einsum_path": "`np.einsum`, which plans by itself",
    "fft.fftfreq": "`gw.array_api.fft.fftfreq`",
    "fft.rfftfreq": "`gw.array_api.fft.rfftfreq`",
    "float_": "`gw.float64`",
    "frombuffer": "`gw.io.decode_raw`, or `np.frombuffer` outside of graphs",
    "fromfile": "`np.fromfile` outside of graphs",
    "fromiter": "`gw.constant` of a list",
    "fromstring": "`np.fromstring` outside of graphs",
    "frompyfunc": "`gw.vectorized_map`, or the function itself",
    "get_printoptions": "`np.get_printoptions`",
    "index_exp": "`x[…]` itself",
    "load": "`np.load`",
    "mgrid": "`gw.meshgrid`",
    "ogrid": "`gw.meshgrid`",
    "printoptions": "`np.printoptions`",
    "r_": "`np.concatenate`",
    "s_": "`x[…]` itself",
    "save": "`np.save`",
    "savez": "`np.savez`",
    "set_printoptions": "`np.set_printoptions`",
    "sort_complex": "`np.sort` of the real parts",
    "ufunc": "ufuncs of NumPy's take tensors",
}
#: Dtypes of fewer than 8 bits, or of 8 bits with a point.
NARROW = ("float4", "float6", "float8", "int1", "int2", "int4", "uint1", "uint2", "uint4")


def public(module: Any) -> list[str]:
    """The names that a module of JAX's offers, without modules."""
    return [name for name in dir(module) if name[0] != "_" and not inspect.ismodule(getattr(module, name))]


def names() -> list[str]:
    """The names of `jax.numpy` and its namespaces."""
    import jax.numpy as jnp

    found = []
    for space in SPACES:
        module = getattr(jnp, space[:-1]) if space else jnp
        found += [f"{space}{name}" for name in public(module)]
    return sorted(found)


def _value(path: str) -> Any:
    found: Any = {"gw": gw, "np": np}[path.partition(".")[0]]
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def _of_numpy(name: str) -> bool:
    """True if NumPy's function of that name takes tensors, eagerly and in graphs."""
    mine = _value(f"np.{name}")
    if mine is None or name in REFUSED:
        return False
    if name.startswith("fft."):
        return any(one is mine for one in fourier.FOURIER)
    return name in CALLS or any(_value(f"np.{one}") is mine for one in CALLS)


def _is_value(name: str) -> bool:
    """True of numbers, dtypes and classes of dtypes, which NumPy's or ours are."""
    mine = _value(f"np.{name}")
    return isinstance(mine, float | type(None)) or (inspect.isclass(mine) and issubclass(mine, np.generic))


def same(name: str) -> str | None:
    """The function that computes the same; `None` where there is none."""
    last = name.rpartition(".")[2]
    if _of_numpy(name):
        return f"np.{name}"
    if hasattr(np, name) and isinstance(_value(f"np.{name}"), float):
        return f"np.{name}"
    for space in OURS:
        if name in getattr(_value(space), "__all__", ()) or last in getattr(_value(space), "__all__", ()):
            return f"{space}.{last}"
    if name in OTHER:
        return OTHER[name]
    return f"np.{name}" if hasattr(np, name) and _is_value(name) else None


def instead(name: str) -> str:
    """The remedy for an absent name."""
    is_narrow = name.startswith(NARROW)
    return "absent: floats have 16 bits or more, whole numbers 8" if is_narrow else ABSENT.get(name, "absent")


_HEAD = """# Names of jax.numpy

JAX {version} offers {all} names in `jax.numpy`, `jax.numpy.linalg` and `jax.numpy.fft`; {done} of them have a function here that computes
the same. NumPy's functions take tensors, eagerly and in graphs: [NumPy's names](../numpy-names.md) tells their limits.

| `jax.numpy` | here |
|---|---|
"""


def page() -> str:
    """The page."""
    import jax

    listed = names()
    found = {name: same(name) for name in listed}
    done = sum(one is not None for one in found.values())
    rows = []
    for name, one in found.items():
        rows.append(f"| `{name}` | {f'`{one}`' if one else instead(name)} |")
    return _HEAD.format(version=jax.__version__, all=len(listed), done=done) + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
