"""Work in a forked process that ends when it computes, waits or takes memory for too long."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import selectors
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Send = Callable[[Any], None]
"""Tells the parent a value that JSON can hold."""


@dataclass(frozen=True)
class Limits:
    """Limits of a process."""

    cpu: int
    """Seconds of computing; `Forked.extend` grants more."""
    wall: float
    memory: int = 8 << 30


@dataclass(eq=False)
class Forked:
    """A process that works, and what it has said so far."""

    process: int
    pipe: int
    until: float
    said: list[Any] = field(default_factory=list)
    rest: bytes = b""

    def take(self) -> bool:
        """Reads what there is; false at its end."""
        got = os.read(self.pipe, 1 << 16)
        *lines, self.rest = (self.rest + got).split(b"\n")
        for line in lines:
            # A process that ends, or that one of its own writes into, leaves half a line.
            with contextlib.suppress(ValueError):
                self.said.append(json.loads(line))
        return bool(got)

    def end(self) -> str:
        """The name of the signal that ended it, or nothing."""
        os.close(self.pipe)
        _, status = os.waitpid(self.process, 0)
        return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""


def start(work: Callable[[Send], None], limits: Limits) -> Forked:
    """Forks and works."""
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return Forked(process, reading, time.monotonic() + limits.wall)
    os.close(reading)
    try:
        _shut(limits)
        work(lambda value: os.write(writing, json.dumps(value).encode() + b"\n"))  # type: ignore[arg-type, return-value]
    except BaseException as error:
        with contextlib.suppress(Exception):
            os.write(writing, json.dumps({"broken": repr(error)[:300]}).encode() + b"\n")
    finally:
        os._exit(0)


def _shut(limits: Limits) -> None:
    faulthandler.disable()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    most = _taken() + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    allow(limits.cpu)


def _taken() -> int:
    """The bytes of address space that this process has before it works."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def allow(seconds: int) -> None:
    """Grants this process so much computing from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, resource.RLIM_INFINITY)
    )


def forked(work: Callable[[Send], None], limits: Limits) -> tuple[list[Any], str]:
    """Works in a process: what it said, and how it ended."""
    return next(iter(pool([work], limits, 1)))[1:]


def pool(work: list[Callable[[Send], None]], limits: Limits, processes: int):
    """Works in several processes: which ended, what it said and how it ended, in the order of their ends."""
    waiting, running = list(enumerate(work))[::-1], selectors.DefaultSelector()
    while waiting or running.get_map():
        while waiting and len(running.get_map()) < processes:
            at, one = waiting.pop()
            child = start(one, limits)
            running.register(child.pipe, selectors.EVENT_READ, (at, child))
        ready = [key.data for key, _ in running.select(0.5)]
        for at, child in [key.data for key in running.get_map().values()]:
            late = time.monotonic() > child.until
            if late:
                os.kill(child.process, signal.SIGKILL)
            if late or ((at, child) in ready and not child.take()):
                running.unregister(child.pipe)
                yield at, child.said, child.end()
