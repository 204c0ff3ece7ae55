"""Copies between a graph and the host that nobody asked for: warnings, or errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal

from .. import _native
from ._calls import Place
from ._program import Transfer, calls_of, steps_of, without_first_turns
from ._texts import bytes_text, type_of

_implicit_copies = "warn"


class ImplicitCopyWarning(UserWarning):
    """A value crosses between the graph and the host although nobody asked for it.

    `code` is `"GW501"` (`direction` is `"to_host"`) or `"GW502"` (`"to_graph"`). `name`, `spec`, `nbytes`,
    `call`, `filename`, `lineno` and `loop_depth` are those of the `gw.Transfer`.

    Args:
      transfer: the `gw.Transfer` that crosses.
      loop_line: line of the outermost loop around it, if there is one.

    Example:
      >>> import warnings
      >>> @gw.host
      ... def total(x) -> float:
      ...     return float(np.sum(x))
      >>> doubled = gw.function(lambda x: total(x * 2))
      >>> with warnings.catch_warnings(record=True) as caught:
      ...     warnings.simplefilter("always")
      ...     _ = doubled(gw.ones([100]))
      >>> print(caught[0].category.__name__, str(caught[0].message)[:40])
      ImplicitCopyWarning GW501: `x * 2` (float32 [100], 400 bytes
    """

    def __init__(self, transfer: Transfer, loop_line: int | None) -> None:
        super().__init__(message_of(transfer, loop_line))
        self.code = "GW501" if transfer.kind == "send" else "GW502"
        self.direction = "to_host" if transfer.kind == "send" else "to_graph"
        self.name, self.spec, self.nbytes = transfer.name, transfer.spec, transfer.nbytes
        self.call, self.filename, self.lineno = transfer.call, transfer.filename, transfer.lineno
        self.loop_depth = transfer.loop_depth


def message_of(transfer: Transfer, loop_line: int | None) -> str:
    """The text of a warning, with its code."""
    what = f"`{transfer.name}` ({type_of(transfer.spec)}, {bytes_text(transfer.nbytes)})"
    turns = f" in each turn of the loop on line {loop_line}" if transfer.loop_depth and loop_line else ""
    if transfer.kind == "send":
        remedy = "{}.to_host()" if transfer.name.isidentifier() else "gw.to_host({})"
        way = f"is copied to the host for `{transfer.call}`{turns}"
        return f"GW501: {what} {way}; write `{remedy.format(transfer.name)}` if that is meant"
    way = f"is copied from `{transfer.call}` into the graph{turns}"
    return f"GW502: {what} {way}; write `gw.to_accelerator(…)` if that is meant"


def set_implicit_copies(mode: Literal["warn", "allow", "error"]) -> None:
    """Sets the word for copies that nobody asked for, in functions that say nothing else."""
    global _implicit_copies
    if mode not in ("warn", "allow", "error"):
        raise ValueError(f'implicit_copies is "warn", "allow" or "error", not {mode!r}')
    _implicit_copies = mode


def get_implicit_copies() -> str:
    """The word for copies that nobody asked for."""
    return _implicit_copies


def implicit(steps: list[Any]) -> Iterator[tuple[Transfer, Place, int | None]]:
    """The transfers that nobody asked for, with the place of each call and the line of its loop."""
    for call in calls_of(steps):
        for _, transfer, loops in (*call.sent, *call.received):
            if transfer.implicit:
                innermost = loops[-1] if loops else None
                yield transfer, call.place, innermost and innermost[1]


def judge_copies(described: list[tuple[Any, ...]], mode: str | None) -> None:
    """Warns of the copies of a new graph that nobody asked for, or refuses them."""
    if (mode or _implicit_copies) == "allow":
        return
    said: set[tuple[str, Place]] = set()
    for transfer, place, loop_line in implicit(without_first_turns(steps_of(described))):
        if (mode or _implicit_copies) == "error":
            code, _, message = message_of(transfer, loop_line).partition(": ")
            message, _, remedy = message.partition("; ")
            raise _native.diagnosed_at(code, message, remedy, place)
        warning = ImplicitCopyWarning(transfer, loop_line)
        if (str(warning), place) in said:
            continue
        said.add((str(warning), place))
        warnings.warn_explicit(warning, None, transfer.filename or "<graph>", transfer.lineno)
