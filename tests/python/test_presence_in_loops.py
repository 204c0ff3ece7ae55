"""Loops that ask whether a key or an attribute is there which they make: the graph's answer is Python's, or GW104."""

import pytest

import graphwright as gw


class Box:
    """An object without attributes."""


def by_in(n):
    table = {"a": n}
    for _ in range(n):
        if "c" not in table:
            table["c"] = n
    return table.get("c", -1)


def by_in_of_what_was_taken_out(n):
    table = {"a": n, "c": 1}
    table.pop("c")
    k = n
    while k > 0:
        k -= 1
        if "c" in table:
            pass
        else:
            table["c"] = 1
    return table.get("c", -1)


def by_length(n):
    table = {"a": n}
    for _ in range(n):
        if len(table) < 2:
            table["c"] = n
    return table.get("c", -1)


def by_keys(n):
    table = {"a": n}
    for _ in range(n):
        if list(table) == ["a"]:
            table["c"] = n
    return table.get("c", -1)


def by_hasattr(n):
    box = Box()
    for _ in range(n):
        if not hasattr(box, "x"):
            box.x = n
    return getattr(box, "x", -1)


def by_vars(n):
    box = Box()
    for _ in range(n):
        if not vars(box):
            box.x = n
    return getattr(box, "x", -1)


def by_locals(n):
    for _ in range(n):
        if "x" not in locals():
            x = n
    return x


@pytest.mark.parametrize(
    "function",
    [by_in, by_in_of_what_was_taken_out, by_length, by_keys, by_hasattr, by_vars, by_locals],
    ids=lambda function: function.__name__,
)
@pytest.mark.parametrize("n", [3, 0])
def test_a_loop_that_asks_whether_a_place_has_a_value(function, n):
    staged = gw.function(function)
    for _ in range(2):
        try:
            found = staged(gw.constant(n))
        except (ValueError, TypeError) as error:
            assert "GW1" in str(error)  # noqa: PT017
        except UnboundLocalError:
            assert (function, n) == (by_locals, 0)  # noqa: PT017
        else:
            assert int(found) == function(n)


def test_the_refusal_names_the_place_and_its_remedy_works():
    with pytest.raises(
        ValueError, match=r"GW104: `table\['c'\]` has a value after some iterations only, and the loop asks"
    ):
        gw.function(by_in)(gw.constant(3))

    def repaired(n):
        table = {"a": n, "c": -1}
        for _ in range(n):
            if table["c"] < 0:
                table["c"] = n
        return table["c"]

    staged = gw.function(repaired)
    assert [int(staged(gw.constant(n))) for n in (3, 0)] == [repaired(3), repaired(0)]


def raises_in_the_second(n):
    table = {"a": 1}
    for _ in range(n % 5):
        if "c" in table:
            table["b"] += 1
        else:
            table["c"] = 1
    return sum(table.values())


def reads_what_the_first_takes_out(n):
    names = ["a", "b"]
    total = 0
    for _ in range(n % 5):
        names = names[1:]
        total += len(names[0])
    return total


@pytest.mark.parametrize("function", [raises_in_the_second, reads_what_the_first_takes_out])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_what_a_later_iteration_raises_is_not_raised_by_the_first(function, n):
    def outcome(call, n):
        try:
            return int(call(n))
        except (KeyError, IndexError) as error:
            return type(error)

    try:
        found = outcome(gw.function(function), gw.constant(n))
    except ValueError as refusal:
        assert str(refusal).startswith(("GW104", "GW130"))  # noqa: PT017
        assert "test_presence_in_loops.py" in str(refusal)  # noqa: PT017
    else:
        assert found == outcome(function, n)
