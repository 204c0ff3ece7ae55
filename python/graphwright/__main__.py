"""The command line: its grammar, and the commands that take no file of their own.

`demo`, `check FILES…`, `explain CODE`, `doctor`, `lsp`, `to-code FILE:FUNC`, and with `--arg TYPE` for each
argument `graph`, `partition`, `report` and `bench FILE:FUNC`. A mistake on the command line ends with status
2 and a sentence, an exception of the user's program with status 1 and its traceback.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

import graphwright as gw
from graphwright import _native
from graphwright._command import target
from graphwright._command.target import ProgramError, UsageError, argument

__all__ = ["UsageError", "argument", "main"]

STRUCTURED = "the type of the next argument, as `f32[?,3]`, `i64`, or a Python literal; once for each"
VALUED = "the next argument: a Python literal, or a type as `f32[100,3]`, of which random numbers are made"


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["check"]:
        return run_check(given[1:])
    options = parser().parse_args(given)
    try:
        return int(options.run(options) or 0)
    except UsageError as error:
        print(f"graphwright: {error}", file=sys.stderr)
        return 2
    except ProgramError as error:
        print(f"graphwright: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # A reader as `head` has enough; what Python flushes at its end has nowhere to go.
        sys.stderr.close()
        return 141


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="graphwright", description="Functions as graphs: look at them, check them, measure them."
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

    doctor = commands.add_parser("doctor", help="print what is here: machine, registers, cache, packages")
    doctor.add_argument("--json", action="store_true", help="as JSON, for a bug report or a script")
    doctor.set_defaults(run=run_doctor)

    lsp = commands.add_parser("lsp", help="find mistakes for an editor, as a language server")
    lsp.set_defaults(run=run_lsp)

    to_code = commands.add_parser("to-code", help="print the lowered Python of a function")
    to_code.add_argument("function", metavar="FILE:FUNC")
    to_code.set_defaults(run=run_to_code)
    add_functions(commands)
    return top


def add_functions(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands that take a function and its arguments."""
    for name, run, text in (
        ("graph", run_graph, "print the graph of a function for arguments of these types"),
        ("partition", run_partition, "print what the graph does, what the host does, and what crosses"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("function", metavar="FILE:FUNC")
        command.add_argument("--arg", action="append", default=[], metavar="TYPE", help=STRUCTURED)
        command.set_defaults(run=run)

    report = commands.add_parser("report", help="write a page: source, graph, loops, times, copies, retraces")
    report.add_argument("function", metavar="FILE:FUNC")
    report.add_argument("--arg", action="append", default=[], metavar="VALUE", help=VALUED)
    report.add_argument("--out", type=Path, help="the file; otherwise FUNC.html")
    report.add_argument("--no-run", action="store_true", help="do not run the function: no times")
    report.set_defaults(run=run_report)

    bench = commands.add_parser("bench", help="time a function as a graph and in plain Python")
    bench.add_argument("function", metavar="FILE:FUNC", nargs="?", help="without it, six small programs")
    bench.add_argument("--arg", action="append", default=[], metavar="VALUE", help=VALUED)
    bench.add_argument("--seconds", type=float, default=0.5, help="about how long each is timed")
    bench.set_defaults(run=run_bench)


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


def run_doctor(options: argparse.Namespace) -> int:
    """`graphwright doctor`: what is here."""
    from graphwright._command import doctor

    return doctor.run(options.json)


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
    function = target.plain(options.function)
    with target.errors_of_the_program("the function cannot be lowered"):
        print(gw.autograph.to_code(function))


def run_graph(options: argparse.Namespace) -> None:
    """`graphwright graph`: the graph's text form."""
    function = target.graph_function(options.function)
    arguments = [argument(text) for text in options.arg]
    target.check_arguments(function, arguments)
    with target.errors_of_the_program("there is no graph for these arguments"):
        print(function.get_concrete_function(*arguments).graph)


def run_partition(options: argparse.Namespace) -> None:
    """`graphwright partition`: the programs of the graph and of the host."""
    function = gw.function(target.plain(options.function), implicit_copies="allow")
    arguments = [argument(text) for text in options.arg]
    target.check_arguments(function, arguments)
    with target.errors_of_the_program("there is no graph for these arguments"):
        print(function.partition(*arguments), end="")


def run_report(options: argparse.Namespace) -> None:
    """`graphwright report`: the page of a function."""
    function = target.graph_function(options.function)
    make = argument if options.no_run else target.value
    arguments = [make(text) for text in options.arg]
    target.check_arguments(function, arguments)
    out = options.out or Path(options.function.rpartition(":")[2].rpartition(".")[2] + ".html")
    with target.errors_of_the_program("the function cannot be reported on for these arguments"):
        page = function.report(*arguments)
    try:
        page.save(out)
    except OSError as error:
        raise UsageError(f"`{out}` cannot be written: {error.strerror}") from error
    print(f"{out}: {out.stat().st_size / 1000:.0f} kB")
    if page._raised is not None:
        said = target.shown(page._raised, "the page has no times, as the call raises")
        print(f"graphwright: {said}", file=sys.stderr)


def run_bench(options: argparse.Namespace) -> None:
    """`graphwright bench`: times."""
    from graphwright._command import bench

    if options.seconds <= 0:
        raise UsageError("--seconds takes a time above zero")
    if options.function is None:
        if options.arg:
            raise UsageError("--arg belongs to a function: graphwright bench FILE:FUNC --arg VALUE")
        return bench.run(None, [], options.seconds)
    function = target.graph_function(options.function)
    arguments = [target.value(text) for text in options.arg]
    target.check_arguments(function, arguments)
    with target.errors_of_the_program("the function cannot be run on these arguments"):
        bench.run(function, arguments, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
