"""Requests beyond any limit: lists that contain themselves, lengths beyond memory, axes without elements beside endless ones.

Each raises at once, on the user's line where it is a mistake and as `MemoryError` where it is only too much; none ends
or holds up the process.
"""

import subprocess
import sys

import numpy as np
import pytest

import graphwright as gw


def cyclic():
    made = [1]
    made.append(made)
    return made


def deep(levels=100_000):
    made = [1.0]
    for _ in range(levels):
        made = [made]
    return made


@pytest.mark.parametrize("nested", [cyclic, deep])
@pytest.mark.parametrize(
    "use",
    [
        gw.constant,
        gw.convert_to_tensor,
        gw.Variable,
        lambda nested: gw.constant(nested, gw.float32),
        lambda nested: gw.constant([1, 2]) + nested,
        lambda nested: gw.stack([nested, nested]),
        lambda nested: gw.function(lambda x: x + gw.constant(nested))(gw.constant(1)),
        gw.data.Dataset.from_tensor_slices,
    ],
)
def test_lists_without_an_end_are_refused(use, nested):
    with pytest.raises(
        ValueError, match=r"(?s)GW204: a structure of values contains itself.*test_limits\.py"
    ):
        use(nested())


def test_lists_deeper_than_tensors_are_refused():
    with pytest.raises(ValueError, match=r"GW204: a structure of values contains itself"):
        gw.constant(deep(150))


@pytest.mark.parametrize(
    "make",
    [
        lambda: gw.one_hot(gw.constant([1, 2]), 2**50),
        lambda: gw.repeat(gw.constant([1, 2, 3, 4]), [2**62] * 4),
        lambda: gw.reduce_sum(gw.zeros([2**62, 0]), 1),
        lambda: gw.function(lambda i: gw.one_hot(i, 2**50))(gw.constant([1])),
        lambda: gw.function(lambda n: gw.zeros([n, n]) + 1.0)(gw.constant(2**50)),
    ],
)
def test_too_much_is_a_memory_error(make):
    with pytest.raises(MemoryError):
        make()


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: gw.reduce_sum(x),
        lambda x: gw.reduce_sum(x, 0),
        lambda x: gw.cumsum(x),
        lambda x: gw.concat([x, x], 1),
        lambda x: gw.matmul(x, gw.zeros([0, 0])),
        lambda x: x * 2.0 + x,
        lambda x: gw.reverse(x, [0]),
    ],
)
def test_an_axis_without_elements_makes_loops_over_others_short(compute):
    assert 0 in (compute(gw.zeros([2**62, 0])).shape or (0,))
    assert 0 in (gw.function(lambda: compute(gw.zeros([2**62, 0])))().shape or (0,))


@pytest.mark.parametrize("lengths", [[2**33, 2**33, 0], [2**62, 4, 0], [0, 2**33, 2**33]])
def test_no_array_of_numpys_has_lengths_beyond_its_own(lengths):
    with pytest.raises(ValueError, match="array is too big"):
        np.ones(lengths)
    for make in (lambda: gw.ones(lengths), gw.function(lambda: gw.ones(lengths))):
        assert make().shape == tuple(lengths)
        with pytest.raises(ValueError, match="array is too big"):
            make().numpy()


#: Arrays as long as what is left of the memory.
LONG = """
import resource
import numpy as np
import graphwright as gw

size = 1 << 28
arrays = [np.zeros(size, np.int8), np.zeros(size, bool), np.zeros(size // 4, np.float32), np.zeros(size // 2, np.float16)]
arrays += [np.zeros(size // 8, np.complex64)]
f = gw.function(lambda x: x[:1])
f(np.zeros(3))
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + size // 2, -1))
for array in arrays:
    try:
        gw.constant(array)
    except MemoryError:
        continue
    raise AssertionError(array.dtype)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_an_array_that_memory_has_no_room_for_is_a_memory_error():
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_large_one_hot():
    depth = (1 << 16) + 3
    rows = np.zeros((2, depth), np.float32)
    rows[0, 5], rows[1, depth - 1] = 1, 1
    indices = gw.constant([5, depth - 1])
    np.testing.assert_array_equal(gw.one_hot(indices, depth).numpy(), rows)
    staged = gw.function(lambda i: gw.one_hot(i, depth))
    for _ in range(2):
        np.testing.assert_array_equal(staged(indices).numpy(), rows)


@pytest.mark.parametrize(
    ("use", "named"),
    [
        (lambda x: gw.one_hot(x, -1), r"`depth` of `gw\.one_hot` is -1"),
        (lambda x: gw.eye(-1), r"`num_rows` of `gw\.eye` is -1"),
        (lambda x: gw.eye(2, -3), r"`num_columns` of `gw\.eye` is -3"),
        (lambda x: gw.repeat(x, [1, -2]), r"`repeats` of `gw\.repeat` has a negative number: -2"),
    ],
)
def test_negative_lengths_name_the_argument(use, named):
    for call in (use, gw.function(use)):
        with pytest.raises(ValueError, match=rf"(?s)GW204: {named}.*test_limits\.py"):
            call(gw.constant([0, 1]))


@pytest.mark.parametrize(
    "bounds", [(0, 7, 1), (3, 20, 4), (-5, 6, 5), (9, -9, -1), (7, -8, -3), (4, 4, 1), (5, 2, 1)]
)
def test_membership_in_a_range_of_the_graph(bounds):
    @gw.function
    def is_in(k, stop):
        return k in gw.range(bounds[0], stop, bounds[2])

    @gw.function
    def holds_three(stop):
        return 3 in gw.range(bounds[0], stop, bounds[2])

    for k in range(-12, 24):
        answer = is_in(gw.constant(k), gw.constant(bounds[1]))
        assert bool(answer) == (k in range(*bounds))
    assert bool(holds_three(gw.constant(bounds[1]))) == (3 in range(*bounds))


def test_membership_in_a_long_range_takes_no_time():
    @gw.function
    def is_in(k, n):
        return k in gw.range(n)

    n = gw.constant(2**62)
    assert is_in(gw.constant(2**61), n).item() and not is_in(gw.constant(-(2**61)), n).item()
