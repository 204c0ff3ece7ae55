"""Two workers of a real Ray on this machine, for tests; and what is asked of them."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import graphwright as gw

pytest.importorskip("ray", reason="the package `ray` is not installed")


D = gw.distribute
NUMBER = gw.TensorSpec([], gw.int64)


def numbers(count=10):
    yield from range(count)


def two_workers():
    """A strategy, whose workers find the modules of the tests; behind it no process is left."""
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    hook, named = sys.breakpointhook, os.environ.get("PYTHONBREAKPOINT")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        strategy = gw.distribute.RayStrategy(2, init_options={"num_cpus": 2, "log_to_driver": False})
    yield strategy
    before = descendants()
    strategy.shutdown()
    put_breakpoint_back(hook, named)
    deadline = time.monotonic() + 20
    while (left := [pid for pid in before if is_alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert before and not left


def put_breakpoint_back(hook, named):
    """Undoes what Ray makes of `breakpoint()`, for the tests behind."""
    sys.breakpointhook = hook
    os.environ.pop("PYTHONBREAKPOINT", None)
    if named is not None:
        os.environ["PYTHONBREAKPOINT"] = named


def descendants():
    """The processes below this one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def is_alive(pid):
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids(strategy):
    return [int(pid) for pid in strategy.run(lambda: os.getpid()).values]


def kill(strategy, rank):
    os.kill(pids(strategy)[rank], signal.SIGKILL)


def lists(elements):
    return [np.asarray(leaf).tolist() for element in elements for leaf in gw.nest.flatten(element)]


def rank():
    return gw.distribute.get_replica_context().replica_id_in_sync_group


def together(distributed):
    """What the parts of each element are side by side."""
    return [
        gw.nest.map_structure(
            lambda leaf: np.concatenate([np.asarray(part) for part in leaf.values]), element
        )
        for element in distributed
    ]
