//! `while t: x = f(x)` ⇒ two blocks and `gw__.while_stmt(loop_test, loop_body, ('x',))`.

use gw_syntax::{Body, ExprId, Fill, StmtId, Template};

use crate::blocks::Blocks;
use crate::state::{Block, foreign, state};

static WHILE: Template = Template::new(
    "def $loop_test():
    $declarations
    return $test
def $loop_body():
    $body
$accessors
$operators.while_stmt($loop_test, $loop_body, $state)",
);

/// Lowers a `while` whose body can be moved. Its `else` is the caller's: without `break` it simply comes next.
pub fn lower(blocks: &mut Blocks, id: StmtId, test: ExprId, body: Body) -> Body {
    let span = blocks.tree.expr_span(test);
    let activity = blocks.facts.activities.body(blocks.tree, &body);
    let tested = blocks.facts.activities.header(id);
    let mut all = activity.clone();
    all.binds.extend(tested.walrus.iter().cloned());
    let mut state = state(blocks.facts, id, &all);
    state.keep(&tested.walrus);
    let lowered = blocks.body(body);
    let block = Block { activity: &activity, state: &state, facts: blocks.facts };
    let body = block.body(blocks.tree, lowered, span);
    let declarations = foreign(blocks.tree, blocks.facts, &tested.walrus, span);
    let accessors = state.accessors(blocks.tree, blocks.names, blocks.facts, span);
    let flowing = state.argument(blocks.tree, blocks.names, blocks.facts, span);
    let names = blocks.names;
    let holes = [
        ("loop_test", Fill::Name(names.loop_test.clone())),
        ("loop_body", Fill::Name(names.loop_body.clone())),
        ("declarations", Fill::Body(declarations)),
        ("test", Fill::Expr(test)),
        ("body", Fill::Body(body)),
        ("accessors", Fill::Body(accessors)),
        ("operators", Fill::Name(names.operators.clone())),
        ("state", Fill::Expr(flowing)),
    ];
    WHILE.fill(blocks.tree, span, &holes)
}
