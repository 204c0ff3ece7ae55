"""How variables change: scatter updates, reads of rows, shapes that are not known, memory that is used again."""

from __future__ import annotations

import resource

import numpy as np
import pytest

import graphwright as gw

WAYS = {
    "update": lambda old, new: new,
    "add": lambda old, new: old + new,
    "sub": lambda old, new: old - new,
    "mul": lambda old, new: old * new,
    "div": lambda old, new: old // new,
    "max": max,
    "min": min,
}


def by_hand(way, x, places, updates):
    """NumPy's loop: the places one after the other, so that those named twice are changed twice."""
    x = x.copy()
    for place, update in zip(places, updates, strict=True):
        x[place] = np.vectorize(WAYS[way])(x[place], update)
    return x


@pytest.mark.parametrize("staged", [False, True], ids=["eager", "staged"])
@pytest.mark.parametrize("way", WAYS)
def test_rows_and_elements_are_scattered(way, staged):
    x = np.array([[7, 20, 36], [4, 5, 6], [72, 80, 90]], np.int32)
    rows, numbers = np.array([[1, 2, 3], [4, 5, 6], [2, 2, 2]], np.int32), [2, 0, 2]
    run = gw.function if staged else (lambda function: function)

    v = gw.Variable(x)
    slices = gw.IndexedSlices(rows, numbers)
    assert run(lambda s: getattr(v, f"scatter_{way}")(s))(slices) is not None
    assert np.array_equal(v.numpy(), by_hand(way, x, numbers, rows))

    w = gw.Variable(x)
    places = [[0, 1], [2, 2], [0, 1]]
    run(lambda: getattr(w, f"scatter_nd_{way}")(places, [2, 3, 4]))()
    assert np.array_equal(w.numpy(), by_hand(way, x, [tuple(p) for p in places], [2, 3, 4]))


def test_scattering_gives_the_variable_and_keeps_floats():
    v = gw.Variable([1.0, 2.0, 3.0])
    assert v.scatter_div(gw.IndexedSlices([4.0], [1])) is v
    assert v.numpy().tolist() == [1.0, 0.5, 3.0]
    with pytest.raises(TypeError, match="IndexedSlices"):
        v.scatter_add([1.0])
    with pytest.raises(IndexError):
        v.scatter_add(gw.IndexedSlices([1.0], [3]))
    v.scatter_add(gw.IndexedSlices([1], [0]))
    assert v.numpy().tolist() == [2.0, 0.5, 3.0]


@pytest.mark.parametrize("staged", [False, True], ids=["eager", "staged"])
def test_each_batch_has_places_of_its_own(staged):
    v = gw.Variable(np.zeros((2, 4, 2), np.float32))
    new = np.arange(8, dtype=np.float32).reshape(2, 2, 2) + 1

    def function():
        v.batch_scatter_update(gw.IndexedSlices(new, [[3, 0], [1, 1]]))

    (gw.function(function) if staged else function)()
    wanted = np.zeros((2, 4, 2), np.float32)
    wanted[0, 3], wanted[0, 0], wanted[1, 1] = new[0, 0], new[0, 1], new[1, 1]
    assert np.array_equal(v.numpy(), wanted)


@pytest.mark.parametrize("staged", [False, True], ids=["eager", "staged"])
def test_rows_and_elements_are_read(staged):
    x = np.arange(24).reshape(2, 3, 4)
    v = gw.Variable(x)
    run = gw.function if staged else (lambda function: function)
    assert np.array_equal(run(lambda: v.sparse_read([1, 0, 1]))().numpy(), x[[1, 0, 1]])
    for places in ([1], [[1], [0]], [1, 2], [[0, -1], [1, 0]], [[[1, 2, 3]], [[0, 0, 0]]], [1, 1, 1]):
        at = np.array(places)
        wanted = x[tuple(np.moveaxis(at, -1, 0))]
        assert np.array_equal(run(lambda at=at: v.gather_nd(at))().numpy(), wanted)
        assert np.array_equal(run(lambda at=at: gw.gather_nd(v, at))().numpy(), wanted)
    with pytest.raises(IndexError):
        run(lambda: v.gather_nd([[0, 3]]))()
    with pytest.raises(ValueError, match="GW2.*4 numbers for a tensor of 3 axes"):
        run(lambda: v.gather_nd([[0, 0, 0, 0]]))()


@pytest.mark.parametrize("staged", [False, True], ids=["eager", "staged"])
def test_slices_of_batches_are_read(staged):
    x = np.arange(24).reshape(2, 3, 4)
    run = gw.function if staged else (lambda function: function)
    wanted = np.stack([x[batch][[[0, 2], [1, 1]][batch]] for batch in range(2)])
    at = [[[0], [2]], [[1], [1]]]
    assert np.array_equal(run(lambda: gw.gather_nd(x, at, batch_dims=1))().numpy(), wanted)
    assert run(lambda: gw.gather_nd(x, [[1, 2], [0, 3]], batch_dims=1))().numpy().tolist() == [6, 15]
    within = [[[3], [2], [1]], [[0], [0], [0]]]
    assert run(lambda: gw.gather_nd(x, within, batch_dims=2))().numpy().tolist() == [[3, 6, 9], [12, 16, 20]]
    for short in ([[1, 2]], [1, 2]):
        with pytest.raises(ValueError, match="GW202.*1 axes are batches"):
            run(lambda short=short: gw.gather_nd(x, short, batch_dims=1))()


def test_indices_of_slices_may_be_arguments():
    v = gw.Variable([0.0, 0.0, 0.0])

    @gw.function
    def function(slices):
        assert slices.dtype is gw.float32
        v.scatter_add(slices)

    for rows in ([0], [2], [2]):
        function(gw.IndexedSlices([1.0], rows))
    assert v.numpy().tolist() == [1, 0, 2]
    assert function.experimental_get_tracing_count() == 1


def test_without_read_value_nothing_is_given():
    v = gw.Variable(1.0)
    assert v.assign(2.0, read_value=False) is None
    assert v.assign_add(2.0, read_value=False) is None
    assert v.assign_sub(1.0, read_value=False) is None
    assert v.initialized_value().item() == 3
    assert v.is_initialized()


def test_a_number_of_axes_that_may_change():
    v = gw.Variable(1.0, shape=gw.TensorShape(None))
    assert v.shape.rank is None
    assert repr(v.shape) == "TensorShape(None)"

    @gw.function
    def total(x):
        return gw.reduce_sum(v) + x * v.value().shape.rank

    x = gw.constant(10.0)
    assert total(x).item() == 1
    v.assign([1.0, 2.0])
    assert total(x).item() == 13
    v.assign([3.0, 4.0, 5.0])
    assert total(x).item() == 22
    v.assign([[1.0]])
    assert total(x).item() == 21
    v.assign(5.0)
    assert total(x).item() == 5
    assert total.experimental_get_tracing_count() == 3
    with pytest.raises(ValueError, match="GW304: .* is `float32` of shape <unknown>"):
        v.assign(gw.constant([1]))

    @gw.function
    def store(variable, x):
        variable.assign(x)

    for value in (np.ones((2, 3), np.float32), np.ones(4, np.float32), np.ones(5, np.float32)):
        store(v, gw.constant(value))
        assert np.array_equal(v.numpy(), value)


@gw.function
def step(variable, x):
    variable.assign_add(x)


def new_pages(calls):
    """How many pages of memory calls touch that this process had not."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    calls()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_a_staged_assignment_uses_memory_again():
    # An allocator asks the system for so much memory at each time, and gives it back.
    ones = np.ones(10_000_000, np.float32)
    v, x = gw.Variable(ones), gw.constant(ones)
    step(v, x)
    step(v, x)
    pages = ones.nbytes // resource.getpagesize()
    assert new_pages(lambda: [step(v, x) for _ in range(4)]) < pages // 4
    # What is read keeps its memory; how many pages the system then gives is its own affair.
    read = v.value()
    step(v, x)
    step(v, x)
    assert (read[0].item(), v[-1].item()) == (7, 9)


def test_what_was_read_of_a_variable_stays():
    v, x = gw.Variable(np.zeros(5000, np.float32)), gw.constant(np.ones(5000, np.float32))
    read, arrays = [], []
    for _ in range(10):
        step(v, x)
        read.append(v.value())
        arrays.append(np.asarray(v.value()))
    for at in range(10):
        assert np.array_equal(read[at].numpy(), np.full(5000, at + 1, np.float32))
        assert np.array_equal(arrays[at], np.full(5000, at + 1, np.float32))


def test_a_call_that_fails_leaves_what_it_assigned_before_though_memory_is_used_again():
    v = gw.Variable(np.zeros(5000, np.float32))

    @gw.function
    def function(x):
        v.assign_add(x)
        assert gw.reduce_sum(v) < 12_000.0

    x = gw.constant(np.ones(5000, np.float32))
    function(x)
    function(x)
    for assigned in (3, 4):
        with pytest.raises(AssertionError):
            function(x)
        assert np.array_equal(v.numpy(), np.full(5000, assigned, np.float32))


@pytest.mark.parametrize(
    ("dtype", "bytes_of_it", "is_input"),
    [(np.int32, 1024, False), (np.int32, 1028, True), (np.float32, 4, True), (np.float32, 1028, True)],
)
def test_small_tensors_of_whole_numbers_are_constants_and_others_inputs(dtype, bytes_of_it, is_input):
    outside = gw.constant(np.ones(bytes_of_it // 4, dtype))
    function = gw.function(lambda x: x + outside)
    one = gw.constant(1, outside.dtype)
    graph = function.get_concrete_function(one)
    assert len(graph.captured_inputs) == is_input
    assert np.array_equal(function(one).numpy(), np.full(bytes_of_it // 4, 2))
