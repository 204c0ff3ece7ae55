//! Whole functions through all passes: what users see from `to_code`.

use expect_test::{Expect, expect};
use gw_base::Source;
use gw_syntax::{parse, to_source};

use crate::{PASSES, run};

#[track_caller]
fn check(before: &str, after: Expect) {
    let parsed = parse(&Source::new("f.py", before));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    after.assert_eq(&to_source(&run(PASSES, parsed.value).value.tree));
}

#[test]
fn collatz() {
    check(
        "def f(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
",
        expect![[r#"
            def f(n):
                steps = 0
                def loop_test():
                    return n != 1
                def loop_body():
                    nonlocal n, steps
                    n = gw__.if_exp(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1)
                    steps += 1
                gw__.while_stmt(loop_test, loop_body, ('n', 'steps'))
                return steps
        "#]],
    );
}

#[test]
fn early_return() {
    check(
        "def f(c, a, b):\n    if c:\n        return a\n    return b\n",
        expect![[r#"
            def f(c, a, b):
                retval_: None
                def if_body():
                    nonlocal retval_
                    retval_ = a
                def if_orelse():
                    nonlocal retval_
                    retval_ = b
                gw__.if_stmt(c, if_body, if_orelse, ('retval_',))
                return gw__.returned(retval_)
        "#]],
    );
}

#[test]
fn return_inside_loops() {
    check(
        "def f(xs):
    for x in xs:
        while x:
            if x > 3:
                return x
            x -= 1
    return None
",
        expect![[r#"
            def f(xs):
                do_return = False
                retval_ = gw__.no_return
                break_1 = False
                def loop_body(item_):
                    nonlocal break_1, do_return, retval_
                    x = item_
                    break_ = False
                    def loop_test():
                        return gw__.truth(x)
                    def loop_body():
                        nonlocal break_, do_return, retval_, x
                        def if_body():
                            nonlocal break_, do_return, retval_
                            retval_ = x
                            do_return = True
                            break_ = True
                        def if_orelse():
                            nonlocal x
                            x -= 1
                        gw__.if_stmt(x > 3, if_body, if_orelse, ('break_', 'do_return', 'retval_', 'x'))
                    gw__.while_stmt(loop_test, loop_body, ('break_', 'do_return', 'retval_', 'x'), 'break_')
                    break_1 = gw__.leaves(do_return)
                gw__.for_stmt(xs, 'break_1', loop_body, ('break_1', 'do_return', 'retval_'))
                def if_body():
                    nonlocal retval_
                    retval_ = None
                gw__.if_stmt(gw__.not_(do_return), if_body, gw__.nothing, ('retval_',))
                return gw__.returned(retval_)
        "#]],
    );
}

#[test]
fn break_and_else() {
    check(
        "def f(xs):
    for x in xs:
        if x > 3:
            break
        if x == 2: continue
        print(x)
    else:
        x = -1
    return x
",
        expect![[r#"
            def f(xs):
                x: None
                break_ = False
                def loop_body(item_):
                    nonlocal break_, x
                    x = item_
                    def if_body():
                        nonlocal break_
                        break_ = True
                    def if_orelse():
                        def if_body():
                            pass
                        def if_orelse():
                            gw__.conv(print)(x)
                        gw__.if_stmt(x == 2, if_body, if_orelse, ())
                    gw__.if_stmt(x > 3, if_body, if_orelse, ('break_',))
                gw__.for_stmt(xs, 'break_', loop_body, ('break_', 'x'))
                def if_body():
                    nonlocal x
                    x = -1
                gw__.if_stmt(gw__.not_(break_), if_body, gw__.nothing, ('x',))
                return gw__.ld(lambda: x, 'x')
        "#]],
    );
}

#[test]
fn attributes_flow() {
    check(
        "def f(self, c):\n    if c:\n        self.x += 1\n        t = 2\n        print(t)\n",
        expect![[r#"
            def f(self, c):
                def if_body():
                    self.x += 1
                    gw__.stored()
                    t = 2
                    gw__.conv(print)(t)
                def get_state():
                    return gw__.peek(lambda: gw__.fields(self, 'x').x),
                def set_state(values):
                    if gw__.bound(values[0]):
                        self.x = values[0]
                    elif gw__.bound(gw__.peek(lambda: gw__.fields(self, 'x').x)):
                        del self.x
                gw__.if_stmt(c, if_body, gw__.nothing, (('self.x',), get_state, set_state))
        "#]],
    );
}

#[test]
fn finally_keeps_its_return() {
    check(
        "def f(c):\n    try:\n        if c:\n            return g()\n    finally:\n        h()\n",
        expect![[r#"
            def f(c):
                retval_before_ = gw__.no_return
                def try_body():
                    nonlocal retval_before_
                    def if_body():
                        nonlocal retval_before_
                        retval_before_ = gw__.conv(g)()
                    gw__.if_stmt(c, if_body, gw__.nothing, ('retval_before_',))
                def try_rest(outcome_):
                    try:
                        gw__.run(outcome_)
                    finally:
                        gw__.conv(h)()
                gw__.try_stmt(try_body, try_rest, lambda: (), True, ('retval_before_',))
                return gw__.retval(retval_before_)
        "#]],
    );
}
