"""Random programs that change objects in lists; run as a program it compares many of them: `python random_elements.py 1000`."""

from __future__ import annotations

import linecache
import random
import sys

import numpy as np

import graphwright as gw
from element_classes import Particle, flat
from plain_results import value

LISTS = ["a", "b"]

STATEMENTS = [
    ["for p in {l}:", "    p.x += {c}"],
    ["for p in {l}:", "    p.v = p.x * {c}"],
    ["for i, p in enumerate({l}):", "    p.x += i * {c}"],
    ["for p in {l}:", "    if p.x > {c}:", "        p.x -= 1.0", "    else:", "        p.v += 1.0"],
    ["for p in {l}:", "    for q in {m}:", "        p.v += q.x * 0.5"],
    ["for p in {l}:", "    p.x += 1.0", "    if p.x > {c}:", "        break"],
    ["for i in range(len({l}) - 1):", "    {l}[i].x, {l}[i + 1].x = {l}[i + 1].x, {l}[i].x"],
    ["{l}[k].x = {c}"],
    ["{l}[k - 1].v += {l}[k].x"],
    ["{q} = {l}[k]"],
    ["{q} = {l}[0]"],
    ["{q} = max({l}, key=lambda p: p.v)"],
    ["{q}.x += {c}"],
    ["{q}.v = {r}.x"],
    ["{q}.x, {r}.x = {r}.x, {q}.x"],
    ["if {q} is {r}:", "    t += 1.0"],
    ["if k > 1:", "    {q}.x += {c}", "else:", "    {l}[0].v += {c}"],
    ["bump({q}, {c})"],
    ["t += bump({l}[k], {c})"],
    ["{l}.append(Particle({c}, t))"],
    ["{l}.append(Particle({c}, t))", "{q}.x += {c}"],
    ["{q} = {l}[k]", "{l}.append(Particle({q}.x, {c}))", "{q}.v -= {r}.x"],
    ["{l}.append({q})"],
    ["{q} = {l}.pop()", "{l}.append(Particle({q}.x, {c}))"],
    ["p = {l}.pop()", "p.x += {c}", "{l}.append(p)"],
    ["{l} = [p for p in {l} if p.x < 6.0] + [Particle({c}, 1.0)] * 0"],
    ["{l} = [p for p in {l} if p.v < 9.0]", "{l}.append(Particle({c}, {c}))"],
    ["{l} = {m}[:k]", "{l}.append(Particle({c}, {c}))"],
    ["{l} = {l} + {m}"],
    ["{l} = sorted({m}, key=lambda p: -p.x)"],
    ["{l} = list({m})"],
    ["{l} = {m}.copy()"],
    ["{l}.reverse()"],
    ["{l}.sort(key=lambda p: p.v)"],
    ["{l}[0], {l}[k] = {l}[k], {l}[0]"],
    ["m = 0", "while m < k:", "    {l}[m].x += {c}", "    m += 1"],
    ["t += sum(p.x for p in {l})"],
    ["setattr({q}, 'x', {c})"],
    ["{q} = Particle({c}, {c})", "{l}.append({q})"],
]

BEGIN = """
def bump(p, c):
    p.x += c
    return p.x


def program(n, k):
    t = 0.0
    a, b = [], {second}
    for i in range(n):
        a.append(Particle(i * 1.0, 2.0))
    q, r = {names}
"""

NAMES = ["a[0], b[k % 2]", "a[0], b[0]", "Particle(9.0, 9.0), Particle(8.0, 8.0)"]

END = "    return [p.x for p in a], [p.v for p in a], [p.x for p in b], [p.v for p in b], q.x, q.v, r.x, r.v, t\n"

SECOND = [
    "[Particle(1.0, 0.0), Particle(3.0, 1.0), Particle(5.0, 2.0)]",
    "[Particle(i * 0.5, 1.0) for i in range(n)]",
]


def text_of(seed: int) -> str:
    """The text of a program"""
    draw = random.Random(seed)
    lines = []
    for _ in range(draw.randrange(2, 7)):
        names = {"l": draw.choice(LISTS), "m": draw.choice(LISTS), "c": f"{draw.randrange(1, 8) * 0.5}"}
        names |= dict(zip("qr", draw.sample(["q", "r"], 2), strict=True))
        lines += ["    " + line.format(**names) for line in draw.choice(STATEMENTS)]
    return BEGIN.format(second=draw.choice(SECOND), names=draw.choice(NAMES)) + "\n".join(lines) + "\n" + END


def program_of(text: str):
    """The function that a text defines"""
    path = f"<{text}>"
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    names = {"Particle": Particle}
    exec(compile(text, path, "exec"), names)
    return names["program"]


def outcome(run):
    """The numbers of a result, or the kind of an exception of the program's own; nothing where the graph refuses"""
    try:
        return flat(value(run()))
    except Exception as error:
        refused = str(error).startswith("GW") and not str(error).startswith("GW111")
        return None if refused else type(error).__name__


def staged_outcome(program, n: int, k: int):
    """The outcome of the graph of a program"""
    return outcome(lambda: gw.function(program)(gw.constant(n), gw.constant(k)))


def differs(seed: int) -> str | None:
    """The first difference between a program and its graph; nothing if there is none"""
    program = program_of(text_of(seed))
    staged = gw.function(program)
    for n, k in [(4, 2), (3, 1), (5, 0)]:
        wanted = outcome(lambda n=n, k=k: program(n, k))
        found = outcome(lambda n=n, k=k: staged(gw.constant(n), gw.constant(k)))
        if found is None:
            return None
        if type(wanted) is not type(found):
            return f"n={n}, k={k}: {found} in place of {wanted}"
        same = found == wanted if isinstance(found, str) else len(found) == len(wanted)
        if not same or (isinstance(found, list) and not np.allclose(found, wanted, rtol=1e-4)):
            return f"n={n}, k={k}: {found} in place of {wanted}"
    return None


if __name__ == "__main__":
    first, count = int(sys.argv[2]) if len(sys.argv) > 2 else 0, int(sys.argv[1])
    for seed in range(first, first + count):
        if found := differs(seed):
            print(f"--- {seed}: {found}\n{text_of(seed)}", flush=True)
