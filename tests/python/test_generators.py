"""Generators as sources of loops: what no page shows."""

import traceback

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

LONG = np.arange(40) % 7


def even(xs):
    for x in xs:
        if x % 2 == 0:
            yield x


def text_of(function, *args):
    return str(gw.function(function).get_concrete_function(*args).graph)


def test_few_rows_are_given_one_by_one_and_many_by_a_loop():
    def total(xs):
        t = 0
        for x in even(xs):
            t = t + x
        return t

    assert "while" not in text_of(total, gw.TensorSpec([5], gw.int64))
    assert "while" in text_of(total, gw.TensorSpec([40], gw.int64))
    check(total, LONG[:5])
    check(total, LONG)


def test_known_items_stay_a_list_of_pythons():
    def doubled(xs):
        for x in xs:
            yield x * 2

    def unpacked(xs):
        a, b, c = list(doubled(xs))
        return a + b * 10 + c * 100, len(tuple(doubled(xs)))

    check(unpacked, LONG[:3])


def test_what_is_sent_to_stays_pythons():
    def echo():
        got = 0
        while True:
            got = yield got

    def sent(x):
        generator = echo()
        next(generator)
        return generator.send(x) + generator.send(x * 2)

    check(sent, 3)


def test_a_loop_with_a_name_for_its_generator_can_be_gone_on_with():
    def counted():
        yield from range(10)

    def resumed(x):
        numbers = counted()
        for k in numbers:
            if k == 3:
                break
        return next(numbers) + x, sum(numbers)

    check(resumed, 3)


def test_a_generator_is_asked_once():
    def twice(xs):
        numbers = even(xs)
        t = 0
        for x in numbers:
            t = t + x
        for x in numbers:
            t = t + 1000 * x
        return t, list(numbers)

    check(twice, LONG)


def test_stop_iteration_in_a_generator_is_a_runtime_error():
    def ended(xs):
        for x in xs:
            yield x
            next(iter([]))

    def total(xs):
        t = 0
        for x in ended(xs):
            t = t + x
        return t

    check(total, LONG[:3])


def test_loops_in_loops():
    def below(n):
        for i in range(n):
            yield i

    def products(n):
        t = 0
        for i in below(n):
            for j in below(i):
                if (i + j) % 5 == 4:
                    continue
                if i * j > 40:
                    break
                t = t + i * j
            else:
                t = t + 1000
        return t

    check(products, 9)


def test_a_generator_may_change_what_the_loop_reads():
    def counting(box, n):
        while n > 0:
            box["left"] = n
            yield n
            n = n - 1

    def seen(n):
        box = {"left": 0}
        t = 0
        for k in counting(box, n):
            t = t * 3 + box["left"] * k
        return t, box["left"]

    check(seen, 4)


def test_the_traceback_of_the_loop_is_its_own():
    def looked_up(xs):
        t = 0
        for x in even(xs):
            t = t + xs[x * 20]
        return t

    with pytest.raises(IndexError) as caught:
        gw.function(looked_up)(LONG)
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert [entry.line for entry in entries[1:]] == ["t = t + xs[x * 20]"]


def test_the_traceback_of_a_generator_has_the_loop():
    def divided(xs):
        for x in xs:
            yield 10 // (x - 3)

    def total(xs):
        t = 0
        for x in divided(xs):
            t = t + x
        return t

    with pytest.raises(ZeroDivisionError) as caught:
        gw.function(total)(LONG)
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert [entry.line for entry in entries[1:]] == ["for x in divided(xs):", "yield 10 // (x - 3)"]


def stops_at(n):
    for i in range(5):
        if i == n:
            raise StopIteration
        yield i


def doubled_until(n):
    for i in stops_at(n):
        yield 2 * i


@pytest.mark.parametrize("items", [stops_at, doubled_until])
@pytest.mark.parametrize("caught", [RuntimeError, StopIteration])
def test_no_stop_iteration_leaves_a_generator(items, caught):
    def total(n):
        found = 0
        for value in items(n):
            found += value
        return found

    def handled(n):
        try:
            return total(n)
        except caught:
            return -1

    for f in (total, handled):
        for n in (3, 9):
            try:
                wanted = f(n)
            except RuntimeError as error:
                with pytest.raises(RuntimeError, match=f"^{error}$"):
                    gw.function(f)(gw.constant(n))
            else:
                assert gw.function(f)(gw.constant(n)).numpy() == wanted
