"""A trace that is repeated or refused begins with the objects that the first one found, and prints nothing twice."""

import pytest

import graphwright as gw
from three_ways import printed

LIST = [3, 1]
TABLE = {"a": 1, "b": 2}
NAMES = {"x"}
COUNT = 0


class Box:
    """An object of the user's."""


BOX = Box()


@pytest.fixture(autouse=True)
def world():
    """The values that the programs find."""
    begin()


def begin():
    global COUNT
    LIST[:] = [3, 1]
    TABLE.clear()
    TABLE.update(a=1, b=2)
    NAMES.clear()
    NAMES.add("x")
    BOX.x, COUNT = 2, 0


def counted():
    global COUNT
    COUNT += 1
    return COUNT


def store(n):
    global COUNT
    COUNT = n


def what_is_held():
    """The contents of the objects around, tensors as numbers."""
    number = lambda value: int(value) if isinstance(value, gw.Tensor) else value  # noqa: E731
    return [number(item) for item in LIST], dict(TABLE), set(NAMES), number(BOX.x), number(COUNT)


def pops_and_chooses(i):
    items = LIST
    i -= items.pop()
    for a, i in [(items.count(i), i), (2, 3)]:
        match a:
            case 0:
                items[0] = 3


def counts_and_stores(i):
    items = LIST
    items.pop()
    if items.count(i) == 0:
        items[0] = 4


def pops_in_a_try(n):
    try:
        LIST.pop()
        if n > 2:
            raise ValueError
    except ValueError:
        pass
    return len(LIST)


def stores_and_raises(n):
    counted()
    store(n)
    LIST.append(n)
    if n > 100:
        raise ValueError
    return n


@pytest.mark.parametrize(
    "program",
    [pops_and_chooses, counts_and_stores, pops_in_a_try, stores_and_raises],
    ids=lambda program: program.__name__,
)
@pytest.mark.parametrize("n", [0, 3])
def test_the_first_call_leaves_what_python_leaves(program, n):
    program(n)
    wanted = what_is_held()
    begin()
    gw.function(program)(gw.constant(n))
    assert what_is_held() == wanted


def prints_before_it_stores(i):
    print(1)
    if i > 2:
        store(i)
    else:
        for i in range(i):
            pass


def prints_before_it_raises(n):
    print("top")
    counted()
    store(n)
    if n > 100:
        print("large")
        raise ValueError
    return n


@pytest.mark.parametrize(
    "program", [prints_before_it_stores, prints_before_it_raises], ids=lambda program: program.__name__
)
def test_what_is_printed_is_printed_once(program):
    _, wanted = printed(lambda: program(1))
    _, text = printed(lambda: gw.function(program)(gw.constant(1)))
    assert text == wanted


def test_a_variable_made_in_the_first_trace_prints_nothing_twice():
    made = []

    @gw.function
    def f(x):
        print("building")
        if not made:
            made.append(gw.Variable(1))
        return x + made[0]

    assert printed(lambda: int(f(gw.constant(2))))[1] == "building\n"


def takes_what_is_appended(n, found=[]):  # noqa: B006
    found.append(n)
    return found


def repeats_with_a_list_of_the_graph(i):
    i = takes_what_is_appended(i)[0] * 2
    counted()
    k = 0
    while k < i % 40:
        takes_what_is_appended(k if i > 3 else i)
        k += 1
    return k


def test_no_object_of_ours_is_left_in_a_list():
    found = takes_what_is_appended.__defaults__[0]
    staged = gw.function(repeats_with_a_list_of_the_graph)
    for n in (3, 5, 3):
        found.clear()
        wanted = repeats_with_a_list_of_the_graph(n), list(found)
        found.clear()
        assert int(staged(gw.constant(n, gw.int64))) == wanted[0]
        assert [int(item) for item in found] == wanted[1]


def test_a_list_that_a_function_that_raises_changes_holds_what_python_leaves():
    def f(n):
        LIST.append(7)
        store(n)
        try:
            if n > 2:
                LIST.append(8)
                raise ValueError
        except ValueError:
            store(9)
        return n

    staged = gw.function(f)
    for n in (0, 3, 1, 5):
        LIST[:] = [3, 1]
        f(n)
        wanted = list(LIST)
        LIST[:] = [3, 1]
        assert int(staged(gw.constant(n))) == n
        assert [int(item) for item in LIST] == wanted


@pytest.mark.parametrize("twice", [False, True])
def test_a_refused_call_leaves_what_was_there(twice):
    @gw.function
    def f(n):
        LIST.pop()
        TABLE["c"] = [1]
        NAMES.add("y")
        BOX.x = n
        LIST.append(n)
        counted()
        s = set()
        if n > 2:
            s.add("a")
        return n

    held = what_is_held()
    for _ in range(1 + twice):
        with pytest.raises(ValueError, match="^GW103: "):
            f(gw.constant(3))
        assert what_is_held() == held


def deletes_in_a_while(n):
    items = [4, 4, 1]
    k = 0
    while k <= n:
        k += 1
        del items[0]
    return len(items)


def deletes_while_it_is_long(n):
    items = [1, 2, 3, 4]
    while len(items) > n:
        del items[0]
    return len(items)


def deletes_an_item_of_an_item(n):
    box = [[1], [4, 5, 6, 7]]
    k = 0
    while k < n:
        del box[1][0]
        k += 1
    return len(box[1])


def stores_at_an_index_and_in_a_branch(n):
    items = [3, 5, 9]
    items[n] = 3
    if n == 0:
        items[2] = 7
    return items[2]


def counts_and_adds_in_a_branch(n):
    items = [3, 5]
    found = items.count(n)
    if n == 0:
        items[1] += 7
    return items[1] + found


def looks_for_and_stores_first(n):
    items = [1, 0]
    at = items.index(n % 2)
    if n == 0:
        items[0] = 7
    return items[0] + at


@pytest.mark.parametrize(
    "program",
    [
        deletes_in_a_while,
        deletes_while_it_is_long,
        deletes_an_item_of_an_item,
        stores_at_an_index_and_in_a_branch,
        counts_and_adds_in_a_branch,
        looks_for_and_stores_first,
    ],
    ids=lambda program: program.__name__,
)
def test_lists_of_the_function_are_what_python_makes_of_them(program):
    staged = gw.function(program)
    for n in (0, 2, 0, 1, 2):
        assert int(staged(gw.constant(n))) == program(n)


class Lease:
    """A manager that changes what it holds where it is left."""

    def __init__(self, n):
        self.n = n

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.n -= 1


def in_a_with(a):
    with Lease(a) as lease:
        if a > 2:
            raise ValueError("x")
        print("in", a)
    return lease.n


def in_a_finally(a):
    held = [a]
    try:
        if a > 2:
            raise ValueError("x")
        print("in", a)
    finally:
        held[0] -= 1
    return held[0]


@pytest.mark.parametrize("function", [in_a_with, in_a_finally])
def test_a_statement_that_is_traced_again_prints_once(function, capsys):
    staged = gw.function(function)
    for a in (0, 0, 5):
        shown = []
        for way, argument in ((function, a), (staged, gw.constant(a))):
            try:
                found = int(way(argument))
            except ValueError as error:
                found = str(error)
            shown.append((found, capsys.readouterr().out))
        assert shown[0] == shown[1]
