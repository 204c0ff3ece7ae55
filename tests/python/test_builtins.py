"""Python's own functions while a graph is built: each is mapped, works as it is, or says why not and where."""

import builtins
import functools
import itertools
import math
import operator
import random
import re

import numpy as np
import pytest

import graphwright as gw
from graphwright._meanings import TABLE
from three_ways import check, outcome, tensor

MAPPED = {id(original) for original, _, _ in TABLE}
NUMBERS = [2.665, 0.5, -2.5, 0.0, -7.1, 3, -4, 1e300, math.inf, -math.inf, math.nan]

# What Python's functions that are not mapped do with a tensor: they call its methods, or never look at it.
AS_IS = """
    abs aiter anext bytearray bytes callable classmethod copyright credits delattr dict dir divmod eval
    exec exit format frozenset getattr hasattr hash help issubclass license memoryview object
    print property quit set setattr slice staticmethod str super vars
    __build_class__ __import__ __loader__ breakpoint compile globals locals
""".split()
LOCATED = {"bin": "GW108", "chr": "GW108", "hex": "GW108", "oct": "GW108", "ord": None}


def functions(module):
    """The module's functions and types, by name."""
    named = ((name, getattr(module, name)) for name in dir(module))
    return {
        name: value
        for name, value in named
        if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException))
    }


@pytest.mark.parametrize("name", sorted(functions(builtins)))
def test_every_builtin_is_decided(name):
    """Mapped, working as it is, or refused at the user's line."""
    function = getattr(builtins, name)
    if name.startswith("_") and name not in AS_IS or name == "runfile":
        pytest.fail(f"{name} is new")
    assert (id(function) in MAPPED) + (name in AS_IS) + (name in LOCATED) == 1


@pytest.mark.parametrize(("name", "code"), LOCATED.items())
def test_builtins_that_need_a_value_now(name, code):
    @gw.function
    def f(x):
        return len(getattr(builtins, name)(x))

    with pytest.raises(TypeError, match=f"{code}.*" if code else "ord"):
        f(gw.constant(3))


@pytest.mark.parametrize("text", [repr, ascii])
def test_the_text_of_a_tensor_is_not_known(text):
    @gw.function
    def f(x):
        return text(x)

    with pytest.raises(TypeError, match="GW120: `(repr|ascii)` has no meaning for a tensor of the graph"):
        f(gw.constant(3))
    assert text(gw.constant(3)).startswith("<gw.Tensor")


@pytest.mark.parametrize("name", sorted(n for n in functions(math) if not n.startswith("_")))
def test_every_function_of_math_is_decided(name):
    assert id(getattr(math, name)) in MAPPED


@pytest.mark.parametrize("name", sorted(n for n in functions(operator) if not n.startswith("_")))
def test_every_function_of_operator_gives_what_python_gives(name):
    """With two integers where that is what it takes; the rest takes sequences or makes functions."""
    function = getattr(operator, name)
    others = """
        attrgetter concat contains countOf delitem getitem iconcat indexOf itemgetter length_hint methodcaller
        setitem index call matmul imatmul is_none is_not_none
    """.split()
    if name in others:
        return
    arguments = (6,) if name in {"abs", "inv", "invert", "neg", "not_", "pos", "truth"} else (6, 2)
    check(lambda *values: function(*values), *arguments)


def test_functions_of_operator_on_sequences():
    vector = np.array([3, 1, 3, 2])
    check(lambda t, x: operator.contains(t, x), vector, 3)
    check(lambda t, x: operator.countOf(t, x), vector, 3)
    check(lambda a, b: operator.countOf([a, b, 3], 3), 3, 2)
    check(lambda t: sum(x == 3 for x in t), vector)
    check(lambda a, b: sum([a > 2, b > 2, True]), 3, 2)
    check(lambda t: operator.getitem(t, 1), vector)
    check(lambda t: operator.itemgetter(1, -1)(t), vector)
    check(lambda t: operator.length_hint(t), vector)
    check(lambda a, b: operator.matmul(a, b), vector, vector)
    check(lambda x: operator.call(lambda v: v + 1, x) if hasattr(operator, "call") else x + 1, 3)


def math_functions(arity):
    """The mapped functions of `math` that take so many numbers."""
    two = {"atan2", "copysign", "fmod", "pow", "remainder"}
    special = {"dist", "factorial", "gcd", "hypot", "isclose", "isqrt", "lcm", "log", "prod"}
    refused = {
        "comb",
        "erfc",
        "fma",
        "frexp",
        "fsum",
        "gamma",
        "ldexp",
        "lgamma",
        "nextafter",
        "perm",
        "sumprod",
        "ulp",
    }
    names = {n for n in functions(math) if not n.startswith("_")} - special - refused
    return sorted(names & two if arity == 2 else names - two)


@pytest.mark.parametrize("name", math_functions(1))
def test_functions_of_one_number(name):
    """As `math` to twelve digits, and failing where it fails: `ValueError` and `OverflowError`."""
    function = getattr(math, name)

    def call(x):
        return function(x)

    for x in [*NUMBERS, 1.0, 8.0, 1000.0, 1e-9, 0.999, 27.0, 700.0, -0.3]:
        if name in {"ceil", "floor", "trunc"} and x == 1e300:
            continue
        check(call, x)


@pytest.mark.parametrize("name", math_functions(2))
def test_functions_of_two_numbers(name):
    function = getattr(math, name)

    def call(x, y):
        return function(x, y)

    for x, y in itertools.product(
        [2.5, -2.5, 0.0, -0.0, 7, math.inf, math.nan], [2.0, -0.75, 0.0, 3, math.inf]
    ):
        check(call, x, y)
    staged = gw.function(lambda x: function(x, 2))
    assert staged(gw.constant(2.5, gw.float32)).dtype == gw.float64


def test_functions_of_several_numbers():
    for values in [(3.0, 4.0), (0.0, -0.0), (1e200, 1e200), (math.inf, math.nan), (1.0, 2.0, -2.0)]:
        check(lambda *xs: math.hypot(*xs), *values)
    check(lambda p, q: math.dist(p, q), np.array([1.0, 2.0]), np.array([4.0, 6.0]))
    for x, y in [(1.0, 1.0 + 1e-12), (1.0, 1.1), (math.inf, math.inf), (math.nan, 1.0), (1e-12, 0.0)]:
        check(lambda a, b: (math.isclose(a, b), math.isclose(a, b, abs_tol=1e-9)), x, y)
    for x, base in [(8.0, 2.0), (100, 10), (2.0, 1.0), (0.0, 2.0), (-1.0, 2.0)]:
        check(lambda a, b: math.log(a, b), x, base)
    check(lambda t: math.prod(t), np.array([2.0, 3.0, -1.5]))
    check(lambda t: math.prod(t, start=2), np.array([2, 3, 5]))


def test_functions_of_integers():
    for a, b in [(12, 18), (-12, 18), (0, 5), (0, 0), (7, 13)]:
        check(lambda x, y: (math.gcd(x, y), math.lcm(x, y)), a, b)
    for n in [0, 1, 2, 3, 4, 24, 25, 26, 10**12, 10**12 - 1, 2**62, 2**63 - 1]:
        check(lambda x: math.isqrt(x), n)
    for n in [-1, 0, 1, 5, 20]:
        check(lambda x: math.factorial(x), n)
    for base, exponent, modulus in [(3, 200, 7), (3, 2, -7), (0, 0, 5), (5, 3, 1), (2, 5, 0), (-3, 3, 10)]:
        check(lambda b, e, m: pow(b, e, m), base, exponent, modulus)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda x: math.lgamma(x), "GW120"),
        (lambda x: math.frexp(x), "GW120"),
        (lambda x: random.sample([x], 1), "GW503"),
        (lambda x: math.sqrt(gw.stack([x, x])), "GW120"),
        (lambda x: int(gw.stack([x, x])), "GW120"),
        (lambda x: sorted([x, 1.0], key=lambda v: v > 0 and str), "GW1"),
    ],
)
def test_refusals_name_the_users_line(program, code):
    with pytest.raises((TypeError, ValueError), match=rf"(?s){code}.*{re.escape(__file__)}"):
        gw.function(program)(gw.constant(3.0))


@pytest.mark.parametrize("digits", [None, 0, 1, 2, 3, -1, -2, 15])
def test_rounding_is_exact(digits):
    """`round(2.665, 2)` is 2.67 because 2.665 is a little more than it says."""
    rng = np.random.default_rng(1)
    decimals = [i / 1000 for i in range(1, 400, 5)] + rng.normal(scale=1e4, size=60).tolist()
    staged = gw.function(lambda x: round(x) if digits is None else round(x, digits))
    for x in [*decimals, 2.665, 1.005, -0.5, -0.4, 1e22, 123456789.125, 0.0]:
        ours = staged(gw.constant(x, gw.float64)).item() if digits is not None or abs(x) < 2**63 else round(x)
        assert repr(ours) == repr(round(x, digits) if digits is not None else round(x)), x
    for n in [0, 5, 15, 25, -15, 149, 150, 250, -1250]:
        assert staged(gw.constant(n, gw.int64)).item() == (round(n) if digits is None else round(n, digits))


def test_casts():
    for x in [2.9, -2.9, 0.0, 5, -5, True, False, math.nan, math.inf, -math.inf]:
        check(lambda v: (int(v), float(v), bool(v)), x)
        check(lambda v: bool(v), x)
        check(lambda v: float(v), x)
    with pytest.raises(OverflowError):
        gw.function(lambda v: int(v))(gw.constant(1e30, gw.float64))


def test_extremes_are_pythons():
    """The first of equal values, and NaN only where comparing one after the other leaves it."""
    for values in itertools.product([1.0, math.nan, 2.0], repeat=3):
        check(lambda a, b, c: (max(a, b, c), min(a, b, c), max([a, b, c]), min((a, b, c))), *values)
        check(lambda t: (max(t), min(t)), np.array(values))
    check(lambda a, b: (max(a, b, key=abs), min(a, b, key=lambda v: -v)), -3, 2)
    check(lambda a: (max([a], default=5), max([], default=a), max(a, 2, -1)), 1)
    check(lambda t: (max(t, key=abs), min(t, key=lambda v: v * v), max(t, default=7)), np.array([1, -5, 5]))
    check(lambda t: max(t), np.array([True, False]))
    check(lambda t: min(t), np.array([], dtype=np.float64))
    check(lambda a, b: max((a, 1), (b, 2), key=lambda pair: pair[0])[1] + 0 * a, 3, 4)


SYMBOLIC = [gw.TensorSpec([None], gw.float64)]


def symbolic(program, values):
    """The result for a vector whose length the graph does not know."""
    vector = np.array(values, dtype=np.float64)
    native = outcome(program, (vector,))
    ours = outcome(gw.function(program, input_signature=SYMBOLIC), (tensor(vector),))
    assert ours[:1] == native[:1], (native, ours)
    if native[0] == "gives":
        np.testing.assert_allclose(ours[1], native[1])
    else:
        assert ours[1] == native[1]


@pytest.mark.parametrize("values", [[], [3.0], [1.0, -2.0, 4.0, 0.0], [math.nan, 1.0], [1.0, math.nan]])
@pytest.mark.parametrize(
    "program",
    [
        lambda t: max(t),
        lambda t: min(t),
        lambda t: max(t, default=9.0),
        lambda t: max(t, key=abs),
        lambda t: min((x * x for x in t), default=5.0),
        lambda t: float(sum(t)),
        lambda t: float(sum(x * 2 for x in t if x > 0)),
        lambda t: any(t),
        lambda t: all(t),
        lambda t: any(x > 3 for x in t),
        lambda t: all(x > -3 for x in t if x < 2),
        lambda t: max(x + 1 for x in t if x > 0),
        lambda t: float(sum(map(abs, filter(None, t)))),
        lambda t: functools.reduce(lambda a, b: a * 2 + b, t, 1.0),
        lambda t: functools.reduce(lambda a, b: a * 2 + b, t),
        lambda t: float(sum(i * x for i, x in enumerate(t, 1))),
        lambda t: float(sum(a * b for a, b in zip(t, reversed(t)))),
        lambda t: len(t) * 2.5,
    ],
)
def test_folds_over_a_length_that_is_not_known(program, values):
    symbolic(program, values)


def test_any_and_all_stop_as_python_does():
    def first(t):
        return any(math.sqrt(x) > 1 for x in t)

    check(first, np.array([1.0, 4.0, -1.0]))
    check(first, np.array([1.0, -1.0, 4.0]))

    def each(a, b):
        return any([a > 1, b > 1]), all(v > 0 for v in [a, b]), any(10 // v > 1 for v in [a, b])

    check(each, 2, 0)
    check(each, 0, 2)


def test_other_paths_to_a_function():
    check(lambda t: list(map(abs, t)), np.array([1, -2]))
    check(lambda x: functools.partial(max, 3)(x), 5)

    def alias(x):
        greatest = max
        return greatest(x, 2)

    check(alias, 1)

    def helper(v):
        if v > 0:
            return v
        return -2 * v

    check(lambda t: sorted(t, key=helper), np.array([3, -1, 2, -4]))
    check(lambda a, b: sorted([a, b], key=helper, reverse=True), 3, -1)
    check(lambda a, b: [sorted(["b", "a"]), max(map(helper, [a, b]))][1], 3, -1)


def test_sorting_keeps_equal_elements_in_order():
    t = np.array([3, -1, 1, -3, 2])
    check(lambda t: sorted(t, key=abs), t)
    check(lambda t: sorted(t, key=abs, reverse=True), t)
    check(lambda t: sorted(t, reverse=True), np.array([2.5, -1.0, 7.0]))
    rng = np.random.default_rng(3)
    for shape, axis in [((7,), 0), ((3, 4), 1), ((3, 4), 0), ((2, 3, 4), 1), ((0, 3), 1), ((3, 0), 1)]:
        for x in [
            rng.integers(0, 4, shape),
            rng.integers(0, 4, shape).astype(np.float32),
            rng.integers(0, 2, shape) > 0,
        ]:
            for direction, sign in [("ASCENDING", 1), ("DESCENDING", -1)]:
                wanted = np.argsort(sign * x.astype(np.int64), axis=axis, kind="stable")
                np.testing.assert_array_equal(gw.argsort(x, axis, direction).numpy(), wanted)
                ours = gw.sort(x, axis, direction).numpy()
                np.testing.assert_array_equal(ours, np.take_along_axis(x, wanted, axis))
    with pytest.raises(ValueError, match="GW204"):
        gw.sort([1, 2], direction="UP")


def test_a_tensor_is_no_python_number():
    @gw.function
    def f(x):
        return [isinstance(x, gw.Tensor), isinstance(x, int), callable(x), type(x) is gw.Tensor].index(
            False
        ) + 0 * x

    assert f(gw.constant(3)).item() == 1


@pytest.mark.parametrize(
    "ordered",
    [
        lambda m: sorted(m),
        lambda m: sorted(list(m)),
        lambda m: sorted(m, reverse=True),
        lambda m: [row for row in sorted(m)],
        lambda m: sorted([1, 0], key=lambda i: m[i]),
    ],
)
def test_rows_of_more_than_one_element_have_no_order(ordered):
    m = gw.constant([[3, 4], [1, 2]])
    with pytest.raises(ValueError, match="ambiguous"):
        ordered(m)
    for _ in range(2):
        with pytest.raises(ValueError, match="(?s)GW202.*test_builtins.py"):
            gw.function(ordered)(m)


def test_one_row_and_rows_by_a_number_are_sorted():
    m = gw.constant([[3, 4], [1, 2]])
    by_first = gw.function(lambda m: sorted(m, key=lambda row: row[0]))
    assert [row.numpy().tolist() for row in by_first(m)] == [[1, 2], [3, 4]]
    assert gw.function(lambda m: sorted(m))(m[:1])[0].numpy().tolist() == [3, 4]
