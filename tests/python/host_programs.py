"""Random programs that call host code: functions that keep a log, answer by a state of their own, raise, and give nothing."""

from __future__ import annotations

import contextlib
import io
import linecache
import random
import warnings

import graphwright as gw

HOST = """
import random

import graphwright as gw

LOG, SOURCE = [], random.Random(3)


def number(x):
    return x.item() if isinstance(x, gw.Tensor) else x


@gw.autograph.experimental.do_not_convert
def grow(x):
    LOG.append(("grow", number(x)))
    return number(x) + len(LOG)


@gw.autograph.experimental.do_not_convert
def half(x):
    LOG.append(("half", number(x)))
    return number(x) / 2


@gw.autograph.experimental.do_not_convert
def is_lucky(x):
    LOG.append(("is_lucky", number(x)))
    return SOURCE.random() < 0.5


@gw.autograph.experimental.do_not_convert
def split(x):
    LOG.append(("split", number(x)))
    return number(x) // 2, number(x) % 3


@gw.autograph.experimental.do_not_convert
def note(x):
    LOG.append(("note", number(x)))


@gw.autograph.experimental.do_not_convert
def vary(x):
    LOG.append(("vary", number(x)))
    return number(x) + 1 if len(LOG) % 4 else number(x) / 4


@gw.autograph.experimental.do_not_convert
def miss(x):
    LOG.append(("miss", number(x)))
    return number(x) + 1 if len(LOG) % 3 else None


@gw.autograph.experimental.do_not_convert
def check(x):
    LOG.append(("check", number(x)))
    if number(x) > 9:
        raise ValueError("too large")
    return number(x) - 1


class Missing(LookupError):
    pass


@gw.autograph.experimental.do_not_convert
def look(x):
    LOG.append(("look", number(x)))
    if number(x) % 4 == 3:
        raise KeyError(number(x))
    if number(x) % 5 == 4:
        raise Missing("no", number(x))
    if number(x) == 12:
        raise OSError(2, "no file")
    return number(x) + 2


"""
CALLS = ((0, 3), (0, 3), (5, 1), (2, 4), (9, 2), (0, 3))


def text_of(seed):
    """The text of a program."""
    make = random.Random(seed)
    body = ["t = a", *(line for _ in range(4) for line in statement(make, 2, False)), "return t, a"]
    return f"{HOST}def f(a, b):\n" + "".join(f"    {line}\n" for line in body)


def statement(make, depth, in_loop):
    """The lines of a statement, which holds others down to a depth."""
    return make.choice(SIMPLE if depth == 0 else (*SIMPLE, *COMPOUND))(make, depth, in_loop)


def value(make):
    """An expression without host code."""
    return make.choice(["a", "b", "t", "t + a", "t - b", "a * 2", "3", "t % 5"])


def change(make, _depth, _in_loop):
    """Arithmetic, or a text."""
    shown = f'print("at", {value(make)}, {value(make)})'
    return [make.choice([f"t = {value(make)}", f"a = {value(make)}", f"t += {value(make)}", shown])]


def call(make, _depth, _in_loop):
    """A call of host code."""
    one = value(make)
    calls = (
        f"t = grow({one})",
        f"t += grow({one})",
        f"note({one})",
        f"t, a = split({one})",
        f"a = check({one})",
        f"t = look({one})",
        f"t = vary({one})",
        f"a = miss({one}) or 2",
    )
    return [make.choice((*calls, f"t += half({one}) > 1", "a += SOURCE.randint(0, 3)"))]


def jump(make, _depth, in_loop):
    """A jump on some paths."""
    jumps = ["return t, b", *(["break", "continue"] if in_loop else [])]
    return [f"if {test(make)}: {make.choice(jumps)}"]


def test(make):
    """A condition, sometimes of the host's."""
    one = value(make)
    return make.choice([f"{one} > {make.randrange(6)}", f"is_lucky({one})", f"{one} % 2 == 0"])


def block(make, depth, in_loop):
    """One or two statements, indented."""
    count = make.randrange(1, 3)
    return [f"    {line}" for _ in range(count) for line in statement(make, depth - 1, in_loop)]


def loop(make, depth, _in_loop):
    """A loop that the graph counts."""
    return [f"for i in range({make.choice(['b', '3', 'b + 1'])}):", *block(make, depth, True)]


def branch(make, depth, in_loop):
    """An `if` with `else`."""
    return [f"if {test(make)}:", *block(make, depth, in_loop), "else:", *block(make, depth, in_loop)]


def handled(make, depth, in_loop):
    """Host code under a handler of the program's."""
    lines = ["try:", *block(make, depth, in_loop)]
    if make.random() < 0.2:
        return [*lines, "finally:", *block(make, depth, False)]
    kinds = (
        "ValueError",
        "KeyError",
        "LookupError",
        "(ValueError, Missing)",
        "Exception",
        "KeyError as e",
        "KeyError if t > 3 else ValueError",
    )
    uses = (
        "print(e)",
        "t += e.args[0]",
        "raise",
        "raise ValueError('again') from e",
        "t = len(str(e))",
        "t = len(e.args)",
    )
    for kind in make.sample(kinds, make.randrange(1, 3)):
        lines += [f"except {kind}:", *block(make, depth, in_loop)]
        use = make.choice(uses)
        if kind.endswith("as e") or use == "raise":
            lines.append(f"    {use}")
    if make.random() < 0.2:
        lines += ["else:", *block(make, depth, in_loop)]
    return lines


SIMPLE = (change, call, call, jump)
COMPOUND = (loop, branch, handled)


def compiled(text, name):
    """The names of a program, whose text stands where tracebacks look for it."""
    file = f"/host/{name}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": f"host_{name}"}
    exec(compile(text, file, "exec"), names)
    return names


def plain(part):
    """A result as plain Python gives it: numbers as floats, for bools of sums are integers."""
    part = part.item() if isinstance(part, gw.Tensor) else part
    return float(part) if isinstance(part, bool | int | float) else part


def outcomes(seed, way):
    """Results or exceptions, printed texts and logs of host code of all calls, and the number of graphs."""
    return outcomes_of(compiled(text_of(seed), f"program{seed}{way}"), way)


def outcomes_of(names, way):
    """The same of a program with these names."""
    function = names["f"] if way == "native" else gw.function(names["f"], host_code=way)
    found = []
    for arguments in CALLS:
        names["LOG"].clear()
        given = arguments if way == "native" else [gw.constant(x, gw.int64) for x in arguments]
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answer = tuple(map(plain, function(*given)))
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
        found.append((answer, stream.getvalue(), list(names["LOG"])))
    return found, function.experimental_get_tracing_count() if way != "native" else 0
