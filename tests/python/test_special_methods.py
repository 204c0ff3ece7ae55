"""Special methods, properties and constructors of the user on lists that the graph holds: converted, or refused."""

import collections
import dataclasses
import linecache
import math

import pytest

import graphwright as gw

HEAD = """
import bisect, collections, copy, dataclasses, functools, heapq, itertools, json, math, operator, statistics
import numpy as np

class Acc:
    def __init__(self): self.seen = []
    def push(self, v): self.seen.append(v)
    def count(self): return len(self.seen)
    def __len__(self): return len(self.seen)
    def __iter__(self): return iter(self.seen)
    def __getitem__(self, i): return self.seen[i]
    def __contains__(self, v): return v in self.seen
    def __bool__(self): return len(self.seen) > 2
    def __int__(self): return len(self.seen)
    def __index__(self): return len(self.seen)
    def __float__(self): return len(self.seen) * 1.0
    def __abs__(self): return len(self.seen)
    def __neg__(self): return -len(self.seen)
    def __round__(self, digits=0): return len(self.seen)
    def __hash__(self): return len(self.seen)
    def __eq__(self, other): return len(self.seen) == other
    def __lt__(self, other): return len(self.seen) < other
    def __add__(self, other): return len(self.seen) + other
    def __iadd__(self, v): self.seen.append(v + len(self.seen)); return self
    def __call__(self): return len(self.seen)
    def __reversed__(self): return self.seen[::-1]
    def __getattr__(self, name): return len(self.seen)
    def __enter__(self): return len(self.seen)
    def __exit__(self, *_): pass
    @property
    def size(self): return len(self.seen)

@dataclasses.dataclass
class Holder:
    xs: list
    def __post_init__(self): self.n = len(self.xs)

class Plain:
    def __init__(self, xs):
        self.xs = xs
        self.n = len(xs)
    def size(self): return len(self.xs)

class OfList(list): pass
class OfUserList(collections.UserList): pass

def entered(acc):
    with acc as n:
        return n
"""

OF_OBJECTS = (
    "len(acc) | acc[-1] | n in acc | 1 if acc else 0 | int(acc == 2) | acc() | int(acc) | acc.size | acc.other | int(acc < 3)"
    " | -acc | abs(acc) | round(acc) | float(acc) | list(reversed(acc))[0] | sum(acc) | max(acc) | [v for v in acc][-1]"
    " | list(acc)[-1] | range(9)[acc] | int(acc != 2) | bool(acc) | int(not acc) | sorted(acc)[0] | any(v > 1 for v in acc)"
    " | len(list(acc)) | sum(1 for v in acc) | next(iter(acc)) | tuple(acc)[0] | len([*acc]) | dict(enumerate(acc))[0]"
    " | [7, 8, 9, 1, 2, 3][acc] | hash(acc) | len({*acc}) | getattr(acc, 'size') | acc.count() | entered(acc)"
    " | (2 if acc and n else 3) | (acc + 1) * 2 | min(acc, key=lambda v: -v) | divmod(len(acc), 2)[0] | len(copy.copy(acc))"
).split(" | ")
OBJECTS = [
    "for k in range(n):\n        acc.push(k)\n        s = s * 2 + ({use})",
    "if n > 2:\n        acc.push(n)\n        s = ({use})",
    "acc.push(4)\n    for k in range(n):\n        s += ({use})\n        acc.push(k)",
    "while s < 40 and len(acc) < 9:\n        acc.push(s)\n        s += 1 + ({use})",
    "acc.push(1)\n    if n > 2:\n        acc.push(n)\n    s = ({use})",
    "for k in range(n):\n        acc += k\n        s += ({use})",
]

OF_LISTS = (
    "statistics.mean(xs) | bisect.bisect(xs, 2) | heapq.nlargest(1, xs)[0] | list(itertools.accumulate(xs))[-1]"
    " | functools.reduce(operator.add, xs) | collections.Counter(xs)[1] | operator.itemgetter(1)(xs) | operator.length_hint(xs)"
    " | copy.copy(xs)[-1] | copy.deepcopy(xs)[-1] | len(dataclasses.asdict(h)['xs']) | len(vars(h)['xs']) | len(json.dumps(xs))"
    " | math.fsum(xs) | len(xs * 2) | len(xs + xs) | np.sum(xs) | Holder(xs).n | Plain(xs).size() | Plain(xs).n | len(OfList(xs))"
    " | len(OfUserList(xs)) | len(collections.deque(xs)) | len(set(xs)) | len(str(xs)) | len(list(itertools.chain(xs, xs)))"
    " | len(list(itertools.combinations(xs, 2))) | len(list(itertools.product(xs, xs))) | next(itertools.cycle(xs))"
    " | len([xs][0]) | len({'a': xs}['a']) | operator.add(xs, xs)[-1] | operator.contains(xs, 2) | xs.__len__()"
    " | list.__len__(xs) | list.copy(xs)[-1] | len(xs.copy()) | len(xs[1:]) | len(list(reversed(xs))) | len(tuple(xs))"
    " | functools.partial(len, xs)() | (lambda *a: len(a))(*xs) | int(xs == [1, 2]) | int(xs < [5]) | bool(xs) | 1 if xs else 0"
    " | xs is h.xs | any(xs) | xs.index(1) | xs.count(1) | len(' '.join(map(str, xs))) | len(list(enumerate(xs)))"
    " | dict(enumerate(xs))[0] | len(dict.fromkeys(xs)) | [0] * len(xs) | isinstance(xs, list) | type(xs) is list"
    " | xs.__class__ is list | hash(tuple(xs)) | sum(xs, start=1) | statistics.median(xs) | math.hypot(*xs)"
).split(" | ")
LISTS = [
    "xs.append(n)\n    if n > 2:\n        xs.append(n + 1)\n    s = {use}",
    "for k in range(n):\n        xs.append(k)\n    s = {use}",
    "for k in range(n):\n        xs.append(k)\n        s = {use}",
]


def plain(value):
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.numpy().tolist() if isinstance(value, gw.Tensor) else value


def answer(function, argument):
    try:
        return plain(function(argument))
    except Exception as error:
        return error


def function_of(body):
    text, names = HEAD + body, {"__name__": "special"}
    linecache.cache[body] = (len(text), None, text.splitlines(True), body)
    exec(compile(text, body, "exec"), names)
    return names["f"]


def same_or_refused(body):
    f = function_of(body)
    staged = gw.function(f)
    for n in (3, 4, 1):
        wanted, found = answer(f, n), answer(staged, gw.constant(n, gw.int64))
        if isinstance(found, Exception):
            refused = str(found).startswith("GW") and "--> " in str(found)
            assert refused or type(found) is type(wanted), (body, n, wanted, found)
        else:
            assert found == wanted or math.isclose(found, wanted), (body, n)


@pytest.mark.parametrize("form", OBJECTS, ids=range(len(OBJECTS)))
def test_special_methods_of_an_object_whose_list_grows(form):
    for use in OF_OBJECTS:
        same_or_refused(f"def f(n):\n    acc = Acc()\n    s = 0\n    {form.format(use=use)}\n    return s\n")


@pytest.mark.parametrize("form", LISTS, ids=range(len(LISTS)))
def test_functions_of_pythons_own_on_a_list_that_grows(form):
    for use in OF_LISTS:
        body = f"def f(n):\n    xs = [1]\n    h = Holder([2])\n    h.xs = xs\n    s = 0\n    {form.format(use=use)}\n    return s\n"
        same_or_refused(body)


@pytest.mark.parametrize(
    "use", ["len(acc)", "bool(acc)", "1 if acc else 0", "int(acc)", "float(acc)", "abs(acc)", "round(acc)"]
)
def test_what_pythons_own_functions_call_is_converted(use):
    f = function_of(
        f"def f(n):\n    acc = Acc()\n    for k in range(n):\n        acc.push(k)\n    return {use}\n"
    )
    for n in (4, 1):
        assert plain(gw.function(f)(gw.constant(n))) == f(n)


class Clipped:
    def __init__(self, x, least=0):
        if x > least:
            self.x = x
        else:
            self.x = least

    def __len__(self):
        return self.x if self.x > 2 else 2

    def __abs__(self):
        if self.x > 0:
            return self.x
        return -self.x

    def __bool__(self):
        return self.x > 1


class Doubled(Clipped):
    def __init__(self, x):
        super().__init__(2 * x, least=1)


@pytest.mark.parametrize(
    "body",
    [
        lambda n: Clipped(n).x,
        lambda n: Clipped(n, least=3).x,
        lambda n: Doubled(n).x,
        lambda n: len(Clipped(n)),
        lambda n: abs(Clipped(n, -7)),
        lambda n: 1 if Clipped(n) else 2,
        lambda n: (not Doubled(n)) + 0,
    ],
)
def test_a_tensor_may_decide_in_constructors_and_special_methods(body):
    staged = gw.function(body)
    for n in (-5, 0, 1, 2, 6):
        assert plain(staged(gw.constant(n))) == body(n)


def test_a_property_reads_a_list_of_the_graph():
    f = function_of(
        "def f(n):\n    acc = Acc()\n    for k in range(n):\n        acc.push(k)\n    return acc.size\n"
    )
    assert gw.function(f)(gw.constant(3)).item() == 3


def test_an_optional_attribute_is_asked_by_a_property():
    class Best:
        def __init__(self):
            self.value = None

        @property
        def missing(self):
            return self.value is None

        def lacks(self):
            return self.value is None

    @gw.function
    def with_property(n):
        best = Best()
        for k in range(n):
            if k > 2:
                best.value = k
        return best.missing

    @gw.function
    def with_method(n):
        best = Best()
        for k in range(n):
            if k > 2:
                best.value = k
        return best.lacks()

    for lacks in (with_property, with_method):
        assert [bool(lacks(gw.constant(n)).numpy()) for n in (2, 5)] == [True, False]


def test_a_profiler_of_the_users_is_left_alone():
    import sys

    seen = collections.Counter()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: seen.update([event]))
    try:
        grow = gw.function(
            function_of(
                "def f(n):\n    xs = [n]\n    for k in range(n):\n        xs.append(k)\n    return len(xs)\n"
            )
        )
        assert grow(gw.constant(3)).item() == 4
        assert seen["call"]
    finally:
        sys.setprofile(before)


def test_nothing_watches_once_the_graph_is_built():
    import sys

    before = sys.getprofile()
    sys.setprofile(None)
    grow = gw.function(
        function_of(
            "def f(n):\n    xs = [n]\n    for k in range(n):\n        xs.append(k)\n    return len(xs)\n"
        )
    )
    try:
        assert grow(gw.constant(3)).item() == 4
        assert sys.getprofile() is None
    finally:
        sys.setprofile(before)
    assert dataclasses.is_dataclass(function_of("def f(n):\n    return Holder([n])\n")(1))


class Numbered:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


class OfOtherKinds(Numbered):
    def __float__(self):
        return self.n

    def __int__(self):
        return self.n * 1.5

    def __bool__(self):
        return self.n

    def __abs__(self):
        return self.n


class NegativeLength(Numbered):
    def __len__(self):
        return -1


class LengthOfText(Numbered):
    def __len__(self):
        return "abc"


JUDGED = [
    lambda n: len(Numbered(n)),
    lambda n: len(Numbered(-n)),
    lambda n: len(Numbered(n * 1.5)),
    lambda n: len(NegativeLength(n)),
    lambda n: len(LengthOfText(n)),
    lambda n: float(OfOtherKinds(n)),
    lambda n: int(OfOtherKinds(n)),
    lambda n: abs(OfOtherKinds(n)),
    lambda n: 1 if OfOtherKinds(n) else 0,
    lambda n: not NegativeLength(n),
    lambda n: 1 if Numbered(n) else 0,
    lambda n: 1 if Numbered(-n) else 0,
]


def outcome(call, n):
    try:
        return call(n)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("judged", JUDGED)
def test_python_judges_what_special_methods_give(judged):
    staged = gw.function(judged)
    for _ in range(2):
        found = outcome(staged, gw.constant(4, gw.int64))
        assert (found if isinstance(found, str) else found.item()) == outcome(judged, 4)


class Asked:
    def __init__(self, n, truth):
        self.n, self.truth, self.asked = n, truth, 0

    def __bool__(self):
        self.asked += 1
        return self.truth

    def __iter__(self):
        return iter([1, 2])

    def __contains__(self, item):
        return True


def in_loop(asked):
    while asked:
        asked.truth = asked.asked < 3
    return 0


def in_for(asked):
    return sum([item for item in asked])


@pytest.mark.parametrize(
    "use",
    [
        lambda asked: 1 if asked else 2,
        lambda asked: not asked,
        lambda asked: (asked and 1) == 1,
        lambda asked: (asked or 1) == 1,
        lambda asked: 3 in asked,
        lambda asked: bool(asked),
        lambda asked: isinstance(asked, Asked),
        in_loop,
        in_for,
    ],
)
def test_python_asks_once_for_the_truth_of_an_object(use):
    def asked_times(n):
        asked = Asked(n, True)
        use(asked)
        return asked.asked

    assert gw.function(asked_times)(gw.constant(3)).item() == asked_times(3)
