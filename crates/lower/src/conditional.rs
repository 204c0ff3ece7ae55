//! `a if c else b` ⇒ `gw__.if_exp(c, lambda: a, lambda: b)`.

use gw_analysis::binds;
use gw_syntax::{Expr, ExprId, Fill, Template, Tree};

use crate::Lowering;
use crate::units::{Reach, expr_suspends};

static IF_EXP: Template = Template::new("$operators.if_exp($test, lambda: $body, lambda: $orelse)");

/// Lowers the conditional expressions of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        if let Expr::IfExp { test, body, orelse } = tree[id]
            && can_be_thunk(tree, body)
            && can_be_thunk(tree, orelse)
        {
            let holes = [
                ("operators", Fill::Name(names.operators.clone())),
                ("test", Fill::Expr(test)),
                ("body", Fill::Expr(body)),
                ("orelse", Fill::Expr(orelse)),
            ];
            let made = IF_EXP.fill_expr(tree, tree.expr_span(id), &holes);
            tree.set_expr(id, tree[made].clone());
        }
    }
}

/// A lambda would keep what `:=` binds to itself, and turn `yield` and `await` into its own.
pub fn can_be_thunk(tree: &Tree, id: ExprId) -> bool {
    !binds(tree, id) && !expr_suspends(tree, id)
}
