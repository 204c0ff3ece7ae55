"""NumPy arguments are read and stored into where they are, and nothing that outlives a call lies in the caller's memory."""

import copy
from collections.abc import Callable

import numpy as np
import pytest

import graphwright as gw

CALLS = 3
"""The first call of a function is traced; the others find its graph by their arguments."""


def sieve(flags):
    i = 2
    while i * i < len(flags):
        if flags[i] == 1:
            j = i * i
            while j < len(flags):
                flags[j] = 0
                j += i
        i += 1


def sieve_by_ranges(flags):
    for i in range(2, 20):
        if flags[i]:
            for j in range(i * i, len(flags), i):
                flags[j] = False


def histogram(x, h):
    for i in range(len(x)):
        h[x[i]] += 1


def insertion_sort(a):
    for i in range(1, len(a)):
        v = a[i] + 0.0
        j = i - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v


def factors(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


def stencil(u, v):
    for _ in range(3):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i, j - 1] + u[i, j + 1] + u[i - 1, j] + u[i + 1, j])
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = v[i, j]


def on_a_copy(a):
    a = a.copy()
    a[0] = 9
    return a


def swapped(a, b):
    kept = a.copy()
    a[:] = b
    b[:] = kept


def one_from_the_other(a, b):
    a[:] = b
    b[0] = 7
    return a.sum()


def in_a_branch(a, n):
    if n > 1:
        a[0] = 5
    else:
        a[1] = 6
    return a[0] + a[1]


def stored_and_returned(a):
    a[1] = 4
    return a


def read_before_and_after(a):
    first = a[1:3] + 0
    a[1] = 8
    return first, a[1:3].sum()


def up_to_an_error(a, n):
    for i in range(n):
        a[i] = i + 10
    return a.sum()


def caught(a, n):
    try:
        for i in range(n):
            a[i] = i + 10
    except IndexError:
        a[0] = -1
    return a.sum()


class Grid:
    """A state of arrays that a method steps."""

    def __init__(self, n):
        self.old, self.new = np.arange(float(n)), np.zeros(n)

    def step(self, old, new):
        for i in range(1, len(old) - 1):
            new[i] = (old[i - 1] + old[i + 1]) / 2


def floats(*lengths):
    return np.random.default_rng(3).random(lengths)


CASES: list[tuple[Callable, Callable[[], list]]] = [
    (sieve, lambda: [np.ones(400, np.int64)]),
    (sieve, lambda: [np.ones(400, np.int32)]),
    (sieve_by_ranges, lambda: [np.ones(400, np.bool_)]),
    (histogram, lambda: [np.arange(500) % 7, np.zeros(9, np.int64)]),
    (insertion_sort, lambda: [floats(40)]),
    (factors, lambda: [floats(9, 9) + 9 * np.eye(9)]),
    (stencil, lambda: [floats(9, 11), np.zeros((9, 11))]),
    (on_a_copy, lambda: [np.arange(6)]),
    (swapped, lambda: [np.arange(6), np.arange(6) * 2]),
    (one_from_the_other, lambda: [np.arange(6), np.arange(6) * 2]),
    (in_a_branch, lambda: [np.arange(6), 1]),
    (in_a_branch, lambda: [np.arange(6), 2]),
    (stored_and_returned, lambda: [np.arange(6)]),
    (read_before_and_after, lambda: [np.arange(6)]),
    (up_to_an_error, lambda: [np.arange(6), 6]),
    (up_to_an_error, lambda: [np.arange(6), 9]),
    (caught, lambda: [np.arange(6), 4]),
    (caught, lambda: [np.arange(6), 9]),
    (Grid(9).step, lambda: [np.arange(9.0), np.zeros(9)]),
]


def outcome(f, args):
    """Results, or the exception's type, and the arrays afterwards."""
    args = copy.deepcopy(args)
    try:
        results = f(*args)
    except IndexError:
        results = IndexError
    else:
        results = tuple(results) if isinstance(results, tuple) else (results,)
        results = [None if one is None else np.asarray(one).tolist() for one in results]
    return results, [one.tolist() if isinstance(one, np.ndarray) else one for one in args]


@pytest.mark.parametrize(("program", "made"), CASES, ids=lambda case: getattr(case, "__name__", ""))
@pytest.mark.parametrize("roll", ["auto", True])
def test_calls_do_as_plain_python(program, made, roll):
    graph = gw.function(program, roll=roll)
    wanted = outcome(program, made())
    for _ in range(CALLS):
        assert outcome(graph, made()) == wanted


@pytest.mark.parametrize("program", [sieve, histogram, insertion_sort, swapped])
@pytest.mark.parametrize("spread", ["every second", "backwards", "columns", "swapped bytes", "unaligned"])
def test_arrays_that_are_spread_in_memory_are_stored_into(program, spread):
    def spread_out(x):
        if spread == "every second":
            wide = np.zeros((2 * x.size,), x.dtype)
            wide[::2] = x
            return wide[::2]
        if spread == "backwards":
            return x[::-1].copy()[::-1]
        if spread == "columns":
            return np.asfortranarray(np.stack([x, x], axis=1))[:, 0]
        if spread == "swapped bytes":
            return x.astype(x.dtype.newbyteorder())
        raw = np.zeros(x.nbytes + 1, np.uint8)
        other = raw[1:].view(x.dtype)
        other[:] = x
        return other

    made = next(made for case, made in CASES if case is program)
    graph = gw.function(program)
    for _ in range(CALLS):
        plain, ours = (list(map(spread_out, made())) for _ in range(2))
        program(*plain)
        graph(*ours)
        assert [x.tolist() for x in ours] == [x.tolist() for x in plain]


def test_results_are_no_memory_of_the_caller():
    programs = [
        lambda x: x,
        lambda x: np.reshape(x, (3, 2)),
        lambda x: (x, x[1:]),
        lambda x: {"x": x, "y": np.transpose(np.reshape(x, (2, 3)))},
        stored_and_returned,
        on_a_copy,
    ]
    for program in programs:
        graph = gw.function(program)
        for _ in range(CALLS):
            x = np.arange(6)
            results = graph(x)
            leaves = list(results.values()) if isinstance(results, dict) else results
            leaves = list(leaves) if isinstance(leaves, tuple | list) else [leaves]
            before = [leaf.numpy().tolist() for leaf in leaves]
            x[:] = -1
            assert [leaf.numpy().tolist() for leaf in leaves] == before


def test_an_array_that_is_not_stored_into_stays():
    graph = gw.function(on_a_copy)
    for _ in range(CALLS):
        x = np.arange(600)
        assert graph(x)[0] == 9
        assert np.array_equal(x, np.arange(600))


def test_a_tensor_that_is_stored_into_keeps_its_other_names():
    graph = gw.function(sieve)
    for _ in range(CALLS):
        flags = gw.constant(np.ones(100, np.int64))
        values = flags.numpy()
        other = flags + 0
        graph(flags)
        assert values.all()
        assert other.numpy().all()
        assert flags.numpy().sum() == 27


def test_variables_and_objects_keep_values_of_their_own():
    v = gw.Variable(np.zeros(100))

    class Box:
        kept = None

    box = Box()

    @gw.function
    def keep(x):
        v.assign(x)
        box.kept = x

    for n in range(CALLS):
        x = np.full(100, float(n))
        keep(x)
        x[:] = -1
        assert v.numpy().tolist() == [float(n)] * 100


def test_host_code_keeps_values_of_its_own():
    seen = []

    @gw.host
    def look(x) -> gw.TensorSpec([100], gw.float64):
        seen.append(x)
        return x

    @gw.function(implicit_copies="allow")
    def f(x):
        look(x)
        x[0] = 5.0
        return look(x)

    for _ in range(CALLS):
        x = np.ones(100)
        f(x)
        x[:] = -1
    firsts = [np.asarray(one)[0] for one in seen]
    assert firsts == [1.0, 5.0] * CALLS
    assert all(np.asarray(one)[1] == 1.0 for one in seen)


def test_a_tape_keeps_values_of_its_own():
    w = gw.Variable(2.0)

    @gw.function
    def f(x):
        return np.sum(x * w * w)

    @gw.function
    def stores(x):
        x[0] = 3.0
        return np.sum(x * w)

    for graph, wanted in [(f, 400.0), (stores, 102.0)]:
        for _ in range(CALLS):
            x = np.ones(100)
            with gw.GradientTape() as tape:
                y = graph(x)
            x[:] = -1
            assert tape.gradient(y, w).numpy() == wanted


def test_bytes_that_are_no_bools_count_as_true():
    @gw.function
    def count(flags):
        n = 0
        for i in range(len(flags)):
            if flags[i]:
                n += 1
        return n

    for _ in range(CALLS):
        assert count(np.array([0, 1, 2, 255, 0] * 30, np.uint8).view(np.bool_)) == 90


def test_an_array_that_is_read_only_is_refused_and_stays():
    graph = gw.function(sieve)
    for n in range(CALLS):
        flags = np.ones(50, np.int64)
        flags.flags.writeable = n == 0
        if n == 0:
            graph(flags)
            continue
        with pytest.raises(ValueError, match="read-only"):
            graph(flags)
        assert flags.all()


def test_a_read_only_array_is_told_with_the_store():
    def stored(x):
        if x[1] > 0:
            x[0] = 1
        return x

    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.raises(ValueError, match=r"GW113: assignment destination is read-only: `x`[\s\S]*x\[0\] = 1"):
        gw.function(stored)(array)


@pytest.mark.parametrize("dtype", ["S1", "U1"])
def test_arrays_that_cut_texts_are_not_stored_into(dtype):
    def stored(x):
        x[0] = x[1]
        return x[0]

    array = np.array(["x", "y"], dtype)
    with pytest.raises(ValueError, match=rf"GW113: `x` is stored into[\s\S]*{dtype}`[\s\S]*x\[0\] = x\[1\]"):
        gw.function(stored)(array)
    assert array.tolist() == np.array(["x", "y"], dtype).tolist()
    texts = np.array(["x", "y"], object)
    assert gw.function(stored)(texts) == b"y"


def test_an_array_is_not_given_twice():
    graph = gw.function(histogram)
    graph(np.arange(9), np.zeros(9, np.int64))
    whole = np.zeros(18, np.int64)
    for x, h in [(whole, whole), (whole[:9], whole[:9]), (whole[:9], whole[5:14]), (whole[::2], whole[:9])]:
        with pytest.raises(
            gw.errors.GraphError if hasattr(gw.errors, "GraphError") else Exception, match="once more"
        ):
            graph(x, h)
    graph(whole[:9], whole[9:])
    assert whole[9] == 9


def test_threads_work_in_arrays_of_their_own():
    import threading

    graph = gw.function(insertion_sort)
    arrays = [np.random.default_rng(n).random(300) for n in range(4)]
    wanted = [np.sort(x) for x in arrays]
    graph(arrays[0].copy())
    threads = [threading.Thread(target=graph, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(map(np.array_equal, arrays, wanted))


def test_a_tape_ends_with_the_tracing_that_fails_in_it():
    @gw.function
    def failing(x):
        with gw.GradientTape() as tape:
            y = x * unknown  # noqa: F821
        return tape.gradient(y, x)

    def doubled(values, out):
        for i in range(len(values)):
            out[i] = values[i] * 2

    with pytest.raises(NameError):
        failing(gw.constant(2.0))
    out = np.zeros(3, np.int64)
    # A call that a tape records works in copies.
    with pytest.raises(OverflowError):
        gw.function(doubled, roll=True)(np.array([1, 2**62, 3]), out)
    assert out.tolist() == [2, 0, 0]


ALL_KINDS = [
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
]


def add_whole(x, r):
    x += r


def multiply_slice(x, r):
    x[1:] *= r[1:]


def add_masked(x, r):
    x[x > 1] += r[0]


def add_out(x, r):
    np.add(x, r, out=x)


@pytest.mark.parametrize("change", [add_whole, multiply_slice, add_masked, add_out])
@pytest.mark.parametrize("to", ALL_KINDS)
def test_a_result_is_stored_as_numpy_casts_it(change, to):
    for of in ALL_KINDS:
        staged = gw.function(change)
        x, r = np.array([3, 0, 1], to), np.array([1, 1, 1], of)
        wanted, found = x.copy(), x.copy()
        try:
            change(wanted, r)
        except TypeError:
            with pytest.raises(TypeError, match="same_kind"):
                staged(found, r)
        else:
            staged(found, r)
        np.testing.assert_array_equal(found, wanted, f"{to} and {of}")
