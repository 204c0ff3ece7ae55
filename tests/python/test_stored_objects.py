"""Objects that a function makes and stores around it are made anew by each call, with the results of the graph in them."""

from __future__ import annotations

import linecache

import pytest

import graphwright as gw

HEAD = """
import collections, dataclasses

@dataclasses.dataclass
class D:
    z: int = 0

N = collections.namedtuple("N", "z")

class Box:
    def __init__(self, z=0): self.z = z
    def get(self): return self.z

class Below(Box):
    def __init__(self, z):
        super().__init__(z)
        self.w = [z, Box(z + 1)]

BOX = Box()
LIST = []
DICT = {}
"""

STORES = [
    "BOX.o = Box(); BOX.o.z = n",
    "BOX.o = Box(n)",
    "BOX.o = Box(); BOX.o.z = n; return BOX.o.z",
    "BOX.o = Below(n)",
    "o = Box(n); LIST.append(o)",
    "LIST.append(Box(n)); LIST[-1].z += 1",
    "DICT['k'] = Box(n)",
    "o = Box(); o.z = n; DICT[0] = o; return DICT[0].get()",
    "BOX.xs = [Box(n)]",
    "BOX.t = (n, Box(n))",
    "BOX.d = {'a': n, 'b': Box(n)}",
    "o = Box(n); BOX.o = o; BOX.p = o",
    "BOX.o = Box(Box(n))",
    "BOX.o = Box([n, Box(n)])",
    "global BOX; BOX = Box(n)",
    "Box.k = Box(n)",
    "BOX.o = D(n)",
    "BOX.o = N(n)",
    "BOX.o = D()",
    "BOX.o = Box()",
    "BOX.xs = []",
    "BOX.s = {1, 2}",
    "BOX.me = BOX",
    "o = Box(n); o.me = o; BOX.o = o",
    "BOX.o = Box(BOX)",
    "BOX.fn = max",
    "BOX.o = object()",
    "BOX.by = bytearray(2)",
    "o = Box(); LIST.append(o); BOX.o = o",
    "o = Box(); BOX.o = o; LIST.append(o)",
    "o = Box(); LIST.append(o); BOX.xs = [o, n]",
    "o = Box(collections.deque()); BOX.o = o; BOX.t = (n, o)",
    "acc = []; [acc.append(n + i) for i in range(2)]; BOX.xs = acc",
]
REFUSED = {
    "BOX.f = lambda: n": "`BOX.f` gets a `function`",
    "BOX.e = ValueError(n)": "`BOX.e` gets a `ValueError`",
}


def space_of(body):
    lines = "".join(f"    {line.strip()}\n" for line in body.split("; "))
    source, name = f"{HEAD}\ndef f(n):\n{lines}", f"<stored {body}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": __name__}
    exec(compile(source, name, "exec"), space)
    return space


def shown(value, seen=()):
    """The contents of an object; one that stands in itself by its distance, and two that are one by a mark."""
    if isinstance(value, gw.Tensor):
        return value.item()
    if id(value) in seen:
        return len(seen) - seen.index(id(value))
    seen = (*seen, id(value))
    if isinstance(value, (list, tuple)):
        return [shown(item, seen) for item in value]
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, dict):
        return {key: shown(item, seen) for key, item in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return {key: shown(item, seen) for key, item in vars(value).items()}
    return value if isinstance(value, (int, float, str, type(None))) else type(value).__name__


def change(space):
    """Changes what the calls stored, from outside of them."""
    box = space["BOX"]
    for name in ("o", "p"):
        held = getattr(box, name, None)
        if isinstance(held, (space["Box"], space["D"])) and isinstance(held.z, (int, gw.Tensor)):
            held.z += 100
    for held in (getattr(box, "xs", None), getattr(box, "s", None), getattr(box, "by", None)):
        if held is not None:
            getattr(held, "append", getattr(held, "add", None))(9)


def states(space, call, of):
    seen = []
    for n in (3, 1, 4):
        change(space)
        result = shown(call(of(n)))
        box, below = space["BOX"], getattr(space["Box"], "k", None)
        alike = getattr(box, "o", 0) is getattr(box, "p", 1)
        seen.append((result, shown(box), shown(space["LIST"]), shown(space["DICT"]), shown(below), alike))
    return seen


@pytest.mark.parametrize("body", STORES)
def test_each_call_makes_them(body):
    plain, staged = space_of(body), space_of(body)
    wanted = states(plain, plain["f"], int)
    assert states(staged, gw.function(staged["f"]), lambda n: gw.constant(n, gw.int64)) == wanted


@pytest.mark.parametrize("body", REFUSED)
def test_what_cannot_be_made_is_refused(body):
    staged = space_of(body)
    with pytest.raises(TypeError, match="^GW303: " + REFUSED[body]) as caught:
        gw.function(staged["f"])(gw.constant(1))
    assert f"--> <stored {body}>:" in str(caught.value)
    assert set(vars(staged["BOX"])) == {"z"}


REACHED = {
    "a list of a class above": (
        "class K:\n    log = []\nclass L(K): pass\n"
        "def f(x):\n    if x > 2:\n        L.log.append(x)\n    return len(K.log)\n",
        "K.log",
    ),
    "the same by an instance": (
        "class K:\n    log = []\nclass L(K): pass\nc = L()\n"
        "def f(x):\n    if x > 2:\n        c.log.append(x)\n    return 1\n",
        "K.log",
    ),
    "a dict of a class above": (
        "class K:\n    cfg = {'n': 1}\nclass L(K): pass\nc = L()\n"
        "def f(x):\n    if x > 2:\n        c.cfg['n'] += x\n    return c.cfg['n']\n",
        "K.cfg",
    ),
    "a class method of a class above": (
        "class K:\n    log = []\n    @classmethod\n    def make(cls, v): cls.log.append(v); return v\n"
        "class L(K): pass\ndef f(x):\n    for i in range(x): L.make(x)\n    return 1\n",
        "K.log",
    ),
    "an attribute that only the class holds": (
        "class M:\n    lives = 3\nm = M(); n = M()\n"
        "def f(x):\n    if x > 0:\n        m.lives -= 1\n    return m.lives + n.lives\n",
        "sorted(m.__dict__)",
    ),
    "an attribute of a function": (
        "def helper(x):\n    helper.calls += 1\n    return x * 2\nhelper.calls = 0\n"
        "def f(x):\n    r = helper(x)\n    if x > 2: r += helper(x)\n    return r, helper.calls\n",
        "helper.calls",
    ),
    "a decorator that counts": (
        "import functools\ndef count(g):\n    @functools.wraps(g)\n    def w(*a):\n        w.n += 1\n"
        "        return g(*a)\n    w.n = 0\n    return w\n@count\ndef h(x): return x + 1\n"
        "def f(x):\n    if x > 2: x = h(x)\n    return x\n",
        "h.n",
    ),
    "a store by __setitem__ beside what may raise": (
        "class B:\n    def __init__(self): self.hist = [5]\n    def __getitem__(self, i): return self.hist[i]\n"
        "    def __setitem__(self, i, w): self.hist[i] = w\np = B(); d = {'b': 2}\n"
        "def f(x):\n    if x > 2:\n        d['b'] = x // x\n        p[0] = x * 2\n    return 1\n",
        "(p.hist, d)",
    ),
}


@pytest.mark.parametrize("case", REACHED)
def test_places_of_strangers_programs(case):
    source, state = REACHED[case]
    spaces = []
    for way in ("plain", "staged"):
        name = f"<{case} {way}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        spaces.append({"__name__": __name__})
        exec(compile(source, name, "exec"), spaces[-1])
    plain, staged = spaces
    compiled = gw.function(staged["f"])
    for n in (1, 3, 0, 4, 1):
        seen = []
        for space, call, value in ((plain, plain["f"], n), (staged, compiled, gw.constant(n, gw.int64))):
            try:
                seen.append(shown(call(value)))
            except (ValueError, IndexError) as error:
                if str(error).startswith("GW103"):
                    return
                seen.append(type(error).__name__)
            seen.append(shown(eval(state, space)))
        assert seen[:2] == seen[2:]
