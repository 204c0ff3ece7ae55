"""The standard library as a corpus: each of its functions converts, and its own tests pass when all are converted.

`python tests/python/stdlib.py` runs every suite of the table and prints what came of it; with the name of a suite, that
suite alone.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.machinery
import importlib.util
import inspect
import io
import json
import subprocess
import sys
import types
import unittest
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import graphwright as gw

# What does something when it is imported, or is a program with windows.
NOT_IMPORTED = {"__main__", "antigravity", "idlelib", "this", "turtle", "turtledemo"}
if sys.version_info < (3, 11):
    # Its text is not found by the name that its code bears.
    NOT_IMPORTED.add("zipimport")
GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

# By the name of the tests, the modules whose functions are converted. The first twenty take a moment each.
SUITES = {
    "test_bisect": "bisect",
    "test_calendar": "calendar",
    "test_colorsys": "colorsys",
    "test_configparser": "configparser",
    "test_copy": "copy",
    "test_csv": "csv",
    "test_dataclasses": "dataclasses",
    "test_fnmatch": "fnmatch",
    "test_fractions": "fractions",
    "test_graphlib": "graphlib",
    "test_heapq": "heapq",
    "test_html": "html",
    "test_ipaddress": "ipaddress",
    "test_operator": "operator",
    "test_optparse": "optparse",
    "test_reprlib": "reprlib",
    "test_shlex": "shlex",
    "test_string": "string",
    "test_textwrap": "textwrap",
    "test_urlparse": "urllib.parse",
    "test_abstract_numbers": "numbers",
    "test_argparse": "argparse",
    "test_ast": "ast",
    "test_base64": "base64",
    "test_cmd": "cmd",
    "test_collections": "collections",
    "test_decimal": "decimal _pydecimal",
    "test_difflib": "difflib",
    "test_functools": "functools",
    "test_getopt": "getopt",
    "test_gettext": "gettext",
    "test_glob": "glob",
    "test_hashlib": "hashlib",
    "test_htmlparser": "html.parser _markupbase",
    "test_json": "json json.decoder json.encoder json.scanner json.tool",
    "test_mimetypes": "mimetypes",
    "test_netrc": "netrc",
    "test_numeric_tower": "numbers fractions",
    "test_pathlib": "pathlib",
    "test_plistlib": "plistlib",
    "test_posixpath": "posixpath genericpath",
    "test_pprint": "pprint",
    "test_queue": "queue",
    "test_quopri": "quopri",
    "test_random": "random",
    "test_sched": "sched",
    "test_stat": "stat",
    "test_statistics": "statistics",
    "test_types": "types",
    "test_userdict": "collections",
    "test_uuid": "uuid",
    "test_weakset": "_weakrefset",
    "test_zipapp": "zipapp",
}
if sys.version_info >= (3, 12):
    # From then on `make_dataclass` asks for the module some frames up, and blocks are frames.
    del SUITES["test_dataclasses"]
QUICK = list(SUITES)[:20]

# Suites that look at frames: a block of a converted function has one of its own.
LEFT_OUT = {
    "test_bdb": "steps through frames",
    "test_contextlib": "compares the lines of a traceback",
    "test_enum": "asks for the module two frames up",
    "test_inspect": "compares stacks of frames",
    "test_re": "warnings name the file some frames up",
    "test_tomllib": "nests as deep as frames go",
    "test_typing": "warnings name the file some frames up",
}


def functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """The functions that a module defines, with those of its classes; each once."""
    seen: set[int] = set()

    def visit(value: object) -> Iterator[types.FunctionType]:
        if isinstance(value, (staticmethod, classmethod)):
            yield from visit(value.__func__)
        elif isinstance(value, property):
            for part in (value.fget, value.fset, value.fdel):
                yield from visit(part)
        elif isinstance(value, (types.FunctionType, type)):
            if value.__module__ == module.__name__ and id(value) not in seen:
                seen.add(id(value))
                if isinstance(value, types.FunctionType):
                    yield value
                else:
                    yield from (found for inner in list(vars(value).values()) for found in visit(inner))
            yield from visit(getattr(value, "__wrapped__", None))

    for value in list(vars(module).values()):
        yield from visit(value)


def has_text(function: types.FunctionType) -> bool:
    """Whether anybody kept the text: dataclasses and their like make functions of strings and throw the strings away."""
    return function.__code__.co_filename != "<string>"


def corpus() -> dict[str, list[str]]:
    """Converts every function of the top-level modules: which were, which were not."""
    warnings.simplefilter("ignore")
    found: dict[str, list[str]] = {"converted": [], "refused": []}
    for name in sorted(sys.stdlib_module_names - NOT_IMPORTED):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue  # of another platform, or not built
        for function in functions(module):
            if function.__code__.co_flags & GENERATORS or not has_text(function):
                continue
            label = f"{name}.{function.__qualname__}"
            try:
                gw.autograph.to_graph(function)
            except gw.errors.ConversionError as error:
                found["refused"].append(f"{label}: {error}")
            else:
                found["converted"].append(label)
    return found


HOOK = "__graphwright_convert__"


class Mark(ast.NodeTransformer):
    """Decorates every outermost function: innermost, so that other decorators are given the converted one."""

    def visit_FunctionDef(self, node):
        """Functions nested in it are converted with it."""
        node.decorator_list.append(ast.copy_location(ast.Name(HOOK, ast.Load()), node))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        """A lambda is given to the hook."""
        hook = ast.copy_location(ast.Name(HOOK, ast.Load()), node)
        return ast.copy_location(ast.Call(hook, [node], []), node)


class Loader(importlib.machinery.SourceFileLoader):
    """Runs a module with its functions marked."""

    def get_code(self, fullname):
        """Never what was compiled before."""
        path = self.get_filename(fullname)
        tree = Mark().visit(ast.parse(self.get_data(path), path))
        return compile(tree, path, "exec", dont_inherit=True)


@dataclass
class Finder:
    """Finds the modules of these names for `Loader`."""

    names: list[str]

    def find_spec(self, name, path=None, target=None):
        """As importlib asks."""
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in self.names else None
        if spec is not None:
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


def run_here(suite: str) -> dict[str, object]:
    """Runs a suite in this process, which is of no use for anything else afterwards."""
    names = SUITES[suite].split()
    converted = []

    def hook(function):
        converted.append(gw.autograph.to_graph(function))
        return converted[-1]

    setattr(builtins, HOOK, hook)
    sys.meta_path.insert(0, Finder(names))
    for known in [
        known for known in sys.modules if any(f"{known}.".startswith(f"{name}.") for name in names)
    ]:
        del sys.modules[known]
    for name in names:
        module = importlib.import_module(name)
        parent, _, leaf = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], leaf, module)
    tests = unittest.defaultTestLoader.loadTestsFromName(f"test.{suite}")
    said = io.StringIO()
    result = unittest.TextTestRunner(stream=said, verbosity=0).run(tests)
    bad = [str(test) for test, _ in result.failures + result.errors]
    return {"ran": result.testsRun, "bad": bad, "converted": len(converted), "said": said.getvalue()[-4000:]}


def in_process_of_its_own(*arguments: str) -> dict[str, object]:
    """What this file prints when it is run with these arguments."""
    command = [sys.executable, "-W", "ignore", __file__, "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        return {"ran": 0, "bad": ["the process"], "converted": 0, "said": done.stderr[-4000:]}
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: list[str]) -> None:
    """Prints a line for each suite, or what `--json` asks for."""
    if arguments[:1] == ["--json"]:
        print(json.dumps(run_here(arguments[1]) if arguments[1:] else corpus()))
        return
    found = in_process_of_its_own()
    print(f"{len(found['converted'])} functions converted, {len(found['refused'])} refused")
    print("\n".join(found["refused"]))
    for suite in arguments or SUITES:
        found = in_process_of_its_own(suite)
        verdict = "passes" if not found["bad"] else f"FAILS\n{found['said']}"
        print(f"{suite:24} {found['converted']:4} functions {found['ran']:5} tests  {verdict}", flush=True)
    for suite, reason in LEFT_OUT.items():
        print(f"{suite:24} left out: {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
