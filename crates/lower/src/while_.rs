//! `while t: x = f(x)` ⇒ two blocks and `gw__.while_stmt(loop_test, loop_body, ('x',))`; after that the flag of a `break`.

use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, StmtId, Template, Tree, UnaryOp};

use crate::blocks::Blocks;
use crate::fresh::Names;
use crate::state::{Block, foreign, state};

static WHILE: Template = Template::new(
    "def $loop_test():
    $declarations
    return $test
def $loop_body():
    $body
$accessors
$call",
);
static CALL: Template = Template::new("$operators.while_stmt($loop_test, $loop_body, $state)");
static CALL_WITH_FLAG: Template =
    Template::new("$operators.while_stmt($loop_test, $loop_body, $state, $flag)");

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
    let (flag, test) = flag_and_test(blocks.tree, names, test);
    let call = call(blocks, span, flowing, flag.as_ref());
    let holes = [
        ("loop_test", Fill::Name(names.loop_test.clone())),
        ("loop_body", Fill::Name(names.loop_body.clone())),
        ("declarations", Fill::Body(declarations)),
        ("test", Fill::Expr(test)),
        ("body", Fill::Body(body)),
        ("accessors", Fill::Body(accessors)),
        ("call", Fill::Body(call)),
    ];
    WHILE.fill(blocks.tree, span, &holes)
}

fn call(blocks: &mut Blocks, span: Span, state: ExprId, flag: Option<&Name>) -> Body {
    let names = blocks.names;
    let mut holes = vec![
        ("operators", Fill::Name(names.operators.clone())),
        ("loop_test", Fill::Name(names.loop_test.clone())),
        ("loop_body", Fill::Name(names.loop_body.clone())),
        ("state", Fill::Expr(state)),
    ];
    let Some(flag) = flag else { return CALL.fill(blocks.tree, span, &holes) };
    holes.push(("flag", Fill::Expr(text(blocks.tree, span, Some(flag)))));
    CALL_WITH_FLAG.fill(blocks.tree, span, &holes)
}

/// The flag of `not flag and test`, and the test.
fn flag_and_test(tree: &Tree, names: &Names, test: ExprId) -> (Option<Name>, ExprId) {
    let Expr::BoolOp { values, .. } = &tree[test] else { return (None, test) };
    match flag_of(tree, names, values[0]) {
        Some(flag) => (Some(flag.clone()), values[1]),
        None => (None, test),
    }
}

/// The flag of `not flag`.
pub fn flag_of<'t>(tree: &'t Tree, names: &Names, test: ExprId) -> Option<&'t Name> {
    let Expr::UnaryOp { op: UnaryOp::Not, operand } = tree[test] else { return None };
    let Expr::Name(name) = &tree[operand] else { return None };
    names.is_break_flag(name).then_some(name)
}

/// A name as a text; `None` for none.
pub fn text(tree: &mut Tree, span: Span, name: Option<&Name>) -> ExprId {
    let text = name.map_or(Constant::None, |name| Constant::Str(name.to_string()));
    tree.expr(span, Expr::Constant(text))
}
