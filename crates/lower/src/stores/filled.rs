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
        let (mut stored, mut all) = (HashSet::new(), Vec::new());
        each(&lowering.tree, &body, &mut |id| changed_by(&lowering.tree, &lowering.tree[id], &mut stored));
        each(&lowering.tree, &body, &mut |id| all.push(id));
        pass_on(&lowering.tree, &all, &mut stored);
        for id in all {
            fill(lowering, id, &stored);
        }
    }
}

/// Marks the values of an assignment that may be arrays for these names.
fn fill(lowering: &mut Lowering, id: StmtId, stored: &HashSet<Name>) {
    let pairs = pairs(&lowering.tree, id);
    let made: HashSet<ExprId> = pairs
        .into_iter()
        .filter(|&(target, value)| makes(&lowering.tree, target, value, stored))
        .map(|(_, value)| value)
        .collect();
    let Lowering { tree, names, .. } = lowering;
    let Stmt::Assign { targets, value } = tree[id].clone() else { return };
    if made.is_empty() {
        return;
    }
    let filled = |tree: &mut Tree, value: ExprId| {
        if !made.contains(&value) {
            return value;
        }
        let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
        FILLED.fill_expr(tree, tree.expr_span(value), &holes)
    };
    let value = if let Expr::Tuple(items) = tree[value].clone() {
        let items = items.into_iter().map(|item| filled(tree, item)).collect();
        tree.expr(tree.expr_span(value), Expr::Tuple(items))
    } else {
        filled(tree, value)
    };
    tree.set_stmt(id, Stmt::Assign { targets, value });
}

/// The targets of an assignment to one target, each with its value: `a, b = x, y` has two.
fn pairs(tree: &Tree, id: StmtId) -> Vec<(ExprId, ExprId)> {
    let Stmt::Assign { targets, value } = &tree[id] else { return Vec::new() };
    let &[target] = &targets[..] else { return Vec::new() };
    if let (Expr::Tuple(targets) | Expr::List(targets), Expr::Tuple(values)) = (&tree[target], &tree[*value])
        && targets.len() == values.len()
        && !is_starred(tree, targets)
        && !is_starred(tree, values)
    {
        return targets.iter().copied().zip(values.iter().copied()).collect();
    }
    vec![(target, *value)]
}

fn is_starred(tree: &Tree, items: &[ExprId]) -> bool {
    items.iter().any(|&item| matches!(tree[item], Expr::Starred(_)))
}

/// Adds the names whose values become those of names that are stored into: two names that swap their arrays are stored into in turn.
fn pass_on(tree: &Tree, stmts: &[StmtId], stored: &mut HashSet<Name>) {
    let pairs = stmts.iter().flat_map(|&id| pairs(tree, id));
    let names = pairs.filter_map(|(target, value)| name_of(tree, target).zip(name_of(tree, value)));
    let names: Vec<_> = names.collect();
    loop {
        let known = stored.len();
        for (target, value) in &names {
            if stored.contains(target) {
                stored.insert(value.clone());
            }
        }
        if stored.len() == known {
            return;
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

/// True if what is assigned to one of these names may be an array that is made there.
fn makes(tree: &Tree, target: ExprId, value: ExprId, stored: &HashSet<Name>) -> bool {
    let is_one = name_of(tree, target).is_some_and(|name| stored.contains(&name));
    is_one
        && matches!(
            tree[value],
            Expr::Call { .. }
                | Expr::BinOp { .. }
                | Expr::UnaryOp { .. }
                | Expr::Subscript { .. }
                | Expr::Attribute { .. }
        )
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

    #[test]
    fn arrays_that_swap_names() {
        check(
            "filled",
            "def f(n):\n    a, b = make(n), make(n)\n    c = make(n)\n    d = make(n)\n    e, (g, h) = make(n), make(n)\n    while n:\n        b[0] = 1\n        e = a\n        [a, b] = b, a\n        t = c\n        a = t\n",
            expect![[r#"
                def f(n):
                    a, b = gw__.filled(make(n)), gw__.filled(make(n))
                    c = gw__.filled(make(n))
                    d = make(n)
                    e, (g, h) = make(n), make(n)
                    while n:
                        b[0] = 1
                        e = a
                        [a, b] = b, a
                        t = c
                        a = t
            "#]],
        );
    }
}
