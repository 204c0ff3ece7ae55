"""Tensors of strings: how they are made and shown, and that graphs do with them what Python does with `bytes`."""

import gc
import os
import pathlib
import pickle

import numpy as np
import pytest

import graphwright as gw

LONG = "a string that is longer than a word"


def check(function, *args):
    """Python on bytes, converted code on bytes, and a graph on tensors give and print the same."""
    native = function(*args)
    converted = gw.autograph.to_graph(function)(*args)
    staged = gw.function(function)(*[gw.constant(arg) for arg in args])
    for ours in (converted, staged):
        ours = ours.numpy() if isinstance(ours, gw.Tensor) else ours
        assert np.array_equal(ours, native), f"{function.__name__}{args}: native {native}, ours {ours}"


@pytest.mark.parametrize(
    "given",
    [
        "a",
        b"a",
        "",
        "é",
        b"\xff\x00",
        "seven b",
        "eight by",
        LONG,
        ["a", "bc", LONG],
        [["a", b"b"], ["", "\0"]],
        np.array(["a", "bc"]),
        np.array([b"a", b"bc"]),
        np.array([["a", b"bc"]], dtype=object),
        np.array([], "U"),
    ],
    ids=repr,
)
def test_what_goes_in_comes_out(given):
    made = gw.constant(given)
    wanted = np.array(given, dtype=object)
    elements = [x.encode() if isinstance(x, str) else x for x in wanted.ravel()]
    assert made.dtype == gw.string and made.shape == wanted.shape
    assert np.asarray(made, dtype=object).ravel().tolist() == elements
    assert isinstance(made.numpy(), bytes) if made.ndim == 0 else made.numpy().dtype == object
    again = pickle.loads(pickle.dumps(made))
    assert again.dtype == gw.string and np.array_equal(again.numpy(), made.numpy())


def test_how_they_are_shown(capfd):
    single, several = gw.constant("a"), gw.constant(["b", LONG])
    assert repr(single) == "<gw.Tensor: shape=(), dtype=string, numpy=b'a'>"
    assert str(single) == "gw.Tensor(b'a', shape=(), dtype=string)"
    assert repr(several[:1]) == "<gw.Tensor: shape=(1,), dtype=string, numpy=array([b'b'], dtype=object)>"
    assert str(gw.string) == "<dtype: 'string'>" and repr(gw.string) == "gw.string"

    @gw.function
    def show(x, y):
        print("a text with", x, f"and {x}, {y}")
        gw.print(x, y)

    show(single, several)
    shown = capfd.readouterr()
    assert shown.out == f"a text with a and a, ['b' '{LONG}']\n"
    assert shown.err == f'a ["b" "{LONG}"]\n'


@pytest.mark.parametrize("given", [str, bytes, "string", np.dtype("U3"), np.dtype("S"), object, gw.string])
def test_names_of_the_dtype(given):
    assert gw.as_dtype(given) is gw.string
    assert gw.string.as_numpy_dtype is np.object_


@pytest.mark.parametrize("empty", [[], (), [[], []], np.array([], object), np.array([], "S3")])
def test_lists_without_elements(empty):
    for way in (gw.constant, gw.convert_to_tensor, gw.function(lambda dtype: gw.constant(empty, dtype))):
        made = way(empty, gw.string) if way in (gw.constant, gw.convert_to_tensor) else way(gw.string)
        assert made.dtype == gw.string and made.shape == np.shape(empty)
    with pytest.raises(TypeError, match="GW201"):
        gw.constant(np.zeros(0), gw.string)


def test_eager_operations():
    several = gw.constant(["b", "a", LONG])
    assert (several + "!").tolist() == [b"b!", b"a!", LONG.encode() + b"!"]
    assert ("<" + several + [">", "", "]"]).tolist() == [b"<b>", b"<a", b"<" + LONG.encode() + b"]"]
    assert (several == "a").tolist() == [False, True, False]
    assert (several != LONG).tolist() == [True, True, False]
    assert (several < "b").tolist() == [False, True, True]
    assert (LONG >= several).tolist() == [False, True, True]
    assert "a" in several and "c" not in several
    assert gw.where([True, False, True], several, "z").tolist() == [b"b", b"z", LONG.encode()]
    assert gw.concat([several, several[:1]], 0)[2:].tolist() == [LONG.encode(), b"b"]
    assert gw.stack([several[0], "x"]).tolist() == [b"b", b"x"]
    assert gw.gather(several, [2, 0, 2]).tolist() == [LONG.encode(), b"b", LONG.encode()]
    assert gw.transpose(gw.reshape(several, [3, 1]) + ["", "'"]).tolist()[1][0] == b"b'"
    assert gw.fill([2], LONG).tolist() == [LONG.encode()] * 2
    assert [row.item() for row in several] == several.tolist()
    assert bool(gw.constant("0")) and not gw.constant("")
    assert int(gw.constant("12")) == 12 and float(gw.constant("1.5")) == 1.5


def test_stores():
    several = gw.constant(["a", "b", "c"])
    several[1] = LONG
    several[::2] = ["x", b"y"]
    assert several.tolist() == [b"x", LONG.encode(), b"y"]


def join(a, b):
    return a + b"-" + b if a < b else b + a


def equal(a, b):
    if a == b:
        return b"same"
    if a != b"x" and b in (b"y", b"z"):
        return a
    return b"others"


def repeat(a, n):
    out = a
    for i in gw.range(n):
        out = out + a
        if out > b"yy":
            break
    return out


def search(a, n):
    while n > 0 and a != b"aaaaaaaaaaaa":
        a, n = b"a" + a, n - 1
    return a


def grow(a, n):
    parts = []
    for i in gw.range(n):
        parts.append(a)
        a = a + b"!"
    last = b""[0:0] + a
    for part in parts:
        last = last + part
    return last


def matched(a):
    match a:
        case b"x" | b"y":
            return a + b" is found"
        case _:
            return b"nothing of " + a


@pytest.mark.parametrize("a", [b"", b"x", b"y", LONG.encode()])
def test_graphs_do_what_python_does(a):
    for b in (b"", b"y", LONG.encode()):
        check(join, a, b)
        check(equal, a, b)
    for n in (0, 1, 4):
        check(repeat, a, n)
        check(search, a, n)
        check(grow, a, n)
    check(matched, a)


def test_strings_of_the_program_become_tensors_where_they_differ():
    @gw.function
    def sign(x):
        word = "zero"
        if x > 0:
            word = "positive"
        elif x < 0:
            word = b"negative"
        print("it is", word)
        return "it is " + word if word != "zero" else "it is none"

    assert [sign(gw.constant(x)).item() for x in (1, -1, 0)] == [
        b"it is positive",
        b"it is negative",
        b"it is none",
    ]

    @gw.function
    def dashes(n):
        text, kind = "", "dashes"
        for i in gw.range(n):
            text += "-"
            found = "some"
        return text, kind, found if n > 0 else None

    text, kind, found = dashes(gw.constant(3))
    assert (text.item(), kind, found.item()) == (b"---", "dashes", b"some")
    assert dashes(gw.constant(0))[0].item() == b"" and dashes(gw.constant(0))[2] is None

    @gw.function
    def mixed(x):
        return "a" if x > 0 else 1

    with pytest.raises(
        ValueError, match="GW103: the result is a `str` of 1 if .* and a Python `int` if it is"
    ):
        mixed(gw.constant(1))


def test_through_functions():
    @gw.function
    def double(a):
        return a + a

    assert double(gw.constant("a")).item() == b"aa"
    assert double(gw.constant("b" * 9)).item() == b"b" * 18
    assert double(gw.constant(["a", "b"])).tolist() == [b"aa", b"bb"]
    assert double.experimental_get_tracing_count() == 2
    assert double("a") == "aa"
    concrete = double.get_concrete_function(gw.TensorSpec([None], gw.string))
    assert concrete(gw.constant(["x"])).tolist() == [b"xx"]

    @gw.function(input_signature=[gw.TensorSpec([], gw.string)])
    def signed(a):
        return a + held + kept

    held, kept = gw.constant(LONG), gw.Variable("!")
    assert signed("a").item() == b"a" + LONG.encode() + b"!"
    held = gw.constant("b")
    kept.assign("?")
    assert signed(b"a").item() == b"ab?"
    with pytest.raises(TypeError, match="GW304|GW302|GW305"):
        signed(1)


def test_variables():
    state = gw.Variable(["a", "b"])
    state.assign(["c", LONG])
    assert state.numpy().tolist() == [b"c", LONG.encode()]

    @gw.function
    def step(x):
        state.assign(state + x)
        return state[0]

    assert step(gw.constant("!")).item() == b"c!"
    assert step(gw.constant("!")).item() == b"c!!"
    assert state.numpy().tolist() == [b"c!!", LONG.encode() + b"!!"]


def test_arrays_of_tensors():
    @gw.function
    def function(n):
        array = gw.TensorArray(gw.string, size=n)
        text = gw.constant("")
        for i in gw.range(n):
            text += "x"
            array = array.write(i, text)
        return array.stack()

    assert function(gw.constant(3)).tolist() == [b"x", b"xx", b"xxx"]


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (lambda a: a + 1, "GW203"),
        (lambda a: a == 1, "GW203"),
        (lambda a: 2 * a, "GW203"),
        (lambda a: a + gw.constant(1), "GW203"),
        (lambda a: gw.constant([1]) + ["a"], "GW203"),
        (lambda a: a - a, "GW201"),
        (lambda a: a * a, "GW201"),
        (lambda a: a / a, "GW201"),
        (lambda a: a // a, "GW201"),
        (lambda a: a & a, "GW201"),
        (lambda a: -a, "GW201"),
        (lambda a: ~a, "GW201"),
        (lambda a: gw.sqrt(a), "GW201"),
        (lambda a: gw.maximum(a, a), "GW201"),
        (lambda a: gw.reduce_sum([a]), "GW201"),
        (lambda a: gw.argmax([a]), "GW201"),
        (lambda a: gw.sort([a]), "GW201"),
        (lambda a: gw.matmul([[a]], [[a]]), "GW201"),
        (lambda a: gw.cast(a, gw.int32), "GW201"),
        (lambda a: gw.cast(1, gw.string), "GW201"),
        (lambda a: gw.ones([2], gw.string), "GW201"),
        (lambda a: gw.constant("1", gw.int32), "GW201"),
        (lambda a: gw.constant(1, gw.string), "GW301"),
        (lambda a: gw.constant(np.array(["1"]), gw.int32), "GW201"),
        (lambda a: gw.constant(["a", 1]), "GW301"),
        (lambda a: gw.constant([1, "a"]), "GW301"),
        (lambda a: gw.constant([["a"], ["b", "c"]]), "GW301"),
        (lambda a: gw.constant([{}]), "GW301"),
        (lambda a: "b" in a, "GW204"),
    ],
)
def test_what_is_refused(what, code):
    with pytest.raises((TypeError, ValueError), match=code):
        what(gw.constant("ab"))
    with pytest.raises((TypeError, ValueError), match=code):
        gw.function(what)(gw.constant("ab"))


def test_functions_of_strings():
    several = gw.constant(["", "aBc", LONG, "é"])
    assert gw.strings.length(several).tolist() == [0, 3, len(LONG), 2]
    assert gw.strings.length("abc").dtype == gw.int32
    assert gw.strings.upper(several).tolist() == [b"", b"ABC", LONG.upper().encode(), "é".encode()]
    assert gw.strings.lower(gw.strings.upper(several)).tolist()[1:3] == [b"abc", LONG.encode()]
    joined = gw.strings.join([several, "+", [LONG]], separator=", ")
    assert joined.tolist() == [f"{x}, +, {LONG}".encode() for x in ("", "aBc", LONG, "é")]
    assert gw.strings.join([several[1], several[2]]).item() == b"aBc" + LONG.encode()
    assert gw.strings.join([]).item() == b""

    @gw.function
    def longest(words):
        found = words[0]
        for word in words:
            if gw.strings.length(word) > gw.strings.length(found):
                found = gw.strings.upper(word)
        return found

    assert longest(several).item() == LONG.upper().encode()
    with pytest.raises(ValueError, match="GW204.*UTF8_CHAR"):
        gw.strings.length("a", unit="UTF8_CHAR")
    with pytest.raises(TypeError, match="GW201: cannot measure int32; it takes string"):
        gw.strings.length([1])


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (lambda word: word in {"positive": 1}, "GW130"),
        (lambda word: word in {"positive"}, "GW130"),
        (lambda word: {"positive": 1}[word], "GW130"),
        (lambda word: {word: 1}, "GW130"),
        (lambda word: len(word), "GW108"),
        (lambda word: f"{word:>9}", "GW116"),
        (lambda word: str(word), "GW116"),
        (lambda word: print([word]), "GW116"),
        (lambda word: print({"of": word}), "GW116"),
        (lambda word: sorted([word, "a"]), "GW201"),
        (lambda word: word + 1, "GW203"),
        (lambda word: word[0], "GW205"),
        (lambda word: [c for c in word], "cannot be iterated"),
        (lambda word: word.upper(), "has no attribute"),
    ],
)
def test_what_python_looks_into_is_refused(what, code):
    @gw.function
    def function(x):
        return what("positive" if x > 0 else "negative")

    with pytest.raises((TypeError, ValueError, AttributeError, IndexError), match=code):
        function(gw.constant(1))


def resident_bytes():
    """The memory of this process that is in RAM; 0 where the system has no such file."""
    statm = pathlib.Path("/proc/self/statm")
    if not statm.exists():
        return 0
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_hundred_thousand_strings_leave_the_memory_as_it_was():
    @gw.function
    def function(x, n):
        for i in gw.range(n):
            x = x + "."
        return x

    def make(times):
        for at in range(times):
            text = f"{at} " + "x" * 1000
            found = function(gw.constant([text + str(k) for k in range(10)]), gw.constant(4))
            assert found[9].item() == (text + "9....").encode()

    make(100)
    gc.collect()
    before = resident_bytes()
    # Each call makes fifty strings of a thousand bytes.
    make(2_000)
    gc.collect()
    assert resident_bytes() - before < 4_000_000
