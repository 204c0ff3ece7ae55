"""Stores into tensors: what NumPy's arrays hold afterwards, tensors hold, eagerly and in a graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as gw
from three_ways import check

LENGTHS = (3, 4, 2)


def index_of(length):
    """An index, now and then out of range."""
    return st.integers(-length - 1, length)


def slice_of(length):
    bound = st.none() | st.integers(-length - 2, length + 2)
    return st.builds(slice, bound, bound, st.none() | st.sampled_from([1, 2, 3, -1, -2]))


def indices_of(length):
    numbers = st.lists(st.integers(-length, length - 1), min_size=1, max_size=3)
    return numbers.map(np.array)


@st.composite
def keys(draw):
    """A key for an array of LENGTHS: numbers, slices, one array of indices, `...` and `None`."""
    count = draw(st.integers(0, 3))
    arrays = draw(st.integers(0, 4))
    key = []
    for axis in range(count):
        length = LENGTHS[axis]
        entry = st.one_of(st.integers(-length, length - 1), slice_of(length))
        key.append(draw(indices_of(length) if axis == arrays else entry))
    if draw(st.integers(0, 3)) == 0:
        key.insert(draw(st.integers(0, len(key))), None)
    if draw(st.integers(0, 3)) == 0:
        key.append(...)
    return tuple(key)


def value_for(draw, shape):
    """A value that can be repeated to a shape."""
    if draw(st.booleans()):
        return draw(st.sampled_from([0, 1.5, True, -2]))
    own = [draw(st.sampled_from([1, n])) for n in shape][draw(st.integers(0, len(shape))) :]
    return np.arange(1.0, 1.0 + int(np.prod(own))).reshape(own)


def outcome(action):
    try:
        return action()
    except (IndexError, ValueError) as error:
        return base(error)


def base(error):
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def store(x, key, value):
    x = x.copy()
    x[key] = value
    return x


def of_numpy(x, key, value):
    return outcome(lambda: store(x, key, value))


def of_tensors(call):
    result = outcome(call)
    return result if isinstance(result, str) else result.numpy()


def agrees(ours, native):
    return ours == native if isinstance(native, str) else np.array_equal(ours, native)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.data())
def test_random_stores(data):
    x = np.arange(24.0).reshape(LENGTHS)
    key = data.draw(keys())
    value = value_for(data.draw, x[key].shape)
    native = of_numpy(x, key, value)
    eager = of_tensors(lambda: store(gw.constant(x), key, value))
    assert agrees(eager, native), (key, value)
    staged = of_tensors(lambda: gw.function(lambda x: store(x, key, value))(x))
    assert agrees(staged, native), (key, value)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(index_of(3), index_of(4), slice_of(4), st.booleans())
def test_random_staged_keys(i, j, by, swap):
    x = np.arange(12.0).reshape(3, 4)

    def mixed(x, i, j, start, stop):
        x[i, start:stop] = 5.0
        x[:, j] += 1.0
        if swap:
            x[i] = x[-1]
        return x

    start, stop, _ = by.indices(4)
    arguments = i, j, start, stop
    native = outcome(lambda: mixed(x.copy(), *arguments))
    tensors = [gw.constant(a, gw.int64) for a in arguments]
    ours = of_tensors(lambda: gw.function(mixed)(gw.constant(x), *tensors))
    assert agrees(ours, native)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.data())
def test_random_reads(data):
    x = np.arange(24.0).reshape(LENGTHS)
    key = data.draw(keys())
    native = outcome(lambda: x[key])
    eager = of_tensors(lambda: gw.constant(x)[key])
    refused = isinstance(eager, str) and eager == "ValueError" and not isinstance(native, str)
    assert refused or agrees(eager, native), key


def test_indices_are_read_together():
    x, rows, columns = np.zeros((3, 4)), np.array([0, 2, 2]), np.array([1, 3, 3])

    def pairs(x, rows, columns):
        x = x.copy()
        x[rows, columns] = np.array([5.0, 6.0, 7.0])
        x[rows[:, None], columns[:2]] = 1.0
        return x

    check(pairs, x, rows, columns)


def test_an_index_apart_from_the_others_puts_their_axes_in_front():
    x, at = np.zeros((2, 3, 4)), np.array([0, 2])

    def apart(x, at, row):
        x = x.copy()
        x[1, :, at] = row
        return x

    check(apart, x, at, np.arange(6.0).reshape(2, 3))


def test_a_mask_of_some_axes():
    def masked(x, mask, row):
        x = x.copy()
        x[mask] = row
        return x

    check(masked, np.zeros((3, 2)), np.array([True, False, True]), np.array([1.0, 2.0]))
    check(masked, np.zeros((3, 2)), np.array([True, False]), np.array([1.0, 2.0]))


@pytest.mark.parametrize("number", [2**40, -(2**31) - 1, float("nan"), float("inf"), 1e12])
def test_numbers_that_do_not_fit_fail_as_in_numpy(number):
    def assign(x):
        x = x.copy()
        x[0] = number
        return x

    check(assign, np.zeros(2, np.int32))


def test_what_is_read_before_a_store_is_what_was_there():
    def swap(x, n):
        x = x.copy()
        for i in range(n):
            row = x[i].copy()
            x[i] = x[-1 - i]
            x[-1 - i] = row
        return x

    check(swap, np.arange(12.0).reshape(4, 3), 2)


def test_a_value_that_was_read_late_is_not_overwritten():
    def late(x, n):
        x = x.copy()
        total = x * 0.0
        for i in range(n):
            part = x[1:] * 2.0
            x[i] = -1.0
            total[:-1] += part
        return x, total

    check(late, np.arange(5.0), 4)


def test_a_carry_that_keeps_the_array_of_before():
    def trail(x, n):
        x = x.copy()
        before = x.copy()
        for i in range(n):
            before = x.copy()
            x[i] = 9.0
        return x, before

    check(trail, np.arange(5.0), 3)


def test_the_caller_sees_what_is_stored_into_an_argument():
    @gw.function
    def fill(x, rows, n):
        for i in gw.range(n):
            x[i] = 1.0
            rows["b"][i, 0] = 2.0

    x, rows = gw.zeros(3), {"a": np.zeros(2), "b": np.zeros((3, 2))}
    alias = x
    fill(x, rows, gw.constant(2))
    assert alias.numpy().tolist() == [1.0, 1.0, 0.0]
    assert rows["b"].tolist() == [[2.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
    fill(x, rows, gw.constant(3))
    assert x.numpy().tolist() == [1.0, 1.0, 1.0]


def test_one_array_given_twice_is_refused():
    @gw.function
    def copy_first(x, y):
        x[0] = y[1]

    array = np.arange(4.0)
    with pytest.raises(ValueError, match="GW122"):
        copy_first(array, array)
    with pytest.raises(ValueError, match="GW122"):
        copy_first(array[:2], array[1:3])
    copy_first(array[:2], array[2:])
    assert array.tolist() == [3.0, 1.0, 2.0, 3.0]


def test_a_read_only_array_stays_as_it_is():
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gw.function(lambda x: x.__setitem__(0, 1.0))(array)


def test_a_tensor_from_outside_that_changed_is_read_again():
    weights = gw.constant([1.0, 2.0])

    @gw.function
    def scaled(x):
        return x * weights

    assert scaled(gw.constant(2.0)).numpy().tolist() == [2.0, 4.0]
    weights[0] = 10.0
    assert scaled(gw.constant(2.0)).numpy().tolist() == [20.0, 4.0]


def test_rows_of_a_loop_are_parts():
    @gw.function
    def rows(x):
        for row in x:
            row[0] = 1.0

    with pytest.raises(ValueError, match="GW121"):
        rows(gw.zeros((2, 2)))
    with pytest.raises(ValueError, match="GW121"):
        next(iter(gw.zeros((2, 2))))[0] = 1.0


def test_a_carry_that_may_be_the_array_of_before_is_refused_where_that_has_a_name():
    def alone(x, n):
        y = x.copy()
        for i in range(n):
            y[i] = 1.0
            y = y * 2.0
        return y

    check(alone, np.zeros(3), 2)
    check(alone, np.zeros(3), 0)

    @gw.function
    def doubled(x, n):
        y = x.copy()
        z = y
        for i in gw.range(n):
            y[i] = 1.0
            y = y * 2.0
        return y, z

    with pytest.raises(ValueError, match="GW122"):
        doubled(gw.zeros(3), gw.constant(2))


def test_arrays_that_are_one_only_on_some_paths_are_not_taken_for_one():
    @gw.function
    def choose(x, c):
        y = x.copy()
        z = y.copy()
        chosen = y if c else z
        chosen[0] = 5.0
        return y, z

    with pytest.raises(ValueError, match="GW122"):
        choose(gw.zeros(2), gw.constant(True))


def test_an_array_whose_others_are_gone_may_be_stored_into():
    def fresh(x, c):
        y = x.copy()
        if c > 0:
            y = y + 1.0
        y[0] = 5.0
        return y

    check(fresh, np.zeros(2), 1)
    check(fresh, np.zeros(2), -1)


def test_a_name_without_a_value_is_not_stored_into():
    @gw.function
    def maybe(c):
        if c:
            x = gw.zeros(2)
        x[0] = 1.0
        return x

    with pytest.raises(ValueError, match="GW122"):
        maybe(gw.constant(True))


def test_copies_are_arrays_of_their_own():
    import copy

    x = gw.zeros(2)
    others = [x.copy(), copy.copy(x), copy.deepcopy(x), +x]
    x[0] = 1.0
    assert [other.numpy().tolist() for other in others] == [[0.0, 0.0]] * 4


def test_an_item_that_only_a_branch_has_is_not_read_before_it():
    """`x[7]` in a branch that is not taken does not exist, and nobody asks for it."""

    @gw.function(input_signature=[gw.TensorSpec([None]), gw.TensorSpec([], gw.int32)])
    def safe(x, n):
        if n > 7:
            x[7] = 1.0
        return x + 0.0

    assert safe(np.zeros(3, np.float32), 2).numpy().tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(IndexError):
        safe(np.zeros(3, np.float32), 8)


@pytest.mark.parametrize("name, of", [("update", None), ("add", np.add), ("sub", np.subtract)])
def test_scatter(name, of):
    x, at, new = np.arange(6.0).reshape(3, 2), np.array([[0], [2], [0]]), np.ones((3, 2))
    wanted = x.copy()
    if of is None:
        wanted[at[:, 0]] = new
    else:
        of.at(wanted, at[:, 0], new)
    scatter = getattr(gw, f"tensor_scatter_nd_{name}")
    assert np.array_equal(scatter(x, at, new).numpy(), wanted)
    assert np.array_equal(gw.function(scatter)(x, at, new).numpy(), wanted)


def test_scatter_of_extremes_and_single_elements():
    x, at = gw.constant([[1.0, 5.0], [3.0, 2.0]]), gw.constant([[0, 1], [1, 0]])
    assert gw.tensor_scatter_nd_max(x, at, [4.0, 4.0]).numpy().tolist() == [[1.0, 5.0], [4.0, 2.0]]
    assert gw.tensor_scatter_nd_min(x, at, [4.0, 4.0]).numpy().tolist() == [[1.0, 4.0], [3.0, 2.0]]
    with pytest.raises(IndexError):
        gw.tensor_scatter_nd_update(x, [[2, 0]], [1.0])


def test_stores_before_a_break_and_a_return():
    def stop(x, n):
        x = x.copy()
        for i in range(n):
            if x[i] > 2.0:
                break
            x[i] = 9.0
            if x[i + 1] > 1.0:
                return x
        else:
            x[-1] = 7.0
        return x * 2.0

    check(stop, np.arange(5.0), 3)
    check(stop, np.zeros(5), 2)
    check(stop, np.full(5, 3.0), 2)


def test_a_test_and_operands_that_store():
    def more(x, n):
        x = x.copy()

        def count(i):
            x[i] += 1.0
            return x[i] > 0.5

        i = 0
        while i < n and count(i):
            i += 1
        return x, i, n > 9 or count(0)

    check(more, np.zeros(5), 3)
    check(more, np.array([0.0, -3.0, 0.0]), 2)


def test_a_variable_and_a_tensor_change_in_one_loop():
    total = gw.Variable(0.0)

    @gw.function
    def both(x, n):
        for i in gw.range(n):
            total.assign_add(1.0)
            x[i] = total.read_value()
            if i > 0:
                x[0] += total
        return total.read_value()

    x = gw.zeros(3)
    assert both(x, gw.constant(3)).numpy() == 3.0
    assert x.numpy().tolist() == [6.0, 2.0, 3.0]
    assert total.numpy() == 3.0
