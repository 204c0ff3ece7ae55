"""`gw.random`: numbers of a distribution, the same for the same seed, and other ones at each call of a graph."""

import numpy as np
import pytest

import graphwright as gw

MANY = [40_000]


def draws(law, dtype, seed):
    """Many numbers at once, as an array of doubles."""
    return law(MANY, [seed, 1], dtype=dtype).numpy().astype(np.float64)


@pytest.mark.parametrize("dtype", [gw.float32, gw.float64])
def test_uniform_numbers_are_even(dtype):
    found = draws(gw.random.stateless_uniform, dtype, 5)
    assert found.min() >= 0 and found.max() < 1
    assert abs(found.mean() - 1 / 2) < 0.005
    assert abs(found.var() - 1 / 12) < 0.001
    counts = np.histogram(found, bins=20, range=(0, 1))[0]
    assert np.abs(counts - 2000).max() < 200
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.02


@pytest.mark.parametrize("dtype", [gw.float32, gw.float64])
def test_normal_numbers_are_normal(dtype):
    found = draws(gw.random.stateless_normal, dtype, 6)
    assert abs(found.mean()) < 0.02
    assert abs(found.var() - 1) < 0.03
    assert abs((found**3).mean()) < 0.06
    assert abs((found**4).mean() - 3) < 0.15
    assert abs((np.abs(found) < 1).mean() - 0.6827) < 0.01


@pytest.mark.parametrize(("dtype", "digits"), [(gw.float16, 11), (gw.bfloat16, 8)])
def test_numbers_of_half_precision(dtype, digits):
    even = draws(gw.random.stateless_uniform, dtype, 5)
    assert even.min() == 0
    assert even.max() == 1 - 2.0**-digits
    assert len(set(even.tolist())) == 2**digits
    assert abs(even.mean() - (1 - 2.0**-digits) / 2) < 0.005
    normal = draws(gw.random.stateless_normal, dtype, 6)
    assert abs(normal.mean()) < 0.02
    assert abs(normal.var() - 1) < 0.03
    assert np.abs(normal).max() > 3.5
    kept = gw.nn.dropout(gw.ones(MANY, dtype), 0.25, seed=3).numpy().astype(np.float64)
    assert abs(kept.mean() - 1) < 0.02


@pytest.mark.parametrize("dtype", [gw.int32, gw.int64])
def test_integers_lie_between(dtype):
    found = gw.random.stateless_uniform(MANY, [7, 2], -3, 4, dtype).numpy()
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert np.abs(counts - 40_000 / 7).max() < 400


def test_a_number_does_not_reach_the_upper_bound():
    found = gw.random.stateless_uniform([2000], [1, 1], 16777216.0, 16777218.0).numpy()
    assert set(found.tolist()) == {16777216.0}


@pytest.mark.parametrize("law", [gw.random.stateless_uniform, gw.random.stateless_normal])
def test_a_seed_gives_the_same_eagerly_and_in_a_graph(law):
    staged = gw.function(lambda n, seed: law([n, 2], seed))
    eager = law([3, 2], [8, 9]).numpy()
    assert staged(gw.constant(3), gw.constant([8, 9])).numpy().tolist() == eager.tolist()
    assert law([3, 2], [8, 9]).numpy().tolist() == eager.tolist()
    assert law([3, 2], [9, 8]).numpy().tolist() != eager.tolist()


def sequence(step, times):
    gw.random.set_seed(12)
    return [step() for _ in range(times)]


def test_each_call_gives_other_numbers_and_a_seed_repeats_them():
    def step():
        return gw.random.uniform([]).numpy().item(), gw.random.normal([], seed=3).numpy().item()

    found = sequence(step, 4)
    assert len({number for pair in found for number in pair}) == 8
    assert sequence(step, 4) == found


def test_a_graph_asks_as_often_as_the_program():
    def walk(n):
        steps = gw.TensorArray(gw.float32, size=n)
        for i in gw.range(n):
            if gw.random.uniform(()) > 0.5:
                steps.write(i, gw.random.normal([]))
        return steps.stack()

    graph = gw.function(walk)
    staged = sequence(lambda: graph(gw.constant(6)).numpy().tolist(), 3)
    assert sequence(lambda: walk(gw.constant(6)).numpy().tolist(), 3) == staged
    assert graph.experimental_get_tracing_count() == 1
    numbers = [number for row in staged for number in row if number != 0]
    assert len(set(numbers)) == len(numbers) > 3


def test_chance_decides_branches_and_loops():
    def statements():
        if gw.random.uniform(()) > 0.5:
            x = 1
        else:
            x = 2
        while gw.random.uniform(()) > 0.5:
            x = x + 1
        return x

    graph = gw.function(statements)
    staged = sequence(lambda: int(graph()), 12)
    assert sequence(lambda: int(statements()), 12) == staged
    assert len(set(staged)) > 2


def test_a_generator_has_its_own_numbers():
    one, other = gw.random.Generator.from_seed(4), gw.random.Generator.from_seed(4)

    @gw.function
    def two():
        return one.uniform([2]), one.normal([], mean=100.0, dtype=gw.float64)

    staged = [two(), two()]
    eager = [(other.uniform([2]), other.normal([], mean=100.0, dtype=gw.float64)) for _ in range(2)]
    for (a, b), (c, d) in zip(staged, eager):
        assert a.numpy().tolist() == c.numpy().tolist()
        assert abs(b.numpy() - d.numpy()) < 1e-9
    assert one.state.numpy().tolist() == [4, 4, 4]
    one.reset_from_seed(4)
    assert one.uniform([2]).numpy().tolist() == staged[0][0].numpy().tolist()
    by_chance = gw.random.Generator.from_non_deterministic_state()
    assert by_chance.uniform([]).numpy() != by_chance.uniform([]).numpy()


def test_shuffling_keeps_the_rows():
    rows = gw.constant([[i, 2 * i] for i in range(50)])
    gw.random.set_seed(1)
    eager = gw.random.shuffle(rows).numpy()
    gw.random.set_seed(1)
    assert gw.function(gw.random.shuffle)(rows).numpy().tolist() == eager.tolist()
    assert sorted(eager.tolist()) == rows.numpy().tolist() != eager.tolist()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gw.random.uniform([2], 3, 3, gw.int32), ValueError, "minval must be less than maxval"),
        (lambda: gw.random.uniform([2], dtype=gw.int32), ValueError, "GW204"),
        (lambda: gw.random.normal([2], dtype=gw.int32), TypeError, "GW201"),
        (lambda: gw.random.stateless_uniform([2], 3), ValueError, "GW204"),
        (lambda: gw.random.shuffle(3), ValueError, "GW202"),
    ],
)
def test_refuses(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_lengths_that_are_drawn_in_loops():
    def drawn(i):
        return gw.zeros([1, gw.random.uniform((), i, i + 1, gw.int32), 2])

    def last(n):
        rows = gw.zeros([1, 0, 2])
        for i in gw.range(n):
            rows = drawn(i)
        return rows

    def summed(n):
        total, rows = gw.constant(0.0), drawn(n)
        for i in gw.range(n):
            rows = drawn(i)
            total += gw.reduce_sum(rows + 1.0)
        return total, rows

    for function in (last, summed):
        staged = gw.function(function)
        for count in (0, 1, 4, 2):
            n = gw.constant(count)
            for own, other in zip(gw.nest.flatten(function(n)), gw.nest.flatten(staged(n)), strict=True):
                np.testing.assert_array_equal(own, other)


WIDE = [(0, 3 * 2**61), (-(2**63), 2**63 - 1), (-(2**62), 2**62), (5, 2**63 - 1), (-(2**63), 0)]


@pytest.mark.parametrize("bounds", WIDE)
def test_integers_of_wide_ranges_are_even(bounds):
    low, high = bounds

    @gw.function
    def written(seed):
        return gw.random.stateless_uniform(MANY, seed, low, high, gw.int64)

    @gw.function
    def given(seed, low, high):
        return gw.random.stateless_uniform(MANY, seed, low, high, gw.int64)

    eager = gw.random.stateless_uniform(MANY, [3, 1], low, high, gw.int64)
    ends = [gw.constant(low, gw.int64), gw.constant(high, gw.int64)]
    for found in (written(gw.constant([3, 1])), given(gw.constant([3, 1]), *ends)):
        np.testing.assert_array_equal(eager, found)
    numbers = [int(n) for n in eager.numpy()]
    assert all(low <= n < high for n in numbers)
    thirds = [0, 0, 0]
    for n in numbers:
        thirds[3 * (n - low) // (high - low)] += 1
    assert all(abs(count - MANY[0] / 3) < 600 for count in thirds)
    assert abs(sum(n & 1 for n in numbers) - MANY[0] / 2) < 600


def test_integers_of_wide_ranges_are_parts_of_one_fraction():
    """`width * fraction`, rounded down, without signs, to the last bit."""

    def drawn(low, high):
        numbers = gw.random.stateless_uniform([1000], [8, 9], low, high, gw.int64).numpy()
        return [int(n) - low for n in numbers]

    most = 2**64 - 1
    fractions = drawn(-(2**63), 2**63 - 1)
    for low, high in (*WIDE, (0, 2**32 + 1), (-7, 2**40 + 12345), (1, 2**33)):
        width = high - low
        for number, part in zip(drawn(low, high), fractions, strict=True):
            assert width * part // most - 1 <= number <= width * (part + 1) // most


def test_integers_of_narrow_ranges_stay_what_they_were():
    found = gw.random.stateless_uniform([6], [1, 2], 0, 2**32, gw.int64).numpy().tolist()
    small = gw.random.stateless_uniform([6], [1, 2], 0, 100, gw.int32).numpy().tolist()
    assert small == gw.random.stateless_uniform([6], [1, 2], 0, 100, gw.int64).numpy().tolist()
    assert [n % 4 for n in found] == [n % 4 for n in small]


@pytest.mark.parametrize(
    ("draw", "error", "text"),
    [
        (lambda: gw.random.uniform([-1]), ValueError, "GW204: -1 is not the length of an axis"),
        (lambda: gw.random.uniform([2, -3], 0, 5, gw.int32), ValueError, "GW204: -3"),
        (lambda: gw.random.uniform([2], 3.0, 1.0), ValueError, "must not be greater"),
        (lambda: gw.random.uniform([2], 0.0, float("nan")), ValueError, "must not be greater"),
        (lambda: gw.random.uniform([2], 3, 3, gw.int64), ValueError, "must be less"),
        (lambda: gw.random.uniform([2], 3, 1, gw.int32), ValueError, "must be less"),
        (lambda: gw.random.uniform([2], 0, 2**40, gw.int32), TypeError, "does not fit `int32`"),
        (lambda: gw.random.uniform([2], 0.5, 3, gw.int32), TypeError, "does not fit `int32`"),
        (lambda: gw.random.normal([2, -1]), ValueError, "GW204: -1"),
    ],
)
def test_bounds_and_lengths_that_cannot_be(draw, error, text):
    for function in (draw, gw.function(draw)):
        with pytest.raises(error, match=text):
            function()


def test_bounds_that_a_graph_knows_are_judged_when_it_runs():
    @gw.function
    def drawn(low, high):
        return gw.random.uniform([3], low, high)

    assert drawn(gw.constant(2.0), gw.constant(2.0)).numpy().tolist() == [2.0] * 3
    with pytest.raises(ValueError, match="must not be greater"):
        drawn(gw.constant(2.5), gw.constant(2.0))
    lengths = gw.function(lambda n: gw.random.uniform([n, 2]))
    with pytest.raises(ValueError, match="negative"):
        lengths(gw.constant(-1))
