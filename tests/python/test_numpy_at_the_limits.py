"""NumPy's functions at the ends of dtypes, with lengths that the graph decides and with lists of arrays: NumPy's values, dtypes and shapes."""

from __future__ import annotations

import importlib.util
import itertools
import pathlib
import random
import resource
import sys
import tempfile
import warnings
from typing import Any

import numpy as np
import pytest

import graphwright as gw
from numpy_expressions import same

INF, NAN = float("inf"), float("nan")

Row = tuple[str, Any, Any]


def row(dtype: str, *numbers: Any) -> Any:
    return np.array(numbers, dtype)


def outcome(function: Any, *arrays: Any) -> Any:
    """The results as NumPy's arrays, or the class of the exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = function(*arrays)
    except Exception as error:
        return type(error)
    return plain(found)


def plain(found: Any) -> Any:
    if isinstance(found, tuple | list):
        return tuple(map(plain, found))
    return found.numpy() if isinstance(found, gw.Tensor) else found


#: A folder for the files of expressions, and their numbers.
FOLDER, NUMBERS = tempfile.TemporaryDirectory(), itertools.count()


def written(expressions: list[str]) -> list[Any]:
    """A function of `a` and `b` for each expression, of a file that the conversion reads."""
    path = pathlib.Path(FOLDER.name) / f"expressions_at_the_limits_{next(NUMBERS)}.py"
    texts = [f"def f{at}(a, b):\n    return {text}\n" for at, text in enumerate(expressions)]
    path.write_text("import numpy as np\n" + "\n".join(texts))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"f{at}") for at in range(len(expressions))]


def check(expression: str, a: Any, b: Any, ways: str = "graph eager unknown") -> None:
    """A graph, calls on tensors and a graph without lengths give what NumPy gives."""
    (function,) = written([expression])
    wanted = outcome(function, a.copy(), b.copy())
    lengthless = [gw.TensorSpec([None] * one.ndim, gw.as_dtype(one.dtype)) for one in (a, b)]
    calls = {
        "graph": lambda: outcome(gw.function(function), a.copy(), b.copy()),
        "eager": lambda: outcome(function, gw.constant(a), gw.constant(b)),
        "unknown": lambda: outcome(gw.function(function, input_signature=lengthless), a.copy(), b.copy()),
    }
    for way in ways.split():
        found = calls[way]()
        if isinstance(wanted, type):
            assert isinstance(found, type) and issubclass(found, wanted), (way, found)
        else:
            assert same(found, wanted), (way, found, wanted)


LEAST = -(2**63)

#: Rows whose least integer has no size in its dtype, and counts that are negated or added to.
INTEGERS: list[Row] = [
    ("np.fmod(a, b)", row("int8", -128, 5, -128, 7, -7, 3, -3), row("int8", 3, -128, -1, -3, 3, -3, -128)),
    ("np.fmod(a, b)", row("int64", LEAST), row("int64", 10)),
    ("np.gcd(a, b)", row("int8", 6, 127, -128, 0, -128), row("int8", -128, -128, -128, -128, 0)),
    ("np.gcd(a, b)", row("int64", 6, LEAST), row("int64", LEAST, LEAST)),
    ("np.lcm(a, b)", row("int8", 6, 127, -128, 0, -128, 12), row("int8", -128, -128, -128, -128, 0, -8)),
    ("np.roll(a, b[0])", row("int64", 1, 2, 3), row("int32", -(2**31))),
    ("np.roll(a, b[0])", row("int64", 1, 2, 3), row("int64", LEAST)),
    ("np.roll(a, b[0])", row("int64", 1, 2, 3), row("uint8", 200)),
    ("np.roll(a, b[0], axis=0)", row("int64", 1, 2, 3), row("int8", -128)),
    ("np.roll(a[:0], b[0])", row("int64", 1, 2, 3), row("int8", 3)),
    ("np.eye(3, k=np.int8(-128)) + a[0]", row("float64", 1), row("int8", 1)),
    ("np.tri(3, k=2**40) + a[0]", row("float64", 1), row("int8", 1)),
    ("np.tril(np.ones((3, 3)) * a[0], np.int8(-1))", row("float64", 1), row("int8", 1)),
    ("np.pad(a, np.array([127, 127], np.int8))", row("float64", 1), row("int8", 1)),
    ("np.pad(a, b[0], 'wrap')", row("float64", 1, 2), row("int8", 127)),
    ("np.cross(a[:3], b[:3])", row("float64", 1, 2, 3), row("float64", 3, 1, 1)),
    ("np.cross(a, b)", row("int8", 100, 3, 1), row("int8", 3, 100, 100)),
    ("np.cross(a, b)", row("int8", 100, 3), row("int8", 3, 100)),
    ("np.cross(a, b)", row("int8", 100, 3, 4), row("int8", 3, 100)),
    ("np.subtract.reduce(a)", row("uint8", 1, 2, 3), row("int8", 1)),
    ("np.subtract.reduce(a > 0)", row("uint8", 1), row("int8", 1)),
    ("np.round(a, -1)", row("uint64", 15, 25, 2**63), row("int8", 1)),
    ("np.reciprocal(a)", row("int32", -2, -1, 0, 1, 2), row("int8", 1)),
    ("np.reciprocal(a)", row("uint8", 0, 1, 255), row("int8", 1)),
    ("np.bitwise_count(a > 1)", row("int8", 1, 2), row("int8", 1)),
    ("np.bincount(a)", row("uint64", 1, 2, 2), row("int8", 1)),
]

#: Weights, areas and bounds of several dtypes.
DTYPES: list[Row] = [
    ("np.histogram(a, bins=3, weights=b)", row("float64", 1, 1, 2), row("int8", 127, 127, 1)),
    ("np.histogram(a, bins=[0.0, 1.5, 3], weights=b)", row("float64", 1, 1, 2), row("int8", 127, 127, 3)),
    ("np.histogram(a, bins=[0.0, 1.5, 3], weights=b)", row("float64", 1, 1, 2), row("int64", 2**53, 1, 3)),
    ("np.histogram(a, bins=2, weights=b)", row("float64", 1, 1, 2), row("float32", 1, 2, 3)),
    ("np.histogram(a, bins=2, weights=b)", row("float64", 1, 1, 2), row("complex128", 1, 2, 3j)),
    ("np.histogram(a, bins=2, weights=b)", row("float64", 1, 1, 2), row("uint64", 1, 2**63, 2**63)),
    ("np.clip(a, -5, b)", row("int64", 1, 2, 2**53 + 1, -7), row("float32", 3, 1, 2, 9)),
    ("np.clip(a, b, 9)", row("uint8", 1, 2, 3, 7), row("int8", 3, 1, 2, 9)),
    ("np.trapezoid(a)", row("uint8", 200, 100, 3), row("uint8", 1)),
    ("np.trapezoid(a, b)", row("uint8", 20, 10, 3), row("uint8", 20, 10, 3)),
    ("np.trapezoid(a, b)", row("int32", 20, 10, 3), row("float32", 20, 10, 3)),
    ("np.trapezoid(a, b)", row("bool", 1, 0), row("bool", 1, 0)),
    (
        "np.ldexp(a, b)",
        row("float16", 0, 1, -0.0, 3, NAN, INF, 0.5, 1, 1),
        row("int64", 2000, 2000, 2000, -2000, 1, -2000, 14, -24, 15),
    ),
    (
        "np.ldexp(a, b)",
        row("float64", 0, 1, 5e-324, 3, 5e-324, 1e308, 1.7, 7e-320),
        row("int64", 2**40, 1024, 2000, -1074, 1, -2100, -1074, -3),
    ),
    ("np.digitize(a, b)", row("float64", 1, 2, 3, NAN), row("float64", 1, 2, NAN)),
    ("np.digitize(a, b)", row("float64", 1, 2, 3, NAN), row("float64", 2, 2, 1)),
    ("np.digitize(a, b)", row("float64", 1, 2, 3, NAN), row("float64", 2)),
    ("np.digitize(a, b)", row("float64", 1, 2, 3, NAN), row("float64", 2, 3, 1)),
    ("np.linalg.cond(np.array([[1.0, 2], [2, 4]]) * a[0], 1)", row("float64", 1), row("float64", 1)),
    (
        "np.linalg.cond(np.array([[1.0, 2], [2, NAN]]) * a[0], 1)".replace("NAN", "np.nan"),
        row("float64", 1),
        row("float64", 1),
    ),
    (
        "np.linalg.cond(np.array([[[1.0, 2], [2, 4]], [[1, 0], [0, 1]]]) * a[0], 'fro')",
        row("float64", 1),
        row("float64", 1),
    ),
    ("np.linalg.tensorinv(np.eye(3) * (1 + 1j) + a[0], ind=1)", row("float64", 1), row("float64", 1)),
    (
        "np.spacing(a)",
        row("float16", -128, 128, 1, -1, 0, 65504, -65504, INF, NAN, -(2**-14), 2**-24),
        row("int8", 1),
    ),
    ("np.polydiv(a, b)", row("int64", 1, 5, 7, 2), row("float32", 3, 1)),
    ("np.repeat(a, [1.7, 2])", row("float64", 1, 2), row("float64", 1, 2)),
    ("np.repeat(a, b)", row("float64", 1, 2), row("float64", 1, 2)),
    ("np.ravel_multi_index((a, b), (9, 9))", row("float64", 1, 2), row("int64", 1, 2)),
    ("np.packbits(a)", row("complex64", 1, 0), row("int8", 1)),
    ("np.packbits(a)", row("uint8", *range(9)), row("int8", 1)),
]

ROW, OTHER = row("float64", 1, 2, 3, 4), row("float64", 3, 1, 2, 8)
ENDLESS = row("float64", INF, 1, NAN)

CONVOLUTIONS: list[Row] = [
    (text, ROW, ENDLESS)
    for text in (
        "np.convolve(a, b)", "np.convolve(a, b, 'same')", "np.convolve(a, b, 'valid')", "np.convolve(b, a)", "np.polymul(a, b)",
        "np.correlate(a, b)", "np.correlate(a, b, 'same')", "np.correlate(b[:2], a, 'same')", "np.correlate(b, a, 'full')",
        "np.convolve(a.astype(np.int8) * 50, a.astype(np.int8))", "np.convolve(a > 2, a > 1)", "np.convolve(a[:0], b)", "np.convolve(a, b[:0])",
        "np.convolve(a.astype(np.float16), a.astype(np.float16) / 3)", "np.correlate(a * 1j, a[1:] + 1j)",
    )
]  # fmt: skip

LENGTHS: list[Row] = [
    (text, ROW, OTHER)
    for text in (
        "np.fft.fft(a, n=5)", "np.fft.fft(a, n=2)", "np.fft.ihfft(a)", "np.fft.fft2(np.stack([a, b]))", "np.linalg.cross(a[:3], b[:3])",
        "np.subtract.reduce(a)", "np.subtract.reduce(a[:0])", "np.divide.reduce(a)", "np.fmax.reduce(a)", "np.logical_xor.reduce(a > 2)",
        "np.gcd.reduce(a.astype(int))", "np.gcd.reduce(a.astype(int)[:0])", "np.maximum.accumulate(a)", "np.subtract.accumulate(a)",
        "np.subtract.reduce(np.ones(100) * a[0])", "np.subtract.accumulate(np.ones(100) * a[0])",
        "np.add.reduceat(a, [0, 2, 1])", "np.maximum.reduceat(a, [0, 2, 1])", "np.add.reduceat(a, [0, 9])",
        "np.polydiv(a, b[:2])", "np.polydiv(a[:1], b)", "np.insert(a, 1, 9)", "np.insert(a, [0, 3], b[:2])", "np.insert(a, -1, [7, 8])",
        "np.insert(a, [1, 1, 4], [7, 8, 9])", "np.insert(a, [9], 1)", "np.insert(a, 2, b)", "np.repeat(a, [1, 0, 2, 1])", "np.repeat(a, [1, 2])",
        "np.prod(a + 1j * b)", "np.prod(np.outer(a, b) * 1j, axis=1, keepdims=True)",
    )
]  # fmt: skip

LISTS: list[Row] = [
    (text, ROW, OTHER)
    for text in (
        "np.sum([a, b], axis=0)", "np.sum([a, b])", "np.mean([a, b[0] * a], 0)", "np.median([a, b], axis=0)", "np.std((a, b))", "np.max([a[0], b[0], 7])",
        "np.min([a[0], b[0], 7], axis=0)", "np.prod([a, b], axis=1)", "np.argmax([a, b], axis=0)", "np.cumsum([a, b])", "np.transpose([a, b])",
        "np.linalg.norm([a[0], b[0]])", "np.sum([x * 2 for x in a])", "np.average([a, b], axis=0, weights=[1, 3])", "np.sum([]) + a",
        "np.sum([[1, 2], [3, 4]], axis=0) + a[0]", "np.any([a > 2, b > 2], axis=0)", "np.max([a.astype(np.int8)[0], 300])",
        "np.sum([a.astype(np.int8), b.astype(np.uint8)], axis=0)",
    )
]  # fmt: skip


def ways_of(expression: str, a: Any, b: Any) -> str:
    """Calls on tensors of two dtypes meet as tensors do, and an axis of two or three has to be known."""
    eager = (
        ""
        if a.dtype != b.dtype and any(name in expression for name in ("clip", "trapezoid", "polydiv"))
        else " eager"
    )
    unknown = "" if "np.cross" in expression else " unknown"
    return "graph" + eager + unknown


TABLES = {
    "integers": INTEGERS,
    "dtypes": DTYPES,
    "convolutions": CONVOLUTIONS,
    "lengths": LENGTHS,
    "lists": LISTS,
}


@pytest.mark.parametrize(("expression", "a", "b"), [one for table in TABLES.values() for one in table])
def test_gives_what_numpy_gives(expression: str, a: Any, b: Any) -> None:
    check(expression, a, b, ways_of(expression, a, b))


def test_a_cross_product_of_lengths_that_the_graph_finds() -> None:
    def f(a: Any, b: Any) -> Any:
        return np.cross(a, b)

    spec, plane = gw.TensorSpec([None], gw.float64), gw.TensorSpec([2], gw.float64)
    for specs in ([spec, spec], [spec, gw.TensorSpec([3], gw.float64)]):
        found = gw.function(f, input_signature=specs)(ROW[:3], OTHER[:3])
        np.testing.assert_array_equal(found, np.cross(ROW[:3], OTHER[:3]))
    with pytest.raises(ValueError, match="needs 3-dimensional ones"):
        gw.function(f, input_signature=[spec, spec])(ROW[:2], OTHER[:2])
    with pytest.raises(TypeError, match="GW108: `np.cross`"):
        gw.function(f, input_signature=[spec, plane])(ROW[:3], OTHER[:2])


def test_stores_at_places_and_diagonals_of_any_length() -> None:
    def added(a: Any, b: Any) -> Any:
        np.add.at(a, np.arange(len(a)), b)
        return a

    def filled(a: Any, b: Any) -> Any:
        m = np.outer(a, b)
        np.fill_diagonal(m, 3)
        return m

    spec = gw.TensorSpec([None], gw.float64)
    for function in (added, filled):
        for a, b in ((ROW, OTHER), (np.concatenate([ROW, ROW]), OTHER)):
            if function is added and len(a) != len(b):
                continue
            found = gw.function(function, input_signature=[spec, spec])(a.copy(), b.copy())
            np.testing.assert_array_equal(found, function(a.copy(), b.copy()))


def test_a_convolution_takes_memory_for_its_rows_alone() -> None:
    a, v = np.arange(6000), np.arange(6000) % 7
    np.testing.assert_array_equal(gw.function(np.convolve)(a[:9], v[:3]), np.convolve(a[:9], v[:3]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    np.testing.assert_array_equal(gw.function(np.convolve)(a, v), np.convolve(a, v))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "a table of both has 288 MB"


def test_a_convolution_has_derivatives() -> None:
    a, v = gw.constant(ROW), gw.constant(OTHER[:2])
    with gw.GradientTape() as tape:
        tape.watch([a, v])
        whole = gw.reduce_sum(np.convolve(a, v) ** 2)
    twice = 2 * np.convolve(ROW, OTHER[:2])
    for found, other in zip(tape.gradient(whole, [a, v]), (OTHER[:2], ROW), strict=True):
        np.testing.assert_allclose(found.numpy(), np.correlate(twice, other, "valid"))


def test_splits_and_repeats_beyond_an_axis_are_value_errors() -> None:
    with pytest.raises(ValueError, match="cannot be split into 0 pieces"):
        gw.split(gw.zeros((0, 3)), 0)
    with pytest.raises(ValueError, match="more than"):
        np.repeat(gw.zeros((0, 3)), 2**62, axis=1)


#: Functions that take no row of every length, with an array and a mask that picks its rows when the graph runs.
PICKED: list[tuple[Any, str]] = [
    (lambda x, m: np.gradient(x[m]), "Shape of array too small"),
    (lambda x, m: np.gradient(x[m], edge_order=2), "Shape of array too small"),
    (lambda x, m: np.pad(x[m], 1, mode="mean"), "can't extend empty axis 0"),
    (lambda x, m: np.pad(x[m], (0, 2), mode="wrap"), "can't extend empty axis 0"),
    (lambda x, m: np.average(x[m], axis=()), "division by zero"),
    (lambda x, m: np.delete(x.reshape(2, 2), m.reshape(2, 2), axis=0), "must be one dimensional"),
    (lambda x, m: np.delete(x, m[m]), "match the axis length"),
    (lambda x, m: np.linalg.matrix_power(x.reshape(2, 2)[m[:2]], 3), "must be square"),
]


@pytest.mark.parametrize("at", range(len(PICKED)))
@pytest.mark.parametrize("count", range(5))
def test_lengths_are_checked_when_the_graph_runs(at: int, count: int) -> None:
    function, message = PICKED[at]
    x, mask = np.array([1.0, 4.0, 9.0, 2.0]), np.arange(4) < count
    wanted = outcome(function, x, mask)
    if isinstance(wanted, type):
        with pytest.raises(wanted.__mro__[1] if wanted is np.linalg.LinAlgError else wanted, match=message):
            gw.function(function)(x, mask)
        return
    found = plain(gw.function(function)(x, mask))
    assert same(found, wanted), (found, wanted)


def test_the_place_of_the_least_element_of_picked_rows() -> None:
    def least(x: Any, m: Any) -> Any:
        y = x[m]
        i, j = np.unravel_index(np.argmin(y), y.shape)
        return i, j

    x, mask = np.array([[1.0, 2.0], [5.0, 3.0], [4.0, 0.0]]), np.array([True, True, False])
    assert plain(gw.function(least)(x, mask)) == least(x, mask) == (0, 0)


def test_corrupt_examples_have_a_plain_reason() -> None:
    features = {"x": gw.io.FixedLenFeature([], gw.int64)}
    example = gw.train.Example(
        gw.train.Features(
            {
                "x": gw.train.Feature(int64_list=gw.train.Int64List([1, -2])),
                "y": gw.train.Feature(float_list=gw.train.FloatList([1.0])),
                "z": gw.train.Feature(bytes_list=gw.train.BytesList([b"ab"])),
            }
        )
    )
    reasons = {
        b"\x08\x01": "a number stands in the place",
        b"\n\x04\n\x02\x08\x01": "no text in UTF-8",
        b"\x0a": "ends within a number",
        b"\x0a\x05": "reaches beyond the end",
        b"\xff" * 1000: "more than ten bytes",
        b"\x0b": "there is none of",
    }
    for content, reason in reasons.items():
        with pytest.raises(gw.errors.InvalidArgumentError, match=reason):
            gw.io.parse_single_example(content, features)
    chance, content = random.Random(1), example.SerializeToString()
    found: set[str] = set()
    for _ in range(2000):
        changed = bytearray(content)
        changed[chance.randrange(len(changed))] = chance.randrange(256)
        changed = changed[: chance.randrange(1, len(changed) + 1)]
        try:
            gw.train.Example.FromString(bytes(changed))
        except gw.errors.InvalidArgumentError as error:
            found.add(str(error))
    assert found and not any("index out of range" in one or "unpack" in one for one in found)


def ends(dtype: str) -> tuple[Any, Any]:
    """Two rows of the numbers at the ends of a dtype."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        numbers = [0.0, -0.0, 1.0, -2.5, INF, -INF, NAN, 3.0]
    elif kind.kind == "b":
        numbers = [False, True, True, False, True, True, False, False]
    else:
        of = np.iinfo(kind)
        numbers = [of.min, of.max, 1, 2, 3, 7, of.max - 1, 5 if of.min == 0 else -1]
    a = np.array(numbers, kind)
    return a, a[[3, 4, 7, 0, 2, 6, 5, 1]]


#: Functions of two rows, which are called for each dtype.
FUNCTIONS = (
    "np.gcd(a, b); np.lcm(a, b); a & b; a | b; a ^ b; a + b; a * b; np.maximum(a, b); np.fmin(a, b); a < b; a == b; np.copysign(a, b); "
    "np.fmod(a, b * 0 + 3); np.remainder(a, b * 0 + 3); np.floor_divide(a, b * 0 + 3); np.divmod(a, b * 0 + 3); np.clip(a, b, None); "
    "np.cumsum(a); np.sum(a); np.prod(a[2:]); np.max(a); np.argmin(a); np.sort(a); np.searchsorted(np.sort(a), b); np.unique(a); np.diff(a); "
    "np.convolve(a, b[:3]); np.correlate(a, b[:3], 'same'); np.trapezoid(a); np.median(a); np.ptp(a); np.sign(a); np.signbit(a); "
    "np.subtract.reduce(a); np.bitwise_xor.reduce(a); np.maximum.accumulate(a); np.minimum.reduce(a); np.flip(a); np.roll(a, 3); np.where(a < b, a, b); "
    "np.isin(a, b); np.bitwise_count(a); np.histogram(np.arange(8.0), bins=np.array([0.0, 3, 9]), weights=a); np.dot(a, b); np.outer(a, b); "
    "np.round(a); np.trunc(a); np.nan_to_num(a); np.frexp(a); np.ldexp(a, 3); np.abs(a); np.square(a); np.negative(a); np.invert(a); np.cross(a[:3], b[:3])"
).split("; ")  # fmt: skip


@pytest.mark.parametrize(
    "dtype", "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
)
def test_functions_at_the_ends_of_a_dtype(dtype: str) -> None:
    """A refusal by a diagnostic is no wrong answer; a value, dtype or shape that differs is one."""
    a, b = ends(dtype)
    wrong = []
    for expression, function in zip(FUNCTIONS, written(FUNCTIONS), strict=True):
        wanted, found = outcome(function, a, b), outcome(gw.function(function), a, b)
        if isinstance(wanted, type) or isinstance(found, type):
            if isinstance(wanted, type) != isinstance(found, type):
                wrong.append((expression, wanted, found))
        elif not same(found, wanted):
            wrong.append((expression, wanted, found))
    assert not wrong


@pytest.mark.parametrize("mask", [[True, False, True, True], np.array([True, False, True, True])])
@pytest.mark.parametrize("staged", [False, True])
def test_at_changes_the_elements_of_a_mask(mask, staged):
    def change(a, where):
        np.add.at(a, where, 10)
        return a

    wanted = change(np.array([1, 2, 3, 4]), mask)
    given = gw.constant(np.array([1, 2, 3, 4]))
    found = gw.function(change)(np.array([1, 2, 3, 4]), np.array(mask)) if staged else change(given, mask)
    np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    ("ufunc", "places", "operands"),
    [(np.multiply, [0, 0, 1], [10]), (np.negative, [0, 0, 1], []), (np.add, slice(1, 3), [10])],
)
def test_at_of_any_ufunc_changes_an_eager_array(ufunc, places, operands):
    wanted, found = np.array([1, 2, 3, 4]), gw.constant(np.array([1, 2, 3, 4]))
    ufunc.at(wanted, places, *operands)
    ufunc.at(found, places, *operands)
    np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize("store", [np.putmask, np.place, lambda a, m, v: np.put(a, [0, 2], v)])
@pytest.mark.parametrize("value", [-1, 300, 1.5, NAN, [300], np.array([300]), np.array([1.5])])
def test_values_are_stored_as_numpy_casts_them(store, value):
    mask, wanted, found = np.array([True, False, True]), np.zeros(3, np.uint8), gw.zeros([3], gw.uint8)
    try:
        store(wanted, mask, value)
    except (OverflowError, TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            store(found, mask, value)
    else:
        store(found, mask, value)
    np.testing.assert_array_equal(found.numpy(), wanted)


def test_squeeze_of_a_length_that_the_graph_finds():
    axis = gw.function(lambda a, m: np.squeeze(a[m], axis=0))
    every = gw.function(lambda a, m: np.squeeze(a[m]))
    a, one, two = np.array([1, 2, 3]), np.array([True, False, False]), np.array([True, False, True])
    assert axis(a, one).shape == ()
    assert every(a, two).numpy().tolist() == [1, 3]
    with pytest.raises(ValueError, match="cannot select an axis to squeeze out"):
        axis(a, two)
    with pytest.raises(ValueError, match="only where the call names it"):
        every(a, one)


@pytest.mark.parametrize("count", [2**61, 2**62, 2**63 - 1])
def test_a_length_beyond_all_memory_is_a_memory_error(count):
    x = gw.constant([1.0, 2.0])
    with pytest.raises(MemoryError):
        gw.pad(x, [[count, count]])
    with pytest.raises(MemoryError):
        gw.function(lambda x, n: gw.pad(x, [[n, n]]))(x, gw.constant(count))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.complex64])
def test_an_element_that_stands_for_too_many_is_a_memory_error(dtype):
    many = np.broadcast_to(dtype(1), (2**58,))
    for use in (gw.constant, gw.from_dlpack, gw.function(lambda x: x), lambda x: gw.concat([x, x], 0)):
        with pytest.raises(MemoryError):
            use(many)


def test_an_extreme_along_no_axis():
    kept = gw.function(lambda x, m: x[m].max(axis=()))
    assert kept(np.ones(3), np.array([True, False, True])).numpy().tolist() == [1, 1]
    assert gw.function(lambda a: np.ptp(a, axis=()))(np.zeros((3, 0))).shape == (3, 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("fractions", [0.25, [0.25, 0.75], np.array([0.25, 0.5], np.float32)])
def test_an_array_of_fractions_has_a_precision_of_its_own(dtype, fractions):
    x = np.array([1, 2, 4], dtype)
    wanted, found = np.quantile(x, fractions), np.quantile(gw.constant(x), fractions)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.numpy(), wanted)


def test_zero_to_a_complex_power():
    powers = np.array([2 + 1j, 2, 0, -1, 1j])
    with np.errstate(invalid="ignore"):
        wanted = np.power(np.zeros(5, complex), powers)
    np.testing.assert_array_equal(np.power(gw.zeros([5], gw.complex128), powers).numpy(), wanted)
    np.testing.assert_array_equal(gw.function(np.power)(np.zeros(5, complex), powers).numpy(), wanted)
