"""Comprehensions whose tests a tensor decides: lists, sets, dicts and folds over what Python counts."""

from __future__ import annotations

import itertools
import linecache
import math
import random
import textwrap

import numpy as np
import pytest

import graphwright as gw
from graphwright.errors import OperatorNotAllowedInGraphError

XS = [3, 1, 2]
WORDS = ("a", "bb", "ccc")
ROWS = [[1, 2], [3], [4, 5, 6]]


def plain(value):
    if isinstance(value, gw.Tensor):
        return value.numpy().tolist()
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return type(value)(plain(item) for item in value)
    return value


def outcome(f, *args):
    try:
        return plain(f(*args))
    except Exception as error:
        if "GW" in str(error):
            raise
        return type(error)


def agrees(f, values=(0, 1, 1.5, 2, 2.5, 9)):
    staged = gw.function(f)
    for value in values:
        wanted = outcome(f, value)
        for _ in range(2):
            assert outcome(staged, gw.constant(value)) == wanted, value


def made(text):
    names = {"gw": gw, "np": np, "math": math, "itertools": itertools, "XS": XS, "WORDS": WORDS, "ROWS": ROWS}
    return defined(textwrap.indent(text, "    "), names)


def defined(body, names):
    text = f"def f(t):\n{body}\n"
    name = f"<filters {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), names)
    return names["f"]


@pytest.mark.parametrize(
    "expression",
    [
        "[x for x in [1, 2, 3] if x > t]",
        "len([x for x in (1.5, 2.5) if x > t])",
        "[x * t for x in range(4) if x % 2 == 0 and x > t]",
        "[x for x in XS if x > 1 if x > t]",
        "[x if x > 1 else -x for x in XS if x > t]",
        "[y for row in ROWS for y in row if y > t]",
        "[y for row in ROWS if len(row) > t for y in row]",
        "[y for row in ROWS if len(row) > 1 for y in row if y > t and y % 2 == 0]",
        "[(x, y) for x in XS for y in range(x) if y < t]",
        "[len(w) for w in WORDS if len(w) > t]",
        "[i for i, x in enumerate(XS) if x > t]",
        "[a * b for a, b in zip(XS, (4, 5, 6)) if a > t]",
        "[v for k, v in {'a': 1, 'b': 2}.items() if v > t]",
        "{x for x in [1, 2, 2, 3] if x > t}",
        "{x: x * t for x in XS if x > t}",
        "len({x: 1 for x in XS if x > t})",
        "sum(x for x in XS if x > t)",
        "sum((x for x in XS if x > t), 10)",
        "sum(1 for x in XS if x > t)",
        "sum(y for row in ROWS for y in row if y > t)",
        "sum([x for x in XS if x > t]) / max(1, sum(1 for x in XS if x > t))",
        "sum(sum(y for y in row if y > t) for row in ROWS if len(row) < 3)",
        "max(x for x in [9, 1, 2] if x >= t)",
        "min((x for x in XS if x > t), default=-1)",
        "max((x for x in [9, 8, 7] if x >= t), key=lambda x: -x)",
        "math.prod(x for x in XS if x > t)",
        "any(x > 2 for x in XS if x > t)",
        "all(x > 2 for x in XS if x > t)",
        "any(y == 5 for row in ROWS for y in row if y > t)",
        "sorted(x for x in XS if x > t)",
        "sorted((x for x in XS if x > t), reverse=True)",
        "list(x for x in XS if x > t)",
        "next(x for x in [1, 9] if x >= t)",
        "next((x for x in XS if x > t), -1)",
        "sum(x for x in [None, 1, 2] if x is not None and x > t)",
        "[x for x in [1, 5, 7] if x < 2 or x > t]",
        "[x for x in XS if any(y > t for y in range(x))]",
        "[sum(y for y in row) for row in ROWS if row[0] > t]",
        "[x for x in XS if x > t][0]",
        "[x for x in XS if x > t][-1] + [x for x in range(5) if x > t][1]",
        "{x: x * 2 for x in XS if x >= t}[3]",
        "[i for i in range(int(t) + 1)][0]",
        "[x for x in XS if x > t][1:]",
        "[y + 1 for y in [x for x in XS if x > t]]",
        "[y for y in [x for x in XS if x > t] if y != 2]",
        "max([x for x in XS if x > t], default=0)",
        "list(filter(lambda x: x > t, XS))",
        "sum(filter(lambda x: x > t, XS))",
        "[x * 2 for x in filter(lambda x: x > t, XS)]",
        "[x * 2 for x in filter(lambda x: x > t, XS) if x > 2]",
        "list(map(lambda x: x + 1, filter(lambda x: x > t, XS)))",
        "sum(1 for _ in filter(lambda x: x > t, XS))",
        "sum(x for x in filter(lambda x: x > 1, XS) if x > t)",
        "[x for x in map(lambda x: x * x, filter(lambda x: x > t, XS)) if x > 1]",
        "sum(x for x in map(abs, filter(lambda x: x > t, XS)))",
        "[x for x in filter(lambda x: x < 9, map(abs, filter(lambda x: x > t, range(4)))) if x > 1]",
        "next((x for x in map(abs, filter(lambda x: x > t, XS)) if x > 1), -1)",
        "[x for x in map(lambda x: x + 1, XS) if x > t]",
        "[x for x in itertools.chain(XS, [7]) if x > t]",
        "[x for x in itertools.islice(XS, 2) if x > t]",
        "[i for i, x in enumerate(np.arange(4)) if x > t]",
        "sum(x for x in map(abs, XS) if x > t)",
        "next(filter(lambda x: x > t, XS), -1)",
        "max(filter(lambda x: x > t, XS), default=0)",
        "len(list(filter(None, [0, 1, t])))",
        "[f(t) for f in (lambda v: v + 1, lambda v: v * 2) if f(t) > 2]",
    ],
)
def test_a_tensor_decides_which_items_are_kept(expression):
    agrees(made(f"return {expression}"))


@pytest.mark.parametrize(
    "expression",
    [
        "[x for x in v if x > 0]",
        "len([x for x in v if x > 0])",
        "[x for i, x in enumerate(v) if i % 2 == 0]",
        "sum([x * x for x in v if x > 0])",
        "[x + i for i, x in enumerate(v) if x > 0]",
        "{x for x in v if x > 0}",
        "next((x for x in v if x > 0), -9.0)",
        "list(x for x in v if x < 1)",
        "sum(y for row in m for y in row if y > 0)",
        "[y for row in m for y in row if y > 0]",
    ],
)
def test_arrays_are_filtered(expression):
    names = {"gw": gw}
    f = defined(f"    v, m = t\n    return {expression}", names)
    staged = gw.function(f)
    for v in ([1.0, -2.0, 3.0], [-1.0, -1.0, -1.0], [0.5, 0.5, 0.0]):
        v = np.array(v)
        given = (v, np.stack([v, -v]))
        assert outcome(staged, tuple(map(gw.constant, given))) == outcome(f, given), v


def test_python_counts_what_python_decides():
    @gw.function
    def zeros(x):
        return x + gw.zeros([len([i for i in range(100) if i % 3 == 0]), sum(1 for w in WORDS if len(w) > 1)])

    assert zeros(gw.constant(1.0)).shape == [34, 2]


def test_order_of_calls():
    def f(t):
        log = []

        def seen(value, name):
            log.append((name, value))
            return value

        kept = [seen(x, "element") for x in [1, 2, 3] if seen(x, "test") != 2]
        total = sum(seen(x, "summand") for x in kept if seen(x, "asked") > 0)
        first = next(seen(x, "first") for x in kept if seen(x, "tried") > 1)
        return t + total + first, log

    agrees(f, [1])


def test_variables_of_a_comprehension_outlive_it_as_in_python():
    def f(t):
        late = [lambda: x for x in [1, 2, 3] if x != 2]
        return t + late[0]() * 10 + late[1]()

    agrees(f, [1])


def test_stop_iteration():
    def stops(x):
        if x == 2:
            raise StopIteration
        return x

    def of_generator(t):
        return t + sum(stops(x) for x in [1, 2] if x > 0)

    def of_list(t):
        return [stops(x) for x in [1, 2] if x > 0]

    for f in (of_generator, of_list):
        agrees(f, [1])
    agrees(made("return next(x for x in [1, 2] if x > t)"), [5])


def test_a_list_that_changes_meanwhile_is_refused():
    @gw.function
    def f(t):
        xs = [1, 2, 3]
        return [xs.pop() for x in xs if x > 0 and x > t]

    with pytest.raises(ValueError, match="GW10[0-9]|GW111"):
        f(gw.constant(0))


def test_an_iterator_of_kept_items_goes_on_where_it_was_made():
    @gw.function
    def again(t):
        kept, total = filter(lambda x: x > 1, XS), t
        for _ in gw.range(2):
            for x in kept:
                total += x
        return total

    with pytest.raises(ValueError, match="GW503.*`generator`"):
        again(gw.constant(1))

    @gw.function
    def twice(t):
        kept = filter(lambda x: x > t, XS)
        return next(kept, 0) + next(kept, 0)

    with pytest.raises(OperatorNotAllowedInGraphError, match="GW107"):
        twice(gw.constant(1))

    def known(t):
        kept = filter(lambda x: x > 1, XS)
        return t + next(kept) * 10 + next(kept)

    agrees(known, [1])

    def goes_on(t):
        kept = filter(lambda x: x < 3 or x > t, [1, 3, 4])
        return [next(kept), *kept]

    for t in (3, 2, 5):
        agrees(goes_on, [t])


def test_an_iterator_of_which_a_tensor_decides_how_many_items_are_taken():
    @gw.function
    def f(t):
        items = iter(XS)
        return next((x for x in items if x > t), 0) + sum(items)

    with pytest.raises(ValueError, match="GW503"):
        f(gw.constant(1))

    for use in ("list(items)", "next(items, 5)", "sum(items)", "next((x for x in items if x > n), 0)"):
        for items in ("iter(v)", "enumerate(v)", "map(abs, v)"):
            test = "x[1]" if items.startswith("enumerate") else "x"
            body = f"    v, n = t\n    items = {items}\n    a = next((x for x in items if {test} > n), None)\n    return a, {use}"
            with pytest.raises(OperatorNotAllowedInGraphError, match="GW107"):
                gw.function(defined(body, {}))((gw.constant([3, 1, 6]), gw.constant(2)))

    def known(t):
        items = iter(XS)
        return t + next((x for x in items if x < 2), 0) * 10 + sum(items)

    agrees(known, [1])


def test_texts_as_keys_are_refused_at_the_comprehension():
    f = gw.function(made("return {k: v for k, v in {'a': 1, 'b': 2}.items() if v > t}"))
    with pytest.raises(OperatorNotAllowedInGraphError, match="the key 'a'"):
        f(gw.constant(1))


def test_a_generator_of_a_function_as_a_tuple():
    def passing(t):
        for x in [1, 2, 3]:
            if x > t:
                yield x

    @gw.function
    def f(t):
        return len(tuple(passing(t)))

    with pytest.raises(ValueError, match="GW130"):
        f(gw.constant(1.5))


def test_derivatives():
    @gw.function
    def f(t):
        return sum([x * t * t for x in (1.0, 2.0, 3.0) if x > t])

    with gw.GradientTape() as tape:
        t = gw.constant(1.5)
        tape.watch(t)
        y = f(t)
    assert tape.gradient(y, t).numpy() == pytest.approx(2 * 1.5 * 5)


SOURCES = [
    "XS",
    "(2, 0, 5)",
    "range(5)",
    "[1.5, t, 3.0]",
    "range(3, 0, -1)",
    "enumerate(XS)",
    "zip(XS, range(3))",
]
TESTS = [
    "x > t",
    "x % 2 == 0",
    "x > 1 and x < t",
    "x < 1 or x > t",
    "not x > t",
    "x != 2",
    "t > 2",
    "x > t > 1",
]
ELEMENTS = ["x", "x * 2", "x + t", "x if x > t else -x", "abs(x - t)", "1"]
KINDS = ["[{}]", "sum({})", "len([{}])", "sum([{}])", "max(({}), default=-3)", "min(({}), default=-3)"]
KINDS += ["sorted({})", "any(x > 3 for x in [{}])", "next(({}), -3)", "list({})", "math.prod({})"]


def expression(rng):
    """One comprehension of this grammar, with up to two clauses and two tests each."""

    def tests():
        return "".join(f" if {rng.choice(TESTS)}" for _ in range(rng.randrange(1, 3)))

    source, element = rng.choice(SOURCES), rng.choice(ELEMENTS)
    pairs = source.startswith(("enumerate", "zip"))
    clauses = f"for {'i, x' if pairs else 'x'} in {source}"
    if rng.random() < 0.3:
        clauses = f"for row in ROWS{tests().replace('x', 'row[0]')} for x in row"
    return rng.choice(KINDS).format(f"{element} {clauses}{tests()}")


@pytest.mark.parametrize("seed", range(60))
def test_random_comprehensions(seed):
    text = expression(random.Random(seed))
    agrees(made(f"return {text}"), (0, 2, 2.5))
