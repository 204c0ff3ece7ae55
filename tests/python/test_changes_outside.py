"""What functions change in place in objects around them is changed at each call, as in Python."""

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
    "QUEUE.popleft()",
    "QUEUE.rotate(1)",
    "ORDERED.move_to_end('a')",
    "BOX.x += 1",
    "BOX.y = n",
]


def run(text, staged, again):
    """What a function that does this gives in three calls, and the world behind each; made anew before it if `again`."""
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
