"""Random loops with counted turns over arrays: sums that may overflow, branches, indices that are data, stores that are read again."""

from __future__ import annotations

from random import Random

NUMBERS = [
    "a[i]",
    "b[i]",
    "a[i - 1]",
    "a[i + 1]",
    "b[i + 1]",
    "out[i]",
    "out[i - 1]",
    "a[n - 1 - i]",
    "b[k]",
    "a[int(c[i])]",
    "x",
    "s",
    "2",
]
SUMS = [
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "-{0}",
    "min({0}, {1})",
    "max({0}, {1}, x)",
    "abs({0})",
    "{0} + 1",
]
TESTS = [
    "{0} < {1}",
    "{0} == {1}",
    "{0} > {1} or {0} == 1",
    "{0} != {1} and b[i] > x",
    "not {0} >= {1}",
    "i > {low}",
    "i != {low} and {0} > 0",
]
STORES = [
    "out[i] = {0}",
    "out[i + 1] = {0}",
    "a[i] = {0}",
    "out[i] += {0}",
    "out[int(c[i])] = {0}",
    "s = {0}",
    "s = s + {0}",
]
RANGES = [
    "range(1, n - 1)",
    "range(n - 2, 0, -1)",
    "range(1, n - 1, 2)",
    "range(n)",
    "range(k, n - 1)",
    "range(n - 1, k, -1)",
]


def program(random: Random) -> str:
    """The text of `f(a, b, c, out, k, x)`: it stores into `a` and `out`, and gives a number."""

    def number(depth: int) -> str:
        if depth == 0 or random.random() < 0.4:
            return random.choice(NUMBERS)
        return "(" + random.choice(SUMS).format(number(depth - 1), number(depth - 1)) + ")"

    def test() -> str:
        return random.choice(TESTS).format(number(1), number(0), low=random.randrange(4))

    def store(indent: str, depth: int) -> list[str]:
        line = random.choice(STORES).format(number(2))
        if depth == 0 or random.random() < 0.5:
            return [indent + line]
        other = store(indent + "    ", depth - 1)
        if random.random() < 0.4:
            other = [indent + "    " + line.split("=")[0].rstrip(" +") + f" = {number(1)}"]
        lines = [f"{indent}if {test()}:", indent + "    " + line]
        return lines + ([f"{indent}else:", *other] if random.random() < 0.6 else [])

    body = [f"        y = {number(2)}"] if random.random() < 0.3 else []
    for _ in range(random.randrange(1, 4)):
        body += store("        ", 2)
    if body[0].startswith("        y"):
        body.append("        out[i] = y")
    return "\n".join(
        [
            "def f(a, b, c, out, k, x):",
            "    n = len(a)",
            "    s = x",
            f"    for i in {random.choice(RANGES)}:",
            *body,
            "    return s",
            "",
        ]
    )
