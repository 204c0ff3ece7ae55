"""The programs' statements: templates by where they may stand; `grammar` says what the holes are."""

from __future__ import annotations

import enum

from .names import NAMES


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

EXCEPTIONS = """
try:
    if {t}:
        raise ValueError("low")
    {I} = {i}
except ValueError:
    {body}
---
try:
    {I} = {i}
    assert {t}, "no"
    {body}
except AssertionError as stopped{own}:
    {I} = len(str(stopped{own}))
else:
    {I} = {i}
---
try:
    {I} = {i} // ({i} % 3)
    {body}
except ZeroDivisionError:
    {I} = {c}
finally:
    {R} = {r}
---
few{own} = [{i}, {i}, {i}]
try:
    {I} = few{own}[{i} % 5]
except IndexError:
    {body}
---
try:
    for i{own} in range({i} % 4):
        {I} = {i}
        if {t}:
            raise KeyError("in a loop")
        {loop}
except (KeyError, IndexError):
    {I} = {i}
---
try:
    try:
        if {t}:
            raise KeyError("inner")
        {body}
    finally:
        {I} = {i}
except LookupError:
    {body}
---
try:
    try:
        {I} = {i}
        {body}
    finally:
        {I} = {i} // ({i} % 3)
    {I} += 1
except ZeroDivisionError:
    {I} = {c}
"""

MANAGERS = """
with contextlib.suppress(ZeroDivisionError):
    {I} = {i} // ({i} % 3)
    {body}
---
with contextlib.suppress(ValueError, KeyError):
    {body}
    if {t}:
        raise ValueError("low")
    {I} = {i}
---
few{own} = [{i}, {i}, {i}]
with Keeps(IndexError) as keeps{own}:
    {I} = few{own}[{i} % 5]
    {body}
{I} += keeps{own}.left
---
keeps{own} = Keeps(LookupError)
for i{own} in range({i} % 4):
    with keeps{own}:
        {I} = {i}
        if {t}:
            raise KeyError("in a loop")
        {loop}
{I} = keeps{own}.left
---
with minded({i} % 9, counter) as z{own}:
    {I} = {i} // (z{own} % 4)
    {body}
---
try:
    with Keeps(KeyError) as keeps{own}, minded({i} % 5, counter):
        assert {t}, "no"
        {body}
except AssertionError:
    {I} = keeps{own}.left + counter.count
"""

DICTIONARIES = """
ages{own} = {1: {i}, 2: {i}, 3: {i}}
{I} = ages{own}[{i} % 3 + 1]
---
ages{own} = {0: {i}, 1: {i}}
for i{own} in range({i} % 4):
    ages{own}[{i} % 2] += i{own}
    {loop}
{I} = (ages{own}[0] - ages{own}[1]) % 1009
---
counts{own} = {}
for i{own} in range({i} % 5):
    key{own} = {i} % 3
    counts{own}[key{own}] = counts{own}.get(key{own}, 0) + 1
{I} = len(counts{own})
---
met{own} = set()
for i{own} in range({i} % 6):
    if {i} % 4 in met{own}:
        {loop}
        continue
    met{own}.add({i} % 4)
{T} = {i} in met{own}
---
names{own} = {0: {r}, 5: {r}}
{R} = names{own}.get({i} % 7, {r})
{T} = {i} in names{own}
"""

OBJECTS = """
{I} = counter.step({i})
---
poke(box, {i})
---
for i{own} in range({i} % 4):
    counter.step(i{own})
    {loop}
---
def add{own}(z):
    nonlocal fuel
    fuel = fuel - 1 if z > 2 else fuel
    return z % 10
{I} = add{own}({i}) + add{own}({i})
---
same{own} = box
same{own}.v = {i}
"""

GENERATORS = """
for z{own} in evens({i} % 7):
    {I} = z{own}
    {loop}
---
{I} = sum(z % 10 for z in evens({i} % 9))
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


def templates(*texts: str) -> tuple[str, ...]:
    """The templates in these tables."""
    return tuple(one.strip("\n") for text in texts for one in text.split("\n---\n"))


ANYWHERE = (LEAVES, BLOCKS, LISTS, OBJECTS, NAMES, GENERATORS, DICTIONARIES, EXCEPTIONS, MANAGERS)
STATEMENTS = {
    Where.START: templates(OPENINGS),
    Where.TOP: templates(*ANYWHERE),
    Where.LOOP: templates(*ANYWHERE, JUMPS),
}
