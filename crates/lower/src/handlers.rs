//! `except E: b` ⇒ `except E: gw__.caught(); b`.
//!
//! The traceback that `b` may look at has then the user's lines alone, as `b` would see it in Python.

use gw_syntax::{Body, Fill, Stmt, StmtId, Template};

use crate::Lowering;
use crate::units::{Reach, function, head_span, rewrite_bodies, set_body};

static CAUGHT: Template = Template::new("$operators.caught()");

/// Begins every `except` of a function with a call.
pub fn run(lowering: &mut Lowering) {
    lowering.known.clear();
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
    let Lowering { tree, names, .. } = lowering;
    let mut stmt = tree[id].clone();
    let Stmt::Try { handlers, .. } = &mut stmt else { return };
    for handler in handlers {
        let Some(&first) = handler.body.first() else { continue };
        let span = head_span(tree, first);
        let call = CAUGHT.fill_expr(tree, span, &[("operators", Fill::Name(names.operators.clone()))]);
        let call = tree.stmt(span, Stmt::Expr(call));
        handler.body.insert(0, call);
    }
    tree.set_stmt(id, stmt);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn each_handler_begins_with_the_call() {
        check(
            "handlers",
            "def f(c):\n    try:\n        c()\n    except E as e:\n        if e: pass\n    except: pass\n    finally: pass\n",
            expect![[r#"
                def f(c):
                    try:
                        c()
                    except E as e:
                        gw__.caught()
                        if e:
                            pass
                    except:
                        gw__.caught()
                        pass
                    finally:
                        pass
            "#]],
        );
    }
}
