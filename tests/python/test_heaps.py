"""`heapq` on lists of the graph."""

import heapq

import numpy as np
import pytest

import graphwright as gw
from three_ways import check


def sorted_by_a_heap(n):
    heap = []
    for i in range(n):
        heapq.heappush(heap, i * 7 % 5)
    out = []
    while heap:
        out.append(heapq.heappop(heap))
    return out, heap


def of_tuples(n):
    heap = [(3, 0.5)]
    for i in range(n):
        heapq.heappush(heap, (i * 7 % 5, i * 0.5))
    first = heapq.heappop(heap)
    return first, heapq.heappushpop(heap, (n, 1.0)), heapq.heapreplace(heap, (2, 0.0)), heap


def made_of_values(n):
    heap = [n * 3 % 5, n, n * 7 % 5, 2, n * 2 % 3]
    heapq.heapify(heap)
    return heap


def of_nothing(n):
    heap = []
    if n > 2:
        heapq.heappush(heap, n)
    return heapq.heappop(heap)


def of_pythons_numbers(n):
    heap = [5, 1, 4]
    heapq.heapify(heap)
    heapq.heappush(heap, 0)
    return heapq.heappop(heap) + n, heap


def nearest(start, n):
    distance = [100] * 5
    distance[start] = 0
    heap = [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v in range(n):
            step = (u * 7 + v * 3) % 5 + 1
            if d + step < distance[v]:
                distance[v] = d + step
                heapq.heappush(heap, (d + step, v))
    return distance


@pytest.mark.parametrize(
    "function", [sorted_by_a_heap, of_tuples, made_of_values, of_nothing, of_pythons_numbers]
)
@pytest.mark.parametrize("n", [1, 6])
def test_heaps(function, n):
    check(function, n)


def test_nearest_first():
    check(nearest, 0, 5)


@pytest.mark.parametrize("function", [heapq.heapify, heapq.heappop, lambda x: heapq.heappush(x, 1)])
def test_a_tensor_is_no_heap(function):
    with pytest.raises(TypeError, match="list"):
        function(np.array([2, 5, 1]))
    with pytest.raises(TypeError, match="takes a list"):
        gw.function(lambda x: function(x))(gw.constant([2, 5, 1]))
