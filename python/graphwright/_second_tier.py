"""Finds LLVM's library, which the package `llvmlite` brings: `pip install graphwright[llvm]`."""

import atexit
import importlib.util
import sys
from pathlib import Path

from . import _native

_NAMES = {"win32": "llvmlite.dll", "darwin": "libllvmlite.dylib"}


def library() -> Path | None:
    """The library's file; the package itself is not imported."""
    try:
        spec = importlib.util.find_spec("llvmlite")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = Path(folder, "binding", _NAMES.get(sys.platform, "libllvmlite.so"))
        if file.is_file():
            return file
    return None


if found := library():
    _native.found_library(found)
# Compilations in the background have to end before the library is taken down.
atexit.register(_native.finish)
