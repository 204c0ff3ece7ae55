"""Functions of unusual texts convert: long, deep, wide, oddly indented, oddly encoded, of newer grammars."""

import linecache
import sys
import typing

import pytest

import graphwright as gw


def of_text(text, name="f"):
    """The function of this name in this text, as if a file held it."""
    file = f"<text {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "texts"}
    exec(compile(text, file, "exec"), names)
    return names[name]


def of_file(tmp_path, data, name="f"):
    """The function of this name in a file with these bytes."""
    file = tmp_path / "texts.py"
    file.write_bytes(data)
    names = {"__name__": "texts", "__file__": str(file)}
    exec(compile(data, str(file), "exec"), names)
    return names[name]


def check(function, *calls):
    """Converted, the function gives what it gives."""
    converted = gw.autograph.to_graph(function)
    assert converted is not function
    for call in calls:
        assert converted(*call) == function(*call)
    return converted


def lines(count, line):
    return "".join(line.format(i=i) for i in range(count))


def test_many_lines():
    branches = lines(2500, "    if a > {i}:\n        s = s + {i}\n    x{i} = s\n")
    check(of_text(f"def f(a):\n    s = 0\n{branches}    return s + x2499\n"), (0,), (2000,))


@pytest.mark.parametrize("count", [10, 100])
def test_many_returns(count):
    returns = lines(count, "    if x == {i}:\n        return {i}\n")
    check(of_text(f"def f(x):\n{returns}    return -1\n"), (0,), (count - 1,), (count,))


@pytest.mark.parametrize("count", [10, 100])
def test_many_cases(count):
    cases = lines(count, "    elif x == {i}:\n        y = {i}\n")
    check(
        of_text(
            f"def f(x):\n    if x < 0:\n        y = -2\n{cases}    else:\n        y = -1\n    return y\n"
        ),
        (-1,),
        (count - 1,),
        (count,),
    )


def test_deep_statements():
    branches = "".join("    " * (i + 1) + f"if a != {i}:\n" for i in range(90))
    check(of_text(f"def f(a):\n{branches}{'    ' * 91}return a\n    return -a\n"), (1,), (89,), (90,))
    loops = "".join("    " * (i + 1) + f"for i{i} in range(1):\n" for i in range(20))
    check(of_text(f"def f(a):\n    n = 0\n{loops}{'    ' * 21}n += a\n    return n\n"), (3,))
    loops = "".join("    " * (i + 1) + f"while n < {i + 1}:\n" for i in range(20))
    check(of_text(f"def f(a):\n    n = 0\n{loops}{'    ' * 21}n += a\n    return n\n"), (1,), (3,))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100 + "a" + "+1)" * 100,
        "not " * 100 + "a",
        "a" + ".real" * 200,
        "abs(" * 90 + "a" + ")" * 90,
        "(" + "lambda: " * 50 + "a)" + "()" * 50,
        " and ".join(["a"] * 100),
        " < ".join(["a"] * 200),
        "".join(f"{i} if a == {i} else " for i in range(90)) + "-1",
        "[" + ", ".join(f"a+{i}" for i in range(20_000)) + "][-1]",
        "max(" + ", ".join(f"a+{i}" for i in range(300)) + ")",
    ],
    ids=[
        "sums",
        "nots",
        "attributes",
        "calls",
        "lambdas",
        "ands",
        "chain",
        "cases",
        "long line",
        "arguments",
    ],
)
def test_deep_and_wide_expressions(text):
    check(of_text(f"def f(a):\n    return {text}\n"), (0,), (3,))


def test_many_parameters():
    names = ", ".join(f"a{i}" for i in range(300))
    check(of_text(f"def f({names}):\n    if a0 < a1:\n        a2 = a299\n    return a2\n"), tuple(range(300)))


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n\tif a:\n\t\treturn 1\n\treturn 2\n",
        "def f(a):\n    \tif a:\n    \t  return 1\n    \telse: return 2\n",
        "def f(a):\n\x0c    if a: return 1\n\x0c\n    return 2\n",
        "def f(a):\n  if a: b = 1; c = b + 1; return c\n  b = 5; return b\n",
        "def f(a): return 1 if a else 2\n",
        "def f(a): b = a; return b\n",
        "def f(a):\n    if 1: pass\n    if 0: return 3\n    return a + \\\n        1\n",
        "def f(a):\n    return (a\n  + 1\n      # a remark\n) if a \\\n  else 7\n",
        "def f(a):\n    if a:  # why\n        # because\n        return 1\n    # else\n    return 2",
        "if True:\n        def f(a):\n            if a: return 1\n",
        "class C:\n  def m(self, a):\n    if a: return 1\n    return 2\nf = C().m\n",
        "def g(k):\n def f(a):\n  if a: return k\n  return -k\n return f\nf = g(4)\n",
        "x = '''\n'''; f = lambda a: a and 1\n",
    ],
)
def test_layouts(text):
    check(of_text(text), (0,), (1,))


def test_identifiers_are_normalised():
    text = "def f(ﬁn, été):\n    ｎ = 0\n    if ﬁn:\n        n = été + fin\n    return n, 'ﬁn ｎ'\n"
    check(of_text(text), (1, 2), (0, 2))


@pytest.mark.parametrize(
    "data",
    [
        "def f(a):\r\n    if a:\r\n        return 'é'\r\n    return '''1\r\n2'''\r\n".encode(),
        "\ufeffdef f(a):\n    if a:\n        return 'é'\n    return a\n".encode(),
        "# coding: latin-1\ndef f(a):\n    if a:\n        return 'é' + 'ü'\n    return a\n".encode("latin-1"),
        "#!/usr/bin/python\n# -*- coding: shift_jis -*-\ndef f(a):\n    if a:\n        return 'あ'\n".encode(
            "shift_jis"
        ),
    ],
    ids=["crlf", "bom", "latin", "shift_jis"],
)
def test_encodings(tmp_path, data):
    check(of_file(tmp_path, data), (0,), (1,))


def test_what_describes_a_function_stays():
    text = """
def around():
    def f(a: int, b: "str" = 'x', *c: float, d: list[int] = None) -> tuple:
        '''Says what it does.

        At length.'''
        if a:
            b = 'y'
        return a, b, c, d
    f.mark = 1
    return f
f = around()
"""
    function = of_text(text)
    converted = check(function, (1,), (0, "z", 2.0))
    for name in ("__doc__", "__annotations__", "__module__", "__name__", "__qualname__", "__dict__"):
        assert getattr(converted, name) == getattr(function, name)
    assert converted.__doc__.endswith("At length.")
    assert converted.__code__.co_firstlineno == function.__code__.co_firstlineno
    assert converted.__defaults__ is function.__defaults__


def test_a_docstring_alone():
    converted = check(of_text("def f(a):\n    'Nothing.'\n"), (1,))
    assert converted.__doc__ == "Nothing."


newer = pytest.mark.skipif(sys.version_info < (3, 12), reason="grammar of Python 3.12")


@newer
def test_type_parameters():
    text = "def f[T: int, *Ts, **P](a: T, *b: *Ts) -> T:\n    if a:\n        return T, a\n    return b\n"
    function = of_text(text)
    converted = check(function, (1,), (0, 2))
    assert converted.__type_params__ == function.__type_params__
    assert isinstance(converted(1)[0], typing.TypeVar)


@newer
def test_type_statements():
    text = "def f(a):\n    type X[T] = list[T]\n    if a:\n        a = X.__name__\n    return a\n"
    check(of_text(text), (0,), (1,))


@newer
def test_nested_f_strings():
    text = 'def f(a):\n    if a:\n        return f"{"é" + f"{a:>{"4"}}"} {a!r:^{a + 4}} {\n  a=  }"\n    return f"{a}" "b"\n'
    check(of_text(text), (0,), (1,))
