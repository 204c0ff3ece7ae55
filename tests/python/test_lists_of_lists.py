"""An index of the graph chooses one of several lists: what is changed through any of their names is seen in all."""

from __future__ import annotations

import pytest

import graphwright as gw
from three_ways import check


def test_the_chosen_list_is_changed():
    def every_way(k):
        rows = [[3, 1], [2, 0]]
        rows[k].sort()
        rows[k][0] = 9
        rows[k].insert(0, 4)
        del rows[k][1]
        rows[k].extend([7])
        rows[k].reverse()
        last = rows[k].pop()
        rows[1 - k].clear()
        rows[k][-1] += 1
        return rows, last

    check(every_way, 0)
    check(every_way, 1)
    check(every_way, -1)


def test_lists_without_elements():
    def straight(k):
        rows = [[], [], []]
        rows[k].append(7)
        return rows

    def buckets(n):
        rows = [[] for _ in range(3)]
        for i in range(n):
            rows[i % 3].append((i, i * 2))
        return rows

    def groups(n):
        found = {0: [], 1: [], 2: []}
        for i in range(n):
            found[i % 3].append(i)
        found[1].append(100)
        return found

    check(straight, 1)
    check(buckets, 7)
    check(buckets, 0)
    check(groups, 7)


def test_names_of_the_chosen_list():
    def two(k):
        rows = [[1], [2]]
        x, y = rows[k], rows[k]
        x.append(3)
        rows[0].append(4)
        return x, y, len(y), rows

    def sources_of_one_list(k):
        rows = [[1], [2]]
        others = [rows[0], rows[1], rows[0]]
        others[k].append(5)
        return rows, others

    def add(row, value):
        row.append(value)
        return row

    def helper(k):
        rows = [[1], [2]]
        return add(rows[k], 3), rows

    for k in (0, 1):
        check(two, k)
        check(helper, k)
    for k in (0, 1, 2):
        check(sources_of_one_list, k)


def test_changes_in_branches_and_loops():
    def branch(k, c):
        rows = [[1], [2]]
        x = rows[k]
        if c:
            x.append(5)
        else:
            rows[0].append(6)
        return rows, x

    def loop(k, n):
        rows = [[1], [2]]
        x = rows[k]
        for i in range(n):
            x.append(i)
            rows[0].append(i * 10)
        return rows, len(x), x[-1]

    def both(n):
        rows, total = [[1], [2]], 0
        for i in range(n):
            total += rows[i % 2][0]
            rows[0].append(total)
            total += rows[0][-1] + len(rows[i % 2])
        return total, rows

    def until(n):
        rows = [[1], [2]]
        while len(rows[n % 2]) < 5:
            rows[n % 2].append(0)
            n += 1
        return rows

    for k in (0, 1):
        check(branch, k, True)
        check(branch, k, False)
        check(loop, k, 3)
        check(loop, k, 0)
    check(both, 4)
    check(until, 1)


def test_a_matrix_of_lists():
    def matrix(n):
        rows = [[0] * 3 for _ in range(3)]
        i = 0
        while i < n:
            row = rows[i % 3]
            for j in range(3):
                if row[j] < 5:
                    row[j] = row[j] + i + j
            i += 1
        return rows

    def seen_before_it_is_changed(n):
        rows = [[1, 2], [3], [4]]
        row = rows[n]
        rows[0].append(9)
        return len(row)

    check(matrix, 7)
    check(matrix, 0)
    check(seen_before_it_is_changed, 0)
    check(seen_before_it_is_changed, 1)


@pytest.mark.parametrize("k", [0, 1])
def test_what_is_not_seen_where_it_happens_is_refused(k):
    def joined(k):
        rows = [[1], [2]]
        x = rows[k]
        x += [5]
        return rows

    def stale(k):
        rows = [[1], [2]]
        x, y = rows[k], rows[0]
        if k >= 0:
            y += [5]
        last = x[-1]
        x = None
        return last

    def decided(k):
        rows, x = [[1], [2]], [0]
        if k > 0:
            x = rows[k]
        x.append(5)
        return rows

    def decided_first(k):
        rows, x = [[1], [2]], [0]
        if k > 0:
            x = rows[k]
        rows[1].append(5)
        return x

    for function in (joined, stale):
        with pytest.raises(ValueError, match="GW130.*one of these lists"):
            gw.function(function)(gw.constant(k))
    for function in (decided, decided_first):
        with pytest.raises(ValueError, match="GW122"):
            gw.function(function)(gw.constant(k))
