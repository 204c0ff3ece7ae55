"""What staged branches and loops do to lists, attributes, items, globals and closures: Python's answer, or an error."""

import collections

import numpy as np
import pytest

import graphwright as gw
from three_ways import check, plain

seen = []


class Box:
    def __init__(self):
        self.total = 0
        self.items = []

    def add(self, x):
        self.total += x

    def push(self, x):
        self.items.append(x)


class Slotted:
    __slots__ = ("total",)

    def __init__(self):
        self.total = 0


def appended(n):
    out = []
    for i in gw.range(n):
        out.append(i)
    return n, len(out)


def appended_in_a_branch(n):
    out = []
    if n > 0:
        out.append(1)
    else:
        out.append(2)
    return n, len(out)


def extended_in_place(n):
    out = [1]
    if n > 0:
        out += [2]
    return n, len(out)


def popped(n):
    out = [1, 2, 3]
    while n > 0:
        out.pop()
        n -= 1
    return len(out)


def added_to_a_set(n):
    out = set()
    while n > 0:
        out.add("one")
        n -= 1
    return len(out)


def updated(n):
    out = {}
    while n > 0:
        out.update(a=1)
        n -= 1
    return len(out)


def deleted(n):
    out = {"a": 1, "b": 2}
    if n > 0:
        del out["a"]
    return n, len(out)


def in_a_deque(n):
    out = collections.deque()
    while n > 0:
        out.append(1)
        n -= 1
    return len(out)


def in_an_array(n):
    out = np.array([0.0, 0.0, 0.0])
    while n > 0:
        np.add(out, 1, out=out)
        n -= 1
    return out[0]


def by_a_python_index(n):
    out = [0, 0]
    for i in range(2):
        if n > 0:
            out[i] = n
    return out[0], out[1]


def deep_inside(n):
    out = {"k": [Box()]}
    while n > 0:
        out["k"][0].push(1)
        n -= 1
    return len(out["k"][0].items)


def in_a_global_list(n):
    while n > 0:
        seen.append(1)
        n -= 1
    return len(seen)


def an_iterator(n):
    items = iter([1, 2, 3])
    total = 0
    while n > 0:
        total += next(items)
        n -= 1
    return total


def a_generator(n):
    items = (i for i in [1, 2, 3])
    total = 0
    while n > 0:
        total += next(items)
        n -= 1
    return total


def in_an_expression(n):
    out = []
    y = out.append(1) or n if n > 0 else n
    return y, len(out)


def after_and(n):
    out = []
    y = n > 0 and out.append(1) is None
    return y, len(out)


CHANGED = [
    (added_to_a_set, "`out`", "GW104"),
    (updated, "`out`", "GW104"),
    (deleted, "`out`", "GW103"),
    (in_a_deque, "`out`", "GW104"),
    (in_an_array, "`out`", "GW104"),
    (an_iterator, "this takes items from a `list_iterator`", "GW503"),
    (a_generator, "this takes items from a `generator`", "GW503"),
]


@pytest.mark.parametrize(("program", "what", "code"), CHANGED, ids=lambda v: getattr(v, "__name__", None))
def test_what_a_region_changes_in_place_is_never_lost(program, what, code):
    """A region is traced once; a change that Python would make n times, or not at all, is an error with its place."""
    function = gw.function(program)
    for _ in range(2):
        with pytest.raises(
            ValueError,
            match=rf"(?s){code}: {what} (is changed in place|in a branch or loop).*{__file__}.*help: ",
        ):
            function(gw.constant(2))
    assert function.experimental_get_tracing_count() == 0


LISTS = [
    appended,
    appended_in_a_branch,
    extended_in_place,
    popped,
    by_a_python_index,
    deep_inside,
    in_an_expression,
    after_and,
]


@pytest.mark.parametrize("program", LISTS, ids=lambda program: program.__name__)
def test_a_list_that_a_region_changes_is_changed_as_often(program):
    check(program, 2)
    check(program, 0)


def test_a_list_from_outside_is_changed_by_each_call():
    function = gw.function(in_a_global_list)
    try:
        assert [function(gw.constant(n)).item() for n in (2, 0, 3)] == [2, 2, 5]
        assert [plain(item) for item in seen] == [1] * 5
    finally:
        seen.clear()


def half_set_item(n):
    d = {}
    if n > 0:
        d["k"] = n
    return d["k"]


def half_set_attribute(n):
    box = Box()
    if n > 0:
        box.x = n
    return box.x


def set_in_a_loop(n):
    d = {}
    while n > 0:
        d["k"] = n
        n -= 1
    return d["k"]


@pytest.mark.parametrize("program", [half_set_item, half_set_attribute, set_in_a_loop])
def test_items_and_attributes_with_a_value_on_some_paths_only(program):
    with pytest.raises(ValueError, match=r"GW10[34]: `(d\['k'\]|box\.x)` has a value after .* only"):
        gw.function(program)(gw.constant(2))


def test_an_item_is_not_set_by_the_branch_that_is_not_taken():
    """The second branch finds the dict as it was before the statement."""

    def f(n):
        d = {}
        if n > 0:
            d["k"] = n
        else:
            d["k"] = 100 if "k" in d else -n
        return d["k"], len(d)

    check(f, 2)
    check(f, -3)


def alias(n):
    a = [0, 0]
    b = a
    while n > 0:
        a[0] = a[0] + n
        n -= 1
    return a[0], b[0]


def attribute_and_item(n):
    box = Box()
    box.d = {"k": 1}
    if n > 0:
        box.total = n
        box.d["k"] = n + 1
    while box.total > 1:
        box.total -= 1
        box.d["k"] += 1
    return box.total, box.d["k"]


class Celsius:
    def __init__(self):
        self.fahrenheit = 32.0

    @property
    def degrees(self):
        return (self.fahrenheit - 32.0) * 0.5

    @degrees.setter
    def degrees(self, value):
        self.fahrenheit = value * 2.0 + 32.0


def properties(n):
    t = Celsius()
    if n > 0:
        t.degrees = t.degrees + 1.5
    while n > 0:
        t.degrees += 1.0
        n -= 1
    return t.degrees


def nonlocals(n):
    count = 0

    def work(n):
        nonlocal count
        while n > 0:
            count += n
            n -= 1

    work(n)
    return count


def slots(n):
    box = Slotted()
    while n > 0:
        box.total += n
        n -= 1
    return box.total


def made_inside(n):
    total = 0
    while n > 0:
        items = []
        items.append(n)
        items.append(1)
        total += sum(items)
        n -= 1
    return total


def made_by_a_helper(n):
    def helper(x):
        box = Box()
        box.add(x)
        box.push(x)
        return box.total + len(box.items)

    return helper(n) if n > 0 else helper(-n)


@pytest.mark.parametrize("n", [3, 1, 0, -2])
@pytest.mark.parametrize(
    "program", [alias, attribute_and_item, properties, nonlocals, slots, made_inside, made_by_a_helper]
)
def test_state_agrees_with_python(program, n):
    check(program, n)


def made_anew(n):
    out = []
    while n > 0:
        out = [*out, n]
        n -= 1
    return out


def test_a_list_that_is_made_anew_grows():
    check(made_anew, 2)
    check(made_anew, 0)


def test_what_does_not_run_in_the_graph_may_change_anything():
    @gw.function
    def f(x):
        out = []
        for i in range(3):
            out.append(x * i)
        if len(out) > 2:
            out.append(x)
        return sum(out)

    assert f(gw.constant(2)).item() == 2 + 4 + 2


def test_an_exception_in_a_branch_is_raised_where_the_graph_comes_there():
    @gw.function
    def f(x):
        if x < 0:
            return [] + 1
        return x

    assert f(gw.constant(1)).item() == 1
    with pytest.raises(TypeError, match="can only concatenate list"):
        f(gw.constant(-1))


def test_a_test_of_shared_operands_is_followed_once_for_each():
    @gw.function
    def f(p, q, x):
        for _ in range(40):
            p = (p and q) and (q and p)
        if p:
            y = x + 1
        if p:
            x = y
        return x

    assert f(np.True_, np.True_, 1) == 2


class Hooked:
    def hook(self, n):
        return n + 1


def test_a_method_that_a_branch_hides_is_not_stored_where_the_branch_is_not_taken():
    def other(n):
        return n * 10

    hooked = Hooked()

    @gw.function
    def f(n):
        if n > 3:
            hooked.hook = other
        return hooked.hook(n)

    with pytest.raises(ValueError, match=r"GW103: `hooked.hook` is a `function` if the condition is true"):
        f(gw.constant(1))
    assert vars(hooked) == {}
