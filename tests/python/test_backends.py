"""`gw.autograph.register_backend`: who decides what a statement on a value means, and a backend that shows it."""

from __future__ import annotations

import abc

import numpy as np
import pytest

import graphwright as gw
from graphwright.autograph import Backend, Refusal, register_backend, to_graph, unregister_backend
from many_worlds import Many, ManyWorlds

VALUES = [-3, 0, 1, 2, 5, 8, 13]


@pytest.fixture
def many():
    with register_backend(Many, ManyWorlds()):
        yield


def agrees(function, *rest):
    """All worlds at once give what each gives natively."""
    whole = to_graph(function)(Many(VALUES), *rest)
    whole = whole.values if isinstance(whole, Many) else [whole] * len(VALUES)
    assert whole == [function(value, *rest) for value in VALUES]


def sign(x):
    if x > 0:
        y = 1
    elif x == 0:
        y = 0
    else:
        y = -1
    return y


def collatz(x):
    steps = 0
    if x < 1:
        return -1
    while x != 1:
        x = x // 2 if x % 2 == 0 else x * 3 + 1
        steps += 1
    return steps


def first_above(x, limits):
    for limit in limits:
        if x < limit:
            return limit
    return None if not limits else -1


def between(x):
    return 0 < x < 6


def either(x):
    return x < 0 or x > 6


def broken(x):
    total = x
    while total < 100:
        total += 7
        if total % 5 == 0:
            break
    else:
        total = 0
    return total


def listed(x):
    return 1 if x in [1, 2, 13] else 0


@pytest.mark.parametrize(
    "function", [sign, collatz, between, either, broken, listed], ids=lambda f: f.__name__
)
def test_all_worlds_agree(many, function):
    agrees(function)


def test_a_value_may_stop_a_loop_over_a_list(many):
    agrees(first_above, [1, 4, 9])


def test_helpers_are_converted_too(many):
    def doubled(x):
        return sign(x) + sign(x)

    agrees(doubled)


def test_a_name_with_a_value_in_some_worlds_only(many):
    @to_graph
    def half(x):
        if x > 0:
            y = 1
        return y

    with pytest.raises(
        UnboundLocalError, match=r"GW105: `y` is read, but it has a value on some paths only"
    ) as caught:
        half(Many(VALUES))
    assert "return y" in str(caught.value)


def test_what_a_branch_changes_in_place_is_refused(many):
    seen = []

    @to_graph
    def remember(x):
        if x > 0:
            seen.append(x)

    with pytest.raises(ValueError, match="GW103: `seen` is changed in place"):
        remember(Many(VALUES))


@pytest.mark.parametrize(
    "statement, method",
    [
        ("if x: pass", "if_stmt"),
        ("while x: pass", "while_stmt"),
        ("for _ in x: pass", "for_stmt"),
        ("y = 1 if x else 2", "if_exp"),
        ("y = x and 1", "if_exp"),
        ("y = x or 1", "if_exp"),
        ("y = not x", "not_"),
        ("assert x", "assert_"),
    ],
)
def test_what_a_backend_lacks_is_said_at_the_line(statement, method):
    class Bare:
        pass

    names = {}
    source = f"def f(x):\n    {statement}\n"
    defined_in(source, names)
    with register_backend(Bare, Backend()), pytest.raises(TypeError) as caught:
        to_graph(names["f"])(Bare())
    text = str(caught.value)
    assert text.startswith("GW401: a `Bare` decides this ")
    assert f"`Backend` has no `{method}`" in text
    assert f"2 |     {statement}" in text


def defined_in(source, names):
    """Runs source that can be found again."""
    import linecache

    file = f"<{source}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)


class Says(Backend):
    """Answers each conditional expression with its own name."""

    def __init__(self, name):
        self.name = name

    def if_exp(self, test, body, orelse):
        return self.name


@to_graph
def who(x):
    return "then" if x else "else"


class Base:
    pass


class Derived(Base):
    pass


class Duck(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "quack") or NotImplemented


class Mallard:
    def quack(self):
        pass


def test_the_own_type_comes_before_its_bases_and_these_before_abstract_classes():
    Duck.register(Base)
    assert who(Derived()) == "then"
    with register_backend(Duck, Says("duck")):
        assert (who(Derived()), who(Mallard()), who(object())) == ("duck", "duck", "then")
        with register_backend(Base, Says("base")):
            assert (who(Derived()), who(Base()), who(Mallard())) == ("base", "base", "duck")
            with register_backend(Derived, Says("derived")):
                assert (who(Derived()), who(Base())) == ("derived", "base")
    assert who(Derived()) == "then"


def test_python_and_tensors_are_decided_as_before(many):
    assert [who(v) for v in (0, 1, "", "a", None, [], [0])] == [
        "else", "then", "else", "then", "else", "else", "then",
    ]  # fmt: skip
    staged = gw.function(sign)
    assert [int(staged(gw.constant(v))) for v in (-2, 0, 3)] == [-1, 0, 1]


def test_looking_up_asks_nothing_of_the_value():
    class Proud:
        def __getattr__(self, name):
            raise AssertionError(name)

        def __eq__(self, other):
            raise AssertionError("==")

        __hash__ = None

    with register_backend(Duck, Says("duck")), register_backend(Many, ManyWorlds()):
        assert who(Proud()) == "then"


@pytest.mark.parametrize("plain", [int, bool, float, str, object, type(None)])
def test_what_python_decides_stays_python(plain):
    with pytest.raises(TypeError, match=f"`{plain.__name__}` mean is Python's to say"):
        register_backend(plain, Backend())


def test_a_type_has_one_backend(many):
    for taken in (Many, gw.Tensor):
        with pytest.raises(ValueError, match=f"`{taken.__name__}` has a backend already"):
            register_backend(taken, Backend())


def test_a_backend_can_be_taken_back():
    register_backend(Many, ManyWorlds())
    unregister_backend(Many)
    unregister_backend(Many)
    unregister_backend(gw.Tensor)
    assert who(Many([])) == "then"
    agrees_staged = gw.function(sign)
    assert int(agrees_staged(gw.constant(4))) == 1


def test_functions_of_pythons_own_are_the_backends_to_answer():
    class Loud(ManyWorlds):
        def call(self, function, args, kwargs):
            if function is len:
                return len(args[0].values)
            return Many([function(value) for value in args[0].values])

    @to_graph
    def measured(x):
        return len(x), bool(x), any([x > 0])

    with register_backend(Many, Loud()):
        length, truth, _ = measured(Many([0, 1]))
    assert (length, truth.values) == (2, [False, True])


def test_a_refusal_names_its_code_and_place():
    class Choosy(ManyWorlds):
        def if_stmt(self, test, body, orelse, state):
            raise Refusal(f"`{state.names[0]}` differs", "make it the same", code="GW101")

    @to_graph
    def f(x):
        y = 0
        if x > 1:
            y = 1
        return y

    with register_backend(Many, Choosy()), pytest.raises(TypeError) as caught:
        f(Many(VALUES))
    text = str(caught.value)
    assert text.startswith("GW101: `y` differs")
    assert "if x > 1:" in text
    assert text.endswith("help: make it the same")


def test_the_code_of_a_backends_packages_is_left_alone():
    class Library(ManyWorlds):
        packages = ("operator_library",)

    def helper(x):
        return 1 if x else 0

    helper.__module__ = "operator_library.inside"

    @to_graph
    def f(x):
        return helper(x)

    with register_backend(Many, Library()):
        assert f(Many(VALUES)) == 1
    with register_backend(Many, ManyWorlds()):
        assert f(Many([0, 1])).values == [0, 1]


def test_state_is_all_that_flows(many):
    seen = []

    class Peeks(ManyWorlds):
        def if_stmt(self, test, body, orelse, state):
            seen.append((state.names, [state.is_unbound(v) for v in state.get()]))
            super().if_stmt(test, body, orelse, state)

    unregister_backend(Many)

    @to_graph
    def f(x):
        a = 1
        if x > 0:
            a = 2
            b = 3
            local = 4
        else:
            b = 5
        return a, b

    with register_backend(Many, Peeks()):
        a, b = f(Many([-1, 1]))
    assert seen == [(("a", "b"), [False, True])]
    assert (a.values, b.values) == ([1, 2], [5, 3])


def test_backends_and_graphs_meet(many):
    @gw.function
    def f(n):
        total = 0
        for i in gw.range(n):
            total += i
        if Many([True, False]):
            extra = 10
        else:
            extra = 20
        return total + extra.values[1]

    assert int(f(gw.constant(4))) == 26


def test_numpy_is_not_asked(many):
    assert who(np.array(0.0)) == "else"
