//! `for i in xs: s += i` ⇒ a block that takes the item and `gw__.for_stmt(xs, None, loop_body, ('s',))`.

use gw_syntax::{Body, Constant, Expr, ExprId, Fill, StmtId, Template};

use crate::blocks::Blocks;
use crate::state::{Block, state};

static FOR: Template = Template::new(
    "def $loop_body($item):
    $body
$accessors
$operators.for_stmt($iter, $extra_test, $loop_body, $state)",
);
static TARGET: Template = Template::new("$target = $item");
static GUARD: Template = Template::new("lambda: $guard");

/// The parts of a `for`.
pub struct For {
    /// What each item is assigned to.
    pub target: ExprId,
    /// What is iterated over.
    pub iter: ExprId,
    /// What is tested before each fetch.
    pub guard: Option<ExprId>,
    /// The body.
    pub body: Body,
}

/// Lowers a `for` whose body can be moved. Its `else` is the caller's: without `break` it simply comes next.
pub fn lower(blocks: &mut Blocks, id: StmtId, loop_: For) -> Body {
    let For { target, iter, guard, body } = loop_;
    let span = blocks.tree.expr_span(iter);
    let mut activity = blocks.facts.activities.body(blocks.tree, &body);
    let header = blocks.facts.activities.header(id);
    activity.binds.extend(header.binds.difference(&header.walrus).cloned());
    activity.stores.extend(header.stores.clone());
    let state = state(blocks.facts, id, &activity);
    let holes = [("target", Fill::Expr(target)), ("item", Fill::Name(blocks.names.item.clone()))];
    let mut assigned = TARGET.fill(blocks.tree, blocks.tree.expr_span(target), &holes);
    assigned.extend(blocks.body(body));
    let body =
        Block { activity: &activity, state: &state, facts: blocks.facts }.body(blocks.tree, assigned, span);
    let extra_test = match guard {
        Some(guard) => GUARD.fill_expr(blocks.tree, span, &[("guard", Fill::Expr(guard))]),
        None => blocks.tree.expr(span, Expr::Constant(Constant::None)),
    };
    let accessors = state.accessors(blocks.tree, blocks.names, blocks.facts, span);
    let flowing = state.argument(blocks.tree, blocks.names, blocks.facts, span);
    let names = blocks.names;
    let holes = [
        ("loop_body", Fill::Name(names.loop_body.clone())),
        ("item", Fill::Name(names.item.clone())),
        ("body", Fill::Body(body)),
        ("accessors", Fill::Body(accessors)),
        ("operators", Fill::Name(names.operators.clone())),
        ("iter", Fill::Expr(iter)),
        ("extra_test", Fill::Expr(extra_test)),
        ("state", Fill::Expr(flowing)),
    ];
    FOR.fill(blocks.tree, span, &holes)
}
