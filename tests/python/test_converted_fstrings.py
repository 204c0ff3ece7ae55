"""f-strings of converted functions: the same texts, made in the same order, as Python's."""

import asyncio
import contextlib
import datetime
import io
import sys

import pytest

import graphwright as gw

LOG = []


class Formatted:
    """Keeps a log of how it is shown."""

    def __init__(self, value):
        self.value = value

    def __format__(self, spec):
        LOG.append(("format", self.value, spec))
        return f"<{self.value}:{spec}>"

    def __repr__(self):
        LOG.append(("repr", self.value))
        return f"Formatted {self.value}"


def fields(x, y):
    return f"{x=} {y!r:>5} {x + 1:03d} {{}} {'q'}", f"{x:,}", f"{x / 3:.2e}", rf"\n{x}"


def order(x, y):
    return f"{Formatted(x)}{Formatted(y):abc}{Formatted(1)!r}{Formatted(2)!s:>8}"


def nested(x, y):
    return f"{(z := x * 2)}-{z}", f"{(lambda k: k + y)(x)}", f"{x:{y}d}", f"{x:{'>'}{y}}"


def comprehensions(x, y):
    return [f"{i}{j}" for i in range(x) for j in range(y)], {f"{i}": i for i in range(x)}, f"{x}" if x else y


def scopes(x, y):
    def inner(k=f"{x}"):
        return f"{k}{y}"

    class Named:
        name = f"{x}c"

        def longer(self):
            return f"{self.name}{x}"

    return inner(), Named().longer(), Named.name


def exceptions(x, y):
    try:
        raise ValueError(f"{x:>4}", f"{y}")
    except ValueError as error:
        return f"{error}", error.args


def grown(x, y):
    text = ""
    for i in range(x):
        text += f"{i},"
    assert text, f"{text}"
    return text, f"a{x}b", f"{datetime.date(2024, 1, x + 1):%Y-%m}", f"{'é'!a}"


def generators(x, y):
    def walked():
        sent = f"{(yield x)}"
        yield sent

    walk = walked()
    next(walk)
    return walk.send(y)


def coroutines(x, y):
    async def waited():
        return f"{await asyncio.sleep(0, x)}"

    return asyncio.run(waited())


def wrong_formats(x, y):
    try:
        return f"{x:zz}"
    except ValueError as error:
        return str(error)


def frames(x, y):
    return f"{locals()['x']}", f"{[n for n in (x, y)]!r}", f"{ {'a': x}['a'] }"


FUNCTIONS = (
    fields,
    order,
    nested,
    comprehensions,
    scopes,
    exceptions,
    grown,
    generators,
    coroutines,
    wrong_formats,
    frames,
)


@pytest.mark.parametrize("python", FUNCTIONS, ids=lambda f: f.__name__)
def test_texts_are_pythons(python):
    LOG.clear()
    wanted, shown = python(3, 4), list(LOG)
    LOG.clear()
    assert gw.autograph.to_graph(python)(3, 4) == wanted
    assert shown == LOG


def printed(n):
    x = n / 3
    print(f"{x:.2f}|{n:3d}|{n}", "a", n, f"{n + 1}", sep="-")
    for i in range(n):
        if i > 1:
            print(f"{i:02d} {x:>8.3f}")
        print("plain", i)
    print(f"{x:.1f}", end="!\n")
    print(f"{3:.2f}", f"{n > 1} {x:.0f} {{}}")
    return n


def test_print_formats_when_the_graph_runs(capsys):
    graph = gw.function(printed)
    for n in (4, 0, 2):
        printed(n)
        expected = capsys.readouterr().out
        for _ in range(2):
            graph(gw.constant(n))
            assert capsys.readouterr().out == expected


def test_values_beside_formats_look_as_in_other_texts(capsys):
    def shown(x, a, n):
        print(f"{x} {a} {n} 1.0", x, a)
        print(f"{x} {a} {n} {1.0:.1f}", x, a)
        print(f"{x} {a} {n} {n / n:.1f}", x, a)
        return x

    gw.function(shown)(gw.constant(0.1), gw.constant([1.5, 2.0]), gw.constant(3))
    first, *others = capsys.readouterr().out.splitlines()
    assert others == [first, first]


def conversions(n):
    print(f"{n:}|{n=}|{n!r}|{n!s}|{n:3d}")
    print(f"{n:}", f"{n > 1!r} {n:d}")
    return n


def test_empty_formats_and_conversions_of_numbers(capsys):
    graph = gw.function(conversions)
    for n in (4, 0):
        conversions(n)
        expected = capsys.readouterr().out
        graph(gw.constant(n))
        assert capsys.readouterr().out == expected


def test_a_formatted_text_goes_to_the_standard_output_of_its_time(capsys):
    @gw.function
    def shown(n):
        print(f"{n:3d}", file=sys.stdout)

    shown(gw.constant(1))
    assert capsys.readouterr().out == "  1\n"
    with contextlib.redirect_stdout(io.StringIO()) as out:
        shown(gw.constant(2))
    assert out.getvalue() == "  2\n"


def test_the_repr_of_an_array_beside_a_format_is_refused():
    @gw.function
    def shown(a):
        print(f"{a!r} {a[0]:.1f}")

    with pytest.raises(Exception, match="GW116"):
        shown(gw.constant([1.0, 2.0]))
