"""Random programs of the stranger's grammar, with graphwright.federated as `tff` and with plain Python."""

import collections
import linecache
import math
from collections import OrderedDict

import numpy as np

from federated_grammar import Gen
from federated_plain import FV, GREATEST, LEAST, Plain

PRE = """
@tff.graph_computation(np.int64)
def BITS(x):
    return x & 1023
@tff.graph_computation(np.float64)
def WEIGHT(x):
    if x > 1.0:
        return 2.0
    return 0.5
"""


def arg(k, v, plain, ns):
    if isinstance(v, tuple) and v[0] == "seq":
        return [arg(k[1], e, plain, ns) for e in v[1]]
    if isinstance(v, tuple) and v[0] == "struct":
        parts = [arg(kk, e, plain, ns) for (_, kk), e in zip(k[2], v[2])]
        if k[1] == "od":
            return OrderedDict(zip([n for n, _ in k[2]], parts))
        if k[1] == "nt":
            return ns["NT_" + "_".join(n for n, _ in k[2])](*parts)
        return tuple(parts)
    return v


def simple(x):
    if isinstance(x, FV):
        return (
            simple(x.one[0])
            if x.one
            else [simple(v) for v in x.vals]
            if x.place == "C"
            else simple(x.vals[0])
        )
    if hasattr(x, "_fields"):
        return (type(x).__name__, [simple(e) for e in x])
    if isinstance(x, OrderedDict):
        return [(a, simple(b)) for a, b in x.items()]
    if isinstance(x, (list, tuple)):
        return [simple(e) for e in x]
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, np.ndarray):
        return simple(list(x))
    if isinstance(x, bytes):
        return x.decode()
    return x


def same(a, b):
    if a is LEAST or a is GREATEST:
        return True
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        if type(a) not in (float, int) or type(b) not in (float, int):
            return False
        return (math.isnan(a) and math.isnan(b)) or a == b or math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-5)
    return type(a) is type(b) and a == b


def run(seed, contexts=()):
    import graphwright as gw
    import graphwright.federated as tff

    g = Gen(seed)
    n = g.clients = g.r.choice([0, 1, 2, 3, 9, 20])
    text, params = g.program()
    data = [[g.value(k) for _ in range(n)] if p == "C" else [g.value(k)] for p, k in params]
    text = (
        "\n".join(line for line in g.lines if line.startswith("NT_"))
        + PRE
        + "\n".join(line for line in g.lines if not line.startswith("NT_"))
    )
    fname = f"<program {seed}>"
    linecache.cache[fname] = (len(text), None, text.splitlines(True), fname)
    code = compile(text, fname, "exec")
    plain = Plain()
    plain.n = n
    base = dict(np=np, collections=collections, OrderedDict=OrderedDict)
    ns = dict(base, tff=plain, tff_type=lambda x: x, long=lambda x: x, keys=lambda x: [x % 3, x % 7])
    exec(code, ns)
    try:
        want = simple(
            ns["main"](*[FV([arg(k, v, True, ns) for v in d], p) for (p, k), d in zip(params, data)])
        )
    except Exception as error:
        return "plainfail", text, repr(error), data
    ns = dict(
        base,
        tff=tff,
        tff_type=tff.to_type,
        long=lambda x: gw.cast(x, gw.int64),
        keys=lambda x: gw.stack([gw.cast(x % 3, gw.int32), gw.cast(x % 7, gw.int32)]),
    )
    try:
        exec(code, ns)
    except Exception as error:
        return "refused", text, error, data
    args = lambda: [
        [arg(k, v, False, ns) for v in d] if p == "C" else arg(k, d[0], False, ns)
        for (p, k), d in zip(params, data)
    ]
    try:
        got = simple(ns["main"](*args()))
    except Exception as error:
        return "raised", text, error, data
    if not same(want, got):
        return "DIFFERS", text, f"\nwant {want}\ngot  {got}", data
    for c in contexts:
        with tff.framework.get_context_stack().install(c):
            other = simple(ns["main"](*args()))
        if repr(other) != repr(got):
            return "CONTEXT DIFFERS", text, f"\nlocal {got}\nother {other}", data
    return "ok", text, None, data
