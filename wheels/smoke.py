"""The trial itself: functions, derivatives, datasets, the report, the profiler, and the installed command."""

import importlib.util
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import graphwright as gw

#: Words before a command of the environment, where another program runs it.
LAUNCHER = os.environ.get("SMOKE_LAUNCHER", "").split()


@gw.function
def collatz(n):
    """The steps of Collatz's sequence."""
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


@gw.function
def summed(dataset):
    """The sum of squares of what is not negative."""
    total = 0.0
    for x in dataset:
        if x < 0:
            continue
        total += x * x
    return total


def main(folder):
    """Tries what needs nothing but NumPy."""
    assert int(collatz(gw.constant(27))) == collatz.python_function(27) == 111
    x = np.linspace(-3, 3, 10_001).astype(np.float32)
    tanh = gw.function(lambda x: gw.reduce_sum(gw.tanh(x) * x))
    assert math.isclose(float(tanh(x)), float((np.tanh(x) * x).sum()), rel_tol=1e-4)
    assert math.isclose(
        float(gw.grad(lambda x: x * gw.sin(x))(2.0)), math.sin(2) + 2 * math.cos(2), rel_tol=1e-6
    )
    a = np.random.default_rng(0).random((70, 50))
    assert np.allclose(gw.function(lambda a: a @ gw.transpose(a))(a).numpy(), a @ a.T)
    dataset = gw.data.Dataset.from_tensor_slices(np.array([1.0, -5.0, 2.0], np.float32)).repeat(2)
    assert float(summed(dataset)) == 10.0
    import graphwright.federated as tff

    assert tff.federated_computation(lambda x: x, np.int32)(3) == 3
    package = pathlib.Path(gw.__file__).parent
    assert (package / "py.typed").exists()
    with tempfile.TemporaryDirectory() as out:
        page = collatz.report(gw.constant(97)).save(f"{out}/page.html")
        assert 10_000 < page.stat().st_size < 300_000
    with gw.profiler.profile() as found:
        collatz(gw.constant(97))
    assert [call.graph for call in found.calls] == ["collatz"]
    answers()
    ends_with_threads()
    commands(folder)


def answers():
    """Dozens of functions answer as plain Python does."""
    script = pathlib.Path(__file__).with_name("answers.py")
    done = subprocess.run(
        [*LAUNCHER, sys.executable, "-I", str(script)], capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("functions agree\n"), (done.returncode, done.stdout, done.stderr)


#: A program whose last thread is in a graph when the interpreter ends it.
THREADS = """
import threading, time
import numpy as np
import graphwright as gw

formula = gw.function(lambda x: gw.tanh(x) * x)
x = np.linspace(-3, 3, 500_000, dtype=np.float32)

def calls():
    while True:
        formula(x)

threading.Thread(target=calls, daemon=True).start()
formula(x)
time.sleep(0.1)
"""


def ends_with_threads():
    """The process ends in order while a thread is at work."""
    for _ in range(10):
        done = subprocess.run(
            [*LAUNCHER, sys.executable, "-I", "-c", THREADS], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (done.returncode, done.stderr)


def commands(folder):
    """The command that the wheel installs."""
    command = [f"{folder}/graphwright"]
    # The first line of an installed command names an interpreter, which nothing but the launcher can run.
    command = [*LAUNCHER, sys.executable, *command] if LAUNCHER else command

    def run(*arguments):
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)

    assert run("--version").stdout == f"graphwright {gw.__version__}\n"
    assert run("explain", "GW203").stdout.startswith("# GW203")
    doctor = run("doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert run("nothing").returncode == 2
    if importlib.util.find_spec("matplotlib") is None:
        gallery = run("demo")
        assert gallery.returncode == 2, gallery.stderr
        assert "pip install 'graphwright[demo]'" in gallery.stderr
    again = run("doctor")
    assert "entries" in again.stdout, again.stdout


if __name__ == "__main__":
    main(sys.argv[1])
