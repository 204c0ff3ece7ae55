"""Tracebacks: what fails in a graph shows the frames, lines and carets that plain Python shows, and nothing of ours."""

import re
import signal
import sys
import textwrap
import threading
import traceback
from pathlib import Path

import numpy as np
import pytest

import graphwright as gw
from traceback_programs import PROGRAMS

#: Carets are drawn alike by these versions; elsewhere texts are compared with Python's own, and without carets.
CARETS = sys.version_info[:2] in [(3, 11), (3, 12)]


@pytest.fixture
def program(tmp_path):
    """Loads a program from a file of its own; gives its names."""

    def load(source):
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(source).lstrip())
        names = {"__name__": "program", "__file__": str(file), "gw": gw}
        exec(compile(file.read_text(), str(file), "exec"), names)
        return names

    return load


def caught(call, *args):
    with pytest.raises(BaseException) as found:
        call(*args)
    return found.value


def shown(error, notes=False):
    """The traceback as Python prints it, without this file's own entries; file names without folders."""
    if not notes:
        error.__notes__ = []
    text = "".join(traceback.format_exception(error))
    for frame in traceback.extract_tb(error.__traceback__):
        text = text.replace(frame.filename, frame.filename.rsplit("/", 1)[-1])
    own = Path(__file__).name
    entries = re.sub(rf'(?m)^  File "{own}".*\n(    .*\n)*', "", text).splitlines()
    return entries[1:] if entries[0].startswith("Traceback") else entries


def without_carets(lines):
    return [line for line in lines if set(line.strip()) - set("~^")]


def staged(value):
    """A list, int or float as a tensor as wide as Python computes."""
    wide = gw.float64 if isinstance(value, float) else gw.int64
    return gw.constant(value, wide) if isinstance(value, (int, float, list)) else value


@pytest.mark.parametrize(("name", "source", "args", "expected"), PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_as_in_python(program, name, source, args, expected):
    f = program(source)["f"]
    native = shown(caught(f, *args))
    ours = shown(caught(gw.function(f), *map(staged, args)))
    if sys.version_info[:2] == (3, 12):
        # Python 3.12 leaves the carets of some whole lines away.
        ours, native = without_carets(ours), without_carets(native)
    assert ours[:-1] == native[:-1]
    assert ours[-1].split(":")[0] == native[-1].split(":")[0]
    expected = textwrap.dedent(expected).strip("\n").splitlines()
    if CARETS and sys.version_info[:2] != (3, 12):
        assert ours == expected
    assert without_carets(ours) == without_carets(expected)


FAILS_IN_A_BRANCH = """
    def f(x):
        while x < 10:
            if x > 0:
                x = (_ for _ in ()).throw(Odd("odd"))
        return x
    class Odd(Exception):
        pass
"""


def test_full_tracebacks_show_the_statements_around(program):
    f = gw.function(program(FAILS_IN_A_BRANCH)["f"])
    line = lambda: [frame.lineno for frame in traceback.extract_tb(caught(f, gw.constant(1)).__traceback__)][
        1:
    ]
    assert line() == [4, 4]
    gw.config.full_tracebacks()
    try:
        assert line() == [2, 3, 4, 4]
    finally:
        gw.config.full_tracebacks(False)
    assert line() == [4, 4]


def test_a_note_says_that_the_graph_was_built(program):
    error = caught(gw.function(program(FAILS_IN_A_BRANCH)["f"]), gw.constant(1))
    if sys.version_info >= (3, 11):
        (note,) = error.__notes__
        assert note.startswith("raised while the graph was built: a tensor decides what ")
        assert "program.py:3 runs" in note
    assert str(error) == "odd"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes from Python 3.11 on")
def test_notes_of_the_users_stay(program):
    source = """
        class Odd(Exception):
            __notes__ = ["mine"]
        def f(x):
            if x > 0:
                (_ for _ in ()).throw(Odd("odd"))
            return x
    """
    error = caught(gw.function(program(source)["f"]), gw.constant(1))
    assert error.__notes__ == ["mine"]


def test_causes_and_contexts(program):
    source = """
        def inner(d):
            if d:
                return d["k"]
            return None
        def f(x, d):
            for i in range(3):
                try:
                    inner(d)
                except KeyError as error:
                    if i == 1:
                        raise ValueError(i) from error
            return x
    """
    f = program(source)["f"]
    native, ours = caught(f, 1, {"a": 1}), caught(gw.function(f), gw.constant(1), {"a": 1})
    assert without_carets(shown(ours.__cause__)) == [
        '  File "program.py", line 8, in f',
        "    inner(d)",
        '  File "program.py", line 3, in inner',
        '    return d["k"]',
        "KeyError: 'k'",
    ]
    assert shown(ours.__cause__) == shown(native.__cause__)
    assert shown(ours) == shown(native)


def test_what_an_except_sees(program):
    """`sys.exc_info`, `traceback.print_exc` and the exception itself, inside converted code."""
    source = """
        import sys, traceback
        def fails(x):
            if True:
                for i in [0]:
                    return 1 // i
        def f(x):
            seen = []
            while not seen:
                try:
                    fails(x)
                except ZeroDivisionError as error:
                    seen.append(traceback.format_exc())
                    seen.append("".join(traceback.format_exception(error)))
                    seen.append(sys.exc_info()[1] is error)
            return seen
    """
    f = program(source)["f"]
    native = f(1)
    converted = gw.autograph.to_graph(f)(1)
    assert converted[2] is True
    assert converted[1] == native[1]
    if sys.version_info >= (3, 11):
        assert converted == native


def test_an_error_without_a_text(program):
    source = """
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError("no words")
        def f(x):
            if x > 0:
                (_ for _ in ()).throw(Mute)
            return x
    """
    error = caught(gw.function(program(source)["f"]), gw.constant(1))
    assert type(error).__name__ == "Mute"
    assert [frame.lineno for frame in traceback.extract_tb(error.__traceback__)][1:] == [6, 6]


def test_functions_of_functions(program):
    source = """
        @gw.function
        def inner(x, i):
            return x[i]
        @gw.function
        def f(x, i):
            return inner(x, i) + 1
    """
    error = caught(program(source)["f"], gw.constant([1, 2]), gw.constant(5))
    assert without_carets(shown(error)) == [
        '  File "program.py", line 6, in f',
        "    return inner(x, i) + 1",
        '  File "program.py", line 3, in inner',
        "    return x[i]",
        "IndexError: index 5 is out of bounds for axis 0 with size 2",
    ]


def test_in_another_thread(program):
    f = gw.function(program("def f(a, b):\n    return a // b\n")["f"])
    found = []

    def work():
        try:
            f(gw.constant(1), gw.constant(0))
        except ZeroDivisionError as error:
            found.append(without_carets(shown(error)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [
        [
            '  File "program.py", line 2, in f',
            "    return a // b",
            "ZeroDivisionError: integer division or modulo by zero",
        ]
    ]


def test_the_same_failure_twice_has_one_entry_each(program):
    f = gw.function(program("def f(a, b):\n    return a // b\n")["f"])
    for _ in range(2):
        error = caught(f, gw.constant(1), gw.constant(0))
        assert [frame.name for frame in traceback.extract_tb(error.__traceback__)] == ["caught", "f"]
        assert error.__context__ is None


@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError])
def test_a_signal_interrupts_a_long_loop(program, raised):
    """What the handler raises comes out, at the line of the loop that ran."""
    source = """
        def f(n):
            i = n
            while i > 0:
                i = i + 1 - i % 2 + i % 2
            return i
    """
    f = gw.function(program(source)["f"])

    def handler(number, frame):
        raise raised("now")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        error = caught(f, gw.constant(1, gw.int64))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert type(error) is raised
    assert str(error) == "now"
    entries = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    assert ("f", 3) in entries


@pytest.mark.parametrize(
    "body",
    [
        "    return x // y",
        "    return" + " " * 100 + "x // y",
        "    return" + " " * 300 + "x // y",
        "    return (x\n        //\n  y)",
        "\n" * 300 + "    return x // y",
        "    z = (x\n\n\n        + x)\n    return z // y",
        "    z = x\n    for _ in range(2):\n        z = (\n            z\n            // y)\n\n    return z",
    ],
)
def test_places_are_those_of_python(program, body):
    """CPython writes down places in another way when they are far to the right, far below or on several lines."""
    f = program(f"def f(x, y):\n{body}\n")["f"]
    plain, staged = caught(f, 1, 0), caught(gw.function(f), gw.constant(1), gw.constant(0))
    assert type(staged) is type(plain) is ZeroDivisionError
    places = [
        (entry.lineno, entry.end_lineno, entry.colno, entry.end_colno)
        for error in (plain, staged)
        for entry in traceback.extract_tb(error.__traceback__)[-1:]
    ]
    assert places[0] == places[1]


def test_endless_recursion(program):
    source = """
        def f(x):
            if True:
                return f(x) + 1
    """
    error = caught(gw.function(program(source)["f"]), gw.constant(1))
    assert isinstance(error, RecursionError)
    *lines, last = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)[1:]]
    assert set(lines) == {3}
    # Python counts calls of operators too, `if_stmt` of line 2 and `conv` of line 3 in turn: how deep the stack is where
    # the test begins decides which of them is the one too many.
    assert last in {2, 3}


def test_recursion_with_other_arguments_each_time(program):
    """It does not end while tracing, and is stopped before the stack is used up."""
    source = "def f(x, seen=()):\n    return len(seen) if x < 1 else f(x - 1, (*seen, x))\n"
    error = caught(gw.function(program(source)["f"]), gw.constant(3))
    assert isinstance(error, RecursionError)
    assert "write a loop" in str(error)


def test_arguments_that_do_not_fit(program):
    f = gw.function(program("def f(x, *, y):\n    return x\n")["f"])
    error = caught(f, 1)
    assert re.fullmatch(r"f\(\) missing a required (keyword-only )?argument: 'y'", str(error))
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)] == ["caught"]


def test_a_stream_that_cannot_be_written_to(program, monkeypatch):
    source = """
        def f(x):
            gw.print(x)
            return x
    """

    class Closed:
        def write(self, text):
            raise OSError("closed")

    f = gw.function(program(source)["f"])
    monkeypatch.setattr(sys, "stderr", Closed())
    error = caught(f, gw.constant(1))
    assert str(error) == "closed"
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)] == ["caught", "f", "write"]


def raised(call, *args):
    """The exception of a call, if it raises one."""
    try:
        call(*args)
    except Exception as error:
        return error
    return None


SAME_TEXTS = {
    "straight": """
        def f(a, n):
            a[0] += 1
            if a[0] == n:
                raise ValueError("stop")
            a[1] += 1
            if a[1] == n:
                raise ValueError("stop")
            return a
    """,
    "loops": """
        def f(a, n):
            for i in range(len(a)):
                if a[i] == n:
                    raise ValueError("stop")
                a[i] += 1
            for i in range(len(a)):
                if a[i] == n + 2:
                    raise ValueError("stop")
                a[i] += 1
            return a
    """,
    "indices": """
        def f(a, n):
            a[n - 1] = 0
            a[n + 1] = 1
            a[n + 3] = 2
            return a
    """,
    "many": """
        def f(a, n):
            a[0] += 1
"""
    + "".join(
        f"            if a[1] == n - {at}:\n                raise ValueError('stop')\n            a[1] += 1\n"
        for at in range(20)
    )
    + """
            return a
    """,
}


@pytest.mark.parametrize("name", SAME_TEXTS)
def test_exceptions_with_the_same_text_have_their_own_lines(program, name):
    f = program(SAME_TEXTS[name])["f"]
    graph, lines = gw.function(f), set()
    for n in range(-24, 12):
        arrays = [np.arange(4), np.arange(4)]
        wanted, found = raised(f, arrays[0], np.int64(n)), raised(graph, arrays[1], np.int64(n))
        assert type(found) is type(wanted) and arrays[0].tolist() == arrays[1].tolist()
        if wanted is not None:
            places = [traceback.extract_tb(error.__traceback__)[-1].lineno for error in (wanted, found)]
            assert places[0] == places[1], n
            lines.add(places[0])
    assert len(lines) > 1
