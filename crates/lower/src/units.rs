//! Walks over what is lowered together: a function of the user's without the functions nested in it, but with its
//! blocks, lambdas and comprehensions.

use std::collections::BTreeSet;

use gw_analysis::{inspects_frame, is_generator, lambda_inspects_frame};
use gw_base::Span;
use gw_syntax::{Body, Expr, ExprId, Function, Stmt, StmtId, Tree};

/// Extent to which a function is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Left as it is: it looks at its own frame.
    Untouched,
    /// All but its jumps and the statements that suspend it: a generator or coroutine.
    Suspends,
    /// Everything.
    All,
}

/// Extent to which this function is lowered.
pub fn reach(tree: &Tree, function: &Function) -> Reach {
    if inspects_frame(tree, function) {
        Reach::Untouched
    } else if is_generator(tree, function) {
        Reach::Suspends
    } else {
        Reach::All
    }
}

/// The functions of the user, outer ones first.
pub fn functions(tree: &Tree) -> Vec<StmtId> {
    let mut found = Vec::new();
    tree.body.iter().for_each(|&stmt| functions_in(tree, stmt, &mut found));
    found
}

/// The statements of a body that suspend their function, by themselves or by what is inside them.
pub fn suspended(tree: &Tree, body: &Body, found: &mut BTreeSet<StmtId>) {
    for &id in body {
        let mut suspends =
            matches!(tree[id], Stmt::For { is_async: true, .. } | Stmt::With { is_async: true, .. });
        tree[id].each_expr(&mut |&expr| suspends = suspends || expr_suspends(tree, expr));
        if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| {
                suspended(tree, body, found);
                suspends = suspends || body.iter().any(|inner| found.contains(inner));
            });
        }
        if suspends {
            found.insert(id);
        }
    }
}

/// True if evaluating an expression may suspend the function around it.
pub fn expr_suspends(tree: &Tree, id: ExprId) -> bool {
    let mut found = matches!(tree[id], Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_));
    if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &tree[id] {
        found = found || clauses.iter().any(|clause| clause.is_async);
    }
    tree[id].each_expr(&mut |&child| found = found || expr_suspends(tree, child));
    found
}

fn functions_in(tree: &Tree, id: StmtId, found: &mut Vec<StmtId>) {
    if matches!(&tree[id], Stmt::FunctionDef(function) if !function.generated) {
        found.push(id);
    }
    tree[id].each_body(&mut |body| body.iter().for_each(|&stmt| functions_in(tree, stmt, found)));
}

/// The function that a statement defines.
///
/// # Panics
/// If it defines none; the ids come from [`functions`].
pub fn function(tree: &Tree, id: StmtId) -> &Function {
    let Stmt::FunctionDef(function) = &tree[id] else { panic!("not a function") };
    function
}

/// Gives a function another body.
pub fn set_body(tree: &mut Tree, id: StmtId, body: Body) {
    if let Stmt::FunctionDef(function) = tree.stmt_mut(id) {
        function.body = body;
    }
}

/// Index of a function's first statement after its docstring.
pub fn after_docstring(tree: &Tree, body: &Body) -> usize {
    let Some(Stmt::Expr(value)) = body.first().map(|&first| &tree[first]) else { return 0 };
    usize::from(matches!(tree[*value], Expr::Constant(gw_syntax::Constant::Str(_))))
}

/// The expressions evaluated by these functions and by lambdas around them, children before parents.
pub fn exprs(tree: &Tree, functions: &[StmtId]) -> Vec<ExprId> {
    let mut found = Vec::new();
    for &id in functions {
        exprs_of_body(tree, &function(tree, id).body, &mut found);
    }
    for &stmt in &tree.body {
        if let Stmt::Expr(value) = tree[stmt] {
            exprs_below(tree, value, &mut found);
        }
    }
    found
}

fn exprs_of_body(tree: &Tree, body: &Body, found: &mut Vec<ExprId>) {
    for &id in body {
        if let Stmt::FunctionDef(function) = &tree[id] {
            if function.generated {
                exprs_of_body(tree, &function.body, found);
            } else {
                function
                    .params
                    .all()
                    .filter_map(|param| param.default)
                    .for_each(|e| exprs_below(tree, e, found));
            }
        } else if let Stmt::AnnAssign { target, value, .. } = &tree[id] {
            value.iter().for_each(|&value| exprs_below(tree, value, found));
            exprs_below(tree, *target, found);
        } else if let Stmt::ClassDef(class) = &tree[id] {
            lambdas_of_class(tree, &class.body, found);
        } else if !matches!(tree[id], Stmt::TypeAlias { .. }) {
            tree[id].each_expr(&mut |&expr| exprs_below(tree, expr, found));
            tree[id].each_body(&mut |body| exprs_of_body(tree, body, found));
        }
    }
}

/// A class body is evaluated as it is, because thunks do not see its names; the lambdas in it do not either.
fn lambdas_of_class(tree: &Tree, body: &Body, found: &mut Vec<ExprId>) {
    for &id in body {
        tree[id].each_expr(&mut |&expr| lambdas_below(tree, expr, found));
        if !matches!(tree[id], Stmt::FunctionDef(_)) {
            tree[id].each_body(&mut |body| lambdas_of_class(tree, body, found));
        }
    }
}

fn lambdas_below(tree: &Tree, id: ExprId, found: &mut Vec<ExprId>) {
    if let Expr::Lambda { body, generated: false, .. } = tree[id]
        && !lambda_inspects_frame(tree, body)
    {
        return exprs_below(tree, body, found);
    }
    tree[id].each_expr(&mut |&child| lambdas_below(tree, child, found));
}

fn exprs_below(tree: &Tree, id: ExprId, found: &mut Vec<ExprId>) {
    if let Expr::Lambda { body, generated: false, .. } = tree[id]
        && lambda_inspects_frame(tree, body)
    {
        return;
    }
    tree[id].each_expr(&mut |&child| exprs_below(tree, child, found));
    found.push(id);
}

/// The line at which a statement begins: all of it, or the head of a compound statement.
pub fn head_span(tree: &Tree, id: StmtId) -> Span {
    let whole = tree.stmt_span(id);
    let mut head: Option<Span> = None;
    let mut compound = false;
    tree[id].each_body(&mut |_| compound = true);
    if compound {
        tree[id].each_expr(&mut |&expr| head = head.or(Some(tree.expr_span(expr))));
    }
    head.unwrap_or(whole)
}

/// Calls `rewrite` with each body of a unit, inner ones first; nested functions and classes are not entered.
pub fn rewrite_bodies<C>(
    context: &mut C,
    tree: fn(&mut C) -> &mut Tree,
    body: Body,
    rewrite: &mut dyn FnMut(&mut C, Body) -> Body,
) -> Body {
    for &id in &body {
        if !tree(context)[id].is_compound() {
            continue;
        }
        let mut stmt = std::mem::replace(tree(context).stmt_mut(id), Stmt::Pass);
        stmt.each_body_mut(&mut |inner| {
            *inner = rewrite_bodies(context, tree, std::mem::take(inner), rewrite);
        });
        tree(context).set_stmt(id, stmt);
    }
    rewrite(context, body)
}
