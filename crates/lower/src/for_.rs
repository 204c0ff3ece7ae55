//! `for i in xs: s += i` ⇒ a block that takes the item and `gw__.for_stmt(xs, None, loop_body, ('s',))`.

use gw_syntax::{Body, ExprId, Fill, StmtId, Template};

use crate::blocks::Blocks;
use crate::state::{Block, state};
use crate::while_::{flag_of, text};

static FOR: Template = Template::new(
    "def $loop_body($item):
    $body
$accessors
$operators.for_stmt($iter, $flag, $loop_body, $state)",
);
static TARGET: Template = Template::new("$target = $item");

/// The parts of a `for`.
pub struct For {
    /// Target that each item is assigned to.
    pub target: ExprId,
    /// Iterable.
    pub iter: ExprId,
    /// `not flag`, which is tested before each fetch.
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
    let flag = guard.and_then(|guard| flag_of(blocks.tree, blocks.names, guard)).cloned();
    let flag = text(blocks.tree, span, flag.as_ref());
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
        ("flag", Fill::Expr(flag)),
        ("state", Fill::Expr(flowing)),
    ];
    FOR.fill(blocks.tree, span, &holes)
}
