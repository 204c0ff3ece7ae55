//! `yield x` ⇒ `if gw__.emit(x): return`: a generator that gives what it yields to whoever runs it, instead of waiting to
//! be asked. Where a tensor decides what is yielded, its loops are then loops of the graph.
//!
//! Runs instead of leaving a generator as it is, before every other pass. `yield from xs` ⇒ `for item in xs: yield item`,
//! and `for x in xs` with a `yield` in it ⇒ `for x in gw__.one_by_one(xs)`.
//! Only where each `yield` is a statement outside of `try` and `with`: what is raised around the one who asks is not
//! raised inside the generator.

use std::collections::BTreeSet;

use gw_syntax::{Body, Expr, ExprId, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::units::{expr_suspends, function, rewrite_bodies, set_body};

static EMIT: Template = Template::new("if $operators.emit($value):\n    return");
static EACH: Template = Template::new("for $item in $iter:\n    yield $item");
static ITER: Template = Template::new("$operators.one_by_one($iter)");

/// Turns the generator that the tree is into a function that emits; `false` if it is not one that can.
pub fn push(lowering: &mut Lowering) -> bool {
    let tree = &lowering.tree;
    let &[id] = tree.body.as_slice() else { return false };
    let Stmt::FunctionDef(own) = &tree[id] else { return false };
    if own.is_async || !can_emit(tree, &own.body) {
        return false;
    }
    let body = function(tree, id).body.clone();
    let body = each_stmt(lowering, body, &mut spread);
    let mut loops = BTreeSet::new();
    loops_that_yield(&lowering.tree, &body, &mut loops);
    let body = each_stmt(lowering, body, &mut |lowering, stmt| match loops.contains(&stmt) {
        true => one_by_one(lowering, stmt),
        false => emitting(lowering, stmt),
    });
    set_body(&mut lowering.tree, id, body);
    true
}

fn each_stmt(
    lowering: &mut Lowering,
    body: Body,
    rewrite: &mut dyn FnMut(&mut Lowering, StmtId) -> Body,
) -> Body {
    rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
        body.into_iter().flat_map(|stmt| rewrite(lowering, stmt)).collect()
    })
}

/// True if each suspension of the function is a statement that yields, outside of `try` and `with`.
fn can_emit(tree: &Tree, body: &Body) -> bool {
    body.iter().all(|&id| stmt_can_emit(tree, &tree[id]))
}

fn stmt_can_emit(tree: &Tree, stmt: &Stmt) -> bool {
    if matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
        return true;
    }
    if let Stmt::Expr(value) = *stmt {
        return match yielded(tree, value) {
            Some(Yielded::One(None)) => true,
            Some(Yielded::One(Some(value)) | Yielded::All(value)) => !expr_suspends(tree, value),
            None => !expr_suspends(tree, value),
        };
    }
    let is_guarded = matches!(stmt, Stmt::Try { .. } | Stmt::With { .. });
    let mut fits = true;
    stmt.each_expr(&mut |&expr| fits = fits && !expr_suspends(tree, expr));
    stmt.each_body(&mut |body| fits = fits && can_emit(tree, body) && !(is_guarded && yields(tree, body)));
    fits
}

fn yields(tree: &Tree, body: &Body) -> bool {
    body.iter().any(|&id| {
        let mut found = matches!(tree[id], Stmt::Expr(value) if expr_suspends(tree, value));
        if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| found = found || yields(tree, body));
        }
        found
    })
}

enum Yielded {
    One(Option<ExprId>),
    All(ExprId),
}

fn yielded(tree: &Tree, value: ExprId) -> Option<Yielded> {
    if let Expr::Yield(value) = tree[value] {
        Some(Yielded::One(value))
    } else if let Expr::YieldFrom(value) = tree[value] {
        Some(Yielded::All(value))
    } else {
        None
    }
}

fn loops_that_yield(tree: &Tree, body: &Body, found: &mut BTreeSet<StmtId>) {
    for &id in body {
        if let Stmt::For { body, .. } = &tree[id]
            && yields(tree, body)
        {
            found.insert(id);
        }
        if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| loops_that_yield(tree, body, found));
        }
    }
}

/// `yield from xs` ⇒ `for item in xs: yield item`.
fn spread(lowering: &mut Lowering, id: StmtId) -> Body {
    let Lowering { tree, names, .. } = lowering;
    let Stmt::Expr(value) = tree[id] else { return vec![id] };
    let Some(Yielded::All(iter)) = yielded(tree, value) else { return vec![id] };
    let item = names.fresh("item");
    EACH.fill(tree, tree.stmt_span(id), &[("item", Fill::Name(item)), ("iter", Fill::Expr(iter))])
}

fn one_by_one(lowering: &mut Lowering, id: StmtId) -> Body {
    let Lowering { tree, names, .. } = lowering;
    let mut stmt = tree[id].clone();
    if let Stmt::For { iter, .. } = &mut stmt {
        let holes = [("operators", Fill::Name(names.operators.clone())), ("iter", Fill::Expr(*iter))];
        *iter = ITER.fill_expr(tree, tree.expr_span(*iter), &holes);
    }
    tree.set_stmt(id, stmt);
    vec![id]
}

fn emitting(lowering: &mut Lowering, id: StmtId) -> Body {
    let Lowering { tree, names, .. } = lowering;
    let span = tree.stmt_span(id);
    if let Stmt::Return(Some(value)) = tree[id] {
        // A loop over a generator does not see what it returns.
        tree.set_stmt(id, Stmt::Return(None));
        return vec![tree.stmt(span, Stmt::Expr(value)), id];
    }
    let Stmt::Expr(value) = tree[id] else { return vec![id] };
    let Some(Yielded::One(value)) = yielded(tree, value) else { return vec![id] };
    let none = Expr::Constant(gw_syntax::Constant::None);
    let value = value.unwrap_or_else(|| tree.expr(span, none));
    let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
    EMIT.fill(tree, span, &holes)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::push;
    use crate::Lowering;

    fn check(text: &str, expected: Expect) {
        let mut lowering = Lowering::new(gw_syntax::parse(&Source::new("<test>", text)).value);
        let pushed = push(&mut lowering).then(|| gw_syntax::to_source(&lowering.tree));
        expected.assert_eq(&pushed.unwrap_or_default());
    }

    #[test]
    fn yields_emit() {
        check(
            "def f(xs):\n    for x in xs:\n        if x: yield x\n    yield from g(xs)\n    yield\n    return 3\n",
            expect![[r#"
                def f(xs):
                    for x in gw__.one_by_one(xs):
                        if x:
                            if gw__.emit(x):
                                return
                    for item in gw__.one_by_one(g(xs)):
                        if gw__.emit(item):
                            return
                    if gw__.emit(None):
                        return
                    3
                    return
            "#]],
        );
    }

    #[test]
    fn what_is_sent_or_guarded_stays() {
        check("def f(xs):\n    x = yield xs\n", expect![""]);
        check("def f(xs):\n    try: yield xs\n    finally: g()\n", expect![""]);
        check("def f(xs):\n    with xs:\n        for x in xs: yield x\n", expect![""]);
        check("async def f(xs):\n    yield xs\n", expect![""]);
    }
}
