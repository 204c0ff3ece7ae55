"""Threads that trace and call the same functions, objects and variables at once: each answer is that of one thread."""

from __future__ import annotations

import random
import sys
import sysconfig
import threading

import numpy as np
import pytest

import graphwright as gw

THREADS, ROUNDS = 8, 25


def run_all(work):
    """Runs `work(number)` in threads that begin together; fails with the first failure of one."""
    barrier, failures = threading.Barrier(THREADS), []

    def run(number):
        try:
            barrier.wait(timeout=60)
            work(number)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert not any(thread.is_alive() for thread in threads)
    if failures:
        raise failures[0]


def loops(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        total += i * i
    return total


def lists(n):
    found = []
    for i in range(n):
        found.append(i * 2)
    return sum(found) + len(found)


def dicts(n):
    table = {"a": n, "b": n * 2}
    while table["a"] > 0:
        table["b"] += table["a"]
        table["a"] -= 1
    return table["b"]


def exceptions(n):
    try:
        if n % 2 == 0:
            raise ValueError("even")
        return 100 // (n - 3)
    except ValueError:
        return -1
    except ZeroDivisionError:
        return -2


def generators(n):
    def counted(most):
        k = 0
        while k < most:
            yield k
            k += 1

    return sum(x * x for x in counted(n))


def recursion(n):
    return n if n < 2 else recursion(n - 1) + recursion(n - 2)


def matches(n):
    match n:
        case 0 | 1:
            return 7
        case k if k > 5:
            return k
        case _:
            return -n


PLAIN = [loops, lists, dicts, exceptions, generators, recursion, matches]


@pytest.mark.parametrize("plain", PLAIN, ids=lambda plain: plain.__name__)
def test_threads_trace_one_function(plain):
    for _ in range(4):
        function = gw.function(plain)

        def work(number, function=function):
            for round in range(ROUNDS):
                n = (number + round) % 9
                assert int(function(gw.constant(n))) == plain(n)

        run_all(work)
        assert function.experimental_get_tracing_count() == 1


def test_threads_call_all_functions():
    functions = [(gw.function(plain), plain) for plain in PLAIN]

    def work(number):
        order = random.Random(number)
        for _ in range(4 * ROUNDS):
            function, plain = order.choice(functions)
            n = order.randrange(9)
            assert int(function(gw.constant(n))) == plain(n)

    run_all(work)


def test_threads_make_functions_and_let_them_go():
    def work(number):
        for round in range(ROUNDS):
            factor = number * 100 + round
            function = gw.function(lambda x, factor=factor: [x * factor, x + factor])
            product, total = function(gw.constant(3))
            assert (int(product), int(total)) == (3 * factor, 3 + factor)

    run_all(work)


def test_threads_take_derivatives():
    @gw.function
    def loss(x):
        y = x
        while gw.reduce_sum(y) < 50.0:
            y = y * x
        return gw.reduce_sum(y * y)

    slope = gw.grad(loss)
    wanted = {n: np.asarray(slope(gw.constant(np.linspace(1.5, 2, n)))) for n in (2, 3)}

    def work(number):
        for round in range(ROUNDS):
            x = np.linspace(1.5, 2, 2 + (number + round) % 2)
            with gw.GradientTape() as tape:
                tensor = gw.constant(x)
                tape.watch(tensor)
                result = loss(tensor)
            assert np.array_equal(np.asarray(tape.gradient(result, tensor)), wanted[len(x)])

    run_all(work)


def test_updates_of_a_variable_are_not_lost():
    counter = gw.Variable(0)

    @gw.function
    def counts(n):
        for _ in range(n):
            counter.assign_add(1)
        return n

    counts(gw.constant(0))

    def work(number):
        for _ in range(ROUNDS):
            counts(gw.constant(4))

    run_all(work)
    assert int(counter.numpy()) == THREADS * ROUNDS * 4


@pytest.mark.filterwarnings("ignore::graphwright.errors.RetracingWarning")
def test_a_shared_list_is_read_while_it_grows():
    shared = [1, 2, 3]

    @gw.function
    def summed(x):
        total = x
        for item in shared:
            total = total + item
        return total

    def work(number):
        for round in range(ROUNDS):
            if number == 0:
                shared.append(0)
            assert int(summed(gw.constant(round))) == round + 6

    run_all(work)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter has the GIL")
def test_the_package_leaves_the_gil_off():
    assert not sys._is_gil_enabled()
