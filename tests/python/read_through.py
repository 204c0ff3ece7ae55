"""Programs that read what is around a function through something else, and changes of that between their calls."""

from __future__ import annotations

import linecache
import random
import warnings

import graphwright as gw

WORLD = """
import collections
import contextlib
import functools
import operator
import types
import weakref


class Inner:
    def __init__(self, k):
        self.k = k


class Config:
    shared = 2

    def __init__(self, k=1):
        self.k = k
        self.inner = Inner(k)

    def read(self):
        return self.k

    def scaled(self, by=1):
        return self.k * by

    def __len__(self):
        return self.k

    def __getitem__(self, at):
        return self.k + at


class Slotted:
    __slots__ = ("s",)


class Meta(type):
    def __len__(cls):
        return cls.size

    def __getitem__(cls, key):
        return cls.entries[key]

    def __iter__(cls):
        return iter(cls.entries.values())

    def __contains__(cls, key):
        return key in cls.entries

    def __call__(cls):
        return cls.size * 3

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls.size * 5

    def __add__(cls, other):
        return cls.size + other

    def described(cls):
        return cls.size * 7


class Table(metaclass=Meta):
    size = 2
    entries = {"a": 1}


def defaulted(by=1):
    return by


def of_config(config, by=1):
    return config.k * by


def nested():
    value = 1

    def read():
        return value

    def write(new):
        nonlocal value
        value = new

    return read, write


rate, config, slotted = 1, Config(), Slotted()
configs, level, tags = [config], [1], {"a": 1}
buffer, queue = bytearray(b"abc"), collections.deque([1])
library = types.ModuleType("library_of_this_test")
library.r = 1
cell, set_cell = nested()

reference, proxy = weakref.ref(config), weakref.proxy(config)
values, pairs, keys = tags.values(), tags.items(), tags.keys()
memory, mapping = memoryview(buffer), types.MappingProxyType(tags)
get, count, bound = tags.get, level.__len__, config.read
caller, attribute = operator.methodcaller("read"), operator.attrgetter("inner.k")
scaler, item = operator.methodcaller("scaled", by=3), operator.itemgetter(0)
first, partial = functools.partial(operator.getitem, level), functools.partial(of_config, config)
named = functools.partial(of_config, by=2, config=config)
"""

READS = [
    "rate",
    "abs(rate)",
    "late",
    "config.k",
    "config.shared",
    "config.inner.k",
    "vars(config)['k']",
    "vars(config)['ready']",
    "len(dir(config))",
    "getattr(config, 'ready', 3)",
    "(2 if hasattr(config, 'ready') else 1)",
    "(2 if hasattr(config, 'rea' + 'dy') else 1)",
    "(2 if hasattr(Config, 'ready') else 1)",
    "(2 if hasattr(Config, 'rea' + 'dy') else 1)",
    "(2 if hasattr(slotted, 's') else 1)",
    "(2 if hasattr(library, 'later') else 1)",
    "getattr(slotted, 's', 4)",
    "tags['a']",
    "tags.get('b', 5)",
    "sum(tags.values())",
    "len(tags)",
    "level[0]",
    "sum(level)",
    "queue[0]",
    "sum(values)",
    "sum(v for _, v in pairs)",
    "sum(v for v in values)",
    "len(keys)",
    "memory[0]",
    "mapping['a']",
    "get('a')",
    "count()",
    "bound()",
    "bound.__self__.k",
    "config.read.__self__.k",
    "config.read()",
    "config[1]",
    "len(config)",
    "reference().k",
    "(1 if reference() is None else 2)",
    "proxy.k",
    "proxy.inner.k",
    "caller(config)",
    "scaler(config)",
    "attribute(config)",
    "item(level)",
    "item(config)",
    "sum(map(attribute, configs))",
    "max(configs, key=attribute).k",
    "sorted(configs, key=caller)[0].k",
    "operator.attrgetter('inner.k')(config)",
    "operator.methodcaller('read')(config)",
    "first(0)",
    "partial()",
    "partial(by=2)",
    "named()",
    "sum(map(of_config, configs))",
    "sum(c.inner.k for c in configs)",
    "sum(of_config(c) for c in configs)",
    "max(configs, key=of_config).inner.k",
    "next(iter(configs)).k",
    "list(configs)[0].k",
    "getattr(config, 'sha' + 'red')",
    "getattr(library, 'r' + '')",
    "bound.__func__(config)",
    "operator.itemgetter(0)(level)",
    "cell()",
    "defaulted()",
    "defaulted.__defaults__[0]",
    "library.r",
    "eval('rate * 2')",
    "eval('config.inner.k')",
    "eval('ra' + 'te')",
    "globals()['rate']",
    "len(Table)",
    "Table['a']",
    "sum(Table)",
    "(2 if 'b' in Table else 1)",
    "Table()",
    "Table.missing",
    "Table + 1",
    "Table.described()",
]

WRAPPERS = {
    "direct": "def f(x):\n    return x * {read}\n",
    "helper": "def helper(x):\n    return x * {read}\n\n\ndef f(x):\n    return helper(x)\n",
    "frame": "def helper(x):\n    return x * {read}\n\n\ndef f(x):\n    n = list(locals())\n    return helper(x)\n",
    "tried": "def f(x):\n    try:\n        return x * {read}\n    except NameError:\n        return x\n",
    "property": (
        "class Own:\n    @property\n    def v(self):\n        return {read}\n\n\n"
        "own = Own()\n\n\ndef f(x):\n    return x * own.v\n"
    ),
    "metaclass": (
        "class OfOwn(type):\n    def __len__(cls):\n        return int({read})\n\n\n"
        "class Own(metaclass=OfOwn):\n    pass\n\n\ndef f(x):\n    return x * len(Own)\n"
    ),
    "context": (
        "@contextlib.contextmanager\ndef scaled():\n    yield {read}\n\n\ndef f(x):\n"
        "    with contextlib.ExitStack() as stack:\n        return x * stack.enter_context(scaled())\n"
    ),
    "lambda": "def f(x):\n    own = lambda: {read}\n    return x * own()\n",
    "key": "def key(n):\n    return n * {read}\n\n\ndef f(x):\n    return x * key(max([1, 2], key=key))\n",
    "closure": (
        "def outer():\n    own = lambda x: x * {read}\n\n    def f(x):\n        return own(x)\n\n"
        "    return f\n\n\nf = outer()\n"
    ),
}

CHANGES = [
    "rate += 1",
    "late = 5",
    "globals().pop('late', None)",
    "config.k += 1",
    "config.inner.k += 1",
    "config.inner = Inner(7)",
    "config.ready = 3",
    "vars(config).pop('ready', None)",
    "Config.ready = 4",
    "Config.shared += 1",
    "Config.read = lambda self: self.k * 10",
    "Config.__len__ = lambda self: 6",
    "slotted.s = 8",
    "library.r += 1",
    "library.later = 1",
    "tags['a'] += 1",
    "tags['b'] = 4",
    "tags.pop('b', None)",
    "level[0] += 1",
    "level.append(3)",
    "queue[0] += 1",
    "buffer[0] += 1",
    "configs.append(Config(3))",
    "config = Config(11); configs[:] = [config]",
    "set_cell(9)",
    "defaulted.__defaults__ = (8,)",
    "of_config.__defaults__ = (4,)",
    "Table.size += 1",
    "Table.entries['a'] += 1",
    "Table.entries = {'a': 5, 'b': 6}",
    "Meta.__len__ = lambda cls: 9",
    "Meta.described = lambda cls: 10",
    "abs = lambda value: 13",
    "sum = lambda values: 42",
]


def calls(wrapper: str, read: str, changes: list[str], staged: bool) -> list[object]:
    """Gives the results of the calls of a program, each after one of the changes."""
    text = WORLD + WRAPPERS[wrapper].format(read=read)
    file = f"<{wrapper} {read}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, object] = {"__name__": "a_program_that_reads"}
    exec(compile(text, file, "exec"), names)
    function = gw.function(names["f"]) if staged else names["f"]
    found = []
    for change in ["", *changes]:
        exec(change, names)
        for _ in range(2):
            found.append(one_call(function, gw.constant(2.0) if staged else 2.0))
    return found


def one_call(function, x) -> object:
    """The number that a call gives, the class of what it raises, or `refused`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(x)
    except Exception as error:
        return "refused" if str(error).startswith("GW") else type(error).__name__
    return float(result.item() if isinstance(result, gw.Tensor) else result)


def differs(wrapper: str, read: str, changes: list[str]) -> str | None:
    """The first call that gives something else staged than natively, in words."""
    native, staged = (calls(wrapper, read, changes, way) for way in (False, True))
    for at, (expected, found) in enumerate(zip(native, staged, strict=True)):
        if found not in (expected, "refused"):
            behind = "; ".join(changes[: at // 2]) or "nothing"
            return f"{wrapper}: `{read}` behind {behind}: {found}, and Python {expected}"
    return None


def programs(seed: int, count: int):
    """So many programs: a way to read, what is read, and some changes."""
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choice(list(WRAPPERS)), chance.choice(READS), chance.sample(CHANGES, 6)
