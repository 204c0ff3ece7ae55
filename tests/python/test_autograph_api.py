"""`gw.autograph`: TensorFlow's functions and options, and what is logged."""

import logging
import os
import subprocess
import sys
import warnings

import pytest

import graphwright as gw

Feature = gw.autograph.experimental.Feature


@pytest.fixture
def logged(caplog):
    """The messages of the logger at a level."""

    def at(level):
        gw.autograph.set_verbosity(level)
        caplog.clear()
        return caplog

    with caplog.at_level(logging.INFO, "graphwright"):
        yield at
    gw.autograph.set_verbosity(0)


def sign(x):
    if x > 0:
        return 1
    return -1


def twice_sign(x):
    return sign(x) + sign(x)


def test_to_graph_takes_tensorflows_arguments():
    for features in (None, Feature.ALL, Feature.all(), Feature.all_but(Feature.LISTS)):
        converted = gw.autograph.to_graph(sign, True, features)
        assert gw.function(converted)(gw.constant(3)).item() == 1
    with pytest.raises(TypeError, match="Feature"):
        gw.autograph.to_graph(sign, experimental_optional_features="ALL")


def test_features():
    assert Feature.ALL in Feature.all()
    without = Feature.all_but([Feature.LISTS, Feature.NAME_SCOPES])
    assert Feature.ASSERT_STATEMENTS in without
    assert not {Feature.LISTS, Feature.NAME_SCOPES, Feature.ALL} & set(without)


def test_to_graph_of_a_method_stays_bound():
    class Scale:
        by = 3

        def step(self, x):
            return self.by * x if x > 0 else x

    assert gw.autograph.to_graph(Scale().step)(2) == 6
    assert gw.function(gw.autograph.to_graph(Scale().step))(gw.constant(2)).item() == 6


def test_to_graph_without_what_is_called():
    whole = gw.autograph.to_graph(twice_sign)
    alone = gw.autograph.to_graph(twice_sign, recursive=False)
    assert whole(2) == alone(2) == 2
    assert gw.function(whole)(gw.constant(2)).item() == 2
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW106"):
        gw.function(alone)(gw.constant(2))


def test_to_code():
    text = gw.autograph.to_code(sign, recursive=True, experimental_optional_features=None)
    compile(text, "lowered", "exec")
    assert "if_stmt" in text


@pytest.mark.parametrize("written", ["decorator", "with parentheses", "call"])
def test_do_not_convert(written):
    mark = gw.autograph.experimental.do_not_convert
    if written == "decorator":

        @mark
        def helper(x):
            return 1 if x > 0 else 2

    elif written == "with parentheses":

        @mark()
        def helper(x):
            return 1 if x > 0 else 2

    else:
        helper = mark(sign)

    assert helper(gw.constant(1)) == 1
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW106"):
        gw.function(lambda x: helper(x))(gw.constant(1))
    # The function itself stays what it was.
    assert gw.function(twice_sign)(gw.constant(1)).item() == 2


def test_do_not_convert_a_method():
    class Box:
        def get(self, x):
            return 1 if x > 0 else 2

    get = gw.autograph.do_not_convert(Box().get)
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW106"):
        gw.function(lambda x: get(x))(gw.constant(1))


def test_autograph_off():
    @gw.function(autograph=False)
    def f(x):
        return gw.where(x > 0, x, -x)

    assert f(gw.constant(-3)).item() == 3


def limited_while(n):
    i = 0
    while i < n:
        gw.autograph.experimental.set_loop_options(maximum_iterations=4)
        i += 1
    return i


def limited_for(n):
    total = 0
    for i in gw.range(n):
        gw.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=10)
        total += i
    return total


def limited_rows(rows):
    total = 0
    for row in rows:
        gw.autograph.experimental.set_loop_options(maximum_iterations=2, swap_memory=True)
        if row < 0:
            break
        total += row
    return total


def limited_inside(n):
    count = 0
    i = 0
    while i < n:
        for _ in [0]:
            gw.autograph.experimental.set_loop_options(maximum_iterations=1)
        j = 0
        while j < n:
            gw.autograph.experimental.set_loop_options(maximum_iterations=2)
            count += 1
            j += 1
        i += 1
    return count


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (limited_while, 10, 4),
        (limited_while, 3, 3),
        (limited_for, 10, 3),
        (limited_for, 2, 1),
        (limited_rows, [1, 2, 3], 3),
        (limited_rows, [1, -2, 3], 1),
        (limited_inside, 3, 6),
    ],
)
def test_a_loop_ends_after_so_many_iterations(function, argument, expected):
    assert gw.function(function)(gw.constant(argument)).item() == expected


def test_plain_loops_ignore_options():
    assert limited_while(10) == 10
    assert gw.autograph.to_graph(limited_while)(10) == 10


def test_shape_invariants_are_not_needed():
    @gw.function
    def grow(x, n):
        i = 0
        while i < n:
            gw.autograph.experimental.set_loop_options(shape_invariants=[(x, gw.TensorShape([None]))])
            x = gw.concat([x, gw.cast([i], gw.int32)], axis=0)
            i += 1
        return x

    assert grow(gw.constant([7]), gw.constant(3)).numpy().tolist() == [7, 0, 1, 2]


@pytest.mark.parametrize("most", [0, -1, 2.5, "3"])
def test_no_number_of_iterations(most):
    @gw.function
    def f(n):
        while n > 0:
            gw.autograph.experimental.set_loop_options(maximum_iterations=most)
            n -= 1
        return n

    with pytest.raises(ValueError, match=r"(?s)GW204.*set_loop_options"):
        f(gw.constant(3))


def powers(x, n):
    total = x * 0
    for i in range(n):
        if i % 2 == 0:
            total = total + x * i
    return total


def last_seen(x):
    for i in range(10, 0, -3):
        x = x + i
    return x, i


def never(x):
    i = 7
    for i in range(0):
        x = x + i
    return x, i


def indexed(x):
    table = range(1, 4)
    for i in range(3):
        x = x + table[i]
    return x


@pytest.mark.parametrize(("function", "rest"), [(powers, (6,)), (last_seen, ()), (never, ())])
def test_rolled_loops_give_what_unrolled_ones_give(function, rest):
    rolled = gw.function(roll=True)(function)
    for x in (gw.constant(3), gw.constant(2.5), gw.constant(3, gw.int64)):
        ours, unrolled = rolled(x, *rest), gw.function(function)(x, *rest)
        for a, b in zip(ours if rest == () else [ours], unrolled if rest == () else [unrolled]):
            assert (a.item(), a.dtype) == (b.item(), getattr(b, "dtype", a.dtype))
    text = str(rolled.get_concrete_function(gw.TensorSpec([]), *rest).graph)
    assert function is never or "while" in text
    assert "while" not in str(gw.function(function).get_concrete_function(gw.TensorSpec([]), *rest).graph)


def test_what_cannot_be_rolled_is_refused_on_its_line():
    assert gw.function(indexed)(gw.constant(1)).item() == 7
    with pytest.raises(TypeError, match=r"(?s)GW\d+.*x = x \+ table\[i\]"):
        gw.function(roll=True)(indexed)(gw.constant(1))


def test_a_loop_that_fills_the_graph_is_noticed():
    def f(x, n):
        for _ in range(n):
            x = x + 1
        return x

    plain = gw.function(f, roll=False)
    with pytest.warns(gw.errors.UnrolledLoopWarning, match=r"`f`.*operations.*gw.range") as caught:
        assert plain(gw.constant(0), 5100).item() == 5100
    (notice,) = caught
    assert notice.filename == __file__
    assert notice.lineno == f.__code__.co_firstlineno + 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain(gw.constant(0), 999)
        gw.function(f)(gw.constant(0), 5100)
        gw.function(lambda x: [i for i in range(5000)] and x)(gw.constant(1))


def test_nothing_is_logged_by_default(logged):
    records = logged(0)
    gw.function(twice_sign)(gw.constant(1))
    assert not records.records


def test_what_is_logged(logged):
    def fresh(x):
        return x if x > 0 else -x

    records = logged(1)
    gw.function(fresh)(gw.constant(12345))
    said = "\n".join(records.messages)
    assert "converted `test_what_is_logged.<locals>.fresh`" in said
    assert f"{__file__}:{fresh.__code__.co_firstlineno}" in said
    assert "building a graph of `fresh`" in said
    assert "12345" not in said
    assert "if_exp" not in said

    def other(x):
        return x if x > 0 else -x

    records = logged(3)
    gw.function(other)(gw.constant(1))
    assert "if_exp" in "\n".join(records.messages)


def test_what_stays_as_it_is_is_logged(logged):
    names = {}
    exec("def helper(x):\n    return x + 1\n", names)
    helper = names["helper"]

    def f(x):
        return helper(x)

    records = logged(1)
    assert gw.function(f)(gw.constant(1)).item() == 2
    assert any("`helper` stays as it is: GW001" in message for message in records.messages)


def test_logging_to_stdout(capsys):
    gw.autograph.set_verbosity(1, alsologtostdout=True)
    try:
        gw.function(lambda x: x + 1)(gw.constant(1))
    finally:
        gw.autograph.set_verbosity(0)
    assert "building a graph of `<lambda>`" in capsys.readouterr().out


def test_the_environment_gives_the_level():
    program = "import graphwright as gw; gw.function(abs)(gw.constant(-1))"
    environment = dict(os.environ, GRAPHWRIGHT_VERBOSITY="1")
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "building a graph of `abs`" in done.stderr


def test_trace(capsys):
    @gw.function
    def f(x):
        gw.autograph.trace("x is", x.dtype)
        return x

    f(gw.constant(1))
    f(gw.constant(2))
    out = capsys.readouterr().out
    assert out.startswith("TRACE: x is ")
    assert out.count("TRACE:") == 1
