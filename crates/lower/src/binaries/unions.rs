//! `a | b` ⇒ `gw__.united(a, b)`, and `a |= b` ⇒ `a = gw__.united_in_place(a, b)`: Python joins two dicts without asking the graph, which may hold
//! what is in them.

use gw_base::Span;
use gw_syntax::{Constant, Expr, ExprId, Fill, Operator, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::fresh::Names;
use crate::units::{Reach, function, rewrite_bodies, set_body};

static UNITED: Template = Template::new("$operators.united($a, $b)");
static IN_PLACE: Template = Template::new("$operators.united_in_place($a, $b)");

/// True if something is joined by `|`.
pub fn concerns(tree: &Tree) -> bool {
    tree.exprs().any(|expr| matches!(expr, Expr::BinOp { op: Operator::BitOr, .. }))
        || tree.stmts().any(|stmt| matches!(stmt, Stmt::AugAssign { op: Operator::BitOr, .. }))
}

/// Lowers what every function joins, but for numbers that are written there.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |l| &mut l.tree, body, &mut |lowering, body| {
            body.iter().for_each(|&stmt| in_place(lowering, stmt));
            body
        });
        set_body(&mut lowering.tree, id, body);
    }
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        let Expr::BinOp { left, op: Operator::BitOr, right } = tree[id] else { continue };
        if !is_number(tree, left) && !is_number(tree, right) {
            let made = call(tree, names, tree.expr_span(id), &UNITED, [left, right]);
            tree.set_expr(id, tree[made].clone());
        }
    }
}

fn in_place(lowering: &mut Lowering, id: StmtId) {
    let Lowering { tree, names, .. } = lowering;
    let Stmt::AugAssign { target, op: Operator::BitOr, value } = tree[id] else { return };
    if !is_read_twice_alike(tree, target) || is_number(tree, value) {
        return;
    }
    let read = tree.duplicate(target);
    let value = call(tree, names, tree.stmt_span(id), &IN_PLACE, [read, value]);
    tree.set_stmt(id, Stmt::Assign { targets: vec![target], value });
}

fn call(tree: &mut Tree, names: &Names, span: Span, template: &Template, [a, b]: [ExprId; 2]) -> ExprId {
    let holes =
        [("operators", Fill::Name(names.operators.clone())), ("a", Fill::Expr(a)), ("b", Fill::Expr(b))];
    template.fill_expr(tree, span, &holes)
}

/// True of names, attributes of a name and items of a name at a text: nothing else is evaluated where they stand twice.
fn is_read_twice_alike(tree: &Tree, target: ExprId) -> bool {
    let is_name = |id: ExprId| matches!(tree[id], Expr::Name(_));
    if let Expr::Attribute { value, .. } = tree[target] {
        return is_name(value);
    }
    if let Expr::Subscript { value, index } = tree[target] {
        return is_name(value) && matches!(&tree[index], Expr::Constant(Constant::Str(_)));
    }
    is_name(target)
}

fn is_number(tree: &Tree, operand: ExprId) -> bool {
    matches!(tree[operand], Expr::Constant(Constant::Int(_) | Constant::Bool(_)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn what_is_joined() {
        check(
            "unions",
            "def f(a, b):\n    a |= b\n    if a:\n        a.x |= b\n        a[0] |= b\n        a |= 4\n    return a | b, a | 1\n",
            expect![[r#"
                def f(a, b):
                    a = gw__.united_in_place(a, b)
                    if a:
                        a.x = gw__.united_in_place(a.x, b)
                        a[0] |= b
                        a |= 4
                    return gw__.united(a, b), a | 1
            "#]],
        );
    }
}
