"""Changes in place of objects around a function happen at each call, as in Python."""

import collections
import copy

import pytest

import graphwright as gw


class Box:
    pass


def world():
    box = Box()
    box.x = 1
    return {
        "BOX": box,
        "LIST": [3, 1, 2, 5, 4],
        "DICT": {"a": 1, "b": 2},
        "SET": {1, 2, 3},
        "QUEUE": collections.deque([1, 2, 3]),
        "ORDERED": collections.OrderedDict(a=1, b=2),
    }


CHANGES = [
    "LIST.pop()",
    "LIST.pop(0)",
    "del LIST[0]",
    "LIST.remove(LIST[-1])",
    "LIST.reverse()",
    "LIST.sort()",
    "LIST.clear()",
    "LIST.append(1); LIST.pop(); LIST.pop()",
    "LIST[:] = [7]",
    "LIST.insert(0, n)",
    "n = n + LIST.pop()",
    "DICT.popitem()",
    "DICT.pop('a', None)",
    "del DICT['b']; DICT['b'] = 3",
    "DICT.clear()",
    "SET.discard(1)",
    "SET.clear()",
    "SET.add(9); SET.discard(2)",
    "SET.add(9)",
    "SET.update([4, 5])",
    "QUEUE.popleft()",
    "QUEUE.rotate(1)",
    "ORDERED.move_to_end('a')",
    "BOX.x += 1",
    "BOX.y = n",
]


def run(text, staged, again):
    """Results of three calls of a function that does this, and the world behind each; made anew if `again`."""
    names = world()
    lines = f"def function(n):\n    {text}\n    return n\n"
    file = f"<changes {text}>"
    import linecache

    linecache.cache[file] = (len(lines), None, lines.splitlines(keepends=True), file)
    exec(compile(lines, file, "exec"), names)
    function = gw.function(names["function"]) if staged else names["function"]
    found = []
    for n in (1, 2, 3):
        if again:
            for name, value in world().items():
                refill(names[name], value)
        try:
            result = plain(function(gw.constant(n) if staged else n))
        except (IndexError, KeyError) as error:
            result = type(error).__name__
        found.append((result, [plain(copy.copy(names[name])) for name in world()]))
    return found


def refill(old, new):
    """The object holds what another holds, and stays the object that it is."""
    if isinstance(old, Box):
        old.__dict__.clear()
        old.__dict__.update(new.__dict__)
        return
    old.clear()
    (old.update if isinstance(old, (dict, set)) else old.extend)(new)


def plain(value):
    if isinstance(value, gw.Tensor):
        return value.item()
    if isinstance(value, Box):
        return {name: plain(part) for name, part in value.__dict__.items()}
    if isinstance(value, dict):
        return [(key, plain(part)) for key, part in value.items()]
    return [plain(part) for part in value] if isinstance(value, (list, collections.deque)) else value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("text", CHANGES)
def test_each_call_changes(text, again):
    assert run(text, True, again) == run(text, False, again)


def test_the_reason_is_told():
    held = [1, 2, 3, 4, 5]

    @gw.function
    def function(n):
        held.pop()
        return n

    for n in range(3):
        function(gw.constant(n))
    assert held == [1, 2]
    assert function.explain_retraces()[0].startswith(
        "the function changes `held` in place, which its graph does not"
    )


BOX = Box()
LOG = []


def counts_and_raises(n):
    BOX.n += n
    raise ValueError("no")


def stores_a_global_and_raises(n):
    global LAST
    LAST = n
    return undefined_name  # noqa: F821


def appends_and_raises(n):
    LOG.append(n)
    return {1: 2}[3]


def raises_on_all_paths(n):
    BOX.n += n
    if n > 100:
        return 1
    BOX.n += 1
    raise KeyError("k")


def raises_in_an_operation(n):
    BOX.n = n * 2
    return n + None


def raises_again(n):
    try:
        BOX.n += n
        raise RuntimeError("inner")
    except RuntimeError:
        BOX.n += 1
        raise


def stores_half(n):
    BOX.n += 1
    BOX.total = n
    raise PermissionError("strict")


RAISING = [
    counts_and_raises,
    stores_a_global_and_raises,
    appends_and_raises,
    raises_on_all_paths,
    raises_in_an_operation,
    raises_again,
    stores_half,
]


@pytest.mark.parametrize("function", RAISING)
def test_what_comes_before_an_exception_is_done(function):
    global LAST
    ways = []
    for way, given in ((function, int), (gw.function(function), gw.constant)):
        BOX.n, BOX.total, LAST = 1, None, None
        LOG.clear()
        found = []
        for n in (2, 3, 2):
            with pytest.raises(Exception) as caught:
                way(given(n))
            shown = str(caught.value).split("\n")[0]
            found.append((caught.type, shown, plain(copy.copy(BOX)), plain(list(LOG)), plain(LAST)))
        ways.append(found)
    assert ways[0] == ways[1]
