//! `if c: x = 1` ⇒ two blocks and `gw__.if_stmt(c, if_body, if_orelse, ('x',))`.
//!
//! `if c: break_ = True` ⇒ `break_ = gw__.leaves(c)`: the flag is false where its loop runs.

use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template};

use crate::blocks::Blocks;
use crate::state::{Block, state};

static IF: Template = Template::new(
    "def $if_body():
    $body
$otherwise
$accessors
$operators.if_stmt($test, $if_body, $orelse, $state)",
);
static OTHERWISE: Template = Template::new(
    "def $if_orelse():
    $orelse",
);
static LEAVES: Template = Template::new("$flag = $operators.leaves($test)");
static NOTHING: Template = Template::new("$operators.nothing");

/// Lowers an `if` whose bodies can be moved.
pub fn lower(blocks: &mut Blocks, id: StmtId, test: ExprId, bodies: [Body; 2]) -> Body {
    let span = blocks.tree.expr_span(test);
    if let Some(flag) = only_leaves(blocks, &bodies) {
        let operators = ("operators", Fill::Name(blocks.names.operators.clone()));
        let holes = [("flag", Fill::Name(flag)), operators, ("test", Fill::Expr(test))];
        blocks.tree.set_stmt(id, Stmt::Pass);
        return LEAVES.fill(blocks.tree, span, &holes);
    }
    let both: Body = bodies.iter().flatten().copied().collect();
    let activities = &blocks.facts.activities;
    let state = state(blocks.facts, id, &activities.body(blocks.tree, &both));
    let alone = bodies[1].is_empty();
    let [body, orelse] = bodies.map(|body| {
        let activity = activities.body(blocks.tree, &body);
        let lowered = blocks.body(body);
        Block { activity: &activity, state: &state, facts: blocks.facts }.body(blocks.tree, lowered, span)
    });
    let accessors = state.accessors(blocks.tree, blocks.names, blocks.facts, span);
    let flowing = state.argument(blocks.tree, blocks.names, blocks.facts, span);
    let names = blocks.names;
    let (otherwise, orelse) = if alone {
        let operators = ("operators", Fill::Name(names.operators.clone()));
        (Body::new(), NOTHING.fill_expr(blocks.tree, span, &[operators]))
    } else {
        let holes = [("if_orelse", Fill::Name(names.if_orelse.clone())), ("orelse", Fill::Body(orelse))];
        (OTHERWISE.fill(blocks.tree, span, &holes), blocks.tree.name(span, &names.if_orelse))
    };
    let holes = [
        ("if_body", Fill::Name(names.if_body.clone())),
        ("body", Fill::Body(body)),
        ("otherwise", Fill::Body(otherwise)),
        ("orelse", Fill::Expr(orelse)),
        ("accessors", Fill::Body(accessors)),
        ("operators", Fill::Name(names.operators.clone())),
        ("test", Fill::Expr(test)),
        ("state", Fill::Expr(flowing)),
    ];
    blocks.tree.set_stmt(id, Stmt::Pass);
    IF.fill(blocks.tree, span, &holes)
}

/// The flag, if nothing is done but to set the flag that `break` sets.
fn only_leaves(blocks: &Blocks, [body, orelse]: &[Body; 2]) -> Option<Name> {
    let ([id], []) = (&body[..], &orelse[..]) else { return None };
    let Stmt::Assign { targets, value } = &blocks.tree[*id] else { return None };
    let Expr::Name(name) = &blocks.tree[targets[0]] else { return None };
    let sets = blocks.tree[*value] == Expr::Constant(Constant::Bool(true));
    (sets && blocks.names.is_break_flag(name)).then(|| name.clone())
}
