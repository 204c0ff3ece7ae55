"""A grammar of federated programs that a stranger wrote: control flow, structs, sequences, text, all aggregations."""

import random


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.k = 0
        self.lines = []
        self.fns = 0

    def name(self, p="v"):
        self.k += 1
        return f"{p}{self.k}"

    # expressions over an environment {text: kind}
    def pick(self, env, kind):
        c = [n for n, k in env.items() if k == kind]
        return self.r.choice(c) if c else None

    def e(self, env, kind, d=2):
        r = self.r
        have = self.pick(env, kind)
        if d <= 0 or r.random() < 0.25:
            if have and r.random() < 0.8:
                return have
            return {
                "i": str(r.randint(-9, 30)),
                "f": str(r.choice([0.5, -1.25, 2.0, 0.0, 7.75])),
                "b": r.choice(["True", "False"]),
                "s": repr(r.choice(["", "a", "éß", "x y", "0"])),
            }[kind]
        q = lambda k: self.e(env, k, d - 1)
        if kind == "i":
            return r.choice(
                [
                    lambda: f"(({q('i')} + {q('i')}) % 10007)",
                    lambda: f"({q('i')} - {q('i')}) % 997",
                    lambda: f"({q('i')} % 101 * ({q('i')} % 103))",
                    lambda: f"({q('i')} // {r.choice([2, 3, 7, -5])})",
                    lambda: f"({q('i')} % {r.choice([2, 3, 7, -5])})",
                    lambda: f"abs({q('i')})",
                    lambda: f"min({q('i')}, {q('i')})",
                    lambda: f"max({q('i')}, {q('i')}, {r.randint(-3, 3)})",
                    lambda: f"({q('i')} if {q('b')} else {q('i')})",
                    lambda: f"-({q('i')})",
                    lambda: f"({q('i')} & 255)",
                    lambda: f"({q('i')} ^ {r.randint(0, 99)})",
                    lambda: f"({q('i')} >> 1)",
                ]
                + []
            )()
        if kind == "f":
            return r.choice(
                [
                    lambda: f"({q('f')} * 0.5 + {q('f')} * 0.25)",
                    lambda: f"({q('f')} - {q('f')})",
                    lambda: f"abs({q('f')})",
                    lambda: f"min({q('f')}, {q('f')})",
                    lambda: f"({q('f')} if {q('b')} else {q('f')})",
                    lambda: f"-({q('f')})",
                    lambda: f"({q('f')} / 4.0)",
                ]
            )()
        if kind == "b":
            return r.choice(
                [
                    lambda: f"({q('i')} {r.choice(['<', '<=', '==', '!=', '>', '>='])} {q('i')})",
                    lambda: f"({q('f')} < {q('f')})",
                    lambda: f"(not {q('b')})",
                    lambda: f"({q('b')} and {q('b')})",
                    lambda: f"({q('b')} or {q('b')})",
                    lambda: f"(0 < {q('i')} <= {r.randint(1, 50)})",
                ]
                + ([lambda: f"({q('s')} == {q('s')})"] if self.pick(env, "s") else [])
            )()
        return r.choice(
            [
                lambda: f"({have or repr('z')} + {r.choice(['q', 'ü'])!r})",
                lambda: f"({q('s')} if {q('b')} else {q('s')})",
            ]
        )()

    def block(self, env, ind, d, loop, out):
        r = self.r
        p = "    " * ind
        mut = [n for n, k in env.items() if n.startswith("m")]
        n0 = len(out)
        for _ in range(r.randint(1, 3)):
            c = r.random()
            seqs = [n for n, k in env.items() if k[0] == "q"]
            if c < 0.4 or d <= 0 or not mut:
                if mut:
                    m = r.choice(mut)
                    out.append(f"{p}{m} = {self.bound(env, env[m])}")
            elif c < 0.6:
                out.append(f"{p}if {self.e(env, 'b')}:")
                self.block(env, ind + 1, d - 1, loop, out)
                if r.random() < 0.5:
                    out.append(f"{p}else:")
                    self.block(env, ind + 1, d - 1, loop, out)
            elif c < 0.72:
                i = self.name("i")
                out.append(f"{p}for {i} in range({self.e(env, 'i', 1)} % {r.randint(2, 6)}):")
                self.block({**env, i: "i"}, ind + 1, d - 1, True, out)
            elif c < 0.84:
                i = self.name("w")
                out.append(f"{p}{i} = {self.e(env, 'i', 1)} % 20")
                out.append(f"{p}while {i} > 0 and {self.e(env, 'b', 1)}:")
                out.append(f"{p}    {i} -= {r.randint(1, 4)}")
                self.block({**env, i: "i"}, ind + 1, d - 1, True, out)
            elif c < 0.95 and seqs:
                s = r.choice(seqs)
                k = env[s][1]
                i = self.name("i")
                out.append(f"{p}for {i} in {s}:")
                self.block({**env, **self.opened(i, k)}, ind + 1, d - 1, True, out)
            elif loop:
                out.append(f"{p}if {self.e(env, 'b')}:")
                out.append(f"{p}    {r.choice(['break', 'continue'])}")
            else:
                m = r.choice(mut)
                built = self.name("l")
                if env[m] in ("i", "f"):
                    out.append(f"{p}{built} = []")
                    i = self.name("i")
                    out.append(f"{p}for {i} in range({self.e(env, 'i', 1)} % 5):")
                    out.append(f"{p}    {built}.append({self.bound(env, env[m])})")
                    out.append(f"{p}for {i} in {built}:")
                    out.append(
                        f"{p}    {m} = " + (f"({m} + {i}) % 7919" if env[m] == "i" else f"{m} * 0.5 + {i}")
                    )
        if len(out) == n0:
            out.append(f"{p}pass")

    def bound(self, env, k):
        return {
            "i": f"({self.e(env, 'i')}) % 20011",
            "f": f"({self.e(env, 'f')}) * 0.5",
            "b": self.e(env, "b"),
            "s": f"({self.e(env, 's')})",
        }[k]

    # kinds: "i" "f" "b" "s"; ("t", container, [(name, kind)]); ("q", kind)
    def opened(self, text, k):
        if isinstance(k, str):
            return {text: k}
        if k[0] == "q":
            return {text: k}
        res = {}
        for i, (n, kk) in enumerate(k[2]):
            res.update(
                self.opened(
                    f"{text}[{n!r}]" if k[1] == "od" else f"{text}.{n}" if k[1] == "nt" else f"{text}[{i}]",
                    kk,
                )
            )
        return res

    def kind(self, d=1, leaf="iiffbs"):
        r = self.r
        if d <= 0 or r.random() < 0.55:
            return r.choice(leaf)
        c = r.choice(["od", "tu", "nt"])
        return (
            "t",
            c,
            [(self.name("n") if c != "tu" else None, self.kind(d - 1, leaf)) for _ in range(r.randint(1, 3))],
        )

    def numeric(self, leaf="if"):
        return self.kind(1, leaf)

    def made(self, k, leaf):
        if isinstance(k, str):
            return leaf(k)
        if k[1] == "od":
            return "OrderedDict([" + ", ".join(f"({n!r}, {self.made(kk, leaf)})" for n, kk in k[2]) + "])"
        if k[1] == "nt":
            nm = "NT_" + "_".join(n for n, _ in k[2])
            line = f"{nm} = collections.namedtuple({nm!r}, {[n for n, _ in k[2]]!r})"
            if line not in self.lines:
                self.lines.insert(0, line)
            return f"{nm}(" + ", ".join(f"{n}={self.made(kk, leaf)}" for n, kk in k[2]) + ")"
        return "(" + "".join(self.made(kk, leaf) + ", " for _, kk in k[2]) + ")"

    def typ(self, k):
        if isinstance(k, str):
            return {"i": "np.int32", "f": "np.float64", "b": "np.bool_", "s": "np.str_"}[k]
        if k[0] == "q":
            return f"tff.SequenceType({self.typ(k[1])})"
        return "tff_type(" + self.made(k, self.typ) + ")"

    def fn(self, params, result, types=None, pure=False):
        """A graph computation of `params` (kinds); answers its name."""
        r = self.r
        f = self.name("f")
        args = [self.name("a") for _ in params]
        types = types or [self.typ(k) for k in params]
        env = {}
        for a, k in zip(args, params):
            env.update(self.opened(a, k))
        body = []
        muts = {}
        for k in "if" + r.choice(["", "b", "s", "bs"]):
            m = self.name("m")
            v = self.pick(env, k)
            src = (
                v
                and k == "i"
                and f"{v} % 20011"
                or v
                or {"i": "np.int32(0)" if 0 else str(r.randint(0, 5)), "f": "0.25", "b": "True", "s": "''"}[k]
            )
            muts[m] = k
            body.append(f"    {m} = {src}")
        env.update(muts)
        self.block(env, 1, 3, False, body)
        env = {n: k for n, k in env.items()}
        if r.random() < 0.2 and not pure:
            body.append(f"    if {self.e(env, 'b')}:")
            body.append("        return " + self.made(result, lambda k: self.bound(muts, k)))
        if r.random() < 0.2:
            h = self.name("h")
            i = self.name("x")
            body = [
                f"    def {h}({i}):",
                f"        if {i} > 3:",
                f"            return {i} * 2 % 1009",
                f"        return {i} + 1",
            ] + body
            m = next(n for n, k in muts.items() if k == "i")
            body.append(f"    {m} = {h}({m})")
        body.append(
            "    return "
            + self.made(
                result,
                lambda k: (
                    self.bound(env, k)
                    if r.random() < 0.4
                    else next((m for m, kk in muts.items() if kk == k), self.bound(env, k))
                ),
            )
        )
        style = r.random()
        self.lines += [f"@tff.graph_computation({', '.join(types)})", f"def {f}({', '.join(args)}):"] + body
        return f

    def value(self, k):
        r = self.r
        if isinstance(k, str):
            return {
                "i": lambda: r.randint(-50, 1000),
                "f": lambda: r.choice([r.uniform(-9, 9), 0.0, -0.0, 1e6]),
                "b": lambda: r.random() < 0.5,
                "s": lambda: r.choice(["", "a", "é", "hello world", "x\0y", "日本"]),
            }[k]()
        if k[0] == "q":
            return ("seq", [self.value(k[1]) for _ in range(r.choice([0, 1, 2, 5, 17]))])
        return ("struct", k, [self.value(kk) for _, kk in k[2]])

    def program(self):
        r = self.r
        params = []
        for _ in range(r.randint(1, 3)):
            place = r.choice("CCCS")
            k = self.kind(2) if r.random() < 0.6 or place == "S" else ("q", self.kind(1, "iif"))
            params.append((place, k))
        if all(p == "S" for p, _ in params):
            params.append(("C", "i"))
        pn = [self.name("p") for _ in params]
        ptypes = [
            f"tff.FederatedType({self.typ(k)}, tff.{'CLIENTS' if p == 'C' else 'SERVER'})" for p, k in params
        ]
        main = []
        vals = [(n, p, k, self.typ(k)) for n, (p, k) in zip(pn, params)]
        cl = lambda: [v for v in vals if v[1] == "C"]
        sv = lambda: [v for v in vals if v[1] == "S"]
        put = lambda ex, p, k, t, v=None: (
            main.append(f"    {v or (v := self.name('v'))} = {ex}"),
            vals.append((v, p, k, t)),
        )
        for _ in range(r.randint(2, 6)):
            c = r.random()
            v = r.choice(vals)
            if c < 0.45:
                m = r.randint(1, 3)
                vs = [r.choice([x for x in vals if x[1] == v[1]]) for _ in range(m)]
                res = self.kind(2)
                f = self.fn([x[2] for x in vs], res, [x[3] for x in vs])
                arg = (
                    vs[0][0]
                    if m == 1
                    else "(" + ", ".join(x[0] for x in vs) + ")"
                    if r.random() < 0.5
                    else "tff.federated_zip((" + ", ".join(x[0] for x in vs) + "))"
                )
                put(f"tff.federated_map({f}, {arg})", v[1], res, f"{f}.type_signature.result")
            elif c < 0.52 and sv():
                s = r.choice(sv())
                if not (isinstance(s[2], tuple) and s[2][0] == "q"):
                    put(f"tff.federated_broadcast({s[0]})", "C", s[2], s[3])
            elif c < 0.62:
                vs = [r.choice([x for x in vals if x[1] == v[1]]) for _ in range(r.randint(1, 3))]
                k = ("t", "tu", [(None, x[2]) for x in vs])
                n = self.name("v")
                i = r.randrange(len(vs))
                main.append(f"    {n} = tff.federated_zip(({', '.join(x[0] for x in vs)},))")
                put(f"{n}[{i}]", v[1], vs[i][2], vs[i][3])
            elif c < 0.70:
                cs = [x for x in vals if isinstance(x[2], tuple) and x[2][0] == "t"]
                if cs:
                    x = r.choice(cs)
                    i = r.randrange(len(x[2][2]))
                    nm, kk = x[2][2][i]
                    self_t = self.typ(kk) if x[3] == self.typ(x[2]) else None
                    if self_t:
                        put(f"{x[0]}.{nm}" if nm and r.random() < 0.5 else f"{x[0]}[{i}]", x[1], kk, self_t)
            elif c < 0.76:
                f = self.fn([v[2]], "i", [v[3]])
                if v[1] == "C":
                    n = self.name("v")
                    main.append(f"    {n} = tff.federated_map({f}, {v[0]})")
                    main.append(
                        f"    {n}s = tff.federated_secure_sum({n}, max_input=30000)"
                        if 0
                        else f"    {n}s = tff.federated_sum({n})"
                    )
                    vals.append((n + "s", "S", "i", f"{f}.type_signature.result"))
            elif c < 0.82:
                qs = [
                    x for x in vals if isinstance(x[2], tuple) and x[2][0] == "q" and x[3] == self.typ(x[2])
                ]
                if qs:
                    q = r.choice(qs)
                    k = q[2][1]
                    if r.random() < 0.5 and k in ("i", "f"):
                        g = self.name("g")
                        self.lines += [
                            f"@tff.federated_computation({q[3]})",
                            f"def {g}(d):",
                            "    return tff.sequence_sum(d)",
                        ]
                        put(f"tff.federated_map({g}, {q[0]})", q[1], k, self.typ(k))
                    else:
                        f = self.fn([k], "i", [self.typ(k)])
                        g = self.name("g")
                        z = self.name("z")
                        self.lines += [
                            f"@tff.graph_computation(np.int64, {f}.type_signature.result)",
                            f"def {z}(a, b):",
                            f"    return (a * 3 + {'b' if 1 else ''}) % 10007",
                            f"@tff.federated_computation({q[3]})",
                            f"def {g}(d):",
                            f"    return tff.sequence_reduce(tff.sequence_map({f}, d), np.int64(1), {z})",
                        ]
                        put(f"tff.federated_map({g}, {q[0]})", q[1], "i", "np.int64")
            elif c < 0.90 and v[1] == "C":
                f = self.fn([v[2]], "i", [v[3]])
                g = self.name("g")
                op = r.choice(["(a + b) % 10007", "max(a, b)", "a ^ b"])
                self.lines += [
                    f"@tff.graph_computation({f}.type_signature.result)",
                    f"def {g}l(x):",
                    "    return long(x)",
                    "@tff.graph_computation(np.int64, np.int64)",
                    f"def {g}a(a, b):",
                    f"    return {op}",
                    "@tff.graph_computation(np.int64, np.int64)",
                    f"def {g}m(a, b):",
                    f"    return {op}",
                    "@tff.graph_computation(np.int64)",
                    f"def {g}r(a):",
                    "    return a * 2, -a",
                ]
                n = self.name("v")
                main.append(f"    {n} = tff.federated_map({g}l, tff.federated_map({f}, {v[0]}))")
                main.append(f"    {n}a = tff.federated_aggregate({n}, np.int64(0), {g}a, {g}m, {g}r)")
                vals.append((n + "a", "S", ("t", "tu", [(None, "i")] * 2), f"{g}r.type_signature.result"))
                main.append(f"    {n}s = tff.federated_secure_sum_bitwidth(tff.federated_map(BITS, {n}), 20)")
                vals.append((n + "s", "S", "i", "np.int64"))
            elif c < 0.95 and v[1] == "C":
                f = self.fn([v[2]], "f", [v[3]])
                n = self.name("v")
                main.append(f"    {n} = tff.federated_map({f}, {v[0]})")
                main.append(f"    {n}m = tff.federated_mean({n})")
                main.append(f"    {n}w = tff.federated_mean({n}, tff.federated_map({f}w, {n}))")
                self.lines += [
                    f"@tff.graph_computation({f}.type_signature.result)",
                    f"def {f}w(x):",
                    "    if x > 1.0:",
                    "        return 2.0",
                    "    return 0.5",
                ]
                vals += [
                    (n + "m", "S", "f", f"{f}.type_signature.result"),
                    (n + "w", "S", "f", f"{f}.type_signature.result"),
                ]
                if self.clients:
                    main.append(f"    {n}x = tff.federated_max({n})")
                    vals.append((n + "x", "S", "f", f"{f}.type_signature.result"))
            elif v[1] == "C" and sv():
                s = r.choice(sv())
                if not (isinstance(s[2], tuple) and s[2][0] == "q"):
                    f = self.fn([v[2]], "i", [v[3]])
                    g = self.name("g")
                    sel = self.fn([s[2], "i"], self.kind(1), [s[3], "np.int32"])
                    self.lines += [
                        f"@tff.graph_computation({v[3]})",
                        f"def {g}(x):",
                        f"    return keys({f}(x))",
                    ]
                    n = self.name("v")
                    main.append(
                        f"    {n} = tff.federated_select(tff.federated_map({g}, {v[0]}), tff.federated_value(np.int32(100), tff.SERVER), {s[0]}, {sel})"
                    )
                    vals.append((n, "C", ("q", "i"), None))
                    vals.pop()
                    self.extra = getattr(self, "extra", []) + [n]
        outs = [x[0] for x in vals[-4:] if x[0] not in pn] or [pn[0]]
        outs += getattr(self, "extra", [])[:1]
        self.lines += (
            [f"@tff.federated_computation({', '.join(ptypes)})", f"def main({', '.join(pn)}):"]
            + main
            + ["    return " + ", ".join(outs) + ("," if r.random() < 0.8 or len(outs) > 1 else "")]
        )
        return "\n".join(self.lines), params
