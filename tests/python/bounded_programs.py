"""Random loops whose tests say what their indices are: over one array, which they store into."""

from __future__ import annotations

from random import Random

HEADS = [
    "i, j = len(a) - 1, 0",
    "i, j = k, len(a) // 2",
    "i, j = 0, len(a) - 1",
    "i, j = -1, k",
]
TESTS = [
    "i >= 0 and a[i] > x",
    "i >= {low} and i < len(a)",
    "j < len(a) and a[j] != x",
    "i < j and turns < 9",
    "0 <= i < len(a) and a[i] >= a[-1]",
    "turns < {turns}",
]
CONDITIONS = [
    "i >= 0 and a[i] > x",
    "0 <= i < len(a)",
    "i + 1 < len(a)",
    "j > {low} or i < 2",
    "a[j % len(a)] > x",
    "not i < {low}",
]
STORES = [
    "a[i] = a[j]",
    "a[i + 1] = a[i]",
    "a[i - 1] += x",
    "a[i], a[j] = a[j], a[i]",
    "a[-i - 1] = x",
    "a[{low}] = a[i]",
]
STEPS = ["i -= 1", "i += 1", "j -= 1", "j += 2", "i, j = i + 1, j - 1", "i -= {low}"]


def program(random: Random) -> str:
    """The text of `f(a, k, x)`: it gives its numbers, and may leave the array at any index."""
    low = random.randrange(-2, 4)

    def some(lines):
        return random.choice(lines).format(low=low, turns=random.randrange(1, 8))

    body = [some(STEPS), "turns += 1"]
    for _ in range(random.randrange(1, 4)):
        line = some(STORES)
        if random.random() < 0.6:
            line = f"if {some(CONDITIONS)}:\n            {line}"
            line += f"\n        else:\n            {some(STEPS)}" if random.random() < 0.5 else ""
        body.insert(random.randrange(len(body)), line)
    lines = [f"    {some(HEADS)}", "    turns = 0", f"    while {some(TESTS)} and turns < 20:"]
    lines += [f"        {line}" for line in body]
    if random.random() < 0.5:
        lines += [
            f"    for n in range(len(a) - 1, {low}, -1):",
            f"        if a[n] > a[n - 1]:\n            {some(STORES)}",
        ]
    return "\n".join(["def f(a, k, x):", *lines, "    return i, j, turns", ""])
