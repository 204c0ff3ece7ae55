//! `while flag and xs:` ⇒ `while flag and gw__.truth(xs):`, and so for the tests of `if`, of conditional expressions and what `not`
//! turns: of what `and` and `or` join there, only the truth is asked, so a list may stand beside a bool of the graph.
//!
//! Runs after the passes that make tests, and before blocks.

use gw_syntax::{Expr, ExprId, Fill, Stmt, Template, Tree, UnaryOp};

use crate::Lowering;
use crate::fresh::Names;
use crate::units::{Reach, function};

static TRUTH: Template = Template::new("$operators.truth($value)");

/// Lowers the tests of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let mut tests = Vec::new();
        tests_in(&lowering.tree, &function(&lowering.tree, id).body, &mut tests);
        for test in tests {
            ask(&mut lowering.tree, &lowering.names, test);
        }
    }
    for id in lowering.exprs(Reach::Suspends) {
        if let Expr::IfExp { test: asked, .. } | Expr::UnaryOp { op: UnaryOp::Not, operand: asked } =
            lowering.tree[id]
        {
            ask(&mut lowering.tree, &lowering.names, asked);
        }
    }
}

/// The tests in a body that join others.
fn tests_in(tree: &Tree, body: &gw_syntax::Body, found: &mut Vec<ExprId>) {
    for &id in body {
        if let Stmt::If { test, .. } | Stmt::While { test, .. } = tree[id]
            && matches!(tree[test], Expr::BoolOp { .. })
        {
            found.push(test);
        }
        if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| tests_in(tree, body, found));
        }
    }
}

/// Asks for the truth of the operands that may be lists.
fn ask(tree: &mut Tree, names: &Names, test: ExprId) {
    let Expr::BoolOp { op, mut values } = tree[test].clone() else { return };
    for value in &mut values {
        if matches!(tree[*value], Expr::BoolOp { .. }) {
            ask(tree, names, *value);
        }
        if matches!(tree[*value], Expr::Name(_) | Expr::Attribute { .. } | Expr::Subscript { .. }) {
            let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(*value))];
            *value = TRUTH.fill_expr(tree, tree.expr_span(*value), &holes);
        }
    }
    tree.set_expr(test, Expr::BoolOp { op, values });
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn operands_of_tests() {
        check(
            "truths",
            "def f(a, b, xs):\n    while not a and (xs or b.c):\n        if xs and a > 1: x = a and xs\n        y = not (a or xs) if a and xs else b\n    return a and b\n",
            expect![[r#"
                def f(a, b, xs):
                    while not a and (gw__.truth(xs) or gw__.truth(b.c)):
                        if gw__.truth(xs) and a > 1:
                            x = a and xs
                        y = not (gw__.truth(a) or gw__.truth(xs)) if gw__.truth(a) and gw__.truth(xs) else b
                    return a and b
            "#]],
        );
    }
}
