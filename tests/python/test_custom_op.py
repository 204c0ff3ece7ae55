"""Custom ops: C functions of numbers that graphs call by themselves, and functions of Python's with a type rule."""

from __future__ import annotations

import ctypes
import ctypes.util
import math

import numpy as np
import pytest

import graphwright as gw

DOUBLE, FLOAT, I32, I64 = ctypes.c_double, ctypes.c_float, ctypes.c_int32, ctypes.c_int64


def of_libm(name, takes, gives):
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    function = getattr(library, name)
    function.argtypes, function.restype = takes, gives
    return function


HYPOT = gw.custom_op("hypot", None, of_libm("hypot", [DOUBLE, DOUBLE], DOUBLE))
HYPOTF = gw.custom_op("hypotf", None, of_libm("hypotf", [FLOAT, FLOAT], FLOAT))
LDEXP = gw.custom_op("ldexp", None, of_libm("ldexp", [DOUBLE, I32], DOUBLE))
ILOGB = gw.custom_op("ilogb", None, of_libm("ilogb", [DOUBLE], I32))

CALLS = {
    "double": (lambda x: HYPOT(x, 4.0), lambda x: np.hypot(x, 4.0)),
    "broadcast": (lambda x: HYPOT(x[:, None], x), lambda x: np.hypot(x[:, None], x)),
    "mixed": (lambda x: LDEXP(x, 3), lambda x: np.ldexp(x, 3)),
    "integer": (lambda x: ILOGB(x + 3.0), lambda x: np.frexp(x + 3.0)[1] - 1),
    "fused": (lambda x: gw.reduce_sum(HYPOT(x * 2.0, x) + 1.0), lambda x: np.sum(np.hypot(x * 2.0, x) + 1.0)),
}


@pytest.mark.parametrize("name", CALLS)
def test_elements(name):
    ours, native = CALLS[name]
    for x in (np.array([3.0, -1.5, 0.25]), np.array([], np.float64), np.arange(100.0)):
        for call in (ours, gw.function(ours)):
            np.testing.assert_allclose(np.asarray(call(gw.constant(x))), native(x), rtol=1e-15)


def test_single_precision_and_empty_axes():
    x = np.array([[3.0, 5.0]], np.float32)
    found = gw.function(lambda x: HYPOTF(x, 4.0))(x)
    assert found.dtype == gw.float32
    np.testing.assert_allclose(found.numpy(), np.hypot(x, np.float32(4.0)), rtol=1e-6)


def test_a_loop_of_the_graph_calls_it():
    @gw.function
    def f(n):
        s, i = 0.0, 0
        while i < n:
            s = HYPOT(s, 1.0)
            i += 1
        return s

    assert abs(f(gw.constant(10_000)).numpy() - 100.0) < 1e-9
    assert "foreign" in str(f.get_concrete_function(gw.TensorSpec([], gw.int32)).graph)


def test_branches_handlers_and_helpers():
    def helper(x):
        return HYPOT(x, 3.0)

    def f(x):
        try:
            return helper(x) if x > 0 else -helper(-x)
        finally:
            x = x + 1

    assert gw.function(f)(gw.constant(4.0, gw.float64)).numpy() == 5.0
    assert gw.function(f)(gw.constant(-4.0, gw.float64)).numpy() == -5.0


def test_vectorized_and_derived():
    @gw.custom_gradient
    def hypot(x, y):
        z = HYPOT(x, y)
        return z, lambda up: (up * x / z, up * y / z)

    x = gw.constant([3.0, 5.0], gw.float64)
    np.testing.assert_allclose(
        gw.vectorized_map(lambda x: HYPOT(x, 4.0), x).numpy(), np.hypot([3.0, 5.0], 4.0)
    )
    slope = gw.grad(lambda x: gw.reduce_sum(hypot(x, 4.0)))(x)
    np.testing.assert_allclose(slope.numpy(), [0.6, 5.0 / math.hypot(5, 4)])
    with pytest.raises(ValueError, match="GW125: no derivative goes through what a custom op gives"):
        gw.function(gw.grad(lambda x: HYPOT(x, 4.0)))(gw.constant(3.0, gw.float64))


def test_numbers_take_the_types_of_the_function():
    assert HYPOT(3, 4).numpy() == 5.0
    assert HYPOT(gw.constant(3), gw.constant(4.0, gw.float32)).numpy() == 5.0
    with pytest.raises(TypeError, match=r"`ldexp` takes \(float64, int32\), not \(float64, float64\)"):
        LDEXP(1.0, gw.constant(2.0, gw.float64))
    with pytest.raises(TypeError, match=r"hypot\(\) takes 2 arguments, but 1 were given"):
        HYPOT(1.0)


def test_numba_and_addresses():
    numba = pytest.importorskip("numba")
    cfunc = numba.cfunc("float64(float64, int64)")(lambda x, n: x * n + 0.5)
    op = gw.custom_op("scaled", None, cfunc)
    assert gw.function(lambda n: op(1.5, n))(gw.constant(3)).numpy() == 5.0
    again = gw.custom_op("again", ([gw.float64, gw.int64], gw.float64), cfunc.address)
    assert again(1.5, 3).numpy() == 5.0


def test_pointers_of_cffi():
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("double fmod(double, double); float sqrtf(float); long labs(long);")
    library = ffi.dlopen(None)
    op = gw.custom_op("fmod", None, ffi.addressof(library, "fmod"))
    assert gw.function(lambda x: op(x, 3.0))(gw.constant(7.5, gw.float64)).numpy() == 1.5
    assert gw.custom_op("labs", None, ffi.addressof(library, "labs"))(-5).numpy() == 5


def test_functions_of_python():
    def rule(x, y):
        return gw.TensorSpec(x.shape, gw.float64)

    op = gw.custom_op("pad", rule, lambda x, y: np.asarray(x, np.float64) + y)
    f = gw.function(lambda x: op(x, 2) * 2.0)
    np.testing.assert_allclose(f(np.array([1.0, 2.0])).numpy(), [6.0, 8.0])
    np.testing.assert_allclose(op([1.0, 2.0], 1).numpy(), [2.0, 3.0])


@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        (("a b", None, None), ValueError, "the name of a custom op is an identifier"),
        (("f", None, 5), ValueError, "does not say its types"),
        (("f", 3, 5), ValueError, "the types of `f` are those that it takes"),
        (("f", ([], gw.float64), 5), ValueError, "takes at least one number"),
        (("f", ([gw.bool], gw.float64), 5), ValueError, "int32, int64, float32 or float64, not bool"),
        (("f", ([gw.float64] * 9, gw.float64), 5), ValueError, "at most 8 floats"),
        (("f", ([gw.float64], gw.float64), 0), ValueError, "has an address"),
        (("f", None, "text"), TypeError, "is a C function of ctypes, cffi or Numba"),
        (("f", None, len), ValueError, "its type rule is a function"),
        (("f", None, ctypes.CFUNCTYPE(DOUBLE, ctypes.c_uint8)(float)), ValueError, "not `c_ubyte`"),
        (("f", None, ctypes.CFUNCTYPE(None, DOUBLE)(print)), ValueError, "not `None`"),
        (
            ("f", ([gw.float64], gw.float32), of_libm("cbrt", [DOUBLE], DOUBLE)),
            ValueError,
            "is declared with",
        ),
    ],
)
def test_what_is_no_custom_op(args, kind, message):
    with pytest.raises(kind, match=message):
        gw.custom_op(*args)


def test_names_are_shown():
    @gw.function
    def f(x):
        return HYPOT(x, 1.0)

    text = str(f.get_concrete_function(gw.TensorSpec([2], gw.float64)).graph)
    assert "foreign" in text and 'name="hypot"' in text
