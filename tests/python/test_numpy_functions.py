"""NumPy's functions of arrays in graphs: what NumPy gives, by value, dtype and shape."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import graphwright as gw

RANDOM = np.random.default_rng(3)
DTYPES = ["bool", "int32", "int64", "float32", "float64"]
SHAPES = [(), (1,), (4,), (2, 3), (3, 3), (2, 1, 3)]
#: What has an answer of its own in many functions.
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    8.0,
    1000.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-8,
    2.0**29,
    27.0,
    64.0,
]


def array(shape, dtype):
    """Small numbers, equal ones among them."""
    return RANDOM.integers(-3, 4, shape).astype(dtype)


ELEMENTWISE = """
negative absolute sign exp expm1 log log1p sqrt square sin cos tan arctan tanh floor ceil rint isnan isfinite positive
fabs trunc isinf signbit exp2 log2 log10 cbrt sinh cosh arcsin arccos arcsinh arccosh arctanh degrees rad2deg radians
deg2rad conjugate reciprocal
""".split()

PAIRS = """
add subtract multiply true_divide maximum minimum arctan2 hypot copysign fmod fmax fmin float_power equal less logical_and
""".split()


def both(function, *arguments):
    """What NumPy gives, and what the graph gives for the same arrays, or its refusal."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        native = attempt(function, *(np.copy(one) for one in arguments))
        return native, attempt(gw.function(function), *(np.copy(one) for one in arguments))


def attempt(function, *arguments):
    """What a call gives, or the exception."""
    try:
        return function(*arguments)
    except Exception as error:
        return error


def agree(ours, native):
    if isinstance(native, tuple | list):
        return len(ours) == len(native) and all(agree(a, b) for a, b in zip(ours, native, strict=True))
    if isinstance(native, bool | int | float):
        return np.allclose(np.asarray(ours), native, equal_nan=True)
    ours = np.asarray(ours)
    close = 2e-5 if ours.dtype == np.float32 else 1e-12
    with np.errstate(all="ignore"):
        same = np.allclose(ours, native, rtol=close, atol=close * 1e-3, equal_nan=True)
    return ours.dtype == native.dtype and ours.shape == native.shape and same


def judge(function, *arguments, refused=False):
    """Checks one call; a refusal is of the user's line, and only where `refused` allows it."""
    native, ours = both(function, *arguments)
    if isinstance(ours, Exception):
        if isinstance(native, Exception):
            return
        assert refused and str(ours).startswith("GW"), (arguments, native, ours)
        return
    assert not isinstance(native, Exception), (arguments, native, ours)
    assert agree(ours, native), (arguments, native, ours)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_functions_of_single_elements(name):
    function = getattr(np, name)
    for dtype in DTYPES:
        values = np.array(EDGES if dtype.startswith("float") else [0, 1, -1, 2, -3, 8, 27, 64, 100, 1000])
        judge(lambda x: function(x), values.astype(dtype), refused=not dtype.startswith("float"))
    wide = np.concatenate(
        [RANDOM.normal(size=200) * 3, RANDOM.normal(size=100) * 1e3, RANDOM.uniform(-1, 1, 100)]
    )
    judge(lambda x: function(x), wide)
    judge(lambda x: function(x), np.abs(wide) + 1.0)


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_pairs(name):
    function = getattr(np, name)
    for dtype in ("float64", "float32"):
        left, right = (
            np.array(part, dtype) for part in zip(*[(a, b) for a in EDGES for b in EDGES], strict=True)
        )
        judge(lambda x, y: function(x, y), left, right)
    for dtype in ("int64", "int32", "bool"):
        # A division of integers by zero is an error here, as Python's is.
        left, right = array((6,), dtype), np.abs(array((6,), dtype)) + np.array(1, dtype)
        judge(lambda x, y: function(x, y), left, right, refused=True)
    judge(lambda x, y: function(x, y), array((2, 1), "float64"), array((3,), "int64"))


FOLDS = {
    name: getattr(np, name)
    for name in "sum prod mean max min all any argmax argmin var std ptp count_nonzero median nansum nanprod average".split()
}


@pytest.mark.parametrize("name", FOLDS)
def test_functions_that_take_elements_together(name):
    function = FOLDS[name]
    for dtype in DTYPES:
        for shape in [*SHAPES, (0,), (2, 0)]:
            value = array(shape, dtype)
            judge(lambda a: function(a), value, refused=name in ("median", "average") or dtype == "bool")
            for axis in range(-len(shape), len(shape)):
                judge(
                    lambda a, axis=axis: function(a, axis=axis),
                    value,
                    refused=name in ("median", "average") or dtype == "bool",
                )
    spoilt = np.array([[1.0, np.nan, 3.0], [4.0, 2.0, -1.0]])
    for axis in (None, 0, 1):
        judge(lambda a, axis=axis: function(a, axis), spoilt)
        if name not in ("argmax", "argmin", "median", "average"):
            judge(lambda a, axis=axis: function(a, axis, keepdims=True), spoilt)
    if name in ("var", "std"):
        judge(lambda a: function(a, axis=0, ddof=1), array((5, 2), "float64"))
        judge(lambda a: function(a, ddof=4), array((3,), "float64"))


CALLS = {
    "reshape": lambda a: np.reshape(a, (-1,)),
    "reshape to rows": lambda a: np.reshape(a, (a.size, 1)),
    "ravel": lambda a: np.ravel(a),
    "transpose": lambda a: np.transpose(a),
    "transpose by axes": lambda a: np.transpose(a, (1, 0)),
    "swapaxes": lambda a: np.swapaxes(a, 0, -1),
    "moveaxis": lambda a: np.moveaxis(a, 0, -1),
    "moveaxis of two": lambda a: np.moveaxis(a, (0, 1), (-1, 0)),
    "expand_dims": lambda a: np.expand_dims(a, 0),
    "expand_dims of two": lambda a: np.expand_dims(a, (0, -1)),
    "squeeze": lambda a: np.squeeze(a),
    "squeeze of one": lambda a: np.squeeze(a, axis=1),
    "flip": lambda a: np.flip(a),
    "flip along": lambda a: np.flip(a, 0),
    "fliplr": lambda a: np.fliplr(a),
    "flipud": lambda a: np.flipud(a),
    "roll": lambda a: np.roll(a, 1),
    "roll along": lambda a: np.roll(a, -2, axis=0),
    "repeat": lambda a: np.repeat(a, 2),
    "repeat along": lambda a: np.repeat(a, 3, axis=-1),
    "repeat by list": lambda a: np.repeat(a, [2, 0], axis=0),
    "tile": lambda a: np.tile(a, 2),
    "tile twice": lambda a: np.tile(a, (2, 1, 2)),
    "concatenate": lambda a: np.concatenate([a, a]),
    "concatenate flat": lambda a: np.concatenate((a, a), axis=None),
    "concatenate along": lambda a: np.concatenate([a, a], axis=-1),
    "stack": lambda a: np.stack([a, a]),
    "stack along": lambda a: np.stack([a, a + 1], axis=-1),
    "vstack": lambda a: np.vstack([a, a]),
    "hstack": lambda a: np.hstack([a, a]),
    "dstack": lambda a: np.dstack([a, a]),
    "column_stack": lambda a: np.column_stack([a, a]),
    "append": lambda a: np.append(a, a),
    "append a number": lambda a: np.append(a, 7),
    "append along": lambda a: np.append(a, a, axis=0),
    "atleast_1d": lambda a: np.atleast_1d(a),
    "atleast_2d": lambda a: np.atleast_2d(a),
    "atleast_2d of two": lambda a: np.atleast_2d(a, a + 1),
    "take": lambda a: np.take(a, 0),
    "take some": lambda a: np.take(a, [0, -1]),
    "take along": lambda a: np.take(a, np.array([1, 0]), axis=0),
    "take one along": lambda a: np.take(a, -1, axis=0),
    "diff": lambda a: np.diff(a),
    "diff twice": lambda a: np.diff(a, n=2, axis=0),
    "diagonal": lambda a: np.diagonal(a),
    "diag": lambda a: np.diag(a),
    "trace": lambda a: np.trace(a),
    "tril": lambda a: np.tril(a),
    "triu": lambda a: np.triu(a, 1),
    "tril below": lambda a: np.tril(a, -1),
    "sort": lambda a: np.sort(a),
    "sort flat": lambda a: np.sort(a, axis=None),
    "sort along": lambda a: np.sort(a, axis=0),
    "argsort": lambda a: np.argsort(a, kind="stable"),
    "argsort along": lambda a: np.argsort(a, axis=0, kind="stable"),
    "pad": lambda a: np.pad(a, 1),
    "pad before": lambda a: np.pad(a, (2, 0), constant_values=5),
    "pad axes": lambda a: np.pad(a, ((1, 0), (0, 2))),
    "meshgrid": lambda a: np.meshgrid(a, a),
    "zeros_like": lambda a: np.zeros_like(a),
    "ones_like": lambda a: np.ones_like(a, dtype=np.int64),
    "broadcast_to": lambda a: np.broadcast_to(a, (2, 3)),
    "copy": lambda a: np.copy(a),
    "dot": lambda a: np.dot(a, a),
    "dot of both": lambda a: np.dot(a, np.transpose(a)),
    "vdot": lambda a: np.vdot(a, a),
    "inner": lambda a: np.inner(a, a),
    "outer": lambda a: np.outer(a, a),
    "tensordot": lambda a: np.tensordot(a, a, axes=([0], [0])),
    "einsum": lambda a: np.einsum("ij,kj->ik", a, a),
    "isclose": lambda a: np.isclose(a, a + 1e-9),
    "allclose": lambda a: np.allclose(a, a),
    "array_equal": lambda a: np.array_equal(a, a + 0),
    "array_equal of shapes": lambda a: np.array_equal(a, np.append(a, 1)),
    "clip": lambda a: np.clip(a, -1, 2),
    "clip below": lambda a: np.clip(a, None, 1),
    "clip above": lambda a: np.clip(a, 0, None),
    "clip by arrays": lambda a: np.clip(a, a - 1, a + 0.5),
    "round": lambda a: np.round(a),
    "round to decimals": lambda a: np.round(a * 1.2345, 2),
    "round to hundreds": lambda a: np.round(a * 123.0, -2),
    "where": lambda a: np.where(a > 0, a, a - 1),
    "where of numbers": lambda a: np.where(a, 1, 2.5),
    "cumsum": lambda a: np.cumsum(a),
    "cumsum along": lambda a: np.cumsum(a, axis=-1),
    "cumprod": lambda a: np.cumprod(a, axis=0),
    "norm": lambda a: np.linalg.norm(a),
    "norm of rows": lambda a: np.linalg.norm(a, axis=-1),
    "norm by 1": lambda a: np.linalg.norm(a, 1, axis=0),
    "norm by inf": lambda a: np.linalg.norm(a, np.inf, axis=0),
    "norm kept": lambda a: np.linalg.norm(a, axis=0, keepdims=True),
    "Frobenius": lambda a: np.linalg.norm(a, "fro"),
}


#: Those in which numbers of 32 bits meet Python's, of which NumPy makes 64 bits; see `docs/python/numbers.md`.
MIXED = ("append a number", "clip by arrays", "round to decimals", "round to hundreds")


@pytest.mark.parametrize("name", CALLS)
def test_functions_that_move_and_join(name):
    for dtype in ["bool", "int32", "float64"]:
        if name in MIXED and dtype.endswith("32"):
            continue
        for shape in [*SHAPES, (0,), (3, 0)]:
            judge(CALLS[name], array(shape, dtype), refused=True)
    for shape in [(4,), (2, 3), (3, 3)]:
        native, ours = both(CALLS[name], array(shape, "float64"))
        if not isinstance(native, Exception):
            assert agree(ours, native), (native, ours)


METHODS = {
    "T": lambda a: a.T,
    "mT": lambda a: a.mT if hasattr(a, "mT") else np.swapaxes(a, -1, -2),
    "size": lambda a: a.size + 0 * a,
    "nbytes": lambda a: a.nbytes + 0 * a,
    "itemsize": lambda a: a.itemsize + 0 * a,
    "reshape": lambda a: a.reshape(-1),
    "reshape by numbers": lambda a: a.reshape(a.size, 1),
    "reshape by a tuple": lambda a: a.reshape((1, -1)),
    "transpose": lambda a: a.transpose(),
    "transpose by axes": lambda a: a.transpose(1, 0),
    "transpose by a tuple": lambda a: a.transpose((1, 0)),
    "swapaxes": lambda a: a.swapaxes(0, -1),
    "flatten": lambda a: a.flatten(),
    "ravel": lambda a: a.ravel(),
    "squeeze": lambda a: a.squeeze(),
    "astype int": lambda a: a.astype(int),
    "astype float": lambda a: a.astype(float),
    "astype bool": lambda a: a.astype(bool),
    "astype float32": lambda a: a.astype(np.float32),
    "astype text": lambda a: a.astype("int32"),
    "var": lambda a: a.var(axis=0, ddof=1),
    "std": lambda a: a.std(),
    "argmax": lambda a: a.argmax(),
    "argmin along": lambda a: a.argmin(axis=-1),
    "argsort": lambda a: a.argsort(kind="stable"),
    "cumsum": lambda a: a.cumsum(),
    "cumprod along": lambda a: a.cumprod(0),
    "dot": lambda a: a.dot(a),
    "clip": lambda a: a.clip(-1, 1),
    "round": lambda a: (a * 3.0).round(1),
    "repeat": lambda a: a.repeat(2, axis=0),
    "take": lambda a: a.take([0, 0]),
    "diagonal": lambda a: a.diagonal(),
    "trace": lambda a: a.trace(),
    "conjugate": lambda a: a.conjugate(),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    for dtype in ["bool", "int32", "float64"]:
        if name == "round" and dtype.endswith("32"):
            continue
        for shape in [*SHAPES, (0,)]:
            judge(METHODS[name], array(shape, dtype), refused=True)
    for shape in [(4,), (2, 3), (3, 3)]:
        native, ours = both(METHODS[name], array(shape, "float64"))
        if not isinstance(native, Exception):
            assert agree(ours, native), (native, ours)


def sorts(a):
    b = a
    b.sort()
    return a


def sorts_columns(a):
    a.sort(axis=0)
    return a


def fills(a):
    a.fill(7)
    return a


def fills_in_a_branch(a):
    if a[0, 0] > 0:
        a.fill(2.5)
    return a


def sorts_in_a_loop(a):
    for _ in range(2):
        a.sort()
        a[0, 0] += 5.0
    return a


@pytest.mark.parametrize("function", [sorts, sorts_columns, fills, fills_in_a_branch, sorts_in_a_loop])
def test_methods_that_change_an_array_change_the_callers(function):
    staged = gw.function(function)
    for sign in (1.0, -1.0):
        native, ours = array((3, 4), "float64") + sign * 5.0, None
        ours = np.copy(native)
        expected = function(native)
        found = staged(ours)
        assert np.array_equal(found.numpy(), expected)
        assert np.array_equal(ours, native)


def reshaped_then_stored(a):
    r = np.reshape(a, (-1,))
    a[0, 0] = 9.0
    return r + 0


def raveled_then_stored(a):
    r = a.T.ravel()
    a[0, 0] = 9.0
    return r + 0


def stored_into_rows(a):
    r = a.reshape(-1)
    r[0] = 9.0
    return a + 0


def part_then_reshaped(a):
    r = a[:, ::2].reshape(-1)
    a[0, 0] = 9.0
    return r + 0


@pytest.mark.parametrize(
    "function", [reshaped_then_stored, raveled_then_stored, stored_into_rows, part_then_reshaped]
)
@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_a_reshaped_array_is_a_view_or_a_copy_as_it_lies_in_memory(function, layout):
    made = {
        "C": lambda: np.arange(6.0).reshape(2, 3),
        "F": lambda: np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "strided": lambda: np.arange(12.0).reshape(2, 6)[:, ::2],
    }[layout]
    native = function(made())
    ours = attempt(gw.function(function), made())
    is_refused = isinstance(ours, ValueError) and str(ours).startswith("GW12")
    assert is_refused or np.array_equal(ours.numpy(), native)
