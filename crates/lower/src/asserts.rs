//! `assert c, m` ⇒ `gw__.assert_(c, lambda: m)`.

use gw_analysis::binds;
use gw_syntax::{Body, Constant, Expr, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::units::{function, lowered_functions};

static ASSERT: Template = Template::new("$operators.assert_($test, $message)");
static MESSAGE: Template = Template::new("lambda: $message");

/// Lowers the assertions of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowered_functions(&lowering.tree) {
        let body = function(&lowering.tree, id).body.clone();
        in_body(lowering, &body);
    }
}

fn in_body(lowering: &mut Lowering, body: &Body) {
    for &id in body {
        if let Stmt::Assert { test, msg } = lowering.tree[id] {
            lower(lowering, id, test, msg);
        }
        let mut bodies = Vec::new();
        if enters(&lowering.tree, id) {
            lowering.tree[id].each_body(&mut |body| bodies.push(body.clone()));
        }
        bodies.iter().for_each(|body| in_body(lowering, body));
    }
}

/// Blocks belong to the function; functions of the user and classes do not.
fn enters(tree: &Tree, id: StmtId) -> bool {
    !matches!(&tree[id], Stmt::ClassDef(_))
        && !matches!(&tree[id], Stmt::FunctionDef(function) if !function.generated)
}

fn lower(lowering: &mut Lowering, id: StmtId, test: gw_syntax::ExprId, msg: Option<gw_syntax::ExprId>) {
    let Lowering { tree, names, .. } = lowering;
    if msg.is_some_and(|msg| binds(tree, msg)) {
        return;
    }
    let span = tree.stmt_span(id);
    let message = match msg {
        Some(msg) => MESSAGE.fill_expr(tree, tree.expr_span(msg), &[("message", Fill::Expr(msg))]),
        None => tree.expr(span, Expr::Constant(Constant::None)),
    };
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("test", Fill::Expr(test)),
        ("message", Fill::Expr(message)),
    ];
    // An assertion that fails is shown by its test.
    let at = tree.expr_span(test);
    let call = ASSERT.fill_expr(tree, at, &holes);
    tree.set_stmt(id, Stmt::Expr(call));
}
