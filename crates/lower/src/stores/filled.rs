//! `w = f(x)` ⇒ `w = gw__.filled(f(x))`, where the function stores into what `w` holds: an array of NumPy's that nobody else holds may
//! become one of the graph.

use std::collections::HashSet;

use gw_syntax::{Body, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::units::{Reach, function};

static FILLED: Template = Template::new("$operators.filled($value)");

/// True if something is stored into.
pub fn concerns(tree: &Tree) -> bool {
    let mut found = HashSet::new();
    tree.stmts().for_each(|stmt| changed_by(tree, stmt, &mut found));
    !found.is_empty()
}

/// Lowers the assignments of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let (mut stored, mut made) = (HashSet::new(), Vec::new());
        each(&lowering.tree, &body, &mut |id| changed_by(&lowering.tree, &lowering.tree[id], &mut stored));
        each(&lowering.tree, &body, &mut |id| made.extend(value_of(&lowering.tree, id, &stored)));
        let Lowering { tree, names, .. } = lowering;
        for (id, value) in made {
            let Stmt::Assign { targets, .. } = tree[id].clone() else { continue };
            let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
            let value = FILLED.fill_expr(tree, tree.expr_span(value), &holes);
            tree.set_stmt(id, Stmt::Assign { targets, value });
        }
    }
}

/// Calls `found` with the statements of a function, without those of others in it.
fn each(tree: &Tree, body: &Body, found: &mut impl FnMut(StmtId)) {
    for &id in body {
        found(id);
        if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            let mut inner = Vec::new();
            tree[id].each_body(&mut |body| inner.push(body.clone()));
            inner.iter().for_each(|body| each(tree, body, found));
        }
    }
}

/// Adds the names into whose values a statement stores, elements or all of them.
fn changed_by(tree: &Tree, stmt: &Stmt, found: &mut HashSet<Name>) {
    if let Stmt::Assign { targets, .. } = stmt {
        targets.iter().for_each(|&target| stored_into(tree, target, found));
    } else if let Stmt::AugAssign { target, .. } = stmt {
        stored_into(tree, *target, found);
        found.extend(name_of(tree, *target));
    }
}

fn stored_into(tree: &Tree, target: ExprId, found: &mut HashSet<Name>) {
    if let Expr::List(items) | Expr::Tuple(items) = &tree[target] {
        items.iter().for_each(|&item| stored_into(tree, item, found));
    } else if let Expr::Subscript { value, .. } = tree[target] {
        found.extend(name_of(tree, value));
        stored_into(tree, value, found);
    }
}

fn name_of(tree: &Tree, id: ExprId) -> Option<Name> {
    if let Expr::Name(name) = &tree[id] { Some(name.clone()) } else { None }
}

/// The value of an assignment to one of these names alone, if it may make an array.
fn value_of(tree: &Tree, id: StmtId, stored: &HashSet<Name>) -> Option<(StmtId, ExprId)> {
    let Stmt::Assign { targets, value } = &tree[id] else { return None };
    let &[target] = &targets[..] else { return None };
    let is_one = name_of(tree, target).is_some_and(|name| stored.contains(&name));
    let makes = matches!(
        tree[*value],
        Expr::Call { .. }
            | Expr::BinOp { .. }
            | Expr::UnaryOp { .. }
            | Expr::Subscript { .. }
            | Expr::Attribute { .. }
    );
    (is_one && makes).then_some((id, *value))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn arrays_that_take_elements() {
        check(
            "filled",
            "def f(n, v):\n    a = b = make(n)\n    w = make(n)\n    u = v\n    if n:\n        z = 2 * make(n).T\n    for w[0] in u:\n        w[1] += 1\n        y, z[n][0], u[2] = 1, 2, 3\n    y = make(n)\n",
            expect![[r#"
                def f(n, v):
                    a = b = make(n)
                    w = gw__.filled(make(n))
                    u = v
                    if n:
                        z = gw__.filled(2 * make(n).T)
                    for w[0] in u:
                        w[1] += 1
                        y, z[n][0], u[2] = 1, 2, 3
                    y = make(n)
            "#]],
        );
    }
}
