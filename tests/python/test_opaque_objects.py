"""Methods of queues, connections and the like, which no code of the user's shows: each time the graph comes there, or refused."""

from __future__ import annotations

import array
import collections
import queue
import socket
import sqlite3
import threading

import pytest

import graphwright as gw

QUEUE: queue.Queue[int] = queue.Queue()
SIMPLE: queue.SimpleQueue[int] = queue.SimpleQueue()
HERE, THERE = socket.socketpair()
CURSOR = sqlite3.connect(":memory:").cursor()
NUMBERS = array.array("i", range(10))
ORDERED = collections.OrderedDict((k, k) for k in range(10))


def puts(n):
    x = 0
    for _ in range(n):
        QUEUE.put(1)
        x += QUEUE.qsize()
    return x


def puts_what_is_computed(n):
    if n > 2:
        SIMPLE.put(n * 2)
    return SIMPLE.qsize()


def sends(n):
    x = 0
    while n > 0:
        x += HERE.send(b"ab")
        n -= 1
    return x


def made_here(n):
    waiting = queue.Queue()
    waiting.put(3)
    x = 0
    while not waiting.empty():
        k = waiting.get()
        x += k
        if k > 0:
            waiting.put(k - 1)
    return x * n


def made_in_a_branch(n):
    x = 0
    if n > 1:
        waiting = queue.LifoQueue()
        waiting.put(4)
        x = waiting.get() + n
    return x


class Work:
    def __init__(self):
        self.waiting = queue.PriorityQueue()
        self.seen = collections.OrderedDict()


def made_by_a_constructor(n):
    work = Work()
    for k in (5, 2):
        work.waiting.put(k)
        work.seen[k] = k
    work.seen.move_to_end(5)
    return work.waiting.get() * n + list(work.seen)[0]


@pytest.mark.parametrize(
    "function", [made_by_a_constructor, puts, puts_what_is_computed, sends, made_here, made_in_a_branch]
)
def test_methods_are_called_each_time(function):
    def results(call, given):
        while not QUEUE.empty():
            QUEUE.get()
        while not SIMPLE.empty():
            SIMPLE.get()
        return [int(call(given(n))) for n in (3, 1, 3)]

    native = results(function, int)
    assert results(gw.function(function), lambda n: gw.constant(n, gw.int64)) == native


def test_a_queue_takes_the_number_that_the_graph_computes():
    while not SIMPLE.empty():
        SIMPLE.get()
    gw.function(puts_what_is_computed)(gw.constant(4, gw.int64))
    assert SIMPLE.get() == 8


def gets(n):
    x = 0
    for _ in range(n):
        x += QUEUE.get_nowait()
    return x


def gets_once(n):
    return SIMPLE.get_nowait() + n


def by_a_name(n, get=QUEUE.get_nowait):
    return get() + n


def receives(n):
    if n > 1:
        n += HERE.recv(1)[0]
    return n


def fetches(n):
    for _ in range(n):
        CURSOR.execute("select 1")
    return n


def pops(n):
    for _ in range(n):
        NUMBERS.pop()
    return len(NUMBERS)


def moves(n):
    if n > 1:
        ORDERED.move_to_end(0)
    return n


def made_in_front_of_a_loop(n):
    waiting = queue.Queue()
    for _ in range(n):
        waiting.put(1)
    return n


@pytest.mark.parametrize(
    "function", [gets, gets_once, by_a_name, receives, fetches, pops, moves, made_in_front_of_a_loop]
)
def test_what_would_happen_once_is_refused(function):
    before = (QUEUE.qsize(), len(NUMBERS), list(ORDERED))
    for _ in range(2):
        with pytest.raises(ValueError, match="(?s)GW(503|10[34]).*test_opaque_objects.py"):
            gw.function(function)(gw.constant(3))
    assert (QUEUE.qsize(), len(NUMBERS), list(ORDERED)) == before


def test_the_remedy():
    while not QUEUE.empty():
        QUEUE.get()
    for k in range(6):
        QUEUE.put(k)

    @gw.host
    def get() -> int:
        return QUEUE.get_nowait()

    @gw.function
    def summed(n):
        x = 0
        for _ in range(n):
            x += get()
        return x

    assert [int(summed(gw.constant(3))), int(summed(gw.constant(2)))] == [3, 7]


def test_arrays_are_read_as_they_are():
    assert int(gw.function(lambda n: NUMBERS.index(3) + n)(gw.constant(1))) == 4


SEMAPHORE = threading.Semaphore(9)
LOCK = threading.Lock()
REENTRANT = threading.RLock()
EVENT = threading.Event()
BARRIER = threading.Barrier(1)


def acquires(n):
    k = 0
    for _ in range(n):
        if SEMAPHORE.acquire(blocking=False):
            k += 1
    return k


def releases_in_a_branch(n):
    if n > 2:
        SEMAPHORE.release()
    return n


def locks_in_a_branch(n):
    if n > 2 and not LOCK.locked():
        LOCK.acquire()
    return n + LOCK.locked()


def sets(n):
    k = 0
    for i in range(n):
        if EVENT.is_set():
            k += 1
        if i == 1:
            EVENT.set()
    return k


def clears_in_a_branch(n):
    if n < 2:
        EVENT.clear()
    return n


def waits(n):
    k = 0
    for _ in range(n):
        k += BARRIER.wait()
    return k


def balanced(n):
    k = 0
    for i in range(n):
        REENTRANT.acquire()
        k += i
        REENTRANT.release()
        with LOCK:
            k += 1
    return k


def own_lock(n):
    lock = threading.Lock()
    lock.acquire()
    lock.release()
    return n + lock.locked()


@pytest.mark.parametrize(
    "function",
    [acquires, releases_in_a_branch, locks_in_a_branch, sets, clears_in_a_branch, waits, balanced, own_lock],
)
def test_locks_are_asked_each_time(function):
    def results(call, given):
        SEMAPHORE._value = 9
        EVENT.clear()
        found = [
            (int(call(given(n))), SEMAPHORE._value, LOCK.locked(), EVENT.is_set()) for n in (1, 3, 0, 3, 1)
        ]
        if LOCK.locked():
            LOCK.release()
        return found

    native = results(function, int)
    assert results(gw.function(function), lambda n: gw.constant(n, gw.int64)) == native


class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self.rate = 2

    def scaled(self, x):
        return x * self.rate if x > 1 else x


def test_methods_of_ones_own_are_converted():
    worker = Worker()
    scaled = gw.function(lambda x: worker.scaled(x))
    assert [int(scaled(gw.constant(3))), int(scaled(gw.constant(1)))] == [6, 1]


def test_a_lock_made_in_front_of_a_loop_is_refused():
    def function(n):
        lock = threading.Semaphore(1)
        for _ in range(n):
            lock.release()
        return n

    with pytest.raises(ValueError, match="GW503: `Semaphore.release`"):
        gw.function(function)(gw.constant(3))
