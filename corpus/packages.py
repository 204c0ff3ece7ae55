"""The packages whose functions are run, and how their modules are found."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import sysconfig
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PURE = "pure_"
"""Modules of the standard library whose accelerated halves are left out bear this before their names."""
ACCELERATORS = {
    "bisect": ("_bisect",),
    "colorsys": (),
    "datetime": ("_datetime",),
    "heapq": ("_heapq",),
    "operator": ("_operator",),
    "statistics": ("_statistics",),
}


@dataclass(frozen=True)
class Package:
    """Modules that belong together."""

    name: str
    """The name in the registry; empty for the standard library."""
    modules: tuple[str, ...]
    """Modules, with what is below them."""
    tests: tuple[str, ...] = ()
    """Test modules to watch beside the doctests."""


STANDARD = (
    "ast base64 binascii calendar cgi chunk cmd codecs colorsys copy crypt csv datetime dis "
    "email.quoprimime email.base64mime email.header email.utils fnmatch fractions functools "
    "genericpath getopt gettext graphlib html html.entities imghdr inspect ipaddress json.decoder "
    "json.encoder keyword linecache locale mimetypes ntpath numbers opcode pickletools pprint "
    "posixpath quopri random re reprlib sched secrets shlex sndhdr sre_compile sre_parse stat "
    "statistics string stringprep struct symtable textwrap token tokenize types urllib.parse uuid "
    "wave zipfile _strptime _pydecimal _pylong difflib encodings.idna encodings.punycode"
)
TESTS = (
    "base64 bisect calendar colorsys difflib fnmatch fractions genericpath gettext heapq html "
    "ipaddress keyword ntpath operator posixpath quopri random reprlib shlex stat statistics string "
    "struct textwrap urlparse"
)
ALL = (
    Package(
        "",
        (*STANDARD.split(), *(PURE + name for name in ACCELERATORS)),
        tuple(f"test.test_{name}" for name in TESTS.split()),
    ),
    Package("algorithms", ("algorithms",)),
    Package("more-itertools", ("more_itertools",)),
    Package("toolz", ("toolz",), ("toolz.tests",)),
    Package("boltons", ("boltons",)),
    Package(
        "sympy", ("sympy.ntheory", "sympy.utilities", "sympy.combinatorics", "sympy.functions.combinatorial")
    ),
    Package("mpmath", ("mpmath.libmp", "mpmath.calculus", "mpmath.functions", "mpmath.matrices")),
    Package("networkx", ("networkx.algorithms", "networkx.generators", "networkx.utils")),
    Package("labmath", ("labmath",)),
    Package("pyprimes", ("pyprimes",)),
    Package("convertdate", ("convertdate",)),
    Package("jdcal", ("jdcal",)),
    Package("pydash", ("pydash",)),
    Package("funcy", ("funcy",)),
    Package("python-stdnum", ("stdnum",)),
    Package("geographiclib", ("geographiclib",)),
    Package("haversine", ("haversine",)),
    Package("astral", ("astral",)),
    Package("colormath", ("colormath",)),
    Package("webcolors", ("webcolors",)),
    Package("humanize", ("humanize",)),
    Package("inflection", ("inflection",)),
    Package("roman", ("roman",)),
    Package("textdistance", ("textdistance",)),
)
UNWANTED = (
    ".tests",
    ".test_",
    "__main__",
    ".cli",
    ".testing",
    ".runtests",
    ".pytest",
    ".conftest",
    ".drawing",
)


def load(name: str) -> types.ModuleType:
    """A module by its name."""
    if not name.startswith(PURE) or name in sys.modules:
        return importlib.import_module(name)
    plain = name.removeprefix(PURE)
    path = Path(sysconfig.get_path("stdlib")) / f"{plain}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _without(ACCELERATORS[plain]):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _without(names: tuple[str, ...]) -> Iterator[None]:
    """Makes modules impossible to import."""
    kept = {name: sys.modules.get(name) for name in names}
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


def modules(package: Package, *, tests: bool = False) -> Iterator[types.ModuleType]:
    """The modules of a package that can be imported; with their tests if they are asked for."""
    for root in package.modules:
        names = [root]
        found = None if root.startswith(PURE) else _spec(root)
        if package.name and found and found.submodule_search_locations:
            names += [
                m.name for m in pkgutil.walk_packages(found.submodule_search_locations, f"{root}.", _ignored)
            ]
        for name in names:
            wanted = ".tests.test_" in name if tests else not any(part in name for part in UNWANTED)
            if wanted:
                try:
                    yield load(name)
                except (Exception, SystemExit):
                    continue


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ImportError:
        return None


def _ignored(name: str) -> None:
    """A package that cannot be imported is left out."""
