"""`gw.TensorArray`: one object that all who hold it see, eagerly and in branches and loops of the graph."""

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

ROWS = np.arange(6.0).reshape(3, 2)


def squares(n):
    array = gw.TensorArray(gw.int64, size=n)
    for i in range(n):
        array = array.write(i, i * i)
    return array.stack(), array.size()


def growing(n):
    array = gw.TensorArray(gw.float64, size=0, dynamic_size=True)
    i = 0
    while i < n:
        array.write(2 * i, [1.0 * i, 2.0])
        i += 1
    return array.stack()


def in_branches(n):
    array = gw.TensorArray(gw.int64, size=4)
    for i in range(4):
        if i < n:
            array.write(i, i)
        else:
            array = array.write(3 - i + n, -i)
    return array.stack()


def fibonacci(n):
    array = gw.TensorArray(gw.int64, size=2, dynamic_size=True, clear_after_read=False)
    array.scatter([0, 1], [1, 1])
    for i in range(2, n):
        array.write(i, array.read(i - 1) + array.read(i - 2))
    return array.stack()


def read_in_order(x, n):
    array = gw.TensorArray(gw.float64, size=3).unstack(x)
    total = x[0] * 0
    for i in range(n):
        total = total + array.read(i)
    return total


def read_twice(n):
    array = gw.TensorArray(gw.int64, size=3).unstack([1, 2, 3])
    total = 0
    for i in range(n):
        total += array.read(i // 2)
    return total


def written_again(n):
    array = gw.TensorArray(gw.int64, size=1)
    total = 0
    for i in range(n):
        array.write(0, i)
        total += array.read(0)
    return total


def helped(n):
    array = gw.TensorArray(gw.int64, size=3)

    def put(i):
        array.write(i, i + 1)

    for i in range(n):
        put(i)
    return array.gather([2, 0])


def two_of_them(n):
    evens = gw.TensorArray(gw.int64, size=0, dynamic_size=True)
    odds = gw.TensorArray(gw.int64, size=0, dynamic_size=True)
    for i in range(n):
        if i % 2 == 0:
            evens.write(evens.size(), i)
        else:
            odds.write(odds.size(), i)
    return evens.stack(), odds.stack()


def joined(x, n):
    array = gw.TensorArray(gw.float64, size=n)
    for i in range(n):
        array.write(i, x)
    return array.concat()


def parted(x):
    return gw.TensorArray(gw.float64, size=3).split(x, [2, 2, 2]).read(1)


def never_written(n):
    array = gw.TensorArray(gw.float64, size=3, element_shape=[2])
    if n > 0:
        array.write(1, [1.0, 2.0])
    return array.stack(), array.read(2)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (squares, (5,)),
        (growing, (3,)),
        (in_branches, (2,)),
        (in_branches, (0,)),
        (fibonacci, (9,)),
        (read_in_order, (ROWS, 3)),
        (read_in_order, (ROWS, 4)),
        (read_twice, (1,)),
        (read_twice, (2,)),
        (written_again, (4,)),
        (helped, (3,)),
        (helped, (4,)),
        (two_of_them, (7,)),
        (joined, (ROWS, 2)),
        (parted, (np.arange(6.0),)),
        (never_written, (1,)),
        (never_written, (0,)),
    ],
)
def test_agrees(function, args):
    check(function, *args)


def refused(array, action, error, text):
    with pytest.raises(error, match=text):
        action(array)


def test_refuses():
    array = gw.TensorArray(gw.int32, size=2)
    refused(array, lambda a: a.read(0), ValueError, "GW204")
    refused(array, lambda a: a.write(0, 1.5), TypeError, "GW201")
    refused(array, lambda a: a.write(-1, 1), IndexError, "index -1 but array size is: 2")
    refused(array, lambda a: a.write(2, 1), IndexError, "index 2 but array size is: 2")
    array.write(0, 7)
    refused(array, lambda a: a.write(1, [1, 2]), ValueError, "GW202")
    refused(
        array, lambda a: a.unstack([1, 2, 3]), ValueError, "3 elements for a TensorArray of static size 2"
    )
    refused(array, lambda a: a.concat(), ValueError, "GW202")
    assert array.read(0) == 7
    refused(array, lambda a: a.read(0), ValueError, "Could not read index 0 twice")
    refused(array, lambda a: a.stack(), ValueError, "cleared after a previous read")
    refused(gw.int32, lambda d: gw.TensorArray(d), ValueError, "needs a size")
    refused(gw.int32, lambda d: gw.TensorArray(d, size=2).split([1, 2, 3], [1, 2]), ValueError, "one length")


def test_belongs_to_what_made_it():
    outside = gw.TensorArray(gw.int32, size=1)
    kept = []

    @gw.function
    def captures(x):
        return outside.write(0, x).stack()

    @gw.function
    def leaks(x):
        kept.append(gw.TensorArray(gw.int32, size=1).write(0, x))
        return x

    with pytest.raises(ValueError, match="GW123"):
        captures(gw.constant(1))
    leaks(gw.constant(1))
    with pytest.raises(TypeError, match="GW111"):
        kept[0].stack()


def test_a_function_that_calls_itself_reads_what_is_kept():
    def total(clears):
        array = gw.TensorArray(gw.int32, size=3, clear_after_read=clears).unstack([1, 2, 3])

        def rest(i):
            if i < 3:
                return array.read(i) + rest(i + 1)
            return gw.constant(0)

        return rest

    @gw.function
    def kept(i):
        return total(False)(i)

    @gw.function
    def cleared(i):
        return total(True)(i)

    assert kept(gw.constant(0)) == 6
    with pytest.raises(ValueError, match="GW123"):
        cleared(gw.constant(0))


def test_elements_of_unknown_lengths():
    @gw.function(input_signature=[gw.TensorSpec([None]), gw.TensorSpec([], gw.int32)])
    def repeated(x, n):
        array = gw.TensorArray(gw.float32, size=n)
        for i in gw.range(n):
            array.write(i, x * 2.0)
        return array.stack()

    assert repeated(gw.constant([1.0, 2.0]), gw.constant(2)).numpy().tolist() == [[2.0, 4.0], [2.0, 4.0]]


@pytest.mark.parametrize("batch", [0, 1, 2, 3])
def test_a_recurrent_network_takes_any_batch(batch):
    weights = gw.constant(np.linspace(-1.0, 1.0, 8).reshape(4, 2))

    def network(inputs):
        steps = gw.shape(inputs)[1]
        states = gw.TensorArray(gw.float64, size=steps)
        state = gw.zeros([gw.shape(inputs)[0], 2], gw.float64)
        for i in gw.range(steps):
            state = gw.tanh(gw.matmul(inputs[:, i], weights) + state)
            states = states.write(i, state)
        return gw.transpose(states.stack(), [1, 0, 2])

    staged = gw.function(network, input_signature=[gw.TensorSpec([None, None, 4], gw.float64)])
    inputs = np.arange(batch * 12.0).reshape(batch, 3, 4) / 10
    assert np.allclose(staged(gw.constant(inputs)).numpy(), network(gw.constant(inputs)).numpy())
    assert staged(gw.constant(inputs)).shape == (batch, 3, 2)


def test_only_a_loop_knows_how_long_elements_are():
    @gw.function(input_signature=[gw.TensorSpec([], gw.int32)])
    def ranges(n):
        array = gw.TensorArray(gw.int32, size=2)
        for i in gw.range(n):
            array.write(i, gw.range(i))
        return array.stack()

    with pytest.raises(ValueError, match="GW202"):
        ranges(gw.constant(2))


def test_an_element_is_not_repeated_along_an_axis():
    @gw.function(input_signature=[gw.TensorSpec([None]), gw.TensorSpec([None])])
    def two(x, y):
        array = gw.TensorArray(gw.float32, size=2)
        for i in gw.range(2):
            array.write(i, x)
        return array.write(1, y).stack()

    ones = gw.ones([3])
    assert two(ones, ones * 2.0).numpy().tolist() == [[1.0] * 3, [2.0] * 3]
    with pytest.raises(ValueError, match="an element of length 1 for a TensorArray of elements of length 3"):
        two(ones, gw.ones([1]))


def test_what_it_says_of_itself():
    array = gw.TensorArray(gw.float32, size=2, dynamic_size=True)
    assert (array.dtype, array.dynamic_size, array.element_shape.rank) == (gw.float32, True, None)
    assert array.write(0, [1.0]) is array
    assert (array.element_shape, array.identity() is array) == ((1,), True)
    assert repr(array) == "<gw.TensorArray: element_shape=(1,), dtype=float32>"
