//! Each pass by itself, on the example of its first line and on what it must leave alone.

use expect_test::{Expect, expect};
use gw_base::Source;
use gw_syntax::{parse, to_source};

use crate::{PASSES, run};

/// Runs one pass.
#[track_caller]
pub fn check(pass: &str, before: &str, after: Expect) {
    let parsed = parse(&Source::new("f.py", before));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let at = PASSES.iter().position(|known| known.name == pass).expect("no such pass");
    after.assert_eq(&to_source(&run(&PASSES[at..=at], parsed.value).value.tree));
}

#[test]
fn annotations() {
    check(
        "annotations",
        "def f(c):\n    if c:\n        x: int = 1\n        y: str\n        global z\n        z = 2\n",
        expect![[r#"
        def f(c):
            global z
            y: None
            if c:
                x = 1
                pass
                pass
                z = 2
    "#]],
    );
    check(
        "annotations",
        "def f(c):\n    x: int = 1\n    return x\n",
        expect![[r#"
            def f(c):
                x = 1
                return x
        "#]],
    );
}

#[test]
fn returns() {
    check(
        "returns",
        "def f(c, a, b):\n    if c: return a\n    return b\n",
        expect![[r#"
            def f(c, a, b):
                if c:
                    retval_ = a
                else:
                    retval_ = b
                return gw__.returned(retval_)
        "#]],
    );
    check(
        "returns",
        "def f(a):\n    g()\n    return a\n",
        expect![[r#"
        def f(a):
            g()
            return a
    "#]],
    );
    check(
        "returns",
        "def f(a, b):\n    if a:\n        if b: return 1\n        g()\n    h()\n",
        expect![[r#"
        def f(a, b):
            do_return = False
            retval_ = gw__.no_return
            if a:
                if b:
                    retval_ = 1
                    do_return = True
                else:
                    g()
            if not do_return:
                h()
            return gw__.retval(retval_)
    "#]],
    );
    check(
        "returns",
        "def f(xs):\n    for x in xs:\n        if x: return x\n    g()\n",
        expect![[r#"
        def f(xs):
            do_return = False
            retval_ = gw__.no_return
            for x in xs:
                if x:
                    retval_ = x
                    do_return = True
                    break
            if not do_return:
                g()
            return gw__.retval(retval_)
    "#]],
    );
    check(
        "returns",
        "def f(c):\n    try:\n        if c: return 1\n    finally:\n        g()\n    if c: return 2\n    return 3\n",
        expect![[r#"
            def f(c):
                do_return = False
                retval_before_ = gw__.no_return
                try:
                    if c:
                        retval_before_ = 1
                        do_return = True
                finally:
                    g()
                if not do_return:
                    if c:
                        retval_before_ = 2
                    else:
                        retval_before_ = 3
                return gw__.returned(retval_before_)
        "#]],
    );
    check(
        "returns",
        "def f(c):\n    with a, b:\n        return 1\n    return 2\n",
        expect![[r#"
        def f(c):
            with a, b:
                return 1
            return 2
    "#]],
    );
}

#[test]
fn breaks() {
    check(
        "breaks",
        "def f(t):\n    while t:\n        if g(): break\n        h()\n    else:\n        k()\n",
        expect![[r#"
        def f(t):
            break_ = False
            while not break_ and t:
                if g():
                    break_ = True
                    continue
                h()
            if not break_:
                k()
    "#]],
    );
    check(
        "breaks",
        "def f(xs):\n    for x in xs:\n        if x: break\n",
        expect![[r#"
        def f(xs):
            break_ = False
            for x in xs:
                if x:
                    break_ = True
                    continue
                # goes on while not break_
    "#]],
    );
    check(
        "breaks",
        "def f(xs):\n    for x in xs:\n        try:\n            break\n        finally:\n            g()\n",
        expect![[r#"
            def f(xs):
                break_ = False
                for x in xs:
                    try:
                        break_ = True
                        continue
                    finally:
                        g()
                    # goes on while not break_
        "#]],
    );
    check(
        "breaks",
        "def f():\n    while True:\n        break\n",
        expect![[r#"
        def f():
            break_ = False
            while not break_:
                break_ = True
                continue
    "#]],
    );
    check(
        "breaks",
        "def f():\n    while (x := g()):\n        break\n",
        expect![[r#"
            def f():
                break_ = False
                while not break_:
                    if (x := g()):
                        break_ = True
                        continue
                    else:
                        break_ = True
        "#]],
    );
    check(
        "breaks",
        "def f():\n    while (x := g()):\n        break\n    else:\n        h(x)\n",
        expect![[r#"
            def f():
                passed_ = True
                break_ = False
                while not break_:
                    if (x := g()):
                        break_ = True
                        continue
                    else:
                        break_ = True
                        passed_ = False
                if not passed_:
                    h(x)
        "#]],
    );
}

#[test]
fn continues() {
    check(
        "continues",
        "def f(t, c):\n    while t:\n        if c: continue\n        rest()\n",
        expect![[r#"
        def f(t, c):
            while t:
                if c:
                    pass
                else:
                    rest()
    "#]],
    );
    check(
        "continues",
        "def f(t, a, b):\n    while t:\n        if a:\n            if b: continue\n            g()\n        rest()\n",
        expect![[r#"
        def f(t, a, b):
            while t:
                continue_ = False
                if a:
                    if b:
                        continue_ = True
                    else:
                        g()
                if not continue_:
                    rest()
    "#]],
    );
    check(
        "continues",
        "def f(t):\n    while t:\n        for x in t:\n            pass\n        else:\n            continue\n        rest()\n",
        expect![[r#"
        def f(t):
            while t:
                continue_ = False
                for x in t:
                    pass
                else:
                    continue_ = True
                if not continue_:
                    rest()
    "#]],
    );
}

#[test]
fn unbound() {
    check(
        "unbound",
        "def f(c):\n    if c: x = 1\n    y = x\n    x += 1\n    return x\n",
        expect![[r#"
        def f(c):
            if c:
                x = 1
            y = gw__.ld(lambda: x, 'x')
            x = gw__.ld(lambda: x, 'x')
            x += 1
            return x
    "#]],
    );
    check(
        "unbound",
        "def f(xs):\n    for x in xs: pass\n    return [x for y in x], lambda: x\n",
        expect![[r#"
            def f(xs):
                for x in xs:
                    pass
                return [gw__.outer(lambda: x, 'x', False) for y in gw__.ld(lambda: x, 'x')], lambda: gw__.outer(lambda: x, 'x', False)
        "#]],
    );
}

#[test]
fn blocks() {
    check(
        "blocks",
        "def f(c):\n    if c:\n        x = 1\n    return x\n",
        expect![[r#"
            def f(c):
                def if_body():
                    nonlocal x
                    x = 1
                gw__.if_stmt(c, if_body, gw__.nothing, ('x',))
                return x
        "#]],
    );
    check(
        "blocks",
        "def f(t, x):\n    while t(x):\n        x = g(x)\n    return x\n",
        expect![[r#"
            def f(t, x):
                def loop_test():
                    return t(x)
                def loop_body():
                    nonlocal x
                    x = g(x)
                gw__.while_stmt(loop_test, loop_body, ('x',))
                return x
        "#]],
    );
    check(
        "blocks",
        "def f(xs):\n    s = 0\n    for i in xs:\n        s += i\n    return s\n",
        expect![[r#"
            def f(xs):
                s = 0
                def loop_body(item_):
                    nonlocal s
                    i = item_
                    s += i
                gw__.for_stmt(xs, None, loop_body, ('s',))
                return s
        "#]],
    );
    check(
        "blocks",
        "def f(c):\n    if c:\n        return 1\n",
        expect![[r#"
        def f(c):
            if c:
                return 1
    "#]],
    );
    check(
        "blocks",
        "def f(self, d, c):\n    if c:\n        self.x, d['k'], d[c] = 1, 2, 3\n",
        expect![[r#"
            def f(self, d, c):
                def if_body():
                    self.x, d['k'], d[c] = 1, 2, 3
                def get_state():
                    return gw__.peek(lambda: gw__.holder(d)['k']), gw__.peek(lambda: gw__.fields(self, 'x').x)
                def set_state(values):
                    if gw__.bound(values[0]):
                        d['k'] = values[0]
                    elif gw__.bound(gw__.peek(lambda: gw__.keyed(d)['k'])):
                        del d['k']
                    if gw__.bound(values[1]):
                        self.x = values[1]
                    elif gw__.bound(gw__.peek(lambda: gw__.fields(self, 'x').x)):
                        del self.x
                gw__.if_stmt(c, if_body, gw__.nothing, (("d['k']", 'self.x'), get_state, set_state))
        "#]],
    );
    check(
        "blocks",
        "def f(c):\n    global n\n    if c:\n        n = 1\n",
        expect![[r#"
            def f(c):
                global n
                def if_body():
                    global n
                    n = 1
                def get_state():
                    return gw__.peek(lambda: n),
                def set_state(values):
                    global n
                    n = values[0]
                gw__.if_stmt(c, if_body, gw__.nothing, (('n',), get_state, set_state))
        "#]],
    );
}

#[test]
fn asserts() {
    check(
        "asserts",
        "def f(c, m):\n    assert c, m\n    assert c\n",
        expect![[r#"
            def f(c, m):
                assert gw__.assert_(c, lambda: m)
                assert gw__.assert_(c, None)
        "#]],
    );
}

#[test]
fn conditional() {
    check(
        "conditional",
        "def f(a, b, c):\n    return a if c else b\n",
        expect![[r#"
        def f(a, b, c):
            return gw__.if_exp(c, lambda: a, lambda: b)
    "#]],
    );
    check(
        "conditional",
        "def f(c):\n    return (x := 1) if c else 2\n",
        expect![[r#"
        def f(c):
            return (x := 1) if c else 2
    "#]],
    );
}

#[test]
fn logic() {
    check(
        "logic",
        "def f(a, b, c):\n    return not a and b or c\n",
        expect![[r#"
        def f(a, b, c):
            return gw__.or_(gw__.and_(gw__.not_(a), lambda: b), lambda: c)
    "#]],
    );
    check(
        "logic",
        "def f(a, b, c):\n    return a < b < c, a < b, a in b, a not in b, a is not b\n",
        expect![[r#"
            def f(a, b, c):
                return gw__.compare(a, ('<', lambda: b), ('<', lambda: c)), gw__.ordered(a) < b, gw__.contains(a, b), gw__.not_(gw__.contains(a, b)), gw__.not_(gw__.is_(a, b))
        "#]],
    );
    check(
        "logic",
        "def f(a):\n    return a and (b := a)\n",
        expect![[r#"
        def f(a):
            return a and (b := a)
    "#]],
    );
}

#[test]
fn calls() {
    check(
        "calls",
        "def f(x):\n    return g(x), x.h(*x, k=1), super().m(locals)\n",
        expect![[r#"
        def f(x):
            return g(x), x.h(*x, k=1), super().m(locals)
    "#]],
    );
    check(
        "calls",
        "def f(x):\n    return g(), super().m()\n",
        expect![[r#"
        def f(x):
            return gw__.conv(g)(), gw__.conv(super().m)()
    "#]],
    );
    check(
        "calls",
        "def f(xs):\n    for x in xs:\n        yield g(x) if x else 0\n",
        expect![[r#"
        def f(xs):
            for x in xs:
                yield gw__.conv(g)(x) if x else 0
    "#]],
    );
}

#[test]
fn declare() {
    check(
        "declare",
        "def f():\n    return x\n    x = 1\n",
        expect![[r#"
        def f():
            return x
            x = 1
    "#]],
    );
}
