"""Large loops on several threads: the same bits whatever their number, in copies of the process and at its end, too."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest

import graphwright as gw

COUNTS = (1, 2, 3, 7)
ROOM = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def threads():
    yield
    gw.config.threading.set_intra_op_parallelism_threads(0)


@gw.function
def formula(x):
    return gw.tanh(x) * x + gw.exp(-x * x)


@gw.function
def block(x, w):
    y = gw.matmul(x, w)
    e = gw.exp(y - gw.reduce_max(y, axis=1, keepdims=True))
    return e / gw.reduce_sum(e, axis=1, keepdims=True), gw.reduce_sum(y, axis=0)


@gw.function
def picked(x, at):
    return gw.gather(x, at)


def arrays(*shapes):
    return [ROOM.standard_normal(shape).astype(np.float32) for shape in shapes]


def bits(structure):
    parts = structure if isinstance(structure, (tuple, list)) else [structure]
    return [part.numpy().tobytes() for part in parts]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (formula, arrays((1_000_003,))),
        (formula, arrays((1500, 701))),
        (block, arrays((700, 300), (300, 1100))),
        (picked, [arrays((4000, 90))[0], ROOM.integers(0, 4000, 9000)]),
    ],
)
def test_bits_do_not_depend_on_the_number_of_threads(function, args):
    found = []
    for count in COUNTS:
        gw.config.threading.set_intra_op_parallelism_threads(count)
        found.append(bits(function(*args)))
    assert all(each == found[0] for each in found)


def test_gradients_neither():
    (x, w) = arrays((900, 700), (700, 500))
    x, w, found = gw.constant(x), gw.constant(w), []
    for count in COUNTS:
        gw.config.threading.set_intra_op_parallelism_threads(count)
        with gw.GradientTape() as tape:
            tape.watch([x, w])
            loss = gw.reduce_sum(gw.nn.gelu(gw.matmul(x, w)))
        found.append(bits(tape.gradient(loss, [x, w])))
    assert all(each == found[0] for each in found)


def test_what_is_set_is_told():
    assert gw.config.threading.get_intra_op_parallelism_threads() == 0
    gw.config.threading.set_intra_op_parallelism_threads(np.int64(3))
    assert gw.config.threading.get_intra_op_parallelism_threads() == 3
    for wrong, error in ((-1, ValueError), ("2", TypeError), (1.5, TypeError)):
        with pytest.raises(error):
            gw.config.threading.set_intra_op_parallelism_threads(wrong)
    assert gw.config.threading.get_intra_op_parallelism_threads() == 3


def test_threads_of_the_user_come_together():
    gw.config.threading.set_intra_op_parallelism_threads(3)
    (x,) = arrays((300_000,))
    wanted, wrong = bits(formula(x)), []

    def calls():
        wrong.extend(turn for turn in range(30) if bits(formula(x)) != wanted)

    users = [threading.Thread(target=calls) for _ in range(5)]
    [user.start() for user in users]
    [user.join() for user in users]
    assert not wrong


def test_a_loop_in_what_a_graph_prints_or_calls():
    gw.config.threading.set_intra_op_parallelism_threads(2)
    (x,) = arrays((400_000,))

    @gw.function
    def speaks(x):
        y = gw.tanh(x)
        gw.print(y[0], output_stream=sys.stdout)
        return y + gw.tanh(y)

    once = bits(speaks(x))
    assert bits(speaks(x)) == once


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("busy", [False, True])
def test_copies_of_the_process_have_threads_of_their_own(busy):
    program = f"""
import os, sys, threading
import numpy as np
import graphwright as gw

@gw.function
def formula(x):
    return gw.tanh(x) * x

gw.config.threading.set_intra_op_parallelism_threads(3)
x = np.linspace(-3, 3, 500_000, dtype=np.float32)
wanted = formula(x).numpy().tobytes()
ending = False

def calls():
    while not ending:
        formula(x)

users = [threading.Thread(target=calls) for _ in range(2 * {busy})]
[user.start() for user in users]
for turn in range(20):
    child = os.fork()
    if child == 0:
        fine = all(formula(x).numpy().tobytes() == wanted for _ in range(3))
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if formula(x).numpy().tobytes() == wanted else 1)
        os._exit(0 if fine and os.waitpid(grandchild, 0)[1] == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
assert formula(x).numpy().tobytes() == wanted
ending = True
[user.join() for user in users]
print("fine")
"""
    assert run(program) == "fine"


def test_the_process_ends_while_threads_are_at_work():
    program = """
import threading, time
import numpy as np
import graphwright as gw

@gw.function
def formula(x):
    return gw.tanh(x) * x

x = np.linspace(-3, 3, 500_000, dtype=np.float32)

def calls():
    while True:
        formula(x)

threading.Thread(target=calls, daemon=True).start()
formula(x)
time.sleep(0.1)
print("fine")
"""
    assert run(program, GRAPHWRIGHT_THREADS="4") == "fine"


@pytest.mark.parametrize(("said", "threads"), [("3", 3), ("0", 0), ("", 0), ("many", 0), ("-2", 0)])
def test_the_environment_says_how_many(said, threads):
    program = "import graphwright as gw; print(gw.config.threading.get_intra_op_parallelism_threads())"
    assert run(program, GRAPHWRIGHT_THREADS=said) == str(threads)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
@pytest.mark.parametrize(("said", "started"), [("1", 0), ("4", 3)])
def test_threads_are_started_when_they_are_wanted(said, started):
    program = """
import os
import numpy as np
import graphwright as gw

@gw.function
def formula(x):
    return gw.tanh(x) * x

before = len(os.listdir("/proc/self/task"))
formula(np.ones(100, np.float32))
assert len(os.listdir("/proc/self/task")) == before
formula(np.ones(3_000_000, np.float32))
print(len(os.listdir("/proc/self/task")) - before)
"""
    assert run(program, GRAPHWRIGHT_THREADS=said, OPENBLAS_NUM_THREADS="1") == str(started)


SHARED = """
import hashlib
import numpy as np
import graphwright as gw

@gw.function
def formula(x):
    return gw.tanh(x) * x

x = np.linspace(-3, 3, 3_000_000, dtype=np.float32)
results = {hashlib.sha256(formula(x).numpy().tobytes()).hexdigest() for _ in range(40)}
print(*results)
"""


def test_the_grain_of_threads_is_measured_once_and_changes_no_result(tmp_path):
    def kept():
        return {path.name for path in tmp_path.iterdir() if b"grain " in path.read_bytes()}

    setting = {"GRAPHWRIGHT_THREADS": "4", "GRAPHWRIGHT_CACHE": "1", "GRAPHWRIGHT_CACHE_DIR": str(tmp_path)}
    alone = run(SHARED, **setting, GRAPHWRIGHT_TUNING="0")
    assert not kept()
    measured = run(SHARED, **setting)
    (name,) = kept()
    before = (tmp_path / name).read_bytes()
    again = run(SHARED, **setting)
    assert kept() == {name} and (tmp_path / name).read_bytes() == before
    assert len(alone.split()) == 1 and alone == measured == again
    (tmp_path / name).write_bytes(before[:-3])
    assert run(SHARED, **setting) == alone


@pytest.mark.skipif(not os.path.isfile("/proc/self/statm"), reason="needs /proc")
# Without a bound the block of the result waits, and the one of the copy that the first call makes of the array.
@pytest.mark.parametrize(("said", "least", "most"), [("0", 0, 60), ("40000000", 0, 60), ("", 90, 260)])
def test_memory_that_waits_is_bounded(said, least, most):
    program = """
import os
import numpy as np
import graphwright as gw

@gw.function
def twice(x):
    return x + x

def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

twice(np.ones(100, np.float32))
x = np.ones(25_000_000, np.float32)
before = megabytes()
for _ in range(5):
    twice(x)
print(megabytes() - before)
"""
    assert least <= float(run(program, GRAPHWRIGHT_POOL_BYTES=said)) <= most


def run(program, **said):
    """What a process prints that runs a program."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(program)
        answer = subprocess.run(
            [sys.executable, "-W", "ignore::DeprecationWarning", str(file)],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, **said},
            check=False,
        )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()
