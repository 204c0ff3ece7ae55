"""The programs' grammar: templates of expressions by kind; `statements` has those of statements.

Lower-case holes are expressions (`{i}` integer, `{r}` float, `{t}` bool, `{v}` and `{w}` vectors of
integers and of floats, `{q}` a bool that is Python's in every way of running) or literals; upper-case
holes are names of that kind to assign; `{body}`, `{loop}` and `{function}` are blocks; `{own}` makes a
name the statement's own. Integers stay far below 2^63, where Python's go on and a graph's wrap; floats
are divided by what is not zero only, because a float divided by zero is infinite in a graph, as in NumPy.
"""

from __future__ import annotations

LITERALS = {
    "c": ("0", "1", "2", "3", "7"),
    "n": ("1", "2", "3", "-4", "7"),
    "x": ("0.0", "1.0", "0.5", "-2.25", "1e300"),
    "op": ("<", "<=", "==", "!=", ">", ">="),
}

# Names that templates mention and that not every function has.
GIVEN = {
    *("xs", "ws", "grid", "items", "pair", "box", "counter", "shifted", "fuel", "helper", "down", "again"),
    *("poke", "evens", "minded", "Keeps"),
}

# Kind: what needs no other expression, what does.
EXPRESSIONS = {
    "i": (
        ("{c}", "fuel"),
        (
            "({i} - {c})",
            "(({i} + {i}) % 1009)",
            "({i} % 1009 * {i} % 97)",
            "({i} - {i}) % 1009",
            "-({i})",
            "~({i})",
            "({i} // {n})",
            "({i} % {n})",
            "({i} // ({i} % 5 + 1))",
            "({i} // {i} if {i} > 3 else {i})",
            "(({i} % 7) ** ({i} % 4))",
            "(({i} % 64) << ({i} % 5))",
            "({i} >> ({i} % 9))",
            "({i} & {i})",
            "({i} | {i}) % 1009",
            "({i} ^ {i}) % 1009",
            "({i} if {t} else {i})",
            "({i} and {i})",
            "({i} or {i})",
            "abs({i})",
            "max({i}, {i})",
            "min({i}, {i}, {i})",
            "divmod({i}, {n})[0]",
            "int({t})",
            "helper({i}, {i})",
            "helper({i}, y={i})",
            "down({i} % 5, {i} % 1009)",
            "again(n - 1, {i} % 1009)",
            "again(n - 2, ({i} + again(n - 3, {i} % 97)) % 1009)",
            "(lambda z: z - {i})({i})",
            "shifted({i})",
            "sum([{i} % 100, {i} % 100])",
            "sum([z % 7 + {i} % 100 for z in (1, 2, {i})])",
            "len(xs)",
            "int(xs[{c} % len(xs)])",
            "int(xs[{i} % len(xs)])",
            "int(sum({v} % 100))",
            "int(max({v}))",
            "int(np.sum({v} % 100))",
        ),
    ),
    "r": (
        ("{x}",),
        (
            "({r} + {r})",
            "({r} - {r})",
            "({r} * {r})",
            "-({r})",
            "({r} * 0.5)",
            "({i} * 0.5)",
            "({i} / {n})",
            "({r} / 4.0)",
            "({r} // 2.0)",
            "({r} % 2.5)",
            "abs({r})",
            "float({i})",
            "({r} if {t} else {r})",
            "({r} or {r})",
            "math.sqrt(abs({r}))",
            "float(ws[{c} % len(ws)])",
            "float(ws[{i} % len(ws)])",
            "float(np.sum({w}))",
            "(lambda z: z * 0.5 + {r})({r})",
            "(1.0 / (abs({r}) + 1.0))",
        ),
    ),
    "t": (
        ("True",),
        (
            "({i} {op} {i})",
            "({r} {op} {r})",
            "({i} < {i} <= {i})",
            "({i} {op} {i} {op} {i})",
            "({t} and {t})",
            "({t} or {t})",
            "(not {t})",
            "({i} % {n} == {c})",
            "({i} in (1, 2, {i}))",
            "({i} not in ({i}, 3))",
            "bool({i})",
            "({t} if {t} else {t})",
            "bool(np.all({v} > {i}))",
            "bool(np.any({w} > {r}))",
            "(box is not None)",
            "({t} == {t})",
        ),
    ),
    "v": (
        ("xs",),
        (
            "({v} + {i}) % 1009",
            "({v} + {v}) % 1009",
            "({v} * {v} % 97)",
            "-({v})",
            "abs({v})",
            "({v} // {n})",
            "({v})[::-1]",
            "({v} if {t} else {v})",
            "np.where({v} > {i}, {v}, {v})",
            "np.maximum({v}, {i})",
        ),
    ),
    "w": (
        ("ws",),
        (
            "({w} + {r})",
            "({w} * {w})",
            "-({w})",
            "({w} - float({w}[0]))",
            "({w} if {t} else {w})",
            "np.where({w} > {r}, {w}, {w})",
            "({v} * 0.5)",
            "grid[{c} % 2]",
        ),
    ),
    "q": (
        ("True", "len(items) > 2", "len(xs) > 1", "'k' in pair", "False"),
        ("(not {q})", "({q} and {q})", "({q} or {q})", "(len(items) + {c}) % 2 == 0"),
    ),
}
