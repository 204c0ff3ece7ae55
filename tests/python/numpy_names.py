"""Tries NumPy's functions as plain NumPy, eagerly on tensors, and in graphs; and the table of names made of it."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import re
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import graphwright as gw
from numpy_calls import CALLS, NOTES, REFUSED, UFUNC_CALLS

#: The dtypes of each kind. NumPy's Python numbers keep `float32` and `int32`; two dtypes of 32 bits meet elsewhere.
KINDS = {"f": ("float64", "float32"), "i": ("int64", "int32"), "u": ("uint8", "uint64"), "b": ("bool",)}


def arrays(dtype: str) -> dict[str, np.ndarray]:
    """The arrays by their letters."""
    random = np.random.default_rng(5)
    least = 0 if dtype.startswith("u") else -4

    def some(*shape: int) -> np.ndarray:
        return random.integers(least, 6, shape).astype(dtype)

    spoilt = np.array([1.0, np.nan, -2.0, 3.0, np.nan])
    kind = dtype if dtype.startswith("f") else "float64"
    square = some(3, 3)
    symmetric = square.astype("float64") @ square.T.astype("float64") + np.eye(3) * 3.0
    return {
        "v": some(5),
        "w": some(5),
        "s": np.sort(some(6)),
        "i": np.array([0, 3, 1, 3, 2]),
        "k": np.array([2, 0, 1, 3, 2]),
        "m": some(3, 4),
        "q": square,
        "h": symmetric.astype(kind),
        "c": some(2, 3, 4),
        "e": np.zeros(0, dtype),
        "z": np.array(2, dtype),
        "n": spoilt.astype(kind),
        "l": np.array([[1.0, np.nan], [4.0, 2.0], [np.nan, -1.0]]).astype(kind),
        "t": np.array([True, False, True, True, False]),
        "g": random.integers(0, 2, (3, 4)).astype(bool),
        "x": some(5),
        "y": some(3, 4),
    }


def expressions(text: str) -> tuple[list[str], str]:
    """The calls of a row of the table, and the kinds of dtypes that they are tried with."""
    calls, _, kinds = text.partition(" | ")
    parts = [part.strip() for part in calls.split(";")]
    found: list[str] = []
    while parts:
        part = parts.pop(0)
        if parts and parts[0].startswith("return"):
            part = f"{part}; {parts.pop(0)}"
        found.append(part)
    return found, kinds.strip() or "fi"


@functools.cache
def functions() -> dict[str, list[Callable[..., Any]]]:
    """The functions that make the calls, by the name of NumPy's function; they stand in a file, as any function does."""
    rows = {**CALLS, "ufunc methods": UFUNC_CALLS}
    lines, places = ["import numpy as np\n"], {}
    for name, text in rows.items():
        places[name] = []
        for call in expressions(text)[0]:
            number = sum(map(len, places.values()))
            letters = [
                one
                for one in dict.fromkeys(re.findall(r"(?<![\w.'])([a-z])(?![\w'=(])", call))
                if one not in "pra"
            ]
            letters = [one for one in letters if one in arrays("int64")]
            body = call if "return" in call else f"return {call}"
            lines.append(f"def call_{number}({', '.join(letters)}):\n    {body}\n")
            places[name].append(f"call_{number}")
    folder = tempfile.mkdtemp()
    file = Path(folder) / "numpy_calls_made.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("numpy_calls_made", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: [getattr(module, one) for one in found] for name, found in places.items()}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def attempt(function: Callable[..., Any], values: list[Any]) -> Any:
    """The result of a call, or its exception."""
    with quiet():
        try:
            return function(*values)
        except Exception as error:
            return error


def given(function: Callable[..., Any], dtype: str) -> list[np.ndarray]:
    pool = arrays(dtype)
    return [pool[name].copy() for name in function.__code__.co_varnames[: function.__code__.co_argcount]]


def agree(found: Any, wanted: Any, dtype: str) -> str | None:
    """Says in which way a result differs from NumPy's; `None` where it does not."""
    if isinstance(wanted, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(wanted):
            return f"{type(found).__name__} for {len(wanted)} results"
        parts = (agree(a, b, dtype) for a, b in zip(found, wanted, strict=True))
        return next((part for part in parts if part), None)
    if wanted is None or isinstance(wanted, np.dtype):
        return None if found == wanted else f"{found!r}"
    ours, theirs = np.asarray(found), np.asarray(wanted)
    if ours.shape != theirs.shape:
        return f"shape {ours.shape} for {theirs.shape}"
    if ours.dtype != theirs.dtype and not _is_documented(ours.dtype, theirs.dtype, dtype):
        return f"dtype {ours.dtype} for {theirs.dtype}"
    close = 3e-5 if np.float32 in (ours.dtype, theirs.dtype) or dtype == "float32" else 1e-9
    with np.errstate(all="ignore"):
        whole = complex if "c" in (ours.dtype.kind, theirs.dtype.kind) else float
    if not np.allclose(ours.astype(whole), theirs.astype(whole), rtol=close, atol=close, equal_nan=True):
        return f"{ours.tolist()} for {theirs.tolist()}"
    return None


def _is_documented(ours: np.dtype, theirs: np.dtype, dtype: str) -> bool:
    """Integers and floats meet in the floats' dtype, and two numbers of Python's in 32 bits."""
    narrow = "float32" in (dtype, ours.name) and theirs.kind == "f" or dtype in ("int32", "uint8")
    return ours.kind == theirs.kind and narrow or {ours.kind, theirs.kind} == {"i", "u"} and dtype == "uint64"


def judged(function: Callable[..., Any], dtype: str, staged: bool) -> str | None:
    """The fault of one call; `None` if NumPy gives the same, or fails too."""
    wanted = attempt(function, given(function, dtype))
    if staged:
        graph = gw.function(function)
        tries = [attempt(graph, given(function, dtype)) for _ in range(2)]
    else:
        tries = [attempt(function, [gw.constant(one) for one in given(function, dtype)])]
    for found in tries:
        if isinstance(wanted, Exception):
            if not isinstance(found, Exception):
                return f"no error for {type(wanted).__name__}: {wanted}"
            continue
        if isinstance(found, Exception):
            return f"{type(found).__name__}: {str(found).splitlines()[0]}"
        if (wrong := agree(found, wanted, dtype)) is not None:
            return wrong
    return None


def dtypes_of(name: str) -> list[str]:
    """The dtypes with which the calls of a name are tried."""
    text = CALLS.get(name, UFUNC_CALLS)
    return [dtype for kind in expressions(text)[1] for dtype in KINDS[kind]]


def findings(name: str) -> list[str]:
    """The faults of all calls of a name, eagerly and staged."""
    found = []
    for function in functions()[name]:
        for dtype in dtypes_of(name):
            for staged in (False, True):
                if (wrong := judged(function, dtype, staged)) is not None:
                    source = Path(function.__code__.co_filename).read_text().splitlines()
                    line = source[function.__code__.co_firstlineno].strip()
                    found.append(f"{line} of {dtype}, {'staged' if staged else 'eager'}: {wrong}")
    return found


def is_numeric(name: str, value: Any) -> bool:
    """True of functions of numbers: not of texts, files, dates, records, settings, and what says how NumPy was built."""
    is_function = callable(value) and not isinstance(value, type | types.ModuleType)
    return is_function and not name.startswith("_") and name not in OTHERS and not name.startswith(PREFIXES)


PREFIXES = (
    "array2",
    "array_re",
    "array_str",
    "base_",
    "binary_",
    "busday",
    "datetime",
    "format_float",
    "get",
    "is_bus",
    "load",
)
PREFIXES = (*PREFIXES, "print", "save", "set_", "setb", "seterr", "show_")
#: Names of what is no function of numbers.
OTHERS = set(
    "einsum_path from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromregex fromstring genfromtxt info "
    "nested_iters mintypecode typename test savetxt loadtxt iterable isfortran asmatrix bmat isnat r_ c_ s_ "
    "shares_memory may_share_memory".split()
)


def names() -> list[str]:
    """The names of NumPy's functions of numbers, one for each function."""
    seen: dict[int, str] = {}
    for prefix, module in (("", np), ("linalg.", np.linalg)):
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if is_numeric(name, value):
                known = seen.get(id(value))
                if known is None or _rank(prefix + name) < _rank(known):
                    seen[id(value)] = prefix + name
    return sorted(seen.values())


def _rank(name: str) -> tuple[bool, int]:
    """The name of the table first, then the shorter one."""
    return name not in CALLS, len(name)


#: The page of the names.
PAGE = Path(__file__).resolve().parents[2] / "docs" / "numpy-names.md"

_HEAD = """# NumPy's names

Functions of NumPy's main namespace and of `numpy.linalg` that compute with numbers, {done} of {all} of them on tensors. Eagerly they
give NumPy's results; in a graph they are compositions of operations, with derivatives where there are any. A test calls each
as plain NumPy, eagerly and in a graph, with several dtypes, shapes and arguments, and compares values, dtypes and shapes.

Dtypes are NumPy's for its arrays; `gw.Tensor`s meet as [the guide](guide/dtypes.md) says: integers and floats in the floats' dtype. Arguments
without a meaning in a graph are GW108 there; eagerly NumPy computes with them. `ufunc.reduce`, `accumulate`, `outer`, `at` and `reduceat`,
and `out=`, `where=` and `dtype=` of ufuncs work in graphs too.

Matrices with NaN or infinity give NaN, where NumPy's results are those of LAPACK. Singular values of NaN are NumPy's `LinAlgError`
eagerly, and NaN in a graph, where `linalg.matrix_rank` and the rank of `linalg.lstsq` are a `ValueError`.

Functions of texts, files, dates, records, settings and iterators are NumPy's alone.
"""


def page() -> str:
    """The page of the names."""
    listed = names()
    refused = [name for name in listed if name in REFUSED]
    done = [name for name in listed if name in CALLS]
    lines = [_HEAD.format(done=len(done), all=len(listed))]
    for title, prefix in (("numpy", ""), ("numpy.linalg", "linalg.")):
        own = [name for name in done if name.startswith("linalg.") == bool(prefix)]
        lines += [f"## {title}\n", "| name | eagerly | in graphs | limits in graphs |", "|---|---|---|---|"]
        lines += [f"| `{name}` | yes | yes | {NOTES.get(name, '')} |".replace("|  |", "| |") for name in own]
        lines.append("")
    lines += ["## Refused\n", "| name | reason | use |", "|---|---|---|"]
    lines += [f"| `{name}` | {REFUSED[name][0]} | {REFUSED[name][1]} |" for name in (*refused, *_OF_NONE)]
    return "\n".join(lines) + "\n"


#: Functions of no numbers that programs with numbers call.
_OF_NONE = (
    "isnat",
    "shares_memory",
    "may_share_memory",
    "isfortran",
    "einsum_path",
    "bmat",
    "asmatrix",
    "frompyfunc",
    "fromiter",
)

if __name__ == "__main__":
    PAGE.write_text(page())
