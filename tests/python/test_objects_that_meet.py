"""Objects of ordinary classes where the graph decides which of them a name holds, and lists of them."""

import copy
import itertools

import pytest

import graphwright as gw
from plain_results import value


class P:
    def __init__(self, a, b=0):
        self.a, self.b = a, b

    def moved(self, by):
        return P(self.a + by, self.b + 1)

    def step(self):
        if self.a > 1:
            self.b += 10
        else:
            self.a += 1


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b=0):
        self.a, self.b = a, b


class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next


def rebound_in_loop(x, y, n):
    p = P(x, y)
    for i in gw.range(n):
        p = p.moved(i)
    return p.a, p.b


def rebound_in_while(x, y, n):
    p = P(x, y)
    while p.a < 5:
        p = P(p.a + n + 1, p.b * 2)
    return p.a, p.b


def rebound_in_branch(x, y, n):
    p = P(x, y)
    if n > 1:
        p = P(y, n)
    return p.a, p.b


def made_in_both(x, y, n):
    if n > 1:
        p = P(x, 1)
    else:
        p = P(y, 2)
    return p.a * 10 + p.b


def chosen(x, y, n):
    p = P(x, 1) if n > 1 else P(y, 2)
    return p.a * 10 + p.b


def returned_early(x, y, n):
    def found(k):
        if k > 1:
            return P(x, k)
        return P(y, 0)

    return found(n).a, found(n).b


def best_of_loop(x, y, n):
    best = P(-9)
    for i in gw.range(n):
        p = P((x * i) % 3, i)
        if p.a > best.a:
            best = p
    return best.a, best.b


def best_or_none(x, y, n):
    best = None
    for p in (P(x, 0), P(y, 1), P(n, 2)):
        if best is None or p.a > best.a:
            best = p
    return best.b


def with_slots(x, y, n):
    p = Slotted(x)
    while p.a < 5:
        p = Slotted(p.a + 2, p.b + y)
    return p.a * 100 + p.b


def swapped(x, y, n):
    p, q = P(x, y), P(y, n)
    if p.a > q.a:
        p, q = q, p
    return p.a, p.b, q.a, q.b


def swapped_in_loop(x, y, n):
    p, q = P(x, 1), P(y, 2)
    for i in gw.range(n):
        p, q = q, P(p.a + q.a, i)
    return p.a, p.b, q.a, q.b


def inside_each_other(x, y, n):
    outer = P(P(x, y), [n, y])
    for _ in gw.range(2):
        outer = P(P(outer.a.a + 1, outer.a.b), [outer.b[1], outer.b[0]])
    return outer.a.a, outer.b[0], outer.b[1]


def with_none(x, y, n):
    p = P(x, None)
    if n > 1:
        p = P(y, n)
    return 0 if p.b is None else p.b


def with_text(x, y, n):
    p = P(x, "low")
    if n > 1:
        p = P(y, "high")
    return 1 if p.b == "high" else 0


def copied(x, y, n):
    p = P(x, 1)
    q = copy.copy(p)
    if y > 1:
        q.a = q.a + 1
    return p.a, q.a


def changed_by_another_name(x, y, n):
    p = P(x, y)
    q = p
    if n > 1:
        p.a = 7
    return q.a


def changed_by_methods(x, y, n):
    ps = [P(x, 0), P(y, 1)]
    for _ in gw.range(n):
        for p in ps:
            p.step()
    return [p.a * 100 + p.b for p in ps]


def walked_nodes(x, y, n):
    node, total = Node(x, Node(y, Node(n))), 0
    while node is not None:
        total = total * 10 + node.value
        node = node.next
    return total


def chosen_by_index(x, y, n):
    ps = [P(x, 5), P(y, 6), P(n, 7)]
    p = ps[n % 3]
    return p.a, p.b


def grown_list(x, y, n):
    ps = []
    for i in gw.range(n):
        ps.append(P(x + i, i))
    total = 0
    for p in ps:
        total = total * 10 + p.a + p.b
    return total, len(ps)


def filtered(x, y, n):
    ps = [P(x, 0), P(y, 1), P(n, 2)]
    kept = [p for p in ps if p.a > 1]
    return sum(p.b for p in kept), len(kept)


def sorted_by_key(x, y, n):
    ps = sorted([P(x, 0), P(y, 1), P(n, 2)], key=lambda p: p.a)
    return [p.b for p in ps]


def sorted_backwards(x, y, n):
    ps = [P(x, 0), P(y, 1), P(n, 2)]
    return [p.b for p in sorted(ps, key=lambda p: (p.a, p.b), reverse=True)]


def sorted_in_place(x, y, n):
    ps = [P(x, 0), P(y, 1), P(n, 2)]
    ps.sort(key=lambda p: p.a)
    return [p.b for p in ps]


def popped(x, y, n):
    ps = [P(x, 0)]
    for i in gw.range(n):
        ps.append(P(y, i))
    last = ps.pop()
    return last.a, last.b, len(ps)


def replaced(x, y, n):
    ps = [P(x, 0), P(y, 1), P(n, 2)]
    ps[n % 3] = P(9, 9)
    return [p.a for p in ps]


SAME = [
    rebound_in_loop,
    rebound_in_while,
    rebound_in_branch,
    made_in_both,
    chosen,
    returned_early,
    best_of_loop,
    best_or_none,
    with_slots,
    swapped,
    swapped_in_loop,
    inside_each_other,
    with_none,
    with_text,
    copied,
    changed_by_another_name,
    changed_by_methods,
    walked_nodes,
    chosen_by_index,
    grown_list,
    filtered,
    sorted_by_key,
    sorted_backwards,
    sorted_in_place,
    popped,
    replaced,
]


@pytest.mark.parametrize("function", SAME)
def test_as_python_does(function):
    staged = gw.function(function)
    for given in itertools.product([0, 1, 3], [0, 2], [0, 1, 2, 3]):
        assert value(staged(*map(gw.constant, given))) == value(function(*given)), given


def identity(p, q, r):
    return 1 if r is p else 0


def equality(p, q, r):
    return 1 if r == p else 0


def in_list(p, q, r):
    return 1 if r in [p] else 0


def in_set(p, q, r):
    return 1 if r in {p} else 0


def key(p, q, r):
    return {p: 1, q: 2}[r]


def index(p, q, r):
    return [p, q].index(r)


def number(p, q, r):
    return 1 if id(r) == id(p) else 0


def added_to_set(p, q, r):
    found = {p}
    found.add(r)
    return len(found)


def set_of_both(p, q, r):
    return len({p, r})


def removed(p, q, r):
    ps = [p, q]
    ps.remove(r)
    return ps[0].a


def changed(p, q, r):
    r.a = 9
    return p.a


def changed_original(p, q, r):
    p.a = 9
    return r.a


def changed_in_list(p, q, r):
    ps = [r]
    ps[0].a = 9
    return q.a


@pytest.mark.parametrize(
    "use",
    [
        identity,
        equality,
        in_list,
        in_set,
        key,
        index,
        number,
        added_to_set,
        set_of_both,
        removed,
        changed,
        changed_original,
        changed_in_list,
    ],
)
def test_refuses_what_depends_on_which_it_is(use):
    @gw.function
    def decided(x):
        p, q = P(x), P(x + 1)
        r = p
        if x > 1:
            r = q
        return use(p, q, r)

    with pytest.raises(ValueError, match="GW122"):
        decided(gw.constant(0))


def entered_and_changed(x, n):
    p, ps = P(x), []
    for _ in gw.range(n):
        ps.append(p)
    p.a = 9
    return ps[0].a


def changed_and_entered(x, n):
    p, ps = P(x), []
    for _ in gw.range(n):
        p.a = p.a + 1
        ps.append(p)
    return ps[0].a


def changed_after_it_was_read(x, n):
    ps = []
    for i in gw.range(n):
        ps.append(P(x + i))
    p = ps[0]
    p.a = 9
    return ps[0].a


def changed_in_a_loop_over_them(x, n):
    ps = []
    for i in gw.range(n):
        ps.append(P(x + i))
    for p in ps:
        p.a = 9
    return ps[0].a


def changed_in_a_branch(x, n):
    p, ps = P(x), []
    if n > 1:
        ps.append(p)
    else:
        ps.append(P(5))
    p.a = 9
    return ps[0].a


def last_of_a_loop_changed(x, n):
    p, ps = P(x), []
    for i in gw.range(n):
        p = P(x + i)
        ps.append(p)
    p.a = 9
    return ps[0].a


def compared_with_each_other(x, n):
    ps = []
    for i in gw.range(n):
        ps.append(P(x + i))
    return 1 if ps[0] is ps[n - 1] else 0


def sorted_and_changed(x, n):
    p, q = P(x), P(n)
    first = sorted([p, q], key=lambda p: p.a)[0]
    first.a = 9
    return p.a


@pytest.mark.parametrize(
    "function", [changed_after_it_was_read, changed_in_a_loop_over_them, compared_with_each_other]
)
def test_elements_are_the_objects(function):
    assert int(gw.function(function)(gw.constant(1), gw.constant(2))) == function(1, 2)


@pytest.mark.parametrize(
    "function",
    [
        entered_and_changed,
        changed_and_entered,
        changed_in_a_branch,
        last_of_a_loop_changed,
        sorted_and_changed,
    ],
)
def test_refuses_changes_of_objects_in_lists_of_the_graph(function):
    with pytest.raises(ValueError, match="GW122"):
        gw.function(function)(gw.constant(1), gw.constant(2))


def test_objects_are_returned():
    @gw.function
    def moved(x, n):
        p = P(x, n)
        if n > 1:
            p = p.moved(n)
        return p, [P(n)]

    p, (q,) = moved(gw.constant(1), gw.constant(2))
    assert (type(p), p.a.item(), p.b.item(), type(q), q.a.item()) == (P, 3, 3, P, 2)


def test_nodes_that_know_each_other_stay_as_they_are():
    @gw.function
    def linked(x):
        a, b = Node(x), Node(x + 1)
        a.next, b.next = b, a
        if x > 0:
            a.value = a.value + 5
        return b.next.value

    assert linked(gw.constant(1)).item() == 6
    assert linked(gw.constant(-1)).item() == -1


def test_a_global_that_gets_an_object_on_some_paths_is_named():
    @gw.function
    def made(x):
        global nowhere
        if x > 0:
            nowhere = P(x)
        return x

    with pytest.raises(TypeError, match="GW303: `nowhere` gets a structure on some paths only"):
        made(gw.constant(1))
