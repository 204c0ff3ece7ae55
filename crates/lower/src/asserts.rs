//! `assert c, m` ⇒ `assert gw__.assert_(c, lambda: m)`; in `m`, `f"a{x}"` ⇒ `gw__.text('a', x)`.
//!
//! An `assert` stays one, so that `python -O` leaves it out. The message is written when the graph runs, when the tensors
//! in it have their values; only plain fields can wait. `raise E(f"a{x}")` ⇒ `raise E(gw__.text('a', x))`.

use gw_syntax::{Body, Constant, Expr, ExprId, FPart, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::units::{Reach, function};

static ASSERT: Template = Template::new("$operators.assert_($test, $message)");
static MESSAGE: Template = Template::new("lambda: $message");
static TEXT: Template = Template::new("$operators.text()");

/// Lowers the assertions of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        in_body(lowering, &body);
    }
}

fn in_body(lowering: &mut Lowering, body: &Body) {
    for &id in body {
        if let Stmt::Assert { test, msg } = lowering.tree[id] {
            lower(lowering, id, test, msg);
        }
        if let Stmt::Raise { exc: Some(exc), .. } = lowering.tree[id] {
            raise(lowering, exc);
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

fn lower(lowering: &mut Lowering, id: StmtId, test: ExprId, msg: Option<ExprId>) {
    let Lowering { tree, names, .. } = lowering;
    if msg.is_some_and(|msg| !can_be_thunk(tree, msg)) {
        return;
    }
    let span = tree.stmt_span(id);
    let msg = msg.map(|msg| deferred(tree, names, msg));
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
    tree.set_stmt(id, Stmt::Assert { test: call, msg: None });
}

/// The texts of an exception that is made where it is raised.
fn raise(lowering: &mut Lowering, exc: ExprId) {
    let Lowering { tree, names, .. } = lowering;
    let Expr::Call { args, .. } = &tree[exc] else { return };
    let texts = args.clone().into_iter().map(|text| deferred(tree, names, text)).collect();
    if let Expr::Call { args, .. } = tree.expr_mut(exc) {
        *args = texts;
    }
}

/// An f-string whose tensors may wait until the graph runs; anything else as it is.
pub fn deferred(tree: &mut Tree, names: &Names, msg: ExprId) -> ExprId {
    let Expr::FString(parts) = tree[msg].clone() else { return msg };
    let mut args = Vec::new();
    for part in parts {
        match part {
            FPart::Literal(text) => {
                args.push(tree.expr(tree.expr_span(msg), Expr::Constant(Constant::Str(text))));
            }
            FPart::Field { value, conversion: None, format: None, .. } => args.push(value),
            FPart::Field { .. } => return msg,
        }
    }
    let holes = [("operators", Fill::Name(names.operators.clone()))];
    let made = TEXT.fill_expr(tree, tree.expr_span(msg), &holes);
    if let Expr::Call { args: given, .. } = tree.expr_mut(made) {
        *given = args;
    }
    made
}
