"""What items of Python's containers hold, where a tensor decides whether they are asked for."""

import itertools

import pytest

import graphwright as gw
from array_programs import function_of
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


MADE = ["D = {1: a, 2: 5, 3: b}", "D = [0, a, 5, b]", "D = [(0, 0), (a, 1), (5, 2), (b, 3)]"]
STORES = ["D[b % 3 + 1] = {}", "D[2] = {}", "D[a % 3 + 1] = {}", "D[3] = D[b % 2 + 1]", "D[1] = D[2]"]
STATEMENTS = [
    "if a > b: {}\n    else: {}",
    "for i in range(a):\n        {}\n        {}",
    "for i in range(a):\n        if i % 2: {}\n        else: {}",
]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_items_by_known_and_by_staged_keys_are_stored_in_one_statement(made, statement):
    value = "(a + b, 7)" if "(" in made else "a + b"
    for first, second in itertools.permutations(STORES, 2):
        body = statement.format(first.format(value), second.format(value))
        text = f"def f(a, b):\n    {made}\n    {body}\n    return D"
        function, _ = function_of(text, text)
        for given in ((5, 2), (2, 5)):
            expected = function(*given)
            found = gw.function(function)(*(gw.constant(number) for number in given))
            assert found == expected, (text, given)


def test_an_item_is_stored_into_a_list_of_tuples_before_it_is_there():
    @gw.function
    def grown(n):
        pairs = []
        for i in range(n):
            if pairs:
                pairs[0] = (len(pairs), pairs[0][0])
            pairs.append((i, i))
        return pairs

    assert grown(gw.constant(5)) == [(4, 3), (1, 1), (2, 2), (3, 3), (4, 4)]
    assert grown(gw.constant(0)) == []
