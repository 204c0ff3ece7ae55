//! `try: a() except E: b() finally: c()` ⇒ `try: try: a() except E: b()` with `finally: c()` around it.
//!
//! So what is raised in a handler, too, comes out of a body that `c()` follows.

use gw_syntax::{Body, Stmt, StmtId};

use crate::Lowering;
use crate::units::{Reach, function, rewrite_bodies, set_body};

/// Takes every `finally` that stands behind handlers to a `try` of its own.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut in_body);
        set_body(&mut lowering.tree, id, body);
    }
}

fn in_body(lowering: &mut Lowering, body: Body) -> Body {
    body.iter().for_each(|&id| in_stmt(lowering, id));
    body
}

fn in_stmt(lowering: &mut Lowering, id: StmtId) {
    let tree = &mut lowering.tree;
    let Stmt::Try { body, handlers, orelse, finalbody, is_star: false } = tree[id].clone() else { return };
    if handlers.is_empty() || finalbody.is_empty() {
        return;
    }
    let inner = Stmt::Try { body, handlers, orelse, finalbody: Body::new(), is_star: false };
    let inner = tree.stmt(tree.stmt_span(id), inner);
    let outer =
        Stmt::Try { body: vec![inner], handlers: Vec::new(), orelse: Body::new(), finalbody, is_star: false };
    tree.set_stmt(id, outer);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn finally_stands_around_the_handlers() {
        check(
            "finals",
            "def f():\n    try: a()\n    except E: b()\n    else: c()\n    finally: d()\n",
            expect![[r#"
                def f():
                    try:
                        try:
                            a()
                        except E:
                            b()
                        else:
                            c()
                    finally:
                        d()
            "#]],
        );
        check(
            "finals",
            "def f():\n    try: a()\n    finally: d()\n",
            expect![[r#"
            def f():
                try:
                    a()
                finally:
                    d()
        "#]],
        );
    }
}
