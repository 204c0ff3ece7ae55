"""Random programs with texts and dates that host code gives: carried by loops and branches, compared, given on, printed, returned."""

from __future__ import annotations

import random

import host_programs

HOST = """
import datetime
import random

import graphwright as gw

LOG, SOURCE, NAMES = [], random.Random(3), ["ab", "", "xyz", "7"]


def number(x):
    return x.item() if isinstance(x, gw.Tensor) else x


@gw.autograph.experimental.do_not_convert
def pick(x):
    LOG.append(("pick", number(x)))
    return ["ab", "", "xyz", "7"][(number(x) + len(LOG)) % 4]


@gw.autograph.experimental.do_not_convert
def longer(w, x):
    LOG.append(("longer", w, number(x)))
    return w + "ab"[number(x) % 2]


@gw.autograph.experimental.do_not_convert
def count(w):
    LOG.append(("count", w))
    return len(w)


@gw.autograph.experimental.do_not_convert
def pair(w, x):
    LOG.append(("pair", w))
    return w.title(), number(x) + 1


@gw.autograph.experimental.do_not_convert
def vary(w):
    LOG.append(("vary", w))
    return w if len(LOG) % 4 else len(w)


@gw.autograph.experimental.do_not_convert
def note(u):
    LOG.append(("note", type(u), u))


@gw.autograph.experimental.do_not_convert
def day(x):
    LOG.append(("day", number(x)))
    return datetime.date(2024, 1, 1 + number(x) % 28)


"""


def text_of(seed):
    """The text of a program."""
    make = random.Random(seed)
    body = [
        "t = a",
        "w = pick(b)",
        "v = w",
        *make.choice([[], ["u = None"]]),
        *(line for _ in range(4) for line in statement(make, 2, False)),
    ]
    lines = [*body, "return t, w, v"]
    return f"{HOST}def f(a, b):\n" + "".join(f"    {line}\n" for line in lines)


def statement(make, depth, in_loop):
    """The lines of a statement, which holds others down to a depth."""
    return make.choice(SIMPLE if depth == 0 else (*SIMPLE, *COMPOUND))(make, depth, in_loop)


def give(make, _depth, _in_loop):
    """A text of the host's."""
    texts = (
        "pick(t)",
        "longer(w, t)",
        "longer(v, 1)",
        "w",
        "v",
        "w.upper()",
        "v.strip('a')",
        "SOURCE.choice(NAMES)",
        "'sun'",
        "f'{w}!'",
        "f'{v:>4}{len(w):03d}'",
        "str(count(v) + 1)",
        "w + 'x'",
        "'q' if t > 2 else 'xyz'",
    )
    rare = ("str(w)", "w[:2]", "'q'", "max(w, v)", "vary(w)", "', '.join([w, v])")
    return [f"{make.choice('wv')} = {make.choice(rare if make.random() < 0.15 else texts)}"]


def may_lack(make, _depth, _in_loop):
    """A text or date that is there on some paths only, or `None`."""
    some = make.choice(["pick(t)", "longer(w, t)", "'sun'", "None", "day(t)"])
    uses = (
        "if u is not None: note(u)",
        "note(u)",
        "if u: t += 1",
        "print(u)",
        "w = u or w",
        "u = None",
        "return t, u, w",
    )
    return [f"if {test(make)}: u = {some}", make.choice(uses)]


def ask(make, _depth, _in_loop):
    """A number of a text."""
    numbers = (
        "count(w)",
        "len(w)",
        "w.count('a')",
        "len(v.upper())",
        "(w == v)",
        "(day(t) < day(3))",
        "isinstance(w, str)",
    )
    rare = (
        "int(w or '3')",
        "ord(w[0])",
        "{'ab': 2}.get(w, 1)",
        "(w is v)",
        "hash(w) * 0",
        "len([w, v])",
        "sum(c == 'a' for c in w)",
    )
    return [f"t += {make.choice(rare if make.random() < 0.15 else numbers)}"]


def show(make, _depth, _in_loop):
    """A printed text."""
    return [
        make.choice(["print(w, t)", "print(v)", "print('at', v, w)", "v, t = pair(w, t)", "print(day(t))"])
    ]


def jump(make, _depth, in_loop):
    """A jump on some paths."""
    jumps = ["return t, v, w", *(["break", "continue"] if in_loop else [])]
    return [f"if {test(make)}: {make.choice(jumps)}"]


def test(make):
    """A condition, mostly of a text."""
    tests = (
        "w == 'ab'",
        "w",
        "not v",
        "w != v",
        "w < 'm'",
        "len(w) > 2",
        "t > 4",
        "w.isalpha()",
        "w and t > 2",
        "w in ('ab', v)",
    )
    return make.choice((*tests, "t % 2 == 0", "w == v or t > 3", "w is not None", "'a' in w", "w == t"))


def block(make, depth, in_loop):
    """One or two statements, indented."""
    count = make.randrange(1, 3)
    return [f"    {line}" for _ in range(count) for line in statement(make, depth - 1, in_loop)]


def loop(make, depth, _in_loop):
    """A loop that the graph counts, or that a text ends."""
    heads = (
        "for i in range(b):",
        "for i in range(3):",
        "while len(w) < 5 and t < 40:",
        "while w != 'xyz' and t < 9:",
    )
    head = make.choice(heads)
    ends = ["    t += 1", "    w = longer(w, t)"] if head.startswith("while") else []
    return [head, *ends, *block(make, depth, True)]


def branch(make, depth, in_loop):
    """An `if` with `else`."""
    return [f"if {test(make)}:", *block(make, depth, in_loop), "else:", *block(make, depth, in_loop)]


SIMPLE = (give, give, ask, show, jump, may_lack)
COMPOUND = (loop, branch)


def outcomes(seed, way):
    """Results or exceptions, printed texts and logs of host code of all calls, and the number of graphs."""
    return host_programs.outcomes_of(host_programs.compiled(text_of(seed), f"texts{seed}{way}"), way)
