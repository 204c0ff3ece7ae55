//! `f(x)` ⇒ `gw__.conv(f)(x)`.
//!
//! In `print(f"a{x}")` the text is made when it is printed: `gw__.conv(print)(gw__.text('a', x))`, and a field of a format with it,
//! `gw__.shown(x, None, '.2f')`.
//!
//! Functions that look at the caller's frame are called as they are, and so is `super()`.

use gw_syntax::{Expr, ExprId, Fill, Name, Template, Tree};

use crate::Lowering;
use crate::asserts::deferred;
use crate::fresh::Names;
use crate::told;
use crate::units::Reach;

static CONV: Template = Template::new("$operators.conv($func)");

/// Lowers the calls of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        let Expr::Call { func, .. } = tree[id] else { continue };
        if stays(tree, func, &names.operators) {
            continue;
        }
        if matches!(&tree[func], Expr::Name(name) if &**name == "print") {
            texts_wait(tree, names, id);
        }
        let conv = told::function(tree, names, id).unwrap_or_else(|| {
            let holes = [("operators", Fill::Name(names.operators.clone())), ("func", Fill::Expr(func))];
            CONV.fill_expr(tree, tree.expr_span(func), &holes)
        });
        if let Expr::Call { func, .. } = tree.expr_mut(id) {
            *func = conv;
        }
    }
}

fn texts_wait(tree: &mut Tree, names: &Names, call: ExprId) {
    let Expr::Call { args, .. } = tree[call].clone() else { return };
    let waits = |arg| {
        let arg = deferred(tree, names, arg);
        told::printed(tree, names, arg)
    };
    let waiting = args.into_iter().map(waits).collect();
    if let Expr::Call { args, .. } = tree.expr_mut(call) {
        *args = waiting;
    }
}

fn stays(tree: &Tree, func: ExprId, operators: &Name) -> bool {
    if let Expr::Attribute { value, .. } = &tree[func] {
        return matches!(&tree[*value], Expr::Name(name) if name == operators);
    }
    matches!(&tree[func], Expr::Name(name) if matches!(&**name, "super" | "globals" | "locals" | "vars" | "dir" | "eval" | "exec"))
}
