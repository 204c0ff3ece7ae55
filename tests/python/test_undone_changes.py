"""A change in place of one branch that the other branch undoes: each branch begins with what was there before both."""

import argparse
import array
import collections
import queue
import types

import pytest

import graphwright as gw


class Ring(collections.deque):
    """A deque of the user's."""


class Names(set):
    """A set of the user's."""


class Bytes(bytearray):
    """A bytearray of the user's."""


class Box:
    """An object of the user's."""


SEEN = set()


def sets_an_item(n):
    d, key = {}, "a"
    if n > 2:
        d[key] = 1
    else:
        d.clear()
    return len(d)


def pops_an_item(n):
    d, key = {}, "a"
    if n > 2:
        d[key] = 1
    else:
        d.pop(key, None)
    return len(d)


def deletes_an_item(n):
    d, key = {}, "a"
    if n > 2:
        d[key] = 1
    elif key in d:
        del d[key]
    return len(d)


def counts(n):
    d = collections.Counter()
    if n > 2:
        d["a"] += 1
    else:
        d.clear()
    return len(d)


def moves_to_the_end(n):
    d = collections.OrderedDict(a=1, b=2)
    if n > 2:
        d.move_to_end("a")
    else:
        d.move_to_end("b")
    return list(d)


def adds_to_a_set(n):
    s = set()
    if n > 2:
        s.add("a")
    else:
        s.discard("a")
    return len(s)


def adds_to_a_set_of_a_class(n):
    s = Names()
    if n > 2:
        s.add("a")
    else:
        s.discard("a")
    return len(s)


def adds_to_a_global(n):
    if n > 2:
        SEEN.add("a")
    else:
        SEEN.clear()
    return len(SEEN)


def appends_to_a_deque(n):
    d = collections.deque()
    if n > 2:
        d.append(1)
    elif d:
        d.pop()
    return len(d)


def appends_to_a_deque_of_a_class(n):
    d = Ring()
    if n > 2:
        d.append(1)
    elif d:
        d.pop()
    return len(d)


def appends_bytes(n):
    b = bytearray(b"ab")
    if n > 2:
        b.append(65)
    else:
        b[:] = b"ab"
    return len(b)


def appends_bytes_of_a_class(n):
    b = Bytes(b"ab")
    if n > 2:
        b.append(65)
    else:
        b[:] = b"ab"
    return len(b)


def appends_to_an_array(n):
    a = array.array("i", [])
    if n > 2:
        a.append(1)
    elif len(a):
        a.pop()
    return len(a)


def puts_into_a_queue(n):
    q = queue.Queue()
    if n > 2:
        q.put(1)
    elif not q.empty():
        q.get()
    return q.qsize()


def puts_into_a_simple_queue(n):
    q = queue.SimpleQueue()
    if n > 2:
        q.put(1)
    elif not q.empty():
        q.get()
    return q.qsize()


def appends_to_a_list_of_collections(n):
    items = collections.UserList()
    if n > 2:
        items.append(2)
    return len(items)


def sets_an_item_of_collections(n):
    items = collections.UserDict()
    if n > 2:
        items["a"] = 2
    return len(items)


def through_functions(n):
    d = {}

    def put():
        d["a"] = 1

    def undo():
        d.clear()

    if n > 2:
        put()
    else:
        undo()
    return len(d)


def in_a_conditional_expression(n):
    s = set()
    r = (s.add("a") or 1) if n > 2 else (s.discard("a") or 2)
    return len(s), r


def in_operands(n):
    d = {}
    n > 2 and d.setdefault("a", 1) or d.clear()
    return len(d)


def in_a_loop(n):
    s = set()
    i = 0
    while i < n:
        if i % 2 == 0:
            s.add("x")
        else:
            s.discard("x")
        i += 1
    return len(s)


def the_second_iteration_undoes_the_first(n):
    s = {0: set()}
    for _ in range(n):
        if "a" in s[0]:
            s[0].discard("a")
        else:
            s[0].add("a")
    return len(s[0])


def in_a_case(n):
    d = {}
    match n:
        case 0:
            d["a"] = 1
        case 3:
            d.clear()
        case _:
            d.pop("a", 0)
    return len(d)


def in_a_handler(n):
    s = set()
    try:
        if n > 2:
            s.add("a")
            raise ValueError
        s.discard("a")
    except ValueError:
        pass
    return len(s)


def reads_what_the_other_put_there(n):
    s = set()
    r = 0
    if n > 2:
        s.add("a")
    else:
        r = 1 if "a" in s else 2
        s.discard("a")
    return r


@pytest.mark.parametrize(
    "program",
    [
        sets_an_item,
        pops_an_item,
        deletes_an_item,
        counts,
        moves_to_the_end,
        adds_to_a_set,
        adds_to_a_set_of_a_class,
        adds_to_a_global,
        appends_to_a_deque,
        appends_to_a_deque_of_a_class,
        appends_bytes,
        appends_bytes_of_a_class,
        appends_to_an_array,
        puts_into_a_queue,
        puts_into_a_simple_queue,
        appends_to_a_list_of_collections,
        sets_an_item_of_collections,
        through_functions,
        in_a_conditional_expression,
        in_operands,
        in_a_loop,
        the_second_iteration_undoes_the_first,
        in_a_case,
        in_a_handler,
        reads_what_the_other_put_there,
    ],
    ids=lambda program: program.__name__,
)
def test_what_cannot_flow_is_refused_at_its_statement(program):
    staged = gw.function(program)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^GW(10[34]|503): `") as caught:
            staged(gw.constant(3))
        assert f"{__file__}:" in str(caught.value)
    assert not SEEN


def appends_to_a_list(n):
    items = [1]
    if n > 2:
        items.append(2)
    elif len(items) > 1:
        items.pop()
    return len(items)


def numbers_in_a_set(n):
    s = set()
    if n > 2:
        s.add(1)
    else:
        s.discard(1)
    return len(s)


def undoes_itself(n):
    s = set()
    if n > 2:
        s.add("a")
        r = 0
        s.discard("a")
    else:
        r = len(s)
    return r


def stores_an_attribute(n):
    box = Box()
    box.x = 1

    def first():
        box.x = 2

    def second():
        box.x = 1

    if n > 2:
        first()
    else:
        second()
    return box.x


def in_an_item(n):
    box = [set(), {}]
    if n > 2:
        box[0].add(1)
    else:
        box[0].clear()
    return len(box[0])


def stores_into_a_namespace(n):
    space = types.SimpleNamespace(x=1)

    def put():
        space.x = 2

    if n > 2:
        put()
    return space.x


def stores_into_arguments(n):
    space = argparse.Namespace(x=1)

    def put():
        space.x = 2

    if n > 2:
        put()
    return space.x


@pytest.mark.parametrize(
    "program",
    [
        appends_to_a_list,
        numbers_in_a_set,
        undoes_itself,
        stores_an_attribute,
        in_an_item,
        stores_into_a_namespace,
        stores_into_arguments,
    ],
    ids=lambda program: program.__name__,
)
def test_what_flows_is_what_python_gives(program):
    staged = gw.function(program)
    for n in (0, 3, 0, 5, 3):
        assert int(staged(gw.constant(n))) == program(n)


def test_the_remedy_works():
    @gw.function
    def f(n):
        found = 0
        if n > 2:
            found = found + 1
        return found

    assert [int(f(gw.constant(n))) for n in (0, 3)] == [0, 1]
