"""Functions of Python's whose answers differ from call to call: random numbers, clocks, items of iterators.

While a graph is built they are calls of the host that the graph makes each time it comes there. The result's
type is a row of a table here, or is observed on a copy, which changes nothing. GW503 says where neither is
possible.
"""

from __future__ import annotations

import builtins
import copy
import datetime
import functools
import io
import os
import pathlib
import random
import secrets
import threading
import time
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from .. import _native
from . import changing, classes
from .rows_drawn import of_plain_length, row_of_numbers

#: The results of functions of the clock.
CLOCKS: dict[str, type | None] = {
    "monotonic": float,
    "monotonic_ns": int,
    "perf_counter": float,
    "perf_counter_ns": int,
    "process_time": float,
    "process_time_ns": int,
    "sleep": None,
    "thread_time": float,
    "thread_time_ns": int,
    "time": float,
    "time_ns": int,
}

#: Functions of the clock that take a time, with the number of arguments in front of it: without one they
#: answer for the time of the call. They give texts, or what no graph holds.
TIMED: dict[str, tuple[int, type | None]] = {
    "asctime": (0, str),
    "ctime": (0, str),
    "gmtime": (0, None),
    "localtime": (0, None),
    "strftime": (1, str),
}

#: The results of methods that draw one number, for arguments that the graph computes.
DRAWN: dict[str, type | None] = {
    "betavariate": float,
    "expovariate": float,
    "gammavariate": float,
    "gauss": float,
    "getrandbits": int,
    "integers": int,
    "lognormvariate": float,
    "normalvariate": float,
    "paretovariate": float,
    "randint": int,
    "random": float,
    "randrange": int,
    "seed": None,
    "triangular": float,
    "uniform": float,
    "vonmisesvariate": float,
    "weibullvariate": float,
}

#: The results of methods of files that write; in a branch or loop of the graph they write each time.
WRITTEN: dict[str, type | None] = {"flush": None, "write": int, "writelines": None}

#: The results of methods of files whose answers depend on what was written before.
PLACED: dict[str, type | None] = {"getvalue": str, "seek": int, "tell": int, "truncate": int}

#: Those that answer with bytes, which no graph holds, or store them into what they are given.
WITH_BYTES = ("getbuffer", "peek", "read1", "readinto", "readinto1")

#: Methods of files that take what is next, of any length.
TAKEN = ("read", "readline", "readlines")

#: The results of methods of queues, connections, locks and threads, by their names; those of others are not
#: known.
CHANGED: dict[str, type | None] = {
    "abort": None,
    "acquire": bool,
    "cancel": None,
    "clear": None,
    "close": None,
    "empty": bool,
    "full": bool,
    "is_alive": bool,
    "is_set": bool,
    "join": None,
    "locked": bool,
    "notify": None,
    "notify_all": None,
    "put": None,
    "put_nowait": None,
    "qsize": int,
    "release": None,
    "reset": None,
    "send": int,
    "sendall": None,
    "set": None,
    "start": None,
    "task_done": None,
    "wait": bool,
}

#: Methods of generators that change an argument, or answer with what no graph holds.
UNKNOWN = ("set_state", "setstate", "shuffle")

#: The classes of generators of random numbers.
RANDOM = (random.Random, np.random.RandomState, np.random.Generator)

#: Functions that look at the file or folder that their first argument names.
READERS = (
    pathlib.Path.read_bytes,
    pathlib.Path.read_text,
    pathlib.Path.exists,
    pathlib.Path.is_dir,
    pathlib.Path.is_file,
    pathlib.Path.iterdir,
    pathlib.Path.stat,
    os.listdir,
    os.path.exists,
    os.path.getmtime,
    os.path.getsize,
    os.path.isdir,
    os.path.isfile,
    os.scandir,
    os.stat,
    np.fromfile,
    np.genfromtxt,
    np.load,
    np.loadtxt,
)

#: Functions that differ from call to call and whose results no graph holds.
REFUSED: dict[str, Callable[..., Any]] = {
    "os.urandom": os.urandom,
    "secrets.token_bytes": secrets.token_bytes,
    "uuid.uuid1": uuid.uuid1,
    "uuid.uuid4": uuid.uuid4,
}

#: Those whose results it holds.
ANSWERED: dict[str, tuple[Callable[..., Any], type | None]] = {
    "secrets.randbelow": (secrets.randbelow, int),
    "secrets.randbits": (secrets.randbits, int),
    "secrets.token_hex": (secrets.token_hex, str),
    "secrets.token_urlsafe": (secrets.token_urlsafe, str),
    "input": (builtins.input, str),
    "numpy.random.seed": (np.random.seed, None),
}


def frozen(name: str) -> NoReturn:
    """Raises GW503 at the user's line."""
    raise _native.diagnosed(
        "GW503",
        f"`{name}` answers differently each time, and the graph cannot hold what it gives: it would be "
        "called once, while the graph is built",
        "call it outside the function and pass the result in, or in a function that `gw.host` marks and "
        "whose annotation says what it gives",
    )


def later(
    name: str, function: Callable[..., Any], gives: Any, args: Any, kwargs: Any, memory: str = "tensors"
) -> Any:
    """Calls a function each time the graph comes here.

    `gives` says what it answers, `memory` whose the arrays in the answer are.
    """
    return _native.HostFunction.promising(function, gives, name, memory)(*args, **kwargs)


def of_table(name: str, function: Callable[..., Any], gives: Any) -> Callable[..., Any]:
    """The meaning of a function whose answer has a known type."""
    return lambda *args, **kwargs: later(name, function, gives, args, kwargs)


def timed(name: str) -> Callable[..., Any]:
    """The meaning of a function of `time` that answers for a time, or for now."""
    function, (before, gives) = getattr(time, name), TIMED[name]

    def meaning(*args: Any, **kwargs: Any) -> Any:
        if len(args) > before and args[before] is not None:
            return function(*args, **kwargs)
        if gives is None:
            frozen(f"time.{name}")
        return later(f"time.{name}", function, gives, args, kwargs)

    return meaning


def refused(name: str) -> Callable[..., NoReturn]:
    """The meaning of a function whose answer no graph holds."""

    def meaning(*args: Any, **kwargs: Any) -> NoReturn:
        frozen(name)

    return meaning


def functions() -> list[tuple[Any, Callable[..., Any], bool]]:
    """The rows of this table: a function, its meaning, and that it is asked whatever its arguments are."""
    rows: list[tuple[Any, Callable[..., Any], bool]] = []
    for name, gives in CLOCKS.items():
        if hasattr(time, name):
            rows.append((getattr(time, name), of_table(f"time.{name}", getattr(time, name), gives), True))
    rows += [
        (function, of_table(name, function, gives), True) for name, (function, gives) in ANSWERED.items()
    ]
    rows += [(getattr(time, name), timed(name), True) for name in TIMED]
    rows += [(function, refused(name), True) for name, function in REFUSED.items()]
    rows += [(function, reading(function), True) for function in READERS]
    rows += changing.functions()
    rows += [(builtins.open, opened, True), (pathlib.Path.open, opened_path, True)]
    return [(function, unless_traced(function, meaning), always) for function, meaning, always in rows]


def unless_traced(function: Callable[..., Any], meaning: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning, and the function itself where `host_code="trace"` runs it while the graph is built."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        return (function if _native.runs_while_tracing() else meaning)(*args, **kwargs)

    return chosen


def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    """Opens a file while the graph is built: one that is written by each call, and in no branch or loop."""
    writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
    if writes and _native.is_in_region():
        raise _native.diagnosed(
            "GW503",
            "this opens a file for writing in a branch or loop of the graph: it would be written once, while "
            "the graph is built",
            "open it outside the function, where each turn writes it, or in a function that `gw.host` marks",
        )
    if writes:
        _native.done_by_each_call(f"open(…, {mode!r})")
    else:
        guard_file(file)
    return builtins.open(file, mode, *args, **kwargs)


def opened_path(path: pathlib.Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    """The same of `path.open(…)`."""
    return opened(path, mode, *args, **kwargs)


def reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning of a function that reads the file that its first argument names."""

    def meaning(file: Any = ".", *args: Any, **kwargs: Any) -> Any:
        guard_file(file)
        return function(file, *args, **kwargs)

    return meaning


def guard_file(file: Any) -> None:
    """Says that the graph is good while a file stays as it is."""
    if isinstance(file, str | bytes | os.PathLike):
        _native.guard_answer(
            functools.partial(state_of, os.path.abspath(file)), f"the file {os.fspath(file)!r}"
        )


def state_of(path: str | bytes) -> str:
    """The time of a file's last change, its length and number; texts, which guards compare."""
    try:
        found = os.stat(path)
    except OSError as error:
        return f"absent ({error.errno})"
    return f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"


def is_random(object: Any) -> bool:
    """True if an object draws random numbers."""
    return isinstance(object, RANDOM)


def method(owner: Any, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The meaning of a bound method while a graph is built, if it answers differently each time."""
    name = getattr(function, "__name__", "")
    if isinstance(owner, RANDOM):
        return lambda *args, **kwargs: drawn(owner, name, function, args, kwargs)
    if isinstance(owner, io.IOBase):
        return of_file(owner, name, function)
    if type(owner).__module__ in changing.SETTING:
        return changing.method(owner, name)
    if not isinstance(owner, type):
        return opaque(owner, name, function)
    if any(owner is kind for kind in (datetime.datetime, datetime.date)) and name in (
        "now",
        "utcnow",
        "today",
    ):
        return refused(f"{owner.__name__}.{name}")
    return classes.derived(owner, function) if name == "__subclasses__" else None


def of_file(owner: Any, name: str, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The meaning of a method of a file; none where it is called now, on a file that this region opened."""
    shown, asked = f"{type(owner).__name__}.{name}", _native.asked_for_change(owner)
    is_known = name in WRITTEN or name in PLACED or name in TAKEN or name in WITH_BYTES
    if asked == "now" or not (_native.is_in_region() or is_known):
        return None
    if asked != "later":
        return of_inner_file(shown)
    if name in WRITTEN or (name in PLACED and (name != "getvalue" or isinstance(owner, io.TextIOBase))):
        return of_table(shown, function, {**WRITTEN, **PLACED}[name])
    return refused(shown)


def of_inner_file(name: str) -> Callable[..., NoReturn]:
    """The meaning of a method of a file that the function opened in front of a block of the graph."""

    def meaning(*args: Any, **kwargs: Any) -> NoReturn:
        raise _native.diagnosed(
            "GW503",
            f"`{name}` is called in a branch or loop of the graph, of a file that the function made in front "
            "of it: it would be called once, while the graph is built",
            "make the file outside the function, where each call goes on with it, or use `print`",
        )

    return meaning


#: The classes of locks by the names of their modules; a `with` holds them.
LOCKS = ("_thread", "threading", "multiprocessing.synchronize")


def of_lock(shown: str, name: str, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The meaning of the methods that `with lock:` calls; outside of branches and loops it holds it now."""
    if not _native.is_in_region():
        return None
    if name == "__enter__":
        return of_table(shown, function, bool)
    return lambda *_: later(shown, lambda: function(None, None, None), None, (), {})


def opaque(owner: Any, name: str, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The meaning of a method of an object that no code of the user's shows to change."""
    asked = _native.asked_for_change(owner)
    if asked == "now":
        return None
    shown = f"{type(owner).__name__}.{name}"
    is_lock = any(kind.__module__ in LOCKS for kind in type(owner).__mro__)
    if asked == "later" and is_lock and name in ("__enter__", "__exit__"):
        return of_lock(shown, name, function)
    if asked == "later" and name in CHANGED:
        is_barrier = name == "wait" and isinstance(owner, threading.Barrier)
        return of_table(shown, function, int if is_barrier else CHANGED[name])
    return refused(shown)


def drawn(owner: Any, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Draws numbers each time the graph comes here, or now from a generator that this region seeded."""
    if _native.asked_for_random(owner) == "now" and not any(_native.is_staged(arg) for arg in args):
        return function(*args, **kwargs)
    memory = "host" if isinstance(owner, random.Random) else "new"
    if (row := row_of_numbers(owner, name, args, kwargs)) is not None:
        return later(name, of_plain_length(function, name), row, args, kwargs, memory)
    return later(name, function, answer_of(owner, name, args, kwargs), args, kwargs, memory)


def answer_of(owner: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The type of an answer, observed on a copy of the owner, or by the table for arguments of the graph."""
    shown = f"{type(owner).__name__}.{name}"
    if name in UNKNOWN or name == "seed":
        return None if name == "seed" else frozen(shown)
    if any(_native.is_staged(arg) for arg in (*args, *kwargs.values())):
        is_one = all(getattr(arg, "ndim", 0) == 0 for arg in args)
        return DRAWN[name] if name in DRAWN and is_one and not kwargs else frozen(shown)
    # The system's randomness has no state that an answer would change.
    asked = owner if isinstance(owner, random.SystemRandom) else copy.deepcopy(owner)
    return described(getattr(asked, name)(*args, **kwargs), shown, is_new=name != "choice")


def described(value: Any, name: str, is_new: bool = False) -> Any:
    """The type of a value, as `gw.host` takes it from an annotation.

    A list has one only if nobody else holds it: what the graph appends would not reach the others.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return None if value is None else type(value)
    if isinstance(value, np.generic) and value.dtype.kind in "bif":
        return type(value.item())
    if isinstance(value, np.ndarray) and value.dtype.kind in "bif":
        return _native.TensorSpec(value.shape, _native.convert_to_tensor(value).dtype)
    if isinstance(value, _native.Tensor) and not _native.is_staged(value):
        return _native.TensorSpec(value.shape, value.dtype)
    is_structure = isinstance(value, tuple) or (isinstance(value, list) and is_new)
    if is_structure and value and not any(item is None for item in value):
        return type(value)([described(item, name) for item in value])
    return frozen(name)


def next_item(iterator: Iterator[Any], *default: Any) -> Any:
    """`next(iterator, default)` of an iterator from outside, each time the graph comes here."""
    again = independent(iterator)
    name = type(iterator).__name__
    if again is None:
        return frozen(f"next({name})")
    try:
        first = builtins.next(again, *default)
    except StopIteration:
        return builtins.next(iterator)
    gives = described(first, f"next({name})")
    memory = "tensors" if isinstance(first, _native.Tensor) else "host"
    return later(f"next({name})", builtins.next, gives, (iterator, *default), {}, memory)


#: Iterators that give what a container holds, and iterators over them that run no code of the user's.
COPIED = ("builtins", "itertools")
SHARED = (
    "map",
    "filter",
    "generator",
    "accumulate",
    "starmap",
    "takewhile",
    "dropwhile",
    "filterfalse",
    "groupby",
    "tee",
)


def independent(iterator: Any) -> Any:
    """A copy that is advanced without the iterator; `None` for one that cannot be copied."""
    kind = type(iterator)
    if kind.__module__ not in COPIED or kind.__name__ in SHARED:
        return None
    try:
        make, parts, *state = iterator.__reduce__()
        made = make(*map(part_of_copy, parts))
        if state and state[0] is not None:
            made.__setstate__(part_of_copy(state[0]))
    except (AttributeError, TypeError):
        return None
    return made if isinstance(made, kind) and not isinstance(made, types.GeneratorType) else None


def part_of_copy(part: Any) -> Any:
    """The part of an iterator's copy in place of this one: iterators, and lists that grow, are copied too.

    Raises a `TypeError` where an iterator cannot be copied.
    """
    if type(part) is tuple:
        return tuple(map(part_of_copy, part))
    if type(part) is list:
        return list(part)
    if not hasattr(part, "__next__"):
        return part
    again = independent(part)
    if again is None:
        raise TypeError(part)
    return again
