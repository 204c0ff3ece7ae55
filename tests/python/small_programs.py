"""Small random programs of branches, loops, early exits and logic over numbers."""

from __future__ import annotations

import linecache
from itertools import count

from hypothesis import strategies as st

PLAIN = ["a", "b", "c"]
NAMES = [*PLAIN, "box.v", 'pair["k"]']
NUMBERS = count()


def lines(*parts):
    return [line for part in parts for line in ([part] if isinstance(part, str) else part)]


def indented(body):
    return ["    " + line for line in body]


# Divisors are never Python zeros: those fail while the graph is built, in branches that are not taken too.
operands = st.sampled_from([*NAMES, "0", "1", "2", "7"])
tests = st.recursive(
    st.one_of(
        st.builds("{} {} {}".format, operands, st.sampled_from(["<", "<=", "==", "!=", ">"]), operands),
        st.builds("{} < {} <= {}".format, operands, st.sampled_from(NAMES), operands),
        st.builds("{} % {} == 0".format, st.sampled_from(NAMES), st.sampled_from(["2", "3", "fuel"])),
    ),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=3,
)
values = st.one_of(
    operands,
    st.builds("({} + {}) % 1000".format, operands, operands),
    st.builds("{} - {}".format, operands, st.sampled_from(["1", "2"])),
    st.builds("{} * {} % 97".format, operands, operands),
    st.builds("{} // {}".format, operands, st.sampled_from(["2", "3", "-4", "fuel"])),
    st.builds("({} if {} else {})".format, operands, tests, operands),
    st.builds("helper({})".format, operands),
    st.builds("max({}, {})".format, operands, operands),
    st.builds("abs({})".format, operands),
)


@st.composite
def statements(draw, depth, in_loop):
    """A list of lines: one to three statements that may leave the loop or the function."""
    kinds = ["assign", "assign", "swap", "augment"]
    kinds += ["if", "if_else", "while", "for"] if depth else []
    kinds += ["break", "continue"] if in_loop else []
    kinds += ["return"]
    return lines(
        *(
            draw(statement(draw(st.sampled_from(kinds)), depth, in_loop))
            for _ in range(draw(st.integers(1, 3)))
        )
    )


def statement(kind, depth, in_loop):
    """One statement of a kind, as lines."""
    body = statements(depth - 1, in_loop) if depth else None
    loop_body = statements(depth - 1, True) if depth else None
    name = st.sampled_from(NAMES)
    return {
        "assign": lambda: st.builds(lambda n, v: [f"{n} = {v}"], name, values),
        "swap": lambda: st.builds(lambda n, m, v: [f"{n}, {m} = {m}, {v}"], name, name, values),
        "augment": lambda: st.builds(lambda n, v: [f"{n} += ({v}) % 10"], name, values),
        "if": lambda: st.builds(lambda t, b: lines(f"if {t}:", indented(b)), tests, body),
        "if_else": lambda: st.builds(
            lambda t, b, u, c, d: lines(
                f"if {t}:", indented(b), f"elif {u}:", indented(c), "else:", indented(d)
            ),
            tests,
            body,
            tests,
            body,
            body,
        ),
        "while": lambda: st.builds(
            lambda t, b: lines(f"while fuel > 0 and {t}:", indented(lines("fuel -= 1", b))), tests, loop_body
        ),
        "for": lambda: st.builds(
            lambda n, v, b: lines(f"for {n} in range({v} % 4):", indented(b)),
            name,
            st.sampled_from(NAMES),
            loop_body,
        ),
        "break": lambda: st.builds(lambda t: [f"if {t}:", "    break"], tests),
        "continue": lambda: st.builds(lambda t: [f"if {t}:", "    continue"], tests),
        "return": lambda: st.builds(lambda t, v: [f"if {t}:", f"    return a, b, {v}, box.v"], tests, values),
    }[kind]()


RESULT = "return a, b, c, pair['k']"
START = ["box = Box()", "box.v = a", "pair = {'k': b}"]
HELPER = """
class Box:
    pass


def helper(x):
    if x > 5:
        return x - 5
    return x + 1
"""


def program(body):
    """A function of this body, with its source to be found."""
    text = "\n".join(
        lines(HELPER.splitlines(), "def f(a, b, c, fuel):", indented(lines(START, body, RESULT)), "")
    )
    file = f"<generated {next(NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["f"], text
