//! `xs[i]` ⇒ `gw__.items(xs)[i]`, read, assigned or deleted: whether `xs` is a list in the graph is known when it runs.
//!
//! `[f(x) for x in xs]` ⇒ `[f(x) for x in gw__.each(xs)]`, and so for `f(*xs)` and `a, b = xs`.
//!
//! `[*xs, y]` ⇒ `[*gw__.all_of(xs), y]`: what stands for the elements of a list may stand between others.
//!
//! A text between the brackets is no index of a list, and what an operator makes is no list.

use std::collections::HashSet;

use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::fresh::Names;
use crate::units::{Reach, function};

static ALL_OF: Template = Template::new("$operators.all_of($value)");
static EACH: Template = Template::new("$operators.each($value)");
static ITEMS: Template = Template::new("$operators.items($value)");

/// True if there is something between brackets, or something that Python takes all items of.
pub fn concerns(tree: &Tree) -> bool {
    let found = |expr: &Expr| {
        matches!(expr, Expr::Subscript { .. } | Expr::Comp { .. } | Expr::DictComp { .. } | Expr::Starred(_))
    };
    tree.exprs().any(found) || tree.stmts().any(|stmt| is_unpacking(tree, stmt))
}

fn is_unpacking(tree: &Tree, stmt: &Stmt) -> bool {
    let apart = |&target: &ExprId| matches!(tree[target], Expr::Tuple(_) | Expr::List(_));
    matches!(stmt, Stmt::Assign { targets, .. } if targets.iter().any(apart))
}

/// Lowers the subscripts of every function.
pub fn run(lowering: &mut Lowering) {
    let mut apart = Vec::new();
    for id in lowering.functions(Reach::Suspends) {
        unpackings(&lowering.tree, &function(&lowering.tree, id).body, &mut apart);
    }
    for id in apart {
        unpack(&mut lowering.tree, &lowering.names, id);
    }
    let targets = targets(&lowering.tree);
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        each(tree, names, id);
        if !targets.contains(&id) {
            all_of(tree, names, id);
        }
        let Expr::Subscript { value, index } = tree[id] else { continue };
        if matches!(&tree[index], Expr::Constant(Constant::Str(_))) || is_ours(tree, names, value) {
            continue;
        }
        let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
        let items = ITEMS.fill_expr(tree, tree.expr_span(value), &holes);
        tree.set_expr(id, Expr::Subscript { value: items, index });
    }
}

/// The assignments in a body that take a value apart.
pub(crate) fn unpackings(tree: &Tree, body: &Body, found: &mut Vec<StmtId>) {
    for &id in body {
        if let Stmt::FunctionDef(function) = &tree[id] {
            if function.generated {
                unpackings(tree, &function.body, found);
            }
        } else if !matches!(tree[id], Stmt::ClassDef(_)) {
            if is_unpacking(tree, &tree[id]) {
                found.push(id);
            }
            tree[id].each_body(&mut |body| unpackings(tree, body, found));
        }
    }
}

/// `a, b = xs` ⇒ `a, b = gw__.each(xs)`
fn unpack(tree: &mut Tree, names: &Names, id: StmtId) {
    let Stmt::Assign { targets, value } = tree[id].clone() else { return };
    let is_unknown = matches!(
        tree[value],
        Expr::Name(_) | Expr::Attribute { .. } | Expr::Subscript { .. } | Expr::Call { .. }
    );
    if is_unknown && !is_ours(tree, names, value) {
        let value = each_of(tree, names, value);
        tree.set_stmt(id, Stmt::Assign { targets, value });
    }
}

/// The tuples and lists that are given values.
fn targets(tree: &Tree) -> HashSet<ExprId> {
    let mut found = HashSet::new();
    for stmt in tree.stmts() {
        if let Stmt::Assign { targets, .. } = stmt {
            targets.iter().for_each(|&target| add(tree, target, &mut found));
        } else if let Stmt::For { target, .. } = stmt {
            add(tree, *target, &mut found);
        } else if let Stmt::With { items, .. } = stmt {
            items.iter().filter_map(|item| item.target).for_each(|target| add(tree, target, &mut found));
        }
    }
    for expr in tree.exprs() {
        if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = expr {
            clauses.iter().for_each(|clause| add(tree, clause.target, &mut found));
        }
    }
    found
}

fn add(tree: &Tree, target: ExprId, found: &mut HashSet<ExprId>) {
    if let Expr::List(items) | Expr::Tuple(items) = &tree[target] {
        found.insert(target);
        items.iter().for_each(|&item| add(tree, item, found));
    } else if let Expr::Starred(value) = tree[target] {
        add(tree, value, found);
    }
}

/// Names the values of which a display takes all items. A tuple has as many as Python counts.
fn all_of(tree: &mut Tree, names: &Names, id: ExprId) {
    let is_tuple = matches!(tree[id], Expr::Tuple(_));
    let (Expr::List(items) | Expr::Tuple(items) | Expr::Set(items)) = tree[id].clone() else { return };
    for item in items {
        let Expr::Starred(value) = tree[item] else { continue };
        let is_unknown = matches!(
            tree[value],
            Expr::Name(_) | Expr::Attribute { .. } | Expr::Subscript { .. } | Expr::Call { .. }
        );
        if is_unknown && !is_ours(tree, names, value) {
            let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
            let template = if is_tuple { &EACH } else { &ALL_OF };
            let all = template.fill_expr(tree, tree.expr_span(value), &holes);
            tree.set_expr(item, Expr::Starred(all));
        }
    }
}

fn each_of(tree: &mut Tree, names: &Names, value: ExprId) -> ExprId {
    let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
    EACH.fill_expr(tree, tree.expr_span(value), &holes)
}

/// Marks an iterable that Python takes all items of, in a comprehension or in `f(*xs)`.
fn each(tree: &mut Tree, names: &Names, id: ExprId) {
    if !matches!(tree[id], Expr::Comp { .. } | Expr::DictComp { .. } | Expr::Call { .. }) {
        return;
    }
    let mut expr = tree[id].clone();
    let wrap = |tree: &mut Tree, value: &mut ExprId| {
        if !is_ours(tree, names, *value) {
            *value = each_of(tree, names, *value);
        }
    };
    if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &mut expr {
        clauses.iter_mut().filter(|clause| !clause.is_async).for_each(|clause| wrap(tree, &mut clause.iter));
    } else if let Expr::Call { args, .. } = &mut expr {
        for &arg in args.iter() {
            if let Expr::Starred(mut value) = tree[arg] {
                wrap(tree, &mut value);
                tree.set_expr(arg, Expr::Starred(value));
            }
        }
        return;
    } else {
        return;
    }
    tree.set_expr(id, expr);
}

/// The operators that give a value of the program as it is, or a list, set, dict or generator of it.
const PASSING_ON: [&str; 12] = [
    "ld",
    "outer",
    "if_exp",
    "and_",
    "or_",
    "listed",
    "made",
    "kept",
    "kept_list",
    "kept_set",
    "kept_dict",
    "united",
];

/// True if a value is made by an operator, or is given to a generated function.
fn is_ours(tree: &Tree, names: &Names, value: ExprId) -> bool {
    if let Expr::Name(name) = &tree[value] {
        return *name == names.values || *name == names.items;
    }
    let Expr::Call { func, .. } = &tree[value] else { return false };
    let Expr::Attribute { value, attr } = &tree[*func] else { return false };
    let is_operator = matches!(&tree[*value], Expr::Name(name) if *name == names.operators);
    is_operator && !PASSING_ON.contains(&&**attr)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn items_read_assigned_and_deleted() {
        check(
            "subscripts",
            "def f(xs, i):\n    xs[i] += xs[-1]['a']\n    xs[0], xs[1] = xs[1:]\n    del xs[i]\n",
            expect![[r#"
                def f(xs, i):
                    gw__.items(xs)[i] += gw__.items(xs)[-1]['a']
                    gw__.items(xs)[0], gw__.items(xs)[1] = gw__.each(gw__.items(xs)[1:])
                    del gw__.items(xs)[i]
            "#]],
        );
        check(
            "subscripts",
            "def f(xs, ys):\n    a, *b = xs\n    return g(*xs, *ys), [x for x in xs for y in ys]\n",
            expect![[r#"
                def f(xs, ys):
                    a, *b = gw__.each(xs)
                    return g(*gw__.each(xs), *gw__.each(ys)), [x for x in gw__.each(xs) for y in gw__.each(ys)]
            "#]],
        );
        check(
            "subscripts",
            "def f(xs, ys):\n    (a, *b), *c = [*xs, (1, *ys)]\n    return {*xs}\n",
            expect![[r#"
                def f(xs, ys):
                    (a, *b), *c = [*gw__.all_of(xs), (1, *gw__.each(ys))]
                    return {*gw__.all_of(xs)}
            "#]],
        );
    }
}
