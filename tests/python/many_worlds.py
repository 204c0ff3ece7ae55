"""A backend in a few lines, which runs every path at once: a value is one per world, and each world takes its own path."""

from __future__ import annotations

import operator

import graphwright as gw
from graphwright.autograph import Possible


class Many:
    """A value per world."""

    def __init__(self, values):
        self.values = list(values)


def in_each(function):
    """A method that computes world by world."""
    return lambda self, *others: Many(map(function, self.values, *(worlds(o, self) for o in others)))


for name in ("add", "sub", "mul", "mod", "floordiv", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Many, f"__{name}__", in_each(getattr(operator, name)))
Many.__radd__ = in_each(lambda a, b: b + a)


def worlds(value, like):
    """The values of all worlds, in which a plain value is the same."""
    return value.values if isinstance(value, Many) else [value] * len(like.values)


def mix(test, a, b, state):
    """`a` in the worlds where `test` holds, `b` in the others."""
    if a is b or state.is_unbound(a) and state.is_unbound(b):
        return a
    if any(state.is_unbound(v) or isinstance(v, Possible) for v in (a, b)):
        known = [v.value if isinstance(v, Possible) else v for v in (a, b) if not state.is_unbound(v)]
        return Possible(mix(test, known[0], known[-1], state))
    each = zip(test.values, worlds(a, test), worlds(b, test))
    return Many([x if is_so else y for is_so, x, y in each])


def both(a, b):
    """The worlds where both hold."""
    return Many([x and y for x, y in zip(a.values, worlds(b, a))])


class ManyWorlds(gw.autograph.Backend):
    """Both branches run; a loop runs until no world goes on. `here` says which worlds take the path at hand."""

    here = True

    def if_stmt(self, test, body, orelse, state):
        around, before, after = self.here, state.get(), []
        for here, block in ((test, body), (self.not_(test), orelse)):
            self.here = both(here, around)
            state.set(before)
            block()
            after.append(state.get())
        self.here = around
        state.set([mix(test, a, b, state) for a, b in zip(*after)])

    def while_stmt(self, go, test, body, state):
        around = self.here
        self.here = both(go, around)
        while any(self.here.values):
            before = state.get()
            body()
            state.set([mix(self.here, new, old, state) for new, old in zip(state.get(), before)])
            self.here = both(self.here, test())
        self.here = around

    def if_exp(self, test, body, orelse):
        return Many(
            [a if so else b for so, a, b in zip(*(worlds(v, test) for v in (test, body(), orelse())))]
        )

    def not_(self, operand):
        return Many([not value for value in operand.values])
