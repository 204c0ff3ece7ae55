"""Random programs in a world of state.

Logs, counters, containers, files, iterators and random numbers are read and changed by host code, by the function and by
the functions that it calls. `gw.function(host_code="run")` leaves them as plain Python does.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import random

import numpy as np

import graphwright as gw

WORLD = """
import bisect, collections, contextlib, copy, functools, heapq, io, itertools, json, math, operator, random, types

import numpy as np

import graphwright as gw

host = gw.autograph.experimental.do_not_convert


def build(decorated):
    log, items, table, n = [], [1, 2, 3], {"k": 1}, 0
    o = types.SimpleNamespace(v=1.0, w=2, xs=[])
    array, source, rng = np.arange(3.0), iter(range(1, 1000)), random.Random(3)
    queue, text = collections.deque([1, 2, 3]), io.StringIO()

    class Failed(Exception):
        pass

    class Counter:
        total = 0

        def __init__(self):
            self.count = 0

        @maybe
        def step(self, by):
            self.count += by
            return self.count

        @property
        def double(self):
            return self.count * 2

        @host
        def ask(self, x):
            self.count += 1
            log.append(("ask", float(x)))
            return self.count

        @classmethod
        def all(cls):
            cls.total += 1
            return cls.total

        def __enter__(self):
            self.count += 1
            log.append("in")
            return self

        def __exit__(self, kind, *_):
            log.append(("out", kind.__name__ if kind else None))
            return False

    counter = Counter()

    @contextlib.contextmanager
    def within(name):
        log.append("in " + name)
        try:
            yield len(log)
        finally:
            log.append("out " + name)

    @host
    def noted(x):
        log.append(("noted", float(x)))
        return len(log)

    @host
    def keyed(x):
        table["k"] += 1
        return float(x) + table["k"]

    @host
    def counted(x):
        nonlocal n
        n += 1
        o.v = o.v + 1
        return n

    @host
    def is_odd(x):
        items.append(len(items))
        return bool(len(items) % 2)

    @host
    def risky(x):
        log.append("risky")
        if len(log) % 3 == 0:
            raise ValueError("v%d" % len(log))
        if len(log) % 7 == 0:
            raise Failed("e%d" % len(log))
        return 1.5

    @host
    def stored(x):
        array[0] += 1
        return array

    @host
    def ones(x):
        return np.ones(int(abs(float(x))) % 3 + 1) * float(x)

    @host
    def applied(function, x):
        return float(function(x))

    @host
    def pair(x):
        return float(x), len(log)

    @host
    def silent(x):
        o.w = o.w + 1
        log.append(o.w)

    @maybe
    def own(z):
        nonlocal n
        n += 2
        log.append("own")
        return z + n

    @maybe
    def either(z):
        if z > 3:
            return noted(z)
        return own(z)

    def deep(z, m):
        if m <= 0:
            return 0.0
        return keyed(z) + deep(z, m - 1)

    def each(z):
        for item in items[:3]:
            yield z + item

    @decorated
    def f(x, m):
        nonlocal n
        y = x * 1
        i = len(log) + len(items) + len(o.xs) + len(queue)
{body}
        return {returned}

    def world():
        return (log, items, table, vars(o), n, array, list(queue), counter.count, Counter.total, text.getvalue(),
                rng.random(), next(source))

    return f, world
"""

ATOMS = """x y n i o.v o.w table['k'] counter.count counter.double len(log) len(items) items[0] array[0] 2.0 3 queue[0]""".split()

CALLS = """noted({e})|keyed({e})|counted({e})|is_odd({e})|stored({e})[0]|stored({e}).sum()|ones({e}).sum()|applied(own,{e})
applied(lambda t:t*2+n,{e})|pair({e})[1]|own({e})|either({e})|deep({e},2)|sum(each({e}))|counter.step(1)|counter.ask({e})
Counter.all()|next(source)|rng.randint(1,6)|random.randint(0,5)|rng.random()|sum(items)|max(items)|len(json.dumps(table))
(noted({e}) if {c} else keyed({e}))|functools.reduce(lambda p,s:p+s,items)|int(round(np.random.rand()*9))|float({e})|int(x)
(is_odd({e}) and noted({e}))|(is_odd({e}) or counted({e}))|len(str(table["k"]))|heapq.nsmallest(1,items)[0]
bisect.bisect(items,2)|math.floor(o.v)|copy.copy(items)[0]|[noted({e}) for _ in range(2)][1]|operator.itemgetter(0)(items)
sorted(items,key=lambda v:-v)[0]|len(text.getvalue())|gw.reduce_sum({e}*1.0)|abs({e})""".replace(
    "\n", "|"
).split("|")

STATEMENTS = """table["k"]+=1|o.v=o.v+1.0|o.w+=2|n+=1|counter.count+=1|log.append(n)|log.append("text")|log.append(float(y))
items.append(2)|o.xs.append(o.w)|queue.append(queue.popleft())|queue.rotate(1)|silent(x)|noted(y)|counted(x)|random.shuffle(items)
rng.shuffle(items)|heapq.heappush(items,1)|items[0]=n|text.write("z%d"%n)|text.write(str(float(x)))|table["k"]=n|x=x+1|y=y+x
items.pop() if len(items)>3 else None|y=risky(x)|setattr(o,"w",n)|o.v=y|o.v=float(y)|del items[1:]|items.sort()|counter.step(2)|own(x)
log.extend(map(int,items[:2]))|assert n<60|list(map(own,[1,2]))|list(map(noted,[1.0]))|np.add(array,1,out=array)|array[1]+=1
np.random.shuffle(array)|print(1,n)|print(2,len(log),counter.count)|print(3,float(x))""".replace(
    "\n", "|"
).split("|")


class Writer:
    """Writes one program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.used = 0

    def chosen(self, options):
        return self.random.choice(options)

    def expression(self, depth=0):
        kind = self.random.random()
        if depth > 1 or kind < 0.3:
            return self.chosen(ATOMS)
        if kind < 0.5:
            return f"({self.expression(depth + 1)}{self.chosen('+-*')}{self.expression(depth + 1)})"
        text = self.chosen(CALLS).replace("{c}", self.condition(depth + 1))
        return text.replace("{e}", self.expression(depth + 1))

    def condition(self, depth=0):
        kind = self.random.random()
        if depth < 2 and kind < 0.1:
            return f"({self.condition(depth + 1)} and {self.condition(depth + 1)})"
        if depth < 2 and kind < 0.2:
            return f"(not {self.condition(depth + 1)})"
        if kind < 0.45:
            return f"is_odd({self.expression(depth + 1)})"
        if kind < 0.6:
            return f"{self.expression(depth + 1)}>{self.chosen('1369')}"
        return f"{self.chosen('xy')}{self.chosen('<>')}{self.chosen(['1', '2', '4.5', '10'])}"

    def block(self, indent, depth, loop):
        return [
            line for _ in range(self.random.randint(1, 3)) for line in self.statement(indent, depth, loop)
        ]

    def statement(self, indent, depth, loop):
        space, kind = "    " * indent, self.random.random()
        inner = lambda loop=loop: self.block(indent + 1, depth + 1, loop)
        if depth < 2 and kind < 0.12:
            other = [space + "else:", *inner()] if self.random.random() < 0.5 else []
            return [space + f"if {self.condition()}:", *inner(), *other]
        if depth < 2 and kind < 0.19:
            return [space + f"for i in range({self.chosen(['m', 'm', '2', '3'])}):", *inner(True)]
        if depth < 2 and kind < 0.23:
            self.used += 1
            name = f"c{self.used}"
            head = [space + f"{name} = 0", space + f"while {name} < m and {self.condition()}:"]
            return [*head, space + f"    {name} += 1", *inner(True)]
        if depth < 2 and kind < 0.29:
            caught = self.chosen(["ValueError as e", "(ValueError, Failed)", "Exception"])
            last = (
                [space + "finally:", space + "    log.append('last')"] if self.random.random() < 0.4 else []
            )
            return [
                space + "try:",
                space + "    y = y + risky(x)",
                *inner(),
                space + f"except {caught}:",
                *inner(),
                *last,
            ]
        if depth < 2 and kind < 0.34:
            heads = [
                "counter",
                "within('a') as y0",
                "counter as k, within('b')",
                "contextlib.suppress(ValueError)",
            ]
            return [space + f"with {self.chosen(heads)}:", *inner()]
        if loop and kind < 0.39:
            return [space + f"if {self.condition()}: {self.chosen(['break', 'continue'])}"]
        if kind < 0.42:
            return [space + f"if {self.condition()}: return {self.expression()}"]
        if kind < 0.65:
            return [space + f"y = {self.expression()}"]
        return [space + self.chosen(STATEMENTS)]

    def program(self):
        body = [line for _ in range(self.random.randint(2, 6)) for line in self.statement(2, 0, False)]
        returned = self.chosen(["y", "x + y", "(y, x)", "[y, len(log)]", self.expression()])
        decorated = self.chosen(["decorated", "plainly"])
        text = WORLD.replace("{body}", "\n".join(body)).replace("{returned}", returned)
        return text.replace("@maybe", f"@{decorated}")


def plain(value):
    """A value as Python's numbers and containers, rounded as float32 is."""
    if isinstance(value, gw.Tensor | np.ndarray | np.generic):
        value = np.asarray(value).tolist()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def kinds(value):
    """The types of what a world holds: numbers stay Python's."""
    if isinstance(value, list | tuple):
        return [kinds(one) for one in value]
    return (
        {key: kinds(one) for key, one in value.items()} if isinstance(value, dict) else type(value).__name__
    )


def outcomes(seed, decorated):
    """The answers of five calls, their output, and the world behind each."""
    text, path = Writer(seed).program(), f"{gw.__file__}.world{seed}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {"__name__": "world", "plainly": lambda function: function}
    exec(compile(text, path, "exec"), names)
    random.seed(5)
    np.random.seed(5)
    function, world = names["build"](decorated)
    draws, found = random.Random(seed), []
    state = random.getstate()
    for _ in range(5):
        x, m = draws.choice([0.5, 1.0, 2.0, 3.0, 4.0, 5.5]), draws.choice([0, 1, 2, 3])
        given = [(gw.constant(x, gw.float64), 2), (np.float64(x), m % 2 + 1)][seed % 2]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                answer = plain(function(*given))
            except Exception as error:
                answer = (type(error).__name__, str(error))
        left = world()
        # A decorated function gives tensors.
        held = () if "@decorated\n    def own" in text else kinds(left)
        found.append((answer, printed.getvalue(), plain(left), held))
    random.setstate(state)
    return found
