"""Diagnostics quote what the user wrote, and what they say to write instead works."""

import copy
import dataclasses
import operator
import random
import re

import numpy as np
import pytest

import graphwright as gw

NAMES = ["zero", "one", "two"]
BY_NUMBER = {1: "one", 2: "two"}


@dataclasses.dataclass
class Point:
    x: object


TABLE = np.arange(9.0)


class Holder:
    def __init__(self):
        self.table = np.arange(9.0)

    def stored(self, x):
        self.table[2] += x
        return x

    def stored_in_a_copy(self, x):
        new = self.table.copy()
        new[2] += x
        return new


def stored_in_the_table(x):
    TABLE[2] = x
    return x


def stored_in_a_copy(x):
    new = TABLE.copy()
    new[2] = x
    return new


def repeated(n):
    xs = (1, 2)
    return xs * n


def tiled(n):
    xs = [1, 2]
    return gw.tile(xs, [n])


def grown(n):
    xs = []
    for _ in gw.range(n):
        xs.append(0)
    return gw.stack(xs)


TWO, VECTOR = gw.constant(2), gw.constant([3.0, 1.0, 2.0, 4.0])

# What is refused, on what, the diagnostic, what it quotes, what it says to write, and that.
CASES = {
    "a list of texts": (
        lambda n: NAMES[n],
        TWO,
        "GW130",
        "`NAMES[n]` takes an item of a list by a tensor, and the list holds a `str`",
        "`gw.constant(NAMES)[n]`",
        lambda n: gw.constant(NAMES)[n],
    ),
    "a dict of texts": (
        lambda n: BY_NUMBER[n],
        TWO,
        "GW130",
        "`BY_NUMBER[n]` looks a tensor up in a dict, and the dict holds a `str`",
        "`'one' if n == 1 else 'two'`",
        lambda n: "one" if n == 1 else "two",
    ),
    "a slice of a tuple": (
        lambda n: sum((10, 20, 30)[:n]),
        TWO,
        "GW108",
        "`(10, 20, 30)[:n]` takes an item of a Python sequence or array by a tensor",
        "`gw.constant((10, 20, 30))[:n]`",
        lambda n: sum(gw.constant((10, 20, 30))[:n]),
    ),
    "a function of NumPy": (
        lambda v: np.pad(v, 1, mode="reflect", reflect_type="odd"),
        VECTOR,
        "GW108",
        "`np.pad` computes on NumPy arrays",
        "use `gw.pad`",
        lambda v: gw.pad(v, [[1, 1]]),
    ),
    "a function of NumPy alone": (
        lambda v: np.roots(v),
        VECTOR,
        "GW108",
        "`np.roots` computes on NumPy arrays",
        "`gw.numpy_function(np.roots, [x], gw.TensorSpec(shape, dtype))`",
        lambda v: gw.numpy_function(lambda x: np.abs(np.roots(x)), [v], gw.TensorSpec([None], gw.float32)),
    ),
    "repetition": (
        lambda n: (0,) * (n + 1),
        TWO,
        "GW108",
        "`(0,) * (n + 1)` repeats a sequence as often as a tensor says",
        "`gw.fill([n + 1], 0)`",
        lambda n: gw.fill([n + 1], 0),
    ),
    "repetition of several": (
        lambda n: (0.0, 1.0) * n,
        TWO,
        "GW108",
        "`(0.0, 1.0) * n` repeats a sequence as often as a tensor says",
        "`gw.tile((0.0, 1.0), [n])`",
        lambda n: gw.tile([0.0, 1.0], [n]),
    ),
    "repetition of a list by its name": (
        repeated,
        TWO,
        "GW108",
        "`xs * n` repeats a sequence as often as a tensor says",
        "`gw.tile(xs, [n])`",
        tiled,
    ),
    "repetition, as a list": (
        lambda n: n * (0,),
        TWO,
        "GW108",
        "`n * (0,)` repeats a sequence as often as a tensor says",
        "`xs = []`, then `for _ in gw.range(n): xs.append(0)`",
        grown,
    ),
    "a format": (
        lambda x: "%.2f" % x,  # noqa: UP031
        TWO,
        "GW116",
        '`"%.2f" % x` puts a tensor into a text',
        "give the tensor itself to `gw.print`",
        lambda x: gw.print(x),
    ),
    "str": (
        lambda x: str(x),
        TWO,
        "GW116",
        "`str(x)` puts a tensor into a text",
        "give the tensor itself to `gw.print`",
        lambda x: gw.print("is", x),
    ),
    "an array of the module": (
        stored_in_the_table,
        TWO,
        "GW108",
        "`TABLE` is no array of the graph",
        "`new = TABLE.copy()`",
        stored_in_a_copy,
    ),
    "an array of an object": (
        Holder().stored,
        TWO,
        "GW108",
        "`self.table` is no array of the graph",
        "`new = self.table.copy()`",
        Holder().stored_in_a_copy,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_remedy_works(case):
    refused, argument, code, quoted, remedy, repaired = CASES[case]
    with pytest.raises(
        (TypeError, ValueError), match=rf"(?s)^{code}: {re.escape(quoted)}.*test_remedies\.py:\d+"
    ) as raised:
        gw.function(refused)(argument)
    assert remedy in str(raised.value)
    staged = gw.function(repaired)
    for _ in range(2):
        staged(argument)


def test_remedies_give_what_python_gives():
    assert gw.function(lambda n: gw.constant(NAMES)[n])(TWO).numpy() == b"two"
    assert gw.function(lambda n: "one" if n == 1 else "two")(TWO).numpy() == b"two"
    assert gw.function(grown)(TWO).numpy().tolist() == [0] * 2


def test_methods_of_arrays_name_the_function():
    for call in (lambda v: v.tile(2), gw.function(lambda v: v.tile(2))):
        with pytest.raises(AttributeError, match=r"no attribute 'tile'; use `gw\.tile\(x, …\)`"):
            call(VECTOR)
    assert not hasattr(VECTOR, "tile") and not hasattr(VECTOR, "no_such_thing")
    with pytest.raises(AttributeError, match="no attribute 'no_such_thing'$"):
        VECTOR.no_such_thing  # noqa: B018


def append(xs, n):
    total = n + 0
    xs.append(n)
    return total


def append_in_a_helper(xs, n):
    return append(xs, n) * 2


def store(xs, n):
    if n > 0:
        xs[0] = n
    return n + 1


def sort(xs, n):
    xs.sort()
    return n + 1


def store_in_a_dict(d, n):
    for key in ("a", "b"):
        d[key] = n
    return n + 1


@pytest.mark.parametrize(
    ("function", "given", "line"),
    [
        (append, [1, 2], "xs.append(n)"),
        (append_in_a_helper, [1, 2], "xs.append(n)"),
        (store, [1, 2], "xs[0] = n"),
        (sort, [3, 1], "xs.sort()"),
        (store_in_a_dict, {"a": 1}, "d[key] = n"),
    ],
)
def test_the_line_that_changes_an_argument(function, given, line):
    with pytest.raises(ValueError, match=r"GW113: `(xs|d)` is changed in place") as raised:
        gw.function(function)(given, gw.constant(3))
    assert f"| {'    ' * (1 + ('[' in line))}{line}\n" in str(raised.value) and "changed here" in str(
        raised.value
    )

    def copied(given, n):
        given = given.copy()
        return function(given, n), given

    assert gw.function(copied)(given, gw.constant(3)) is not None


@dataclasses.dataclass
class Total:
    sum: float


def add_to(total, x):
    for i in range(x.shape[0]):
        total.sum += x[i]
    return total.sum


def test_the_line_that_changes_a_dataclass():
    with pytest.raises(ValueError, match="GW113: `total` is changed in place") as raised:
        gw.function(add_to)(Total(1.0), np.arange(9.0))
    text = str(raised.value)
    assert (
        "|         total.sum += x[i]\n" in text
        and "changed here" in text
        and "`total = copy.copy(total)`" in text
    )

    def copied(total, x):
        total = copy.copy(total)
        return add_to(total, x), total.sum

    assert [float(found) for found in gw.function(copied)(Total(1.0), np.arange(9.0))] == [37.0, 37.0]


def partitions(x, n):
    try:
        x.partition(0)
    except Exception:
        return n
    return x[0]


def views(x, n):
    try:
        x = x.view(np.int64)
    except AttributeError:
        pass
    return x[0]


def counts_bits(x, n):
    try:
        return n.bit_length()
    except AttributeError:
        return -1


def has_partition(x, n):
    return hasattr(x, "partition")


def numerator(x, n):
    return getattr(n, "numerator", 1)


@pytest.mark.parametrize("function", [partitions, views, counts_bits, has_partition, numerator])
def test_what_the_native_value_has_is_not_taken_for_absent(function):
    staged = gw.function(function)
    for _ in range(2):
        with pytest.raises(
            (AttributeError, gw.errors.OperatorNotAllowedInGraphError), match="GW120: .*no attribute"
        ):
            staged(np.array([[3.0, 1.0]]), gw.constant(7))


def test_what_the_native_value_lacks_is_absent():
    @gw.function
    def function(x, n):
        return hasattr(n, "append"), getattr(x, "no_such_thing", n)

    assert [int(part) for part in function(np.ones(2), gw.constant(7))] == [0, 7]


def sorted_in_place(x):
    data = x.reshape(3)
    data.sort()
    return data


def first_of_a_list(x):
    xs = [7]
    for i in range(x):
        xs.append(i)
    return operator.itemgetter(0)(xs)


def state_of_random(x):
    return x + len(random.getstate())


NAMED = {
    "sort": (sorted_in_place, [3.0, 1.0, 2.0], "GW122: `sort` would change what it is given in place"),
    "itemgetter": (first_of_a_list, 3, "GW130: `itemgetter` is Python's own"),
    "getstate": (state_of_random, 3, "GW503: `Random.getstate` answers differently each time"),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_refusal_names_the_function_that_is_called(name):
    function, given, text = NAMED[name]
    with pytest.raises((TypeError, ValueError), match=re.escape(text)):
        gw.function(function)(gw.constant(given))
