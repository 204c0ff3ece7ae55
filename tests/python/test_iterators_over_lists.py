"""Python's iterators over a list whose elements came into the graph after they were made: refused, never one object for all."""

import itertools
import linecache

import pytest

import graphwright as gw

MADE = [
    "enumerate(xs)",
    "iter(xs)",
    "zip(xs, [1, 2, 3])",
    "reversed(xs)",
    "map(abs, xs)",
    "filter(None, xs)",
    "(q for q in xs)",
    "zip(ys, enumerate(xs))",
]
CHANGES = [
    "xs.sort()",
    "if n > 2:\n        xs.append(n)",
    "for k in range(n):\n        xs.append(k)",
    "xs[n % 3] = 7",
    "xs.reverse()",
]
USES = [
    "return [one for one in e]",
    "return list(e)",
    "return tuple(e)",
    "s = 0\n    for one in e:\n        s += 1 if isinstance(one, tuple) else one\n    return s",
    "return next(e)",
    "return len(list(e))",
    "a = next(e)\n    return [a, *e]",
    "return sorted(e)",
    "return n in e",
    "return dict(enumerate(e))",
    "return sum(1 for _ in e)",
    "first, *rest = e\n    return first, rest",
    "return [*e]",
    "return (*e,)",
]


def plain(value):
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, gw.Tensor) else value


def answer(function, argument):
    try:
        return plain(function(argument))
    except Exception as error:
        return error


@pytest.mark.parametrize("made", MADE)
def test_an_iterator_gives_what_python_gives_or_is_refused(made):
    for change, use in itertools.product(CHANGES, USES):
        text = f"def f(n):\n    xs = [n, n - 1, 4]\n    ys = [n, 1, 2]\n    e = {made}\n    {change}\n    {use}\n"
        file, names = f"<{made}, {change}, {use}>", {"__name__": "iterators"}
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), names)
        wanted, found = answer(names["f"], 4), answer(gw.function(names["f"]), gw.constant(4))
        if isinstance(found, Exception):
            refused = str(found).startswith("GW") and "--> <" in str(found)
            assert refused or type(found) is type(wanted), text
        else:
            assert found == wanted, text


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("begun", ["", "next(e)\n    "])
def test_a_loop_that_changes_the_list_it_runs_over(made, begun):
    # A loop that always appends has no end in Python either.
    ends = [change for change in CHANGES if not change.startswith("for")]
    for change in [*ends, "if len(xs) < 6:\n        xs.append(n)", "xs = [*xs]", "ys.sort()"]:
        change = change.replace("\n    ", "\n        ")
        text = (
            f"def f(n):\n    xs = [n, n - 1, 4]\n    ys = [n, 1, 2]\n    s = 0\n    e = {made}\n    {begun}"
        )
        text += f"for one in e:\n        s += n\n        {change}\n    return s, xs\n"
        file, names = f"<loop {made}, {change}>", {"__name__": "iterators"}
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), names)
        wanted, found = answer(names["f"], 2), answer(gw.function(names["f"]), gw.constant(2))
        if isinstance(found, Exception):
            assert str(found).startswith("GW") and "--> <" in str(found), text
        else:
            assert found == wanted, text


@pytest.mark.parametrize(
    "use", ["i * q", "q + i", "-q", "q[0]", "abs(q)", "q ** 2", "max(q, i)", "(i, q)", "[q]", "q if i else 0"]
)
def test_a_generator_over_a_list_that_is_sorted_since(use):
    text = f"""
def f(n):
    xs = [n, 2, 1]
    each = ({use} for i, q in enumerate(xs))
    xs.sort()
    return [one for one in each]
"""
    file, names = f"<{use}>", {"__name__": "iterators"}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    with pytest.raises(ValueError, match=r"GW130: this list grows in the graph(.|\n)*--> <"):
        gw.function(names["f"])(gw.constant(4))


def test_items_of_lists_in_displays():
    @gw.function
    def f(n):
        xs = [n]
        if n > 3:
            xs.append(7)
        return [*xs, 1], len([0, *xs])

    for n in (2, 5):
        items, count = f(gw.constant(n))
        assert plain(list(items)) == ([n, 7, 1] if n > 3 else [n, 1])
        assert plain(count) == (3 if n > 3 else 2)


TAKEN_APART = [
    "while n:\n    n -= 1\n    a, *b = itertools.islice(it, 3)",
    "while n:\n    n -= 1\n    a, b = itertools.islice(it, 2)",
    "if n > 2:\n    a, b, c = itertools.islice(it, 3)",
    "for i in gw.range(n):\n    [a, b] = map(abs, itertools.islice(it, 2))",
]
GROWN = [
    "if n:\n    over = iter(xs)\n    xs.append(n)\n    for n in over: pass",
    "if n:\n    over = iter(xs)\n    for i in range(2): xs.append(n)\n    n = sum(over)",
]


@pytest.mark.parametrize("body", TAKEN_APART + GROWN)
def test_iterators_that_the_graph_would_advance_once_are_refused(body):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = (
        f"import itertools\ndef f(n):\n    it, xs = itertools.count(2), [n]\n{lines}    return n + next(it)\n"
    )
    name = f"<taken apart {body}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"gw": gw}
    exec(compile(source, name, "exec"), space)
    with pytest.raises(ValueError, match="^GW(503|130|103|104): "):
        gw.function(space["f"])(gw.constant(3, gw.int64))


HALF = [
    "any(q for q in e)",
    "any(e)",
    "all(q > 7 for q in e)",
    "all(map(bool, e))",
    "any(q > 2 for _, q in zip([1, 2, 3], e))",
    "any(q == 5 for q in itertools.chain(e))",
]
OVER = ["iter([n, n, n])", "itertools.repeat(n, 4)", "(q for q in [n, n])", "map(abs, [n, n])"]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("test", HALF)
def test_an_iterator_is_not_asked_after_a_tensor_decided_how_far_it_is(test, over):
    """`any` stops at the first true item."""
    text = f"def f(n):\n    e = {over}\n    b = {test}\n    return list(e)\n"
    file = f"/left/{abs(hash(text))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"itertools": itertools}
    exec(compile(text, file, "exec"), names)
    staged = gw.function(names["f"])
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"(?s)GW503: this takes items from a .* of which a tensor decides.*return list"
        ):
            staged(gw.constant(5))


@pytest.mark.parametrize("test", HALF)
def test_an_iterator_that_is_not_asked_again_is_taken_as_far_as_python_takes_it(test):
    text = f"def f(n):\n    e = iter([n, n, n])\n    return {test}\n"
    file = f"/taken/{abs(hash(text))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"itertools": itertools}
    exec(compile(text, file, "exec"), names)
    staged = gw.function(names["f"])
    for n in (5, 0, 9):
        assert bool(staged(gw.constant(n))) == names["f"](n)


@pytest.mark.parametrize("pairs", ["zip([xs, ys], [n, 2])", "zip((xs, ys), (n, 2))", "enumerate([xs, ys])"])
def test_a_loop_may_change_the_lists_that_are_its_items(pairs):
    text = "def f(n):\n    xs, ys = [n], [1]\n    for _ in range(n):\n"
    text += f"        for a, b in {pairs}:\n            a, b = (b, a) if isinstance(a, int) else (a, b)\n"
    text += "            a.append(b)\n    return xs, ys\n"
    file, names = f"<items {pairs}>", {"__name__": "iterators"}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    assert plain(gw.function(names["f"])(gw.constant(3))) == plain(names["f"](3))


def test_another_name_changes_the_list_that_a_loop_runs_over() -> None:
    """The loop would not see what is changed by a name that gets the list in its body."""

    @gw.function
    def swapped(n):
        xs, ys = [0, 0], [0]
        xs.insert(n, 0)
        for _ in xs:
            xs, ys = ys, xs
            if len(xs) < 5:
                xs.append(7)
        return len(xs)

    with pytest.raises(ValueError, match="GW130"):
        swapped(gw.constant(1))


def test_a_name_of_the_list_that_a_loop_runs_over_gets_another_list() -> None:
    """A list that nobody changes stays what the loop runs over."""

    @gw.function
    def collected(n):
        xs = [1, 2]
        xs.insert(n, 0)
        for x in xs:
            xs = [*xs, x]
        return len(xs)

    assert int(collected(gw.constant(1))) == 6
