"""Dicts and sets with keys that the graph computes: Python's answer in all three ways, or a located refusal."""

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as gw
from container_programs import agrees, statements
from three_ways import check

keys = st.sampled_from(["i", "i % 3", "y % 4", "2", "n - i", "len(d)"])
values = st.sampled_from(["i", "i * 2 - 3", "y % 7", "3", "len(s)"])


def guarded(test, statement):
    """Only where a key is there."""
    return [f"if {test}:", [statement]]


simple = st.one_of(
    st.tuples(keys, values).map(lambda p: [f"d[{p[0]}] = {p[1]}"]),
    keys.map(lambda k: [f"d[{k}] = d.get({k}, 0) + 1"]),
    keys.map(lambda k: guarded(f"{k} in d", f"y += d[{k}]")),
    keys.map(lambda k: guarded(f"{k} in d", f"d[{k}] += 2")),
    keys.map(lambda k: guarded(f"{k} in d", f"del d[{k}]")),
    st.tuples(keys, values).map(lambda p: [f"y += d.setdefault({p[0]}, {p[1]})"]),
    st.tuples(keys, values).map(lambda p: [f"y += d.pop({p[0]}, {p[1]})"]),
    keys.map(lambda k: [f"s.add({k})"]),
    keys.map(lambda k: [f"s.discard({k})"]),
    keys.map(lambda k: guarded(f"{k} in s", f"s.remove({k})")),
    st.sampled_from(
        [
            ["for k in d:", ["y += k"]],
            ["for k, v in d.items():", ["y += k * v"]],
            ["for v in d.values():", ["y -= v"]],
            ["y += sum(d.values())"],
            ["y += sum(s)"],
            ["d = {3: y % 5}"],
            ["s = set()"],
            ["d.clear()"],
            ["d.update({1: 5, 9: i})"],
            ["s.update([i, 2])"],
            ["t = s.union(d)", "y += len(t)"],
            ["y += len(s.difference(d))"],
            ["e = d.copy()", "e[7] = i", "y += len(e)"],
            ["if d:", ["y += max(d)"]],
        ]
    ),
)


TESTS = ["i % 2 == 0", "y > i", "len(d) > 2", "i in s", "d == {1: 2}"]


@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(["{}", "{4: 1, 1: 3}"]), st.lists(statements(simple, TESTS), min_size=2, max_size=3))
def test_random_programs_agree(start, body):
    agrees([f"d = {start}", "s = {7}"], body, "d, s, y, list(d)")


def looked_up(k):
    prices = {1: 10, 5: 25, 9: 40}
    return prices[k], prices.get(k, 0), k in prices, k in {1, 2}, k in frozenset([5])


def by_two_numbers(n):
    seen = set()
    moves = {(0, 1): 5, (1, 0): 7}
    total = 0
    for i in range(n):
        seen.add((i % 3, i % 2))
        total += moves.get((i % 2, (i + 1) % 2), 0)
    return seen, total, (1, 1) in seen, (5, 0) in seen


def floats(n):
    d = {}
    for i in range(n):
        d[i / 2] = i
    return d, 1 in d, 0.25 in d


def grown_while_iterated(n):
    d = {}
    for i in range(n):
        d[i] = i * i
    for k in d:
        if k == 2:
            d[100] = k
    return d


def left_before_it_shows(n):
    d = {}
    for i in range(n):
        d[i] = i * i
    for k in d:
        if k == 2:
            d[100] = k
            break
    return d


def memo(n):
    known = {0: 0, 1: 1}
    i = 2
    while i <= n:
        known[i] = known[i - 1] + known[i - 2]
        i += 1
    return known[n]


def two_names(n):
    d = {}
    e = d
    for i in range(n):
        e[i % 3] = i
    return d is e, len(d), d


def popped(n):
    d = {}
    for i in range(n):
        d[i] = i * i
    last = d.popitem()
    return d, last, d.pop(2)


def sets(n):
    a, b = set(), set()
    for i in range(n):
        a.add(i)
        b.add(i * 2)
    return (
        a.union(b),
        a.intersection(b),
        a.difference(b),
        a.symmetric_difference([1, 50]),
        a.issubset(b),
        a.issuperset([1]),
        a.isdisjoint(b),
        sorted(a),
        a == b,
        min(a, default=9),
    )


class Table:
    def __init__(self):
        self.found = {}

    def count(self, key):
        self.found[key] = self.found.get(key, 0) + 1


def in_an_object(n):
    table = Table()
    for i in range(n):
        table.count(i * i % 7)
    return table.found


def made_anew(n):
    front = {1: 0}
    depth = 0
    while len(front) < n:
        following = {}
        for k, v in front.items():
            following[k * 2] = v + 1
            following[k * 2 + 1] = v + 1
        front = following
        depth += 1
    return front, depth


def of_a_branch(n):
    d = {}
    if n > 3:
        d[n] = 1
    return len(d) if d else -1


def made_of_values(n):
    xs = [0]
    for i in range(n):
        xs.append(i % 3)
    d = dict(zip(xs, xs))
    return set(xs), len(set([n, n, 1])), list(d), list(d.items())


@pytest.mark.parametrize(
    "function",
    [
        looked_up,
        by_two_numbers,
        floats,
        grown_while_iterated,
        left_before_it_shows,
        memo,
        two_names,
        popped,
        sets,
        in_an_object,
        of_a_branch,
        made_of_values,
    ],
)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_dicts_of_the_graph(function, n):
    check(function, n)


def test_another_dict_in_each_round():
    check(made_anew, 5)


def test_a_missing_key_is_named():
    with pytest.raises(KeyError) as raised:
        gw.function(looked_up)(gw.constant(3))
    assert raised.value.args == (3,)
    with pytest.raises(KeyError) as raised:
        gw.function(lambda i, j: {(0, 1): 5}[i, j])(gw.constant(2), gw.constant(1))
    assert raised.value.args == ((2, 1),)


def refusals():
    counts = {}

    def outside(n):
        for i in gw.range(n):
            counts[i] = 1
        return n

    def texts(n):
        d = {"a": 1}
        for i in gw.range(n):
            d[i] = 1
        return len(d)

    def first_of_a_set(n):
        s = set()
        for i in gw.range(n):
            s.add(i)
        return s.pop()

    def order_of_a_set(n):
        s = set()
        for i in gw.range(n):
            s.add(i)
        return [x for x in s]

    def lists_in_it(n):
        d = {}
        for i in gw.range(n):
            d[i] = [i]
        return len(d)

    def functions(n):
        return {0: abs, 1: max}[n]

    return [outside, texts, first_of_a_set, order_of_a_set, lists_in_it, functions]


@pytest.mark.parametrize("function", refusals(), ids=lambda function: function.__name__)
def test_what_a_graph_cannot_hold_is_refused(function):
    with pytest.raises(ValueError, match=r"GW130: .*\n *--> .*test_dicts.py"):
        gw.function(function)(gw.constant(1))


def test_a_dict_from_outside_holds_again_what_it_held():
    counts = {3: 4}

    def change(n):
        for i in gw.range(n):
            counts[i] = 1
        return n

    with pytest.raises(ValueError, match="GW130: `counts` is a dict"):
        gw.function(change)(gw.constant(2))
    assert counts == {3: 4}


def test_a_dict_from_outside_is_refused_by_the_first_traces(monkeypatch):
    counts, collections = {3: 4}, []

    def change(n):
        for i in gw.range(n):
            counts[i] = 1
        return n

    def collect(generation=2):
        if generation == 2:
            collections.append(generation)

    monkeypatch.setattr(gc, "collect", collect)
    with pytest.raises(ValueError, match="GW130: `counts` is a dict"):
        gw.function(change)(gw.constant(2))
    assert len(collections) <= 2


def counted_in_a_try(n):
    d = {3: 1}
    try:
        d[n] += 1
    except KeyError:
        d[n] = 0
    return d[n]


def stored_before_a_missing_key(n):
    d = {3: 1}
    try:
        d[n] = 5
        return d[n + 1]
    except KeyError:
        d[n + 1] = 7
    return d[n] * 10 + d[n + 1]


def read_and_stored_beside_another(n):
    d = {3: 1, 4: 2}
    e = d
    try:
        x = d[n]
        e[n] = x + 5
    except KeyError:
        x = 0
    return d[3] * 100 + e[4] * 10 + x


def added_before_a_missing_element(n):
    s = {3}
    try:
        s.add(n)
        s.remove(n + 1)
    except KeyError:
        s.add(9)
    return sum(s)


@pytest.mark.parametrize(
    "function",
    [
        counted_in_a_try,
        stored_before_a_missing_key,
        read_and_stored_beside_another,
        added_before_a_missing_element,
    ],
)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_try_brings_a_dict_or_set_into_the_graph(function, n):
    check(function, n)
