//! `while t: …break…` ⇒ `break_ = False; while not break_ and t: …break_ = True; continue…`.
//!
//! The flag is tested first, so the test runs as often as in Python, and an iterator is not advanced past a `break`.
//! Leaves `continue` behind, so it runs before `continues`. A loop with a jump that must stay native is left alone.

use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::jumps::{of_loop, returns};
use crate::skip::{guard, set_flag};
use crate::units::{Reach, function, head_span, rewrite_bodies, set_body};

static NOT: Template = Template::new("not $flag");
static NOT_AND: Template = Template::new("not $flag and $test");
static BREAK: Template = Template::new("$flag = True\ncontinue");

/// Lowers the `break`s of every loop.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::All) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |l| &mut l.tree, body, &mut |lowering, body| {
            body.into_iter().flat_map(|stmt| lower(lowering, stmt)).collect()
        });
        set_body(&mut lowering.tree, id, body);
    }
}

/// True if the loop's own jumps can all be lowered.
pub fn jumps_are_exact(tree: &Tree, body: &Body) -> bool {
    let jumps = of_loop(tree, body, &|stmt| matches!(stmt, Stmt::Break | Stmt::Continue));
    let returns = returns(tree, body);
    !jumps.native && !returns.native && returns.exact.is_empty()
}

fn lower(lowering: &mut Lowering, id: StmtId) -> Body {
    let mut stmt = lowering.tree[id].clone();
    let tree = &lowering.tree;
    let (Stmt::While { body, .. } | Stmt::For { is_async: false, body, .. }) = &stmt else { return vec![id] };
    let breaks = of_loop(tree, body, &|stmt| matches!(stmt, Stmt::Break));
    if breaks.exact.is_empty() || !jumps_are_exact(tree, body) {
        return vec![id];
    }
    let flag = lowering.names.break_flag();
    if binds_in_test(tree, &stmt) {
        return test_inside(lowering, id, &flag, stmt);
    }
    let tree = &mut lowering.tree;
    let span = head_span(tree, id);
    let mut after = Body::new();
    if let Stmt::While { test, body, orelse } = &mut stmt {
        *test = not_and(tree, span, &flag, *test);
        *body = replace(tree, std::mem::take(body), &flag);
        after = std::mem::take(orelse);
    } else if let Stmt::For { guard, body, orelse, .. } = &mut stmt {
        *guard = Some(NOT.fill_expr(tree, span, &[("flag", Fill::Name(flag.clone()))]));
        *body = replace(tree, std::mem::take(body), &flag);
        after = std::mem::take(orelse);
    }
    tree.set_stmt(id, stmt);
    let mut out = vec![set_flag(tree, span, &flag, false), id];
    if !after.is_empty() {
        out.push(guard(tree, &flag, after));
    }
    out
}

/// `while (x := f()): body` ⇒ `while not break_: if (x := f()): body else: break_ = True`; an `else` of the loop is behind it, under a
/// flag that says that the test did not fail.
fn test_inside(lowering: &mut Lowering, id: StmtId, flag: &Name, stmt: Stmt) -> Body {
    let Stmt::While { test, body, orelse: after } = stmt else { return vec![id] };
    let span = head_span(&lowering.tree, id);
    let passed = (!after.is_empty()).then(|| lowering.names.fresh("passed_"));
    let tree = &mut lowering.tree;
    let body = replace(tree, body, flag);
    let mut leave = vec![set_flag(tree, span, flag, true)];
    leave.extend(passed.iter().map(|passed| set_flag(tree, span, passed, false)));
    let inside = tree.stmt(span, Stmt::If { test, body, orelse: leave });
    let test = NOT.fill_expr(tree, span, &[("flag", Fill::Name(flag.clone()))]);
    tree.set_stmt(id, Stmt::While { test, body: vec![inside], orelse: Body::new() });
    let mut out: Body = passed.iter().map(|passed| set_flag(tree, span, passed, true)).collect();
    out.extend([set_flag(tree, span, flag, false), id]);
    out.extend(passed.map(|passed| guard(tree, &passed, after)));
    out
}

/// A thunk cannot hold `:=`, so `not break_ and (x := f())` could not be lowered.
fn binds_in_test(tree: &Tree, stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::While { test, .. } if gw_analysis::binds(tree, *test))
}

fn not_and(tree: &mut Tree, span: Span, flag: &Name, test: ExprId) -> ExprId {
    let flag = ("flag", Fill::Name(flag.clone()));
    if matches!(tree[test], Expr::Constant(Constant::Bool(true))) {
        return NOT.fill_expr(tree, span, &[flag]);
    }
    NOT_AND.fill_expr(tree, span, &[flag, ("test", Fill::Expr(test))])
}

/// Replaces the loop's own `break`s.
fn replace(tree: &mut Tree, body: Body, flag: &Name) -> Body {
    let mut out = Body::new();
    for id in body {
        let mut stmt = tree[id].clone();
        if stmt == Stmt::Break {
            let span = tree.stmt_span(id);
            out.extend(BREAK.fill(tree, span, &[("flag", Fill::Name(flag.clone()))]));
            continue;
        }
        if let Stmt::For { orelse, .. } | Stmt::While { orelse, .. } = &mut stmt {
            *orelse = replace(tree, std::mem::take(orelse), flag);
        } else if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            stmt.each_body_mut(&mut |body| *body = replace(tree, std::mem::take(body), flag));
        }
        tree.set_stmt(id, stmt);
        out.push(id);
    }
    out
}
