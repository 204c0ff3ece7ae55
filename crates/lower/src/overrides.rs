//! `try: a() finally: return x` ⇒ `try: a() except BaseException: pass`, and `return x` behind it.
//!
//! A `finally` that always jumps takes the place of whatever ends the body: another jump goes no further than the end of
//! the body, what it returns is computed all the same, and an exception is dropped.

use gw_syntax::{Body, Expr, Handler, Stmt, StmtId, Tree};

use crate::Lowering;
use crate::jumps::{escapes, never_ends};
use crate::landings::Jump;
use crate::skip::{Skip, set, set_flag};
use crate::try_;
use crate::units::{Reach, function, rewrite_bodies, set_body};

/// Puts what such a `finally` does behind its `try`, inner ones first.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
            body.into_iter().flat_map(|id| in_stmt(lowering, id)).collect()
        });
        set_body(&mut lowering.tree, id, body);
    }
}

fn in_stmt(lowering: &mut Lowering, id: StmtId) -> Body {
    let tree = &mut lowering.tree;
    let Stmt::Try { finalbody, is_star: false, .. } = &tree[id] else { return vec![id] };
    if !escapes(tree, finalbody) || !never_ends(tree, finalbody) {
        return vec![id];
    }
    let Some(behind) = take_finally(tree, id) else { return vec![id] };
    let before: Body = Jump::ALL.into_iter().flat_map(|jump| end(lowering, id, jump)).collect();
    [before, vec![id], behind].concat()
}

/// Takes the `finally` off a statement, which then drops every exception; none if a jump out of it cannot be lowered.
pub fn take_finally(tree: &mut Tree, id: StmtId) -> Option<Body> {
    let original = tree[id].clone();
    let Stmt::Try { finalbody, .. } = &original else { return None };
    let behind = finalbody.clone();
    let holding = holding(tree, id, original.clone());
    tree.set_stmt(id, holding);
    if Jump::ALL.iter().any(|jump| jump.out_of(tree, &vec![id]).native) {
        tree.set_stmt(id, original);
        return None;
    }
    Some(behind)
}

/// The statement without its `finally`, which drops every exception.
fn holding(tree: &mut Tree, id: StmtId, stmt: Stmt) -> Stmt {
    let span = try_::head(tree, id);
    let Stmt::Try { body, handlers, orelse, .. } = stmt else { return stmt };
    let body = if handlers.is_empty() {
        body
    } else {
        let inner = Stmt::Try { body, handlers, orelse, finalbody: Body::new(), is_star: false };
        vec![tree.stmt(tree.stmt_span(id), inner)]
    };
    let kind = tree.name(span, &"BaseException".into());
    let pass = tree.stmt(span, Stmt::Pass);
    let handler = Handler { span, kind: Some(kind), name: None, body: vec![pass] };
    Stmt::Try { body, handlers: vec![handler], orelse: Body::new(), finalbody: Body::new(), is_star: false }
}

/// Lets the jumps of one kind out of a statement end at its end; what has to stand before it.
fn end(lowering: &mut Lowering, id: StmtId, jump: Jump) -> Body {
    let Lowering { tree, names, .. } = lowering;
    let jumps = jump.out_of(tree, &vec![id]).exact;
    if jumps.is_empty() {
        return Body::new();
    }
    let span = try_::head(tree, id);
    let flag = names.fresh("leaves_");
    let mut before = vec![set_flag(tree, span, &flag, false)];
    let retval = (jump == Jump::Return).then(|| names.fresh("retval_"));
    if let Some(retval) = &retval {
        let operators = tree.name(span, &names.operators);
        let no_return = Expr::Attribute { value: operators, attr: "no_return".into() };
        before.push(set(tree, span, retval, no_return));
    }
    Skip { tree, jumps, retval, flag, flag_used: true, falls_through: true }.inside(id);
    before
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn what_finally_does_stands_behind_the_body() {
        check(
            "overrides",
            "def f(a, b):\n    x = 1\n    try:\n        if a: return b()\n        x = 2\n    finally:\n        return x\n",
            expect![[r#"
                def f(a, b):
                    x = 1
                    leaves_ = False
                    retval_1 = gw__.no_return
                    try:
                        if a:
                            retval_1 = b()
                            leaves_ = True
                        else:
                            x = 2
                    except BaseException:
                        pass
                    return x
            "#]],
        );
        check(
            "overrides",
            "def f(a):\n    for i in a:\n        try:\n            if i: break\n            a()\n        except E: continue\n        finally:\n            if a: break\n            return i\n",
            expect![[r#"
                def f(a):
                    for i in a:
                        leaves_ = False
                        leaves_1 = False
                        try:
                            try:
                                if i:
                                    leaves_ = True
                                else:
                                    a()
                            except E:
                                leaves_1 = True
                        except BaseException:
                            pass
                        if a:
                            break
                        return i
            "#]],
        );
    }

    #[test]
    fn a_try_in_finally_may_never_end() {
        check(
            "overrides",
            "def f(a):\n    try: a()\n    finally:\n        try: return 1\n        finally: b()\n",
            expect![[r#"
                def f(a):
                    try:
                        a()
                    except BaseException:
                        pass
                    try:
                        return 1
                    finally:
                        b()
            "#]],
        );
    }

    #[test]
    fn a_finally_that_may_end_stays() {
        check(
            "overrides",
            "def f(a):\n    try: a()\n    finally:\n        if a: return 1\n",
            expect![[r#"
                def f(a):
                    try:
                        a()
                    finally:
                        if a:
                            return 1
            "#]],
        );
    }
}
