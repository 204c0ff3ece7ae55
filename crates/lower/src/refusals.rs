//! `try: a() except E: b()` ⇒ `try: a() except gw__.refusals(): raise except E: b()`, and `finally: return` ⇒ `finally: if
//! gw__.refusals(): raise` in front of that.
//!
//! A diagnostic of ours is no exception of the program: its own handlers never see it, and no jump drops it.

use gw_syntax::{Body, Fill, Handler, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::fresh::Names;
use crate::jumps::escapes;
use crate::units::{Reach, function, rewrite_bodies, set_body};

static REFUSALS: Template = Template::new("$operators.refusals()");

/// Puts a handler that lets diagnostics pass in front of the handlers of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = in_bodies(lowering, body);
        set_body(&mut lowering.tree, id, body);
    }
}

fn in_bodies(lowering: &mut Lowering, body: Body) -> Body {
    rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
        body.iter().for_each(|&id| in_stmt(lowering, id));
        body
    })
}

fn in_stmt(lowering: &mut Lowering, id: StmtId) {
    if let Stmt::FunctionDef(block) = &lowering.tree[id]
        && block.generated
    {
        let body = block.body.clone();
        let body = in_bodies(lowering, body);
        return set_body(&mut lowering.tree, id, body);
    }
    let Lowering { tree, names, .. } = lowering;
    let mut stmt = tree[id].clone();
    let Stmt::Try { handlers, finalbody, is_star: false, .. } = &mut stmt else { return };
    if let Some(first) = handlers.first() {
        let passing = passing(tree, names, first);
        handlers.insert(0, passing);
    }
    if escapes(tree, finalbody) {
        let passing = still_passing(tree, names, finalbody);
        finalbody.insert(0, passing);
    }
    tree.set_stmt(id, stmt);
}

/// `if gw__.refusals(): raise`, in front of a `finally`.
fn still_passing(tree: &mut Tree, names: &Names, finalbody: &Body) -> StmtId {
    let span = tree.stmt_span(finalbody[0]);
    let test = REFUSALS.fill_expr(tree, span, &[("operators", Fill::Name(names.operators.clone()))]);
    let raise = tree.stmt(span, Stmt::Raise { exc: None, cause: None });
    tree.stmt(span, Stmt::If { test, body: vec![raise], orelse: Body::new() })
}

/// `except gw__.refusals(): raise`, at the place of the handler that it stands in front of.
fn passing(tree: &mut Tree, names: &Names, before: &Handler) -> Handler {
    let span = before.span;
    let kind = REFUSALS.fill_expr(tree, span, &[("operators", Fill::Name(names.operators.clone()))]);
    let raise = tree.stmt(span, Stmt::Raise { exc: None, cause: None });
    Handler { span, kind: Some(kind), name: None, body: vec![raise] }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn diagnostics_pass_the_handlers() {
        check(
            "refusals",
            "def f(c):\n    try:\n        c()\n    except E as e:\n        pass\n    except: pass\n    try: c()\n    finally: pass\n",
            expect![[r#"
                def f(c):
                    try:
                        c()
                    except gw__.refusals():
                        raise
                    except E as e:
                        pass
                    except:
                        pass
                    try:
                        c()
                    finally:
                        pass
            "#]],
        );
    }

    #[test]
    fn no_jump_out_of_a_finally_drops_them() {
        check(
            "refusals",
            "def f(c):\n    try: c()\n    finally:\n        for i in c: return i\n        for i in c: break\n    try: c()\n    finally:\n        for i in c: break\n",
            expect![[r#"
                def f(c):
                    try:
                        c()
                    finally:
                        if gw__.refusals():
                            raise
                        for i in c:
                            return i
                        for i in c:
                            break
                    try:
                        c()
                    finally:
                        for i in c:
                            break
            "#]],
        );
    }
}
