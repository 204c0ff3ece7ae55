"""Lists that branches and loops of the graph change: Python's answer in all three ways, or a located refusal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as gw
from container_programs import agrees, statements
from three_ways import check

EXPRESSIONS = ["i", "i * 2 - 3", "y % 7", "3", "n - i", "len(xs)"]
INDICES = ["0", "-1", "i % len(xs)", "len(xs) - 1", "-len(xs)"]
expressions = st.sampled_from(EXPRESSIONS)
indices = st.sampled_from(INDICES)


def guarded(statement):
    """Only where there is an element."""
    return ["if xs:", [statement]]


simple = st.one_of(
    expressions.map(lambda e: [f"xs.append({e})"]),
    expressions.map(lambda e: [f"ys.append({e})"]),
    expressions.map(lambda e: [f"xs += [{e}, 1]"]),
    expressions.map(lambda e: [f"xs.extend([{e}, i])"]),
    st.tuples(indices, expressions).map(lambda p: guarded(f"xs[{p[0]}] = {p[1]}")),
    indices.map(lambda i: guarded(f"y += xs[{i}]")),
    indices.map(lambda i: guarded(f"y += xs.pop({i})")),
    indices.map(lambda i: guarded(f"xs[{i}] += y % 5")),
    indices.map(lambda i: guarded(f"del xs[{i}]")),
    st.tuples(st.sampled_from(["0", "1", "-1", "i"]), expressions).map(
        lambda p: [f"xs.insert({p[0]}, {p[1]})"]
    ),
    expressions.map(lambda e: [f"if {e} in xs:", [f"xs.remove({e})"]]),
    expressions.map(lambda e: [f"y += xs.count({e})"]),
    st.sampled_from(
        [
            ["xs.reverse()"],
            ["xs.sort()"],
            ["xs = xs[1:] + ys"],
            ["xs = sorted(ys)"],
            ["ys = xs.copy()"],
            ["xs.clear()"],
            ["y += sum(xs[:2])"],
            ["for x in xs:", ["y += x * 2"]],
            ["while len(xs) > 4:", ["y -= xs.pop()"]],
            ["if not ys:", ["ys = [y % 3]"]],
        ]
    ),
)


TESTS = ["i % 2 == 0", "y > i", "len(xs) > 2", "xs == []"]


@settings(max_examples=40, derandomize=True, deadline=None, database=None)
@given(st.sampled_from(["[]", "[4, 1, 3]"]), st.lists(statements(simple, TESTS), min_size=2, max_size=4))
def test_random_programs_agree(start, body):
    agrees([f"xs = {start}", "ys = [7]"], body, "xs, ys, y")


def two_loops(n):
    first, second = [], []
    for i in range(n):
        first.append(i)
        for j in range(i):
            second.append(first[j] * i)
    return first, second


def tuples(n):
    pairs = [(0, 0.5)]
    for i in range(n):
        pairs.append((i, i / 2))
    pairs[0] = (9, 9.5)
    a, b = pairs.pop()
    return pairs, a, b, min(pairs), (1, 0.5) in pairs


def arrays(n):
    rows = []
    for i in range(n):
        rows.append(gw.constant([1, 2]) * i)
    return gw.stack(rows)


def stopped(n):
    found = []
    for i in range(n):
        if i == 3:
            break
        found.append(i)
    return found


def returned_early(n):
    found = []
    for i in range(n):
        found.append(i)
        if i > 2:
            return found
    return found


def emptied_and_filled(n):
    xs = [1.5]
    while n > 0:
        xs.clear()
        if n % 2 == 0:
            xs.append(2.5)
        n -= 1
    return xs, len(xs)


def sliced(n):
    xs = []
    for i in range(n):
        xs.append(i)
    xs[2:] = [50, 60]
    del xs[:1]
    return xs, xs[:-1], xs[-2:], xs[n:]


PROGRAMS = [two_loops, tuples, stopped, returned_early, emptied_and_filled, sliced]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_programs_agree(program, n):
    check(program, n)


def test_arrays_are_stacked():
    assert gw.function(arrays)(gw.constant(3)).numpy().tolist() == [[0, 0], [1, 2], [2, 4]]


def chosen(n):
    rows = [[1, 2], [3], []]
    total = 0
    for i in range(n):
        for x in rows[i % 3]:
            total += x
        if 3 in rows[i % 3]:
            total += 100
        total += len(rows[-1 - i % 3]) + sum(rows[i % 3])
    return total, rows[n % 3]


@pytest.mark.parametrize("n", [0, 2, 5])
def test_one_of_several_lists(n):
    check(chosen, n)


def changed_after(n):
    row = gw.zeros(2)
    rows = []
    for i in range(n):
        rows.append(row)
    row[0] = 1.0
    return rows


def clashing(n):
    xs = [gw.constant(1, gw.int32)]
    for i in range(n):
        xs.append(gw.constant("1.5"))
    return xs


def asked_by_python(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return ",".join(map(str, [x for x in xs]))


def grown_while_counted(n):
    xs = [0]
    for i in range(n):
        xs.append(i)
    for i, x in enumerate(xs):
        if i < 3:
            xs.append(x)
    return len(xs)


def grown_while_zipped(n):
    xs, ys = [0], [0]
    for i in range(n):
        xs.append(i)
        ys.append(i)
    for x, y in zip(xs, ys, strict=True):
        if x + y < 3:
            ys.append(x)
            xs.append(y)
    return len(xs)


REFUSED = [
    (changed_after, "GW122"),
    (clashing, "GW1"),
    (asked_by_python, "GW107"),
    (grown_while_counted, "GW130"),
    (grown_while_zipped, "GW130"),
]


@pytest.mark.parametrize(("program", "code"), REFUSED, ids=lambda v: getattr(v, "__name__", None))
def test_what_the_graph_cannot_is_refused_on_its_line(program, code):
    with pytest.raises((ValueError, TypeError), match=rf"(?s){code}.*{__file__}.*help: "):
        gw.function(program)(gw.constant(3))


def item_of_a_list_that_grows(n):
    xs = [1, 2]
    if n > 0:
        xs.append(n)
        xs[0] += 1
    while n > 1:
        xs[1] = xs[0] + n
        xs.append(n)
        n -= 1
    return xs


def test_an_item_by_a_number_of_a_list_that_grows():
    for n in (3, 1, 0):
        check(item_of_a_list_that_grows, n)


def test_a_list_made_anew_under_many_conditions():
    def below(n):
        out = []
        for i in range(60):
            if n > i:
                out = out + [i]
        return out

    staged = gw.function(below)
    for n in (0, 7, 60):
        found = staged(gw.constant(n))
        assert [int(x) for x in found] == below(n)


@pytest.mark.parametrize("value", [1, 2, 7])
def test_looking_for_a_value_does_not_change_an_argument(value):
    def counted(xs):
        return xs.count(value)

    def found(xs):
        return xs.index(value), xs

    xs = [1, 2, 1]
    given = [gw.constant(x) for x in xs]
    assert gw.function(counted)(given).item() == counted(xs)
    if value not in xs:
        with pytest.raises(ValueError, match="not in list"):
            gw.function(found)(given)
    else:
        at, left = gw.function(found)(given)
        assert (at.item(), [x.item() for x in left]) == found(xs)
