"""The packages that the same programs are run with: how each makes arrays, compiles and gives results."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

Function = Callable[..., Any]


@dataclass(frozen=True)
class Peer:
    """One package, as its own documentation says that it is used."""

    name: str
    array: Callable[[Any], Any]
    """NumPy to an array of its own."""
    compiled: Callable[[Function], Function]
    method: Callable[[Function], Function] | None
    """A function that is an attribute of a class; `None` where objects cannot be arguments."""
    mapping: Callable[[dict[str, Any]], Any]
    """A dict as it takes one."""
    to_numpy: str
    """Text around a call that gives NumPy."""
    finished: str = "{}"
    """Text around a call that comes back when the result is there."""
    finish: Callable[[Any], Any] | None = None
    """The name in that text."""


@contextmanager
def silence() -> Iterator[None]:
    """What native code writes to standard error meanwhile is lost: TensorFlow's notes on the machine."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def graphwright() -> Peer:
    """Ourselves."""
    import graphwright as gw

    return Peer("Graphwright", gw.constant, gw.function, gw.function, dict, "{}.numpy()")


def tensorflow() -> Peer:
    """TensorFlow's graphs of functions that AutoGraph converted."""
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")
    with silence():
        import tensorflow as tf

    tf.get_logger().setLevel(logging.ERROR)
    tf.autograph.set_verbosity(0)
    return Peer("TensorFlow", tf.constant, tf.function, tf.function, dict, "{}.numpy()")


def jax() -> Peer:
    """JAX on the processor."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    logging.getLogger("jax").setLevel(logging.ERROR)
    import jax

    jax.config.update("jax_enable_x64", True)  # else its arrays have 32 bits whatever they are made of
    method = partial(jax.jit, static_argnums=0)
    return Peer(
        "JAX",
        jax.numpy.asarray,
        jax.jit,
        method,
        dict,
        "np.asarray({})",
        "finish({})",
        jax.block_until_ready,
    )


def numba() -> Peer:
    """Numba, whose dicts are of its own class and whose methods take no Python object."""
    import numba

    warnings.simplefilter("ignore", numba.NumbaWarning)

    def mapping(parts: dict[str, Any]) -> Any:
        typed = numba.typed.Dict()
        for name, part in parts.items():
            typed[name] = part
        return typed

    return Peer("Numba", _itself, numba.njit, None, mapping, "{}")


def numpy() -> Peer:
    """Plain Python and NumPy: nothing is compiled."""
    return Peer("NumPy", _itself, _itself, _itself, dict, "{}")


def _itself(value: Any) -> Any:
    """NumPy's scalars count as arrays of one element."""
    return value[()] if isinstance(value, np.ndarray) else value


PEERS = {"Graphwright": graphwright, "TensorFlow": tensorflow, "JAX": jax, "Numba": numba, "NumPy": numpy}


def installed() -> dict[str, Peer]:
    """Those that can be imported, by name."""
    found = {}
    for name, peer in PEERS.items():
        try:
            found[name] = peer()
        except ImportError:
            continue
    return found
