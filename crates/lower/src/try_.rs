//! `try: a() except E: b()` ⇒ two blocks, the body and all else, and `gw__.try_stmt(try_body, try_rest, lambda: (E,), …)`.
//!
//! All else stays a `try` of Python's, whose body is what the operator decides: `outcome_` runs the body, does nothing, or
//! raises what the graph may raise there. So it is Python that finds the handler.

use std::collections::BTreeSet;

use gw_analysis::Facts;
use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Handler, Stmt, StmtId, Template, Tree};

use crate::blocks::{Blocks, is_movable};
use crate::conditional::can_be_thunk;
use crate::state::{Block, state};

static TRY: Template = Template::new(
    "def $try_body():
    $body
def $try_rest($outcome):
    $rest
$accessors
$operators.try_stmt($try_body, $try_rest, lambda: $kinds, $always, $state)",
);
static OUTCOME: Template = Template::new("$operators.run($outcome)");

/// True if a `try` can be lowered: its handlers name the exceptions that they catch by expressions that can
/// be evaluated.
pub fn has_thunks(tree: &Tree, facts: &Facts, suspends: &BTreeSet<StmtId>, id: StmtId) -> bool {
    let Stmt::Try { handlers, orelse, finalbody, is_star, .. } = &tree[id] else { return false };
    let mut rest = handlers.iter().map(|handler| &handler.body).chain([orelse, finalbody]);
    !is_star
        && !rest.any(|body| has_with(tree, facts, suspends, body))
        && handlers.iter().all(|handler| handler.kind.is_none_or(|kind| can_be_thunk(tree, kind)))
}

/// True if there is a `with` in these statements that stays one: it would see exceptions before the graph
/// does.
fn has_with(tree: &Tree, facts: &Facts, suspends: &BTreeSet<StmtId>, body: &Body) -> bool {
    body.iter().any(|&id| {
        let stmt = &tree[id];
        let mut found = matches!(stmt, Stmt::With { .. }) && !is_movable(tree, facts, suspends, id);
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            stmt.each_body(&mut |body| found = found || has_with(tree, facts, suspends, body));
        }
        found
    })
}

/// Lowers a `try` whose bodies can be moved.
pub fn lower(blocks: &mut Blocks, id: StmtId, mut stmt: Stmt) -> Body {
    let Stmt::Try { body, handlers, orelse, finalbody, .. } = &mut stmt else { return vec![id] };
    let span = head(blocks.tree, id);
    let activities = &blocks.facts.activities;
    let inner = activities.body(blocks.tree, body);
    let others: Body = handlers
        .iter()
        .flat_map(|handler| &handler.body)
        .chain(&*orelse)
        .chain(&*finalbody)
        .copied()
        .collect();
    let mut outer = activities.body(blocks.tree, &others);
    outer.binds.extend(activities.header(id).binds.iter().cloned());
    let mut both = activities.body(blocks.tree, &[body.clone(), others].concat());
    both.binds.extend(outer.binds.iter().cloned());
    both.deletes.extend(handlers.iter().filter_map(|handler| handler.name.clone()));
    let state = state(blocks.facts, id, &both);
    let kinds = kinds(blocks.tree, id, handlers);
    let always = blocks.tree.expr(span, Expr::Constant(Constant::Bool(!finalbody.is_empty())));
    let lowered = blocks.body(std::mem::take(body));
    let block = Block { activity: &inner, state: &state, facts: blocks.facts };
    let lowered = block.body(blocks.tree, lowered, span);
    let names = blocks.names;
    let holes =
        [("operators", Fill::Name(names.operators.clone())), ("outcome", Fill::Name(names.outcome.clone()))];
    *body = OUTCOME.fill(blocks.tree, span, &holes);
    for handler in &mut *handlers {
        handler.body = blocks.body(std::mem::take(&mut handler.body));
    }
    *orelse = blocks.body(std::mem::take(orelse));
    *finalbody = blocks.body(std::mem::take(finalbody));
    blocks.tree.set_stmt(id, stmt);
    let block = Block { activity: &outer, state: &state, facts: blocks.facts };
    let rest = block.body(blocks.tree, vec![id], span);
    let accessors = state.accessors(blocks.tree, names, blocks.facts, span);
    let flowing = state.argument(blocks.tree, names, blocks.facts, span);
    let holes = [
        ("try_body", Fill::Name(names.try_body.clone())),
        ("body", Fill::Body(lowered)),
        ("try_rest", Fill::Name(names.try_rest.clone())),
        ("outcome", Fill::Name(names.outcome.clone())),
        ("rest", Fill::Body(rest)),
        ("accessors", Fill::Body(accessors)),
        ("operators", Fill::Name(names.operators.clone())),
        ("kinds", Fill::Expr(kinds)),
        ("always", Fill::Expr(always)),
        ("state", Fill::Expr(flowing)),
    ];
    TRY.fill(blocks.tree, span, &holes)
}

/// The word `try`.
pub fn head(tree: &Tree, id: StmtId) -> Span {
    let start = tree.stmt_span(id).start;
    Span { start, end: start + "try".len() as u32 }
}

/// Exception types that the handlers catch, as a tuple.
fn kinds(tree: &mut Tree, id: StmtId, handlers: &[Handler]) -> ExprId {
    let span = head(tree, id);
    let kind = |handler: &Handler| match handler.kind {
        Some(kind) => tree.duplicate(kind),
        None => tree.name(span, &"BaseException".into()),
    };
    let kinds = handlers.iter().map(kind).collect();
    tree.expr(span, Expr::Tuple(kinds))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn all_but_the_body_stays_a_try() {
        check(
            "blocks",
            "def f(a):\n    x = 0\n    try:\n        x = a()\n        y = x\n    except E as e:\n        if e: x = 2\n    else: x = y\n    finally: b()\n    return x\n",
            expect![[r#"
                def f(a):
                    x = 0
                    def try_body():
                        nonlocal x, y
                        x = a()
                        y = x
                    def try_rest(outcome_):
                        nonlocal x
                        try:
                            gw__.run(outcome_)
                        except E as e:
                            def if_body():
                                nonlocal x
                                x = 2
                            gw__.if_stmt(e, if_body, gw__.nothing, ('x',))
                        else:
                            x = y
                        finally:
                            b()
                    gw__.try_stmt(try_body, try_rest, lambda: (E,), True, ('x', 'y'))
                    return x
            "#]],
        );
    }
}
