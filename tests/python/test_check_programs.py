"""What `graphwright check` calls an error fails when it runs: random programs, and how many failures it finds.

Run as a program, with a number of seconds, it goes on for that long and prints what it counted.
"""

from __future__ import annotations

import json
import linecache
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from itertools import count

from fuzz import arrays
from fuzz.programs import program
from fuzz.writer import Choices

import graphwright as gw
from graphwright._native import check_files

FILES = count()
SHAPES = ["[2]", "[3]", "[2, 3]", "[3, 2]", "[2, 2]", "[1, 3]", "[]", "[4, 1, 2]"]
HEAD = "import graphwright as gw\n\n"


def errors(text):
    """The errors that are found in a text: lines and codes, in the order of the text."""
    output, complaint, _ = check_files(["--format", "json", "-"], text)
    assert complaint == ""
    return [(item["line"], item["code"]) for item in json.loads(output) if item["severity"] == "error"]


def outcome(text, arguments):
    """The line of the program at which it fails and what it raises; nothing if it has an answer."""
    file = f"<checked {next(FILES)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "program"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, file, "exec", dont_inherit=True), names)
            names["f"](*arguments)
    except Exception as error:
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
        ]
        return (lines[-1] if lines else 0), error
    finally:
        linecache.cache.pop(file, None)
    return None


class Writer:
    """Writes functions of operations of which some do not fit."""

    def __init__(self, source):
        self.source = source
        self.names = []

    def one(self, options):
        return self.source.choice(options)

    def number(self):
        return self.source.randint(-4, 4)

    def operand(self):
        made = [
            f"gw.zeros({self.one(SHAPES)})",
            f"gw.ones({self.one(SHAPES)})",
            "1.5",
            "gw.constant([1.0, 2.0, 3.0])",
        ]
        return self.one([*self.names, *self.names, *made])

    def tensor(self):
        return self.one([*self.names, f"gw.zeros({self.one(SHAPES)})"])

    def expression(self):
        x, y, n = self.tensor(), self.operand(), self.number()
        return self.one(
            [
                f"{x} + {y}",
                f"{x} * {y}",
                f"{y} - {x}",
                f"{x} @ {self.tensor()}",
                f"gw.maximum({x}, {y})",
                f"gw.where({x} > 0.0, {x}, {y})",
                f"gw.reduce_sum({x}, axis={n})",
                f"gw.reduce_max({x}, axis={self.one([0, 1, -1])}, keepdims=True)",
                f"gw.reduce_mean({x})",
                f"{x}[{n}]",
                f"{x}[0, {n}]",
                f"{x}[:, {self.one([0, 1])}]",
                f"{x}[..., None]",
                f"{x}[{self.one([0, 1])}:]",
                f"gw.reshape({x}, {self.one(['[-1]', '[2, 3]', '[3, -1]', '[6]'])})",
                f"gw.transpose({x})",
                f"gw.transpose({x}, {self.one(['[1, 0]', '[0, 1]', '[0, 0]'])})",
                f"gw.expand_dims({x}, {n})",
                f"gw.squeeze({x}, axis={self.one([0, -1])})",
                f"gw.concat([{x}, {self.tensor()}], axis={self.one([0, 1, -1])})",
                f"gw.stack([{x}, {self.tensor()}], axis={self.one([0, 1])})",
                f"gw.broadcast_to({x}, {self.one(SHAPES)})",
                f"gw.sqrt(gw.abs({x}))",
                f"gw.gather({x}, [0, {n}])",
                f"gw.softmax({x})",
                f"{x}.sum(axis={n})",
            ]
        )

    def text(self):
        """A function, and the shapes of its arguments."""
        shapes = [self.one(SHAPES[:6]) for _ in range(2)]
        specs = ", ".join(f"gw.TensorSpec({shape}, gw.float32)" for shape in shapes)
        self.names = ["x", "y"]
        lines = [f"@gw.function(input_signature=[{specs}])", "def f(x, y):"]
        for i in range(self.source.randint(2, 6)):
            value = self.expression()
            if self.source.random() < 0.15:
                lines += [f"    v{i} = {self.tensor()}", "    for _ in range(2):", f"        v{i} = {value}"]
            else:
                lines.append(f"    v{i} = {value}")
            self.names.append(f"v{i}")
        lines.append(f"    return {', '.join(self.names)}")
        return HEAD + "\n".join(lines) + "\n", shapes


def judged(source):
    """Judges one program of operations: `true`, `missed` or `fine`."""
    text, shapes = Writer(source).text()
    found = errors(text)
    failed = outcome(text, [gw.ones(json.loads(shape)) for shape in shapes])
    if failed is None:
        assert not found, f"{found} is found in a program that has an answer\n{text}"
        return "fine"
    line, error = failed
    if line in [at for at, _ in found]:
        return "true"
    # An index of `gather` fails when the graph runs, behind all that fails while it is built.
    early = [at for at, _ in found if "gw.gather(" not in text.splitlines()[at - 1]]
    assert all(at > line for at in early), f"{found} is found, but line {line} fails first: {error}\n{text}"
    return "missed"


def passed(text, arguments):
    """The lines that plain Python executes and goes on behind."""
    file = f"<checked {next(FILES)}>"
    names = {"__name__": "program"}
    exec(compile(text, file, "exec", dont_inherit=True), names)
    lines, latest = [], {}

    def note(frame, event, _):
        if frame.f_code.co_filename == file and event == "line":
            latest[frame] = len(lines)
            lines.append(frame.f_lineno)
        elif event == "exception" and frame in latest:
            # A line that raises is not gone on behind, whatever handlers run then.
            lines[latest[frame]] = None
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        names["f"].python_function(*arguments)
    except Exception:
        pass
    finally:
        sys.settrace(before)
    return set(lines)


def python_program(source):
    """Judges a program of the first grammar or over arrays: no line that fails is one that plain Python passes."""
    if source.random() < 0.5:
        one = program(Choices(source.randint))
        text, arguments = one.text, one.fresh(one.arguments)
    else:
        text, arguments = arrays.program(source), list(arrays.arguments(source))
    text = "import math\nimport numpy as np\n" + HEAD + text.replace("\ndef f(", "\n@gw.function\ndef f(")
    found = errors(text)
    if not found:
        return "nothing"
    wrong = [(line, code) for line, code in found if line in passed(text, arguments)]
    assert not wrong, f"{wrong} is found, and Python passes it\n{text}"
    return "found"


def test_errors_in_operations_are_true_and_most_are_found():
    source = random.Random(20)
    counts = Counter(judged(source) for _ in range(400))
    assert counts["true"] > 9 * counts["missed"], counts
    assert counts["fine"] > 20, counts


def test_errors_in_python_programs_are_true():
    source = random.Random(21)
    counts = Counter(python_program(source) for _ in range(200))
    assert counts["found"] <= 20, counts


if __name__ == "__main__":
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    source, counts, started = random.Random(seed), Counter(), time.monotonic()
    while time.monotonic() - started < seconds:
        counts[judged(source)] += 1
        counts[python_program(source)] += 1
    print(dict(counts))
