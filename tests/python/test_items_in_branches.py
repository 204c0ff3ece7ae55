"""What items of Python's containers hold, where a tensor decides whether they are asked for."""

import pytest

import graphwright as gw
from three_ways import check


class Counter:
    def __init__(self, count):
        self.count = count


def test_what_a_loop_over_a_list_stops_in_is_changed_no_more():
    def lists(k):
        rows = [[1, 2], [3, 4]]
        for i, row in enumerate(rows):
            row.append(k)
            row[k] += 1
            if k > i:
                break
        return rows

    def dicts(k):
        rows = [{"a": 1}, {"a": 2}]
        for row in rows:
            row["a"] += 1
            if k > 0:
                break
        return rows

    def values(k):
        rows = {1: {"a": 1}, 2: {"a": 2}}
        for row in rows.values():
            if k > 0:
                break
            row["a"] += 1
        return rows

    def objects(k):
        counters, total = [Counter(1), Counter(2)], 0
        for one, other in zip(counters, counters[::-1]):
            one.count += other.count
            total += one.count
            if total > k:
                break
        return total, [counter.count for counter in counters]

    for function in (lists, dicts, values, objects):
        for k in (0, 1, 5):
            if function is not lists or k < 2:
                check(function, k)


def test_any_and_all_ask_no_further():
    def divided(k, z):
        found = any(10 // (x * z) > k for x in [5, 0]), all(10 // (x * z) > k + 10 for x in [5, 0])
        return found, any(map(lambda x: 10 // (x * z) > k, range(5, -1, -5)))

    def containers(k):
        xs = [1, 2, 3]
        found = any(x > k for x in xs), all(x > k for x in iter(xs)), any(x > k for x in {1: 2, 3: 4})
        return found, all(x + y > k for x, y in zip(xs, xs[::-1]))

    check(divided, 1, 1)
    for k in (0, 1, 5):
        check(containers, k)


def test_what_an_item_that_may_not_be_asked_for_changes_is_refused():
    def bumped(counter):
        counter.count += 1
        return counter.count

    def items(k):
        return any(bumped(counter) > k for counter in [Counter(1), Counter(2)])

    def outside(k):
        counter = Counter(1)
        return all(bumped(counter) > k for _ in range(2)), counter.count

    def collected(k):
        seen = []

        def note(x):
            seen.append(x)
            return x > k

        return any(map(note, [1, 2, 3])), seen

    for function, path in ((items, r"the item\[1\].count"), (outside, "counter.count"), (collected, "seen")):
        with pytest.raises(ValueError, match=f"GW103: `{path}` is changed"):
            gw.function(function)(gw.constant(1))
