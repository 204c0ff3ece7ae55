"""The programs' grammar: templates of expressions by kind, and of statements by where they may stand.

Lower-case holes are expressions (`{i}` integer, `{r}` float, `{t}` bool, `{v}` and `{w}` vectors of
integers and of floats, `{q}` a bool that is Python's in every way of running) or literals; upper-case
holes are names of that kind to assign; `{body}`, `{loop}` and `{function}` are blocks; `{own}` makes a
name the statement's own. Integers stay far below 2^63, where Python's go on and a graph's wrap; floats
are divided by what is not zero only, because a float divided by zero is infinite in a graph, as in NumPy.
"""

from __future__ import annotations

import enum

LITERALS = {
    "c": ("0", "1", "2", "3", "7"),
    "n": ("1", "2", "3", "-4", "7"),
    "x": ("0.0", "1.0", "0.5", "-2.25", "1e300"),
    "op": ("<", "<=", "==", "!=", ">", ">="),
}

# Names that templates mention and that not every function has.
GIVEN = {"xs", "ws", "grid", "items", "pair", "box", "counter", "shifted", "fuel", "helper", "down", "again"}

# Kind: what needs no other expression, what does.
EXPRESSIONS = {
    "i": (
        ("{c}", "fuel"),
        (
            "({i} - {c})",
            "(({i} + {i}) % 1009)",
            "({i} * {i} % 97)",
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


class Where(enum.Enum):
    """Where a statement stands."""

    START = "before any test of the function"
    TOP = "no loop around"
    LOOP = "in a loop"

    def inside(self, hole: str) -> Where:
        """Where the block of a statement stands."""
        return {
            "loop": Where.LOOP,
            "function": Where.TOP,
            "body": Where.LOOP if self is Where.LOOP else Where.TOP,
        }[hole]


LEAVES = """
{I} = {i}
---
{R} = {r}
---
{T} = {t}
---
{I} += {i} % 10
---
{I} -= {c}
---
{I}, {I} = {i}, {i}
---
{R} = {R} * 0.5 + {r}
---
if {t}:
    return {result}
---
if {t}:
    maybe{own} = {i}
if {t}:
    {I} = maybe{own}
---
{V} = {v}
---
{W} = {w}
---
assert {i} < {i} or {t} or {i} < 500, "too much"
---
{I} = sum([z % 50 for z in items])
---
one{own} = lambda z, k={i}: z + k % 10
{I} = one{own}({i})
---
if (seen := {i}) > {i}:
    {I} = seen
---
{R}, {I} = {r}, {i}
---
best{own} = {i} if {t} else None
{I} = best{own} if best{own} is not None else {c}
---
best{own} = None
if {t}:
    best{own} = {i}
{I} = best{own} or {i}
---
held{own} = ({i}, {r}) if {t} else None
if held{own} is not None:
    {I}, {R} = held{own}
---
rare{own} = None if {t} else {r}
{T} = rare{own} is None or rare{own} > {r}
if {t} and {t} and {t}:
    {R} = rare{own} + {r}
"""

LISTS = """
kept{own} = []
for i{own} in range({i} % 5):
    if {t}:
        kept{own}.append({i} % 1009)
    {loop}
{I} = len(kept{own})
---
kept{own} = [{i} % 97]
for i{own} in range({i} % 4):
    kept{own}.append((kept{own}[-1] + {i}) % 1009)
{I} = kept{own}[{c} % len(kept{own})] + sum(kept{own}[1:])
---
todo{own} = [{i} % 40]
while todo{own}:
    top{own} = todo{own}.pop()
    if top{own} > 2:
        todo{own}.append(top{own} // 2)
        todo{own}.append(top{own} // 3)
    {loop}
---
line{own} = [{i} % 9, {c}]
for i{own} in range(3):
    line{own}.append({i} % 9)
    if {t}:
        {I} = line{own}.pop(0)
line{own}.sort()
{I} = line{own}[0]
{I} = max(line{own})
---
parts{own} = []
for i{own} in range({i} % 4):
    parts{own}.append({r})
if parts{own}:
    {R} = parts{own}[-1]
for part{own} in parts{own}:
    {R} = {R} * 0.5 + part{own}
---
met{own} = []
for i{own} in range({i} % 6):
    if {i} % 4 in met{own}:
        {loop}
        continue
    met{own}.append({i} % 4)
{T} = {i} in met{own}
---
both{own} = []
for i{own} in range({i} % 4):
    both{own}.append(({i} % 1009, {r}))
for left{own}, right{own} in both{own}:
    {I}, {R} = left{own}, right{own}
"""

BLOCKS = """
if {t}:
    {body}
---
if {t}:
    {body}
else:
    {body}
---
if {t}:
    {body}
elif {i}:
    {body}
else:
    {body}
---
for i{own} in range({i} % 4):
    {loop}
---
for i{own} in range({c}, {i} % 5, 2):
    {loop}
    {I} = i{own}
---
left{own} = {c}
while left{own} > 0 and {t}:
    left{own} -= 1
    {loop}
---
while fuel > 0 and {t}:
    fuel -= 1
    {loop}
else:
    {body}
---
left{own} = {i} % 5
while left{own}:
    left{own} -= 1
    {loop}
---
for i{own} in range({i} % 4):
    {loop}
else:
    {body}
---
for i{own} in (1, {i}, 3):
    {I} = i{own}
    {loop}
---
for i{own} in range(3):
    {loop}
---
for i{own} in xs:
    {I} = int(i{own}) % 1009
    {loop}
---
for row{own} in grid:
    {R} = float(row{own}[0])
    {loop}
---
left{own} = {i} % 6
while True:
    left{own} -= 1
    if left{own} < 0:
        break
    {loop}
---
best{own} = None
for i{own} in range({i} % 4):
    if best{own} is None or {i} > best{own}:
        best{own} = {i}
    {loop}
{I} = {c} if best{own} is None else best{own}
---
grows{own} = 0
for i{own} in range({i} % 4):
    grows{own} = grows{own} + {r}
    {loop}
{R} = grows{own} * 1.0
---
if {q}:
    {body}
else:
    {body}
---
match {i} % 5:
    case 0:
        {body}
    case 1 | 2 if {t}:
        {body}
    case other{own}:
        {I} = other{own}
---
match ({i} % 3, {i}):
    case (0, second{own}) if second{own} > {i}:
        {I} = second{own}
    case (1, _):
        {body}
    case _:
        {body}
---
match pair:
    case {"k": 3}:
        {body}
    case {"k": held{own}, **rest{own}}:
        {I} = held{own} + len(rest{own})
---
with Guard():
    {body}
"""

OPENINGS = """
def inner{own}(z):
    nonlocal a, b, c, g, h, p, xs, ws, fuel
    {function}
    return {result}
inner{own}({i})
---
try:
    {body}
    if {q}:
        raise KeyError("stop")
except KeyError:
    {body}
---
{I} = counter.step({i})
---
with Guard():
    {body}
---
for i{own} in range(3):
    items.append({i} % 1009)
---
try:
    {I} = {i}
    if {q}:
        raise KeyError("stop")
    {R} = {r}
except (KeyError, ValueError) as stopped:
    {I} = len(str(stopped))
else:
    {I} = {i}
finally:
    {T} = {t}
---
items = [z % 7 + {i} % 100 for z in range(4) if {q}] + [{i}, 1]
---
for n{own}, z{own} in enumerate([{i}, {i}, 3]):
    if n{own} > 1:
        pair["j"] = z{own}
        continue
    {I} = z{own} % 1009
    counter.step(n{own})
---
for n{own}, z{own} in zip(range(3), [{i}, {i}]):
    {I} = (z{own} + n{own}) % 1009
---
with Guard() as guard{own}, Guard():
    {I} = {i}
    counter.count = {I} % 1009
---
first{own}, *rest{own} = items
{I} = sum([z % 100 for z in rest{own}])
---
pair.update(j={i})
{I} = pair["j"]
---
total{own} = 0
def add{own}(z):
    nonlocal total{own}
    if z > {i}:
        total{own} += z % 10
    return total{own}
{I} = add{own}({i}) + add{own}({i})
"""

JUMPS = """
if {t}:
    break
---
if {t}:
    continue
---
if {t}:
    {I} = {i}
    break
---
if {t}:
    break
else:
    {I} = {i}
    continue
"""


def _statements(*texts: str) -> tuple[str, ...]:
    return tuple(template.strip("\n") for text in texts for template in text.split("\n---\n"))


STATEMENTS = {
    Where.START: _statements(OPENINGS),
    Where.TOP: _statements(LEAVES, BLOCKS, LISTS),
    Where.LOOP: _statements(LEAVES, BLOCKS, LISTS, JUMPS),
}
