//! `try: a() except E: b()` ⇒ `try: with gw__.handled(lambda: E): a() except E: b()`, and so with `BaseException` for a
//! `finally` that may jump, which drops what is raised.
//!
//! Failures of a running graph are not caught by a `try` that has long been left, so the run time must know
//! of it. A `try` that became blocks notifies it itself.

use gw_syntax::{Body, Expr, Fill, Handler, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::jumps::escapes;
use crate::units::{Reach, function, head_span, rewrite_bodies, set_body};

static HANDLED: Template = Template::new("with $operators.handled(lambda: $kinds):\n    $body");

/// Tells the run time of the `try` statements of every function, generators among them.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = blocks(lowering, body);
        set_body(&mut lowering.tree, id, body);
    }
}

fn blocks(lowering: &mut Lowering, body: Body) -> Body {
    rewrite_bodies(lowering, |l| &mut l.tree, body, &mut |lowering, body| {
        body.iter().for_each(|&id| lower(lowering, id));
        body
    })
}

fn lower(lowering: &mut Lowering, id: StmtId) {
    if let Stmt::FunctionDef(block) = &lowering.tree[id]
        && block.generated
    {
        let body = block.body.clone();
        let body = blocks(lowering, body);
        return set_body(&mut lowering.tree, id, body);
    }
    let Lowering { tree, names, .. } = lowering;
    let mut stmt = tree[id].clone();
    if let Stmt::Try { body, handlers, finalbody, .. } = &mut stmt
        && (!handlers.is_empty() || escapes(tree, finalbody))
        && !is_outcome(tree, names, body)
        && handlers.iter().all(|handler| handler.kind.is_none_or(|kind| can_be_thunk(tree, kind)))
    {
        *body = handled(tree, names, std::mem::take(body), handlers);
        tree.set_stmt(id, stmt);
    }
}

/// True if a `try` was lowered already: its body is the result of an operator.
fn is_outcome(tree: &Tree, names: &Names, body: &Body) -> bool {
    let [only] = body[..] else { return false };
    let Stmt::Expr(value) = tree[only] else { return false };
    let Expr::Call { func, .. } = tree[value] else { return false };
    matches!(&tree[func], Expr::Attribute { value, attr } if &**attr == "run" && tree[*value] == Expr::Name(names.operators.clone()))
}

fn handled(tree: &mut Tree, names: &Names, body: Body, handlers: &[Handler]) -> Body {
    let span = head_span(tree, body[0]);
    let kind = |handler: &Handler| match handler.kind {
        Some(kind) => tree.duplicate(kind),
        None => tree.name(span, &"BaseException".into()),
    };
    let kinds = match handlers {
        [] => tree.name(span, &"BaseException".into()),
        _ => {
            let kinds = handlers.iter().map(kind).collect();
            tree.expr(span, Expr::Tuple(kinds))
        }
    };
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("kinds", Fill::Expr(kinds)),
        ("body", Fill::Body(body)),
    ];
    HANDLED.fill(tree, span, &holes)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn handlers_are_told() {
        check(
            "tries",
            "def f():\n    try: a()\n    except E as e: b()\n    except (F, G): c()\n    finally: d()\n",
            expect![[r#"
                def f():
                    try:
                        with gw__.handled(lambda: (E, (F, G))):
                            a()
                    except E as e:
                        b()
                    except (F, G):
                        c()
                    finally:
                        d()
            "#]],
        );
        check(
            "tries",
            "def f():\n    try: yield a()\n    except: b()\n",
            expect![[r#"
            def f():
                try:
                    with gw__.handled(lambda: (BaseException,)):
                        yield a()
                except:
                    b()
        "#]],
        );
    }

    #[test]
    fn finally_alone_catches_nothing() {
        check(
            "tries",
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

    #[test]
    fn a_finally_that_may_jump_is_told() {
        check(
            "tries",
            "def f(xs):\n    try: a()\n    finally:\n        for x in xs: return x\n",
            expect![[r#"
                def f(xs):
                    try:
                        with gw__.handled(lambda: BaseException):
                            a()
                    finally:
                        for x in xs:
                            return x
            "#]],
        );
    }
}
