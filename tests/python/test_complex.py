"""Complex numbers compute what NumPy computes, eagerly and in graphs, and what they cannot do is refused."""

import cmath
import math
import pickle

import numpy as np
import pytest

import graphwright as gw

PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, 7.5, math.inf, -math.inf, math.nan]
DTYPES = [np.complex64, np.complex128]
TOLERANCES = {np.dtype(np.complex64): 2e-6, np.dtype(np.complex128): 4e-15}


def grid(dtype, parts=PARTS):
    """All numbers with these parts."""
    re, im = np.meshgrid(parts, parts)
    made = np.empty(re.shape, dtype)
    made.real, made.imag = re, im
    return made


def same(found, wanted, tolerance=None, signs=True):
    """Checks that arrays agree: parts within a tolerance of the size of numbers, signs of zeros and what is infinite exactly."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if wanted.dtype == bool:
        return np.testing.assert_array_equal(found, wanted)
    tolerance = TOLERANCES.get(wanted.dtype, 2e-6) if tolerance is None else tolerance
    size = np.abs(wanted)
    size = np.where(np.isfinite(size), np.maximum(size, 1e-30), 1.0)
    is_complex = wanted.dtype.kind == "c"
    for part in ("real", "imag") if is_complex else ("real",):
        x, y = getattr(found, part), getattr(wanted, part)
        with np.errstate(all="ignore"):
            apart = np.abs(np.where(np.isfinite(x) & np.isfinite(y), x - y, np.inf))
        close = apart <= tolerance * size
        ok = close | (x == y) | (np.isnan(x) & np.isnan(y))
        if not ok.all():
            at = np.argwhere(~np.atleast_1d(ok))[0]
            raise AssertionError(f"{part} at {at}: {found[tuple(at)]} and not {wanted[tuple(at)]}")
        if signs:
            zeros = (x == 0) & (y == 0)
            assert (np.signbit(x) == np.signbit(y))[zeros].all(), part


def both(function, *arrays):
    """The results eagerly and of a graph, which are the same."""
    eager = function(*map(gw.constant, arrays))
    staged = gw.function(lambda *given: function(*given))(*map(gw.constant, arrays))
    np.testing.assert_array_equal(eager.numpy(), staged.numpy())
    return staged.numpy()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "true_divide"])
def test_arithmetic_is_numpys(dtype, name):
    x = grid(dtype).ravel()
    y = np.roll(x, 17)
    # NumPy fuses products and sums where the machine does, so its products may differ in the last bit.
    near = {"multiply": 1e-7 if dtype == np.complex64 else 3e-16}.get(name, 0.0)
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x, y)
        same(both(getattr(np, name), x, y), wanted, near, signs=False)


def test_products_are_pythons_to_the_last_bit():
    rng = np.random.default_rng(3)
    x, y = (rng.normal(size=(2, 1000)) + 1j * rng.normal(size=(2, 1000))) * 10.0 ** rng.integers(
        -9, 9, (2, 1000)
    )
    found = gw.function(lambda x, y: x * y)(gw.constant(x), gw.constant(y)).numpy()
    assert found.tolist() == [a * b for a, b in zip(x.tolist(), y.tolist(), strict=True)]


UNARY = [
    "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "square", "negative", "conjugate", "absolute",
    "sign", "rint", "reciprocal", "exp2", "angle", "real", "imag", "isnan", "isinf", "isfinite", "iscomplex", "isreal",
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_finite_numbers_are_numpys(dtype, name):
    parts = [-7.5, -2.5, -1.0, -0.5, -1e-3, 1e-3, 0.3, 1.0, 1.5, 3.0, 8.0]
    x = grid(dtype, parts)
    wanted = getattr(np, name)(x)
    # Those of NumPy's that are exact near zero for real numbers are less so for complex ones.
    loose = 50.0 if name in ("expm1", "log1p") else 1.0
    tolerance = loose * (4e-6 if dtype == np.complex64 else 1e-14)
    same(both(getattr(np, name), x), wanted, tolerance)


@pytest.mark.parametrize(
    "name", ["sqrt", "log", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"]
)
def test_branch_cuts_are_c99s(name):
    x = grid(np.complex128, [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 4.0])
    # Poles, and the size of the root of the least numbers, are not in question.
    x = x[np.abs(x) > 0]
    x = x[(x != 1) & (x != -1) & (x != 1j) & (x != -1j)]
    same(both(getattr(np, name), x), getattr(np, name)(x), 1e-14, signs=False)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "absolute", "tanh"])
def test_infinities_are_c99s(name):
    x = grid(np.complex128, [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan])
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x)
    found = both(getattr(np, name), x)
    # C99 leaves the sign of some results open, and with it that of infinities in them.
    same(np.abs(found), np.abs(wanted), 1e-14)


def test_large_and_small_numbers_do_not_overflow():
    x = np.array([1e200 + 1e200j, 3e300 - 4e300j, 1e-200 + 1e-200j, 1.7e308 + 1.7e308j], np.complex128)
    with np.errstate(all="ignore"):
        for function in (np.abs, np.sqrt, np.log):
            same(both(function, x), function(x), 1e-14)
        same(both(np.arcsinh, x[:3]), np.arcsinh(x[:3]), 1e-14)
        large = np.array([710.0 + 0.8j])
        np.testing.assert_allclose(both(np.exp, large).view(float), np.exp(large).view(float), rtol=1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers(dtype):
    x = grid(dtype, [-2.0, -0.5, 0.5, 1.5]).ravel()
    for exponent in (0, 1, 2, 3, 7, -1, -2, 0.5, 2 - 1j):
        y = np.full_like(x, exponent)
        same(both(np.power, x, y), np.power(x, y), 1e-5 if dtype == np.complex64 else 1e-13, signs=False)
    assert gw.pow(gw.constant(0j), gw.constant(2.0 + 0j)).numpy() == 0
    assert (gw.constant(1j) ** 2).numpy() == -1


@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_and_products(dtype):
    rng = np.random.default_rng(7)
    x = (rng.normal(size=(3, 4, 5)) + 1j * rng.normal(size=(3, 4, 5))).astype(dtype)
    for name in ("sum", "prod", "mean", "cumsum", "cumprod", "std", "var", "nansum"):
        for axis in (None, 0, 2):
            function = getattr(np, name)
            same(
                both(lambda x, f=function, a=axis: f(x, axis=a), x),
                function(x, axis=axis),
                1e-5 if dtype == np.complex64 else 1e-13,
            )
    y = x[0].T
    same(both(np.matmul, x, y), x @ y, 1e-5 if dtype == np.complex64 else 1e-13)
    assert np.prod(gw.constant(x[:, :, :0]), axis=2).numpy().shape == (3, 4)


def test_moves():
    x = np.arange(24).reshape(2, 3, 4) * (1 + 0.5j)
    moves = [
        lambda x: np.transpose(x, (2, 0, 1)),
        lambda x: np.reshape(x, (4, 6))[::-1, 1:5:2],
        lambda x: np.concatenate([x, x * 1j], axis=1),
        lambda x: np.stack([x[0], x[1]], axis=-1),
        lambda x: np.broadcast_to(x[0, 0], (3, 4)),
        lambda x: np.flip(x, 1),
        lambda x: np.pad(x[0], 1),
        lambda x: np.where(np.real(x) > 5, x, 1j),
        lambda x: np.take(x, np.array([2, 0, -1]), axis=1),
        lambda x: np.roll(x, 2, axis=2),
        lambda x: np.einsum("ijk,ljk->il", x, x),
        lambda x: np.diff(x, axis=2),
    ]
    for move in moves:
        same(both(move, x), move(x))


def test_stores():
    @gw.function
    def stored(x, places, values):
        x[1] = 2j
        x[places] = values
        return x

    x = np.zeros(5, np.complex64)
    wanted = x.copy()
    wanted[1] = 2j
    wanted[[3, 4]] = [1 + 1j, 5]
    found = stored(x.copy(), np.array([3, 4]), np.array([1 + 1j, 5], np.complex64))
    np.testing.assert_array_equal(found, wanted)
    updated = gw.tensor_scatter_nd_add(gw.constant(x), [[0], [0]], gw.constant([1j, 2.0], gw.complex64))
    assert updated.numpy()[0] == 2 + 1j


def test_promotion():
    def meets(a, b):
        return gw.result_type(a, b), (gw.cast(1, a) + gw.cast(1, b)).dtype

    assert meets(gw.float32, gw.complex64) == (gw.complex64,) * 2
    assert meets(gw.float64, gw.complex64) == (gw.complex128,) * 2
    assert meets(gw.complex64, gw.complex128) == (gw.complex128,) * 2
    assert meets(gw.int64, gw.complex64) == (gw.complex64,) * 2
    assert meets(gw.bool, gw.complex128) == (gw.complex128,) * 2
    assert (gw.constant([1.0]) * 1j).dtype == gw.complex64
    assert (gw.constant([1.0], gw.float64) * 1j).dtype == gw.complex128
    assert (gw.constant([1j]) * 2.5).dtype == gw.complex64
    assert gw.constant(1j).dtype == gw.complex64
    assert gw.can_cast(gw.float32, gw.complex64) and not gw.can_cast(gw.complex64, gw.float32)
    assert gw.isdtype(gw.complex64, "complex floating") and not gw.isdtype(gw.complex64, "real floating")
    assert gw.finfo(gw.complex64).bits == 32
    assert (
        gw.complex64 == np.complex64
        and gw.complex64 == "complex64"
        and np.dtype(gw.complex128) == np.complex128
    )


def escapes(c, most):
    """The turns until a point leaves the circle of the Mandelbrot set, and where it is then."""
    z, turns = 0j, 0
    while abs(z) <= 2.0 and turns < most:
        z = z * z + c
        turns += 1
    return turns, z


def test_a_loop_over_complex_numbers_is_pythons():
    staged = gw.function(escapes, python_numbers="staged")
    for c in (0j, 1 + 1j, -0.5 + 0.5j, 0.3 + 0.6j, -1.75 + 0.01j):
        turns, z = staged(c, 60)
        wanted = escapes(c, 60)
        assert (int(turns), complex(z)) == wanted


def test_a_grid_of_the_mandelbrot_set():
    @gw.function
    def grid_of(c):
        z = np.zeros_like(c)
        turns = np.zeros(c.shape, np.int32)
        for _ in range(30):
            inside = np.abs(z) <= 2.0
            z = np.where(inside, z * z + c, z)
            turns += inside
        return turns

    re, im = np.meshgrid(np.linspace(-2, 0.5, 21), np.linspace(-1.2, 1.2, 17))
    c = re + 1j * im
    wanted = np.array([[escapes_of_numpy(one) for one in row] for row in c])
    np.testing.assert_array_equal(np.asarray(grid_of(c)), wanted)


def escapes_of_numpy(c):
    z, turns = 0j, 0
    for _ in range(30):
        if abs(z) <= 2.0:
            z = z * z + c
            turns += 1
    return turns


def test_parts_of_python_numbers_in_a_graph():
    @gw.function(python_numbers="staged")
    def parts(z, w):
        u = complex(z.real, w.imag)
        return u.conjugate(), abs(u), (z * w).imag, z == w, z / w

    z, w = 3 + 4j, -1 + 2j
    u = complex(z.real, w.imag)
    wanted = u.conjugate(), abs(u), (z * w).imag, z == w, z / w
    for found, one in zip(parts(z, w), wanted, strict=True):
        assert cmath.isclose(complex(found), complex(one), rel_tol=1e-15)


def test_texts():
    z = gw.constant([1 + 2j, -1j])
    assert str(z) == "gw.Tensor([ 1.+2.j -0.-1.j], shape=(2,), dtype=complex64)"
    assert f"{gw.constant(1.5 - 2j)}" == str(gw.constant(1.5 - 2j))


def test_prints_of_graphs(capfd):
    @gw.function
    def shown(z):
        print(z)
        gw.print(z)
        return z

    shown(gw.constant([1 + 2j, 0.5j, -1.5]))
    assert "[(1+2j) 0.5j (-1.5+0j)]" in "".join(capfd.readouterr())


def test_host_calls():
    def twice(z):
        return z * 2

    @gw.function
    def asked(z):
        return gw.numpy_function(twice, [z], gw.complex128), gw.py_function(twice, [z[0]], gw.complex128)

    all_, one = asked(np.array([1 + 2j, 3j]))
    np.testing.assert_array_equal(all_, [2 + 4j, 6j])
    assert complex(one) == 2 + 4j


def test_exchange():
    x = np.array([[1 + 2j, 3j], [4, 5 - 1j]], np.complex64)
    z = gw.constant(x)
    np.testing.assert_array_equal(np.from_dlpack(z), x)
    np.testing.assert_array_equal(gw.from_dlpack(x), x)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(z)), x)
    np.testing.assert_array_equal(np.asarray(gw.constant(x.T)), x.T)
    assert z.tolist() == x.tolist() and complex(z[0, 1]) == 3j
    assert gw.constant(np.complex128(1j)).dtype == gw.complex128


def test_graphs_read_back():
    @gw.function
    def f(z):
        return z * (1 + 2j) + gw.constant([1j, 2.0])

    graph = f.get_concrete_function(gw.TensorSpec([2], gw.complex64)).graph
    again = gw.Graph.parse(str(graph))
    assert str(again) == str(graph)


REFUSED = [
    lambda z: z < z,
    lambda z: gw.maximum(z, z),
    lambda z: gw.floor(z),
    lambda z: z // z,
    lambda z: z % z,
    lambda z: gw.sort(z),
    lambda z: gw.argmax(z),
    lambda z: gw.reduce_max(z),
    lambda z: gw.cast(z, gw.float32),
    lambda z: gw.cast(z, gw.int32),
    lambda z: gw.atan2(z, z),
    lambda z: gw.erf(z),
    lambda z: gw.nn.relu(z),
    lambda z: gw.clip_by_value(z, 0.0, 1.0),
    lambda z: gw.tensor_scatter_nd_max(z, [[0]], [1j]),
    lambda z: gw.bitwise_and(z, z),
    lambda z: float(z[0]),
    lambda z: int(z[0]),
    lambda z: gw.random.uniform([2], dtype=gw.complex64),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_what_has_no_meaning_is_refused(at):
    for z in (gw.constant([1 + 1j, 2.0]), gw.constant([1 + 1j, 2.0], gw.complex128)):
        for function in (REFUSED[at], gw.function(REFUSED[at])):
            with pytest.raises(TypeError):
                function(z)


def test_the_conjugate_of_a_real_array_is_the_array_itself():
    def stored(b):
        c = b.conj()
        c[0] = 7.0
        return b.conjugate() + 0.0

    for run in (stored, gw.function(stored)):
        b = np.array([1.0, 2.0])
        assert np.asarray(run(b)).tolist() == [7.0, 2.0] and b.tolist() == [7.0, 2.0]
