"""Random programs that change containers in a loop, with branches and blocks; lines are strings, blocks lists of them."""

from __future__ import annotations

import linecache

from hypothesis import strategies as st

from three_ways import check


def statements(simple, tests):
    """These statements, alone and in both branches of an `if` on one of these tests."""

    def nested(inner):
        blocks = st.lists(inner, min_size=1, max_size=2).map(
            lambda found: [line for one in found for line in one]
        )
        return st.tuples(st.sampled_from(tests), blocks, blocks).map(
            lambda parts: [f"if {parts[0]}:", parts[1], "else:", parts[2]]
        )

    return st.recursive(simple, nested, max_leaves=3)


def text(lines, depth):
    """Statements as text; a list in a list is the block of the statement before it."""
    return "".join(
        text(line, depth + 1) if isinstance(line, list) else "    " * depth + line + "\n" for line in lines
    )


def agrees(start, body, result):
    """Whether a function of `n` that begins so and does this in a loop gives Python's result, without refusal."""
    loop = [line for one in body for line in one]
    lines = [
        "def f(n):",
        [*start, "y = 0", "for i in range(n):", [*loop, "y = y % 1000"], f"return {result}"],
    ]
    source, names = text(lines, 0), {}
    file = "<a program with containers>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    for n in (0, 5):
        try:
            refusal = check(names["f"], n, refusal=True)
        except AssertionError as error:
            raise AssertionError(f"{source}\n{error}") from None
        assert refusal is None, f"{source}\n{refusal}"
