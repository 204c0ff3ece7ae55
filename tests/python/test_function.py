"""`gw.function`: traces, their cache, structures, signatures, captures; staged control flow end to end."""

import math
import threading

import numpy as np
import pytest

import graphwright as gw


def test_a_trace_per_trace_type():
    traced = []

    @gw.function
    def f(x, n):
        traced.append(n)
        return x + n

    assert f(gw.constant(1), 2).item() == 3
    assert f(gw.constant(5), 2).item() == 7
    assert len(traced) == 1
    f(gw.constant(1.0), 2)
    f(gw.constant([1]), 2)
    f(gw.constant(1), 3)
    f(gw.constant(1), 3)
    assert len(traced) == 4
    assert f.experimental_get_tracing_count() == 4


def test_python_literals_count_by_type_and_value():
    @gw.function
    def f(n):
        return gw.constant(0) + (1 if isinstance(n, bool) else 2 if isinstance(n, int) else 3)

    assert [f(n).item() for n in (1, True, 1.0)] == [1 + 1, 1, 3]
    assert f.experimental_get_tracing_count() == 3
    f(math.nan)
    f(math.nan)
    assert f.experimental_get_tracing_count() == 4


def test_structures_go_in_and_out():
    @gw.function
    def f(pair, named):
        a, b = pair
        return {"sum": a + b, "rest": [named["x"], None, (a,)]}

    found = f((gw.constant(1), gw.constant(2)), {"x": gw.constant(3.0)})
    assert found["sum"].item() == 3
    assert found["rest"][0].item() == 3.0
    assert found["rest"][1] is None
    assert found["rest"][2][0].item() == 1


def test_defaults_keywords_and_varargs():
    @gw.function
    def f(x, y=10, *rest, z=100, **more):
        return x + y + sum(rest) + z + more.get("w", 0)

    one = gw.constant(1)
    assert f(one).item() == 111
    assert f(one, z=one).item() == 12
    assert f(one, 2, one, one, w=one).item() == 106
    with pytest.raises(TypeError, match="missing"):
        f()


def test_the_decorator_keeps_the_function():
    @gw.function
    def f(x):
        """What f says."""
        return x

    assert f.__name__ == "f"
    assert f.__doc__ == "What f says."
    assert f.python_function(3) == 3


def test_methods():
    class Scale:
        def __init__(self, by):
            self.by = by

        @gw.function
        def __call__(self, x):
            return x * self.by

        @gw.function
        def twice(self, x):
            return self.helper(x) * 2

        def helper(self, x):
            if x > 0:
                return x
            return -x

    assert Scale(3)(gw.constant(2)).item() == 6
    assert Scale(4)(gw.constant(2)).item() == 8
    assert Scale(4).twice(gw.constant(-2)).item() == 4


def test_input_signatures_narrow_and_refuse():
    @gw.function(input_signature=[gw.TensorSpec([None], gw.float32)])
    def total(x):
        return gw.reduce_sum(x)

    assert total(gw.constant([1.0, 2.0])).item() == 3.0
    assert total([1.0, 2.0, 3.0]).item() == 6.0
    assert total.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="GW302"):
        total(gw.constant([1, 2]))
    with pytest.raises(TypeError, match="GW302"):
        total(gw.constant([[1.0]]))


def test_symbolic_lengths():
    @gw.function(input_signature=[gw.TensorSpec([None, 2], gw.float64)])
    def f(x):
        assert x.shape.as_list() == [None, 2]
        centred = x - gw.reduce_mean(x, axis=0, keepdims=True)
        return gw.matmul(centred, centred, transpose_a=True), gw.concat([x, x[1:]], axis=0)

    for n in (1, 2, 7):
        x = np.random.default_rng(n).normal(size=(n, 2))
        centred = x - x.mean(0, keepdims=True)
        product, joined = f(x)
        np.testing.assert_allclose(product.numpy(), centred.T @ centred, atol=1e-12)
        np.testing.assert_array_equal(joined.numpy(), np.concatenate([x, x[1:]]))


def test_concrete_functions_show_their_graph():
    @gw.function
    def f(x, y):
        return x * y

    concrete = f.get_concrete_function(gw.TensorSpec([None, 3]), gw.TensorSpec([3]))
    text = str(concrete.graph)
    assert text.startswith("func @f(%x: f32[?0,3], %y: f32[3])")
    x, y = np.ones((2, 3), np.float32), np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(concrete(x, y).numpy(), x * y)
    with pytest.raises(TypeError, match="GW302"):
        concrete(np.ones((2, 4), np.float32), y)


def test_captured_tensors():
    small, large = gw.constant(2.0), gw.constant(np.arange(1000.0))

    @gw.function
    def f(x):
        return x * small + gw.cast(gw.reduce_sum(large), gw.float32)

    assert f(gw.constant(3.0)).item() == 6.0 + 499500.0


def test_functions_call_functions():
    @gw.function
    def inner(x):
        if x > 0:
            return x
        return -x

    @gw.function
    def outer(x):
        return inner(x) + inner(-x)

    assert outer(gw.constant(-3)).item() == 6


def test_threads_share_a_function():
    @gw.function
    def f(n):
        total = 0
        while n > 0:
            total += n
            n -= 1
        return total

    found = {}

    def work(i):
        found[i] = [f(gw.constant(k + i)).item() for k in range(200)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert found == {i: [(k + i) * (k + i + 1) // 2 for k in range(200)] for i in range(4)}


def collatz_steps(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def first_big(xs):
    for x in xs:
        if x > 3:
            return x
    return -1


def search(xs, wanted):
    found = -1
    for i in gw.range(len(xs)):
        if xs[i] == wanted:
            found = i
            break
    else:
        found = -2
    return found


def skip_odd(n):
    total = 0
    for i in gw.range(n):
        if i % 2 == 1:
            continue
        total += i
    return total


def nested(n):
    count = 0
    i = 0
    while i < n:
        j = 0
        while True:
            j += 1
            if j > i or j * j > n:
                break
            count += 1
        i += 1
    return count


def classify(x):
    if x < 0:
        return -1
    elif x == 0:
        return 0
    elif not x < 10:
        return 2
    return 1


def doubled_past(n):
    while True:
        n = n * 2
        if n > 100:
            return n


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def newton(a):
    x = a
    while abs(x * x - a) > 1e-6 * a:
        x = 0.5 * (x + a / x)
    return x


def python_range(n):
    return range(n)


PROGRAMS = [
    (collatz_steps, (27,), (97,), (1,)),
    (skip_odd, (0,), (1,), (10,)),
    (nested, (0,), (1,), (12,)),
    (classify, (-3,), (0,), (5,), (12,)),
    (gcd, (12, 18), (7, 0), (0, 7)),
    (doubled_past, (3,), (200,)),
]


@pytest.mark.parametrize(
    ("program", "args"),
    [(p, args) for p, *cases in PROGRAMS for args in cases],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_staged_programs_agree_with_python(program, args):
    staged = gw.function(program)
    assert staged(*map(gw.constant, args)).item() == plain(program)(*args)


def plain(program):
    """The program with Python's range in place of ours."""
    scope = dict(program.__globals__)
    scope["gw"] = type("gw", (), {"range": range})
    return type(program)(program.__code__, scope, program.__name__, program.__defaults__, program.__closure__)


def test_early_return_from_a_loop():
    staged = gw.function(first_big)
    assert staged(gw.constant([1, 5, 9])).item() == 5
    assert staged(gw.constant([1, 2])).item() == -1


@pytest.mark.parametrize(("wanted", "found"), [(7, 1), (8, -2)])
def test_loop_else(wanted, found):
    assert gw.function(search)(gw.constant([3, 7, 5]), wanted).item() == found


def test_newtons_root():
    assert gw.function(newton)(gw.constant(2.0, gw.float64)).item() == pytest.approx(math.sqrt(2))


def test_attributes_and_items_are_state():
    class Box:
        pass

    @gw.function
    def f(n):
        box, cells = Box(), [0, 0]
        box.total = 0
        while n > 0:
            box.total += n
            cells[1] = cells[1] + 1
            n -= 1
        return box.total, cells[1]

    total, count = f(gw.constant(4))
    assert (total.item(), count.item()) == (10, 4)


def test_mutual_helpers_lambdas_and_closures():
    scale = 3

    def helper(x):
        return x * scale if x > 0 else -x

    @gw.function
    def f(x):
        twice = lambda y: helper(y) + helper(y)  # noqa: E731
        return twice(x)

    assert f(gw.constant(2)).item() == 12
    assert f(gw.constant(-2)).item() == 4


def test_a_loop_over_rows():
    @gw.function
    def f(rows):
        best = rows[0]
        for row in rows:
            best = gw.maximum(best, row)
        return best

    rows = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    np.testing.assert_array_equal(f(rows).numpy(), rows.max(0))


def test_python_loops_unroll_and_join_the_graph():
    @gw.function
    def f(x):
        for k in range(3):
            x = x + k
        i = 0
        while i < 3:
            if x > 100:
                break
            x = x * 2
            i += 1
        return x

    assert f(gw.constant(1)).item() == 32
    assert f(gw.constant(60)).item() == 126


def test_math_and_builtins_take_tensors():
    @gw.function
    def f(x):
        return math.sqrt(x) + float(int(x)) + max(x, 2.0) + abs(-x) + len([1, 2])

    assert f(gw.constant(9.0, gw.float64)).item() == 3 + 9 + 9 + 9 + 2


def test_prints_in_order(capsys):
    @gw.function
    def f(n):
        for i in gw.range(n):
            if i % 2 == 0:
                gw.print("even", i)
            else:
                gw.print("odd", i)

    assert f(gw.constant(3)) is None
    assert capsys.readouterr().err == "even 0\nodd 1\neven 2\n"


def test_what_a_branch_prints_is_printed_when_it_is_taken(capsys):
    @gw.function
    def f(x):
        print("before if")
        if x > 0:
            print("true branch")
        else:
            print("false branch")
        print("after if")

    f(gw.constant(1))
    f(gw.constant(-1))
    assert capsys.readouterr().out == "before if\nafter if\ntrue branch\nfalse branch\n"


def test_weak_numbers_do_not_wrap_before_they_are_compared():
    @gw.function
    def root(n):
        i = 0
        while i * i < n:
            i += 1
        return i

    assert root(gw.constant(2**31 - 1)).item() == 46341
