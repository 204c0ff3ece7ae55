"""Templates of statements about objects that have several names; `grammar` says what the holes are."""

NAMES = """
mark{own} = Point({i}, {i})
same{own} = mark{own}
for i{own} in range({i} % 4):
    mark{own}.y = {i} % 1009
    same{own}.move({i})
    {loop}
{I} = same{own}.x - mark{own}.y
---
ages{own} = {"k": {i}, "j": {c}}
same{own} = ages{own}
if {t}:
    same{own}["k"] = {i}
{I} = ages{own}["k"]
---
best{own} = Point({i}, {c})
for i{own} in range({i} % 4):
    found{own} = Point({i}, i{own})
    if found{own}.x > best{own}.x:
        best{own} = found{own}
    {loop}
{I} = best{own}.x + best{own}.y
---
here{own}, there{own} = Point({i}, 0), Point({i}, 1)
while here{own}.y < {i} % 4:
    here{own}, there{own} = there{own}, here{own}
    here{own}.y = there{own}.y + 1
    {loop}
{I} = (here{own}.x - there{own}.x) % 1009
---
row{own} = [Point({i}, 1), Point({i}, 2)]
first{own} = row{own}[0]
for mark{own} in row{own}:
    if {t}:
        mark{own}.move({i})
    {loop}
{I} = first{own}.x
---
held{own} = (Point({i}, 0), {i})
mark{own} = held{own}[0]
if {t}:
    held{own} = (held{own}[0], {i})
held{own}[0].x = {i}
{I} = mark{own}.x + held{own}[1] % 97
---
mark{own} = Point({i}, {i})
for i{own} in range({i} % 4):
    mark{own} = Point(mark{own}.y % 1009, {i})
    {loop}
mark{own}.move({i})
{I} = mark{own}.x
---
old{own}, new{own} = Point({i}, 0), Point({i}, 1)
mark{own} = old{own} if {t} else new{own}
{I} = mark{own}.x + old{own}.y
---
old{own}, new{own} = Point({i}, 0), Point({i}, 1)
mark{own} = old{own}
if {t}:
    mark{own} = new{own}
if {q} and {q} and {q}:
    mark{own}.x = {i}
{I} = old{own}.x - new{own}.x
---
ages{own} = {"k": {i}}
both{own} = [ages{own}, {"k": {i}}]
for i{own} in range({i} % 3):
    both{own} = [both{own}[1], ages{own}]
    {I} = both{own}[1]["k"] - both{own}[0]["k"]
---
rows{own} = [[{i} % 9], [], [{c}, {i} % 9]]
for i{own} in range({i} % 4):
    rows{own}[{i} % 3].append({i} % 1009)
    {loop}
for line{own} in rows{own}:
    line{own}.append({i} % 9)
    {loop}
line{own} = rows{own}[{i} % 3]
if {t}:
    line{own}.append({i} % 97)
if line{own}:
    {I} = line{own}[-1] + len(rows{own}[0])
---
grid{own} = [[{c}, {i} % 9], [{i} % 9, {c}]]
grid{own}[{i} % 2][{i} % 2] = {i} % 1009
for line{own} in grid{own}:
    line{own}[{i} % 2] += 1
    {loop}
{I} = grid{own}[{i} % 2][0] - grid{own}[1][{i} % 2]
"""
