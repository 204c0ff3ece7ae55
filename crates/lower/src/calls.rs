//! `f(x)` ⇒ `gw__.conv(f)(x)`.
//!
//! Functions that look at the caller's frame are called as they are, and so is `super()`.

use gw_syntax::{Expr, ExprId, Fill, Name, Template, Tree};

use crate::Lowering;
use crate::units::{Reach, exprs};

static CONV: Template = Template::new("$operators.conv($func)");

/// Lowers the calls of every function.
pub fn run(lowering: &mut Lowering) {
    for id in exprs(&lowering.tree, Reach::Calls) {
        let Lowering { tree, names, .. } = lowering;
        let Expr::Call { func, .. } = tree[id] else { continue };
        if stays(tree, func, &names.operators) {
            continue;
        }
        let holes = [("operators", Fill::Name(names.operators.clone())), ("func", Fill::Expr(func))];
        let conv = CONV.fill_expr(tree, tree.expr_span(func), &holes);
        if let Expr::Call { func, .. } = tree.expr_mut(id) {
            *func = conv;
        }
    }
}

fn stays(tree: &Tree, func: ExprId, operators: &Name) -> bool {
    if let Expr::Attribute { value, .. } = &tree[func] {
        return matches!(&tree[*value], Expr::Name(name) if name == operators);
    }
    matches!(&tree[func], Expr::Name(name) if matches!(&**name, "super" | "globals" | "locals" | "vars" | "dir" | "eval" | "exec"))
}
