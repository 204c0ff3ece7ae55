"""Lists of the graph under names that may be without a value, and where an operator decides which list it is."""

import linecache

import pytest

import graphwright as gw

TEXT = """
def f(n):
    xs = [3, 1, 2, 5]
    for i in range({count}):
        ys = xs
        xs.append(n)
        xs.sort()
    {body}
    return xs
"""
BODIES = [
    "ys[1:2] = [2, 2]",
    "del ys[0]",
    "ys[0] = 9",
    "ys += [3]",
    "a, b, c, d, e = ys; xs.append(a+e)",
    "a, *b = ys; xs.append(b[0])",
    "xs.append(ys[0])",
    "xs = [*ys, 7]",
    "xs = [x+1 for x in ys]",
    "xs = list(ys)",
    "xs.append(max(ys))",
    "xs.append(sum(ys))",
    "ys[0] += 4",
    "xs = ys[1:3]",
    "xs = (ys if n > 3 else xs)[1:3]",
    "xs = (ys or xs)[0:2]",
    "(ys and xs)[0] = 4",
    "(xs if n > 0 else xs)[0] = 4",
    "a, *b = (ys or xs); xs = b",
    "a, *b = ys if n else ys; xs = b",
    "xs = [*(ys or xs), 4]",
    "xs = {**{1: ys[0]}}[1]",
    "xs = len(ys)",
    "xs = [2 in ys, ys == xs, ys is xs]",
    "for y in ys: n += y\n    xs = n",
    "xs = f'{ys}'",
    "xs = tuple(ys)",
    "ys.reverse()",
    "xs = sorted(ys)[0]",
    "xs = ys * 2",
    "xs = ys + [1]",
    "xs = max(*ys)",
    "ys[:] = [1]",
    "del ys[1:]",
    "xs = ys[::2]",
    "xs = [y for y in ys if y > 2]",
    "xs = {y for y in ys}",
    "xs = {y: 1 for y in ys}",
    "xs = any(ys)",
    "xs = ys[n-6]",
    "ys[n-6] = 4",
    "del ys[n-6]",
    "xs = list(zip(ys, xs))",
    "xs = [(i, y) for i, y in enumerate(ys)]",
    "xs = ys.index(n)",
    "xs = ys.count(n)",
    "xs=list(map(abs, ys))",
    "xs = ys.pop() + ys.pop(0)",
    "ys.insert(1, n)",
    "ys.extend([1, n])",
    "ys.remove(n)",
    "xs = ys.copy()",
]


def made(body, count):
    text = TEXT.format(body=body, count=count)
    file = f"/in_doubt/{abs(hash(text))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def plain(value):
    if isinstance(value, gw.Tensor):
        value = value.numpy()
        return value.decode() if isinstance(value, bytes) else value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return {plain(item) for item in value} if isinstance(value, set) else value


def outcome(function, n):
    """What a call gives, or the type of its exception; "refused" for a diagnostic."""
    try:
        return plain(function(n))
    except (ValueError, IndexError, TypeError) as error:
        return "refused" if str(error).startswith("GW") else type(error)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("body", BODIES)
def test_such_a_list_is_pythons_or_refused(body, count):
    function = made(body, count)
    graph = gw.function(function)
    for n in (6, 2):
        for _ in range(2):
            assert outcome(graph, gw.constant(n)) in (outcome(function, n), "refused")
