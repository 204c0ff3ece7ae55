"""What `raise`, `try`, `assert` and texts do where a tensor decides: as in Python, or refused with the lines."""

import pytest

import graphwright as gw


def test_a_raise_in_a_branch_shows_both_lines():
    def check_positive(x):
        if x < 0:
            raise KeyError("negative")

    @gw.function
    def f(x):
        check_positive(x)
        return x

    with pytest.raises(ValueError, match="GW114: `KeyError`") as caught:
        f(gw.constant(1))
    first = check_positive.__code__.co_firstlineno
    message = str(caught.value)
    assert f"{__file__}:{first + 2}:" in message
    assert f"\n{first + 1:4} |         if x < 0:".lstrip() in message.replace("\n ", "\n")
    assert "assert" in message


def test_a_raise_that_ends_a_branch_is_the_graphs():
    total = gw.Variable(0)

    @gw.function
    def f(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        total.assign_add(1)
        return x

    assert f(gw.constant(3)).item() == 3 and total.numpy() == 1
    with pytest.raises(ValueError, match=r"^negative: -3$"):
        f(gw.constant(-3))
    assert total.numpy() == 1
    assert f.experimental_get_tracing_count() == 1


def test_the_text_of_a_raise_that_python_does_is_not_made_of_tensors():
    @gw.function
    def f(x):
        raise ValueError(f"never {x}")

    with pytest.raises(TypeError, match="(?s)GW116.*raise ValueError"):
        f(gw.constant(1))


def test_what_is_assigned_or_stored_before_a_raise_would_be_lost():
    total = gw.Variable(0)

    def assigns(x):
        if x[0] < 0:
            total.assign_add(5)
            raise ValueError("negative")

    def stores(x):
        x[1] = 7
        if x[0] < 0:
            raise ValueError("negative")

    for function in (assigns, stores):
        with pytest.raises(ValueError, match="(?s)GW114.*raise ValueError"):
            gw.function(function)(gw.constant([1, 2]))


@pytest.mark.parametrize("rest", ["else:\n        raise TypeError('b')", "raise TypeError('b')"])
def test_where_nothing_returns_the_raise_is_python(rest):
    text = f"def f(x):\n    if x > 0:\n        raise ValueError('a')\n    {rest}\n"
    names = {"__name__": "program"}
    exec(compile(text, "<raises>", "exec"), names)
    staged = gw.function(gw.autograph.to_graph(names["f"], source=text))
    with pytest.raises(ValueError, match="GW114: `TypeError` is raised here"):
        staged(gw.constant(1))


def test_a_raise_that_the_branch_itself_catches_is_python():
    @gw.function
    def f(x):
        if x > 0:
            try:
                raise KeyError("k")
            except KeyError:
                y = 1
        else:
            y = 2
        return y

    assert f(gw.constant(1)).item() == 1


def test_a_try_cannot_catch_what_fails_when_the_graph_runs():
    @gw.function
    def zero(x):
        try:
            return 10 // x
        except ArithmeticError:
            return x * 0

    @gw.function
    def index(x, i):
        try:
            return x[i]
        except (KeyError, LookupError):
            return i

    @gw.function
    def assertion(x):
        try:
            assert x > 0
        except:  # noqa: E722
            pass
        return x

    for function, args in [(zero, [1]), (index, [[1, 2], 0]), (assertion, [1])]:
        with pytest.raises(ValueError, match="(?s)GW115.*help: "):
            function(*map(gw.constant, args))


def test_a_try_that_would_not_catch_it_is_no_matter():
    @gw.function
    def f(x, y):
        try:
            return x // y + x // 2
        except KeyError:
            return x

    assert f(gw.constant(7), gw.constant(2)).item() == 6
    with pytest.raises(ZeroDivisionError):
        f(gw.constant(7), gw.constant(0))


def test_a_tensor_in_a_text_is_refused_and_in_a_message_shown():
    for function in (lambda x: f"{x}", lambda x: f"{x:3d}", lambda x: str(x), lambda x: "{}".format(x)):
        with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW116"):
            gw.function(function)(gw.constant(1))

    @gw.function
    def f(x):
        assert x > 0, f"bad {x} of {[x, 1]} and {'s'}"
        return x

    with pytest.raises(AssertionError, match=r"bad -3 of \[-3, 1\] and s"):
        f(gw.constant(-3))


def test_a_tensor_is_no_key():
    for function in (lambda x: {k: 1 for k in [x]}, lambda x: hash(x), lambda x: frozenset([x])):
        with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW108.*key"):
            gw.function(function)(gw.constant(1))
