"""Single numbers of NumPy's where Python's follow other rules: functions of `math`, comparisons, powers, divisions, and what joins both."""

import math
import os
from random import Random

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

EXPRESSIONS = int(os.environ.get("SCALAR_EXPRESSIONS", "80"))

DTYPES = "int8 uint8 int32 int64 uint64 float16 float32 float64".split()

OF_ONE = (
    "acos asin asinh atan atanh cbrt ceil cos cosh degrees erf exp exp2 expm1 fabs floor isfinite isinf isnan log log10 log1p log2 "
    "radians sin sinh sqrt tan tanh trunc"
).split()

OF_TWO = "atan2 copysign fmod hypot pow remainder isclose".split()


class Raised:
    """An exception of a program."""

    def __init__(self, error):
        self.kind, self.text = type(error), str(error)

    def __repr__(self):
        return f"{self.kind.__name__}: {self.text}"


def staged_and_plain(text, *arguments, **options):
    """Results or errors of a graph and of plain Python."""
    plain, _ = function_of("import math\nimport cmath\n" + text, text)

    def outcome(function):
        given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
        try:
            with np.errstate(all="ignore"):
                found = function(*given)
        except Exception as error:
            return Raised(error)
        parts = found if isinstance(found, tuple) else (found,)
        return [one.numpy() if isinstance(one, gw.Tensor) else one for one in parts]

    return outcome(gw.function(plain, **options)), outcome(plain)


def agrees(text, *arguments, **options):
    """Asserts that values and dtypes are plain Python's, or that both raise one class."""
    found, wanted = staged_and_plain(text, *arguments, **options)
    if isinstance(wanted, Raised) or isinstance(found, Raised):
        assert isinstance(found, Raised) and isinstance(wanted, Raised), (text, found, wanted)
        assert issubclass(found.kind, wanted.kind), (text, found, wanted)
        return
    for ours, theirs in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        # `int` of an element keeps the element's width where a graph returns it.
        same = ours.dtype.kind == theirs.dtype.kind == "i" or ours.dtype == theirs.dtype
        assert same, (text, ours, theirs)
        near = 1e-13 if theirs.dtype == np.float64 else 0
        np.testing.assert_allclose(ours, theirs, rtol=near, err_msg=text)


def refused(text, code, *arguments, **options):
    """Asserts that the graph is refused with this code."""
    found, _ = staged_and_plain(text, *arguments, **options)
    assert isinstance(found, Raised) and found.text.startswith(code), (text, found)
    return found.text


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_math_compute_with_floats_of_pythons(dtype):
    e = np.array([0.3, 0.7] if dtype.startswith("f") else [1, 1]).astype(dtype)
    for name in OF_ONE:
        agrees(f"def f(e, i):\n    return math.{name}(e[i])\n", e, np.int64(0))
        if not name.startswith("is"):
            # A float of Python's takes the dtype of the element beside it.
            agrees(f"def f(e, i):\n    return math.{name}(e[i]) * e[1]\n", e, np.int64(0))
    for name in OF_TWO:
        for other in ("e[1]", "2", "0.5"):
            agrees(f"def f(e, i):\n    return math.{name}(e[i], {other})\n", e, np.int64(0))


def test_functions_of_math_take_what_singles_have_no_room_for():
    agrees("def f(e, i):\n    return math.exp(e[i])\n", np.array([100.0], np.float32), np.int64(0))
    agrees("def f(e, i):\n    return math.pow(e[i], 2)\n", np.array([1e30], np.float32), np.int64(0))
    agrees("def f(e, i):\n    return cmath.exp(e[i]) * e[0]\n", np.array([1 + 2j], np.complex64), np.int64(0))
    tensor = gw.constant([0.1])
    assert gw.function(lambda t: math.sin(t[0]))(tensor).numpy() == math.sin(np.float32(0.1))


@pytest.mark.parametrize(
    "body", ["a[0] ** -1", "a[0] ** k", "pow(a[0], -1)", "2 ** a[1] if k > 0 else a[0] ** -2"]
)
def test_integers_of_numpys_have_no_negative_powers(body):
    for dtype in ("int64", "int32", "bool"):
        agrees(f"def f(a, k):\n    return {body}\n", np.array([3, 1]).astype(dtype), -1)
    caught = "def f(a, k):\n    try:\n        return a[0] ** -1\n    except ValueError:\n        return 7.5\n"
    agrees(caught, np.array([3, 1]), 1)


@pytest.mark.parametrize("op", ["<", "<=", "==", "!=", ">", ">="])
def test_comparisons_round_where_numpys_do(op):
    wide, near = 2**53 + 1, 2.0**53
    text = f"def f(x, y):\n    return x[0] {op} y[0], y[0] {op} x[0]\n"
    for x in (np.array([wide]), np.array([wide], np.uint64)):
        for y in (np.array([near]), np.array([near], np.float32)):
            agrees(text, x, y)
        for value in (near, near + 2, near - 1):
            agrees(f"def f(x, y):\n    return x[0] {op} y, y {op} x[0]\n", x, value)
    agrees(f"def f(x, y):\n    return x[0] {op} y\n", np.array([2.0**24], np.float32), 2**24 + 1)
    agrees(f"def f(x, y):\n    return x {op} y\n", np.int64(wide), np.float64(near))
    agrees(text, np.array([2**64 - 1], np.uint64), np.array([-1]))
    # Python's own are compared exactly, and so are tensors.
    agrees(f"def f(x, y):\n    return int(x[0]) {op} float(y[0])\n", np.array([wide]), np.array([near]))


def test_bools_of_numpys_are_no_integers():
    for text in (
        "def f(t, i):\n    return round(t[i])\n",
        "def f(t, i):\n    n = 0\n    for _ in range(t[i]):\n        n += 1\n    return n\n",
    ):
        agrees(text, np.array([True]), np.int64(0))
    for text in ("def f(n):\n    return len(range(n))\n", "def f(n):\n    return round(n)\n"):
        agrees(text, np.True_)


@pytest.mark.parametrize("roll", [False, True])
def test_bools_of_an_array_are_added(roll):
    text = "def f(a):\n    s = 0\n    for i in range(len(a)):\n        s += a[i]\n    return s\n"
    agrees(text, np.array([True, True, False]), roll=roll)


def test_names_after_a_slash_are_free_for_keywords():
    @gw.function
    def scaled(a, b=2, /, c=3, **more):
        return a * b + c + sum(more.values()) * 10

    assert scaled(gw.constant(5), b=1).numpy() == 23
    assert scaled(gw.constant(5), b=1, d=2, a=3).numpy() == 73
    with pytest.raises(TypeError):
        gw.function(lambda a, b=2, /: a * b)(gw.constant(1), b=3)


SINGLES = np.array([0.25, -1.0], np.float32)


@pytest.mark.parametrize("way", ["d[0] if n > 0 else {}", "max(d[1], {})", "(d[1] * 0.0) or {}"])
def test_a_float_that_an_element_has_no_room_for_does_not_join_it(way):
    for number in ("0.0", "1", "0.5", "math.inf", "math.nan", "np.float32(0.7)"):
        found, wanted = staged_and_plain(
            f"def f(d, n):\n    return {way.format(number)}\n", SINGLES, np.int64(0)
        )
        np.testing.assert_array_equal(found, wanted)
    for number in ("0.7", "1e300", "16777217", "math.sin(d[0])"):
        text = f"def f(d, n):\n    return {way.format(number)}\n"
        assert "np.float32(0.7)" in refused(text, "GW101", SINGLES, np.int64(0))
        found, wanted = staged_and_plain(text, SINGLES.astype(np.float64), np.int64(0))
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
        # Tensors have no such rule.
        gw.function(function_of("import math\n" + text, text)[0])(gw.constant(SINGLES), np.int64(0))


@pytest.mark.parametrize("roll", [False, True])
def test_a_float_before_a_loop_joins_the_elements_that_it_is_added_to(roll):
    text = "def f(d, n):\n    s = {}\n    for i in range({}):\n        {}\n    return s\n"
    agrees(text.format("0.1", "len(d)", "s += d[i]"), SINGLES, 2, roll=roll)
    agrees(text.format("float('inf')", "n", "s = min(s, d[i])"), SINGLES, 2, roll=roll)
    agrees(text.format("0.5", "n", "s += d[i]"), SINGLES, np.int64(2))
    refused(text.format("0.1", "n", "s += d[i]"), "GW102", SINGLES, np.int64(2))
    for body in ("s = min(s, d[i])", "s = d[i] if d[i] > 5 else s"):
        refused(text.format("0.1", "len(d)", body), "GW10", SINGLES, 2, roll=roll)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_integers_that_a_loop_carries_meet_floats_as_numpys_do(dtype):
    text = "def f(x, n):\n    t, r = x[0], 0.0\n    for i in range(n):\n        r = r + t * 0.1\n        t = x[i]\n    return r\n"
    agrees(text, np.array([3, 7]).astype(dtype), np.int64(2), roll=True)


SMALL, WORDS = np.array([9, 3], np.uint8), np.array([9, 3], np.uint64)


def test_an_integer_that_is_pythons_or_numpys_is_refused_where_they_differ():
    either = "def f(a, n):\n    y = 5\n    if n > 0:\n        y = a[0]\n    return {}\n"
    for body in (
        "y",
        "y > 4",
        "y + a[1]",
        "a[y % 2]",
        "y / 2",
        "y * 0.5",
        "int(y) - 10",
        "~int(y)",
        "a + y",
    ):
        for n in (0, 1):
            found, wanted = staged_and_plain(either.format(body), SMALL, np.int64(n))
            np.testing.assert_array_equal(found, wanted, err_msg=body)
    for body in (
        "~y",
        "np.sqrt(y)",
        "y + np.int8(3)",
        "y * np.arange(3, dtype=np.int8)",
        "y ** -1",
        "~(y + 1)",
    ):
        assert "np.uint8" in refused(either.format(body), "GW101", SMALL, np.int64(0))
    for body in ("y - 10", "-y", "~y", "(y | 1) - 7"):
        refused(either.format(body), "GW101", WORDS, np.int64(0))
    least = "def f(a, n):\n    return {}\n"
    refused(least.format("min(a[n], 3) - 10"), "GW101", WORDS, np.int64(0))
    refused(least.format("~min(a[n], 3)"), "GW101", SMALL, np.int64(0))
    agrees(least.format("min(a[n], np.uint8(3)) ^ 7"), SMALL, np.int64(0))


def test_hashes_of_words_may_begin_with_an_integer_of_pythons():
    text = "def f(b):\n    h = 5\n    for i in range(len(b)):\n        h = (h ^ b[i]) * 1099511628211 - 3\n    return h\n"
    for roll in (False, True):
        agrees(text, np.array([1, 2**63, 77], np.uint64), roll=roll)


OPERATORS = ["+", "-", "*", "//", "%", "/", "&", "|", "^", "<<", ">>", "**", "<", "<=", "==", "!="]


def expression(random, depth, letters):
    draw = random.random()
    if depth == 0 or draw < 0.2:
        number = random.choice([1, 2, 3, -1, 7, 100, 0.5, 1.5])
        return str(number) if random.random() < 0.3 else random.choice(letters) + "[i]"
    x, y = (expression(random, depth - 1, letters) for _ in range(2))
    if draw < 0.65:
        return f"({x} {random.choice(OPERATORS)} {y})"
    if draw < 0.75:
        return f"{random.choice(['-', '~', 'abs', 'int', 'float', 'np.abs', 'np.sqrt', 'round'])}({x})"
    if draw < 0.85:
        return f"{random.choice(['min', 'max'])}({x}, {y})"
    if draw < 0.9:
        return f"math.{random.choice(['sin', 'fabs', 'floor', 'atan'])}({x})"
    return f"({x} if {expression(random, 0, letters)} > {y} else {x})"


@pytest.mark.parametrize("seed", range(EXPRESSIONS))
def test_random_expressions_of_elements_are_numpys(seed):
    """Values are NumPy's; the graph raises where its integers have no room, and refuses what it cannot tell."""
    random = Random(seed)
    kinds = random.sample(DTYPES, random.choice([1, 2, 2]))
    text = (
        f"def f(a, b, i):\n    return {expression(random, random.choice([1, 2, 2, 3]), 'ab'[: len(kinds)])}\n"
    )
    arrays = [
        np.array([random.randrange(0, 12) for _ in range(3)]).astype(kinds[at % len(kinds)])
        for at in range(2)
    ]
    for i in range(3):
        found, wanted = staged_and_plain(text, *arrays, np.int64(i))
        if isinstance(found, Raised):
            continue
        # Where NumPy raises, the graph has no rule by which there is a value.
        assert not isinstance(wanted, Raised), (text, arrays, found, wanted)
        if isinstance(wanted[0], int) and not -(2**63) <= wanted[0] < 2**63:
            continue
        ours, theirs = np.asarray(found[0]), np.asarray(wanted[0])
        near = np.isclose(ours.astype(complex), theirs.astype(complex), rtol=1e-12, atol=0.0, equal_nan=True)
        assert near, (text, arrays, kinds, i, ours, theirs)
