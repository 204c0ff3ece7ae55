"""Federated computations in plain Python: a judge that a stranger wrote from the public pages alone."""

import math


class FV:
    """A value of clients or of the server, in plain Python."""

    def __init__(s, vals, place, one=None):
        s.vals, s.place, s.one = vals, place, one  # `one`: [value] that all have alike

    def __getitem__(s, i):
        return FV([at(v, i) for v in s.vals], s.place, s.one and [at(s.one[0], i)])

    def __getattr__(s, n):
        if n.startswith("__"):
            raise AttributeError(n)
        return s[n]


def at(v, i):
    if isinstance(v, dict):
        return v[i] if isinstance(i, str) else list(v.values())[i]
    if isinstance(i, str):
        return getattr(v, i)
    return v[i]


def rebuild(like, parts):
    if isinstance(like, dict):
        return type(like)(zip(like, parts))
    if hasattr(like, "_fields"):
        return type(like)(*parts)
    return type(like)(parts)


def kids(x):
    return list(x.values()) if isinstance(x, dict) else list(x)


def isstruct(x):
    return isinstance(x, (dict, list, tuple))


def tree(f, *xs):
    if isstruct(xs[0]):
        return rebuild(xs[0], [tree(f, *p) for p in zip(*map(kids, xs))])
    return f(*xs)


def zipped(x, i):
    if isinstance(x, FV):
        return x.vals[i]
    return rebuild(x, [zipped(k, i) for k in kids(x)])


def leaves(x):
    if isinstance(x, FV):
        return [x]
    if isstruct(x):
        return [leaf for k in kids(x) for leaf in leaves(k)]
    return []


class T:
    """A computation; its type does not matter to plain Python."""

    def __init__(s, f, many):
        s.f, s.many = f, many

    def __call__(s, *a, **k):
        return s.f(*a, **k)

    type_signature = property(lambda s: s)
    result = property(lambda s: s)
    element = property(lambda s: s)
    member = property(lambda s: s)


class Plain:
    CLIENTS, SERVER = "C", "S"
    n = 0

    def _type(self, *a, **k):
        return self

    FederatedType = SequenceType = TensorType = StructType = _type

    def graph_computation(self, *ts):
        if ts and callable(ts[0]) and not isinstance(ts[0], (type, T)):
            return T(ts[0], len(ts) > 2)
        return lambda f: T(f, len(ts) > 1)

    federated_computation = graph_computation

    def federated_zip(self, x):
        ls = leaves(x)
        return FV(
            [zipped(x, i) for i in range(len(ls[0].vals))], ls[0].place
        )  # no longer alike, as in TFF's type

    def federated_map(self, f, x):
        if not isinstance(x, FV):
            x = self.federated_zip(x)
        return FV([f(*kids(v)) if isinstance(f, T) and f.many else f(v) for v in x.vals], x.place)

    def federated_broadcast(self, x):
        return FV(x.vals * self.n, "C", x.vals)

    def federated_value(self, v, p):
        return FV([v] * (1 if p == "S" else self.n), p, [v] if p == "C" else None)

    def federated_sum(self, x):
        return FV([self.total(x.vals)], "S")

    def total(self, vals):
        if not vals:
            return self.EMPTY
        t = vals[0]
        for v in vals[1:]:
            t = tree(lambda a, b: a + b, t, v)
        return t

    EMPTY = 0

    def federated_secure_sum(self, x, max_input):
        return self.federated_sum(x)

    def federated_secure_sum_bitwidth(self, x, bitwidth):
        return self.federated_sum(x)

    def federated_max(self, x):
        return FV([max(x.vals) if x.vals else LEAST], "S")

    def federated_min(self, x):
        return FV([min(x.vals) if x.vals else GREATEST], "S")

    def federated_mean(self, x, w=None):
        ws = w.vals if w is not None else [1] * len(x.vals)
        if not x.vals or not sum(ws):
            return FV([math.nan], "S")
        return FV([tree(lambda *v: sum(a * b for a, b in zip(v, ws)) / sum(ws), *x.vals)], "S")

    def federated_aggregate(self, x, zero, acc, merge, report):
        a = zero
        for v in x.vals:
            a = acc(a, v)
        return FV([report(merge(zero, a))], "S")

    def federated_select(self, keys, mx, val, fn):
        return FV([[fn(val.vals[0], int(k)) for k in ks] for ks in keys.vals], "C")

    def sequence_map(self, f, x):
        if isinstance(x, FV):
            return FV([[f(e) for e in v] for v in x.vals], x.place)
        return [f(e) for e in x]

    def sequence_reduce(self, x, zero, op):
        def one(v):
            a = zero
            for e in v:
                a = op(a, e)
            return a

        return FV([one(v) for v in x.vals], x.place) if isinstance(x, FV) else one(x)

    def sequence_sum(self, x):
        return FV([sum(v) for v in x.vals], x.place) if isinstance(x, FV) else sum(x)


LEAST, GREATEST = object(), object()
