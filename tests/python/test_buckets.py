"""Batches of elements of like length, against plain Python that does what TensorFlow's windows by key do."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw


def ragged(lengths, width=None):
    def element(n):
        row = gw.cast(gw.range(n), gw.int64) + 10 * n
        return row if width is None else gw.broadcast_to(gw.expand_dims(row, 1), [n, width])

    return gw.data.Dataset.from_tensor_slices(np.array(lengths, np.int64)).map(element)


def expected(lengths, boundaries, sizes, to_boundary=False, drop=False, value=0):
    """The batches, as lists of rows."""
    buckets = [[] for _ in sizes]

    def batch(at):
        rows, buckets[at] = buckets[at], []
        longest = boundaries[at] - 1 if to_boundary else max(map(len, rows))
        return [row + [value] * (longest - len(row)) for row in rows]

    found = []
    for n in lengths:
        at = sum(n >= boundary for boundary in boundaries)
        buckets[at].append([10 * n + k for k in range(n)])
        if len(buckets[at]) == sizes[at]:
            found.append(batch(at))
    return found + [batch(at) for at in range(len(sizes)) if buckets[at] and not drop]


def batches(dataset):
    return [batch.tolist() for batch in dataset]


def test_random_lengths_go_where_plain_python_puts_them():
    random = np.random.default_rng(4)
    for case in range(12):
        lengths = [int(n) for n in random.integers(0, 9, random.integers(0, 20))]
        boundaries = sorted({int(n) for n in random.integers(1, 9, 3)})
        sizes = [int(n) for n in random.integers(1, 4, len(boundaries) + 1)]
        drop, value = bool(case % 2), int(random.integers(-1, 2))
        dataset = ragged(lengths).bucket_by_sequence_length(
            gw.size, boundaries, sizes, padding_values=np.int64(value), drop_remainder=drop
        )
        wanted = expected(lengths, boundaries, sizes, drop=drop, value=value)
        assert batches(dataset) == wanted, (lengths, boundaries, sizes)
        assert batches(dataset) == wanted


def test_batches_reach_to_the_boundary():
    lengths, boundaries, sizes = [1, 2, 4, 3, 1, 4], [3, 6], [2, 2, 1]
    dataset = ragged(lengths).bucket_by_sequence_length(
        gw.size, boundaries, sizes, pad_to_bucket_boundary=True
    )
    assert batches(dataset) == expected(lengths, boundaries, sizes, to_boundary=True)
    assert dataset.element_spec == gw.TensorSpec([None, None], gw.int64)
    too_long = ragged([1, 7]).bucket_by_sequence_length(
        gw.size, boundaries, sizes, pad_to_bucket_boundary=True
    )
    with pytest.raises(ValueError, match="as long as the last of `bucket_boundaries`"):
        list(too_long)


def test_elements_with_several_parts():
    lengths = [1, 3, 2, 3]
    pairs = gw.data.Dataset.zip(ragged(lengths, width=2), gw.data.Dataset.range(4))
    dataset = pairs.bucket_by_sequence_length(lambda x, y: gw.shape(x)[0], [3], [2, 2])
    assert [leaf.shape for leaf in gw.nest.flatten(dataset.element_spec)] == [(None, None, 2), (None,)]
    (first, numbers), (other, others) = list(dataset)
    assert numbers.tolist() == [0, 2] and others.tolist() == [1, 3]
    assert first.tolist() == [[[10, 10], [0, 0]], [[20, 20], [21, 21]]] and other.shape == (2, 3, 2)


def test_in_a_graph_and_by_an_iterator():
    lengths = [2, 5, 1, 5, 2]

    @gw.function
    def total(dataset):
        count, found = 0, gw.constant(0, gw.int64)
        for batch in dataset:
            count += 1
            found += gw.reduce_sum(batch) * count
        return found

    dataset = ragged(lengths).bucket_by_sequence_length(gw.size, [3], [2, 2])
    wanted = expected(lengths, [3], [2, 2])
    assert int(total(dataset)) == sum((at + 1) * sum(map(sum, rows)) for at, rows in enumerate(wanted))
    iterator = iter(dataset.repeat(2))
    assert [next(iterator).tolist() for _ in range(6)] == wanted * 2


def test_elements_of_one_shape_are_stacked():
    dataset = ragged([2, 2, 1, 2, 1]).bucket_by_sequence_length(gw.size, [2], [2, 2], no_padding=True)
    assert batches(dataset) == expected([2, 2, 1, 2, 1], [2], [2, 2])
    uneven = ragged([2, 3]).bucket_by_sequence_length(gw.size, [2], [2, 2], no_padding=True)
    with pytest.raises(ValueError, match="several lengths cannot be stacked"):
        list(uneven)


def test_what_is_wrong_is_said():
    for boundaries, sizes, message in [
        ([3], [2], "takes 2 batch sizes for 1 boundaries, not 1"),
        ([3], [2, 0], "batch sizes of at least 1"),
        ([3, 3], [1, 1, 1], "boundaries that rise"),
    ]:
        with pytest.raises(ValueError, match=message):
            ragged([1]).bucket_by_sequence_length(gw.size, boundaries, sizes)
