"""Converted `match` asks of its subject exactly what Python's own asks, in the same order."""

import array
import collections
import collections.abc
import dataclasses
import enum

import pytest

import graphwright as gw
from three_ways import check


def outcome(function, log, *args):
    """What a call gives or raises, and what it did on the way."""
    try:
        return "gives", function(log, *args), log
    except Exception as error:
        return "raises", type(error).__name__, str(error), log


def same(function, make=lambda log: ()):
    """Natively and converted the same, with the same accesses in the same order."""
    logs = [], []
    native = outcome(function, logs[0], *make(logs[0]))
    converted = outcome(gw.autograph.to_graph(function), logs[1], *make(logs[1]))
    assert converted == native
    return native


class Row(collections.abc.Sequence):
    """A sequence that tells what it is asked, and may lie about its length."""

    def __init__(self, log, items, length=None):
        self.log, self.items, self.length = log, items, length

    def __len__(self):
        self.log.append("len")
        return len(self.items) if self.length is None else self.length

    def __getitem__(self, index):
        self.log.append(("item", index))
        return self.items[index]

    def __iter__(self):
        self.log.append("iter")
        return iter(self.items)


class Table(collections.abc.Mapping):
    """A mapping that tells what it is asked."""

    def __init__(self, log, items):
        self.log, self.items_ = log, items

    def __len__(self):
        self.log.append("len")
        return len(self.items_)

    def __getitem__(self, key):
        self.log.append(("item", key))
        return self.items_[key]

    def __iter__(self):
        self.log.append("iter")
        return iter(self.items_)

    def get(self, key, default=None):
        self.log.append(("get", key))
        return self.items_.get(key, default)


class Thing:
    """An object that tells which attributes are read."""

    __match_args__ = ("a", "b")

    def __init__(self, log, **attributes):
        self.__dict__.update(log=log, attributes=attributes)

    def __getattr__(self, name):
        self.log.append(("get", name))
        try:
            return self.attributes[name]
        except KeyError:
            raise AttributeError(name) from None


class Answer:
    """A value that tells when it is compared."""

    def __init__(self, log, name, answer):
        self.log, self.name, self.answer = log, name, answer

    def __eq__(self, other):
        self.log.append(self.name)
        return self.answer


@pytest.mark.parametrize("items", [[], [0], [1], [1, 2], [1, 9, 3], [1, 2, 3], [0, 5, 6]], ids=str)
@pytest.mark.parametrize("length", [None, 2, 3])
def test_sequences(items, length):
    def f(log, row):
        match row:
            case [0, *_]:
                return "zero"
            case [*_, 9, x]:
                return x
            case [a, b]:
                return a, b
            case [a, *r, b]:
                return a, r, b
            case [_, _]:
                return "two"
            case []:
                return "empty"
            case [*_]:
                return "any"

    same(f, lambda log: [Row(log, items, length)])


@pytest.mark.parametrize(
    "items", [{}, {"a": 1}, {"a": 1, "b": 2}, {"a": 2, "z": 3}, {"c": {"d": 4}}], ids=str
)
def test_mappings(items):
    def f(log, table):
        match table:
            case {"a": 1, "b": x}:
                return x
            case {"a": 2, **rest}:
                return rest
            case {"c": {"d": y}}:
                return y
            case {}:
                return "mapping"

    same(f, lambda log: [Table(log, items)])


@pytest.mark.parametrize(
    "attributes", [{}, {"a": 1}, {"a": 1, "b": 2}, {"a": 1, "c": 3}, {"a": 5, "b": 6, "d": 7}]
)
def test_classes(attributes):
    def f(log, thing):
        match thing:
            case Thing(1, 2):
                return "p"
            case Thing(1, c=3):
                return "q"
            case Thing(a=x, b=y, d=z):
                return x, y, z
            case Thing(x):
                return x

    same(f, lambda log: [Thing(log, **attributes)])


@pytest.mark.parametrize("answers", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (1, 0, 1)])
def test_comparisons_stop_where_python_stops(answers):
    def f(log, a, b, c):
        match (a, b, c):
            case (1, 2, 3):
                return "x"
            case (1, _, 3) | (_, 2, 3):
                return "y"
            case (1 as q, w, _) if w == 0:
                return "z"
            case (q, w, e):
                return "e"

    same(f, lambda log: [Answer(log, name, answer) for name, answer in zip("abc", answers)])


def test_builtin_classes_and_what_is_a_sequence():
    def f(log, x):
        match x:
            case str(s) | bytes(s):
                return s
            case bytearray(b):
                return b
            case array.array():
                return "array"
            case [*xs]:
                return xs
            case set(s):
                return s
            case {**others}:
                return others

    subjects = [
        "ab",
        b"c",
        bytearray(b"x"),
        array.array("i", [1]),
        [1],
        (1,),
        range(3),
        {1},
        {2: 3},
        None,
        memoryview(b"m"),
    ]
    for x in [*subjects, collections.deque([1])]:
        same(f, lambda log, x=x: [x])


class NoTuple:
    __match_args__ = ["x"]


class NoStrings:
    __match_args__ = (1,)


class Keys:
    one = 1
    uno = 1

    @staticmethod
    def function():
        """No class."""


def test_mistakes_are_pythons_own():
    def f(log, x):
        match x:
            case NoTuple(1):
                return 1
            case NoStrings(1):
                return 2
            case int(1, 2):
                return 3
            case collections.OrderedDict(1, 2):
                return 4
            case {Keys.one: a, Keys.uno: b}:
                return a, b
            case Thing(1, a=2):
                return 5
            case Keys.function():
                return 6

    for x in [NoTuple(), NoStrings(), 3, collections.OrderedDict(), {1: 2, 3: 4}, Thing([], a=1), "text"]:
        assert same(f, lambda log, x=x: [x])[0] == "raises"


def test_a_failed_pattern_binds_nothing_and_a_failed_guard_all():
    def f(log, x):
        def later():
            return y

        match x:
            case (y, 1) if later() > 3:
                return "big", y
            case (y, z):
                pass
            case w:
                pass
        return later()

    for x in [(5, 1), (2, 1), (3, 4), 5]:
        same(f, lambda log, x=x: [x])


def test_jumps_out_of_cases():
    def f(log, xs):
        for x in xs:
            match x:
                case 0:
                    continue
                case 9:
                    break
                case [1, *_] | {"q": _}:
                    return x
                case int(k) if k > 3:
                    log.append(k)
                case _:
                    log.append("other")
        else:
            return "through"
        return "left"

    for xs in [[0, 5, 1], [0, 9], [0, [1, 2]], [{"q": 3}], []]:
        same(f, lambda log, xs=xs: [xs])


def test_attribute_names_are_not_mangled_and_captures_are():
    class Private:
        def f(self, log, x):
            match x:
                case Thing(__a=1):
                    return "one"
                case Thing(__a=__v):
                    return __v
                case __w:
                    return __w

    for attributes in [{"__a": 1}, {"__a": 4}]:
        same(lambda log, x: Private().f(log, x), lambda log: [Thing(log, **attributes)])


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: object
    y: object


def test_staged_values_inside_python_structure():
    def f(a, b):
        match {"point": Point(a, b), "rest": [a, b, 1]}:
            case {"point": Point(x=0, y=y)}:
                return y
            case {"point": Point(Color.RED, y), "rest": [_, *tail]} if y > tail[1]:
                return y * 100
            case {"rest": (2, q, _) | (q, 2, _)}:
                return q * 1000
            case {"point": Point() as p, **others}:
                return p.x - p.y + len(others)

    for a in range(4):
        for b in range(4):
            check(f, a, b)


def test_a_tensor_is_no_sequence_as_no_array_is():
    @gw.function
    def f(x):
        match x:
            case [a, b]:
                return a + b
            case _:
                return x

    assert f(gw.constant([1, 2])).tolist() == [1, 2]


def test_an_attribute_that_only_the_number_has():
    @gw.function
    def f(x):
        n = 0
        while n < x:
            n += 1
        match n:
            case int(numerator=r):
                return r

    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW108.*`int\\(\\)`.*'numerator'"):
        f(gw.constant(1))


def test_a_vector_does_not_decide():
    @gw.function
    def f(x):
        match x:
            case 0:
                return 1
            case _:
                return 2

    with pytest.raises(ValueError, match="GW202"):
        f(gw.constant([0, 1]))


def kind(n):
    match n:
        case bool():
            return 1
        case int():
            return 2
        case float():
            return 3
        case _:
            return 4


def kinds_in_a_tuple(n):
    match (n, 1):
        case (int(k), int()):
            return k
        case _:
            return 4


def either_kind(n):
    match n:
        case int() | float():
            return 2
        case gw.Tensor():
            return 3
        case _:
            return 4


@pytest.mark.parametrize("function", [kind, kinds_in_a_tuple, either_kind])
@pytest.mark.parametrize("value", [3, 3.0, True])
def test_a_tensor_is_no_number_of_pythons(function, value):
    tensor = gw.constant(value)
    native = function(tensor)
    assert int(gw.autograph.to_graph(function)(tensor)) == native
    assert int(gw.function(function)(tensor)) == native
    assert int(gw.function(function)(value)) == function(value)
