"""Names that may have no value, read by closures, generators, comprehensions, classes and through globals."""

import functools

import pytest

import graphwright as gw


def by_a_function(n):
    def f():
        return q

    if n > 2:
        q = 5
    try:
        return f()
    except NameError:
        return -1


def by_a_lambda(n):
    f = lambda: q  # noqa: E731
    if n > 2:
        q = 5
    try:
        return f()
    except NameError:
        return -1


def after_del(n):
    q = 1
    if n > 2:
        del q

    def f():
        return q

    try:
        return f()
    except NameError:
        return -1


def by_a_function_in_a_function(n):
    def f():
        def g():
            return q

        return g()

    if n > 2:
        q = 5
    try:
        return f()
    except NameError:
        return -1


def by_a_function_in_a_list(n):
    def f():
        return q

    functions = [f]
    if n > 2:
        q = 5
    try:
        return functions[0]()
    except NameError:
        return -1


def by_a_partial_function(n):
    def f(_):
        return q

    if n > 2:
        q = 5
    try:
        return functools.partial(f, 1)()
    except NameError:
        return -1


def by_a_method(n):
    if n > 2:
        q = 5

    class Reader:
        def read(self):
            return q

    try:
        return Reader().read()
    except NameError:
        return -1


def by_a_comprehension(n):
    if n > 2:
        q = 5
    try:
        return sum([q for _ in range(2)])
    except NameError:
        return -1


def by_a_generator_expression(n):
    if n > 2:
        q = 5
    try:
        return sum(q for _ in range(2))
    except NameError:
        return -1


def by_a_generator(n):
    if n > 2:
        q = 5

    def f():
        yield q

    try:
        for item in f():
            return item
    except NameError:
        return -1


def by_an_item(n):
    def f():
        return q[0]

    if n > 2:
        q = [5]
    try:
        return f()
    except NameError:
        return -1


def by_an_item_itself(n):
    if n > 2:
        q = [5]
    try:
        return q[0]
    except NameError:
        return -1


def after_a_loop(n):
    for i in range(n):
        pass

    def f():
        return i

    try:
        return f()
    except NameError:
        return -1


def after_a_while(n):
    while n > 2:
        x = n
        n -= 1
    f = lambda: x + 1  # noqa: E731
    try:
        return f()
    except NameError:
        return -1


def after_a_match(n):
    match n:
        case 3:
            q = 1
    f = lambda: q  # noqa: E731
    try:
        return f()
    except NameError:
        return -1


def after_a_handler(n):
    try:
        if n > 2:
            raise ValueError
        q = 1
    except ValueError:
        pass
    f = lambda: q  # noqa: E731
    try:
        return f()
    except NameError:
        return -1


def of_the_module(n):
    global NEW
    if n > 2:
        NEW = 1
    try:
        return NEW
    except NameError:
        return -1


def of_the_module_by_a_function(n):
    global NEW
    if n > 2:
        NEW = 1

    def f():
        return NEW

    try:
        return f()
    except NameError:
        return -1


CAUGHT = [
    by_a_function,
    by_a_lambda,
    after_del,
    by_a_function_in_a_function,
    by_a_function_in_a_list,
    by_a_partial_function,
    by_a_method,
    by_a_comprehension,
    by_a_generator_expression,
    by_a_generator,
    by_an_item,
    by_an_item_itself,
    after_a_loop,
    after_a_while,
    after_a_match,
    after_a_handler,
    of_the_module,
    of_the_module_by_a_function,
]


@pytest.mark.parametrize("program", CAUGHT, ids=lambda program: program.__name__)
def test_the_handler_catches_what_python_raises(program):
    staged = gw.function(program)
    for n in (0, 3, 0, 3):
        globals().pop("NEW", None)
        wanted = program(n)
        globals().pop("NEW", None)
        assert int(staged(gw.constant(n))) == wanted
        assert gw.autograph.to_graph(program)(n) == wanted


def returns_it(n):
    def f():
        return q

    if n > 2:
        q = 5
    return f()


def drops_it(n):
    def f():
        q  # noqa: B018

    if n > 2:
        q = 5
    f()
    return 3


def packs_it(n):
    def f():
        return q, 1

    if n > 2:
        q = 5
    return f()[1]


def compares_it(n):
    def f():
        return q is None

    if n > 2:
        q = 5
    return f()


def adds_to_it(n):
    def f():
        nonlocal q
        q += 1
        return q

    if n > 2:
        q = 5
    return f()


def in_a_class(n):
    if n > 2:
        q = 5

    class _Holder:
        held = q

    return 1


def in_a_sum_of_a_class(n):
    if n > 2:
        q = 5

    class Holder:
        v = 1
        w = q + v

    return Holder.w


def reads_the_module(n):
    global NEW
    if n > 2:
        NEW = 1
    return NEW


@pytest.mark.parametrize(
    "program",
    [returns_it, drops_it, packs_it, compares_it, adds_to_it, in_a_class, in_a_sum_of_a_class],
    ids=lambda program: program.__name__,
)
def test_the_error_has_the_name_and_the_line(program):
    staged = gw.function(program)
    assert int(staged(gw.constant(3))) == program(3)
    for _ in range(2):
        with pytest.raises(NameError, match="GW105: cannot access free variable 'q'") as ours:
            staged(gw.constant(0))
        with pytest.raises(NameError) as native:
            program(0)
        assert ours.traceback[-1].lineno == native.traceback[-1].lineno
    with pytest.raises(NameError, match="^cannot access free variable 'q'"):
        gw.autograph.to_graph(program)(0)


def test_a_global_has_its_name_and_the_line():
    globals().pop("NEW", None)
    with pytest.raises(NameError, match="name 'NEW' is not defined") as caught:
        gw.function(reads_the_module)(gw.constant(0))
    assert caught.traceback[-1].lineno == reads_the_module.__code__.co_firstlineno + 3
    assert "NEW" not in globals()


def stores_a_new_global(n):
    global NEW
    NEW = n * 2
    return n


def stores_a_new_global_in_both(n):
    global NEW
    if n > 2:
        NEW = 1
    else:
        NEW = 2
    return n


def takes_a_global_away(n):
    global NEW
    NEW = 1
    if n > 2:
        del NEW
    return n


@pytest.mark.parametrize(
    "program",
    [stores_a_new_global, stores_a_new_global_in_both, of_the_module],
    ids=lambda program: program.__name__,
)
def test_a_new_global_holds_what_python_stores(program):
    staged = gw.function(program)
    for n in (0, 3, 0, 3):
        globals().pop("NEW", None)
        program(n)
        wanted = globals().pop("NEW", None)
        staged(gw.constant(n))
        found = globals().pop("NEW", None)
        assert (found if found is None else int(found)) == wanted


def test_a_global_that_a_branch_takes_away_is_gone():
    global NEW
    staged = gw.function(takes_a_global_away)
    for n in (0, 3, 0, 3):
        NEW = 7
        staged(gw.constant(n))
        assert globals().get("NEW") == (None if n > 2 else 1)


def test_the_remedy_works():
    @gw.function
    def f(n):
        q = -1

        def read():
            return q

        if n > 2:
            q = 5
        return read()

    assert [int(f(gw.constant(n))) for n in (0, 3)] == [-1, 5]


@pytest.mark.parametrize("n", [7, 0])
def test_a_name_that_a_header_binds_and_the_blocks_bind_anew(n):
    class Box:
        x = 0

    def f(i):
        box = Box()
        box.x = 0
        for i in range(2 - (0 if (w := i) else w)):
            if i == 0:
                for i in range(i + 2 if (w := i) else w + 1):
                    box.x += 1
        return box.x

    assert gw.function(f)(gw.constant(n)) == f(n)
