"""The command line.

`demo`, `check FILES…`, `explain CODE`, `lsp`, `to-code FILE:FUNC`, and with `--arg TYPE` `graph` and
`partition FILE:FUNC`.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
import signal
import sys
from pathlib import Path
from typing import Any

import graphwright as gw
from graphwright import _native

DTYPES = {"bool": gw.bool, "i32": gw.int32, "i64": gw.int64, "f32": gw.float32, "f64": gw.float64}


class UsageError(Exception):
    """What was asked for cannot be done; the message says what to write instead."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["check"]:
        return run_check(given[1:])
    options = parser().parse_args(given)
    try:
        options.run(options)
    except UsageError as error:
        print(f"graphwright: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="graphwright", description="Functions as graphs: look at them, check them, run the gallery."
    )
    top.add_argument("--version", action="version", version=f"graphwright {gw.__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    demo = commands.add_parser(
        "demo", help="run the gallery, compare each result with plain Python, draw pictures"
    )
    demo.add_argument("names", nargs="*", metavar="NAME", help="only these workloads")
    demo.add_argument("--small", action="store_true", help="sizes that take a second in all")
    demo.add_argument("--out", type=Path, default=Path("gallery"), help="folder for the pictures")
    demo.set_defaults(run=run_demo)

    commands.add_parser("check", add_help=False, help="find mistakes in files without running them")

    explain = commands.add_parser("explain", help="print the page of a diagnostic")
    explain.add_argument("code", metavar="CODE", help="as `GW203`, or `203`")
    explain.set_defaults(run=run_explain)

    lsp = commands.add_parser("lsp", help="find mistakes for an editor, as a language server")
    lsp.set_defaults(run=run_lsp)

    to_code = commands.add_parser("to-code", help="print the lowered Python of a function")
    to_code.add_argument("function", metavar="FILE:FUNC")
    to_code.set_defaults(run=run_to_code)

    for name, run, text in (
        ("graph", run_graph, "print the graph of a function for arguments of these types"),
        ("partition", run_partition, "print what the graph does, what the host does, and what crosses"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("function", metavar="FILE:FUNC")
        command.add_argument(
            "--arg",
            action="append",
            default=[],
            metavar="TYPE",
            help="the type of the next argument, as `f32[?,3]`, `i64`, or a Python literal; once for each",
        )
        command.set_defaults(run=run)
    return top


def run_check(arguments: list[str]) -> int:
    """`graphwright check`: what the native half finds, which reads its own arguments."""
    text = sys.stdin.read() if "-" in arguments else ""
    output, complaint, status = _native.check_files(arguments, text)
    sys.stdout.write(output)
    sys.stderr.write(complaint)
    return status


def run_explain(options: argparse.Namespace) -> None:
    """`graphwright explain`: the page of a diagnostic, as it stands in the documentation."""
    page = _native.page(options.code)
    if page is None:
        raise UsageError(
            f"no diagnostic is called {options.code}; a code is `GW` and three digits, as `GW203`"
        )
    print(page, end="")


def run_lsp(_options: argparse.Namespace) -> None:
    """`graphwright lsp`: the language server, until its editor ends or Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if (wrong := _native.serve_editor()) is not None:
        raise UsageError(f"the editor's messages are not those of the protocol: {wrong}")


def run_demo(options: argparse.Namespace) -> None:
    """`graphwright demo`: the gallery."""
    try:
        from graphwright import demo
    except ModuleNotFoundError as error:
        raise UsageError(f"the gallery needs {error.name}: pip install 'graphwright[demo]'") from error
    unknown = sorted(set(options.names) - set(demo.WORKLOADS))
    if unknown:
        raise UsageError(f"no workload is called {', '.join(unknown)}; there are {', '.join(demo.WORKLOADS)}")
    if not demo.run(options.names or list(demo.WORKLOADS), small=options.small, out=options.out):
        raise UsageError("a result differs from plain Python's")


def run_to_code(options: argparse.Namespace) -> None:
    """`graphwright to-code`: the lowered function."""
    print(gw.autograph.to_code(load(options.function)))


def run_graph(options: argparse.Namespace) -> None:
    """`graphwright graph`: the graph's text form."""
    function = gw.function(load(options.function))
    print(function.get_concrete_function(*map(argument, options.arg)).graph)


def run_partition(options: argparse.Namespace) -> None:
    """`graphwright partition`: the programs of the graph and of the host."""
    function = gw.function(load(options.function), implicit_copies="allow")
    print(function.partition(*map(argument, options.arg)), end="")


def load(target: str) -> Any:
    """The plain function that `FILE:FUNC` names; `FUNC` may be dotted."""
    file, colon, name = target.rpartition(":")
    if not colon or not file or not name:
        raise UsageError(f"`{target}` is not FILE:FUNC, as in `model.py:step`")
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file `{file}`")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"`{file}` is not a Python file")
    found: Any = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = found
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(found)
    for part in name.split("."):
        if not hasattr(found, part):
            raise UsageError(f"`{file}` has no `{name}`")
        found = getattr(found, part)
    return getattr(found, "python_function", found)


def argument(text: str) -> Any:
    """`f32[?,3]` as a TensorSpec, anything else as a Python literal."""
    match = re.fullmatch(r"(\w+)(?:\[([^\]]*)\])?", text)
    if match and match[1] in DTYPES:
        axes = [axis.strip() for axis in (match[2] or "").split(",") if axis.strip()]
        if not all(axis == "?" or axis.isdigit() for axis in axes):
            raise UsageError(f"`{text}`: an axis is a length or `?`, as in `f32[?,3]`")
        return gw.TensorSpec([None if axis == "?" else int(axis) for axis in axes], DTYPES[match[1]])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        known = ", ".join(DTYPES)
        raise UsageError(
            f"`{text}` is neither a type as `f32[?,3]` (of {known}) nor a Python literal"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
