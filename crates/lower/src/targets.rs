//! `(a, b), c = value` ⇒ `(a, b), c = gw__.spread(value, ((None, None), None))`: Python takes apart what the second operand describes, each
//! tuple in it a value of as many parts. What stands for the elements of a list of the graph is not taken for one item.
//!
//! `[a for a, *b in xs]` ⇒ `[a for a, *b in gw__.spread_items(xs, (None, '*'))]`: the same of each item.

use gw_syntax::{Constant, Expr, ExprId, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::fresh::Names;
use crate::subscripts::unpackings;
use crate::units::{Reach, function};

static SPREAD: Template = Template::new("$operators.spread($value, $shape)");
static ITEMS: Template = Template::new("$operators.spread_items($value, $shape)");

/// True if a comprehension or assignment takes values apart.
pub fn concerns(tree: &Tree) -> bool {
    let is_apart = |expr: &Expr| {
        let (Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. }) = expr else { return false };
        clauses.iter().any(|clause| parts(tree, clause.target).is_some())
    };
    tree.exprs().any(is_apart) || tree.stmts().any(|stmt| nested(tree, stmt).is_some())
}

/// Lowers the targets of every function.
pub fn run(lowering: &mut Lowering) {
    let mut assigned = Vec::new();
    for id in lowering.functions(Reach::Suspends) {
        unpackings(&lowering.tree, &function(&lowering.tree, id).body, &mut assigned);
    }
    let all = lowering.exprs(Reach::Suspends);
    let Lowering { tree, names, .. } = lowering;
    for id in assigned {
        assign(tree, names, id);
    }
    for id in all {
        let mut expr = tree[id].clone();
        let (Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. }) = &mut expr else { continue };
        for clause in clauses.iter_mut().filter(|clause| !clause.is_async) {
            if parts(tree, clause.target).is_some() {
                clause.iter = spread(tree, names, &ITEMS, clause.iter, clause.target);
            }
        }
        tree.set_expr(id, expr);
    }
}

fn assign(tree: &mut Tree, names: &Names, id: StmtId) {
    let Some(target) = nested(tree, &tree[id]) else { return };
    let Stmt::Assign { targets, value } = tree[id].clone() else { return };
    let value = spread(tree, names, &SPREAD, value, target);
    tree.set_stmt(id, Stmt::Assign { targets, value });
}

/// The only target of an assignment, if there is another tuple or list in it.
fn nested(tree: &Tree, stmt: &Stmt) -> Option<ExprId> {
    let Stmt::Assign { targets, .. } = stmt else { return None };
    let &[target] = &targets[..] else { return None };
    parts(tree, target)?.iter().any(|&part| parts(tree, part).is_some()).then_some(target)
}

fn parts(tree: &Tree, target: ExprId) -> Option<&[ExprId]> {
    let (Expr::Tuple(items) | Expr::List(items)) = &tree[target] else { return None };
    Some(items)
}

fn spread(tree: &mut Tree, names: &Names, template: &Template, value: ExprId, target: ExprId) -> ExprId {
    let shape = shape(tree, target);
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("value", Fill::Expr(value)),
        ("shape", Fill::Expr(shape)),
    ];
    template.fill_expr(tree, tree.expr_span(value), &holes)
}

/// A tuple of what each part of a target is: a tuple in its turn, `'*'` for one with a star, or `None`.
fn shape(tree: &mut Tree, target: ExprId) -> ExprId {
    let span = tree.expr_span(target);
    if let Some(parts) = parts(tree, target) {
        let parts: Vec<_> = parts.to_vec();
        let shapes = parts.into_iter().map(|part| shape(tree, part)).collect();
        return tree.expr(span, Expr::Tuple(shapes));
    }
    let is_star = matches!(tree[target], Expr::Starred(_));
    let leaf = if is_star { Constant::Str("*".to_owned()) } else { Constant::None };
    tree.expr(span, Expr::Constant(leaf))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn targets_in_targets() {
        check(
            "targets",
            "def f(xs, n):\n    (a, *b), c = xs, n\n    d, e = xs\n    (g, h), i = j = xs\n",
            expect![[r#"
                def f(xs, n):
                    (a, *b), c = gw__.spread((xs, n), ((None, '*'), None))
                    d, e = xs
                    (g, h), i = j = xs
            "#]],
        );
    }

    #[test]
    fn targets_of_comprehensions() {
        check(
            "targets",
            "def f(xs):\n    return [a for a, *b in xs], {k: v for k, (v, w) in xs}, [x for x in xs]\n",
            expect![[r#"
                def f(xs):
                    return [a for a, *b in gw__.spread_items(xs, (None, '*'))], {k: v for k, (v, w) in gw__.spread_items(xs, (None, (None, None)))}, [x for x in xs]
            "#]],
        );
    }
}
