"""Exceptions of host code under handlers of the program, where `host_code="run"`: graphs meet what plain Python has observed."""

import contextlib
import random

import pytest

import graphwright as gw

do_not_convert = gw.autograph.experimental.do_not_convert
LOG = []


class Odd(ValueError):
    """One of the program's own."""


class Tagged(ValueError):
    """One that holds more than its arguments."""

    def __init__(self, number):
        super().__init__(f"tag {number}")
        self.number = number


@do_not_convert
def parse(x):
    """Raises for some numbers, each time in another way."""
    x = x.item() if isinstance(x, gw.Tensor) else x
    LOG.append(x)
    if x % 3 == 0:
        raise ValueError("three")
    if x % 7 == 0:
        raise KeyError(x)
    if x % 5 == 0:
        raise Odd("five", 5)
    if x == 11:
        raise Tagged(x)
    if x == 13:
        raise OSError(2, "no file")
    return x * 2


@do_not_convert
def describe(x):
    """A text that depends on a number."""
    return "odd" if x.item() % 2 else "even"


@do_not_convert
def large(x):
    """Beyond 64 bits for one number, when it is multiplied."""
    return 2**62 if x.item() == 4 else x.item()


@do_not_convert
def name_of(x):
    """The text of a number."""
    LOG.append(str(x))
    return str(x)


def ignored(x):
    try:
        y = parse(x)
    except ValueError:
        y = -1
    return y


def named(x):
    try:
        return x, str(parse(x) > 4)
    except ValueError as error:
        return x, str(error)


def arguments(x):
    t = 0
    for k in range(x):
        try:
            t += parse(x + k)
        except Odd:
            t += 100
        except ValueError:
            continue
        except KeyError as error:
            t += 1000 + error.args[0]
            break
    return t


def raised_again(x):
    try:
        return parse(x)
    except ValueError:
        raise


def raised_from(x):
    try:
        return parse(x)
    except ValueError as error:
        raise RuntimeError("bad") from error


def at_last(x):
    t = 0
    try:
        t = parse(x)
    finally:
        t = t + parse(1)
    return t


def otherwise(x):
    try:
        t = parse(x)
    except (ValueError, KeyError):
        t = 5
    else:
        t = t + parse(t + 2)
    return t


def printed(x):
    try:
        t = parse(x)
    except LookupError as error:
        print("missing", error)
        t = 5
    return t


def nested(x):
    try:
        try:
            t = parse(x)
        except KeyError:
            t = parse(3)
    except ValueError:
        t = 77
    return t


def helper(x):
    return parse(x) + 1


def inside(x):
    try:
        return helper(x)
    except ValueError:
        return -1


def until(x):
    n = 0
    while n < 5:
        try:
            n += 1
            x = x + parse(x) % 4
        except ValueError:
            x = x + 1
        except KeyError:
            break
    return x, n


def suppressed(x):
    t = 0
    with contextlib.suppress(KeyError, ValueError):
        t = parse(x)
    return t


def in_context(x):
    try:
        try:
            return parse(x)
        except Odd:
            parse(7)
    except KeyError as error:
        return repr(error.__context__), str(error), x
    except ValueError as error:
        raise KeyError("no") from None
    return x


def computed_classes(x):
    name = describe(x)
    try:
        parse(x)
    except KeyError if name == "odd" else ValueError:
        return name
    return x


def grown_in_a_handler(x):
    number = large(x) * 4
    try:
        return (number + x) % 7, name_of(number)
    except TypeError:
        print("refused", number)
        return -1


def attributes(x):
    try:
        return parse(x)
    except Tagged as error:
        return error.number
    except OSError as error:
        return error.errno


FUNCTIONS = (
    ignored,
    named,
    arguments,
    raised_again,
    raised_from,
    at_last,
    otherwise,
    printed,
    nested,
    inside,
    until,
    suppressed,
    in_context,
    computed_classes,
    grown_in_a_handler,
    attributes,
)


def plain(part):
    """A result with Python's own numbers."""
    if isinstance(part, tuple):
        return tuple(map(plain, part))
    return part.item() if isinstance(part, gw.Tensor) else part


def outcomes(function, capsys):
    """Answers, exceptions, printed texts and calls of the host of a row of calls."""
    LOG.clear()
    found = []
    for x in (1, 2, 4, 3, 5, 6, 7, 8, 11, 13, 14, 10, 3, 7, 1, 15, 21, 11, 13, 4):
        try:
            answer = plain(function(gw.constant(x)))
        except Exception as error:
            answer = repr(error), repr(error.__cause__), repr(error.__context__), str(error)
        found.append((answer, len(LOG)))
    return found, list(LOG), capsys.readouterr().out


@pytest.mark.parametrize("python", FUNCTIONS, ids=lambda f: f.__name__)
def test_handlers_meet_what_host_code_raises(python, capsys):
    graph = gw.function(python, host_code="run")
    wanted = outcomes(python, capsys)
    assert outcomes(graph, capsys) == wanted
    assert graph.experimental_get_tracing_count() >= 1 or python in (named, suppressed, computed_classes), (
        graph.explain_retraces()
    )


def test_the_graph_stays_once_all_is_observed():
    graph = gw.function(ignored, host_code="run")
    assert [plain(graph(gw.constant(x))) for x in (1, 3, 2, 6, 4)] == [2, -1, 4, -1, 8]
    graphs = graph.experimental_get_tracing_count()
    assert [plain(graph(gw.constant(x))) for x in (1, 3, 2, 6, 4) * 5] == [2, -1, 4, -1, 8] * 5
    assert graph.experimental_get_tracing_count() == graphs


def test_the_reason_names_the_exception():
    graph = gw.function(ignored, host_code="run")
    for x in (1, 2, 3):
        graph(gw.constant(x))
    reason = "`ignored` ran in plain Python: host code raised a `ValueError` that a handler meets, and that no call had observed"
    assert reason in graph.explain_retraces()


def test_an_exception_that_is_not_observed_beside_variables():
    count, source = gw.Variable(0), random.Random(3)

    @gw.function(host_code="run")
    def counted(x):
        count.assign_add(1)
        try:
            return source.randint(1, x) * 0 + x
        except ValueError:
            return -1

    assert [plain(counted(gw.constant(x))) for x in (1, 2, 3)] == [1, 2, 3]
    assert counted.experimental_get_tracing_count() == 1
    with pytest.raises(
        TypeError, match=r"`randint` raises a `ValueError`, which it has not raised before"
    ) as caught:
        counted(gw.constant(0))
    assert isinstance(caught.value.__cause__, ValueError)
    assert plain(counted(gw.constant(4))) == 4


def test_interrupts_pass_a_finally():
    ends = []

    @do_not_convert
    def interrupted(x):
        if x.item() > 2:
            raise KeyboardInterrupt
        return x.item()

    @do_not_convert
    def note():
        ends.append(1)

    @gw.function(host_code="run")
    def f(x):
        try:
            return interrupted(x)
        finally:
            note()

    assert [plain(f(gw.constant(x))) for x in (1, 2)] == [1, 2]
    with pytest.raises(KeyboardInterrupt):
        f(gw.constant(3))
    assert len(ends) == 3
    assert plain(f(gw.constant(2))) == 2
