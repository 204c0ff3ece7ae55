"""`graphwright doctor`: the machine, its registers, the cache, the packages, and a graph that is checked."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import graphwright as gw
from graphwright import _native

#: The packages that an extra of the distribution brings, and what needs them.
OPTIONAL = {
    "matplotlib": ("demo", "pictures of the gallery"),
    "rich": ("demo", "the table of the gallery"),
    "scikit-learn": ("demo", "data of the gallery"),
    "tqdm": ("demo", "progress bars of loops"),
    "pyarrow": ("arrow", "datasets from Parquet, CSV and JSON"),
    "jax": ("jax", "graphs as JAX functions, and StableHLO"),
    "llvmlite": ("llvm", "the second tier: hot functions compiled by LLVM"),
    "ray": ("ray", "training on several machines"),
    "keras": ("", "Keras models over graphs"),
    "tensorboard": ("", "summaries and graphs as pictures"),
}

Rows = list[tuple[str, str]]


def run(as_json: bool) -> int:
    """Prints what was found; 1 if a graph does not run right here."""
    sections = {"graphwright": package(), "machine": machine(), "cache": cache(), "packages": packages()}
    problems = list(complaints())
    if as_json:
        found = {name: dict(rows) for name, rows in sections.items()}
        print(json.dumps({**found, "problems": problems}, indent=2))
        return bool(problems)
    width = max(len(name) for rows in sections.values() for name, _ in rows)
    for name, rows in sections.items():
        print(name)
        for row, text in rows:
            print(f"  {row.ljust(width)}  {text}")
    print("check")
    for problem in problems:
        print(f"  {problem}")
    if not problems:
        print("  a graph with a loop and a branch gives what plain Python gives")
    return bool(problems)


def package() -> Rows:
    """The version, the native module and the interpreter."""
    return [
        ("version", gw.__version__),
        ("native module", str(_native.__file__)),
        ("python", f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"),
        ("numpy", np.__version__),
    ]


def machine() -> Rows:
    """The processor, its registers, and the threads that large loops may take."""
    said = gw.config.threading.get_intra_op_parallelism_threads()
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wide = {128: "SSE2 or Neon", 256: "AVX2", 512: "AVX-512"}
    bits = _native.lanes()
    rows = [
        ("system", f"{platform.system()} {platform.release()} ({platform.machine()})"),
        ("processor", processor()),
        ("vector registers", f"{bits} bits ({wide.get(bits, 'unknown')})"),
        ("threads", f"{said or available} of {available}"),
    ]
    memory = total_memory()
    if memory is not None:
        rows.append(("memory", f"{memory / 2**30:.1f} GiB"))
    set_by_user = ", ".join(f"{name}={value}" for name, value in _native.environment())
    return [*rows, ("environment", set_by_user or "no GRAPHWRIGHT_ variable is set")]


def processor() -> str:
    """The name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def total_memory() -> int | None:
    """Bytes of memory; none where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def cache() -> Rows:
    """The folder of compiled code, and how full it is."""
    found = _native.code_folder()
    if found is None:
        return [("folder", "off: each process compiles anew")]
    folder, most = Path(found[0]), found[1]
    sizes = list(file_sizes(folder))
    if not folder.exists():
        return [("folder", f"{folder} (is made with the first function)")]
    writable = "" if os.access(folder, os.W_OK) else ", which cannot be written to"
    return [
        ("folder", f"{folder}{writable}"),
        ("entries", f"{len(sizes):,}"),
        ("size", f"{sum(sizes) / 2**20:.1f} of {most / 2**20:.0f} MiB"),
    ]


def file_sizes(folder: Path) -> Iterator[int]:
    """The sizes of the files of a folder; files that vanish meanwhile do not count."""
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                yield os.stat(os.path.join(path, name)).st_size
            except OSError:
                continue


def packages() -> Rows:
    """The optional packages, with their versions or how to get them."""
    rows = []
    for name, (extra, purpose) in OPTIONAL.items():
        try:
            text = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            wanted = f"'graphwright[{extra}]'" if extra else name
            text = f"not installed; pip install {wanted}"
        rows.append((name, f"{text}  ({purpose})"))
    return rows


def complaints() -> Iterator[str]:
    """Faults of this installation, each with its remedy."""
    begun = time.perf_counter()
    try:
        wrong = wrong_result()
    except Exception as error:
        yield f"a graph cannot be run: {type(error).__name__}: {error}"
        return
    if wrong is not None:
        yield wrong
    taken = time.perf_counter() - begun
    if taken > 10:
        yield f"a first call took {taken:.0f} seconds: is the machine busy, or the cache on a slow disk?"
    found = _native.code_folder()
    if found is not None and Path(found[0]).exists() and not os.access(found[0], os.W_OK):
        yield f"the cache {found[0]} cannot be written to: set GRAPHWRIGHT_CACHE_DIR to another folder"


def wrong_result() -> str | None:
    """A sentence about a graph that differs from plain Python; none if it does not."""

    def steps(n: Any) -> Any:
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    expected, found = steps(27), int(gw.function(steps)(gw.constant(27)))
    if found != expected:
        return f"a graph gives {found} where plain Python gives {expected}: please report it"
    x = np.linspace(0, 1, 1000, dtype=np.float32)
    summed = gw.function(lambda x: gw.reduce_sum(gw.tanh(x) * 2.0))(x)
    if abs(float(summed) - float(np.sum(np.tanh(x) * 2.0))) > 0.01:
        return "a sum over an array differs from NumPy's: please report it"
    return None
