"""Values of host code that no graph holds: texts and dates stay with the host, and the graph carries them by their numbers."""

import datetime
import io
import random
import sys
import warnings

import pytest

import graphwright as gw
import host_texts

SOURCE = random.Random()
NAMES = ["ann", "bob", "", "eve"]
LINES = io.StringIO()


def chosen(x):
    name = SOURCE.choice(NAMES)
    return x + len(name), name


def of_a_new_list(x):
    return x, SOURCE.choice(["p", "q", ("r", 1)[0]])


def carried(x):
    word, last = LINES.readline(), LINES.readline()
    for _ in range(x):
        last = word
        word = LINES.readline()
    return word, last, x


def compared(x):
    word = LINES.readline().strip()
    if word == "line 1":
        return x + 1
    if word < "line 3" and word != "":
        return x + 2
    return x - 1


def counted(x):
    total = 0
    while True:
        word = LINES.readline().strip()
        if not word or word.endswith("4"):
            break
        total += len(word)
    return total * x


def parsed(x):
    return x * int(SOURCE.choice(("4", "15")))


def joined(x):
    a, b = SOURCE.choice(NAMES), SOURCE.choice(NAMES)
    return x, a if x > 2 else b, {"both": [a, b]}, (a == b)


def asked(x):
    name = SOURCE.choice(NAMES)
    return x, isinstance(name, str), isinstance(name, int | bytes), type(name) is str, name is None


def paired(x):
    name, number = SOURCE.choice((("u", 1), ("v", 2)))
    return x + number, name.upper()


def written(x):
    log = SOURCE.choice(NAMES)
    LINES.write(f"{log}: {x}\n")
    return x, LINES.getvalue()


def printed(x):
    name = SOURCE.choice(NAMES)
    print(name, x)
    print("name:", name, end="|")
    return x


def dated(x):
    day = datetime.date.fromordinal(SOURCE.randint(1, 700_000))
    other = datetime.date.fromordinal(SOURCE.randint(1, 700_000))
    return x, day, day < other, day.isoformat()


def mixed(x):
    some = SOURCE.choice(("1", 2, "3"))
    return x + int(some), some


def counter(x):
    total = 0
    for k in range(x):
        SOURCE.random()
        total += 10 if isinstance(k, int) else 1000
    return total


def raised(x):
    name = SOURCE.choice(NAMES)
    if x > 2:
        raise ValueError(name)
    return x


def concatenated(x):
    return x, SOURCE.choice(NAMES) + "!"


def written_as_text(x):
    name, k = SOURCE.choice(NAMES), SOURCE.randint(1, 9)
    for _ in range(x):
        k += 1
    return x, f"<{name!r:>6} {k:03d}>", str(k) + "!", name + str(k)


GRAPHS = (
    chosen,
    of_a_new_list,
    carried,
    compared,
    counted,
    parsed,
    joined,
    asked,
    paired,
    written,
    printed,
    dated,
    mixed,
    counter,
    written_as_text,
    concatenated,
)


def sliced(x):
    return x, SOURCE.choice(NAMES)[:1]


def looked_up(x):
    return x + {"ann": 1}.get(SOURCE.choice(NAMES), 5)


def matched(x):
    match SOURCE.choice(NAMES):
        case "ann":
            return x
        case str():
            return x + 10
    return x + 20


def same(x):
    name = SOURCE.choice(NAMES)
    other = name
    return x + (name is other)


def walked(x):
    return x + sum(letter == "b" for letter in SOURCE.choice(NAMES))


def formatted(x):
    name = SOURCE.choice(NAMES)
    return x, "%s" % (name,), "{}".format(name)  # noqa: UP031, UP032


def hashed(x):
    return x + len({SOURCE.choice(NAMES), "ann"})


def kept(x):
    NAMES.append(SOURCE.choice(NAMES))
    return x + len(NAMES)


def caught(x):
    try:
        return x + int(SOURCE.choice(NAMES))
    except ValueError as error:
        return x, str(error)


PLAIN = (raised, concatenated, sliced, looked_up, matched, same, walked, formatted, hashed, kept, caught)


def plain(part):
    """A result with Python's own numbers."""
    if isinstance(part, tuple | list):
        return [plain(item) for item in part]
    if isinstance(part, dict):
        return {key: plain(item) for key, item in part.items()}
    return part.item() if isinstance(part, gw.Tensor) else part


def outcomes(function, capsys):
    """Answers and printed texts of five calls, from the same state."""
    SOURCE.seed(11)
    LINES.seek(0)
    LINES.truncate()
    LINES.write("".join(f"line {k}\n" for k in range(40)))
    LINES.seek(0)
    NAMES[:] = ["ann", "bob", "", "eve"]
    found = []
    for x in (1, 2, 3, 2, 4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gw.ImplicitCopyWarning)
            try:
                found.append(plain(function(gw.constant(x))))
            except (ValueError, UnboundLocalError) as error:
                found.append(repr(error))
    return found, capsys.readouterr().out.replace("gw.Tensor(", "").replace(", shape=(), dtype=int32)", "")


@pytest.mark.parametrize("python", GRAPHS, ids=lambda f: f.__name__)
def test_values_of_host_code_are_carried(python, capsys):
    graph = gw.function(python, host_code="run")
    assert outcomes(graph, capsys) == outcomes(python, capsys)
    assert graph.experimental_get_tracing_count() >= 1, graph.explain_retraces()


@pytest.mark.parametrize("python", PLAIN, ids=lambda f: f.__name__)
def test_what_needs_the_value_itself_stays_pythons(python, capsys):
    graph = gw.function(python, host_code="run")
    wanted = outcomes(python, capsys)
    assert outcomes(graph, capsys) == wanted


def test_random_programs_with_values_of_host_code():
    graphs = 0
    for seed in range(60):
        wanted, _ = host_texts.outcomes(seed, "native")
        found, traced = host_texts.outcomes(seed, "run")
        assert found == wanted, host_texts.text_of(seed)
        graphs += traced > 0
    assert graphs >= 10


def test_values_go_with_the_run():
    last = []

    @gw.autograph.experimental.do_not_convert
    def make(x):
        name = "".join(["a"] * (x.item() + 3))
        last[:] = [name]
        return name

    @gw.function(host_code="run")
    def f(x):
        name = make(x)
        return x + len(name)

    assert [f(gw.constant(x)).item() for x in (1, 2, 3)] == [5, 7, 9]
    assert f.experimental_get_tracing_count() == 1
    # The name in the list, that of the loop, and the argument.
    assert [sys.getrefcount(name) for name in last] == [3]


def on_some_paths(x):
    if x > 1:
        return SOURCE.choice(NAMES)


def last_or_none(x):
    last = None
    for _ in range(x - 1):
        last = SOURCE.choice(NAMES)
    return last, x


def bound_in_a_loop(x):
    for _ in range(x - 1):
        name = SOURCE.choice(NAMES)
    return name


def given_if_there(x):
    name = None
    if x > 1:
        name = SOURCE.choice(NAMES)
    if name is not None:
        LINES.write(f"{name}!")
    return x, LINES.getvalue()


def texts_of_the_program(x):
    word = "é" if x > 2 else "bb"
    LINES.write(word)
    return word, LINES.getvalue()


def states(x):
    state = "sun"
    for _ in range(x):
        state = "rain" if state == "sun" else "sun"
        LINES.write(state)
    return state, LINES.getvalue()


def of_both(x):
    word = ""
    for _ in range(x):
        word = SOURCE.choice(NAMES)
        if word == "bob":
            word = "one"
    return word


def beyond_64_bits(x):
    number = SOURCE.choice((3, 5))
    for _ in range(x):
        number = number * number * number * number
        LINES.write(f"{number} ")
    return number, LINES.getvalue()


MORE = (
    on_some_paths,
    last_or_none,
    bound_in_a_loop,
    given_if_there,
    texts_of_the_program,
    states,
    of_both,
    beyond_64_bits,
)


@pytest.mark.parametrize("python", MORE, ids=lambda f: f.__name__)
def test_texts_that_join_others_or_nothing(python, capsys):
    graph = gw.function(python, host_code="run")
    wanted = outcomes(python, capsys)
    assert outcomes(graph, capsys) == wanted
