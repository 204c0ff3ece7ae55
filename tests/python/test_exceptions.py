"""What `raise`, `try`, `assert` and texts do where a tensor decides: as in Python, or refused with the lines."""

import signal

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def test_a_raise_that_a_graph_cannot_raise_shows_both_lines():
    def positive(x):
        with open("/dev/null"):
            if x < 0:
                raise KeyError("negative", x)
            yield x

    @gw.function
    def f(x):
        total = x
        for one in positive(x):
            total += one
        return total

    with pytest.raises(ValueError, match="GW114: `KeyError`") as caught:
        f(gw.constant(1))
    first = positive.__code__.co_firstlineno
    message = str(caught.value)
    assert f"{__file__}:{first + 3}:" in message
    assert f"\n{first + 2:4} |             if x < 0:".lstrip() in message.replace("\n ", "\n")
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


def test_what_both_branches_raise_is_raised():
    def both(x):
        found = []
        try:
            if x > 3:
                if x > 5:
                    found.append(1)
                    raise KeyError("large")
                else:
                    found.append(2)
                    raise ValueError("middle")
            found.append(x)
        except LookupError:
            found.append(10)
        except ValueError:
            found.append(20)
        return sum(found)

    def left(x):
        if x > 3:
            if x > 5:
                raise KeyError("large")
            else:
                raise ValueError("middle")
        return x

    for x in (1, 4, 7):
        check(both, x)
        check(left, x)


def test_the_text_of_a_raise_that_python_does_is_not_made_of_tensors():
    @gw.function
    def f(x):
        raise ValueError(f"never {x}")

    with pytest.raises(TypeError, match="(?s)GW116.*raise ValueError"):
        f(gw.constant(1))


def test_what_is_assigned_or_stored_before_a_raise_stands():
    total = gw.Variable(0)

    @gw.function
    def f(x):
        total.assign_add(5)
        if x[0] < 0:
            raise ValueError("negative")
        x[1] = 7
        assert x[2] > 0, f"{x[2]} is too little"
        x[1] = 8
        total.assign_add(1)
        return x[0]

    x = np.array([-1, 2, 3])
    with pytest.raises(ValueError, match="^negative$"):
        f(x)
    assert x.tolist() == [-1, 2, 3] and total.numpy() == 5
    x = np.array([1, 2, -3])
    with pytest.raises(AssertionError, match="^-3 is too little$"):
        f(x)
    assert x.tolist() == [1, 7, -3] and total.numpy() == 10
    x = np.array([1, 2, 3])
    assert f(x).item() == 1
    assert x.tolist() == [1, 8, 3] and total.numpy() == 16
    assert f.experimental_get_tracing_count() == 1


def test_where_nothing_returns_the_graph_raises():
    @gw.function
    def f(x):
        if x > 0:
            raise ValueError("a")
        raise TypeError("b")

    for x, error in [(1, ValueError), (0, TypeError), (2, ValueError)]:
        with pytest.raises(error):
            f(gw.constant(x))
    assert f.experimental_get_tracing_count() == 1


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


VECTOR, MATRIX = gw.TensorSpec([None], gw.int64), gw.TensorSpec([None, None], gw.float64)


def added(x, y):
    try:
        return np.sum(x + y)
    except ValueError as error:
        print(error)
        return -1


def divided(x, y):
    try:
        return np.sum(x // y)
    except ValueError:
        return -1
    except ZeroDivisionError:
        return -2


def multiplied(x, y):
    try:
        return np.sum(x @ y)
    except ValueError:
        return -1.0


def joined(x, y):
    try:
        return np.sum(np.concatenate([x, y]))
    except ValueError:
        return -1.0


def kept(x, y):
    steps = [1]
    try:
        z = x * y
    finally:
        steps.append(2)
        print(len(steps))
    return np.sum(z)


@pytest.mark.parametrize("function", [added, divided, kept])
@pytest.mark.parametrize("lengths", [(2, 2), (2, 3), (1, 3), (3, 1), (0, 1)])
def test_lengths_that_do_not_fit_are_caught(function, lengths, capsys):
    staged = gw.function(function, input_signature=[VECTOR, VECTOR])
    told = []
    for call in (function, staged):
        arguments = [np.full(length, 3) for length in lengths]
        try:
            told.append((int(call(*arguments)), capsys.readouterr().out))
        except ValueError as error:
            told.append((str(error), capsys.readouterr().out))
    assert told[0] == told[1]


@pytest.mark.parametrize("function", [multiplied, joined])
@pytest.mark.parametrize("shapes", [((2, 3), (3, 2)), ((2, 3), (2, 3)), ((2, 2), (2, 2)), ((1, 2), (3, 2))])
def test_shapes_that_do_not_fit_are_caught(function, shapes):
    staged = gw.function(function, input_signature=[MATRIX, MATRIX])
    arguments = [np.ones(shape) for shape in shapes]
    assert staged(*arguments) == function(*arguments)


def test_a_divisor_of_zero_is_told_from_lengths():
    staged = gw.function(divided, input_signature=[VECTOR, VECTOR])
    with pytest.raises(ZeroDivisionError):
        staged(np.array([1, 2]), np.array([1, 0]))
    assert int(staged(np.array([1, 2]), np.array([1, 0, 0]))) == -1


def test_a_try_catches_a_reshape_that_does_not_fit_when_the_graph_runs():
    @gw.function(input_signature=[VECTOR])
    def f(x):
        try:
            return gw.reshape(x, [2, 3])[1, 0]
        except ValueError as error:
            print(error)
            return x[0] - 7

    assert [int(f(np.arange(n))) for n in (6, 5, 0 + 7)] == [3, -7, -7]


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


def caught(x, use):
    try:
        if x > 0:
            raise ValueError(f"no {x}")
    except ValueError as error:
        use(error)
    return x


@pytest.mark.parametrize(
    "use",
    [
        lambda error: len(str(error)),
        lambda error: str(error)[0],
        lambda error: error.args[0][0],
        lambda error: str(error).upper(),
        lambda error: "n" in str(error),
        lambda error: str(error) == "no 1",
        lambda error: str(error) < "no 1",
        lambda error: str(error) * 2,
        lambda error: {str(error): 1},
        lambda error: list(str(error)),
        lambda error: int(str(error)),
        lambda error: float(str(error)),
        lambda error: not str(error),
        lambda error: error.args[0] % 2,
    ],
)
def test_the_text_of_an_exception_of_the_graph_is_not_there_yet(use):
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match=r"(?s)GW116.*\.py:\d+:"):
        gw.function(caught)(gw.constant(1), use)


def again(x, join):
    try:
        if x > 0:
            raise ValueError(f"no {x}")
    except ValueError as error:
        raise KeyError(join(str(error))) from None
    return x


@pytest.mark.parametrize(
    "join", [lambda text: text, lambda text: text + ".", lambda text: "Oh, " + text, lambda text: text + text]
)
def test_the_text_of_an_exception_is_that_of_another(join):
    with pytest.raises(KeyError) as plain:
        again(1, join)
    with pytest.raises(KeyError) as staged:
        gw.function(again)(gw.constant(1), join)
    assert str(staged.value) == str(plain.value)


class Stopped(BaseException):
    pass


def interrupted(x, n, wait):
    try:
        if x > 0:
            try:
                for i in range(n):
                    wait()
                    x = x + i
            finally:
                x = x + 1
    except BaseException:
        x = x + 100
        raise
    return x


@pytest.mark.parametrize("kind", [Stopped, KeyboardInterrupt])
def test_what_ends_the_tracing_is_not_the_programs(kind):
    """A handler of signals raises wherever Python is: in a branch or a `try`, too."""

    def stop(*_):
        raise kind

    def wait():
        if waits:
            signal.raise_signal(signal.SIGINT)

    waits, before = [True], signal.signal(signal.SIGINT, stop)
    staged = gw.function(interrupted)
    try:
        with pytest.raises(kind):
            staged(gw.constant(1), gw.constant(3), gw.autograph.experimental.do_not_convert(wait))
    finally:
        signal.signal(signal.SIGINT, before)
    waits.clear()
    assert staged(gw.constant(1), gw.constant(3), wait).item() == interrupted(1, 3, wait)


def stays(x, n):
    """The variable of the returned value is none of the statement around the `return` when that is traced again."""
    held = [x]
    try:
        if x > 0:
            return x
        for _ in range(n):
            pass
        held[0] = 0
    except ValueError:
        held = held
    return held[0] + n


@pytest.mark.parametrize("x", [1, -1])
def test_what_is_traced_again_has_not_returned(x):
    assert gw.function(stays)(gw.constant(x), gw.constant(2)).item() == stays(x, 2)


def test_a_tensor_is_no_key():
    for function in (lambda x: {k: 1 for k in [x]}, lambda x: hash(x), lambda x: frozenset([x])):
        with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW108.*key"):
            gw.function(function)(gw.constant(1))
